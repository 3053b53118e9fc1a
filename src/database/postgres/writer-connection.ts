import type pg from 'pg'

/** A connection that one writer uses at a time. */
export interface WriterConnection {
  readonly client: pg.PoolClient
  /** Whether an earlier writer used it: it may have been lost since. */
  readonly isReused: boolean
  /** Counts rows added to tables. */
  addRows(count: number): void
  /** Keeps it for the next writer. */
  release(): void
  /** Closes it: its state is unknown. */
  destroy(): void
}

/**
 * A connection is closed after this many rows. It keeps its temporary tables for the next writer,
 * which saves most of the time of a small batch. Rows deleted from them are never vacuumed, so
 * every row makes scans slower.
 */
const rowsMax = 1_000

/** Provides writers with pool connections. */
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
