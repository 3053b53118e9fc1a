import { quote, type Session } from '#database'
import type { RowMapping } from './row-mapping.ts'
import { createTable, sql } from './staging.ts'

/**
 * Gives each amount in a table of an earlier release a number column beside its text column. SQLite
 * cannot change the type of a column, so the rows are copied into a new table.
 */
export const addNumberColumns = async (
  session: Session,
  { table, columns, keys }: RowMapping,
  present: readonly string[],
): Promise<void> => {
  const texts = columns.filter(
    ({ name, numberColumn }) =>
      numberColumn !== undefined && present.includes(numberColumn) && !present.includes(name),
  )
  if (texts.length === 0) return
  const numbers = new Set(texts.map(({ numberColumn }) => numberColumn))
  const copied = columns.filter((column) => texts.includes(column) || present.includes(column.name))
  const values = copied.map(({ name, numberColumn }) => {
    if (numbers.has(name)) return `cast(${quote(name)} as real)`
    return quote(present.includes(name) ? name : (numberColumn ?? name))
  })
  const earlier = quote(`selvedge_earlier_${table}`)
  await session.run(sql(`alter table ${quote(table)} rename to ${earlier}`))
  await createTable(session, { table, columns: copied, keys })
  await session.run(
    sql(
      `insert into ${quote(table)} (${copied.map(({ name }) => quote(name))})
       select ${values}
       from ${earlier}`,
    ),
  )
  await session.run(sql(`drop table ${earlier}`))
}
