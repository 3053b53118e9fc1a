import { type Dialect, quote } from '#database'
import { identityColumns } from '../schema/change-tables.ts'
import type { Table } from '../schema/tables.ts'
import { removalsName, stagedName } from './staging.ts'

/** Compares the identity of a quarantined row with that of a row in another table. */
export const isSame = (table: Table, alias: string, held: string, dialect: Dialect): string =>
  table.key
    .map(({ name, kind }, index) => {
      const bytes = `${held}.${quote(identityColumns[index] as string)}`
      return `${alias}.${quote(name)} = ${dialect.keyOfBytes(bytes, kind)}`
    })
    .join(' and ')

/** The same comparison in the form that uses the primary key of the quarantine. */
export const isQuarantined = (table: Table, alias: string, dialect: Dialect, held = 'q'): string =>
  identityColumns
    .map((name, index) => {
      const column = table.key[index]
      const value = column ? `${alias}.${quote(column.name)}` : "''"
      return `${held}.${quote(name)} = ${dialect.keyBytes(value, column?.kind ?? 'text')}`
    })
    .join(' and ')

/** Conditions: the identity of a quarantined row `q` is neither staged nor staged for removal. */
export const isUnstaged = (table: Table, dialect: Dialect): readonly string[] =>
  [stagedName(table), removalsName(table)].map(
    (name) =>
      `and not exists (select 1 from ${quote(name)} as s where ${isSame(table, 's', 'q', dialect)})`,
  )

/** The identifier of a staged row's parent, as text. */
export const parentOf = (
  { resource: { parent } }: Table,
  alias: string,
  dialect: Dialect,
): string =>
  parent === undefined
    ? 'cast(null as text)'
    : dialect.jsonText(`${alias}."body"`, parent.split('.'))
