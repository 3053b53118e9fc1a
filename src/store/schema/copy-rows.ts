import { setImmediate as immediate } from 'node:timers/promises'
import { quote, type Session, type SqlValue } from '#database'
import type { Transfer } from './transfer.ts'

/** Target duration of one statement. The event loop gets a turn after each. */
const batchMs = 200
const rowsFirst = 1_000
const rowsMin = 100
const rowsMax = 50_000

export interface Copy {
  readonly session: Session
  readonly transfer: Transfer
  /** The new table. */
  readonly into: string
  /** Deletes copied rows, so that their space is reused. */
  readonly deletes: boolean
  readonly onRows: (rows: number) => void
}

/** Copies the rows of a table into its new form, in consecutive ranges of the primary key. */
export const copyRows = async ({
  session,
  transfer,
  into,
  deletes,
  onRows,
}: Copy): Promise<void> => {
  const { name, values } = transfer
  const key = transfer.key.map((column) => `t.${quote(column)}`).join(', ')
  const marks = (first: number) => transfer.key.map((_, index) => `?${first + index}`).join(', ')
  const isAfter = `(${key}) > (${marks(1)})`
  const isUpTo = `(${key}) <= (${marks(1 + transfer.key.length)})`
  let after: readonly SqlValue[] = transfer.key.map(() => '')
  for (let rows = rowsFirst; ; ) {
    const began = performance.now()
    const [last] = await session.all({
      text: [
        `select ${key}`,
        `from ${quote(name)} as t`,
        `where ${isAfter}`,
        `order by ${key}`,
        `limit 1 offset ${rows - 1}`,
      ].join('\n'),
      values: after,
    })
    const range = {
      where: last ? `${isAfter} and ${isUpTo}` : isAfter,
      values: [...after, ...(last ?? [])],
    }
    const copied = await session.run({
      text: [
        `insert into ${quote(into)} (${values.map(([column]) => quote(column)).join(', ')})`,
        `select ${values.map(([, value]) => value).join(', ')}`,
        `from ${quote(name)} as t`,
        `where ${range.where}`,
        // This order makes the engine use the primary key; other indexes begin with the owner too.
        `order by ${key}`,
      ].join('\n'),
      values: range.values,
    })
    if (deletes) {
      const text = [`delete from ${quote(name)} as t`, `where ${range.where}`].join('\n')
      await session.run({ text, values: range.values })
    }
    onRows(copied)
    if (!last) return
    after = last
    await immediate()
    rows = nextRows(rows, performance.now() - began)
  }
}

/** Doubles or halves, so that few distinct statements are prepared. */
const nextRows = (rows: number, tookMs: number): number => {
  if (tookMs < batchMs / 2) return Math.min(rows * 2, rowsMax)
  return tookMs > batchMs * 2 ? Math.max(Math.floor(rows / 2), rowsMin) : rows
}
