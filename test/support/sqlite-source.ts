/** A source database in memory, so that a round of a synchronisation takes milliseconds. */
import type { DatabaseSync } from 'node:sqlite'
import type { Cell } from '#mapping'
import { postgresLexicon } from '../../src/sync/postgres-source.ts'
import type { SourceDatabase, SourceDialect } from '../../src/sync/source-database.ts'

const dialect: SourceDialect = {
  quote: (name) => `"${name}"`,
  literal: (text) => `'${text.replaceAll("'", "''")}'`,
  asText: (value) => `cast(${value} as text)`,
  ascending: (value) => `${value} nulls first`,
  // Only `map init` asks for tables.
  schema: {
    ...{ tables: () => '', columns: () => '', foreignKeys: () => '', uniqueKeys: () => '' },
    beginning: () => '',
  },
  lexicon: postgresLexicon,
}

/** Reads texts, and numbers in the columns with these names. */
export const createSqliteSource = (
  database: DatabaseSync,
  numbers: readonly string[],
): SourceDatabase => ({
  dialect,
  snapshot: (work) =>
    work({
      query: async (sql) => {
        const statement = database.prepare(sql)
        statement.setReturnArrays(true)
        const rows = statement.all() as unknown as readonly (readonly Cell[])[]
        return {
          columns: statement.columns().map(({ name }) => ({
            name,
            kind: numbers.includes(name) ? ('number' as const) : ('text' as const),
          })),
          batches: (async function* () {
            yield rows
          })(),
        }
      },
    }),
})
