import { isUtf8 } from 'node:buffer'
import {
  type CanonicalScanner,
  type Catalog,
  compileCanonicalScanner,
  isJsonObject,
  limits,
  mergeRecord,
  parseIdentity,
  type Resource,
  writeIdentity,
} from '#contract'
import {
  collectionAdvice,
  cutField,
  cutValue,
  lineEnd,
  parseRow,
  type RecordMerge,
  type Report,
  type Source,
  type SourceRow,
} from '#ingest'
import { rowFormatOf } from '#store'
import { bodyName } from './body.ts'

export interface ReadItemsOptions {
  readonly catalog: Catalog
  /** The collections that may be written; null for all. */
  readonly collections: readonly string[] | null
  /** Receives what is wrong with items that no collection can be found for. */
  readonly report: Report
  /** How many items are named in the result. */
  readonly namedMax: number
}

/** An item of a body: its line, and its record if it names one. */
export interface NamedItem {
  readonly line: number
  readonly collection: string | null
  readonly id: string | null
}

export interface BatchSources {
  /** Lines that are not blank. */
  readonly items: number
  /** The first of them, on request. */
  readonly named: readonly NamedItem[]
  /** One for each collection, and another one for changes to stored records. */
  readonly sources: readonly Source[]
}

/**
 * The items of a body, each a change as the change feed has it, as rows of their collections. Of
 * several items for one record, only the last one is read further, with the merges after it.
 *
 * A line that is written as the feed writes it, with a record as it is stored, is recognised by its
 * bytes and not parsed. Others are parsed twice, first for their place and then for their record, so
 * that a large body is not in memory as values.
 */
export const readItems = (body: Buffer, options: ReadItemsOptions): BatchSources => {
  const { catalog, report } = options
  const groups = new Map<string, ItemGroup>()
  const add = (line: number, reason: string, value: unknown) =>
    report.add({
      file: bodyName,
      line,
      field: '',
      value: cutValue(value),
      reason,
      severity: 'error',
    })
  /** Undefined for a collection that is not to be written. */
  const groupAt = (collection: string): ItemGroup | string => {
    const current = groups.get(collection)
    if (current) return current
    const resource = catalog.byPath.get(collection)
    if (!resource) return `is not a collection: ${collectionAdvice(catalog, collection)}`
    if (options.collections && !options.collections.includes(collection)) {
      return 'is a collection that this key may not write'
    }
    const group = createGroup(catalog, resource)
    groups.set(collection, group)
    return group
  }
  const named: NamedItem[] = []
  const name = (line: number, collection: string | null, id: string | null) => {
    if (named.length === options.namedMax) return
    named.push({ line, collection: shortName(collection), id: shortName(id) })
  }
  let items = 0
  let line = 0
  for (let at = 0; at < body.length; ) {
    line += 1
    const [end, next] = lineEnd(body, at)
    const from = at
    at = next
    const recognised = recognise(body, from, end, groupAt)
    if (recognised) {
      items += 1
      name(line, recognised.group.resource.path, recognised.id)
      recognised.group.set(recognised.id, { line, from, end, offsets: recognised.offsets })
      continue
    }
    const row = parseRow(line, body.subarray(from, end))
    if (row === null) continue
    items += 1
    const item = parseItem(row)
    if ('reason' in item) {
      name(line, null, null)
      add(line, item.reason, item.value)
      continue
    }
    name(line, item.collection, item.id)
    const group = groupAt(item.collection)
    if (typeof group === 'string') {
      add(line, group, item.collection)
      continue
    }
    const other = otherIdentity(group.resource, item)
    if (other) add(line, other, item.id)
    else if (item.operation === 'merge') group.merge(item.id, { line, from, end, offsets: null })
    else group.set(item.id, { line, from, end, offsets: null })
  }
  const sources = [...groups.values()].flatMap((group) => [
    ...recordSources(body, group),
    ...mergeSources(body, group, report),
  ])
  return { items, named, sources }
}

/** Longer than any name of a collection, and any identity. */
const nameMax = 400

/** A name as it was sent. What no record can have is shortened: results are kept and sent often. */
const shortName = (name: string | null): string | null =>
  name !== null && name.length > nameMax ? `${name.slice(0, nameMax).toWellFormed()}…` : name

/** Where an item is in the body; the offsets of a record that can be stored as it is. */
interface ItemPlace {
  readonly line: number
  readonly from: number
  readonly end: number
  readonly offsets: Int32Array | null
}

/** What the items of a body do to a record. */
interface RecordItems {
  /** The last item that puts or removes it; null if its stored state is changed. */
  readonly base: ItemPlace | null
  /** The merges after that, in order. */
  readonly merges: ItemPlace[]
}

