import type pg from 'pg'
import type { Query, Results } from '../database.ts'
import { isCancelled } from './errors.ts'
import { openPipeline } from './pipeline.ts'

/** The role that serves requests: it sees an owner's rows only while that owner has been named. */
export const readerRole = 'selvedge_reader'

/** One connection that many requests share. The queries of each are a transaction of their own. */
export interface Reader {
  /** Resolves once it can be used; rejects when it could not be opened. */
  readonly ready: Promise<void>
  readonly isReady: boolean
  /** Whether it broke or was closed. */
  readonly isClosed: boolean
  /** Requests without a response, also those whose client does not wait any more. */
  readonly inFlight: number
  /**
   * Runs a request's queries against one state. Rejects with the driver's own error. `isSlow` says,
   * when their turn comes, whether they became known as slow after they were sent.
   */
  ask(queries: readonly Query[], owner: number, isSlow: () => boolean): Promise<Results>
  close(): Promise<void>
}

/** A statement was cancelled before its own time was over: the request can be repeated. */
export class CancelledEarlyError extends Error {}

export interface ReaderParts {
  readonly config: pg.ClientConfig
  /** How long connecting may take. */
  readonly connectMs: number
  /** The server cancels a statement that takes longer; the connection stays. */
  readonly statementMs: number
  /** A server that has sent nothing for so long, although requests are in flight, is taken to hang. */
  readonly silentMs: number
  /** Cancels the statement that a process of the server is running. */
  readonly cancel: (processId: number) => void
}

export const openReader = (parts: ReaderParts): Reader => {
  const { statementMs, silentMs } = parts
  const settings = `set statement_timeout = ${statementMs}; ${servingSettings}`
  const pipeline = openPipeline({ ...parts, preparation: settings })
  let watchTimer: NodeJS.Timeout | undefined

  /** Checks whether the server still sends something, for as long as requests are in flight. */
  const watch = (ms: number) => {
    watchTimer = setTimeout(() => {
      // What has arrived while this process was busy is read first.
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

/** Begins a transaction that sees one state and changes nothing. */
export const beginReading = 'begin isolation level repeatable read read only'

/** Whether the user may act as a role: from PostgreSQL 16 on, a member need not have that right. */
export const mayTake = (role: string): string =>
  `coalesce(pg_has_role(current_user, ${role}, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false)`

/**
 * Sets the role that serves requests, where the user may set it and it may read. Otherwise only the
 * conditions in the statements keep brands apart.
 */
const takeRole = [
  "select set_config('role', rolname, false)",
  'from pg_roles',
  `where rolname = '${readerRole}' and ${mayTake('oid')}`,
  "and coalesce(has_table_privilege(oid, to_regclass('public.selvedge_collections'), 'select'), false)",
].join(' ')

/**
 * The settings of a connection that serves requests, as one message. Not as startup parameters:
 * poolers refuse those that they do not know.
 */
export const servingSettings: string = [
  'set session characteristics as transaction isolation level repeatable read, read only',
  // Everything that a request reads has an index in its order. Where many rows match, the planner
  // would sometimes rather scan the table in the hope of finding one soon.
  'set enable_seqscan = off',
  // A request that reads much takes one core of the server, and leaves the others to the other requests.
  'set max_parallel_workers_per_gather = 0',
  takeRole,
].join('; ')

/** Names the owner whose rows are visible until the transaction ends. It returns no row. */
export const ownerSetting = (owner: number): Query => ({
  text: "select where set_config('selvedge.owner', ?1, true) is null",
  values: [String(owner)],
})

/** A query with its parameters in PostgreSQL's form. */
export const forPostgres = ({ text, values }: Query): pg.QueryConfig => ({
  text: text.replaceAll(/\?(\d+)/g, '$$$1'),
  values: [...values],
})
