/**
 * The story's brand with a marker of its group in every free text, and the same brand without the
 * records of some groups. A key that is limited to the others must get the same from both.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rules } from '#check'
import {
  basePath,
  catalog,
  type Field,
  type Fields,
  grids,
  type JsonValue,
  queryBasePath,
  type Resource,
  resourceAt,
} from '#contract'
import { type Database, openQueueDatabase } from '#database'
import { type DemoRecord, openStory } from '#demo'
import { openUnits } from '#intake'
import { readServiceConfig } from '#server'
import { sharedOwner, snapshotOf } from '#store'
import { openTestService, type TestService } from './service.ts'

export const brand = 'aldermoor'
/** The day of all requests: receipts of the days before are short and damaged. Two had snapshots. */
const now = () => Date.parse('2026-05-20T12:00:00.000Z')
const today = '2026-05-20'
export const pastDay = '2026-05-12'
const weekAgo = '2026-05-13'

const { records: story, shared } = await openStory()

/** Texts that mean something to a machine are left as they are. */
const meaningful = new Set(['slug', 'mimeType', 'sha256'])

/** What every record of a group has in its texts. */
export const markerOf = (group: string): string => `⟦${group}⟧`

const mark = (fields: Fields, record: DemoRecord, marker: string): DemoRecord =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = record[name] ?? null
      return [name, meaningful.has(name) ? value : markValue(field, value, marker)]
    }),
  )

const markValue = (field: Field, value: JsonValue, marker: string): JsonValue => {
  const isFree = field.kind === 'text' && !field.values && !field.code
  if (isFree) return value === null && field.nullable ? null : `${value ?? ''}${marker}`
  if (field.kind === 'texts') return [...((value ?? []) as string[]), marker]
  if (field.kind === 'any') return [value, { [marker]: marker }]
  if (value === null) return null
  if (field.kind === 'object') return mark(field.fields ?? {}, value as DemoRecord, marker)
  if (field.kind === 'objects') {
    return (value as DemoRecord[]).map((each) => mark(field.fields ?? {}, each, marker))
  }
  return value
}

/** The records of a group. The first was changed today, and some invoices are unpaid. */
const recordsOf = ({ path, fields }: Resource): readonly DemoRecord[] =>
  (story[path] ?? shared[path] ?? []).map((record, index) => {
    const time = ['updatedAt', 'createdAt'].find((name) => Object.hasOwn(fields, name))
    return {
      ...mark(fields, record, markerOf(path)),
      ...(index === 0 && time && { [time]: `${today}T08:00:00.000Z` }),
      ...(record['kind'] === 'commercial' && { status: 'approved', balanceAmount: '100.00' }),
    }
  })

const markedBy = new Map(catalog.resources.map((resource) => [resource.path, recordsOf(resource)]))

export const idOf = ({ path, key }: Resource): string =>
  String(markedBy.get(path)?.[0]?.[key[0] ?? 'id'])

/** The groups whose records an answer shows by their markers. */
export const groupsIn = (text: string): ReadonlySet<string> => {
  const groups = new Set<string>()
  for (const each of [text, safely(text)]) {
    for (const [, group = ''] of each.matchAll(/⟦([a-z-]+)⟧/g)) groups.add(group)
  }
  return groups
}

const safely = (text: string): string => {
  try {
    return text.includes('%E2%9F%A6') ? decodeURIComponent(text) : ''
  } catch {
    return text.replaceAll('%E2%9F%A6', '⟦').replaceAll('%E2%9F%A7', '⟧')
  }
}

export interface Ask {
  readonly status: number
  readonly text: string
  readonly tag: string | null
}

/** A service with the records of some groups, and ways to ask it. */
export interface ScopedService {
  readonly service: TestService
  /** The address of its database. */
  readonly url: string
  /** A key for all groups, and one for some of them. */
  readonly wholeKey: string
  limitedKey(groups: readonly string[]): Promise<string>
  ask(path: string, key: string, headers?: { readonly [name: string]: string }): Promise<Ask>
  call(tool: string, args: object, key: string): Promise<Ask>
  close(): Promise<void>
}

