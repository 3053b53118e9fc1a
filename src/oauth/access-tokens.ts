import type { Grant, KeyVerifier, Refusal } from '#keys'
import type { Consent } from './consent-table.ts'
import { type Consents, timestamp } from './consents.ts'
import { consentIdIn, isHashOf } from './token.ts'

/** Verifies access tokens. A token allows what its key currently allows. */
export interface AccessTokens {
  /**
   * Calls `beforeRead` before it reads the database. Rejects if the database does not respond and
   * the cached consent is older than `staleMs`.
   */
  verify(token: string, beforeRead: () => Promise<void>): Promise<Grant | Refusal>
  /** The grant of a key that a token or a person has named. Reads unknown keys again. */
  findKey(keyId: string): Promise<Grant | Refusal>
  /** Clears the cache, because this process changed a consent. */
  forget(): void
}

export interface AccessTokenParts {
  readonly consents: Pick<Consents, 'find'>
  readonly keyVerifier: Pick<KeyVerifier, 'findKey' | 'findKeyAgain'>
  /** The required audience of tokens. */
  readonly resource: () => string
  readonly now: () => number
  /** Cached consents are read again after this time, like changes of keys. */
  readonly refreshMs?: number
  /** Cached consents stay valid for this time while the database is unreachable, like keys. */
  readonly staleMs?: number
}

interface Entry {
  readonly consent: Consent
  /** On the clock of `performance.now`. */
  readonly readAt: number
}

interface ValidToken {
  readonly consent: Consent
  readonly expiresAt: string
}

const validTokenOf = (consent: Consent, token: string): ValidToken | null => {
  const expiresAt = isHashOf(consent.accessHash, token)
    ? consent.accessExpiresAt
    : isHashOf(consent.earlierAccessHash, token)
      ? consent.earlierAccessExpiresAt
      : null
  return expiresAt === null ? null : { consent, expiresAt }
}

const entriesMax = 1_000

export const createAccessTokens = (parts: AccessTokenParts): AccessTokens => {
  const { consents, keyVerifier, resource, now, refreshMs = 400, staleMs = 60_000 } = parts
  /** Cached consents of valid tokens, by id. */
  const entries = new Map<string, Entry>()

  /** The consent of a token, with the token's expiry; null if the token is not valid. */
  const read = async (
    id: string,
    token: string,
    beforeRead: () => Promise<void>,
  ): Promise<ValidToken | null> => {
    const cached = entries.get(id)
    const current = cached && validTokenOf(cached.consent, token)
    const age = cached ? performance.now() - cached.readAt : Number.POSITIVE_INFINITY
    // A mismatch is read again: another process may have just issued the token.
    if (current && age < refreshMs) return current
    await beforeRead()
    try {
      const consent = await consents.find('access', token)
      return consent && validTokenOf(consent, token)
    } catch (error) {
      if (current && age < staleMs) return current
      throw error
    }
  }

  const keep = (id: string, consent: Consent): void => {
    const existing = entries.get(id)
    if (existing?.consent === consent) return
    const [oldest] = entries.keys()
    if (!existing && entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest)
    entries.set(id, { consent, readAt: performance.now() })
  }

  const findKey = async (keyId: string): Promise<Grant | Refusal> => {
    const grant = keyVerifier.findKey(keyId)
    // The key may have been issued a moment ago.
    return grant === 'invalid' ? keyVerifier.findKeyAgain(keyId) : grant
  }

  return {
    verify: async (token, beforeRead) => {
      const id = consentIdIn('access', token)
      const valid = id === null ? null : await read(id, token, beforeRead)
      if (id === null || valid?.consent.resource !== resource()) {
        entries.delete(id ?? '')
        return 'invalid'
      }
      keep(id, valid.consent)
      return valid.expiresAt <= timestamp(now()) ? 'expired' : findKey(valid.consent.keyId)
    },
    findKey,
    forget: () => entries.clear(),
  }
}