/** The items of a collection's records, in the order of their last lines. */
interface ItemGroup {
  readonly resource: Resource
  readonly scanner: CanonicalScanner | undefined
  /** Where the offsets have each part of the identity. */
  readonly keyOffsets: readonly number[]
  readonly records: ReadonlyMap<string, RecordItems>
  set(id: string, place: ItemPlace): void
  merge(id: string, place: ItemPlace): void
}

const createGroup = (catalog: Catalog, resource: Resource): ItemGroup => {
  const { fields, textBytes } = rowFormatOf(catalog, resource)
  const records = new Map<string, RecordItems>()
  const setLast = (identity: string, items: RecordItems) => {
    records.delete(identity)
    records.set(identity, items)
  }
  // Identities are compared in their canonical form, whatever the case in which they were sent.
  const identityOf = (id: string) => id.toLowerCase()
  return {
    resource,
    // A brand's own record has more checks than its fields'.
    scanner: resource.lookup
      ? undefined
      : compileCanonicalScanner(resource, { wanted: fields, wantedBytes: textBytes, isUtf8 }),
    keyOffsets: resource.key.map((name) => fields.indexOf(name) * 2),
    records,
    set: (id, place) => setLast(identityOf(id), { base: place, merges: [] }),
    merge: (id, place) => {
      const identity = identityOf(id)
      const items = records.get(identity) ?? { base: null, merges: [] }
      items.merges.push(place)
      setLast(identity, items)
    },
  }
}

