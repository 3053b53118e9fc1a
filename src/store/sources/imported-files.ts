import type { Database, Dialect, Query, Session } from '#database'
import type { StoreTable } from '../schema/collection-stats.ts'
import { ownerNumber } from '../schema/owners.ts'

/** A file whose records were imported. */
export interface ImportedFile {
  readonly name: string
  /** SHA-256 of its bytes. */
  readonly sha256: string
  /** SHA-256 of the mapping used; empty without one. */
  readonly mapping: string
}

/** The imported files of an owner. Each is recorded in the transaction of its records. */
export interface ImportedFiles {
  /**
   * When this content was imported with the same mapping; null if it must be imported. If other
   * content of the same name was imported since, it must be imported again: A, then B, then A.
   */
  findImport(owner: string, file: ImportedFile): Promise<string | null>
}

const table = 'selvedge_files'

/** Files kept per owner. */
const filesMax = 100_000

export const filesTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: table,
  // File names are for the operator only: no request reads them.
  rows: 'none',
  ddl: `create table "${table}" (
  "owner" ${integer} not null,
  "number" ${integer} not null,
  "sha256" ${text} not null,
  "mapping" ${text} not null,
  "name" ${text} not null,
  "imported_at" ${text} not null,
  primary key ("owner", "number")
)${tableOptions}`,
})

/** Find files by content and by name. */
export const fileIndexes = (['sha256', 'name'] as const).map((column) => ({
  name: `${table}__${column}`,
  ddl: `create index "${table}__${column}" on "${table}" ("owner", "${column}", "number")`,
}))

export const createImportedFiles = (database: Database): ImportedFiles => ({
  findImport: async (owner, { name, sha256, mapping }) => {
    // Reads through the writer, because a replica may lag behind.
    const rows = await database.write(
      (session) =>
        session.all({
          text: [
            'select f."imported_at"',
            `from "${table}" as f`,
            'where f."owner" = ?1 and f."sha256" = ?2 and f."mapping" = ?3',
            `and not exists (select 1 from "${table}" as o`,
            'where o."owner" = ?1 and o."name" = ?4 and o."number" > f."number")',
            'order by f."number" desc',
            'limit 1',
          ].join('\n'),
          values: [ownerNumber(owner), sha256, mapping, name],
        }),
      'states',
    )
    return rows[0] ? String(rows[0][0]) : null
  },
})

/** Records a file in the transaction of its records. */
export const recordFile = async (
  session: Session,
  dialect: Dialect,
  owner: number,
  { name, sha256, mapping }: ImportedFile,
): Promise<void> => {
  const [row] = await session.all({
    text: `select coalesce(max("number"), 0) + 1 from "${table}" where "owner" = ?1`,
    values: [owner],
  })
  const number = Number(row?.[0])
  await session.run({
    text: [
      `insert into "${table}" ("owner", "number", "sha256", "mapping", "name", "imported_at")`,
      `values (?1, ?2, ?3, ?4, ?5, ${dialect.now})`,
    ].join('\n'),
    values: [owner, number, sha256, mapping, name],
  })
  await session.run({
    text: `delete from "${table}" where "owner" = ?1 and "number" <= ?2`,
    values: [owner, number - filesMax],
  })
}

/**
 * Forgets the files with names that a query selects, whose first value is the owner: they are imported
 * again when they come again.
 */
export const forgetFiles = ({ text, values }: Query): Query => ({
  text: `delete from "${table}"\nwhere "owner" = ?1 and "name" in (${text})`,
  values,
})
