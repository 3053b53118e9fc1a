/**
 * The least that a page can cost: SQLite's statement for it, and node:http that sends the text. No
 * key, no limit, no cursor, no tag, no log. `/25` is a page of 25 records after another place each
 * time, `/get` a record. Arguments: the file of the database and the brand. Prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { shuffled } from './statistics.ts'

const [file = '', brand = ''] = process.argv.slice(2)
const database = new DatabaseSync(file, { readOnly: true })
database.exec('pragma cache_size = -16384; pragma query_only = on')
const prepare = (text: string) => {
  const statement = database.prepare(text)
  statement.setReturnArrays(true)
  return statement
}
const page = prepare(
  `select group_concat(r."body", ','), max(r."id"), count(*) from (select "id", "body" from "order_items" where "brand" = ?1 and "id" > ?2 order by "id" limit +?3) as r`,
)
const get = prepare(`select "body" from "order_items" where "brand" = ?1 and "id" = ?2`)
const some = prepare(`select "id" from "order_items" where "brand" = ?1 order by "id" limit 100000`)
const ids = shuffled(
  (some.all(brand) as unknown as [string][]).map(([id]) => id),
  5,
)
let at = 0

const server = createServer((request, response) => {
  at = (at + 1) % ids.length
  const id = ids[at] ?? ''
  const size = Number(request.url?.slice(1))
  const rows = (Number.isNaN(size) ? get.all(brand, id) : page.all(brand, id, size)) as unknown
  const [[items, last] = ['', '']] = rows as [string, string][]
  const body = Number.isNaN(size)
    ? items
    : `{"items":[${items}],"nextCursor":"${last}","totalItems":${ids.length}}`
  const length = Buffer.byteLength(body)
  response.writeHead(200, ['content-type', 'application/json', 'content-length', `${length}`])
  response.end(body, length === body.length ? 'latin1' : 'utf8')
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
