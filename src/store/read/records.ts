import { ApiError, type GroupScope, limits, type Relation } from '#contract'
import { type Dialect, type Query, quote, type Row, type Steps } from '#database'
import { ownerOf } from '../schema/owners.ts'
import { type Key, storedValue, type Table, tableAt } from '../schema/tables.ts'
import { type Body, type BodyPieces, noBody } from './body.ts'
import { propertyOf, spliceIncluded } from './include.ts'
import { joinByKey, ofShort, type Reserve, readKey } from './list.ts'
import { nextSize } from './resumable-scan.ts'

export interface RecordsRequest {
  readonly table: Table
  readonly brand: string
  readonly keys: readonly Key[]
  readonly include: readonly Relation[]
  /** Included records of other groups are null. */
  readonly scope: GroupScope
  readonly reserve: Reserve | undefined
}

interface RecordsParts {
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
}

/** The length of a record's text, and the text itself if it is short. */
export interface Measured {
  readonly key: Key
  readonly bytes: number
  body: Body | null
  references: readonly unknown[]
}

/** The records that one relation references, by id. */
interface Included {
  readonly relation: Relation
  readonly target: Table
  readonly records: ReadonlyMap<string, Measured>
}

/** Keys of the first query, while the length of records is unknown. */
const firstKeys = 16

/**
 * Reads the lengths of records, their references, and the texts of short ones, in any order. Stops
 * early once the measured records are too large for one response.
 */
export const measureRecords = async (
  steps: Steps,
  dialect: Dialect,
  table: Table,
  owner: number,
  keys: readonly Key[],
  paths: readonly string[] = [],
): Promise<readonly Measured[]> => {
  const references = paths.map((path) => dialect.jsonText('t."body"', [path]))
  const columns = [
    'octet_length(t."body")',
    dialect.bytes(ofShort('t."body"')),
    ...references.map(ofShort),
  ]
  const all: Measured[] = []
  // SQLite reads whole rows to compare identities, so the number of rows per step depends on their
  // length.
  let bytes = 0
  for (let from = 0, size = firstKeys; from < keys.length && bytes <= limits.pageBytes; ) {
    const wanted = keys.slice(from, from + size)
    const rows = await steps.all(compileByKeys(table, dialect, owner, wanted, columns))
    const measured = rows.map((row) => readMeasured(row, table))
    bytes += measured.reduce((sum, each) => sum + each.bytes, 0)
    all.push(...measured)
    from += size
    size = nextSize(size, steps, { min: 1, max: limits.pageSize.maximum })
  }
  for (const each of all) {
    if (each.body !== null || paths.length === 0) continue
    const [values] = await steps.all(compileByKeys(table, dialect, owner, [each.key], references))
    each.references = values?.slice(table.key.length) ?? []
  }
  return all
}

/** Reads the long text of one record; null if there is none. */
export const readText = async (
  { all }: Pick<Steps, 'all'>,
  dialect: Dialect,
  table: Table,
  owner: number,
  key: Key,
): Promise<Body | null> => {
  const [row] = await all(compileByKeys(table, dialect, owner, [key], [dialect.bytes('t."body"')]))
  return (row?.[table.key.length] ?? null) as Body | null
}

/**
 * Reads records by identity, with the records they reference. Reads lengths first, so that a
 * response that is too large is rejected before it is in memory. Reads long texts one by one.
 */
