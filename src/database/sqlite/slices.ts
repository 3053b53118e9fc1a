import type { StatementSync } from 'node:sqlite'
import { quote, type RowSlices, type SqlValue } from '../database.ts'
import { sliceColumns, sliceWidth } from '../row-slices.ts'
import { sqliteDialect } from './dialect.ts'

/**
 * Inserts rows that are slices of a buffer. SQLite gets the bytes of each row once, and the positions
 * of its columns in them, so that no JavaScript string is made of them.
 */
export const insertSlices = (
  prepare: (text: string) => StatementSync,
  table: string,
  rows: RowSlices,
): void => {
  const { bytes, offsets, parts, numbered, numbersOf } = rows
  const whole = numbered.length + 1
  const values = [
    ...numbered.map((_, index) => `?${index + 1}`),
    ...parts.map(({ kind }, index) => {
      const from = whole + 1 + index * 2
      const slice = `substr(?${whole}, ?${from}, ?${from + 1})`
      return kind === 'uuid' ? sqliteDialect.uuid(slice) : `cast(${slice} as ${kind})`
    }),
    `cast(?${whole} as text)`,
  ]
  const statement = prepare(
    [`insert into ${quote(table)} (${sliceColumns(rows).map(quote)})`, `values (${values})`].join(
      '\n',
    ),
  )
  const width = sliceWidth(rows)
  for (let row = 0, at = 0; at < offsets.length; row += 1, at += width) {
    const begin = offsets[at] as number
    const cells: SqlValue[] = [...numbersOf(row), bytes.subarray(begin, offsets[at + 1])]
    for (let part = at + 2; part < at + width; part += 2) {
      const from = offsets[part] as number
      // SQL counts from 1.
      if (from < 0) cells.push(null, null)
      else cells.push(from - begin + 1, (offsets[part + 1] as number) - from)
    }
    statement.run(...cells)
  }
}
