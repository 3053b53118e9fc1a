import type { Relation } from '#contract'
import { quote, type Row } from '#database'
import { tableAt } from './list.ts'
import type { Shape } from './shape.ts'
import { ownerOf, type Table } from './tables.ts'

/**
 * The records that a page's references of one relation point at. The page is named by its own
 * query, so that both are read from one and the same state.
 */
export const compileInclude = <Request extends { readonly brand: string }>(
  page: Shape<Request>,
  columns: { readonly count: number; readonly reference: number },
  relation: Relation,
  tables: ReadonlyMap<string, Table>,
): Shape<Request> => {
  const target = tableAt(tables, relation.to)
  const [key] = target.key
  const column = quote(key?.name ?? 'id')
  const owner = `?${page.slots.length + 1}`
  // The page's columns have no names of their own; the reference is the one at its place.
  const names = Array.from({ length: columns.count }, (_, index) => `c${index}`)
  const text = [
    `with page(${names.join(', ')}) as (${page.text})`,
    `select ${column}, "body" from ${quote(target.name)}`,
    `where "brand" = ${owner} and ${column} in (select ${names[columns.reference]} from page)`,
  ].join(' ')
  return { text, slots: [...page.slots, ({ brand }) => ownerOf(target.resource, brand)] }
}

/** The body with one more property for each relation: the record referred to, or null. */
export const spliceIncluded = (
  body: string,
  references: readonly unknown[],
  included: readonly { readonly name: string; readonly bodies: ReadonlyMap<string, string> }[],
): string => {
  const added = included.map(({ name, bodies }, index) => {
    const reference = references[index]
    const found = typeof reference === 'string' ? bodies.get(reference) : undefined
    return `,${JSON.stringify(name)}:${found ?? 'null'}`
  })
  return `${body.slice(0, -1)}${added.join('')}}`
}

export const bodiesById = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.map(([id, body]) => [id as string, body as string]))
