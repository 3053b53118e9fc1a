/** Servers that speak the protocol of a database, and do what no database does. */
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface HostileSource {
  /** As in "a source with …". */
  readonly name: string
  readonly engine: 'postgres' | 'mysql'
  /** The message for the user. */
  readonly says: RegExp
  /** Ends by the time limit of a round instead of that of an answer. */
  readonly isLong?: boolean
  /** Instead of the login. */
  readonly onConnect?: (socket: Socket) => void
  /** What is sent for rows that are asked for. */
  readonly onRows?: (socket: Socket) => void
}

export interface OpenHostileSource {
  readonly url: string
  /** All bytes that clients have sent. */
  readonly sent: () => string
  close(): Promise<void>
}

export const openHostileSource = async (
  source: HostileSource,
  host = '127.0.0.1',
): Promise<OpenHostileSource> => {
  const sockets = new Set<Socket>()
  let sent = ''
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      sent += bytes.toString('latin1')
    })
    if (source.onConnect) source.onConnect(socket)
    else if (source.engine === 'postgres') servePostgres(socket, source)
    else serveMysql(socket, source)
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `${source.engine}://reader:needle@${host}:${port}/erp`,
    sent: () => sent,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => closed())
      }),
  }
}

/** Sends the same bytes for as long as the client takes them. */
const repeat = (socket: Socket, bytes: Buffer, pauseMs = 0): void => {
  const next = () => {
    if (socket.destroyed) return
    const isTaken = socket.write(bytes)
    if (pauseMs > 0) setTimeout(next, pauseMs)
    else if (isTaken) setImmediate(next)
    else socket.once('drain', next)
  }
  next()
}

const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const header = Buffer.alloc(5)
  header.write(type, 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const ready = message('Z', Buffer.from('I'))
const done = Buffer.concat([message('C', text('SELECT 1')), ready])

const column = (name: string): Buffer =>
  Buffer.concat([...[text(name), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]])

/** Two columns of texts. */
const described = Buffer.concat([
  message('1'),
  message('2'),
  message('T', int16(2), column('no'), column('label')),
])

const postgresRow = (...cells: readonly string[]): Buffer =>
  message(
    'D',
    int16(cells.length),
    ...cells.flatMap((cell) => [int32(Buffer.byteLength(cell)), Buffer.from(cell)]),
  )

const plainRow = postgresRow('1', 'label')

/** Answers every statement, and leaves `fetch` to the source. */
const servePostgres = (socket: Socket, { onRows }: HostileSource): void => {
  let isLoggedIn = false
  let isFetch = false
  socket.on('data', (bytes: Buffer) => {
    if (!isLoggedIn) {
      isLoggedIn = true
      socket.write(Buffer.concat([message('R', int32(0)), ready]))
      return
    }
    for (let at = 0; at < bytes.length; at += bytes.readInt32BE(at + 1) + 1) {
      const type = String.fromCharCode(bytes[at] ?? 0)
      if (type === 'Q') socket.write(done)
      if (type === 'P') isFetch = bytes.toString('latin1', at).includes('fetch')
      if (type !== 'S') continue
      if (isFetch) onRows?.(socket)
      else socket.write(Buffer.concat([message('1'), message('2'), message('n'), done]))
    }
  })
}

const packet = (sequence: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const header = Buffer.alloc(4)
  header.writeUIntLE(body.length, 0, 3)
  header[3] = sequence
  return Buffer.concat([header, body])
}

const lengthText = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])

const greeting = packet(
  0,
  ...[Buffer.from([10]), text('11.4.0-MariaDB'), Buffer.alloc(4), text('12345678')],
  // CLIENT_PROTOCOL_41, CLIENT_SECURE_CONNECTION, CLIENT_CONNECT_WITH_DB and CLIENT_TRANSACTIONS.
  ...[Buffer.from([0x08, 0xa2]), Buffer.from([45]), Buffer.from([2, 0]), Buffer.from([0, 0])],
  ...[Buffer.from([21]), Buffer.alloc(10), text('123456789012')],
)

const ok = (sequence: number): Buffer => packet(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]))
const eof = (sequence: number): Buffer => packet(sequence, Buffer.from([0xfe, 0, 0, 2, 0]))

const mysqlColumn = (sequence: number, name: string): Buffer =>
  packet(
    sequence,
    ...['def', '', '', '', name, ''].map(lengthText),
    Buffer.from([12, 45, 0, 0, 1, 0, 0, 0xfd, 0, 0, 0, 0, 0]),
  )

/** Two columns of texts. Rows have the sequence from 5 on. */
const mysqlColumns = Buffer.concat([
  packet(1, Buffer.from([2])),
  mysqlColumn(2, 'no'),
  mysqlColumn(3, 'label'),
  eof(4),
])

const mysqlRow = (sequence: number, ...cells: readonly string[]): Buffer =>
  packet(sequence, ...cells.map(lengthText))

const isRead = (sql: string): boolean => sql.startsWith('select') && !sql.includes('version()')

const serveMysql = (socket: Socket, { onRows }: HostileSource): void => {
  let isLoggedIn = false
  socket.write(greeting)
  socket.on('data', (bytes) => {
    if (!isLoggedIn) {
      isLoggedIn = true
      socket.write(ok(2))
      return
    }
    const sql = bytes.toString('utf8', 5)
    if (isRead(sql)) onRows?.(socket)
    else if (!sql.startsWith('select')) socket.write(ok(1))
    else {
      const row = mysqlRow(4, '11.4.0-MariaDB')
      const columns = [packet(1, Buffer.from([1])), mysqlColumn(2, 'version()'), eof(3)]
      socket.write(Buffer.concat([...columns, row, eof(5)]))
    }
  })
}

