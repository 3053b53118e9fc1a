import { hash } from 'node:crypto'
import { importOrder } from '#contract'
import { errorText, type Unit, type UnitResult, type Units, writeUnit } from '#intake'
import type { SourceName, Store } from '#store'
import { type RoundFault, roundFault } from './round-fault.ts'
import type { SyncQuery } from './sync-state.ts'

/** Rounds of a source as units of work. */
export interface RoundUnits {
  /**
   * Reads the collections of the source in one round. If that fails for another reason than the
   * source or a database that is away, reads each collection alone, so that one that always fails
   * does not stop the others. After too many attempts, it is set aside. Throws what ended the work.
   */
  run(): Promise<void>
  /** The collections that are set aside, and why. */
  aside(): Promise<readonly SetAside[]>
}

export interface SetAside {
  readonly collection: string
  readonly unit: Unit
}

export interface RoundEnd {
  readonly isWritten: boolean
  readonly problem: string | null
  readonly effect: UnitResult
}

export interface RoundUnitsParts<Outcome> {
  readonly units: Units
  readonly store: Store
  readonly brand: string
  readonly source: SourceName
  readonly queries: readonly SyncQuery[]
  /** Reads some of the queries, and writes what has changed. */
  readonly round: (queries: readonly SyncQuery[], write: Store['write']) => Promise<Outcome>
  /** Whether a round was written, what it did, and what was wrong with it; null if nothing was. */
  readonly endOf: (outcome: Outcome) => RoundEnd
  readonly onRound: (outcome: Outcome) => Promise<void>
  /** Something that is worth a line in the log. */
  readonly onEvent: (sentence: string) => void
  /** Ends a round. Its attempt does not count. */
  readonly signal: AbortSignal
}

/** Some collections, and their place among the units. */
interface Part {
  readonly name: string
  readonly position: string
  readonly queries: readonly SyncQuery[]
}

/** The units that are listed at once. */
const listedMax = 1_000

export const createRoundUnits = <Outcome>(parts: RoundUnitsParts<Outcome>): RoundUnits => {
  const { units, store, brand, source, queries } = parts
  const place = { brand, kind: 'round', source: source.name } as const
  const order = importOrder(store.catalog).flat()
  const collections: readonly Part[] = [
    ...Map.groupBy(queries, ({ mapping }) => mapping.collection),
  ]
    .map(([name, own]) => ({ name, queries: own, position: positionOf(name, own, '') }))
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
  /** A round that has read nothing new is the unit of the next one. */
  let last: Unit | undefined

  const listed = async (state: Unit['state']) => {
    const all = await units.list({ ...place, state, limit: listedMax })
    return collections.flatMap(({ name, position }) => {
      const unit = all.find((each) => each.position === position)
      return unit ? [{ collection: name, unit }] : []
    })
  }

  /** Ends open units whose queries are not read any more: the mapping or the cursor has changed. */
  const endOthers = async (positions: ReadonlySet<string | null>): Promise<void> => {
    for (const state of ['working', 'waiting'] as const) {
      for (const unit of await units.list({ ...place, state, limit: listedMax })) {
        if (!positions.has(unit.position)) await units.finish(unit, 'refused', otherQueries)
      }
    }
  }

  const faultIn = (error: unknown): RoundFault =>
    parts.signal.aborted ? 'unavailable' : roundFault(error)

  const attempt = async (part: Part, unit: Unit): Promise<void> => {
    const outcome = await parts.round(part.queries, writeUnit(units, unit, store.write))
    const { isWritten, problem, effect } = parts.endOf(outcome)
    await units.finish(unit, isWritten ? 'done' : 'refused', problem ?? undefined, effect)
    // A problem and a difference stay to be seen.
    last = problem === null && !hasChanged(effect) ? unit : undefined
    await parts.onRound(outcome)
  }

  /** Ends an attempt that was not counted, or that somebody has to change something for. */
  const endUncounted = async (unit: Unit, error: unknown): Promise<void> => {
    const end =
      faultIn(error) === 'refused'
        ? units.finish(unit, 'refused', errorText(error))
        : units.fail(unit, error, 'unavailable')
    // A database that is away cannot store it. The attempt then continues.
    await end.catch(() => undefined)
  }

  /** Whether the round as a whole has ended; the collections are read one by one otherwise. */
  const runWhole = async (part: Part): Promise<boolean> => {
    const unit = await units.begin({ ...place, position: part.position }, last)
    if (unit.state === 'quarantined') return false
    if (unit.attempts > 1) {
      await units.finish(unit, 'refused', unit.lastError ?? '')
      return false
    }
    try {
      await attempt(part, unit)
      return true
    } catch (error) {
      if (faultIn(error) !== 'unit') {
        await endUncounted(unit, error)
        throw error
      }
      await units.finish(unit, 'refused', errorText(error))
      parts.onEvent(`${errorText(error)} Each collection is read alone.`)
      return false
    }
  }

  const runEach = async (all: readonly Part[]): Promise<void> => {
    const errors: unknown[] = []
    for (const part of all) {
      const unit = await units.begin({ ...place, position: part.position })
      if (unit.state === 'quarantined') {
        parts.onEvent(asideSentence({ collection: part.name, unit }))
        continue
      }
      try {
        await attempt(part, unit)
      } catch (error) {
        const fault = faultIn(error)
        if (fault !== 'unit') {
          await endUncounted(unit, error)
          if (fault !== 'refused') throw error
        } else {
          const failed = await units.fail(unit, error, 'unit')
          const isAside = failed.state === 'quarantined'
          if (isAside) parts.onEvent(asideSentence({ collection: part.name, unit: failed }))
          if (isAside) continue
        }
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }

  return {
    aside: () => listed('quarantined'),
    run: async () => {
      const aside = new Set((await listed('quarantined')).map(({ collection }) => collection))
      const active = collections.filter(({ name }) => !aside.has(name))
      const open = [...(await listed('working')), ...(await listed('waiting'))]
      const own = active.flatMap((part) => part.queries)
      const { cursor = null } = (await store.sources.find(brand, source)) ?? {}
      const whole = positionOf('all collections', own, cursor ?? '')
      await endOthers(new Set([whole, ...collections.map(({ position }) => position)]))
      const isRetried = open.every(({ unit }) => unit.writtenTo !== null)
      const [only] = active
      if (active.length > 1 && isRetried) {
        if (await runWhole({ name: '', position: whole, queries: own })) {
          for (const { unit } of open) await units.finish(unit, 'done')
          return
        }
      }
      if (only) await runEach(active)
    },
  }
}

const hasChanged = ({ collections }: UnitResult): boolean =>
  collections.some(({ added, changed, removed }) => added + changed + removed > 0)

const otherQueries =
  'Its mapping or its cursor has changed since. Later rounds read what it has not stored.'

/** Which collection is set aside, why, and how it is read again. */
export const asideSentence = ({ collection, unit }: SetAside): string => {
  const reason = (unit.lastError ?? '').replace(/\.$/, '')
  return `${collection} is set aside after ${unit.attempts} attempts, and the other collections are read: ${reason}. To read it again: selvedge intake retry ${unit.id}`
}

/** Changes with the queries and their mapping, so that a corrected one has all its attempts. */
const positionOf = (name: string, queries: readonly SyncQuery[], cursor: string): string => {
  const text = JSON.stringify([queries.map(({ digest }) => digest), cursor])
  return `${name} ${hash('sha256', text, 'hex').slice(0, 16)}`
}
