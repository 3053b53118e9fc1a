/**
 * Two brands with the same records under the same ids, told apart by a canary in every free text,
 * and a third whose records point at theirs. No response to one brand may contain another's bytes.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  basePath,
  catalog,
  type Field,
  type Fields,
  type JsonValue,
  type Operation,
  patterns,
  type Resource,
  relationsOf,
} from '#contract'
import { type DemoRecord, openStory } from '#demo'
import type { Images } from '#images'
import { type Store, sharedOwner } from '#store'
import { inOrder, valueAt } from './model.ts'

export const brands = ['aldermoor', 'birkholm', 'corvane'] as const
export type Brand = (typeof brands)[number]

/** Brands that hold the same ids. */
export const twins = ['aldermoor', 'birkholm'] as const
export const otherOf = { aldermoor: 'birkholm', birkholm: 'aldermoor' } as const

export const canaries: Record<Brand, string> = {
  aldermoor: '⟦canary-a⟧',
  birkholm: '⟦canary-b⟧',
  corvane: '⟦canary-c⟧',
}
/** Times carry a canary too, for the records that have no text. */
const millis: Record<Brand, string> = { aldermoor: '.111Z', birkholm: '.222Z', corvane: '.333Z' }

export const { records: story, shared } = await openStory()

export const brandResources = catalog.resources.filter(({ scope }) => scope === 'brand')

const uuidOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

/** The id of the records of a collection that one brand alone has. */
export const ownId = (brand: Brand, path: string, index = 0): string => {
  if (path === 'brand') return brandId(brand)
  return uuidOf(`${brand} ${path}${index === 0 ? '' : ` ${index}`}`)
}

/** An id that a brand's own record would have in a collection that all share. */
export const strayId = (brand: Brand, path: string): string =>
  catalog.byPath.get(path)?.idPattern === patterns.country
    ? `A${brand[0]?.toUpperCase()}`
    : ownId(brand, path)

const brandId = (brand: Brand): string =>
  brand === 'corvane' ? uuidOf('the brand corvane') : String(story['brand']?.[0]?.['id'])

/** Fields whose text means something to a machine, and so is left as it is. */
const meaningful = new Set(['slug', 'mimeType', 'sha256'])

/** A record with the brand's canary wherever it may be. */
export const mark = (fields: Fields, record: DemoRecord, brand: Brand): DemoRecord =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      meaningful.has(name) ? (record[name] ?? null) : markValue(field, record[name] ?? null, brand),
    ]),
  )

const markValue = (field: Field, value: JsonValue, brand: Brand): JsonValue => {
  const canary = canaries[brand]
  const isFree = field.kind === 'text' && !field.values && !field.code
  if (isFree) return `${value ?? ''}${canary}`
  if (field.kind === 'texts') return [...((value ?? []) as string[]), canary]
  if (field.kind === 'any') return [value, { [canary]: canary }]
  if (value === null) return null
  if (field.kind === 'timestamp') return String(value).replace(/\.\d{3}Z$/, millis[brand])
  if (field.kind === 'object') return mark(field.fields ?? {}, value as DemoRecord, brand)
  if (field.kind === 'objects') {
    return (value as DemoRecord[]).map((each) => mark(field.fields ?? {}, each, brand))
  }
  return value
}

/** What of another brand's must not be found in an answer to this one. */
export const tracesOf = (other: Brand): readonly string[] => [
  canaries[other],
  encodeURIComponent(canaries[other]),
  millis[other],
  `"${other}"`,
]

/** Looks through every byte of an answer for what is of others. */
export const assertNothingIn = (bytes: string, others: readonly Brand[], where: string): void => {
  for (const other of others) {
    for (const trace of tracesOf(other)) {
      assert.ok(!bytes.includes(trace), `${where} shows ${trace}: ${bytes.slice(0, 500)}`)
    }
  }
}

/** A record like the first of the story's, with an identity and references of its own. */
const ownRecord = (
  resource: Resource,
  keyOf: Brand,
  pointsAt: Brand,
  index: number,
): DemoRecord => {
  const [first = {}] = story[resource.path] ?? []
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const { kind, to = '' } = resource.fields[name] ?? {}
      const isShared = catalog.byPath.get(to)?.scope === 'shared'
      if (kind === 'id') return [name, ownId(keyOf, resource.path, index)]
      if (kind === 'ref' && !isShared) return [name, ownId(pointsAt, to, index)]
      if (kind === 'ref' && keyOf !== pointsAt) return [name, strayId(pointsAt, to)]
      return [name, value]
    }),
  )
}

/** An id of the collection that all brands, or the first two, have. */
export const commonId = ({ resource }: Operation): string => {
  const [first] = story[resource.path] ?? shared[resource.path] ?? []
  return String(first?.[resource.key[0] ?? 'id'])
}

export const pathOf = ({ path }: Operation, brand: string, id = ''): string =>
  basePath + path.replace('{brand}', brand).replace('{id}', id)

