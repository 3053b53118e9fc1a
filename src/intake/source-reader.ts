import { type GroupScope, wholeScope } from '#contract'
import { type Database, DatabaseMissingError, type Row } from '#database'
import type { KeptChange } from '#ingest'
import type { SourceState, SourceStates } from '#store'
import type { BatchResult, UnitResult } from './batch.ts'
import { sourceKinds, type Unit, type UnitKind } from './unit.ts'
import {
  type EndedFilter,
  endedUnitQuery,
  endedUnitsQuery,
  figureQueries,
  parseUnit,
  unitColumns,
  unitTable,
} from './unit-table.ts'

/** A source of records, with the units that wait or are in quarantine. */
export interface IntakeSource extends SourceState {
  /** Units in quarantine. */
  readonly quarantined: number
}

/** A unit that has ended: it is done, refused or in quarantine. Only a refused one has problems. */
export interface EndedUnit extends Unit, UnitResult {
  /** Whether it was only checked. */
  readonly isDryRun: boolean
}

/** Reads the sources and their units, and writes nothing. */
export interface SourceReader {
  /** All sources, or those of one brand, ordered by brand, kind and name. */
  list(brand?: string): Promise<readonly IntakeSource[]>
  /**
   * The last units of a brand that have ended, the latest first. With a scope, only units all of
   * whose groups are in it: a unit has one file and one first problem.
   */
  ended(brand: string, limit: number, scope?: GroupScope): Promise<readonly EndedUnit[]>
  /** Units of all brands that have ended, or of one, the latest first. */
  listEnded(filter: EndedFilter): Promise<readonly EndedUnit[]>
  /** A unit that has ended, with all that is kept of its result; null if there is none. */
  findEnded(id: string): Promise<(EndedUnit & { readonly changes?: readonly KeptChange[] }) | null>
  close(): Promise<void>
}

/** What the units of a source say. */
interface UnitFigures extends Pick<SourceState, 'brand' | 'kind' | 'name' | 'behindSince'> {
  readonly waiting: number
  readonly quarantined: number
  /** Says which unit is in quarantine for the longest time, and what to do; null without one. */
  readonly error: string | null
}

/** The database of the units is opened once it exists: a server that only reads does not create it. */
export const openSourceReader = (
  states: Pick<SourceStates, 'list'>,
  openUnits: () => Database,
): SourceReader => {
  let opened: Database | null = null
  let hasUnits = false

  const open = (): Database | null => {
    try {
      opened ??= openUnits()
      return opened
    } catch (error) {
      if (error instanceof DatabaseMissingError) return null
      throw error
    }
  }
  /** The database of the units; null while there is none. */
  const openFilled = async (): Promise<Database | null> => {
    const database = open()
    if (!database) return null
    hasUnits ||= (await database.tables()).has(unitTable)
    return hasUnits ? database : null
  }
  const readUnits = async (brand?: string): Promise<readonly UnitFigures[]> => {
    const database = await openFilled()
    if (!database) return []
    const [waiting = [], quarantined = []] = await database.read(figureQueries(brand))
    return [
      ...waiting.flatMap((row) => figuresOf(row, { waiting: Number(row[3]), quarantined: 0 })),
      ...quarantined.flatMap((row) => figuresOf(row, { waiting: 0, quarantined: Number(row[3]) })),
    ]
  }

  return {
    list: async (brand) => {
      const [stored, units] = await Promise.all([states.list(brand), readUnits(brand)])
      return withUnits(stored, ofBrand(brand, units))
    },
    ended: async (brand, limit, scope = wholeScope) => {
      const database = await openFilled()
      if (!database) return []
      const read = async (page: { readonly limit: number; readonly offset?: number }) => {
        const [rows = []] = await database.read([
          endedUnitsQuery(database.dialect, { brand, ...page }),
        ])
        return ofBrand(brand, rows.map(parseEnded))
      }
      if (scope.isWhole) return read({ limit })
      const matches: EndedUnit[] = []
      for (let offset = 0; offset < soughtMax && matches.length < limit; offset += soughtAtOnce) {
        const units = await read({ limit: soughtAtOnce, offset })
        matches.push(...units.filter((unit) => isUnitWithin(scope, unit)))
        if (units.length < soughtAtOnce) break
      }
      return matches.slice(0, limit)
    },
    listEnded: async (filter) => {
      const database = await openFilled()
      if (!database) return []
      const [rows = []] = await database.read([endedUnitsQuery(database.dialect, filter)])
      return rows.map(parseEnded)
    },
    findEnded: async (id) => {
      const database = await openFilled()
      if (!database) return null
      const [[row] = []] = await database.read([endedUnitQuery(database.dialect, id)])
      if (!row) return null
      const result = row.at(-1)
      return {
        ...parseEnded(row),
        ...(result ? (JSON.parse(String(result)) as Partial<BatchResult>) : {}),
        // The result of a batch has states of its own.
        ...parseUnit(row),
      }
    },
    close: async () => {
      await opened?.close()
    },
  }
}

