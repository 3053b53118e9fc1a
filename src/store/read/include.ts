import type { Relation } from '#contract'
import { type Dialect, quote, type Row } from '#database'
import { asText } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { ownerOf } from '../schema/owners.ts'
import { type Column, storedValue, type Table, tableAt } from '../schema/tables.ts'
import type { Body, BodyPieces } from './body.ts'
import { type ListRequest, ofShort } from './list.ts'
import type { QueryTemplate } from './query-template.ts'

/**
 * Reads a page and the records it references in one statement, so that the page is read once and
 * everything comes from one snapshot. Each row begins with 0 if it belongs to the page, else with
 * the number of the relation, from 1.
 */
export const compileWithIncluded = <Request extends { readonly brand: string }>(
  page: QueryTemplate<Request>,
  key: readonly Column[],
  include: readonly Relation[],
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): QueryTemplate<Request> => {
  // The page's columns are unnamed: identity, body, references.
  const keyColumns = key.length
  const width = keyColumns + 1 + include.length
  const names = Array.from({ length: width }, (_, index) => `"c${index}"`)
  const params = [...page.params]
  const included = include.map(({ to }, index) => {
    const target = tableAt(tables, to)
    const [ownKey] = target.key as [Column]
    const id = `t.${quote(ownKey.name)}`
    // The union needs the column types of the page.
    const shownId = key[0]?.kind === ownKey.kind ? id : asText(id, ownKey.kind, dialect)
    const reference = storedValue(ownKey, names[keyColumns + 1 + index] ?? '', dialect)
    const columns = names.map((_, column) =>
      column === 0 ? shownId : column === keyColumns ? dialect.bytes(ofShort('t."body"')) : 'null',
    )
    params.push(({ brand }) => ownerOf(target.resource, brand))
    return [
      'union all',
      `select ${[index + 1, ...columns].join(', ')}`,
      `from ${quote(target.name)} as t`,
      `where t."owner" = ?${params.length}`,
      `and ${id} in (select ${reference} from "page")`,
    ].join('\n')
  })
  const text = [
    `with "page"(${names.join(', ')}) as materialized (${page.text})`,
    `select 0, ${names.join(', ')}`,
    'from "page"',
    ...included,
  ].join('\n')
  return { text, params }
}

/** Splits the rows of such a statement into those of the page and of each relation. */
export const splitIncluded = (
  rows: readonly Row[],
  keyColumns: number,
  include: readonly Relation[],
): { readonly page: readonly Row[]; readonly bodies: readonly Bodies[] } => {
  const bodies = include.map(() => new Map<string, Body | null>())
  const page: Row[] = []
  for (const row of rows) {
    const relation = Number(row[0])
    if (relation === 0) page.push(row.slice(1))
    else {
      bodies[relation - 1]?.set(
        readText(row[1] ?? null),
        (row[1 + keyColumns] ?? null) as Body | null,
      )
    }
  }
  return { page, bodies }
}

/** Texts by id; null if a text is too long to be read with others. */
export type Bodies = ReadonlyMap<string, Body | null>

/** Adds a property for each relation to the body: the referenced record or null. */
export const spliceIncluded = (
  body: Body,
  references: readonly unknown[],
  included: readonly IncludedBodies[],
): BodyPieces => {
  const pieces = [body.subarray(0, -1)]
  for (const [index, { property, bodies }] of included.entries()) {
    const reference = references[index]
    const target = typeof reference === 'string' ? bodies.get(reference) : undefined
    pieces.push(property, target ?? nullText)
  }
  pieces.push(closingBrace)
  return pieces
}

/** The records of a relation, and the property text that precedes each in the including record. */
export interface IncludedBodies {
  readonly property: Body
  readonly bodies: Bodies
}

/** The name of a relation as a JSON property that follows others. */
export const propertyOf = ({ name }: Relation): Body => Buffer.from(`,${JSON.stringify(name)}:`)

const nullText = Buffer.from('null')
const closingBrace = Buffer.from('}')

/** The texts of records with included records; null if one was too long to be read. */
export const readBodies = (
  rows: readonly Row[],
  table: Table,
  include: ListRequest['include'],
  bodies: readonly Bodies[],
): readonly BodyPieces[] | null => {
  const bodyColumn = table.key.length
  if (rows.some((row) => row[bodyColumn] === null)) return null
  if (bodies.some((each) => [...each.values()].includes(null))) return null
  if (include.length === 0) return rows.map((row) => [row[bodyColumn] as Body])
  const included = include.map((relation, index) => ({
    property: propertyOf(relation),
    bodies: bodies[index] ?? new Map<string, Body>(),
  }))
  return rows.map((row) =>
    spliceIncluded(row[bodyColumn] as Body, row.slice(bodyColumn + 1), included),
  )
}