/** A filter, and what only a brand has that it could be found by; none where all have the same. */
export const ownFilterValues = (
  brand: Brand,
  resource: Resource,
  record: DemoRecord | undefined,
  index = 0,
): readonly (readonly [name: string, value: string])[] =>
  resource.filters.flatMap(({ name, kind, field, through }) => {
    const to = through
      ? catalog.byPath.get(through.collection)?.fields[through.where]?.to
      : resource.fields[field ?? '']?.to
    const isShared = catalog.byPath.get(to ?? '')?.scope !== 'brand'
    let value = record ? valueAt(record, field ?? '') : null
    if (kind === 'identifier' && to !== undefined) value = isShared ? null : ownId(brand, to, index)
    const isOwn = kind === 'identifier' ? value !== null : String(value).includes(canaries[brand])
    return isOwn ? [[name, String(value)] as const] : []
  })

/** The records of the three brands, in memory. */
export interface BrandsModel {
  /** Those of a collection that a brand has itself; the last are its own alone. */
  recordsOf(brand: Brand, resource: Resource): readonly DemoRecord[]
  /** What a brand's list of a collection holds, in its order. */
  expected(brand: Brand, resource: Resource): readonly DemoRecord[]
  /** The record as it is served with all its relations included. */
  withIncluded(brand: Brand, resource: Resource, record: DemoRecord): DemoRecord
}

/** The model in which each brand has so many records of its own in each collection. */
export const openBrandsModel = (own = 1): BrandsModel => {
  const make = (brand: Brand, resource: Resource): readonly DemoRecord[] => {
    const { path, fields } = resource
    if (path === 'brand') {
      return (story['brand'] ?? []).map((record) => ({
        ...mark(fields, { ...record, id: brandId(brand) }, brand),
        slug: brand,
      }))
    }
    const others = Array.from({ length: own }, (_, index) =>
      ownRecord(resource, brand, brand, index),
    )
    // The third brand's first record has an id of the first's, and points at records of the second's.
    const records =
      brand === 'corvane'
        ? [ownRecord(resource, 'aldermoor', 'birkholm', 0), ...others.slice(1)]
        : [...(story[path] ?? []), ...others]
    return records.map((record) => mark(fields, record, brand))
  }
  const held = new Map<string, readonly DemoRecord[]>(
    brands.flatMap((brand) =>
      brandResources.map(
        (resource) => [`${brand} ${resource.path}`, make(brand, resource)] as const,
      ),
    ),
  )
  const ordered = new Map<string, readonly DemoRecord[]>()
  const byKey = new Map<string, Map<string, DemoRecord>>()

  const expected = (brand: Brand, resource: Resource): readonly DemoRecord[] => {
    const name = `${brand} ${resource.path}`
    const cached = ordered.get(name)
    if (cached) return cached
    const sorted = inOrder(resource.key, held.get(name) ?? shared[resource.path] ?? [])
    ordered.set(name, sorted)
    return sorted
  }
  const find = (brand: Brand, path: string, key: JsonValue): DemoRecord | undefined => {
    const target = catalog.byPath.get(path)
    if (!target || typeof key !== 'string') return undefined
    const name = `${brand} ${path}`
    const records = byKey.get(name) ?? new Map()
    if (records.size === 0) {
      for (const each of expected(brand, target)) {
        records.set(String(each[target.key[0] ?? '']), each)
      }
      byKey.set(name, records)
    }
    return records.get(key)
  }
  return {
    recordsOf: (brand, { path }) => held.get(`${brand} ${path}`) ?? [],
    expected,
    withIncluded: (brand, resource, record) => ({
      ...record,
      ...Object.fromEntries(
        relationsOf(resource).map(({ name, field, to }) => [
          name,
          find(brand, to, record[field] ?? null) ?? null,
        ]),
      ),
    }),
  }
}

/** The picture that a brand has under the id of an image. */
export const pictureOf = (brand: Brand): string => `the picture of ${canaries[brand]}`

/** Writes the three brands' records, and their pictures where there is a place for them. */
export const writeBrands = async (
  model: BrandsModel,
  { store, images }: { readonly store: Store; readonly images?: Images },
): Promise<void> => {
  const write = (owner: string, records: (resource: Resource) => readonly DemoRecord[]) =>
    store.write(owner, async (writer) => {
      for (const resource of catalog.resources) {
        const own = records(resource)
        if (own.length === 0) continue
        await writer.stage(resource, own)
        await writer.merge(resource)
      }
    })
  await write(sharedOwner, ({ path }) => shared[path] ?? [])
  for (const brand of brands) {
    await write(brand, (resource) => model.recordsOf(brand, resource))
    const pictures = catalog.byPath.get('images')
    for (const image of images && pictures ? model.recordsOf(brand, pictures) : []) {
      const [id, mimeType, fileName] = ['id', 'mimeType', 'fileName'].map((name) => image[name])
      await images?.put(
        { brand, id: String(id), mimeType: String(mimeType), fileName: String(fileName) },
        Buffer.from(pictureOf(brand)),
      )
    }
  }
}