/** The bytes before a record, as the feed writes them. */
const itemStart = /\{"collection":"([a-z-]+)","id":"([ !#-[\]-~]+)","operation":"put","record":/y
const itemStartMax = 400
const closeBrace = 0x7d

interface RecognisedItem {
  readonly group: ItemGroup
  readonly id: string
  readonly offsets: Int32Array
}

/** An item whose bytes are those of the feed, with a record in its canonical form. */
const recognise = (
  body: Buffer,
  from: number,
  end: number,
  groupAt: (collection: string) => ItemGroup | string,
): RecognisedItem | null => {
  itemStart.lastIndex = 0
  const start = itemStart.exec(body.toString('latin1', from, Math.min(end, from + itemStartMax)))
  if (!start) return null
  const [head, collection = '', id = ''] = start
  const group = groupAt(collection)
  if (typeof group === 'string' || !group.scanner) return null
  const { scanner, keyOffsets } = group
  const recordFrom = from + head.length
  const recordEnd = scanner.endOf(body, recordFrom)
  if (recordEnd !== end - 1 || body[recordEnd] !== closeBrace) return null
  if (recordEnd - recordFrom > limits.record.maxBytes) return null
  const { offsets } = scanner
  const parts = keyOffsets.map((at) => body.toString('latin1', offsets[at], offsets[at + 1]))
  if (writeIdentity(parts) !== id) return null
  const own = new Int32Array(offsets.length + 2)
  own[0] = recordFrom
  own[1] = recordEnd
  own.set(offsets, 2)
  return { group, id, offsets: own }
}

interface Item {
  readonly collection: string
  readonly id: string
  readonly operation: 'put' | 'merge' | 'remove'
  readonly record: unknown
  readonly losses: Extract<SourceRow, { readonly losses: unknown }>['losses']
}

const itemMembers = new Set(['collection', 'id', 'operation', 'record'])

/** A line as a change, or what is wrong with it. */
const parseItem = (row: SourceRow): Item | { readonly reason: string; readonly value: unknown } => {
  if ('problem' in row) return { reason: row.problem, value: row.text }
  if (!('losses' in row)) return { reason: 'is not a change', value: '' }
  const { value, losses } = row
  if (!isJsonObject(value)) {
    return { reason: 'is not a change: use one JSON object on each line', value }
  }
  const { collection, id, operation, record } = value
  const extra = Object.keys(value).find((name) => !itemMembers.has(name))
  if (extra !== undefined) return { reason: 'is not a member of a change', value: extra }
  if (typeof collection !== 'string') {
    return { reason: 'must have a collection, such as "orders"', value: collection }
  }
  if (typeof id !== 'string') {
    return { reason: 'must have an id, which is a text', value: id }
  }
  if (operation !== 'put' && operation !== 'merge' && operation !== 'remove') {
    return { reason: 'must have an operation: "put", "merge" or "remove"', value: operation }
  }
  const isRemoval = operation === 'remove'
  if (isRemoval !== (record === undefined)) {
    const reason = isRemoval ? 'removes a record, so that it has none' : 'must have a record'
    return { reason, value: id }
  }
  if (operation === 'merge' && !isJsonObject(record)) {
    return { reason: 'must have a record: an object with the fields to change', value: id }
  }
  const loss = losses.find(({ pointer }) => !pointer.startsWith('/record/'))
  if (loss) return { reason: `${loss.reason} (${loss.pointer})`, value: loss.value }
  const ofRecord = losses.map((each) => ({
    ...each,
    pointer: each.pointer.slice('/record'.length),
  }))
  return { collection, id, operation, record, losses: ofRecord }
}

/** What is wrong with the identity of an item, if anything. */
const otherIdentity = ({ path, key }: Resource, item: Item): string | undefined => {
  const own = item.operation === 'put' ? null : parseIdentity(item.id, key.length)
  if (item.operation !== 'put' && !own) {
    return `is not an identity of ${path}, which has ${key.length} parts by commas: ${key.join(',')}`
  }
  const { record } = item
  if (!isJsonObject(record)) return undefined
  // A merge need not repeat the identity.
  const parts = key.map((name, index) => record[name] ?? own?.[index])
  // A part that is missing or of another type is a problem of the record.
  if (!parts.every((part) => typeof part === 'string')) return undefined
  const identity = writeIdentity(parts)
  return identity.toLowerCase() === item.id.toLowerCase()
    ? undefined
    : `is not the identity of its record, ${cutValue(identity)}`
}

/** How many rows are passed on at once. */
const chunkRows = 500

const recordSources = (body: Buffer, { resource, records }: ItemGroup): readonly Source[] => {
  const own = [...records.values()].filter(({ base }) => base !== null)
  if (own.length === 0) return []
  const rows = async function* () {
    for (let from = 0; from < own.length; from += chunkRows) {
      yield rowsAt(body, resource, own.slice(from, from + chunkRows))
    }
  }
  return [{ name: bodyName, resource, bytes: null, input: { kind: 'rows', rows } }]
}

const rowsAt = (body: Buffer, resource: Resource, records: readonly RecordItems[]) => {
  const rows: SourceRow[] = []
  const lines: number[] = []
  const canonical: Int32Array[] = []
  for (const { base, merges } of records) {
    if (base?.offsets && merges.length === 0) {
      lines.push(base.line)
      canonical.push(base.offsets)
    } else if (base) rows.push(rowOf(body, resource, base, merges))
  }
  return {
    rows,
    canonical: lines.length > 0 ? { lines, bytes: body, offsets: joined(canonical) } : null,
  }
}

const joined = (parts: readonly Int32Array[]): Int32Array<ArrayBuffer> => {
  const width = parts[0]?.length ?? 0
  const all = new Int32Array(parts.length * width)
  for (const [index, part] of parts.entries()) all.set(part, index * width)
  return all
}

/** An item that was found to be one. */
const itemAt = (body: Buffer, { line, from, end }: ItemPlace): Item =>
  parseItem(parseRow(line, body.subarray(from, end)) as SourceRow) as Item

/** The row of a record that the body has, with the fields that later items change. */
const rowOf = (
  body: Buffer,
  { key, fields }: Resource,
  base: ItemPlace,
  merges: readonly ItemPlace[],
): SourceRow => {
  const item = itemAt(body, base)
  const [merge] = merges
  if (item.operation === 'remove' && merge) {
    const problem = 'changes a record that an earlier item of the batch removes: use put'
    return { line: merge.line, problem, text: item.id }
  }
  if (item.operation === 'remove') {
    return { line: base.line, removal: parseIdentity(item.id, key.length) ?? [] }
  }
  let { record: value, losses } = item
  for (const place of merges) {
    const { record, losses: more } = itemAt(body, place)
    value = mergeRecord(fields, value, record)
    losses = [...losses, ...more]
  }
  return { line: merges.at(-1)?.line ?? base.line, value, losses }
}

/** Changes to stored records, which are read when the records are locked. */
const mergeSources = (
  body: Buffer,
  { resource, records }: ItemGroup,
  report: Report,
): readonly Source[] => {
  const merges: RecordMerge[] = []
  let bytes = 0
  for (const { base, merges: places } of records.values()) {
    if (base) continue
    const items = places.map((place) => ({ line: place.line, item: itemAt(body, place) }))
    for (const { line, item } of items) reportLosses(line, item, report)
    const changes = items.map(({ line, item }) => ({ line, json: JSON.stringify(item.record) }))
    const key = parseIdentity(items[0]?.item.id ?? '', resource.key.length) ?? []
    merges.push({ key, changes })
    bytes += changes.reduce((sum, { json }) => sum + json.length, 0)
  }
  if (merges.length === 0) return []
  return [{ name: bodyName, resource, bytes, input: { kind: 'rows', rows: noRows }, merges }]
}

async function* noRows() {}

const reportLosses = (line: number, { losses }: Item, report: Report): void => {
  for (const { pointer, value, reason } of losses) {
    const place = { file: bodyName, line, field: cutField(pointer) }
    report.add({ ...place, value: cutValue(value), reason, severity: 'error' })
  }
}
