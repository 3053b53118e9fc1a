import { type Database, quote, type Row, type SqlValue } from '#database'

/** A link to a download, without its token, which is shown once, when the link is issued. */
export interface LinkRecord {
  readonly id: string
  /** What it is for. */
  readonly name: string
  /** The key whose rights it has. */
  readonly keyId: string
  readonly brand: string
  readonly group: string
  /** The parameters of the download, as in a URL. */
  readonly query: string
  readonly createdAt: string
  readonly expiresAt: string
}

const columnNames = [
  'id',
  'name',
  'key_id',
  'brand',
  'group_path',
  'query',
  'created_at',
  'expires_at',
]
const columns = columnNames.map(quote).join(', ')

/** Creates the table of links if it is missing. */
export const createLinkTable = async (database: Database): Promise<void> => {
  if ((await database.tables()).has('selvedge_links')) return
  const { text } = database.dialect
  await database.write((session) =>
    session.run({
      text: `create table if not exists "selvedge_links" (
        "id" ${text} primary key,
        "hash" ${text} not null unique,
        "name" text not null,
        "key_id" text not null,
        "brand" text not null,
        "group_path" text not null,
        "query" text not null,
        "created_at" text not null,
        "expires_at" text not null
      )`,
      values: [],
    }),
  )
}

export const insertLink = (link: LinkRecord, hash: string) => ({
  text: `insert into "selvedge_links" ("hash", ${columns})
    values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
  values: [
    ...[hash, link.id, link.name, link.keyId, link.brand, link.group, link.query],
    ...[link.createdAt, link.expiresAt],
  ],
})

/** The links whose column has a value; all of them without one. */
export const selectLinks = (column?: 'id' | 'hash' | 'key_id', value: SqlValue = null) => ({
  text: `select ${columns} from "selvedge_links"
    ${column ? `where ${quote(column)} = ?1` : ''}
    order by "created_at", "id"`,
  values: column ? [value] : [],
})

export const deleteLinks = (column: 'id' | 'brand', value: string) => ({
  text: `delete from "selvedge_links" where ${quote(column)} = ?1`,
  values: [value],
})

export const readLink = (row: Row): LinkRecord => {
  const [id = '', name = '', keyId = '', brand = '', group = '', ...rest] = row as string[]
  const [query = '', createdAt = '', expiresAt = ''] = rest
  return { id, name, keyId, brand, group, query, createdAt, expiresAt }
}