const silence = (): void => undefined
const noAnswer = /The source database: (no answer within|reading took longer than) [\d.]+ s\./
const loginError = message('E', text('SFATAL'), text('C28P01'), text('Mno such password'), text(''))
const tooLargeRow = /sent row [12] with more than 16,777,214 bytes\. Select fewer columns or rows/

/** Sends so many batches of different rows, and then nothing. */
export const silentAfter = (batches: number, onSilence: () => void): HostileSource => {
  let sent = 0
  return {
    name: `silence after ${batches} batches`,
    engine: 'postgres',
    says: noAnswer,
    onRows: (socket) => {
      if (sent === batches) return onSilence()
      const rows = Array.from({ length: 500 }, (_, index) =>
        postgresRow(String(sent * 500 + index), 'label'),
      )
      sent += 1
      socket.write(Buffer.concat([described, ...rows, done]))
    },
  }
}

/** Asks for the password itself, which passwords of other methods are not. */
export const clearPasswordSource: HostileSource = {
  name: 'a request for the password in the clear',
  engine: 'postgres',
  says: /asks for the password in the clear\. Nothing was sent\. Use TLS/,
  onConnect: (socket) => socket.once('data', () => socket.write(message('R', int32(3)))),
}

/** What sources must not be able to do to a process that reads them. */
export const hostileSources: readonly HostileSource[] = [
  { name: 'silence before the login', engine: 'postgres', says: noAnswer, onConnect: silence },
  {
    name: 'a login error on a connection that stays open',
    engine: 'postgres',
    says: /no such password/,
    onConnect: (socket) => socket.once('data', () => socket.write(loginError)),
  },
  { name: 'silence instead of rows', engine: 'postgres', says: noAnswer, onRows: silence },
  {
    name: 'silence between rows',
    engine: 'postgres',
    says: noAnswer,
    onRows: (socket) => socket.write(Buffer.concat([described, plainRow])),
  },
  {
    name: 'a row now and then',
    engine: 'postgres',
    says: noAnswer,
    onRows: (socket) => {
      socket.write(described)
      repeat(socket, plainRow, 20)
    },
  },
  {
    name: 'batches now and then',
    engine: 'postgres',
    says: /reading took longer than/,
    isLong: true,
    onRows: (socket) => {
      const rows = Buffer.concat(Array.from({ length: 500 }, () => plainRow))
      setTimeout(() => socket.write(Buffer.concat([described, rows, done])), 50)
    },
  },
  {
    name: 'rows without end',
    engine: 'postgres',
    says: /sent other rows than it was asked for/,
    onRows: (socket) => {
      socket.write(described)
      repeat(socket, Buffer.concat(Array.from({ length: 1_000 }, () => plainRow)))
    },
  },
  {
    name: 'a row of a gigabyte',
    engine: 'postgres',
    says: tooLargeRow,
    onRows: (socket) => {
      const header = Buffer.concat([
        Buffer.from('D'),
        int32(2 ** 30),
        int16(2),
        int32(2 ** 30 - 10),
      ])
      socket.write(Buffer.concat([described, plainRow, header]))
      repeat(socket, Buffer.alloc(1_024 * 1_024, 'x'))
    },
  },
  {
    name: 'a row of less than no columns',
    engine: 'postgres',
    says: /Invalid array length/,
    onRows: (socket) => socket.write(Buffer.concat([described, message('D', int16(-2)), done])),
  },
  {
    name: 'a row of too few columns',
    engine: 'postgres',
    says: /sent other rows than it was asked for/,
    onRows: (socket) => socket.write(Buffer.concat([described, postgresRow('1'), done])),
  },
  {
    name: 'a request for data',
    engine: 'postgres',
    says: noAnswer,
    onRows: (socket) => socket.write(message('G', Buffer.from([0]), int16(0))),
  },
  { name: 'silence before the login', engine: 'mysql', says: noAnswer, onConnect: silence },
  {
    name: 'a login error on a connection that stays open',
    engine: 'mysql',
    says: /no such password/,
    onConnect: (socket) => {
      socket.write(greeting)
      const error = [Buffer.from([0xff, 0x15, 0x04]), Buffer.from('#28000no such password')]
      socket.once('data', () => socket.write(packet(2, ...error)))
    },
  },
  { name: 'silence instead of rows', engine: 'mysql', says: noAnswer, onRows: silence },
  {
    name: 'silence between rows',
    engine: 'mysql',
    says: noAnswer,
    onRows: (socket) => socket.write(Buffer.concat([mysqlColumns, mysqlRow(5, '1', 'label')])),
  },
  {
    name: 'a row without end',
    engine: 'mysql',
    says: tooLargeRow,
    onRows: (socket) => {
      socket.write(Buffer.concat([mysqlColumns, mysqlRow(5, '1', 'label')]))
      const part = packet(6, Buffer.alloc(2 ** 24 - 1, 'x'))
      repeat(socket, part)
    },
  },
]

/** A mapping for `sync` that reads one of these sources, at the address in `SOURCE_URL`. */
export const mapping = `version: 1
brand: halden
database: \${SOURCE_URL}
collections:
  tags:
    from: { sql: select * from labels }
    id: { key: [no] }
    fields: { name: label, createdAt: first-seen, updatedAt: last-changed }
`
