import { type GroupScope, wholeScope } from '#contract'
import { type Database, DatabaseError, type IsCancelled, type Steps } from '#database'
import { type Body, concatBodies, noBody } from '../read/body.ts'
import { readKey } from '../read/list.ts'
import { compileByKeys, measureRecords, readText } from '../read/records.ts'
import { nextSize } from '../read/resumable-scan.ts'
import { readStates } from '../read/state.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import { type Table, tableAt } from '../schema/tables.ts'
import { type Driver, keysDriver } from './access.ts'
import { createPageFinder } from './found-page.ts'
import { projectRecords } from './projection.ts'
import { planQuery, type QueryPlan, searchBy } from './query-plan.ts'
import {
  countInSteps,
  findInSteps,
  findSmallest,
  keptMax,
  newScan,
  selectInSteps,
} from './query-scan.ts'
import type { Position, Selection, Sort } from './request.ts'
import { comparePositions, readPosition } from './sort-order.ts'
import { compilePage, gatheredPage, type Search, walkedPage } from './statements.ts'

/** A request for all records of a list, for a file. */
export interface DownloadRequest extends Selection {
  /** Null for identity order. */
  readonly sort: Sort | null
  /** Only these fields of each record; null for all. */
  readonly fields: readonly string[] | null
  /** Nothing is read of records of other groups; all groups by default. */
  readonly scope?: GroupScope | undefined
  /** Time limit of the whole download, including the processing of its records. */
  readonly timeMs: number
  readonly isCancelled: IsCancelled
  /** Called when the database ends the download, because of what was written since its snapshot. */
  readonly onEnded?: () => void
}

/** The records of a download, all from one snapshot. */
export interface Download {
  readonly total: number
  /** The records' JSON texts in list order, in batches of a few milliseconds of work each. */
  bodies(): AsyncGenerator<readonly Body[]>
  /** The texts of fields of a group's records by id, null where a record has none. */
  values(
    group: string,
    ids: readonly string[],
    fields: readonly string[],
  ): Promise<ReadonlyMap<string, readonly (string | null)[]>>
}

export interface DownloadParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** One statement finds and sorts lists of at most this many records. */
const gatheredMax = 1_000
/** Rows per statement: the short texts of 500 records are at most 8 MB. */
const pageBounds = { min: 50, max: 500 }
/** Rows per statement if their identities are found first. */
const keysMax = 100
/** Records that one pass over a list selects, in an order that no index has. */
const selectedMax = 5_000
/** Batch size: parsing and encoding it takes a few milliseconds. */
const batchBytes = 131_072

/** The count of a list, taken before its records are read. */
interface Counted {
  readonly total: number
  /** The positions of all its records; null if the list is walked instead. */
  readonly positions: readonly Position[] | null
}

/**
 * Reads whole lists, each from one snapshot, on a reader thread or a dedicated connection. Holds
 * only a few records in memory and reads more as the consumer pulls.
 */
