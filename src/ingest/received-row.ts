import {
  canonicalRecord,
  checkRecord,
  type Field,
  isJsonObject,
  type JsonValue,
  limits,
  type Resource,
  valueAt,
} from '#contract'
import { type Cell, cellJson, type RowMapper } from '#mapping'
import type { Key, ReceivedRow, StoredRecord } from '#store'
import type { RowProblem } from './report.ts'
import type { Received, SourceRow } from './row.ts'

/** A row that cannot become a record. */
export interface BadRow extends Received {
  readonly line: number
  /** The first of its problems. */
  readonly problems: readonly RowProblem[]
}

/** How many problems of a row are kept. */
export const problemsOfRowMax = 20

/** The cells of a mapped row, and what can be read of its record. */
export const receiveCells = (
  { resource, mapper, columns }: ReceivingParts,
  cells: readonly Cell[],
): Received => {
  const removal = mapper.removal(cells)
  const parent = resource.parent ? mapper.valueOf(resource.parent, cells) : null
  const [key, ...otherKeys] = resource.key
  // Rows with the same part of a key are not the same.
  const natural = otherKeys.length > 0 ? null : mapper.keyOf(`/${key}`, cells)
  return {
    key: 'removal' in removal ? identityIn(resource, removal.removal) : null,
    parent: typeof parent === 'string' ? parent : null,
    natural: natural?.replaceAll(/[ /]/g, '') ? natural : null,
    row: limited({ columns, cells: cells.map(cellJson) }),
    isMapped: true,
  }
}

interface ReceivingParts {
  readonly resource: Resource
  readonly mapper: RowMapper
  readonly columns: readonly string[]
}

/** What can be read of a row without a mapping. */
export const receiveRow = (
  resource: Resource,
  row: Exclude<SourceRow, { readonly repeats: number }>,
): Received => {
  if ('problem' in row) return { ...nothing, row: { columns: ['text'], cells: [cut(row.text)] } }
  if ('removal' in row) return { ...nothing, row: { columns: resource.key, cells: row.removal } }
  if ('problems' in row) return nothing
  const value = 'json' in row ? (JSON.parse(row.json) as unknown) : row.value
  if (!isJsonObject(value))
    return { ...nothing, row: limited({ columns: ['value'], cells: [value as JsonValue] }) }
  const parts = resource.key.map((name) => value[name])
  const isWhole = parts.every((part) => typeof part === 'string')
  const parent = resource.parent ? valueAt(value, resource.parent.split('.')) : null
  return {
    key: isWhole ? identityIn(resource, parts as readonly string[]) : null,
    parent: typeof parent === 'string' ? parent.toLowerCase() : null,
    natural: null,
    row: limited({ columns: Object.keys(value), cells: Object.values(value) }),
    isMapped: false,
  }
}

/** Whether a row is not split into cells: it has its text alone. */
export const isUnread = ({ row, isMapped }: Pick<Received, 'row' | 'isMapped'>): boolean =>
  row !== null && !isMapped && row.columns.join() === 'text'

const nothing: Received = { key: null, parent: null, natural: null, row: null, isMapped: false }

const textMax = 10_000
const cut = (text: string): string => text.slice(0, textMax)

/** Rows that are longer than a record may be are not kept. */
const limited = (row: ReceivedRow): ReceivedRow | null =>
  JSON.stringify(row).length > limits.record.maxBytes ? null : row

/** An identity in canonical form; null if it is not one. */
const identityIn = ({ key, fields, lookup }: Resource, parts: readonly string[]): Key | null => {
  if (lookup) return null
  const own = { fields: Object.fromEntries(key.map((name) => [name, fields[name] as Field])) }
  const identity = Object.fromEntries(key.map((name, index) => [name, parts[index]]))
  const value = canonicalRecord(own, identity) as StoredRecord
  return checkRecord(own, value).length === 0 ? key.map((name) => String(value[name])) : null
}
