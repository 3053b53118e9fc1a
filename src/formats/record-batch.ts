import { type JsonValue, valueAt } from '#contract'
import type { ReferencedValues, ShownReference, ValuesOf } from './column.ts'

/** Records of a table, few enough to encode at once. */
export interface RecordBatch {
  /** Their JSON texts. */
  readonly bodies: readonly Uint8Array[]
  /** The parsed records. */
  readonly records: readonly JsonValue[]
  readonly valuesOf: ValuesOf
}

/** Reads the texts of fields of a group's records by id. May omit records. */
export type ReadValues = (
  group: string,
  ids: readonly string[],
  fields: readonly string[],
) => Promise<ReadonlyMap<string, readonly (string | null)[]>>

/** Maximum number of cached records per group: a few megabytes at most. */
const keptMax = 20_000

/** Batches without parsing and titles, for formats that need only the JSON texts. */
export async function* plainBatches(
  bodies: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<RecordBatch> {
  for await (const each of bodies) yield { bodies: each, records: [], valuesOf: () => null }
}

/** What is read of the records of a group, and what was read before. */
interface ReadGroup {
  readonly fields: readonly string[]
  readonly values: Map<string, ReferencedValues | null>
}

/** Batches of parsed records, with what a table shows of the records that they refer to. */
export async function* referencedBatches(
  batches: AsyncIterable<readonly Uint8Array[]>,
  references: readonly ShownReference[],
  readValues: ReadValues,
): AsyncGenerator<RecordBatch> {
  const groups = readGroupsOf(references)
  const valuesOf: ValuesOf = (group, id) => groups.get(group)?.values.get(id) ?? null
  for await (const bodies of batches) {
    const records = bodies.map(parse)
    for (const { values } of groups.values()) if (values.size > keptMax) values.clear()
    await readReferenced(groups, references, records, readValues)
    yield { bodies, records, valuesOf }
  }
}

const readGroupsOf = (references: readonly ShownReference[]): ReadonlyMap<string, ReadGroup> => {
  const all = withFurther(references)
  const byGroup = Map.groupBy(all, ({ to }) => to)
  return new Map(
    [...byGroup].map(([to, same]) => {
      const followed = same.flatMap(({ further }) => further.flatMap(({ path }) => path))
      const fields = [...new Set([...same.flatMap(({ fields }) => fields), ...followed])]
      return [to, { fields, values: new Map() }]
    }),
  )
}

const withFurther = (references: readonly ShownReference[]): readonly ShownReference[] =>
  references.flatMap((reference) => [reference, ...withFurther(reference.further)])

/** Reads what the records refer to, then what those refer to. */
const readReferenced = async (
  groups: ReadonlyMap<string, ReadGroup>,
  references: readonly ShownReference[],
  records: readonly JsonValue[],
  readValues: ReadValues,
): Promise<void> => {
  const idsAt = new Map(references.map((reference) => [reference, idsOf(records, reference)]))
  for (const [to, same] of Map.groupBy(references, (reference) => reference.to)) {
    const group = groups.get(to)
    if (!group) continue
    const ids = new Set(same.flatMap((reference) => [...(idsAt.get(reference) ?? [])]))
    const missing = [...ids].filter((id) => !group.values.has(id))
    if (missing.length === 0) continue
    const read = await readValues(to, missing, group.fields)
    for (const id of missing) {
      const texts = read.get(id)
      const values = group.fields.map((field, index) => [field, texts?.[index] ?? null] as const)
      group.values.set(id, texts ? Object.fromEntries(values) : null)
    }
  }
  for (const reference of references) {
    if (reference.further.length === 0) continue
    const targets = [...(idsAt.get(reference) ?? [])].flatMap(
      (id) => groups.get(reference.to)?.values.get(id) ?? [],
    )
    await readReferenced(groups, reference.further, targets as JsonValue[], readValues)
  }
}

const idsOf = (records: readonly JsonValue[], { path }: ShownReference): ReadonlySet<string> =>
  new Set(records.map((record) => valueAt(record, path)).filter((id) => typeof id === 'string'))

const parse = (body: Uint8Array): JsonValue =>
  JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString())
