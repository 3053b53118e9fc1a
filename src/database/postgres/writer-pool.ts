import type pg from 'pg'
import { toDatabaseError } from './errors.ts'

/** A connection that one writer uses at a time. */
export interface WriterConnection {
  readonly client: pg.PoolClient
  /** Whether an earlier writer has used it: it may have been lost since. */
  readonly isReused: boolean
  /** Counts rows that were added to tables. */
  addRows(count: number): void
  /** Keeps it for the next writer. */
  release(): void
  /** Closes it: its state is unknown. */
  destroy(): void
}

/** Connections for writers, which are apart from those of reads: a writer may read beside its transaction. */
export interface WriterPool {
  connect(): Promise<WriterConnection>
  close(): Promise<void>
}

/**
 * Rows after which a connection is closed. Its temporary tables are kept for the next writer, which
 * saves a small batch most of its time. What is deleted from them is never vacuumed, so that a scan
 * takes longer with every row.
 */
const rowsMax = 1_000

export const createWriterPool = (pool: pg.Pool): WriterPool => {
  const rows = new WeakMap<pg.PoolClient, number>()
  return {
    connect: async () => {
      const client = await connectTo(pool)
      const before = rows.get(client)
      let count = before ?? 0
      return {
        client,
        isReused: before !== undefined,
        addRows: (more) => {
          count += more
        },
        release: () => {
          rows.set(client, count)
          client.release(count > rowsMax)
        },
        destroy: () => client.release(true),
      }
    },
    close: () => pool.end(),
  }
}

/** A connection of a pool. */
export const connectTo = async (pool: pg.Pool): Promise<pg.PoolClient> => {
  try {
    return await pool.connect()
  } catch (error) {
    throw toDatabaseError(error)
  }
}
