import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decimalOf } from './decimal-key.mjs'
import {
  decimalFunction,
  decimalTextFunction,
  halvesFunction,
  inTimeFunction,
  leastFunction,
  lowBits,
  sumFunction,
} from './dialect.ts'
import type { ThreadData } from './reader-thread.ts'

export interface ConnectionOptions {
  /** Opened for reading alone: no file is created and nothing can be written. */
  readonly readOnly: boolean
}

/** How long opening waits for another process that opens or closes the file. */
const openWaitMs = 5_000
export const pageBytes = 16_384
/**
 * Connections that read map so much of the file into memory, so that rows far apart are read without
 * a system call and a copy each. The pages belong to the operating system's cache. It is the most that
 * SQLite maps.
 */
const mappedBytes = 0x7fff0000
const everywhere = 'pragma temp_store = file; pragma busy_timeout = 0'
const onlyReading = `pragma query_only = on; pragma mmap_size = ${mappedBytes}`
/** The page cache of a connection of a thread. Most pages are read from the mapped file. */
const threadCacheKb = 2_048

/** Opens a connection to a database file. */
export const connect = (file: string, { readOnly }: ConnectionOptions): DatabaseSync => {
  if (!readOnly) createPrivately(file)
  // Opening or closing the file locks it for a moment, which is worth waiting for. Later on, this
  // process waits by itself.
  const connection = new DatabaseSync(file, { timeout: openWaitMs, readOnly })
  if (!readOnly) connection.exec(`pragma page_size = ${pageBytes}; pragma journal_mode = wal`)
  connection.exec(everywhere)
  // Only in the threads has a scan a time limit of its own.
  connection.function(inTimeFunction, () => 1)
  connection.function(decimalFunction, { deterministic: true }, decimalOf)
  return connection
}

/** Opens a connection that only reads, with so much of a page cache. */
export const connectReader = (
  file: string,
  cacheKb: number,
  options: ConnectionOptions,
): DatabaseSync => {
  const connection = connect(file, options)
  connection.exec(`pragma cache_size = -${cacheKb}; ${onlyReading}`)
  return connection
}

/** The same in a thread, which loads no module of the program. */
export const threadDataFor = (file: string, { readOnly }: ConnectionOptions): ThreadData => ({
  file,
  options: { timeout: openWaitMs, readOnly },
  setup: `${everywhere}; pragma cache_size = -${threadCacheKb}; ${onlyReading}`,
  inTimeFunction,
  decimalFunction,
  decimalFunctions: {
    sum: sumFunction,
    text: decimalTextFunction,
    halves: halvesFunction,
    lowBits,
  },
  leastFunction,
})

/**
 * Records, the hashes of keys and the secret that signs are confidential: a new file is readable for
 * its owner alone. SQLite gives the files beside it the same mode.
 */
const createPrivately = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It exists, with the mode its owner gave it; or SQLite will report what is wrong.
  }
}
