import { DatabaseError, DatabaseUnreachableError } from '#database'
import { startThread } from '#installation'
import { MigrationError } from '#store'
import { type DatabaseConfig, databaseConfigOf } from './service-database.ts'

/** The messages of the thread. */
export type ThreadMessage =
  | { readonly log: string }
  /** An expected error with a readable message. */
  | { readonly failed: FailureKind; readonly message: string }

const failures = {
  migration: MigrationError,
  unreachable: DatabaseUnreachableError,
  database: DatabaseError,
} as const

export type FailureKind = keyof typeof failures

/** The kind of an expected error; undefined for any other. */
export const failureKindOf = (error: unknown): FailureKind | undefined =>
  (Object.keys(failures) as FailureKind[]).find((kind) => error instanceof failures[kind])

/**
 * Converts the records of a database in a thread. SQLite statements block their thread for seconds,
 * while this one responds to clients.
 */
export const convertInThread = (
  config: DatabaseConfig,
  log: (sentence: string) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const workerData = databaseConfigOf(config)
    const thread = startThread('server/convert-thread-main.ts', { workerData })
    thread.on('message', (message: ThreadMessage) => {
      if ('log' in message) log(message.log)
      else reject(new failures[message.failed](message.message))
    })
    thread.once('error', reject)
    thread.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`The conversion thread exited with code ${code}.`))
    })
  })
