/**
 * Two brands with the same records under the same ids, told apart by a canary in every free text,
 * and a third whose records point at theirs.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  catalog,
  type Field,
  type Fields,
  type JsonValue,
  type Resource,
  relationsOf,
} from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { sharedOwner } from '#store'
import type { TestService } from './service.ts'

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
export const millis: Record<Brand, string> = {
  aldermoor: '.111Z',
  birkholm: '.222Z',
  corvane: '.333Z',
}

export const { records: story, shared } = await openStory()

const uuidOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

/** The id of the record of a collection that one brand alone has. */
export const ownId = (brand: Brand, path: string): string =>
  path === 'brand' ? brandId(brand) : uuidOf(`${brand} ${path}`)

const brandId = (brand: Brand): string =>
  brand === 'corvane' ? uuidOf('the brand corvane') : String(story['brand']?.[0]?.['id'])

/** Fields whose text means something to a machine, and so is left as it is. */
const meaningful = new Set(['slug', 'mimeType', 'sha256'])

const mark = (fields: Fields, record: DemoRecord, brand: Brand): DemoRecord =>
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

/** A record like the first of the story's, with an identity and references of its own. */
const ownRecord = (resource: Resource, keyOf: Brand, pointsAt: Brand): DemoRecord => {
  const [first = {}] = story[resource.path] ?? []
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const { kind, to = '' } = resource.fields[name] ?? {}
      const isShared = catalog.byPath.get(to)?.scope === 'shared'
      if (kind === 'id') return [name, ownId(keyOf, resource.path)]
      if (kind === 'ref' && !isShared) return [name, ownId(pointsAt, to)]
      return [name, value]
    }),
  )
}

export const recordsOf = (brand: Brand, resource: Resource): readonly DemoRecord[] => {
  const { path, fields } = resource
  if (path === 'brand') {
    return (story['brand'] ?? []).map((record) => ({
      ...mark(fields, { ...record, id: brandId(brand) }, brand),
      slug: brand,
    }))
  }
  // The third brand's records have ids of the first's, and point at records of the second's.
  const own =
    brand === 'corvane'
      ? [ownRecord(resource, 'aldermoor', 'birkholm')]
      : [...(story[path] ?? []), ownRecord(resource, brand, brand)]
  return own.map((record) => mark(fields, record, brand))
}

export const brandResources = catalog.resources.filter(({ scope }) => scope === 'brand')

export const model = new Map<string, readonly DemoRecord[]>(
  brands.flatMap((brand) =>
    brandResources.map((resource) => [`${brand} ${resource.path}`, recordsOf(brand, resource)]),
  ),
)

/** What a brand's list of a collection holds, in its order. */
export const expected = (brand: Brand, resource: Resource): readonly DemoRecord[] => {
  const held = model.get(`${brand} ${resource.path}`) ?? shared[resource.path] ?? []
  const keyOf = (record: DemoRecord) => resource.key.map((name) => String(record[name]))
  return [...held].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    const place = left.findIndex((value, index) => value !== right[index])
    return place !== -1 && (left[place] ?? '') < (right[place] ?? '') ? -1 : 1
  })
}

export const withIncluded = (brand: Brand, resource: Resource, record: DemoRecord): DemoRecord => ({
  ...record,
  ...Object.fromEntries(
    relationsOf(resource).map(({ name, field, to }) => {
      const target = catalog.byPath.get(to)
      const found = target
        ? expected(brand, target).find((each) => each[target.key[0] ?? ''] === record[field])
        : undefined
      return [name, found ?? null]
    }),
  ),
})

/** Writes the records of all brands, and those that they share. */
export const fillBrands = async (service: TestService): Promise<void> => {
  await service.write(sharedOwner, shared)
  for (const brand of brands) {
    await service.write(
      brand,
      Object.fromEntries(
        brandResources.map(({ path }) => [path, model.get(`${brand} ${path}`) ?? []]),
      ),
    )
  }
}

/** Holds that there is nothing of other brands in what one of them is shown. */
export const assertNothingIn = (bytes: string, others: readonly Brand[], where: string): void => {
  for (const other of others) {
    const encoded = encodeURIComponent(canaries[other])
    for (const trace of [canaries[other], encoded, millis[other], `"${other}"`]) {
      assert.ok(!bytes.includes(trace), `${where} shows ${trace}: ${bytes.slice(0, 500)}`)
    }
  }
}