export const readRecords = async (
  { dialect, tables }: RecordsParts,
  steps: Steps,
  { table, brand, keys, include, scope, reserve }: RecordsRequest,
): Promise<readonly BodyPieces[]> => {
  if (keys.length === 0) return []
  const fields = include.map(({ field }) => field)
  const measure = (of: Table, wanted: readonly Key[], paths: readonly string[]) =>
    measureRecords(steps, dialect, of, ownerOf(of.resource, brand), wanted, paths)
  const byName = new Map(
    (await measure(table, keys, fields)).map((each) => [nameOf(each.key), each]),
  )
  const records = keys.flatMap((key) => byName.get(nameOf(key)) ?? [])
  const included: Included[] = []
  for (const [index, relation] of include.entries()) {
    const target = tableAt(tables, relation.to)
    const ids = new Set(records.map(({ references }) => references[index]))
    const isRead = scope.has(relation.to)
    const wanted = [...ids]
      .filter((id) => isRead && typeof id === 'string')
      .map((id) => [String(id)])
    const measured = await measure(target, wanted, [])
    const byId = new Map(measured.map((each) => [each.key[0] ?? '', each]))
    included.push({ relation, target, records: byId })
  }
  await reserveFor(
    records.map(({ bytes, references }) =>
      included.reduce(
        (sum, { records: byId }, index) =>
          sum + (byId.get(references[index] as string)?.bytes ?? 'null'.length),
        bytes,
      ),
    ),
    include.length > 0,
    reserve,
  )
  const complete = async (of: Table, measured: Iterable<Measured>) => {
    const owner = ownerOf(of.resource, brand)
    for (const each of measured) {
      each.body ??= await readText(steps, dialect, of, owner, each.key)
    }
  }
  await complete(table, records)
  for (const { target, records: byId } of included) await complete(target, byId.values())
  const bodies = included.map(({ relation, records: byId }) => ({
    property: propertyOf(relation),
    bodies: new Map([...byId].map(([id, { body }]) => [id, body])),
  }))
  return records.map(({ body, references }) =>
    include.length === 0 ? [body ?? noBody] : spliceIncluded(body ?? noBody, references, bodies),
  )
}

/** Rejects a page that is too large, suggesting a limit that fits; otherwise reserves memory. */
const reserveFor = async (
  sizes: readonly number[],
  hasInclude: boolean,
  reserve: Reserve | undefined,
): Promise<void> => {
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > limits.pageBytes) throw tooLarge(sizes, hasInclude)
  if (bytes > limits.unreservedBytes) await reserve?.(bytes)
}

const tooLarge = (sizes: readonly number[], hasInclude: boolean): ApiError => {
  let sum = 0
  const fitting = sizes.findIndex((size) => {
    sum += size
    return sum > limits.pageBytes
  })
  const sentence = `The response would have more than ${limits.pageBytes} bytes.`
  const [parameter, issue] =
    fitting > 0
      ? ['limit', `is too large for these records: use ${fitting} or less`]
      : hasInclude
        ? ['include', 'makes the response too large: ask for the included records one by one']
        : ['id', 'names a record that is too large to be sent']
  return new ApiError('page_too_large', `${sentence} Parameter ${parameter} ${issue}.`, {
    details: [{ parameter, issue }],
  })
}

/** Some columns of the records with these identities, after the identity, in any order. */
export const compileByKeys = (
  table: Table,
  dialect: Dialect,
  owner: number,
  keys: readonly Key[],
  columns: readonly string[],
): Query => {
  const names = table.key.map(({ name }) => `t.${quote(name)}`)
  const wanted = table.key.map((column, index) =>
    storedValue(column, dialect.jsonText('v."value"', [`k${index}`]), dialect),
  )
  const text = [
    `select ${[...names, ...columns].join(', ')}`,
    `from ${dialect.textsIn('?2', 'v')}`,
    joinByKey(table, dialect, wanted),
  ].join('\n')
  const texts = keys.map((key) =>
    JSON.stringify(Object.fromEntries(key.map((part, index) => [`k${index}`, part]))),
  )
  return { text, values: [owner, JSON.stringify(texts)] }
}

const readMeasured = (row: Row, table: Table): Measured => {
  const [bytes, body, ...references] = row.slice(table.key.length)
  return {
    key: readKey(row, table),
    bytes: Number(bytes),
    body: body as Body | null,
    references,
  }
}

const nameOf = (key: Key): string => JSON.stringify(key)
