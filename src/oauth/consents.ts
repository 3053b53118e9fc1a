import { hash } from 'node:crypto'
import type { Database, Query, Session } from '#database'
import { type Consent, consentColumns, createConsentTables, readConsent } from './consent-table.ts'
import { OAuthError } from './oauth-error.ts'
import {
  consentIdIn,
  createConsentId,
  hashOf,
  isHashOf,
  type TokenKind,
  tokenAfter,
  tokenOf,
} from './token.ts'

/** A person's permission: a client may read with a key. */
export interface NewConsent {
  readonly keyId: string
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly challenge: string
  /** The ticket that allows it. */
  readonly ticket: SpentTicket
}

/** A ticket is valid once. It is remembered until it expires. */
export interface SpentTicket {
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly refreshToken: string
}

/** The consents of all keys. Every token belongs to one. */
export interface Consents {
  /** Stores a consent. Returns the code for the client's first tokens; null if the ticket is spent. */
  create(consent: NewConsent): Promise<string | null>
  /** The consent that a token names, even if the token is not valid. */
  find(kind: TokenKind, token: string): Promise<Consent | null>
  /** Exchanges a code, which is valid once, for the first tokens. */
  redeem(code: string, client: Redeeming): Promise<IssuedTokens>
  /** Exchanges a refresh token, which is valid once, for the next tokens. */
  refresh(token: string, client: Pick<Redeeming, 'clientId'>): Promise<IssuedTokens>
  /** Ends the consent of a token. Ignores invalid tokens silently. */
  revoke(token: string, clientId: string | undefined): Promise<void>
}

/** A client's proof for redeeming a code. */
export interface Redeeming {
  readonly clientId: string
  /** Undefined if the client omits it, as in OAuth 2.1. */
  readonly redirectUri: string | undefined
  readonly verifier: string
}

export interface ConsentParts {
  readonly database: Database
  /** The secret of the records' database, from which the next refresh token is derived. */
  readonly secret: string
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
}

const codeSeconds = 60
const accessSeconds = 3_600
/** A consent ends if its client does not refresh for this time. */
const idleSeconds = 30 * 86_400
/**
 * For this time after a refresh, the previous token returns the same tokens again: a response may
 * have been lost, and clients with concurrent requests refresh more than once.
 */
const repeatSeconds = 30
/** Maximum number of consents per key. A further one ends the least recently used one. */
export const consentsPerKey = 50

const verifierPattern = /^[\w.~-]{43,128}$/

