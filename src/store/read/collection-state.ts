import { literal, type Query, type SqlValue } from '#database'
import type { Table } from '../schema/tables.ts'
import { createParams, type ExtraColumns, type Params } from './query-template.ts'

/**
 * Reads the number of a collection's last change, its total, and the number of the last change of
 * all.
 */
export const compileCollectionState = (owner: number, collection: string): Query => ({
  text: [
    'select coalesce(c."version", 0), coalesce(c."total", 0), coalesce(s."value", \'0\')',
    'from (select 1 as "one") as o',
    'left join "selvedge_settings" as s on s."name" = \'change\'',
    'left join "selvedge_collections" as c on c."owner" = ?1 and c."collection" = ?2',
  ].join('\n'),
  values: [owner, collection],
})

/** A collection that a response depends on, and its owner. */
export interface Collection<Request> {
  readonly owner: (request: Request) => number
  readonly path: string
}

/**
 * The state of collections as extra columns of another statement: the number of each collection's
 * last change, the first one's total, and the number of the last change of all.
 */
export const joinState = <Request>(
  collections: readonly Collection<Request>[],
  values: Params<Request>,
): ExtraColumns => ({
  columns: [
    ...collections.map((_, index) => `coalesce(c${index}."version", 0)`),
    'coalesce(c0."total", 0)',
    'coalesce(s."value", \'0\')',
  ],
  joins: [
    '',
    'left join "selvedge_settings" as s on s."name" = \'change\'',
    ...collections.map(({ owner, path }, index) => {
      const alias = `c${index}`
      return [
        `left join "selvedge_collections" as ${alias}`,
        `on ${alias}."owner" = ${values.add(owner)} and ${alias}."collection" = ${literal(path)}`,
      ].join('\n')
    }),
  ].join('\n'),
})

/** A filter's value, and the owner and collection in which to find it. */
export interface FilterValue {
  readonly owner: number
  readonly collection: string
  readonly filter: string
  readonly value: SqlValue
}

/** The stored totals of filter values, by index; small totals are not stored. */
export const compileStoredTotals = (filters: readonly FilterValue[]): Query => {
  const values = createParams<SqlValue>()
  const selects = filters.map(({ owner, collection, filter, value }, index) =>
    [
      `select ${index}, "total"`,
      'from "selvedge_totals"',
      `where "owner" = ${values.add(owner)} and "collection" = ${values.add(collection)}`,
      `and "filter" = ${values.add(filter)} and "value" = ${values.add(String(value))}`,
    ].join('\n'),
  )
  return { text: selects.join('\nunion all\n'), values: values.all }
}

/**
 * The total of one filter value: the stored one if it is large, else the count. Part of a statement
 * whose first value is the owner.
 */
export const totalText = (table: Table, filter: string, value: string, count: string): string => {
  const stored = [
    'select "total"',
    'from "selvedge_totals"',
    `where "owner" = ?1 and "collection" = ${literal(table.resource.path)}`,
    `and "filter" = ${literal(filter)} and "value" = ${value}`,
  ].join('\n')
  return `coalesce((${stored}), (${count}))`
}
