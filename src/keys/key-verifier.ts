import { withTimeout } from '#concurrency'
import { type GroupScope, groupScopeOf } from '#contract'
import type { Database, Row, SqlValue } from '#database'
import { type AddressList, createAddressList } from './addresses.ts'
import { hashOf, isWellFormed, type KeyKind } from './key.ts'
import { createKeyTable, hashesOf, readKey, timestamp, versionQuery } from './table.ts'

/** What a valid key allows (specification §Authentication). */
export interface Grant {
  readonly keyId: string
  /** The purpose of the key, as described by its issuer. */
  readonly name: string
  readonly global: boolean
  readonly brands: ReadonlySet<string>
  /** The collections that an ingest key may send; null for all. */
  readonly collections: readonly string[] | null
  /** The groups that it may read. */
  readonly scope: GroupScope
  /** Where it may be used from; null for everywhere. */
  readonly addresses: AddressList | null
  readonly perSecond: number | null
  readonly burst: number | null
  /** Milliseconds since 1970; null if the key does not expire. */
  readonly expiresAt: number | null
}

export type Refusal = 'invalid' | 'expired'

/** Verifies the keys of one kind from memory, and reads changes within `refreshMs`. */
export interface KeyVerifier {
  /** From memory, with the same work for every kind of invalid key. */
  verify(token: string): Grant | Refusal
  /**
   * Verifies a key again that memory rejected, because it may be brand-new. First reads whether any
   * key has changed, which is the same work for an unknown key and a revoked one. All waiting calls
   * share one read at a time. Rejects if the database does not respond in time. A malformed key is
   * `invalid` without a read.
   */
  verifyAgain(token: string): Promise<Grant | Refusal>
  /** Finds a key by its id, for credentials that represent it, such as a token. */
  findKey(keyId: string): Grant | Refusal
  /** Like `findKey`, after reading the keys as `verifyAgain` does. */
  findKeyAgain(keyId: string): Promise<Grant | Refusal>
  /** Finds a key that signs messages by its id, which is not a secret. */
  findSigner(keyId: string): Grant | Refusal
  /** Like `findSigner`, after reading the keys as `verifyAgain` does. */
  findSignerAgain(keyId: string): Promise<Grant | Refusal>
  /** Records the use of a key; stored once a minute. */
  markUsed(keyId: string): void
  /** Whether the keys were read too long ago to be trusted. */
  readonly isStale: boolean
  close(): Promise<void>
}

export interface KeyVerifierParts {
  readonly database: Database
  readonly now: () => number
  /** Keys of the other kind count as unknown. */
  readonly kind?: KeyKind
  /** Interval between reads of changes. */
  readonly refreshMs?: number
  /** How long cached keys stay valid while the database is unreachable. */
  readonly staleMs?: number
  /** Maximum wait for the database when verifying an unknown key. */
  readonly askMs?: number
  readonly onError?: (error: unknown) => void
}

