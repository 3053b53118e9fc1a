import type { Grant, KeyVerifier, Refusal } from '#keys'
import type { Consent } from './consent-table.ts'
import { type Consents, timestamp } from './consents.ts'
import { consentIdIn, isHashOf } from './token.ts'

/** Verifies access tokens. What one allows is what its key allows at that moment. */
export interface AccessTokens {
  /**
   * Calls `beforeRead` before the database is read. Rejects when the database does not respond and the
   * consent was not read for a minute.
   */
  verify(token: string, beforeRead: () => Promise<void>): Promise<Grant | Refusal>
  /** What a key allows, which a token or a person has named; read again where it is not known. */
  findKey(keyId: string): Promise<Grant | Refusal>
  /** Forgets what has been read, because a consent was changed here. */
  forget(): void
}

export interface AccessTokenParts {
  readonly consents: Pick<Consents, 'find'>
  readonly keyVerifier: Pick<KeyVerifier, 'findKey' | 'findKeyAgain'>
  /** What tokens have to be issued for. */
  readonly resource: () => string
  readonly now: () => number
  /** For so long a consent is not read again, as changes of keys are not. */
  readonly refreshMs?: number
  /** For so long a consent stays valid while the database cannot be reached, as keys do. */
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
  /** Consents that were read for a valid token, by their ids. */
  const entries = new Map<string, Entry>()

  /** The consent of a token, with the time at which the token expires; null where it is not valid. */
  const read = async (
    id: string,
    token: string,
    beforeRead: () => Promise<void>,
  ): Promise<ValidToken | null> => {
    const cached = entries.get(id)
    const current = cached && validTokenOf(cached.consent, token)
    const age = cached ? performance.now() - cached.readAt : Number.POSITIVE_INFINITY
    // A token that does not match may have been issued by another process a moment ago.
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
