import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createTimeLimit } from '#concurrency'
import {
  type Database,
  literal,
  type Query,
  quote,
  type Row,
  type Session,
  type WriteLock,
} from '../database.ts'
import { DatabaseBusyError, DatabaseUnreachableError } from '../errors.ts'
import { createLongReads, type RunningRead } from '../long-read.ts'
import type { ReadShare } from '../read-shares.ts'
import { decodeSlices, nameOf, sliceColumns } from '../row-slices.ts'
import { readPostgresAddress } from './address.ts'
import { commitChannel, openCommitListener } from './commit-listener.ts'
import { compactIndexes } from './compact-indexes.ts'
import { postgresDialect } from './dialect.ts'
import { isAborted, isLost, toDatabaseError, tooSlow } from './errors.ts'
import { longReadsMax, type PostgresHost, type ReadAll } from './host.ts'
import { writtenTimeline } from './host-status.ts'
import { type HostsOptions, openHosts } from './hosts.ts'
import { refuseSharedSessions } from './pooler.ts'
import { beginReading, forPostgres } from './reader.ts'
import { createStatementNames } from './statement-names.ts'
import { columnsQuery, indexesQuery, parseColumns } from './tables.ts'
import type { WriterConnection } from './writer-connection.ts'

export interface PostgresOptions extends HostsOptions {
  /** How long a writer waits for another writer. */
  readonly writeWaitMs?: number
}

/**
 * The connection may have prepared the same statements for a few rows in almost empty tables. Their
 * plans may compare every row with every other, so that a large batch takes hours.
 */
const planAnew = "set local plan_cache_mode = 'force_custom_plan'"
const fewRows = 100

/** How long an index rebuild waits for other writers. */
const compactWaitMs = 100

/** Duration of a step of a long read: long compared to a round trip. */
const stepMs = 50
/** Time of a step that does not count as reader time: many short steps wait more than they read. */
const roundTripMs = 10

/** Arbitrary numbers that every writer must share. */
const [recordsLock, keysLock, queueLock] = [7_301_974, 7_301_975, 7_301_977]

/** A key with more reader time lately gets one core of the database: a quarter of one, continually. */
const oneCoreMs = 800

/**
 * Holds the lock of such a key while a query runs: its steps run one at a time on all workers. Sent
 * together, so that a worker that is busy or gone holds no lock.
 */
const withLock = ({ key }: ReadShare, query: Query): readonly [Query, Query, Query] => {
  const call = (name: string, column = '') => ({
    text: `select ${name}(hashtextextended(?1, 1))${column}`,
    values: [key.name],
  })
  const waited = ', extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000'
  return [call('pg_advisory_lock', waited), query, call('pg_advisory_unlock')]
}

/** Whether a statement has a plan; others define tables or control transactions. */
const isPlanned = (text: string): boolean => /^(select|insert|update|delete|with) /.test(text)

/** Whether a writer with this lock may change records. */
const changesRecords = (lock: WriteLock): boolean => lock === 'records' || typeof lock === 'object'

/** The statements that take a lock, in the same order for all writers, to avoid deadlocks. */
const lockStatements = (lock: WriteLock): readonly string[] => {
  const exclusive = (number: number) => `select pg_advisory_xact_lock(${number})`
  if (lock === 'records') return [exclusive(recordsLock)]
  if (lock === 'keys') return [exclusive(keysLock)]
  if (lock === 'queue') return [exclusive(queueLock)]
  if (lock === 'states') return []
  return [
    `select pg_advisory_xact_lock_shared(${recordsLock})`,
    `select pg_advisory_xact_lock(hashtextextended(${literal(lock.owner)}, 0))`,
  ]
}

