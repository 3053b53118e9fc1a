/** The best statements for order items in SQLite. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { BareReader } from './bare-server.ts'

export const openBareReader = (databaseUrl: string, owner: number): BareReader => {
  const database = new DatabaseSync(databaseUrl.replace('sqlite:', ''), { readOnly: true })
  database.exec(`pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = ${2 ** 40}`)
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
  const columns = new Map(
    prepare(
      `select "name", "type"
       from pragma_table_info('order_items')`,
    ).all() as unknown as [name: string, type: string][],
  )
  const pageAfter = (filter: string): StatementSync =>
    prepare(
      `select cast(group_concat(r."body", ',') as blob), max(r."id")
       from (
         select "id", "body"
         from "order_items"
         where "owner" = ?1
           and "id" > ?2
           ${filter}
         order by "id"
         limit +?3
       ) as r`,
    )
  const page = pageAfter('')
  const filteredPages = new Map(
    [...columns.keys()].map((column) => [column, pageAfter(`and "${column}" = ?4`)]),
  )
  const get = prepare(
    `select cast("body" as blob)
     from "order_items"
     where "owner" = ?1
       and "id" = ?2`,
  )
  /** Identities are stored as 16 bytes. */
  const stored = (column: string, text: string): Buffer | string =>
    columns.get(column)?.toLowerCase() === 'blob'
      ? Buffer.from(text.replaceAll('-', ''), 'hex')
      : text

  return {
    page: ({ size, after, column, value }, onPage) => {
      const begin = stored('id', after)
      const statement = column === undefined ? page : filteredPages.get(column)
      const rows =
        column === undefined
          ? page.all(owner, begin, size)
          : (statement?.all(owner, begin, size, stored(column, value)) ?? [])
      const [[items, last]] = rows as unknown as [[Uint8Array, Uint8Array | string]]
      onPage(items, typeof last === 'string' ? last : Buffer.from(last).toString('hex'))
    },
    get: (id, onRecord) => {
      const [[body]] = get.all(owner, stored('id', id)) as unknown as [[Uint8Array]]
      onRecord(body)
    },
  }
}
