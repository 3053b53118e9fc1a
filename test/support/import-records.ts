/** Records of the story as import files, and what an import reports of bad ones. */
import {
  catalog,
  type Field,
  type Kind,
  leafFields,
  limits,
  type Resource,
  resourceAt,
  uniqueKeysOf,
  valueAt,
} from '#contract'
import { type DemoRecord, openStory } from '#demo'
import type { IngestResult } from '#ingest'
import { sharedOwner } from '#store'
import { ndjson } from './command.ts'
import type { Files, OpenRecords, openImportSandbox } from './import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from './model.ts'

export const story = await openStory()
export const brand = story.brand

/** A database that holds the story, and an order of the brand `twin` whose references dangle. */
export const openStoryRecords = async (
  {
    openRecords,
    importInto,
  }: Pick<ReturnType<typeof openImportSandbox>, 'openRecords' | 'importInto'>,
  name: string,
): Promise<OpenRecords> => {
  const records = await openRecords(name)
  await importInto(records, filesOf(story.shared), { owner: sharedOwner })
  await importInto(records, filesOf(story.records))
  await importInto(records, { 'brand.ndjson': line(brandRecord('twin', 2)) }, { owner: 'twin' })
  const dangling = { 'orders.ndjson': line(changed('orders', { id: idOf(77) })) }
  await importInto(records, dangling, { owner: 'twin', allowDangling: true })
  return records
}

/** The counts of an import by collection. */
export const countsOf = ({ collections }: IngestResult) =>
  Object.fromEntries(
    collections.map(
      ({ collection, read, added, changed, unchanged, removed, parked, unparked, refused }) => [
        collection,
        { read, added, changed, unchanged, removed, parked, unparked, refused },
      ],
    ),
  )

export const noCounts = {
  read: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  removed: 0,
  parked: 0,
  unparked: 0,
  refused: 0,
}

/** A record of the story with other values. One with another identity has keys of its own. */
export const changed = (path: string, changes: object, index = 0): DemoRecord => {
  const record = recordsAt(path)[index] ?? {}
  return {
    ...record,
    ...('id' in changes ? ownKeys(path, record, String(changes.id)) : {}),
    ...changes,
  }
}

const ownKeys = (path: string, record: DemoRecord, id: string): DemoRecord => {
  const resource = resourceAt(catalog, path)
  const own = uniqueKeysOf(resource).map(({ fields }) => {
    const name = fields.findLast((each) => resource.fields[each]?.kind !== 'ref') ?? 'id'
    const { kind, code, nullable } = resource.fields[name] ?? {}
    if (kind === 'integer') return [name, Number.parseInt(id.slice(-12), 16)]
    return [name, nullable && code ? null : name === 'id' ? id : `${record[name]} ${id}`]
  })
  return Object.fromEntries(own)
}

/** A tag of the story with another identity and other values. */
export const tag = (number: number, changes: object = {}): DemoRecord =>
  changed('tags', { id: idOf(number), ...changes })

export const line = (record: object): string => `${JSON.stringify(record)}\n`

export const filesOf = (records: { readonly [path: string]: readonly DemoRecord[] }): Files =>
  Object.fromEntries(
    Object.entries(records).map(([path, each]) => [`${path}.ndjson`, ndjson(each)]),
  )

/** A cell of CSV, quoted where it must be. */
export const quoted = (cell: unknown): string => {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same record with its fields in the opposite order. */
export const reversed = (record: DemoRecord) => Object.fromEntries(Object.entries(record).reverse())

/** What `JSON.parse` says is wrong with a text. */
export const jsonProblem = (text: string): string => {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
}

export const messages = {
  notString: 'must be a string',
  notUuid: 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  nul: 'must not contain a NUL character',
  notInteger: 'must be a whole number',
  integerRange: `must be a whole number from ${limits.integer.minimum} to ${limits.integer.maximum}`,
  dangling: (to: string) => `refers to a record of ${to} that is neither in this import nor stored`,
}

/** A line that is not JSON. */
export const bad = '{"id": nonsense}'

export const item = (changes: object) => changed('order-items', { id: idOf(1), ...changes })

export const order = (changes: object) => changed('orders', { id: idOf(1), ...changes })

/** Rows of CSV: the story's first record, with some cells as given. */
export function csvRows(
  path: string,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const record = recordsAt(path)[0] ?? {}
  const all = leafFields(resourceAt(catalog, path).fields)
  const others = all.map(({ name }) => name).filter((name) => !names.includes(name))
  const cells = new Map(
    all.map(({ name, field, path }) => [name, cellOf(field, valueAt(record, path))]),
  )
  return [
    [...names, ...others].join(),
    ...rows.map((row, index) =>
      [
        ...row.map(quoted),
        ...others.map((name) => (name === 'id' ? idOf(index + 1) : quoted(cells.get(name)))),
      ].join(),
    ),
  ]
}

function cellOf({ kind }: Field, value: unknown): string {
  const asJson: readonly Kind[] = ['any', 'texts', 'objects']
  if (value === null) return ''
  return asJson.includes(kind) ? JSON.stringify(value) : String(value)
}

/** A CSV file of records, with every column. */
export const csvOf = (resource: Resource, records: readonly DemoRecord[]): string => {
  const leaves = leafFields(resource.fields)
  const rows = records.map((record) =>
    leaves.map(({ path, field }) => {
      const value = valueAt(record, path)
      return value === '' ? '""' : quoted(cellOf(field, value))
    }),
  )
  return [leaves.map(({ name }) => name), ...rows].map((row) => `${row.join()}\r\n`).join('')
}

/** A mapping file for partners of a brand from files such as `vendors.csv` with NO, NAME and STATUS. */
export const vendorsMapping = (brand: string): string => `version: 1
brand: ${brand}
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { column: STATUS, values: { A: active } }
      createdAt: first-seen
      updatedAt: last-changed
`
