import { type Catalog, resourceAt } from '#contract'
import { layered, readStoredContext, recordsIn, SourceError } from '#ingest'
import {
  type ContextNeeds,
  contextNeeds,
  createLookupBuilder,
  type FoundRecord,
  type LookupBuilder,
  LookupLimitError,
  type LookupTable,
  type LookupUse,
  lookupName,
  type Mapping,
  type MappingContext,
  needsContext,
  noContext,
  withFields,
} from '#mapping'
import type { Store } from '#store'
import type { BatchSources } from './read-items.ts'

/*
 * Batches are prepared without a database. A batch whose mapping uses records of its brand asks for
 * those that its rows name: they are few, and quickly sent to a thread.
 */

/** What the rows of a batch need of stored records. */
export interface ContextQuestion {
  readonly needs: ContextNeeds
  /** Texts without upper case, by `lookupName`. */
  readonly texts: ReadonlyMap<string, readonly string[]>
}

/** All of it can be posted to a thread. */
export interface ContextAnswer extends Pick<MappingContext, 'brand'> {
  readonly records: ReadonlyMap<string, ReadonlyMap<string, readonly FoundRecord[]>>
}

/** Throws a `DeferredError` if batches before this one are not stored yet. */
export type AskContext = (question: ContextQuestion) => Promise<ContextAnswer>

/** For batches whose mappings use no records. */
export const refuseContext: AskContext = async () => {
  throw new Error('The batch needs records, which its caller cannot read.')
}

/** The batch has to wait until those before it are stored. */
export class DeferredError extends Error {}

/** Answers from the stored records of a brand. Throws a `SourceError`. */
export const answerQuestion = async (
  { needs, texts }: ContextQuestion,
  { brand }: { readonly brand: string },
  store: Pick<Store, 'snapshot' | 'catalog'>,
): Promise<ContextAnswer> => {
  const parts = { catalog: store.catalog, owner: brand, sources: [] }
  const context = await readStoredContext(needs, parts, store)
  const records = [...texts].map(([name, wanted]) => {
    const table = context.lookups.get(name)
    const entries = wanted.flatMap((text) => {
      const own = table?.get(text)
      return own ? [[text, own] as const] : []
    })
    return [name, new Map(entries)] as const
  })
  return { brand: context.brand, records: new Map(records) }
}

export interface BatchContextParts {
  readonly catalog: Catalog
  readonly mapping: Mapping
  /** Reads the rows of the batch by a mapping. */
  readonly read: (mapping: Mapping, context: MappingContext) => BatchSources
  readonly rowsOf: (source: BatchSources['sources'][number]) => Parameters<typeof recordsIn>[0]
  readonly ask: AskContext
}

/** What the mapping of a batch takes from the brand's records and from those of the batch. */
export const readBatchContext = async (parts: BatchContextParts): Promise<MappingContext> => {
  const { mapping, ask, read, rowsOf } = parts
  const needs = contextNeeds(mapping.collections.filter(({ from }) => from.rows || from.given))
  if (!needsContext(needs)) return noContext
  const none: ContextQuestion['texts'] = new Map()
  const { brand } = await ask({ needs: { ...needs, lookups: [] }, texts: none })
  if (needs.lookups.length === 0) return { ...noContext, brand }
  const textSets = new Map(needs.lookups.map((lookup) => [lookupName(lookup), new Set<string>()]))
  const collecting = new Map(
    [...textSets].map(([name, texts]): [string, LookupTable] => {
      const get = (text: string) => void texts.add(text)
      return [name, { get }]
    }),
  )
  const own = await ownTables(parts, needs.lookups, { ...noContext, brand, lookups: collecting })
  for (const source of read(mapping, { ...noContext, brand, lookups: collecting }).sources) {
    for await (const _ of rowsOf(source));
  }
  const lookups = new Map<string, LookupTable>()
  for (const lookup of needs.lookups) {
    const name = lookupName(lookup)
    const stored = await askFor(lookup, [...(textSets.get(name) ?? [])], ask)
    const builder = own.get(name)
    lookups.set(name, builder && builder.ids.size > 0 ? layered(builder, stored) : stored)
  }
  return { ...noContext, brand, lookups }
}

/** Texts of one question: a server that answers one with more would keep others waiting. */
export const textsMax = 2_000

const askFor = async (
  lookup: LookupUse,
  texts: readonly string[],
  ask: AskContext,
): Promise<ReadonlyMap<string, readonly FoundRecord[]>> => {
  const name = lookupName(lookup)
  const stored = new Map<string, readonly FoundRecord[]>()
  for (let at = 0; at < texts.length; at += textsMax) {
    const part = new Map([[name, texts.slice(at, at + textsMax)]])
    const { records } = await ask({ needs: { brand: null, lookups: [lookup] }, texts: part })
    for (const [text, named] of records.get(name) ?? []) stored.set(text, named)
  }
  return stored
}

/** The records of the batch itself that are looked up. */
const ownTables = async (
  { catalog, mapping, read, rowsOf }: BatchContextParts,
  lookups: readonly LookupUse[],
  context: MappingContext,
): Promise<ReadonlyMap<string, LookupBuilder>> => {
  const tables = new Map<string, LookupBuilder>()
  for (const lookup of lookups) {
    const { collection, fields } = lookup
    const builder = createLookupBuilder(lookup)
    tables.set(lookupName(lookup), builder)
    const { key } = resourceAt(catalog, collection)
    const collections = mapping.collections.map((each) =>
      each.collection === collection ? withFields(each, [...key, ...fields]) : each,
    )
    for (const source of read({ ...mapping, collections }, context).sources) {
      if (source.resource.path !== collection) continue
      await addRecords(builder, recordsIn(rowsOf(source), fields))
    }
  }
  return tables
}

const addRecords = async (
  builder: LookupBuilder,
  records: ReturnType<typeof recordsIn>,
): Promise<void> => {
  try {
    for await (const { id, values } of records) {
      if (values) builder.add(id, values)
      else builder.remove(id)
    }
  } catch (error) {
    throw error instanceof LookupLimitError ? new SourceError(error.message) : error
  }
}