export const createDownloads = ({ database, tables }: DownloadParts) => {
  const { dialect } = database
  const { readPositions } = createPageFinder({ database, tables })

  const gather = async (steps: Steps, plan: QueryPlan, driver: Driver): Promise<Counted> => {
    const range = { order: plan.order, after: null, take: gatheredMax }
    const page = gatheredPage(searchBy(plan.conditions, driver), range)
    const positions = await readPositions(steps, plan, page)
    return { total: positions.length, positions }
  }

  const count = async (
    steps: Steps,
    plan: QueryPlan,
    request: DownloadRequest,
  ): Promise<Counted> => {
    const { target, conditions } = plan
    if (request.ids) return gather(steps, plan, keysDriver(request.ids))
    if (conditions.length === 0 && plan.walk) {
      const { total } = await readStates(steps, plan.dependencies, request)
      return { total, positions: null }
    }
    const { driver, size } = await findSmallest(steps, plan, gatheredMax + 1)
    if (size <= gatheredMax) return gather(steps, plan, driver)
    const progress = newScan()
    await countInSteps(steps, target, searchBy(conditions, driver), progress)
    return progress.counted <= keptMax
      ? gather(steps, plan, keysDriver(progress.matches.map(({ key }) => key)))
      : { total: progress.counted, positions: null }
  }

  /** Reads the texts of records by position, in order. */
  const readAt = async (
    steps: Steps,
    { target: { table, brand } }: QueryPlan,
    positions: readonly Position[],
  ): Promise<readonly Body[]> => {
    const owner = ownerOf(table.resource, brand)
    const keys = positions.map(({ key }) => key)
    const measured = await measureRecords(steps, dialect, table, owner, keys)
    const texts = new Map(measured.map(({ key, body }) => [JSON.stringify(key), body]))
    const bodies: Body[] = []
    for (const key of keys) {
      const short = texts.get(JSON.stringify(key))
      bodies.push(short ?? (await readText(steps, dialect, table, owner, key)) ?? noBody)
    }
    return bodies
  }

  async function* readKnown(steps: Steps, plan: QueryPlan, positions: readonly Position[]) {
    for (let from = 0; from < positions.length; from += keysMax) {
      yield await readAt(steps, plan, positions.slice(from, from + keysMax))
    }
  }

  /**
   * Walks an index in which every record belongs to the list, and reads the texts in the same
   * statement.
   */
  async function* walkAll(steps: Steps, plan: QueryPlan, walk: Search) {
    const { target, order } = plan
    const { table, brand } = target
    const owner = ownerOf(table.resource, brand)
    const compare = comparePositions(order)
    let take = pageBounds.min
    for (let after: Position | null = null; ; ) {
      const page = walkedPage(walk, { order, after, take }, null)
      const rows = await steps.all(compilePage(target, page, order, []))
      const inOrder = rows
        .map((row) => ({ row, position: readPosition(row, table, order, dialect) }))
        .sort((one, other) => compare(one.position, other.position))
      const bodies: Body[] = []
      for (const { row, position } of inOrder) {
        const short = row[table.key.length + 1] as Body | null
        bodies.push(short ?? (await readText(steps, dialect, table, owner, position.key)) ?? noBody)
      }
      yield bodies
      const last = inOrder.at(-1)
      if (inOrder.length < take || !last) return
      after = last.position
      take = nextSize(take, steps, pageBounds)
    }
  }

  /** Walks an index and tests each record against the other conditions. */
  async function* walkMatching(steps: Steps, plan: QueryPlan, walk: Search) {
    const { target, order } = plan
    let { rows } = newScan()
    for (let after: Position | null = null; ; ) {
      const progress = { ...newScan(), rows }
      await findInSteps(steps, target, walk, { order, after, take: keysMax }, progress)
      const { matches } = progress
      if (matches.length > 0) yield await readAt(steps, plan, matches)
      const last = matches.at(-1)
      if (matches.length < keysMax || !last) return
      after = last
      rows = progress.rows
    }
  }

  /** Selects some records after some, in an order that no index has. */
  async function* readSelected(steps: Steps, plan: QueryPlan) {
    const { target, conditions, order } = plan
    const { driver } = await findSmallest(steps, plan, gatheredMax + 1)
    for (let after: Position | null = null; ; ) {
      const progress = newScan()
      const range = { order, after, take: selectedMax }
      await selectInSteps(steps, target, searchBy(conditions, driver), range, progress)
      const { matches } = progress
      yield* readKnown(steps, plan, matches)
      const last = matches.at(-1)
      if (matches.length < selectedMax || !last) return
      after = last
    }
  }

  return <T>(request: DownloadRequest, work: (download: Download) => Promise<T>): Promise<T> => {
    const { brand, fields, scope = wholeScope, isCancelled, timeMs, onEnded } = request
    const options = { timeMs, hasRoom: true, onEnded }
    const plan = planQuery({ ...request, include: [] }, false, { tables, dialect })
    let hasBegun = false
    const read = async (steps: Steps): Promise<T> => {
      // Reads are retried on another connection if one is lost, but part of the file was already
      // sent.
      if (hasBegun) throw new DatabaseError('The connection was lost while a list was read.')
      const { total, positions } = await count(steps, plan, request)
      const source = () => {
        const { walk } = plan
        if (positions) return readKnown(steps, plan, positions)
        if (!walk) return readSelected(steps, plan)
        return walk.others.length === 0
          ? walkAll(steps, plan, walk)
          : walkMatching(steps, plan, walk)
      }
      hasBegun = true
      return work({
        total,
        bodies: () => inBatches(source(), fields && new Set(fields)),
        values: async (group, ids, shown) => {
          if (!scope.has(group)) return new Map()
          const table = tableAt(tables, group)
          const keys = ids.map((id) => [id])
          const columns = shown.map((field) => dialect.jsonText('t."body"', [field]))
          const owner = ownerOf(table.resource, brand)
          const rows = await steps.all(compileByKeys(table, dialect, owner, keys, columns))
          return new Map(
            rows.map((row) => {
              const [id = ''] = readKey(row, table)
              const texts = row.slice(table.key.length, table.key.length + shown.length)
              return [id, texts.map((text) => (text === null ? null : String(text)))] as const
            }),
          )
        },
      })
    }
    return database.readInSteps(ownerNumber(brand), isCancelled, read, options)
  }
}

/** Splits the texts into batches small enough to encode at once. */
async function* inBatches(
  source: AsyncIterable<readonly Body[]>,
  fields: ReadonlySet<string> | null,
): AsyncGenerator<readonly Body[]> {
  for await (const bodies of source) {
    let batch: Body[] = []
    let bytes = 0
    const projected = fields
      ? (
          await projectRecords(
            bodies.map((body) => [body]),
            fields,
          )
        ).map(concatBodies)
      : bodies
    for (const body of projected) {
      batch.push(body)
      bytes += body.length
      if (bytes < batchBytes) continue
      yield batch
      batch = []
      bytes = 0
    }
    if (batch.length > 0) yield batch
  }
}
