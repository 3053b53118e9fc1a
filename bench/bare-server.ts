/**
 * node:http and the best statement: no key, no rate limit, no cursor, no total, no ETag, no log.
 * `/25/<identity>` is a page of 25 order items after an identity, `/25/<identity>/itemType/sample`
 * one with a filter, `/get/<identity>` a record. Arguments: the URL of the database and the brand.
 * Prints its port. It knows the tables of the product and shares no code with it.
 */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Reads order items of one brand. Records are JSON in UTF-8; those of a page are joined by commas.
 */
export interface BareReader {
  page(request: PageRequest, onPage: (items: Uint8Array, last: string) => void): void
  get(id: string, onRecord: (body: Uint8Array) => void): void
}

export interface PageRequest {
  readonly size: number
  /** The page starts after this identity. */
  readonly after: string
  /** The column of the filter, if any. */
  readonly column: string | undefined
  readonly value: string
}

const sendPage = (response: ServerResponse, items: Uint8Array, last: string): void => {
  const head = '{"items":['
  const tail = `],"nextCursor":"${last}","totalItems":null}`
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

const [databaseUrl = '', brand = ''] = process.argv.slice(2)
/** The owner number of a brand's rows: 48 bits of the digest of its slug. */
const owner = createHash('sha256').update(brand).digest().readUIntBE(0, 6)
const { openBareReader } = databaseUrl.startsWith('sqlite:')
  ? await import('./bare-sqlite.ts')
  : await import('./bare-postgres.ts')
const reader: BareReader = await openBareReader(databaseUrl, owner)

const server = createServer((request, response) => {
  const [, first = '', id = '', column, value = ''] = (request.url ?? '').split('/')
  if (first === 'get') reader.get(id, (body) => sendRecord(response, body))
  else {
    reader.page({ size: Number(first), after: id, column, value }, (items, last) =>
      sendPage(response, items, last),
    )
  }
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