export const openKeyVerifier = async (parts: KeyVerifierParts): Promise<KeyVerifier> => {
  const { database, now, refreshMs = 400, staleMs = 60_000, askMs = 500 } = parts
  const { onError = () => undefined, kind = 'read' } = parts
  await createKeyTable(database)
  let entries = new Map<string, Entry>()
  /** The same entries by key id. */
  let entriesById = new Map<string, Entry>()
  let version: SqlValue | undefined
  let readAt = Number.NEGATIVE_INFINITY
  /** Last use of each key, if not stored yet. */
  const lastUsed = new Map<string, number>()
  /** Valid keys by their text, until any key changes. Never contains guessed keys. */
  const verified = new Map<string, Entry>()

  const refresh = async () => {
    const [[state] = []] = await database.read([versionQuery])
    const current = state?.[0] ?? null
    if (current !== version) {
      const [rows = []] = await database.read([hashesOf(kind)])
      entries = new Map(rows.map((row) => [row[0] as string, readEntry(row)]))
      entriesById = new Map([...entries.values()].map((entry) => [entry.grant.keyId, entry]))
      version = current
      verified.clear()
    }
    readAt = performance.now()
  }

  const writeLastUsed = async () => {
    if (lastUsed.size === 0) return
    const uses = [...lastUsed]
    await database.write(async (session) => {
      for (const [id, at] of uses) {
        await session.run({
          text: `update "selvedge_keys"
            set "last_used_at" = ?2
            where "id" = ?1 and ("last_used_at" is null or "last_used_at" < ?2)`,
          values: [id, toTheMinute(at)],
        })
      }
    })
    for (const [id, at] of uses) if (lastUsed.get(id) === at) lastUsed.delete(id)
  }

  let reading: Promise<void> | null = null
  let readingNext: Promise<void> | null = null

  /** A read that begins after this call: one in progress may be too old to see a new key. */
  const reread = (): Promise<void> => {
    if (!reading) {
      reading = refresh().finally(() => {
        reading = null
      })
      return reading
    }
    readingNext ??= reading
      .catch(() => undefined)
      .then(() => {
        readingNext = null
        return reread()
      })
    return readingNext
  }

  const verify = (token: string): Grant | Refusal => {
    const cached = verified.get(token)
    const entry = cached ?? entries.get(hashOf(token))
    const hasForm = cached !== undefined || isWellFormed(token, kind)
    if (!entry || !hasForm || entry.revoked) return 'invalid'
    if (!cached && verified.size < verifiedMax) verified.set(token, entry)
    return grantOf(entry)
  }
  const findKey = (keyId: string): Grant | Refusal => {
    const entry = entriesById.get(keyId)
    return entry && !entry.revoked ? grantOf(entry) : 'invalid'
  }
  const findSigner = (keyId: string): Grant | Refusal =>
    entriesById.get(keyId)?.webhook ? findKey(keyId) : 'invalid'
  const grantOf = ({ grant }: Entry): Grant | Refusal =>
    grant.expiresAt !== null && grant.expiresAt <= now() ? 'expired' : grant

  await refresh()
  const timers = [
    repeat(reread, refreshMs, onError),
    // A failed write is repeated later.
    repeat(writeLastUsed, 60_000, onError),
  ]

  return {
    verify,
    verifyAgain: async (token) => {
      if (!isWellFormed(token, kind)) return 'invalid'
      await withTimeout(askMs, reread())
      return verify(token)
    },
    findKey,
    findKeyAgain: async (keyId) => {
      await withTimeout(askMs, reread())
      return findKey(keyId)
    },
    findSigner,
    findSignerAgain: async (keyId) => {
      await withTimeout(askMs, reread())
      return findSigner(keyId)
    },
    markUsed: (keyId) => {
      lastUsed.set(keyId, now())
    },
    get isStale() {
      return performance.now() - readAt > staleMs
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await writeLastUsed().catch(onError)
    },
  }
}

/** About 2 MB of keys. */
const verifiedMax = 10_000

interface Entry {
  readonly grant: Grant
  readonly revoked: boolean
  readonly webhook: boolean
}

const repeat = (work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void) => {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    work()
      .catch(onError)
      .finally(() => {
        running = false
      })
  }, everyMs)
  timer.unref()
  return timer
}

const readEntry = ([, ...row]: Row): Entry => {
  const key = readKey(row)
  return {
    grant: {
      keyId: key.id,
      name: key.name,
      global: key.global,
      brands: new Set(key.brands),
      collections: key.collections,
      scope: groupScopeOf(key),
      addresses: key.addresses && createAddressList(key.addresses),
      perSecond: key.perSecond,
      burst: key.burst,
      expiresAt: key.expiresAt === null ? null : Date.parse(key.expiresAt),
    },
    revoked: key.revokedAt !== null,
    webhook: key.webhook,
  }
}

const toTheMinute = (at: number): string => timestamp(Math.floor(at / 60_000) * 60_000)
