import { type Catalog, type JsonValue, type Resource, resourceAt, valueAt } from '#contract'
import {
  type BrandValues,
  type ContextNeeds,
  contextNeeds,
  createLookupBuilder,
  type LookupBuilder,
  LookupLimitError,
  type LookupTable,
  type LookupUse,
  lookupName,
  type MappingContext,
  needsContext,
  noContext,
  withFields,
} from '#mapping'
import { type FieldValues, type Store, sharedOwner } from '#store'
import { mappedRowsOf } from './mapped-rows.ts'
import { SourceError, type SourceRows } from './row.ts'
import type { Source } from './source.ts'

/** Stored records: those that a `Writer` sees in its transaction, or those of a snapshot. */
export interface StoredValues {
  values(
    resource: Resource,
    paths: readonly (readonly string[])[],
  ): AsyncIterable<readonly FieldValues[]>
  /** Another one if records of the collection have changed. */
  version(resource: Resource): Promise<string>
  /** Holds tables of stored records for as long as their version stays. */
  readonly cache?: TableCache
}

/** Tables of stored records with their versions, those that were used last at the end. */
type TableCache = Map<string, { readonly version: string; readonly table: StoredTable }>

type StoredTable = LookupBuilder['table']

export interface ContextParts {
  readonly catalog: Catalog
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** Sources of the same import that are not stored yet. Their records replace stored ones. */
  readonly sources: readonly Source[]
}

/** Reads what mappings take from the records of their brand. Throws a `SourceError`. */
export const readContext = async (
  needs: ContextNeeds,
  parts: ContextParts,
  stored: StoredValues,
): Promise<MappingContext> => {
  if (!needsContext(needs)) return noContext
  const { lookups } = needs
  const brand = needs.brand && (await readBrand(needs.brand, parts, stored))
  const tables = new Map<string, LookupTable>()
  const versions: string[] = []
  for (const lookup of lookups) {
    const { table, version } = await readLookup(lookup, parts, stored)
    tables.set(lookupName(lookup), table)
    versions.push(version)
  }
  return { brand, lookups: tables, version: versions.join(', ') }
}

/** The same of a store that others may write to. Keeps tables for the next time. */
export const readStoredContext = async (
  needs: ContextNeeds,
  parts: ContextParts,
  store: Pick<Store, 'snapshot'>,
): Promise<MappingContext> =>
  needsContext(needs)
    ? store.snapshot(parts.owner, (reader) => {
        const version = async (of: Resource) => String((await reader.state(of)).version)
        const cache = tableCaches.get(store) ?? new Map()
        tableCaches.set(store, cache)
        return readContext(needs, parts, { values: reader.values, version, cache })
      })
    : noContext

const tableCaches = new WeakMap<object, TableCache>()

/** Texts in the tables of a cache, of all brands. */
const cachedTextsMax = 500_000

/** The version of a context, without its tables. */
export const contextVersion = async (
  { lookups }: ContextNeeds,
  { catalog, sources }: Pick<ContextParts, 'catalog' | 'sources'>,
  stored: Pick<StoredValues, 'version'>,
): Promise<string> => {
  const versions: string[] = []
  for (const { collection } of lookups) {
    const resource = resourceAt(catalog, collection)
    const hasOwn = sources.some((source) => source.resource.path === collection)
    versions.push(versionOf(collection, await stored.version(resource), hasOwn))
  }
  return versions.join(', ')
}

const versionOf = (collection: string, stored: string, hasOwn: boolean): string =>
  `${collection} ${stored}${hasOwn ? '+' : ''}`

/** The fields of a brand's record that mappings can use. */
const brandNames: { readonly [property in keyof BrandValues]: string } = {
  id: 'id',
  slug: 'slug',
  name: 'name',
  currency: 'baseCurrencyCode',
  country: 'countryCode',
  timezone: 'timezone',
}

const readBrand = async (
  { file, line, isOptional }: NonNullable<ContextNeeds['brand']>,
  parts: ContextParts,
  stored: StoredValues,
): Promise<BrandValues | null> => {
  const { catalog, owner } = parts
  if (owner === sharedOwner) {
    if (isOptional) return null
    throw new SourceError(
      `${file}:${line} uses a value of the brand, and these records are shared by all brands: give it as a value`,
    )
  }
  const resource = resourceAt(catalog, 'brand')
  const names = Object.values(brandNames)
  let values: OwnRecord['values'] = null
  for await (const batch of stored.values(resource, pathsOf(names))) {
    values = batch[0]?.values ?? null
  }
  for await (const own of ownRecords(resource, names, parts, stored)) values = own.values ?? values
  if (!values) {
    if (isOptional) return null
    throw new SourceError(
      `${file}:${line} uses a value of the brand ${owner}, which does not exist yet: add it with selvedge brands add ${owner}, or import its record first`,
    )
  }
  const texts: readonly (string | null)[] = values
  const entries = Object.keys(brandNames).map((property, index) => [property, texts[index] ?? ''])
  return Object.fromEntries(entries) as BrandValues
}

