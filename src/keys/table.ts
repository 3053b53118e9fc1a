import type { GroupLimits } from '#contract'
import { type Database, type Query, quote, type Row, type SqlValue } from '#database'
import type { KeyKind } from './key.ts'

/** What a key may read, and from where, within its brands. */
export interface KeyLimits extends GroupLimits {
  /** The addresses and networks that it may be used from; null for all. */
  readonly addresses: readonly string[] | null
}

/** A key without its secret, which is shown once, when the key is issued. */
export interface KeyRecord extends KeyLimits {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  /** The brands it may read or send records of; empty if it is global. */
  readonly brands: readonly string[]
  readonly global: boolean
  /** The collections that an ingest key may send; null for all. */
  readonly collections: readonly string[] | null
  /** Whether messages signed with this key's secret are accepted. */
  readonly webhook: boolean
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
  /** Its own rate limit, if it differs from the server's. */
  readonly perSecond: number | null
  readonly burst: number | null
  /** The key that replaces it, once it has been rotated. */
  readonly successorId: string | null
}

export const hasKeyTable = async (database: Database): Promise<boolean> =>
  (await database.tables()).has('selvedge_keys')

/** Columns that earlier versions lack, with their types and defaults. */
const laterColumns: { readonly [name: string]: (integer: string) => string } = {
  kind: () => "text not null default 'read'",
  collections: () => 'text',
  webhook: (integer) => `${integer} not null default 0`,
  only_groups: () => 'text',
  without_groups: () => 'text',
  addresses: () => 'text',
}

/** Creates the key table, or adds missing columns. */
export const createKeyTable = async (database: Database): Promise<void> => {
  if (!(await hasKeyTable(database))) await createTables(database)
  const existing = (await database.tables()).get('selvedge_keys') ?? []
  if (Object.keys(laterColumns).every((name) => existing.includes(name))) return
  await database.write(async (session) => {
    // Another process may have added them while this one waited for the write lock.
    const now = (await database.tables()).get('selvedge_keys') ?? []
    for (const [name, type] of Object.entries(laterColumns)) {
      if (now.includes(name)) continue
      await session.run({
        text: `alter table "selvedge_keys" add column ${quote(name)} ${type(database.dialect.integer)}`,
        values: [],
      })
    }
  })
}

const createTables = async (database: Database): Promise<void> => {
  const { text, integer } = database.dialect
  await database.write(async (session) => {
    for (const ddl of [
      `create table if not exists "selvedge_keys" (
        "id" ${text} primary key,
        "hash" ${text} not null unique,
        "name" text not null,
        "brands" text not null,
        "global" ${integer} not null,
        "created_at" text not null,
        "expires_at" text,
        "revoked_at" text,
        "last_used_at" text,
        "per_second" real,
        "burst" ${integer},
        "successor_id" text,
        ${Object.entries(laterColumns)
          .map(([name, type]) => `${quote(name)} ${type(integer)}`)
          .join(', ')}
      )`,
      `create table if not exists "selvedge_keys_version" (
        "id" ${integer} primary key,
        "version" ${integer} not null
      )`,
      `insert into "selvedge_keys_version" ("id", "version")
        values (1, 1)
        on conflict do nothing`,
    ]) {
      await session.run({ text: ddl, values: [] })
    }
  })
}

export const touchQuery: Query = {
  text: 'update "selvedge_keys_version" set "version" = "version" + 1',
  values: [],
}

export const versionQuery: Query = {
  text: 'select "version" from "selvedge_keys_version"',
  values: [],
}

const columnNames = [
  'id',
  'name',
  'brands',
  'global',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'per_second',
  'burst',
  'successor_id',
  'kind',
  'collections',
  'webhook',
  'only_groups',
  'without_groups',
  'addresses',
]

const columns = columnNames.map(quote).join(', ')

export const hashesQuery: Query = {
  text: `select "hash", ${columns} from "selvedge_keys"`,
  values: [],
}

/**
 * The stored kind of a key with limits. Versions that do not know the limits find no such key, so
 * that they reject it instead of ignoring its limits.
 */
const limitedKinds: Readonly<Record<KeyKind, string>> = {
  read: 'limited read',
  ingest: 'limited ingest',
}

