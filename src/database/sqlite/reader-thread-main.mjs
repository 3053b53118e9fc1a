// @ts-check
// JavaScript without imports of the program: stripping types would cost each thread 10 MB and 150 ms.
import { getPriority, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { decimalOf } from './decimal-key.mjs'
import { addDecimalFunctions, productOf } from './decimal-sum.mjs'
import { addLeast } from './least-values.mjs'

/** @import { StatementSync } from 'node:sqlite' */
/** @import { Query, Row } from '../database.ts' */
/** @import { ReaderThreadData, ThreadReply, ThreadRequest } from './reader-thread.ts' */

/**
 * One read: its transaction is on a connection that no other read uses meanwhile.
 * @typedef {{ readonly connection: DatabaseSync, readonly prepared: Map<string, StatementSync> }}
 * OpenRead
 */

/** Shorter values are copied: transferring a buffer costs more than copying this many bytes. */
const transferredBytesMin = 4_096
/** Maximum number of prepared statements per connection. */
const preparedMax = 200

/** SQLITE_ERROR: an error without a code of its own. */
const genericError = 1

/** A scan exceeded its time limit. */
class TimeOverError extends Error {}

const {
  file,
  options,
  setup,
  inTimeFunction,
  decimalFunction,
  decimalFunctions,
  leastFunction,
  niceness,
} = /** @type {ReaderThreadData} */ (workerData)

// On Linux a priority applies to a thread. Elsewhere this would slow down the whole process.
if (process.platform === 'linux') {
  try {
    // Raising a priority needs a permission, and the process may already have a lower one.
    if (getPriority() < niceness) setPriority(niceness)
  } catch {
    // The thread keeps its priority.
  }
}

/** Processor time of this thread in milliseconds. */
const processorMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The ends of the current query, in processor time and by the clock. */
let ends = { processor: Number.POSITIVE_INFINITY, clock: Number.POSITIVE_INFINITY }
/** The next time at which one of the ends can be reached: reading the clock is cheaper. */
let nextLook = Number.POSITIVE_INFINITY
const checkTime = () => {
  const now = performance.now()
  if (now > nextLook) {
    const leftMs = Math.min(ends.processor - processorMs(), ends.clock - now)
    if (leftMs <= 0) throw new TimeOverError()
    nextLook = now + leftMs
  }
  return 1
}

/** @type {Map<number, OpenRead>} */
const reads = new Map()
/** @type {OpenRead[]} */
const idle = []

/** @returns {OpenRead} */
const open = () => {
  const connection = new DatabaseSync(file, options)
  connection.exec(setup)
  connection.function(inTimeFunction, checkTime)
  connection.function(decimalFunction, { deterministic: true }, decimalOf)
  connection.function(decimalFunction, { deterministic: true, varargs: true }, productOf)
  addDecimalFunctions(connection, decimalFunctions)
  addLeast(connection, leastFunction)
  return { connection, prepared: new Map() }
}

/**
 * Returns the read with this number. It begins with its first query.
 * @param {number} id
 */
const readAt = (id) => {
  const existing = reads.get(id)
  if (existing) return existing
  const read = idle.pop() ?? open()
  read.connection.exec('begin')
  reads.set(id, read)
  return read
}

/** @param {number} id */
const end = (id) => {
  const read = reads.get(id)
  if (!read) return
  reads.delete(id)
  if (read.connection.isTransaction) read.connection.exec('commit')
  idle.push(read)
}

/**
 * @param {OpenRead} read
 * @param {string} text
 */
const prepare = ({ connection, prepared }, text) => {
  const cached = prepared.get(text)
  if (cached) return cached
  const statement = connection.prepare(text)
  statement.setReturnArrays(true)
  if (prepared.size >= preparedMax) prepared.clear()
  prepared.set(text, statement)
  return statement
}

/**
 * @param {Extract<ThreadRequest, { readonly query: Query }>} request
 * @returns {ThreadReply}
 */
const run = ({ id, read, query, limits }) => {
  const began = performance.now()
  const before = processorMs()
  ends = { processor: before + limits.processorMs, clock: began + limits.elapsedMs }
  nextLook = began + Math.min(limits.processorMs, limits.elapsedMs)
  try {
    const statement = prepare(readAt(read), query.text)
    const rows = /** @type {Row[]} */ (/** @type {unknown} */ (statement.all(...query.values)))
    const tookMs = performance.now() - began
    return { id, rows, tookMs, processorMs: processorMs() - before }
  } catch (error) {
    if (error instanceof TimeOverError) return { id, isLate: true }
    const failure = error instanceof Error ? error.message : String(error)
    const isOfSqlite = error instanceof Error && 'errcode' in error
    return { id, failure, resultCode: isOfSqlite ? Number(error.errcode) : genericError }
  }
}

/** @param {readonly Row[]} rows */
const longBuffers = (rows) =>
  rows.flatMap((row) =>
    row.flatMap((cell) =>
      cell instanceof Uint8Array && cell.length >= transferredBytesMin
        ? [/** @type {ArrayBuffer} */ (cell.buffer)]
        : [],
    ),
  )

parentPort?.on('message', (/** @type {ThreadRequest} */ request) => {
  if ('query' in request) {
    const reply = run(request)
    parentPort?.postMessage(reply, 'rows' in reply ? longBuffers(reply.rows) : [])
  } else if ('end' in request) end(request.end)
  else {
    for (const { connection } of [...reads.values(), ...idle]) connection.close()
    parentPort?.close()
  }
})
