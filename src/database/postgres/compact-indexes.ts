import { type Query, quote, type Row, type Session, tableLockMs } from '../database.ts'
import { postgresDialect } from './dialect.ts'

/**
 * Rebuilds the indexes of a table in the caller's transaction. Rows that arrive in another order
 * than an index leave a third of its pages empty; a new index is dense.
 *
 * Does not block readers while it creates the new indexes. Readers wait from the drop of the old
 * indexes until the commit, so the drop comes last. Fails with `DatabaseBusyError` if a writer uses
 * the table, or a reader uses it for longer than a moment.
 */
export const compactIndexes = async (session: Session, table: string): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  for (const text of postgresDialect.lockTimeout(tableLockMs)) await run(text)
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
  /** The part of `create index` after the name. */
  readonly definition: string
}

const toIndex = ([name, number, definition]: Row): Index => ({
  name: String(name),
  temporaryName: `selvedge_compact_${number}`,
  definition: String(definition),
})

/**
 * Skips indexes with a single leaf, which cannot shrink, and unique ones: rows arrive in the order
 * of the primary key.
 */
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
