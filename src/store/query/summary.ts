import {
  ApiError,
  ageingGroups,
  type Catalog,
  conditionCollections,
  currencyCollections,
  fieldAt,
  type Grouping,
} from '#contract'
import { type Database, quote, type Row, type SqlValue, type Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { tableByIndex } from '../read/list.ts'
import { createParams } from '../read/query-template.ts'
import { createResume, readRepeatedly, type ScanProgress } from '../read/resumable-scan.ts'
import { compileStates, type Dependency, parseState, readStates } from '../read/state.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { compileCondition } from './condition-sql.ts'
import { conjunctsOf } from './conjuncts.ts'
import { addRow, figuresOf, type GroupSums, groupValueOf, newGroupSums } from './group-sums.ts'
import { compileKeyEnd, keyRange, newKeyScan, runKeyScan } from './key-slices.ts'
import type { GroupValue, Summary, SummaryFigures, SummaryRequest } from './summary-request.ts'
import {
  cellsAlias,
  needsOffsets,
  recordAlias,
  type SummaryColumns,
  type SummaryScope,
  summaryColumns,
} from './summary-sql.ts'
import { type ZoneOffset, zoneOffsets } from './zone-offsets.ts'

export interface SummariesParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

export interface Summaries {
  /** Aggregates the records of a selection. Reads them in slices, never on the event loop. */
  read(request: SummaryRequest): Promise<Summary>
  /** The same in the snapshot of `steps`, and within their time. */
  readIn(steps: Steps, request: SummaryRequest): Promise<SummaryFigures>
  /** The collections that a summary depends on. */
  dependencies(request: SummaryRequest): readonly Dependency[]
}

/** Maximum number of groups. */
export const groupsMax = 1_000
/** Maximum rows per slice: one per group and currency. */
const rowsMax = 5_000
/** Cached summaries, and the maximum number of groups of one. */
const cachedMax = 500
const cachedGroupsMax = 100

interface Progress extends ScanProgress<Key> {
  readonly total: GroupSums
  readonly groups: Map<string, GroupSums>
}

export const createSummaries = (parts: SummariesParts): Summaries => {
  const { catalog, database, tables } = parts
  const { dialect } = database
  const cached = createBoundedCache<Summary>(cachedMax)
  const resume = createResume<Progress>(cachedMax)

  const dependencies = (request: SummaryRequest): readonly Dependency[] => {
    const { resource, sum, min, max } = request
    const paths = new Set([
      resource.path,
      ...conjunctsOf(request).flatMap(conditionCollections),
      ...currencyCollections(catalog, resource, [...sum, ...min, ...max]),
    ])
    return [...paths].map((path) => ({
      path,
      owner: ({ brand }) => ownerOf(tableAt(tables, path).resource, brand),
    }))
  }

  const compile = (request: SummaryRequest, offsets: readonly ZoneOffset[]) => {
    const { resource, brand } = request
    const table = tableAt(tables, resource.path)
    const conjuncts = conjunctsOf(request)
    const driver = conjuncts.find(
      (each) => each.kind === 'compare' && each.is === 'eq' && indexOn(table, each.field),
    )
    const index = driver?.kind === 'compare' ? indexOn(table, driver.field) : undefined
    const source = tableByIndex(dialect, table.name, 't', index)
    const scopeOf = (): SummaryScope => ({
      catalog,
      table,
      alias: recordAlias,
      brand,
      tables,
      dialect,
      values: createParams<SqlValue>(ownerOf(resource, brand)),
      cells: new Map(),
      offsets,
    })
    const columns = summaryColumns(request, scopeOf())

    const range = ({ values }: SummaryScope, from: Key | null, to: Key | null) =>
      keyRange(table, dialect, values, from, to)

    const endOf = (from: Key | null, rows: number) => {
      const scope = scopeOf()
      const where = [
        't."owner" = ?1',
        ...(driver ? [compileCondition(driver, scope)] : []),
        ...range(scope, from, null),
      ]
      return compileKeyEnd(table, scope, source, where, rows)
    }

    const sliceOf = (from: Key | null, to: Key | null) => {
      const scope = scopeOf()
      const { grouped, aggregates } = summaryColumns(request, scope)
      const cells = [...scope.cells].map(([text, name]) => `${text} as ${quote(name)}`)
      const where = [
        't."owner" = ?1',
        ...conjuncts.map((each) => compileCondition(each, scope)),
        ...range(scope, from, to),
        ...dialect.inTime,
      ]
      const text = [
        `select ${[...grouped, ...aggregates].join(',\n')}`,
        `from (select ${cells.length > 0 ? cells.join(',\n') : '1'}`,
        `from ${source}`,
        `where ${where.join('\nand ')}`,
        `${dialect.onceForEachRow}) as ${cellsAlias}`,
        ...(grouped.length > 0 ? [`group by ${grouped.map((_, at) => at + 1).join(', ')}`] : []),
        `limit ${rowsMax + 1}`,
      ].join('\n')
      return { text, values: scope.values.all }
    }
    return { columns, endOf, sliceOf, table }
  }

  const add = (request: SummaryRequest, columns: SummaryColumns, progress: Progress) => {
    const kinds = request.by.map(({ field }) => fieldAt(request.resource.fields, field)?.kind)
    return (row: Row): void => {
      addRow(progress.total, row, columns)
      if (request.by.length === 0) return
      const by = request.by.map((each, at) => groupValueOf(row[at] ?? null, each, kinds[at]))
      const name = JSON.stringify(by)
      const sums = progress.groups.get(name) ?? newGroupSums(by)
      progress.groups.set(name, sums)
      if (progress.groups.size > groupsMax) throw tooManyGroups(request.by)
      addRow(sums, row, columns)
    }
  }

  const finish = (
    request: SummaryRequest,
    columns: SummaryColumns,
    { total, groups }: Progress,
  ): SummaryFigures => {
    return {
      total: figuresOf(total, columns, request.baseCurrency),
      groups: [...groups.values()]
        .sort((one, other) => compareGroups(request.by, one.by, other.by))
        .map((sums) => ({ by: sums.by, ...figuresOf(sums, columns, request.baseCurrency) })),
    }
  }

  const scan = async (
    steps: Steps,
    request: SummaryRequest,
    run: (advance: (progress: Progress) => Promise<void>) => Promise<Progress>,
  ): Promise<SummaryFigures> => {
    const offsets = needsOffsets(request) ? await zoneOffsets(request.today.timezone) : []
    const { columns, table, endOf, sliceOf } = compile(request, offsets)
    const progress = await run((each) =>
      runKeyScan(steps, table, each, {
        endOf,
        sliceOf,
        prepare: async ({ length }) => {
          if (length > rowsMax) throw tooManyGroups(request.by)
        },
        add: add(request, columns, each),
      }),
    )
    return finish(request, columns, progress)
  }

  return {
    dependencies,
    readIn: (steps, request) =>
      scan(steps, request, async (advance) => {
        const progress = newProgress()
        await advance(progress)
        return progress
      }),
    read: async (request) => {
      const { brand, isCancelled } = request
      const owner = ownerNumber(brand)
      const depends = dependencies(request)
      const name = nameOf(request)
      const states = await database.read(compileStates(depends, request), owner)
      const state = parseState(depends, brand, states)
      const earlier = cached.get(name)
      if (earlier?.version === state.version) return { ...earlier, ...state }
      return readRepeatedly(database, 'Adding up so many records', () =>
        database.readInSteps(owner, isCancelled, async (steps) => {
          const { state: current } = await readStates(steps, depends, request)
          const figures = await scan(steps, request, (advance) =>
            resume(name, current.version, newProgress, advance),
          )
          const summary = { ...current, ...figures }
          if (summary.groups.length <= cachedGroupsMax) cached.set(name, summary)
          return summary
        }),
      )
    },
  }
}

const newProgress = (): Progress => ({
  ...newKeyScan(),
  total: newGroupSums([]),
  groups: new Map(),
})

/** Cache key: everything that a summary depends on besides the records. */
const nameOf = (request: SummaryRequest): string => {
  const { resource, brand, sum, min, max, by, today, baseCurrency, ids } = request
  const names = [sum, min, max, by.map((each) => each.name)]
  const where = conjunctsOf(request)
  return JSON.stringify([resource.path, brand, names, where, ids, today, baseCurrency])
}

const indexOn = (table: Table, field: string): string | undefined => {
  const column = table.lookups.find(({ path }) => path.join('.') === field)
  return table.indexes.find(({ columns }) => columns[0] === column?.name)?.name
}

/** Sorts by the values in sequence: ageing groups from newest to oldest, null last. */
const compareGroups = (
  by: readonly Grouping[],
  one: readonly GroupValue[],
  other: readonly GroupValue[],
): number => {
  for (const [at, { dates }] of by.entries()) {
    const order = compareValues(one[at] ?? null, other[at] ?? null, dates === 'ageing')
    if (order !== 0) return order
  }
  return 0
}

const ageingNames: readonly string[] = ageingGroups.map(({ name }) => name)

const compareValues = (one: GroupValue, other: GroupValue, isAgeing: boolean): number => {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  if (isAgeing) return ageingNames.indexOf(String(one)) - ageingNames.indexOf(String(other))
  return one < other ? -1 : 1
}

const tooManyGroups = (by: readonly Grouping[]): ApiError =>
  new ApiError(
    'invalid_parameter',
    `Parameter by gives more than ${groupsMax} groups. Group by fewer fields or by fields with fewer values, or add filters.`,
    { details: [{ parameter: 'by', issue: `${by.map(({ name }) => name)} has too many values` }] },
  )