/** A PostgreSQL database: writes go to the primary, reads to replicas if there are any. */
export const openPostgres = (
  url: string,
  { writeWaitMs = 5_000, ...hostsOptions }: PostgresOptions = {},
): Database => {
  const address = readPostgresAddress(url)
  if (typeof address === 'string') throw new RangeError(`The database address ${address}.`)
  const longReads = createLongReads(longReadsMax, address.queryMs)
  const hosts = openHosts(address, longReads, hostsOptions)
  const timeLimit = createTimeLimit(address.queryMs, () => tooSlow(address.queryMs))

  const names = createStatementNames()
  /** Prepares a query once per connection: planning most queries takes longer than running them. */
  const prepared = (query: Query): pg.QueryConfig => {
    const name = isPlanned(query.text) ? names.of(query.text) : undefined
    return { ...forPostgres(query), ...(name !== undefined && { name }) }
  }
  const withClient = async <T>(
    work: (client: pg.Client) => Promise<T>,
    host = hosts.writer,
  ): Promise<T> => {
    const client = await (await host()).connect()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // The connection's state is unknown, so it is not reused.
      client.release(true)
      throw error
    }
  }
  /** Begins a write transaction on a connection that is kept for the next one. */
  const beginWriting = async (waitMs: number, lock: WriteLock): Promise<Writing> => {
    for (;;) {
      const host = await hosts.writer()
      const connection = await host.connectWriter()
      try {
        const limitMs = waitMs + address.connectMs
        const readsTimeline = hosts.isIdentified(host)
        const timeline = await begin(connection.client, { lock, waitMs, limitMs, readsTimeline })
        hosts.verify(host, timeline)
        return { host, connection }
      } catch (error) {
        connection.destroy()
        // The connection was lost while idle. Few others can be in this state.
        if (connection.isReused && isLost(error)) continue
        throw error
      }
    }
  }
  const inWriting = async <T>(
    waitMs: number,
    lock: WriteLock,
    work: (session: Session, writing: Writing) => Promise<T>,
  ): Promise<T> => {
    const writing = await beginWriting(waitMs, lock)
    const { connection } = writing
    const { client, addRows } = connection
    try {
      const result = await work(sessionOn(client, addRows), writing)
      connection.release()
      return result
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
  const all = async (
    client: pg.Client,
    query: Query,
    limitMs?: number,
  ): Promise<readonly Row[]> => {
    try {
      const { rows } = await client.query({
        ...prepared(query),
        rowMode: 'array',
        ...(limitMs && { query_timeout: limitMs }),
      })
      return rows as unknown as readonly Row[]
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  const readAll = async (client: pg.Client, queries: readonly Query[]) => {
    const limited = (query: Query) => all(client, query, address.queryMs * 5)
    const [first, ...others] = queries
    // A single statement sees one state without two more round trips.
    if (first && others.length === 0) return [await limited(first)]
    await limited({ text: beginReading, values: [] })
    const results: (readonly Row[])[] = []
    for (const query of queries) results.push(await limited(query))
    await limited({ text: 'commit', values: [] })
    return results
  }
  /** Retries a read once if its connection fails. */
  const readAnywhere = async (queries: readonly Query[]) => {
    const read = () => withClient((client) => readAll(client, queries), hosts.any)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof DatabaseUnreachableError)) throw error
      return read()
    }
  }
  const sessionOn = (
    client: pg.Client,
    onRows: (count: number) => void = () => undefined,
  ): Session => {
    const sent = new Set<Promise<unknown>>()
    let failure: unknown
    /** Sends a statement without waiting for earlier answers. */
    const send = async <T>(statement: Promise<T>): Promise<T> => {
      sent.add(statement)
      try {
        return await statement
      } catch (error) {
        // Statements sent after a failed one only report that the transaction is aborted.
        if (!isAborted(error)) failure = toDatabaseError(error)
        throw failure ?? toDatabaseError(error)
      } finally {
        sent.delete(statement)
      }
    }
    let copied = 0
    const copy = async (...rows: Parameters<typeof copyRows>) => {
      // The server accepts only rows during a copy.
      await Promise.allSettled(sent)
      const count = await send(copyRows(...rows))
      copied += count
      onRows(count)
      // Again after each copy, because a rollback to a savepoint undoes it.
      if (copied > fewRows) await send(runScript(client, [planAnew]))
    }
    return {
      all: (query) => send(all(client, query)),
      run: async (query) => (await send(client.query(prepared(query)))).rowCount ?? 0,
      runAll: async (texts) => {
        await send(runScript(client, texts))
      },
      bulkInsert: (table, columns, rows) => copy(client, table, columns.map(nameOf), rows),
      bulkInsertSlices: (table, rows) =>
        copy(client, table, sliceColumns(rows), decodeSlices(rows)),
      autonomous: (work) =>
        withClient(async (own) => {
          await runScript(own, ['begin', ...postgresDialect.lockTimeout(writeWaitMs)])
          const result = await work(sessionOn(own))
          await all(own, { text: 'commit', values: [] })
          return result
        }),
    }
  }
  const snapshot: Database['snapshot'] = (work) =>
    withClient(async (client) => {
      await all(client, { text: beginReading, values: [] })
      const result = await work((query) => all(client, query))
      await all(client, { text: 'commit', values: [] })
      return result
    })
  const ask = (text: string, ...values: string[]) =>
    withClient((client) => all(client, { text, values }))

  return {
    dialect: postgresDialect,
    queryMs: address.queryMs,
    read: (queries, owner, { isBrief = false } = {}) =>
      owner === undefined
        ? readAnywhere(queries)
        : // Connecting, reading and retrying share one limit: a request never waits for their sum.
          timeLimit.run((timeout) =>
            hosts.read((host) => host.read(queries, owner, timeout, isBrief)),
          ),
    readInSteps: (owner, isCancelled, work, options = {}) => {
      const { timeMs, onEnded } = options
      const inSteps = ({ share, turn, addWait }: RunningRead, all: ReadAll) => {
        const readLocked = async (query: Query) => {
          const [[locked] = [], rows = []] = await all(...withLock(share, query))
          const waitedMs = Number(locked?.[1])
          addWait(waitedMs)
          return { rows, waitedMs }
        }
        let tookMs = 0
        return work({
          stepMs,
          get tookMs() {
            return tookMs
          },
          all: async (query) => {
            await turn(tookMs)
            let began = performance.now()
            try {
              if (share.key.ms <= oneCoreMs) return (await all(query))[0] ?? []
              const { rows, waitedMs } = await readLocked(query)
              began += waitedMs
              return rows
            } finally {
              tookMs = performance.now() - began
              share.charge(Math.max(0, tookMs - roundTripMs))
            }
          },
        })
      }
      const long = timeMs === undefined ? undefined : { onEnded }
      const run = (read: RunningRead) =>
        hosts.read((host) =>
          host.readAlone(owner, read.timeLeft, (all) => inSteps(read, all), long),
        )
      return longReads.run(owner, run, { isCancelled, ...options })
    },
    readAfter: ({ query, owner, isMet }, work) =>
      hosts.readAfter(
        (host) =>
          timeLimit.run(async (timeout) => {
            const results = await host.read([query, recoveryQuery], owner, timeout, false)
            const [[row] = [], [recovery] = []] = results
            return { isMet: isMet(row), isReplica: recovery?.[0] === 'replica' }
          }),
        work,
      ),
    write: (work, lock = 'records') =>
      inWriting(writeWaitMs, lock, async (session, { host, connection }) => {
        const result = await work(session)
        // Another server may have been promoted meanwhile.
        hosts.verify(host)
        await runScript(connection.client, [
          ...(changesRecords(lock) ? [`notify ${commitChannel}`] : []),
          'commit',
        ])
        return result
      }),
    snapshot,
    listen: (onCommit) =>
      openCommitListener({
        connect: async () => {
          const host = await hosts.writer()
          return { client: await host.dedicatedClient(), verify: () => hosts.verify(host) }
        },
        onCommit,
      }),
    tables: async () => {
      const tables = parseColumns(await ask(columnsQuery))
      return new Map(tables.map(({ name, columns }) => [name, columns.map((each) => each.name)]))
    },
    indexes: async () => new Set((await ask(indexesQuery)).map(([name]) => name as string)),
    // PostgreSQL frees the space of a dropped table when its transaction commits.
    reclaimSpace: async () => undefined,
    compactIndexes: (table) =>
      // Excludes migrations, and other rebuilds.
      inWriting(compactWaitMs, { owner: '(indexes)' }, async (session, { connection }) => {
        await compactIndexes(session, table)
        await all(connection.client, { text: 'commit', values: [] })
      }),
    explain: async ({ text, values }) =>
      (await withClient((client) => all(client, { text: `explain ${text}`, values }))).map(
        ([line]) => line as string,
      ),
    checkServing: async () => {
      for (const host of await hosts.reachable()) await refuseSharedSessions(host)
    },
    hosts,
    figures: () => {
      const { pools, heldSnapshots } = hosts.figures()
      return { pools: [...pools, longReads.figures()], heldSnapshots }
    },
    close: () => hosts.close(),
  }
}

