import { setPriority } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Query, Row, SqlValue } from '../database.ts'
import { connectReader } from './connection.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './reader-thread.ts'
import { createStatements } from './statements.ts'

/** One read: its transaction is on a connection that no other read uses meanwhile. */
interface OpenRead {
  readonly connection: DatabaseSync
  readonly all: (query: Query) => readonly Row[]
}

/** The page cache of a connection. Most pages are read from the mapped file. */
const cacheKb = 2_048
/** Shorter values are copied: handing over a buffer costs more than copying so many bytes. */
const transferredBytesMin = 4_096
/** As of a batch job: requests that are short have the processor first. */
const threadPriority = 10

/** A scan has reached the end of its time. */
class TimeOverError extends Error {}

const { file, readOnly } = workerData as ThreadData

// On Linux a priority belongs to a thread. Elsewhere this would slow the whole process down.
if (process.platform === 'linux') setPriority(threadPriority)

let deadline = Number.POSITIVE_INFINITY
const checkTime = () => {
  if (performance.now() > deadline) throw new TimeOverError()
}

const reads = new Map<number, OpenRead>()
const idle: OpenRead[] = []

const open = (): OpenRead => {
  const connection = connectReader(file, cacheKb, { readOnly, checkTime })
  return { connection, all: createStatements(connection).all }
}

/** The read with this number. It begins with its first query. */
const readAt = (id: number): OpenRead => {
  const existing = reads.get(id)
  if (existing) return existing
  const read = idle.pop() ?? open()
  read.connection.exec('begin')
  reads.set(id, read)
  return read
}

const end = (id: number): void => {
  const read = reads.get(id)
  if (!read) return
  reads.delete(id)
  if (read.connection.isTransaction) read.connection.exec('commit')
  idle.push(read)
}

type QueryRequest = Extract<ThreadRequest, { readonly query: Query }>

const run = ({ id, read, query, leftMs }: QueryRequest): ThreadReply => {
  const began = performance.now()
  deadline = began + leftMs
  try {
    const rows = readAt(read).all(query)
    return { id, rows, tookMs: performance.now() - began }
  } catch (error) {
    return error instanceof TimeOverError
      ? { id, isLate: true }
      : { id, failure: error instanceof Error ? error.message : String(error) }
  }
}

const longBuffers = (rows: readonly Row[]): ArrayBuffer[] => {
  const isLong = (cell: SqlValue): cell is Uint8Array<ArrayBuffer> =>
    cell instanceof Uint8Array && cell.length >= transferredBytesMin
  return rows.flatMap((row) => row.filter(isLong).map(({ buffer }) => buffer))
}

parentPort?.on('message', (request: ThreadRequest) => {
  if ('query' in request) {
    const reply = run(request)
    parentPort?.postMessage(reply, 'rows' in reply ? longBuffers(reply.rows) : [])
  } else if ('end' in request) end(request.end)
  else {
    for (const { connection } of [...reads.values(), ...idle]) connection.close()
    parentPort?.close()
  }
})