export const createConsents = async (parts: ConsentParts): Promise<Consents> => {
  const { database, secret, now, random } = parts
  await createConsentTables(database)
  const later = (seconds: number): string => timestamp(now() + seconds * 1_000)

  const findBy = async (id: string): Promise<Consent | null> => {
    const [[row] = []] = await database.read([selectQuery(id)])
    return row ? readConsent(row) : null
  }

  /**
   * Changes a consent based on its current state. Writers of keys take turns, in all processes, so
   * that no token is used twice.
   */
  const change = async <T>(
    kind: TokenKind,
    token: string,
    work: (consent: Consent, session: Session) => Promise<T | Revoked>,
  ): Promise<T> => {
    const id = consentIdIn(kind, token)
    if (id === null) throw refused(kind)
    const result = await database.write(async (session) => {
      const [row] = await session.all(selectQuery(id))
      if (!row) return revoked
      const worked = await work(readConsent(row), session)
      if (worked === revoked) await session.run(deleteQuery(id))
      return worked
    })
    if (result === revoked) throw refused(kind)
    return result as T
  }

  /** Stores the tokens of a consent. The previous access token stays valid until it expires. */
  const issue = async (
    session: Session,
    { id, accessHash, accessExpiresAt }: Consent,
    refreshToken: string,
  ): Promise<IssuedTokens> => {
    const accessToken = tokenAfter(secret, 'access', id, refreshToken)
    await session.run({
      text: `update "selvedge_consents"
        set "refresh_hash" = ?2,
          "refreshed_at" = ?3,
          "access_hash" = ?4,
          "access_expires_at" = ?5,
          "earlier_access_hash" = ?6,
          "earlier_access_expires_at" = ?7,
          "expires_at" = ?8
        where "id" = ?1`,
      values: [
        ...[id, hashOf(refreshToken), timestamp(now()), hashOf(accessToken), later(accessSeconds)],
        ...[accessHash, accessExpiresAt, later(idleSeconds)],
      ],
    })
    return { accessToken, expiresInSeconds: accessSeconds, refreshToken }
  }

  const isOver = ({ expiresAt }: Consent): boolean => expiresAt <= timestamp(now())

  return {
    create: async ({ keyId, clientId, redirectUri, resource, challenge, ticket }) => {
      const id = createConsentId(random)
      const code = tokenOf('code', id, random(32))
      const at = timestamp(now())
      return database.write(async (session) => {
        for (const query of cleanUpQueries(at, keyId)) await session.run(query)
        if ((await session.run(spendQuery(ticket))) === 0) return null
        await session.run({
          text: `insert into "selvedge_consents"
            ("id", "key_id", "client_hash", "redirect_uri", "resource", "challenge", "code_hash",
              "created_at", "refreshed_at", "expires_at")
            values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)`,
          values: [
            ...[id, keyId, hashOf(clientId), redirectUri, resource, challenge],
            ...[hashOf(code), at, later(codeSeconds)],
          ],
        })
        return code
      })
    },
    find: async (kind, token) => {
      const id = consentIdIn(kind, token)
      return id === null ? null : findBy(id)
    },
    redeem: (code, { clientId, redirectUri, verifier }) =>
      change('code', code, async (consent, session) => {
        // Only the client that received a code knows it, so that others cannot end its consent.
        if (!isHashOf(consent.codeHash, code)) throw refused('code')
        // A code that is used twice was stolen: its tokens end (RFC 6749, 4.1.2).
        if (consent.refreshHash !== null) return revoked
        const isProved =
          !isOver(consent) &&
          isHashOf(consent.clientHash, clientId) &&
          (redirectUri === undefined || redirectUri === consent.redirectUri) &&
          verifierPattern.test(verifier) &&
          isChallengeOf(consent.challenge, verifier)
        // Allows one attempt, so that a stolen code cannot be tried with several verifiers.
        return isProved
          ? issue(session, consent, tokenOf('refresh', consent.id, random(32)))
          : revoked
      }),
    refresh: (token, { clientId }) =>
      change('refresh', token, async (consent, session) => {
        if (consent.refreshHash === null || isOver(consent)) return revoked
        if (!isHashOf(consent.clientHash, clientId)) return revoked
        const next = tokenAfter(secret, 'refresh', consent.id, token)
        if (isHashOf(consent.refreshHash, token)) return issue(session, consent, next)
        const isRepeated =
          isHashOf(consent.refreshHash, next) &&
          Date.parse(consent.refreshedAt) + repeatSeconds * 1_000 > now()
        // Only tokens contain the id of a consent, so an old one that is used again was stolen.
        if (!isRepeated) return revoked
        const untilMs = Date.parse(consent.accessExpiresAt ?? '') - now()
        return {
          accessToken: tokenAfter(secret, 'access', consent.id, next),
          expiresInSeconds: Math.max(0, Math.floor(untilMs / 1_000)),
          refreshToken: next,
        }
      }),
    revoke: async (token, clientId) => {
      const kind = consentIdIn('refresh', token) === null ? 'access' : 'refresh'
      const id = consentIdIn(kind, token)
      const consent = id === null ? null : await findBy(id)
      if (!consent) return
      const isValid =
        kind === 'refresh'
          ? isHashOf(consent.refreshHash, token)
          : isHashOf(consent.accessHash, token) || isHashOf(consent.earlierAccessHash, token)
      const isOwn = clientId === undefined || isHashOf(consent.clientHash, clientId)
      if (isValid && !isOwn) {
        throw new OAuthError('invalid_client', 'The token was issued to another client.')
      }
      if (isValid) await database.write((session) => session.run(deleteQuery(consent.id)))
    },
  }
}

/** The result of a change that ends a consent. It must be committed before it is reported. */
const revoked = Symbol('revoked')
type Revoked = typeof revoked

const refused = (kind: TokenKind): OAuthError =>
  new OAuthError(
    'invalid_grant',
    kind === 'code'
      ? 'The code is not valid: unknown, expired, used before, or issued for another client, redirect URI or code verifier.'
      : 'The refresh token is not valid: unknown, expired, revoked, used before, or issued to another client. Ask for authorization again.',
  )

const isChallengeOf = (challenge: string, verifier: string): boolean =>
  isHashOf(hashOf(challenge), hash('sha256', verifier, 'base64url'))

export const timestamp = (at: number): string => new Date(at).toISOString()

const selectQuery = (id: string): Query => ({
  text: `select ${consentColumns}
    from "selvedge_consents"
    where "id" = ?1`,
  values: [id],
})

const deleteQuery = (id: string): Query => ({
  text: 'delete from "selvedge_consents" where "id" = ?1',
  values: [id],
})

/** Changes no row if the ticket is spent. */
const spendQuery = ({ hash: ticketHash, expiresAt }: SpentTicket): Query => ({
  text: `insert into "selvedge_spent_tickets" ("hash", "expires_at")
    values (?1, ?2)
    on conflict do nothing`,
  values: [ticketHash, timestamp(expiresAt)],
})

/** Removes expired consents and tickets, and those beyond the key's maximum once a new one is added. */
const cleanUpQueries = (at: string, keyId: string): readonly Query[] => [
  {
    text: `delete from "selvedge_consents"
      where "expires_at" <= ?1
        or "key_id" in (select "id" from "selvedge_keys" where "revoked_at" is not null)`,
    values: [at],
  },
  { text: 'delete from "selvedge_spent_tickets" where "expires_at" <= ?1', values: [at] },
  {
    text: `delete from "selvedge_consents"
      where "id" in (
        select "id"
        from "selvedge_consents"
        where "key_id" = ?1
        order by "refreshed_at" desc, "id"
        limit 1000 offset ${consentsPerKey - 1}
      )`,
    values: [keyId],
  },
]
