import { type Database, type Query, quote, type Row } from '#database'

/**
 * A session of an operator, in the database of the keys. It begins as a link that works once, and
 * keeps only hashes of its secrets.
 */
export interface StoredSession {
  readonly id: string
  readonly operator: string
  readonly createdAt: string
  readonly linkHash: string
  readonly linkExpiresAt: string
  /** Null until the link is used. */
  readonly signedInAt: string | null
  readonly sessionHash: string | null
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly endedAt: string | null
}

export const sessionsTable = 'selvedge_operator_sessions'

const columns = [
  ...['id', 'operator', 'created_at', 'link_hash', 'link_expires_at', 'signed_in_at'],
  ...['session_hash', 'last_used_at', 'expires_at', 'ended_at'],
]
  .map(quote)
  .join(', ')

/** Creates the table if it is missing. */
export const createSessionTable = async (database: Database): Promise<void> => {
  if ((await database.tables()).has(sessionsTable)) return
  await database.write((session) =>
    session.run({
      text: `create table if not exists "${sessionsTable}" (
        "id" ${database.dialect.text} primary key,
        "operator" text not null,
        "created_at" text not null,
        "link_hash" text not null,
        "link_expires_at" text not null,
        "signed_in_at" text,
        "session_hash" text,
        "last_used_at" text,
        "expires_at" text,
        "ended_at" text
      )`,
      values: [],
    }),
  )
}

export const parseSession = (row: Row): StoredSession => {
  const [id, operator, createdAt, linkHash, linkExpiresAt, ...rest] = row as readonly string[]
  const [signedInAt, sessionHash, lastUsedAt, expiresAt, endedAt] = rest as readonly (
    | string
    | null
  )[]
  return {
    ...{ id, operator, createdAt, linkHash, linkExpiresAt },
    ...{ signedInAt, sessionHash, lastUsedAt, expiresAt, endedAt },
  } as StoredSession
}

export const findQuery = (id: string): Query => ({
  text: `select ${columns}
    from "${sessionsTable}"
    where "id" = ?1`,
  values: [id],
})

/** Links and sessions that are not over, newest first. */
export const liveQuery = (at: string, usedAfter: string, most: number): Query => ({
  text: `select ${columns}
    from "${sessionsTable}"
    where "ended_at" is null
      and (
        ("signed_in_at" is null and "link_expires_at" > ?1)
        or ("expires_at" > ?1 and "last_used_at" > ?2)
      )
    order by "created_at" desc, "id"
    limit ${most}`,
  values: [at, usedAfter],
})

export const insertQuery = (link: {
  readonly id: string
  readonly operator: string
  readonly createdAt: string
  readonly linkHash: string
  readonly linkExpiresAt: string
}): Query => ({
  text: `insert into "${sessionsTable}"
    ("id", "operator", "created_at", "link_hash", "link_expires_at")
    values (?1, ?2, ?3, ?4, ?5)`,
  values: [link.id, link.operator, link.createdAt, link.linkHash, link.linkExpiresAt],
})

/** Changes no row if the link has been used or ended, also by a request at the same time. */
export const redeemQuery = (
  id: string,
  sessionHash: string,
  { at, expiresAt }: { readonly at: string; readonly expiresAt: string },
): Query => ({
  text: `update "${sessionsTable}"
    set "signed_in_at" = ?3,
      "session_hash" = ?2,
      "last_used_at" = ?3,
      "expires_at" = ?4
    where "id" = ?1
      and "signed_in_at" is null
      and "ended_at" is null
      and "link_expires_at" > ?3`,
  values: [id, sessionHash, at, expiresAt],
})

export const touchQuery = (id: string, at: string): Query => ({
  text: `update "${sessionsTable}"
    set "last_used_at" = ?2
    where "id" = ?1
      and "ended_at" is null
      and "last_used_at" < ?2`,
  values: [id, at],
})

/** Changes no row if it has ended before. */
export const endQuery = (id: string, at: string): Query => ({
  text: `update "${sessionsTable}"
    set "ended_at" = ?2
    where "id" = ?1
      and "ended_at" is null`,
  values: [id, at],
})

/** Deletes links and sessions that were over before a time. */
export const cleanUpQuery = (before: string): Query => ({
  text: `delete from "${sessionsTable}"
    where "ended_at" < ?1
      or "expires_at" < ?1
      or ("signed_in_at" is null and "link_expires_at" < ?1)`,
  values: [before],
})
