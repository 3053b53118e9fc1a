import type { Socket } from 'node:net'
import pg from 'pg'
import { withTimeout } from '#concurrency'
import type { Query, Results, Row } from '../database.ts'
import { connectTooSlow } from './errors.ts'
import { createMessageSplitter, type OnMessage } from './message-splitter.ts'
import { createMessageWriter } from './message-writer.ts'
import { createRowDecoder, noRows, type RowDecoder } from './row-decoder.ts'
import { readServerError } from './server-error.ts'

/**
 * One connection that sends transactions without waiting for earlier responses. The driver
 * connects: it handles addresses, TLS and authentication. After that, this module writes and reads
 * the messages, for two reasons. The driver decodes every value to a string, even a record that is
 * sent on as bytes. And it sends each statement of a transaction separately.
 *
 * One `sync` follows the statements of a transaction, without `begin` and `commit`: the server ends
 * the transaction there, and rolls it back after an error. A statement that fails or is cancelled
 * aborts the rest of its transaction, but no other transaction.
 */
export interface Pipeline {
  /** Resolves once it is usable; rejects if it cannot be opened. */
  readonly ready: Promise<void>
  readonly isReady: boolean
  /** Whether it broke or was closed. */
  readonly isClosed: boolean
  /** Transactions without a response. */
  readonly inFlight: number
  /** Time of the last data from the server, or of the last send to an idle server. */
  readonly heardAt: number
  /** The server's process. */
  readonly processId: number
  /** Runs queries as one transaction. Rejects with the driver's error. */
  run(queries: readonly Query[], options?: RunOptions): Promise<Results>
  /** Closes it at once: a hung server would never end the connection cleanly. */
  destroy(): void
  close(): Promise<void>
}

export interface RunOptions {
  /** Runs first in the transaction. Its rows are not in the results. */
  readonly before?: Query
  /** Called when the server has answered everything sent earlier. */
  readonly onTurn?: () => void
}

export interface PipelineParts {
  readonly config: pg.ClientConfig
  /** Time limit for connecting. */
  readonly connectMs: number
  /** The connection's settings, as one message. */
  readonly preparation: string
}

/** A statement that the server parses once. */
interface Statement {
  readonly name: string
  /** Decodes its rows; null until the server has described them. */
  decoder: RowDecoder | null
  readonly prepared: Promise<void>
}

