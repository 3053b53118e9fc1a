import { type JsonValue, valueAt } from '#contract'
import type { TitledReference, TitleOf } from './column.ts'

/** Records of a table, few enough to encode at once. */
export interface RecordBatch {
  /** Their JSON texts. */
  readonly bodies: readonly Uint8Array[]
  /** The parsed records. */
  readonly records: readonly JsonValue[]
  readonly titleOf: TitleOf
}

/** Reads titles of a group's records by id. May omit records without a title. */
export type ReadTitles = (
  group: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** Maximum number of cached titles per group: a few megabytes at most. */
const keptMax = 20_000

/** Batches without parsing and titles, for formats that need only the JSON texts. */
export async function* plainBatches(
  bodies: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<RecordBatch> {
  for await (const each of bodies) yield { bodies: each, records: [], titleOf: () => null }
}

/** Batches of parsed records, with the titles of the records that they refer to. */
export async function* titledBatches(
  batches: AsyncIterable<readonly Uint8Array[]>,
  references: readonly TitledReference[],
  readTitles: ReadTitles,
): AsyncGenerator<RecordBatch> {
  const groups = new Map(references.map(({ to }) => [to, new Map<string, string | null>()]))
  const titleOf: TitleOf = (group, id) => groups.get(group)?.get(id) ?? null
  for await (const bodies of batches) {
    const records = bodies.map(parse)
    for (const [group, titles] of groups) {
      const paths = references.filter(({ to }) => to === group).map(({ path }) => path)
      const ids = new Set(
        records.flatMap((record) => paths.map((path) => valueAt(record, path))),
      ) as Set<unknown>
      if (titles.size > keptMax) titles.clear()
      const missing = [...ids].filter((id) => typeof id === 'string' && !titles.has(id)) as string[]
      if (missing.length === 0) continue
      const read = await readTitles(group, missing)
      for (const id of missing) titles.set(id, read.get(id) ?? null)
    }
    yield { bodies, records, titleOf }
  }
}

const parse = (body: Uint8Array): JsonValue =>
  JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString())
