import type pg from 'pg'

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

/**
 * Rows after which a connection is closed. Its temporary tables are kept for the next writer, which
 * saves a small batch most of its time. What is deleted from them is never vacuumed, so that a scan
 * takes longer with every row.
 */
const rowsMax = 1_000

/** Connects writers with connections of a pool. */
export const createWriterConnections = (
  connect: () => Promise<pg.PoolClient>,
): (() => Promise<WriterConnection>) => {
  const rows = new WeakMap<pg.PoolClient, number>()
  return async () => {
    const client = await connect()
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
  }
}
