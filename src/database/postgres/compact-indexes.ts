import { type Query, quote, type Row, type Session } from '../database.ts'
import { postgresDialect } from './dialect.ts'

/**
 * Creates the indexes of a table again, in the caller's transaction. Rows that are added in another
 * order than an index has leave a third of its pages empty; an index that is created is dense.
 *
 * Readers are not blocked while the new ones are created. They wait for the commit from the moment at
 * which the old ones are dropped, so that comes last. Where the table is in use by a writer, or by a
 * reader for longer than a moment, this fails with `DatabaseBusyError`.
 */
export const compactIndexes = async (session: Session, table: string): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  for (const text of postgresDialect.lockTimeout) await run(text)
  const indexes = (await session.all(indexesOf(table))).map(toIndex)
  for (const { temporaryName, definition } of indexes) {
    await run(`create index ${quote(temporaryName)} ${definition}`)
  }
  for (const { name, temporaryName } of indexes) {
    await run(`drop index ${quote(name)}`)
    await run(`alter index ${quote(temporaryName)} rename to ${quote(name)}`)
  }
}

interface Index {
  readonly name: string
  readonly temporaryName: string
  /** What follows the name where it is created. */
  readonly definition: string
}

const toIndex = ([name, number, definition]: Row): Index => ({
  name: String(name),
  temporaryName: `selvedge_compact_${number}`,
  definition: String(definition),
})

/** An index with a single leaf cannot become smaller. Rows are added in the order of the primary key. */
const indexesOf = (table: string): Query => ({
  text: [
    "select c.relname, c.oid::bigint, substr(d.text, strpos(d.text, ' ON ') + 1)",
    'from pg_index as i',
    'join pg_class as c on c.oid = i.indexrelid',
    'cross join lateral pg_get_indexdef(c.oid) as d(text)',
    'where i.indrelid = to_regclass(?1) and not i.indisunique',
    "and pg_relation_size(c.oid) > 2 * current_setting('block_size')::bigint",
    'order by c.relname',
  ].join('\n'),
  values: [`public.${quote(table)}`],
})
