import type { Relation } from '#contract'
import { quote, type Row } from '#database'
import { ownerOf, type Table } from '../schema/tables.ts'
import { ofShort, tableAt } from './list.ts'
import type { QueryTemplate } from './query-template.ts'

/**
 * A page and the records that its references point at, in one statement: the page is read once,
 * and all of it is from the same state. Each row begins with 0 if it is of the page, otherwise with
 * the number of the relation, from 1.
 */
export const compileWithIncluded = <Request extends { readonly brand: string }>(
  page: QueryTemplate<Request>,
  keyColumns: number,
  include: readonly Relation[],
  tables: ReadonlyMap<string, Table>,
): QueryTemplate<Request> => {
  // The page's columns have no names of their own: its identity, its body, its references.
  const width = keyColumns + 1 + include.length
  const names = Array.from({ length: width }, (_, index) => `"c${index}"`)
  const params = [...page.params]
  const included = include.map(({ to }, index) => {
    const target = tableAt(tables, to)
    const id = `t.${quote(target.key[0]?.name ?? 'id')}`
    const columns = names.map((_, place) =>
      place === 0 ? id : place === keyColumns ? ofShort('t."body"') : 'null',
    )
    params.push(({ brand }) => ownerOf(target.resource, brand))
    return [
      `union all select ${[index + 1, ...columns].join(', ')} from ${quote(target.name)} as t`,
      `where t."brand" = ?${params.length}`,
      `and ${id} in (select ${names[keyColumns + 1 + index]} from "page")`,
    ].join(' ')
  })
  const text = [
    `with "page"(${names.join(', ')}) as materialized (${page.text})`,
    `select 0, ${names.join(', ')} from "page"`,
    ...included,
  ].join(' ')
  return { text, params }
}

/** The rows of such a statement apart: the page's own, then those of each relation. */
export const splitIncluded = (
  rows: readonly Row[],
  keyColumns: number,
  include: readonly Relation[],
): { readonly page: readonly Row[]; readonly bodies: readonly Bodies[] } => {
  const bodies = include.map(() => new Map<string, string | null>())
  const page: Row[] = []
  for (const row of rows) {
    const relation = Number(row[0])
    if (relation === 0) page.push(row.slice(1))
    else {
      bodies[relation - 1]?.set(row[1] as string, (row[1 + keyColumns] ?? null) as string | null)
    }
  }
  return { page, bodies }
}

/** Records by their ids. Null stands for a text that is too long to be read with others. */
export type Bodies = ReadonlyMap<string, string | null>

/** The body with one more property for each relation: the record referred to, or null. */
export const spliceIncluded = (
  body: string,
  references: readonly unknown[],
  included: readonly { readonly name: string; readonly bodies: Bodies }[],
): string => {
  const added = included.map(({ name, bodies }, index) => {
    const reference = references[index]
    const found = typeof reference === 'string' ? bodies.get(reference) : undefined
    return `,${JSON.stringify(name)}:${found ?? 'null'}`
  })
  return `${body.slice(0, -1)}${added.join('')}}`
}