/** The role of a server, which may have changed since it was polled. */
const recoveryQuery: Query = {
  text: "select case when pg_is_in_recovery() then 'replica' else 'primary' end",
  values: [],
}

/** Runs statements without parameters, in one round trip. Returns the rows of the last one. */
const runScript = async (
  client: pg.Client,
  statements: readonly string[],
  limitMs?: number,
): Promise<readonly { readonly [column: string]: unknown }[]> => {
  if (statements.length === 0) return []
  const text = statements.join(';\n')
  try {
    const result = await client.query({ text, ...(limitMs && { query_timeout: limitMs }) })
    // The driver returns a list if there are several statements.
    return ([result].flat().at(-1) as pg.QueryResult).rows
  } catch (error) {
    throw toDatabaseError(error)
  }
}

/** A write transaction, and the server that it is on. */
interface Writing {
  readonly host: PostgresHost
  readonly connection: WriterConnection
}

interface Beginning {
  readonly lock: WriteLock
  /** How long it waits for other writers. */
  readonly waitMs: number
  /** Total time limit. */
  readonly limitMs: number
  readonly readsTimeline: boolean
}

/** Begins a transaction. Returns the timeline of the server if it is wanted. */
const begin = async (
  client: pg.Client,
  { lock, waitMs, limitMs, readsTimeline }: Beginning,
): Promise<number | undefined> => {
  const locks = lockStatements(lock)
  const limit = (ms: number) => `set local lock_timeout = ${ms}`
  try {
    const limited = [limit(Math.max(1, Math.round(waitMs))), ...locks, limit(0)]
    const statements = ['begin', ...(locks.length > 0 ? limited : [])]
    if (!readsTimeline) {
      await runScript(client, statements, limitMs)
      return undefined
    }
    const rows = await runScript(
      client,
      [...statements, `select ${writtenTimeline} as timeline`],
      limitMs,
    )
    return (rows[0]?.['timeline'] as number | null | undefined) ?? undefined
  } catch (error) {
    if (!(error instanceof DatabaseBusyError)) throw error
    throw new DatabaseBusyError('Another import or command is writing to the database.', {
      cause: error.cause,
    })
  }
}

const copyRows = async (
  client: pg.Client,
  table: string,
  columns: readonly string[],
  rows: Iterable<Row>,
): Promise<number> => {
  const text = `copy ${quote(table)} (${columns.map(quote).join(', ')}) from stdin`
  const isPipelined = client.pipeline
  try {
    // The driver cannot copy on a pipelined connection.
    Object.assign(client, { pipeline: false })
    const copy = client.query(copyFrom(text))
    await pipeline(copyText(rows), copy)
    return copy.rowCount
  } catch (error) {
    throw error instanceof RangeError ? error : toDatabaseError(error)
  } finally {
    Object.assign(client, { pipeline: isPipelined })
  }
}

const copyChunk = 64 * 1_024

/** Rows in the text format of COPY, a few thousand bytes at a time. */
function* copyText(rows: Iterable<Row>): Iterable<string> {
  let chunk = ''
  for (const row of rows) {
    chunk += `${row.map(copyValue).join('\t')}\n`
    if (chunk.length > copyChunk) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

const escapes: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const copyValue = (value: Row[number]): string => {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return `\\\\x${Buffer.from(value).toString('hex')}`
  return value.replaceAll(/[\\\n\r\t]/g, (each) => escapes[each] ?? each)
}