const pathsOf = (names: readonly string[]): readonly (readonly string[])[] =>
  names.map((name) => name.split('.'))

const readLookup = async (
  lookup: LookupUse,
  parts: ContextParts,
  stored: StoredValues,
): Promise<{ readonly table: LookupTable; readonly version: string }> => {
  const { collection, fields } = lookup
  const resource = resourceAt(parts.catalog, collection)
  const version = await stored.version(resource)
  const own = createLookupBuilder(lookup)
  const addStored = async (builder: LookupBuilder) => {
    for await (const batch of stored.values(resource, pathsOf(fields))) {
      for (const { key, values } of batch) builder.add(key[0] as string, values)
    }
    return builder.table
  }
  try {
    for await (const { id, values } of ownRecords(resource, fields, parts, stored)) {
      if (values) own.add(id, values)
      else own.remove(id)
    }
    const hasOwn = own.ids.size > 0
    const named = { version: versionOf(collection, version, hasOwn) }
    const { cache } = stored
    if (!cache) return { ...named, table: await addStored(own) }
    const name = `${parts.owner} ${lookupName(lookup)}`
    const cached = cache.get(name)
    const isCurrent = cached?.version === version
    const table = isCurrent ? cached.table : await addStored(createLookupBuilder(lookup))
    cacheTable(cache, name, { version, table })
    return { ...named, table: hasOwn ? layered(own, table) : table }
  } catch (error) {
    throw error instanceof LookupLimitError ? new SourceError(error.message) : error
  }
}

const cacheTable = (
  cache: TableCache,
  name: string,
  table: { readonly version: string; readonly table: StoredTable },
): void => {
  cache.delete(name)
  cache.set(name, table)
  let texts = 0
  for (const [each, { table }] of [...cache].reverse()) {
    texts += table.size
    if (texts > cachedTextsMax && each !== name) cache.delete(each)
  }
}

/** Records of an import before stored ones, without those that it replaces. */
export const layered = (own: LookupBuilder, stored: LookupTable): LookupTable => ({
  get: (folded) => [
    ...(own.table.get(folded) ?? []),
    ...(stored.get(folded) ?? []).filter(([, id]) => !own.ids.has(id)),
  ],
})

/** A record that a source has or removes. */
export interface OwnRecord {
  readonly id: string
  /** Null if it is removed. */
  readonly values: readonly (string | null)[] | null
}

/** The records of a collection that the sources have. Rows with problems are none. */
async function* ownRecords(
  resource: Resource,
  names: readonly string[],
  parts: ContextParts,
  stored: StoredValues,
): AsyncIterable<OwnRecord> {
  for (const source of parts.sources) {
    if (source.resource.path !== resource.path) continue
    yield* recordsIn(await identifiedRows(source, names, parts, stored), names)
  }
}

/** The identities of mapped rows, with the values of some fields. */
export async function* recordsIn(
  batches: AsyncIterable<SourceRows> | readonly SourceRows[],
  names: readonly string[],
): AsyncIterable<OwnRecord> {
  const paths = pathsOf(names)
  for await (const { rows } of batches) {
    for (const row of rows) {
      if ('removal' in row) yield { id: row.removal[0] as string, values: null }
      if (!('json' in row)) continue
      const record = JSON.parse(row.json) as JsonValue
      const values = paths.map((path) => {
        const value = valueAt(record, path)
        return value === null ? null : String(value)
      })
      yield { id: String(valueAt(record, ['id'])), values }
    }
  }
}

/** The rows of a source, with the key and some fields alone where they are not mapped yet. */
const identifiedRows = async (
  source: Source,
  names: readonly string[],
  parts: ContextParts,
  stored: StoredValues,
): Promise<AsyncIterable<SourceRows> | readonly SourceRows[]> => {
  const { input, resource, mapping } = source
  if (input.kind === 'rows' || !mapping) return mappedRowsOf(source, parts.owner)
  if (input.kind === 'stream') {
    throw new SourceError(
      `${source.name} can be read only once, and ${mapping.file} looks up its own records of ${resource.path}: import a file`,
    )
  }
  const own = withFields(mapping, [...resource.key, ...names])
  const context = await readContext(contextNeeds([own]), { ...parts, sources: [] }, stored)
  return mappedRowsOf({ ...source, mapping: own, context, observer: undefined }, parts.owner)
}