/** The query for the keys of one kind. */
export const hashesOf = (kind: KeyKind): Query => ({
  text: `${hashesQuery.text} where "kind" in (?1, ?2)`,
  values: [kind, limitedKinds[kind]],
})

/** The query for one key. */
export const keyQuery = (id: string): Query => ({
  text: `select ${columns} from "selvedge_keys" where "id" = ?1`,
  values: [id],
})

const insertText = `insert into "selvedge_keys" ("hash", ${columns})
  values (${['hash', ...columnNames].map((_, index) => `?${index + 1}`).join(', ')})`

/** Merges two entries of one key: keeps the earlier revocation and the earlier expiry. */
export const insertOrMergeText = `${insertText}
  on conflict ("id") do update set
    "revoked_at" = coalesce(min("selvedge_keys"."revoked_at", excluded."revoked_at"), "selvedge_keys"."revoked_at", excluded."revoked_at"),
    "expires_at" = coalesce(min("selvedge_keys"."expires_at", excluded."expires_at"), "selvedge_keys"."expires_at", excluded."expires_at"),
    "last_used_at" = coalesce(max("selvedge_keys"."last_used_at", excluded."last_used_at"), "selvedge_keys"."last_used_at", excluded."last_used_at"),
    "successor_id" = coalesce("selvedge_keys"."successor_id", excluded."successor_id")`

export const insertQuery = (key: KeyRecord, hash: string): Query => ({
  text: insertText,
  values: [hash, ...valuesOf(key)],
})

/** Replaces everything that is stored of a key, except its secret. */
export const updateQuery = (key: KeyRecord): Query => ({
  text: `update "selvedge_keys"
    set ${columnNames.map((name, index) => `${quote(name)} = ?${index + 1}`).join(', ')}
    where "id" = ?1`,
  values: valuesOf(key),
})

/** The values of the columns, in their order. */
const valuesOf = (key: KeyRecord): SqlValue[] => [
  key.id,
  key.name,
  JSON.stringify(key.brands),
  key.global ? 1 : 0,
  key.createdAt,
  key.expiresAt,
  key.revokedAt,
  key.lastUsedAt,
  key.perSecond,
  key.burst,
  key.successorId,
  hasLimits(key) ? limitedKinds[key.kind] : key.kind,
  listText(key.collections),
  key.webhook ? 1 : 0,
  listText(key.onlyGroups),
  listText(key.withoutGroups),
  listText(key.addresses),
]

const hasLimits = ({ onlyGroups, withoutGroups, addresses }: KeyLimits): boolean =>
  onlyGroups !== null || withoutGroups !== null || addresses !== null

const listText = (list: readonly string[] | null): string | null => list && JSON.stringify(list)

export const readKeys = async (database: Database): Promise<readonly KeyRecord[]> => {
  const [rows = []] = await database.read([
    { text: `select ${columns} from "selvedge_keys" order by "created_at", "id"`, values: [] },
  ])
  return rows.map(readKey)
}

export const readKey = (row: Row): KeyRecord => {
  const limits = {
    onlyGroups: listIn(row[14]),
    withoutGroups: listIn(row[15]),
    addresses: listIn(row[16]),
  }
  const isLimited = Object.values(limitedKinds).includes(row[11] as string)
  return {
    id: row[0] as string,
    name: row[1] as string,
    brands: JSON.parse(row[2] as string) as string[],
    global: row[3] === 1,
    createdAt: row[4] as string,
    expiresAt: row[5] as string | null,
    revokedAt: row[6] as string | null,
    lastUsedAt: row[7] as string | null,
    perSecond: row[8] as number | null,
    burst: row[9] as number | null,
    successorId: row[10] as string | null,
    kind: row[11] === limitedKinds.ingest || row[11] === 'ingest' ? 'ingest' : 'read',
    collections: listIn(row[12]),
    webhook: row[13] === 1,
    ...limits,
    // An earlier version has rotated a key with limits and lost them: the successor reads nothing.
    ...(isLimited && !hasLimits(limits) && { onlyGroups: [] }),
  }
}

const listIn = (value: SqlValue | undefined): string[] | null =>
  typeof value === 'string' ? (JSON.parse(value) as string[]) : null

export const timestamp = (at: number): string => new Date(at).toISOString()
