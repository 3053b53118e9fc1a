import type { Resource } from '#contract'
import type { Dialect, Query, Row } from '#database'
import { type FieldValues, readFieldValues } from '../schema/field-values.ts'
import { ownerOf } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { type Body, noBody } from './body.ts'
import { compileCollectionState } from './collection-state.ts'
import { afterNumber, type FeedPosition } from './feed.ts'
import { compileNewestChange } from './feed-query.ts'
import { compileList, type ListRequest, planList, readKey } from './list.ts'
import { bind } from './query-template.ts'
import { readText } from './records.ts'

/** Reads whole collections of a brand from one snapshot. */
export interface SnapshotReader {
  state(resource: Resource): Promise<{ readonly version: number; readonly total: number }>
  /** Every record's JSON text in identity order, in batches. */
  bodies(resource: Resource): AsyncIterable<readonly Body[]>
  /** Every record's identity and values, by the paths of fields, in batches. */
  values(
    resource: Resource,
    paths: readonly (readonly string[])[],
  ): AsyncIterable<readonly FieldValues[]>
  /**
   * The position after the last change of the brand's feed in this snapshot; null if the database
   * does not record changes.
   */
  feedPosition(): Promise<FeedPosition | null>
}

/** Records per batch: enough to make a query's fixed cost negligible. */
const batchRecords = 2_000
/** Maximum bytes of a batch: it ends before the record that would exceed them (8 MB). */
export const batchBytesMax = 8_388_608

export interface SnapshotReaderParts {
  /** Runs a query against the snapshot. */
  readonly all: (query: Query) => Promise<readonly Row[]>
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly brand: string
}

export const createSnapshotReader = (parts: SnapshotReaderParts): SnapshotReader => {
  const { all, dialect, tables, brand } = parts
  return {
    state: async (resource) => {
      const [row] = await all(compileCollectionState(ownerOf(resource, brand), resource.path))
      return { version: Number(row?.[0] ?? 0), total: Number(row?.[1] ?? 0) }
    },
    feedPosition: async () => {
      const [row] = await all(compileNewestChange(brand))
      const newest = row?.[0] ?? null
      return newest === null ? null : afterNumber(Number(newest))
    },
    values: (resource, paths) => {
      const table = tableAt(tables, resource.path)
      return readFieldValues({ all, dialect, table, owner: ownerOf(resource, brand) }, paths)
    },
    async *bodies(resource) {
      const owner = ownerOf(resource, brand)
      const first = { resource, brand, filters: new Map(), limit: batchRecords, include: [] }
      for (let after: Key | null = null; ; ) {
        const request: ListRequest = { ...first, after }
        const plan = planList(request, tables)
        const { table } = plan
        const rows = await all(bind(compileList(plan, dialect), request))
        const page = rows.slice(0, batchRecords)
        let batch: Body[] = []
        let bytes = 0
        for (const row of page) {
          const body =
            (row[table.key.length] as Body | null) ??
            (await readText({ all }, dialect, table, owner, readKey(row, table))) ??
            noBody
          if (batch.length > 0 && bytes + body.length > batchBytesMax) {
            yield batch
            batch = []
            bytes = 0
          }
          batch.push(body)
          bytes += body.length
        }
        if (batch.length > 0) yield batch
        const last = page.at(-1)
        if (rows.length <= batchRecords || !last) return
        after = readKey(last, table)
      }
    },
  }
}