/** Units among which those of a scope are sought. */
const soughtMax = 1_000
const soughtAtOnce = 100

/**
 * A unit that stored nothing does not say which groups it is about. A batch that was refused has only
 * the groups of items that could be read; its problems are those of the others.
 */
const isUnitWithin = (scope: GroupScope, { state, collections }: EndedUnit): boolean =>
  state !== 'refused' &&
  collections.length > 0 &&
  collections.every(({ collection }) => scope.has(collection))

/** Beside the condition in every statement: no engine separates the units of brands. */
const ofBrand = <T extends { readonly brand: string }>(
  brand: string | undefined,
  all: readonly T[],
): readonly T[] => (brand === undefined ? all : all.filter((each) => each.brand === brand))

const parseEnded = (row: Row): EndedUnit => {
  const [dryRun, summary] = row.slice(unitColumns.length)
  const unit = parseUnit(row)
  const { collections, problemCount, problems }: Partial<UnitResult> = summary
    ? JSON.parse(String(summary))
    : {}
  return {
    ...unit,
    // SQLite has 1 for true.
    isDryRun: dryRun === 1 || dryRun === 'true',
    collections: collections ?? [],
    problemCount: problemCount ?? 0,
    problems: unit.state === 'refused' ? (problems ?? []) : [],
  }
}

const figuresOf = (
  [brand, kind, source, , behindSince, id, attempts, lastError]: readonly unknown[],
  counts: Pick<UnitFigures, 'waiting' | 'quarantined'>,
): readonly UnitFigures[] => {
  const sourceKind = sourceKinds[kind as UnitKind]
  // Commands are not read continually.
  if (sourceKind === null) return []
  return [
    {
      ...{ brand: String(brand), kind: sourceKind, name: String(source), ...counts },
      behindSince: behindSince as string | null,
      error:
        counts.quarantined === 0
          ? null
          : `The ${kind} ${id} is in quarantine after ${attempts} attempts: ${String(lastError).replace(/\.?$/, '.')} See: selvedge intake show ${id}`,
    },
  ]
}

/** The state of a source that has stored nothing yet. */
const newState = ({ brand, kind, name }: UnitFigures): IntakeSource => ({
  ...{ brand, kind, name, state: 'idle', cursor: null, startedAt: null, succeededAt: null },
  ...{ failedAt: null, error: null, waiting: 0, behindSince: null, processed: 0, failed: 0 },
  ...{ quarantined: 0, quarantinedRows: 0 },
})

const keyOf = ({ brand, kind, name }: Pick<SourceState, 'brand' | 'kind' | 'name'>): string =>
  JSON.stringify([brand, kind, name])

/**
 * The stored states, with what their units add. A source whose units are in quarantine is failing,
 * and says why if it has no later error.
 */
const withUnits = (
  stored: readonly SourceState[],
  units: readonly UnitFigures[],
): readonly IntakeSource[] => {
  const all = new Map(stored.map((each) => [keyOf(each), { ...each, quarantined: 0 }]))
  for (const each of units) {
    const { state, error, waiting, quarantined, behindSince, ...rest } =
      all.get(keyOf(each)) ?? newState(each)
    const since = [behindSince, each.behindSince].filter((at) => at !== null).sort()
    all.set(keyOf(each), {
      ...rest,
      state: each.quarantined > 0 ? 'failing' : state,
      error: error ?? each.error,
      waiting: waiting + each.waiting,
      quarantined: quarantined + each.quarantined,
      behindSince: since[0] ?? null,
    })
  }
  const order = ({ brand, kind, name }: IntakeSource) => [brand, kind, name].join('\n')
  return [...all.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1))
}