/** Opens a service with the records of these groups; those of others were never there. */
export const openGroups = async (
  groups: ReadonlySet<string>,
  environment: { readonly [name: string]: string } = {},
): Promise<ScopedService> => {
  const service = await openTestService(
    { CHANGE_FEED: 'on', ...environment },
    { story: false, secret: 'the same for both', now },
  )
  const { store, keys } = service.records
  const write = (owner: string, scope: Resource['scope']) =>
    store.write(owner, async (writer) => {
      for (const resource of catalog.resources) {
        const records = markedBy.get(resource.path) ?? []
        const isWritten = resource.path === 'brand' || groups.has(resource.path)
        if (resource.scope !== scope || !isWritten || records.length === 0) continue
        await writer.stage(resource, records)
        await writer.merge(resource)
      }
    })
  await write(sharedOwner, 'shared')
  await write(brand, 'brand')
  await park(service, groups)
  for (const image of groups.has('images') ? (markedBy.get('images') ?? []) : []) {
    const [id, mimeType, fileName] = ['id', 'mimeType', 'fileName'].map((name) => image[name])
    const file = { brand, id: String(id), mimeType: String(mimeType), fileName: String(fileName) }
    await service.images.put(file, Buffer.from('a picture'))
  }
  const limits = { name: 'limited', brands: [brand], global: false, expiresAt: null }
  const rate = { perSecond: null, burst: null }
  const read = async (response: Response): Promise<Ask> => ({
    status: response.status,
    text: await response.text(),
    tag: response.headers.get('etag'),
  })
  return {
    service,
    url: environment['DATABASE_URL'] ?? `sqlite:${service.folder}/selvedge.db`,
    wholeKey: await service.key(brand),
    limitedKey: async (onlyGroups) => (await keys.issue({ ...limits, ...rate, onlyGroups })).key,
    ask: async (path, key, headers = {}) =>
      read(
        await fetch(service.url + path, {
          headers: { authorization: `Bearer ${key}`, ...headers },
        }),
      ),
    call: async (name, args, key) =>
      read(
        await fetch(`${service.url}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: { name, arguments: { brand, ...args } },
          }),
        }),
      ),
    close: () => service.close(),
  }
}

/** Adds what is kept beside records: findings, snapshots and units. */
export const addBeside = async ({ service, url }: ScopedService): Promise<void> => {
  const { store, database } = service.records
  await store.quality.store(
    brand,
    rules.map(({ id, collections }) => ({
      ...{ rule: id, reads: collections, version: '0', day: null },
      ...{ checkedAt: '2026-03-01T00:00:00.000Z', count: 7 },
      records: [
        {
          ...{
            group: collections[0] ?? '',
            id: randomUUID(),
            title: titleOf(collections[0] ?? ''),
          },
          detail: collections.map(markerOf).join(' '),
        },
      ],
    })),
    true,
  )
  const profile = await store.profile(brand)
  assert.ok(profile)
  const { timezone, baseCurrency } = profile
  for (const day of [pastDay, weekAgo]) {
    const on = { brand, today: { day, timezone }, currentDay: day, baseCurrency }
    const takenAt = '2026-05-14T00:00:00.000Z'
    await store.daySnapshots.add(brand, snapshotOf(await store.today(on), { day, takenAt }))
  }
  await addUnits(service, url, database)
}

/** A record without a title of its own is shown by that of a record that it refers to. */
const titleOf = (group: string): string => {
  const { title = '', fields } = resourceAt(catalog, group)
  const { kind, nullable } = fields[title] ?? {}
  if (kind === 'text' && !nullable) return markerOf(group)
  return Object.values(fields)
    .flatMap(({ to }) => (to === undefined ? [] : markerOf(to)))
    .join(' ')
}

/** Rows in quarantine of some groups, which refer to records that are not stored. */
const park = (service: TestService, groups: ReadonlySet<string>) =>
  service.records.store.write(brand, async (writer) => {
    for (const [path, field] of parked) {
      if (!groups.has(path)) continue
      const resource = resourceAt(catalog, path)
      const record = { ...markedBy.get(path)?.[0], [field]: randomUUID() }
      const own =
        resource.key.length === 1 ? { ...record, [resource.key[0] ?? 'id']: randomUUID() } : record
      await writer.stage(resource, [own] as never)
      const source = { kind: 'watch', name: '/srv/drop' } as const
      const options = { park: [{ file: `/srv/drop/${path}.csv`, source }] }
      for await (const { isQuarantined } of writer.rejectInvalid(resource, options)) {
        assert.ok(isQuarantined)
      }
      await writer.merge(resource)
    }
  })

export const parked = [
  ['product-tags', 'tagId'],
  ['order-items', 'skuId'],
  ['shipment-items', 'skuId'],
] as const

/** One unit for each group that has parked rows, and one for all of them. */
const addUnits = async (service: TestService, url: string, database: Database): Promise<void> => {
  const queue = openQueueDatabase(readServiceConfig({ DATABASE_URL: url }).databaseUrl, database)
  const units = await openUnits({
    ...{ database: queue, store: service.records.store, holder: 'a test' },
    ...{ now: Date.now, newId: randomUUID },
  })
  const paths = parked.map(([path]) => path)
  for (const group of [...paths.map((path) => [path]), paths]) {
    const collections = group.map((collection) => ({
      ...{ collection, read: 4, unchanged: 1, parked: 0, unparked: 0 },
      ...{ added: 2, changed: 1, removed: 0 },
    }))
    const name = group.map(markerOf).join()
    const position = `${name}.csv sha256:${'0'.repeat(64)}`
    const unit = await units.begin({ brand, kind: 'file', source: '/srv/drop', position })
    await units.finish(unit, 'done', undefined, { collections, problems: [], problemCount: 0 })
  }
  await queue.close()
}

/** A request, the groups that it names, and what of its answer is compared. */
export interface Probe {
  /** Requests of one kind are judged by the same code. */
  readonly kind: string
  readonly path: string
  readonly named: readonly string[]
  /** The part of the body that is the same without the other groups' records; null for none. */
  readonly compared: (text: string) => unknown
  /** The group of the record whose words it searches for. */
  readonly seeks?: string
}

const bytes = (text: string): unknown => text
const json = (text: string) => JSON.parse(text)
/** Answers whose parts say when or where something was written. */
const nothing = () => null

const query = `${queryBasePath}/brands/${brand}`

/** The collections that a condition names, found in its text. */
const collectionsIn = (condition: unknown): readonly string[] =>
  [...JSON.stringify(condition).matchAll(/"collection":"([a-z-]+)"/g)].map(([, path = '']) => path)

/** Every request about one group that names others or passes them. */
export const probesOf = (resource: Resource): readonly Probe[] => {
  const { path, endpoints, filters, views, fields, lookup } = resource
  const own = lookup ? `${basePath}/brands/${brand}` : `${basePath}/brands/${brand}/${path}`
  const id = idOf(resource)
  const references = Object.entries(fields).flatMap(([name, { kind, to }]) =>
    kind === 'ref' && to ? [{ name: name.replace(/Id$/, ''), to }] : [],
  )
  const relations = references.filter(
    ({ name, to }) => name && catalog.byPath.get(to)?.endpoints.includes('get') !== false,
  )
  const links = filters.flatMap(({ name, through }) => {
    const target = through && catalog.byPath.get(through.collection)?.fields[through.where]?.to
    return through && target
      ? [{ name, group: through.collection, value: idOf(resourceAt(catalog, target)) }]
      : []
  })
  const of = (
    kind: string,
    at: string,
    named: readonly string[] = [],
    compared = bytes,
  ): Probe => ({ kind, path: at, named: [path, ...named], compared })
  const isList = endpoints.includes('list')
  const isGet = endpoints.includes('get')
  const record = lookup ? own : `${own}/${encodeURIComponent(id)}`
  const listed = isList
    ? [
        of('list', `${own}?limit=2`),
        of('query', `${query}/${path}?limit=3`),
        of('summary', `${query}/${path}/summary`),
        of('csv', `${query}/${path}/download?format=csv`),
        of('readable csv', `${query}/${path}/download?format=csv&labels=en`),
        of('ndjson', `${query}/${path}/download?format=ndjson`),
        ...links.flatMap(({ name, group, value }) => [
          of('linked list', `${own}?${name}=${value}`, [group]),
          of('linked query', `${query}/${path}?${name}=${value}`, [group]),
          of('linked summary', `${query}/${path}/summary?${name}=${value}`, [group]),
          of('linked csv', `${query}/${path}/download?format=csv&${name}=${value}`, [group]),
        ]),
        ...views.flatMap(({ name, where }) => [
          of('view', `${query}/${path}?view=${name}&asOf=${today}`, collectionsIn(where)),
          of('summary of a view', `${query}/${path}/summary?view=${name}`, collectionsIn(where)),
        ]),
        ...relations.flatMap(({ name, to }) => [
          of('including list', `${own}?include=${name}`, [to]),
          of('including query', `${query}/${path}?include=${name}`, [to]),
        ]),
      ]
    : []
  return [
    ...listed,
    ...(isGet || lookup
      ? [
          of('get', record),
          ...relations.map(({ name, to }) =>
            of('including get', `${record}?include=${name}`, [to]),
          ),
        ]
      : []),
    ...(endpoints.includes('content')
      ? [of('content', `${record}/content`, [], withoutLinks)]
      : []),
    ...(isGet && !lookup
      ? [of('lineage', `${query}/${path}/${id}/lineage`, [], presentRecords)]
      : []),
    ...(documented.has(path)
      ? [of('document', `${query}/${path}/${id}/document?asOf=${today}`, [], withoutLinks)]
      : []),
    ...(path === 'suppliers'
      ? [of('scorecards', `${query}/${path}/scorecards?sort=-openOrders&asOf=${today}`)]
      : []),
    ...(grids.has(path) ? [of('document grid', `${query}/${path}/${id}/grid`)] : []),
    ...(isList
      ? [of('feed', `/api/feed/v1/brands/${brand}/changes?collection=${path}`, [], changesIn)]
      : []),
    ...searchesOf(resource),
  ]
}

const documented = new Set([
  ...['orders', 'shipments', 'invoices', 'payments', 'skus', 'parent-products', 'suppliers'],
])

const searchesOf = ({ path, searchable }: Resource): readonly Probe[] => {
  const value = markedBy.get(path)?.[0]?.[searchable[0] ?? '']
  if (typeof value !== 'string') return []
  const words = encodeURIComponent(value.replace(/⟦.*/, '').slice(0, 20) || markerOf(path))
  return [
    { kind: 'search', path: `${query}/search?q=${words}`, named: [], compared: bytes, seeks: path },
    {
      kind: 'search in a group',
      path: `${query}/search?q=${words}&groups=${path}`,
      named: [path],
      compared: bytes,
    },
  ]
}

/** Requests that name no group. */
export const passingProbes: readonly Probe[] = [
  [`${query}/today`, figuresIn] as const,
  [`${query}/today?asOf=${pastDay}`, nothing] as const,
  [`${query}/today/trend`, nothing] as const,
  [`${query}/calendar?asOf=${today}`, bytes] as const,
  [`${query}/quality`, nothing] as const,
  [`${query}/views`, nothing] as const,
  [`${query}/sources`, nothing] as const,
  [`${query}/sources/units`, nothing] as const,
  [`${query}/sources/rows`, nothing] as const,
  [`/api/feed/v1/brands/${brand}/changes?limit=1000`, changesIn] as const,
  [`/api/feed/v1/brands/${brand}/changes?limit=7`, changesIn] as const,
  [`/api/feed/v1/brands/${brand}/changes?after=1`, nothing] as const,
].map(([path, compared]) => ({ kind: path, path, named: [], compared }))

export const rowProbes: readonly Probe[] = parked.map(([path]) => ({
  kind: 'quarantined rows',
  path: `${query}/sources/rows?group=${path}`,
  named: [path],
  compared: nothing,
}))

/** The links of pictures have another signature and time. */
function withoutLinks(text: string): unknown {
  return text.replaceAll(/"(url|expiresAt)":"[^"]*"/g, '')
}

/** What was found on the way. Records that are only referred to are missing without their groups. */
function presentRecords(text: string): unknown {
  const { records } = json(text)
  return records
    .filter(({ isMissing }: { isMissing: boolean }) => !isMissing)
    .map(({ group, id, record }: Record<string, unknown>) => ({ group, id, record }))
}

/** The changes without their numbers, which count all transactions of the database. */
function changesIn(text: string): unknown {
  const { items, hasMore } = json(text)
  return [items.map(({ number: _, ...rest }: { number: number }) => rest), hasMore]
}

/** The figures of the day, without what was known a week ago and when records were written. */
function figuresIn(text: string): unknown {
  const { records: _, figures, ...rest } = json(text)
  return [
    rest,
    Object.entries<Record<string, unknown>>(figures).map(([name, { weekAgo, ...figure }]) => [
      name,
      figure,
    ]),
  ]
}

/** Calls of agents about one group, and those that name none. */
export interface ToolProbe {
  readonly tool: string
  readonly args: object
  readonly named: readonly string[]
}

export const toolProbesOf = (resource: Resource): readonly ToolProbe[] => {
  const { path: group, endpoints, lookup } = resource
  const id = idOf(resource)
  const isGet = endpoints.includes('get') && !lookup
  return [
    ...(endpoints.includes('list')
      ? [
          { tool: 'list_records', args: { group }, named: [group] },
          { tool: 'summarize', args: { group }, named: [group] },
        ]
      : []),
    ...(isGet
      ? [
          { tool: 'get_record', args: { group, id }, named: [group] },
          { tool: 'follow_references', args: { group, id }, named: [group] },
          { tool: 'trace_lineage', args: { group, id }, named: [group] },
        ]
      : []),
    ...(documented.has(group)
      ? [{ tool: 'get_document', args: { group, id }, named: [group] }]
      : []),
  ]
}

const orderId = idOf(resourceAt(catalog, 'orders'))
export const toolProbes: readonly ToolProbe[] = [
  { tool: 'today', args: {}, named: [] },
  { tool: 'search', args: { query: 'PO' }, named: [] },
  { tool: 'amounts_owed', args: {}, named: ['invoices'] },
  { tool: 'locate_order', args: { order: orderId }, named: ['orders'] },
]
