import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decimalOf } from './decimal-key.mjs'
import { productOf } from './decimal-sum.mjs'
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
  /** Read-only: creates no file and writes nothing. */
  readonly readOnly: boolean
}

/** How long opening waits for another process that opens or closes the file. */
const openWaitMs = 5_000
export const pageBytes = 16_384
/**
 * Readers map this much of the file into memory, so that reading distant rows needs no system call
 * and copy each. The pages belong to the operating system's cache. This is SQLite's maximum.
 */
const mappedBytes = 0x7fff0000
const everywhere = 'pragma temp_store = file; pragma busy_timeout = 0'
const onlyReading = `pragma query_only = on; pragma mmap_size = ${mappedBytes}`
/** Page cache of a thread's connection. Most pages come from the mapped file. */
const threadCacheKb = 2_048

export const connect = (file: string, options: ConnectionOptions): DatabaseSync => {
  if (!options.readOnly) createPrivately(file)
  const inode = inodeOf(file)
  try {
    return open(file, options)
  } catch (error) {
    if (inodeOf(file) === inode) throw error
    // A restore has replaced the file, which this has waited for.
    return connect(file, options)
  }
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

const open = (file: string, { readOnly }: ConnectionOptions): DatabaseSync => {
  // Opening or closing the file locks it for a moment, so SQLite waits here. Later, this process
  // waits without blocking.
  const connection = new DatabaseSync(file, { timeout: openWaitMs, readOnly })
  try {
    if (!readOnly) connection.exec(`pragma page_size = ${pageBytes}; pragma journal_mode = wal`)
  } catch (error) {
    connection.close()
    throw error
  }
  connection.exec(everywhere)
  // Only threads give a scan its own time limit.
  connection.function(inTimeFunction, () => 1)
  connection.function(decimalFunction, { deterministic: true }, decimalOf)
  connection.function(decimalFunction, { deterministic: true, varargs: true }, productOf)
  return connection
}

/** Opens a read-only connection with a page cache of `cacheKb`. */
export const connectReader = (
  file: string,
  cacheKb: number,
  options: ConnectionOptions,
): DatabaseSync => {
  const connection = connect(file, options)
  connection.exec(`pragma cache_size = -${cacheKb}; ${onlyReading}`)
  return connection
}

/** The same settings for a reader thread, which loads no module of the program. */
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
 * Records, key hashes and the signing secret are confidential: only the owner can read a new file.
 * SQLite gives the files beside it the same mode.
 */
const createPrivately = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It exists, with the mode its owner chose; or SQLite will report the problem.
  }
}
