import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inTimeFunction } from './dialect.ts'

export interface ConnectionOptions {
  /** Opened for reading alone: no file is created and nothing can be written. */
  readonly readOnly: boolean
  /** Whether a scan on this connection may continue; throws otherwise. By default it always may. */
  readonly checkTime?: () => void
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
const onlyReading = `pragma query_only = on; pragma mmap_size = ${mappedBytes}`

/** Opens a connection to a database file. */
export const connect = (file: string, options: ConnectionOptions): DatabaseSync => {
  const { readOnly, checkTime = () => undefined } = options
  if (!readOnly) createPrivately(file)
  // Opening or closing the file locks it for a moment, which is worth waiting for. Later on, this
  // process waits by itself.
  const connection = new DatabaseSync(file, { timeout: openWaitMs, readOnly })
  if (!readOnly) connection.exec(`pragma page_size = ${pageBytes}; pragma journal_mode = wal`)
  connection.exec('pragma temp_store = file; pragma busy_timeout = 0')
  connection.function(inTimeFunction, () => {
    checkTime()
    return 1
  })
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
