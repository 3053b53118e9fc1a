import { type Database, quote, type Row } from '#database'

/** A stored consent, in the database of the keys. */
export interface Consent {
  readonly id: string
  readonly keyId: string
  readonly clientHash: string
  readonly redirectUri: string
  readonly resource: string
  readonly challenge: string
  readonly codeHash: string
  /** Null until the code is redeemed. */
  readonly refreshHash: string | null
  readonly refreshedAt: string
  readonly accessHash: string | null
  readonly accessExpiresAt: string | null
  /** The previous access token, which stays valid until it expires. */
  readonly earlierAccessHash: string | null
  readonly earlierAccessExpiresAt: string | null
  /** The expiry of its code or its refresh token. */
  readonly expiresAt: string
}

const columns = [
  'id',
  'key_id',
  'client_hash',
  'redirect_uri',
  'resource',
  'challenge',
  'code_hash',
  'refresh_hash',
  'refreshed_at',
  'access_hash',
  'access_expires_at',
  'earlier_access_hash',
  'earlier_access_expires_at',
  'expires_at',
]

export const consentColumns = columns.map(quote).join(', ')

/** Creates the tables of consents and of their spent tickets if they are missing. */
export const createConsentTables = async (database: Database): Promise<void> => {
  const tables = await database.tables()
  if (tables.has('selvedge_consents') && tables.has('selvedge_spent_tickets')) return
  await database.write(async (session) => {
    await session.run({
      text: `create table if not exists "selvedge_spent_tickets" (
        "hash" ${database.dialect.text} primary key,
        "expires_at" text not null
      )`,
      values: [],
    })
    await session.run({
      text: `create table if not exists "selvedge_consents" (
        "id" ${database.dialect.text} primary key,
        "key_id" text not null,
        "client_hash" text not null,
        "redirect_uri" text not null,
        "resource" text not null,
        "challenge" text not null,
        "code_hash" text not null,
        "created_at" text not null,
        "refresh_hash" text,
        "refreshed_at" text not null,
        "access_hash" text,
        "access_expires_at" text,
        "earlier_access_hash" text,
        "earlier_access_expires_at" text,
        "expires_at" text not null
      )`,
      values: [],
    })
  })
}

export const readConsent = (row: Row): Consent => {
  const [id, keyId, clientHash, redirectUri, resource, challenge, codeHash, ...rest] =
    row as readonly string[]
  const [refreshHash, refreshedAt, accessHash, accessExpiresAt, ...last] = rest as readonly (
    | string
    | null
  )[]
  const [earlierAccessHash, earlierAccessExpiresAt, expiresAt] = last
  return {
    ...{ id, keyId, clientHash, redirectUri, resource, challenge, codeHash, refreshHash },
    ...{ refreshedAt, accessHash, accessExpiresAt, earlierAccessHash, earlierAccessExpiresAt },
    expiresAt,
  } as Consent
}