/** The messages that one `sync` ends: a transaction, or the preparation of a statement. */
interface Exchange {
  readonly statements: readonly Statement[]
  /** The rows of each statement. */
  readonly results: Row[][]
  /** Number of leading statements whose rows are not in the results. */
  readonly skipped: number
  /** The statement whose answer is next. */
  index: number
  error: unknown
  readonly onTurn: (() => void) | undefined
  readonly resolve: (results: Results) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of prepared statements per connection; the oldest is evicted. */
const statementsMax = 500

const codes = {
  commandComplete: 0x43,
  dataRow: 0x44,
  emptyQuery: 0x49,
  errorResponse: 0x45,
  noData: 0x6e,
  readyForQuery: 0x5a,
  rowDescription: 0x54,
} as const

export const openPipeline = ({ config, connectMs, preparation }: PipelineParts): Pipeline => {
  const client = new pg.Client(config)
  const writer = createMessageWriter()
  const statements = new Map<string, Statement>()
  /** Oldest first: the server answers in this order. */
  const exchanges: Exchange[] = []
  let isReady = false
  let isClosed = false
  let isFlushing = false
  let heardAt = 0
  let processId = 0
  let statementsMade = 0
  /** Transactions whose statements are being prepared. */
  let waiting = 0
  /** Resolves when nothing is in flight, after `close` was called. */
  const drained = Promise.withResolvers<void>()
  let isClosing = false

  const inFlight = (): number => exchanges.length + waiting

  const closeWith = (error: unknown): void => {
    isClosed = true
    isReady = false
    client.connection.stream.destroy()
    for (const each of exchanges.splice(0)) each.reject(each.error ?? error)
    drained.resolve()
  }
  const destroy = () => closeWith(new Error('The connection was closed'))
  client.on('error', closeWith)
  client.on('end', destroy)

  const onMessage: OnMessage = (code, bytes, start, end) => {
    const [exchange] = exchanges
    if (!exchange) {
      // An unsolicited message is a notice, unless it is an error: the connection then ends.
      if (code === codes.errorResponse) throw readServerError(bytes, start, end)
      return
    }
    const statement = exchange.statements[exchange.index]
    switch (code) {
      case codes.dataRow:
        exchange.results[exchange.index - exchange.skipped]?.push(
          (statement?.decoder ?? noRows).decode(bytes, start, end),
        )
        break
      case codes.commandComplete:
      case codes.emptyQuery:
        exchange.index += 1
        break
      case codes.rowDescription:
        if (statement) statement.decoder = createRowDecoder(bytes, start)
        break
      case codes.noData:
        if (statement) statement.decoder = noRows
        break
      case codes.errorResponse:
        exchange.error = readServerError(bytes, start, end)
        break
      case codes.readyForQuery:
        exchanges.shift()
        if (exchange.error === undefined) exchange.resolve(exchange.results)
        else exchange.reject(exchange.error)
        exchanges[0]?.onTurn?.()
        if (isClosing && inFlight() === 0) drained.resolve()
        break
      default:
    }
  }

  /** From here on the driver neither reads nor writes; it still reports a broken connection. */
  const takeOver = (stream: Socket): void => {
    const split = createMessageSplitter(onMessage)
    stream.removeAllListeners('data')
    stream.on('data', (chunk: Buffer) => {
      heardAt = performance.now()
      try {
        split(chunk)
      } catch (error) {
        closeWith(error)
      }
    })
  }

  const connect = async (): Promise<void> => {
    const prepare = async () => {
      await client.connect()
      const results = await client.query({
        text: `${preparation}; select pg_backend_pid()`,
        rowMode: 'array',
      })
      const last = [results].flat().at(-1)
      processId = Number(last?.rows[0]?.[0])
    }
    await withTimeout(connectMs, prepare(), connectTooSlow)
    takeOver(client.connection.stream as Socket)
    isReady = !isClosed
  }
  const ready = connect()
  ready.catch(destroy)

  /** Sends the messages of all requests of this event-loop turn in one system call. */
  const flush = (): void => {
    isFlushing = false
    if (!isClosed) client.connection.stream.write(writer.take())
  }

  const send = (exchange: Exchange): void => {
    if (isClosed) {
      exchange.reject(new Error('The connection was closed'))
      return
    }
    writer.sync()
    if (exchanges.length === 0) {
      heardAt = performance.now()
      exchange.onTurn?.()
    }
    exchanges.push(exchange)
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  /** Evicts the oldest statements. A transaction about to use one of them is retried. */
  const forgetOldest = (): void => {
    for (const [text, { name, decoder }] of statements) {
      if (statements.size < statementsMax) return
      if (!decoder) continue
      statements.delete(text)
      writer.forget(name)
    }
  }

  const prepare = (text: string): Statement => {
    forgetOldest()
    statementsMade += 1
    const { promise: prepared, resolve, reject } = Promise.withResolvers<void>()
    const statement: Statement = { name: `s${statementsMade}`, decoder: null, prepared }
    statements.set(text, statement)
    prepared.catch(() => statements.delete(text))
    writer.prepare(statement.name, forPostgres(text))
    send({
      statements: [statement],
      results: [],
      skipped: 0,
      index: 0,
      error: undefined,
      onTurn: undefined,
      resolve: () => resolve(),
      reject,
    })
    return statement
  }

  /** Drops statements that were lost or no longer fit their tables; they are prepared again. */
  const forgetLost = (queries: readonly Query[], error: unknown): void => {
    if (!isLost(error)) return
    for (const { text } of queries) {
      const statement = statements.get(text)
      if (!statement?.decoder || isClosed) continue
      statements.delete(text)
      writer.forget(statement.name)
    }
  }

  /** Returns a statement for each query, in order, and prepares new ones. */
  const statementsOf = (queries: readonly Query[]): readonly Statement[] =>
    queries.map(({ text }) => statements.get(text) ?? prepare(text))

  const execute = (
    queries: readonly Query[],
    used: readonly Statement[],
    { before, onTurn }: RunOptions,
  ): Promise<Results> =>
    new Promise<Results>((resolve, reject) => {
      for (let index = 0; index < used.length; index += 1) {
        const { name, decoder } = used[index] as Statement
        writer.execute(name, queries[index]?.values ?? [], decoder?.formats ?? [])
      }
      const skipped = before ? 1 : 0
      send({
        statements: used,
        results: Array.from({ length: used.length - skipped }, () => []),
        skipped,
        index: 0,
        error: undefined,
        onTurn,
        resolve,
        reject: (error) => {
          forgetLost(queries, error)
          reject(error)
        },
      })
    })

  const prepareAndExecute = async (
    queries: readonly Query[],
    used: readonly Statement[],
    options: RunOptions,
  ): Promise<Results> => {
    waiting += 1
    try {
      await Promise.all(used.map(({ prepared }) => prepared))
    } catch (error) {
      waiting -= 1
      if (isClosing && inFlight() === 0) drained.resolve()
      throw error
    }
    waiting -= 1
    return execute(queries, used, options)
  }

  return {
    ready,
    get isReady() {
      return isReady
    },
    get isClosed() {
      return isClosed
    },
    get inFlight() {
      return inFlight()
    },
    get heardAt() {
      return heardAt
    },
    get processId() {
      return processId
    },
    run: (queries, options = {}) => {
      const all = options.before ? [options.before, ...queries] : queries
      const used = statementsOf(all)
      return used.every(({ decoder }) => decoder)
        ? execute(all, used, options)
        : prepareAndExecute(all, used, options)
    },
    destroy,
    close: async () => {
      isClosing = true
      const answered = ready.then(() => (inFlight() > 0 ? drained.promise : undefined))
      await withTimeout(connectMs, answered).catch(() => undefined)
      if (isReady) {
        isReady = false
        const ended = new Promise<void>((resolve) => void client.once('end', resolve))
        writer.terminate()
        client.connection.stream.end(writer.take())
        await withTimeout(connectMs, ended).catch(() => undefined)
      }
      destroy()
    },
  }
}

/** Rewrites parameters to PostgreSQL's form. */
const forPostgres = (text: string): string => text.replaceAll(/\?(\d+)/g, '$$$1')

/** Whether a prepared statement no longer exists, or returns other columns than before. */
const isLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '26000' || error.code === '0A000')
