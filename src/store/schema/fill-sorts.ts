import { valueAt } from '#contract'
import { type Dialect, type Part, quote, type Session, type SqlValue } from '#database'
import { asInteger } from './collection-stats.ts'
import { comparable } from './comparable.ts'
import { createOccasionalLog } from './occasional-log.ts'
import { walkedKey, walkRows } from './row-walk.ts'
import { type SortColumn, storedValue, type Table } from './tables.ts'

export interface Fill {
  readonly session: Session
  readonly table: Table
  readonly columns: readonly SortColumn[]
  readonly dialect: Dialect
  readonly log: (sentence: string) => void
}

/**
 * Fills sort columns of all records of a table from the records' texts, with the values that an
 * import would store. Fills all columns at once, so that each record is written once.
 */
export const fillSorts = async ({ session, table, columns, dialect, log }: Fill): Promise<void> => {
  const key = walkedKey(table)
  const t = quote(table.name)
  const text = [
    `update ${t}`,
    `set ${columns.map((each) => `${quote(each.name)} = ${valueInJson(each, dialect)}`).join(',\n')}`,
    `from ${dialect.textsIn('?1', 'g')}`,
    `where ${key.map((each) => `${t}.${quote(each.name)} = ${valueInJson(each, dialect)}`).join('\nand ')}`,
  ].join('\n')
  const logProgress = createOccasionalLog(log)
  let filled = 0
  for await (const rows of walkRows(session, table, dialect)) {
    const values = rows.map((row) => {
      const record: unknown = JSON.parse(row[key.length] as string)
      return JSON.stringify({
        ...Object.fromEntries(key.map(({ name }, index) => [name, row[index]])),
        ...Object.fromEntries(
          columns.map(({ name, kind, path }) => [
            name,
            comparable(kind, valueAt(record, path) as SqlValue),
          ]),
        ),
      })
    })
    await session.run({ text, values: [JSON.stringify(values)] })
    filled += rows.length
    logProgress(`Migration: ${table.resource.path}, ${filled.toLocaleString('en')} records.`)
  }
}

const wholeNumbers: readonly Part['kind'][] = ['integer', 'date', 'timestamp']

/** A column's value from the JSON text of a row. */
const valueInJson = (column: Part, dialect: Dialect): string => {
  const text = dialect.jsonText('g."value"', [column.name])
  return wholeNumbers.includes(column.kind)
    ? asInteger(text, dialect)
    : storedValue(column, text, dialect)
}
