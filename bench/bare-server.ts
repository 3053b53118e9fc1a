/**
 * node:http and the best statement: no key, no rate limit, no cursor, no total, no ETag, no log.
 * `/25/<identity>` is a page of 25 order items after an identity, `/25/<identity>/itemType/sample`
 * one with a filter, `/get/<identity>` a record. Arguments: the URL of the database and the brand.
 * Prints its port. It knows the tables of the product and shares no code with it.
 */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

const [databaseUrl = '', brand = ''] = process.argv.slice(2)
const database = new DatabaseSync(databaseUrl.replace('sqlite:', ''), { readOnly: true })
database.exec(`pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = ${2 ** 40}`)

const prepare = (text: string): StatementSync => {
  const statement = database.prepare(text)
  statement.setReturnArrays(true)
  return statement
}

const columns = prepare(
  `select "name", "type"
   from pragma_table_info('order_items')
   order by "cid"`,
).all() as unknown as [name: string, type: string][]
const types = new Map(columns)

/** A text as its column stores it: identities as bytes where the column has bytes. */
const stored = (column: string, text: string): Buffer | string =>
  types.get(column)?.toLowerCase() === 'blob' ? Buffer.from(text.replaceAll('-', ''), 'hex') : text

/** The column of the owner is the first: the brand's slug, or 48 bits of the digest of the slug. */
const [[ownerColumn] = ['', '']] = columns
const owner =
  types.get(ownerColumn)?.toLowerCase() === 'text'
    ? brand
    : createHash('sha256').update(brand).digest().readUIntBE(0, 6)

const pageAfter = (filter: string): StatementSync =>
  prepare(
    `select cast(group_concat(r."body", ',') as blob), max(r."id")
     from (
       select "id", "body"
       from "order_items"
       where "${ownerColumn}" = ?1
         and "id" > ?2
         ${filter}
       order by "id"
       limit +?3
     ) as r`,
  )
const page = pageAfter('')
const filteredPages = new Map(
  columns.map(([column]) => [column, pageAfter(`and "${column}" = ?4`)]),
)
const get = prepare(
  `select cast("body" as blob)
   from "order_items"
   where "${ownerColumn}" = ?1
     and "id" = ?2`,
)

type PageRow = readonly [items: Uint8Array, last: Uint8Array]

const readPage = (size: number, after: string, column?: string, value = ''): PageRow => {
  const statement = column === undefined ? page : (filteredPages.get(column) ?? page)
  const filter = column === undefined ? [] : [stored(column, value)]
  const [row] = statement.all(owner, stored('id', after), size, ...filter) as unknown as PageRow[]
  if (!row) throw new Error('A page has no row.')
  return row
}

const sendPage = (response: ServerResponse, [items, last]: PageRow): void => {
  const head = '{"items":['
  const tail = `],"nextCursor":"${Buffer.from(last).toString('base64url')}","totalItems":null}`
  const length = head.length + items.length + tail.length
  response.writeHead(200, ['content-type', 'application/json', 'content-length', `${length}`])
  response.cork()
  response.write(head, 'latin1')
  response.write(items)
  response.end(tail, 'latin1')
  response.uncork()
}

const sendRecord = (response: ServerResponse, body: Uint8Array): void => {
  const length = String(body.length)
  response.writeHead(200, ['content-type', 'application/json', 'content-length', length])
  response.end(body)
}

const server = createServer((request, response) => {
  const [, first, id = '', column, value] = (request.url ?? '').split('/')
  if (first !== 'get') {
    sendPage(response, readPage(Number(first), id, column, value))
    return
  }
  const [row] = get.all(owner, stored('id', id)) as unknown as [Uint8Array][]
  if (row) sendRecord(response, row[0])
  else response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
