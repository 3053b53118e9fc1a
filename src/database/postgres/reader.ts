import type pg from 'pg'
import type { Query, Results } from '../database.ts'
import { isCancelled } from './errors.ts'
import { openPipeline } from './pipeline.ts'

/** The serving role. It sees an owner's rows only in transactions that name that owner. */
export const readerRole = 'selvedge_reader'

/** One connection shared by many requests. Each request's queries are a separate transaction. */
export interface Reader {
  /** Resolves once it is usable; rejects if it cannot be opened. */
  readonly ready: Promise<void>
  readonly isReady: boolean
  /** Whether it broke or was closed. */
  readonly isClosed: boolean
  /** Requests without a response, including those whose client no longer waits. */
  readonly inFlight: number
  /**
   * Runs a request's queries against one state. Rejects with the driver's error. When their turn
   * comes, `isSlow` returns whether they were found to be slow after they were sent.
   */
  ask(queries: readonly Query[], owner: number, isSlow: () => boolean): Promise<Results>
  close(): Promise<void>
}

/** A statement was cancelled before its timeout: the request can be retried. */
export class CancelledEarlyError extends Error {}

export interface ReaderParts {
  readonly config: pg.ClientConfig
  /** Time limit for connecting. */
  readonly connectMs: number
  /** The server cancels a statement that takes longer; the connection stays. */
  readonly statementMs: number
  /** A server that sends nothing for this long, with requests in flight, is considered hung. */
  readonly silentMs: number
  /** Cancels the current statement of a server process. */
  readonly cancel: (processId: number) => void
}

export const openReader = (parts: ReaderParts): Reader => {
  const { statementMs, silentMs } = parts
  const settings = `set statement_timeout = ${statementMs}; ${servingSettings}`
  const pipeline = openPipeline({ ...parts, preparation: settings })
  let watchTimer: NodeJS.Timeout | undefined

  /** Checks that the server still sends data while requests are in flight. */
  const watch = (ms: number) => {
    watchTimer = setTimeout(() => {
      // First read the data that arrived while this process was busy.
      setImmediate(() => {
        watchTimer = undefined
        if (pipeline.inFlight === 0 || pipeline.isClosed) return
        const leftMs = pipeline.heardAt + silentMs - performance.now()
        if (leftMs > 0) watch(leftMs)
        else pipeline.destroy()
      })
    }, ms).unref()
  }

  return {
    ready: pipeline.ready,
    get isReady() {
      return pipeline.isReady
    },
    get isClosed() {
      return pipeline.isClosed
    },
    get inFlight() {
      return pipeline.inFlight
    },
    ask: async (queries, owner, isSlow) => {
      if (!watchTimer) watch(silentMs)
      let beganAt = 0
      const onTurn = () => {
        beganAt = performance.now()
        if (isSlow()) parts.cancel(pipeline.processId)
      }
      try {
        return await pipeline.run(queries, { before: ownerSetting(owner), onTurn })
      } catch (error) {
        const isEarly = performance.now() - beganAt < statementMs / 2
        throw isCancelled(error) && isEarly ? new CancelledEarlyError() : error
      }
    },
    close: pipeline.close,
  }
}

/** Begins a read-only transaction on one snapshot. */
export const beginReading = 'begin isolation level repeatable read read only'

/** Whether the user may act as a role: since PostgreSQL 16, a member may lack that right. */
export const mayTake = (role: string): string =>
  `coalesce(pg_has_role(current_user, ${role}, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false)`

/**
 * Sets the serving role if the user may set it and the role may read. Otherwise only the conditions
 * in the statements separate brands.
 */
const takeRole = [
  "select set_config('role', rolname, false)",
  'from pg_roles',
  `where rolname = '${readerRole}' and ${mayTake('oid')}`,
  "and coalesce(has_table_privilege(oid, to_regclass('public.selvedge_collections'), 'select'), false)",
].join(' ')

/**
 * The settings of a connection that serves requests, as one message. Not startup parameters:
 * poolers reject unknown ones.
 */
export const servingSettings: string = [
  'set session characteristics as transaction isolation level repeatable read, read only',
  // Every request reads along an index in its order. If many rows match, the planner may prefer to
  // scan the table in the hope of an early match.
  'set enable_seqscan = off',
  // A large read uses one core of the server and leaves the others to other requests.
  'set max_parallel_workers_per_gather = 0',
  takeRole,
].join('; ')

/** Names the owner whose rows are visible until the transaction ends. Returns no row. */
export const ownerSetting = (owner: number): Query => ({
  text: "select where set_config('selvedge.owner', ?1, true) is null",
  values: [String(owner)],
})

/** Converts a query to PostgreSQL's parameter form. */
export const forPostgres = ({ text, values }: Query): pg.QueryConfig => ({
  text: text.replaceAll(/\?(\d+)/g, '$$$1'),
  values: [...values],
})
