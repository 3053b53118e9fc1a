/**
 * The best statements for order items in PostgreSQL, over its wire protocol: prepared once, and
 * pipelined. Values stay raw bytes.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { connect, type Socket } from 'node:net'
import type { BareReader } from './bare-server.ts'

const connectionCount = 4

export const openBareReader = async (databaseUrl: string, owner: number): Promise<BareReader> => {
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => openConnection(new URL(databaseUrl))),
  )
  const least = (): Connection =>
    connections.reduce((best, each) => (each.inFlight() < best.inFlight() ? each : best))
  const rows = String(owner)
  return {
    page: ({ size, after, column, value }, onPage) => {
      const values = [rows, after, String(size), ...(column === undefined ? [] : [value])]
      least().run(pageAfter(column), values, ([items, last]) => onPage(items, String(last)))
    },
    get: (id, onRecord) => least().run(getText, [rows, id], ([body]) => onRecord(body)),
  }
}

const pageTexts = new Map<string | undefined, string>()

const pageAfter = (column: string | undefined): string => {
  const text =
    pageTexts.get(column) ??
    `select string_agg(r."body", ','), max(r."id"::text)
     from (
       select "id", "body"
       from "order_items"
       where "owner" = $1
         and "id" > $2
         ${column === undefined ? '' : `and "${column}" = $4`}
       order by "id"
       limit $3
     ) as r`
  pageTexts.set(column, text)
  return text
}

const getText = `select "body"
   from "order_items"
   where "owner" = $1
     and "id" = $2`

type OnRow = (row: readonly [Uint8Array, Uint8Array]) => void

interface Connection {
  readonly inFlight: () => number
  readonly run: (text: string, values: readonly string[], onRow: OnRow) => void
}

const openConnection = async (url: URL): Promise<Connection> => {
  const socket = connect(Number(url.port), url.hostname)
  socket.setNoDelay(true)
  const waiting: OnRow[] = []
  const names = new Map<string, string>()
  const ready = Promise.withResolvers<void>()
  readMessages(socket, (code, body) => {
    if (code === 'E') ready.reject(new Error(body.toString('latin1')))
    if (code === 'D') waiting[0]?.(valuesOf(body))
    if (code === 'Z') {
      waiting.shift()
      ready.resolve()
    }
  })
  waiting.push(() => undefined)
  const database = url.pathname.slice(1)
  const startup = zeroTerminated('user', url.username || 'postgres', 'database', database, '')
  socket.write(Buffer.concat([int32(startup.length + 8), int32(196_608), startup]))
  await ready.promise
  return {
    inFlight: () => waiting.length,
    run: (text, values, onRow) => {
      waiting.push(onRow)
      const parts: Buffer[] = []
      let name = names.get(text)
      if (name === undefined) {
        name = `s${names.size}`
        names.set(text, name)
        parts.push(message('P', Buffer.concat([zeroTerminated(name, text), int16(0)])))
      }
      parts.push(message('B', bindOf(name, values)))
      parts.push(message('E', Buffer.concat([zeroTerminated(''), int32(0)])))
      parts.push(message('S', Buffer.alloc(0)))
      socket.write(Buffer.concat(parts))
    },
  }
}

/** Calls back with the code and content of each message. The content is valid during the call. */
const readMessages = (socket: Socket, onMessage: (code: string, body: Buffer) => void): void => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (bytes.length - at >= 5) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) break
      onMessage(String.fromCharCode(bytes[at] ?? 0), bytes.subarray(at + 5, end))
      at = end
    }
    rest = bytes.subarray(at)
  })
}

/** The first two values of a row. A row with one value returns it twice. */
const valuesOf = (row: Buffer): readonly [Uint8Array, Uint8Array] => {
  const firstEnd = 6 + row.readInt32BE(2)
  const first = row.subarray(6, firstEnd)
  return [first, row.readInt16BE(0) === 1 ? first : row.subarray(firstEnd + 4)]
}

const bindOf = (name: string, values: readonly string[]): Buffer =>
  Buffer.concat([
    zeroTerminated('', name),
    int16(0),
    int16(values.length),
    ...values.flatMap((value) => {
      const bytes = Buffer.from(value)
      return [int32(bytes.length), bytes]
    }),
    int16(0),
  ])

const message = (code: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(code, 'latin1'), int32(body.length + 4), body])

const zeroTerminated = (...texts: readonly string[]): Buffer =>
  Buffer.from(texts.map((text) => `${text}\0`).join(''))

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
