import type { DatabaseSync } from 'node:sqlite'
import { quote, type Session } from '../database.ts'
import { nameOf } from '../row-slices.ts'
import { boundValue } from './dialect.ts'
import { guarded } from './errors.ts'
import { insertSlices } from './slices.ts'
import type { Statements } from './statements.ts'

/** The statements of one transaction. */
export interface WriteSession {
  readonly session: Session
  /** Throws the error with which SQLite has ended the transaction, if it has. */
  requireTransaction(): void
}

/**
 * The statements of the transaction that has begun. SQLite may end it by an error of a statement, for
 * example on a full disk. Each later statement would then be a transaction of its own, so it throws
 * that error. `wrote` gets the duration of each write.
 */
export const createWriteSession = (
  writer: Pick<DatabaseSync, 'isTransaction'>,
  { all, run, prepare }: Statements,
  wrote: (ms: number) => Promise<void>,
): WriteSession => {
  let ending: unknown
  const requireTransaction = () => {
    if (ending !== undefined) throw ending
  }
  const execute = <T>(work: () => T): T => {
    requireTransaction()
    try {
      return guarded(work)
    } catch (error) {
      if (!writer.isTransaction) ending = error
      throw error
    }
  }
  const timed = async <T>(work: () => T): Promise<T> => {
    const began = performance.now()
    const result = execute(work)
    await wrote(performance.now() - began)
    return result
  }

  const session: Session = {
    all: async (query) => execute(() => all(query)),
    run: (query) => timed(() => run(query)),
    runAll: (texts) =>
      timed(() => {
        for (const text of texts) run({ text, values: [] })
      }),
    bulkInsert: (table, columns, rows) =>
      timed(() => {
        const names = columns.map((column) => quote(nameOf(column)))
        const values = columns.map((column, index) =>
          boundValue(typeof column === 'string' ? 'text' : column.kind, `?${index + 1}`),
        )
        const text = `insert into ${quote(table)} (${names}) values (${values})`
        const statement = prepare(text)
        for (const row of rows) statement.run(...row)
      }),
    bulkInsertSlices: (table, rows) => timed(() => insertSlices(prepare, table, rows)),
    // SQLite has one writer: no other transaction can come between this one and its end.
    autonomous: (work) => work(session),
  }
  return { session, requireTransaction }
}
