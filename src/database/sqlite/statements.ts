import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Query, Row } from '../database.ts'

const preparedMax = 1_000

export type Statements = ReturnType<typeof createStatements>

/** Prepared statements of a connection, by text. */
export const createStatements = (connection: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const cached = prepared.get(text)
    if (cached) return cached
    const statement = connection.prepare(text)
    statement.setReturnArrays(true)
    // Filters and includes combine into more texts than fit: evict the oldest.
    if (prepared.size >= preparedMax) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest)
        break
      }
    }
    prepared.set(text, statement)
    return statement
  }
  return {
    prepare,
    all: ({ text, values }: Query): readonly Row[] =>
      prepare(text).all(...values) as unknown as readonly Row[],
    run: ({ text, values }: Query): number => Number(prepare(text).run(...values).changes),
  }
}
