import { withTimeout } from '#concurrency'
import type { Database, Row, SqlValue } from '#database'
import { hashOf, isWellFormed } from './key.ts'
import { createKeyTable, hashesQuery, readKey, timestamp, versionQuery } from './table.ts'

/** What a good key allows. */
export interface Grant {
  readonly keyId: string
  /** What the key is for, in the words of the person who issued it. */
  readonly name: string
  readonly global: boolean
  readonly brands: ReadonlySet<string>
  readonly perSecond: number | null
  readonly burst: number | null
}

export type Refusal = 'invalid' | 'expired'

/** Verifies keys from memory, and learns of changes within `refreshMs`. */
export interface KeyVerifier {
  /** From memory, with the same work for every kind of bad key. */
  verify(token: string): Grant | Refusal
  /**
   * Verifies a key again that memory refused, because it may have been issued a moment ago: first
   * asks the database whether any key has changed, which is the same work for a key that is unknown
   * and one that is revoked. However many wait, one read at a time is under way. Rejects when the
   * database does not answer in time. A malformed key is refused at once.
   */
  verifyAgain(token: string): Promise<Grant | Refusal>
  /** Notes that a key was used; written down once a minute. */
  markUsed(keyId: string): void
  /** Why keys cannot be trusted any more: they have not been read for too long. */
  readonly isStale: boolean
  close(): Promise<void>
}

export interface KeyVerifierParts {
  readonly database: Database
  readonly now: () => number
  /** How often changes are looked for. */
  readonly refreshMs?: number
  /** How long keys that were read live on when the database is away. */
  readonly staleMs?: number
  /** How long a key that is not known waits for the database. */
  readonly askMs?: number
  readonly onError?: (error: unknown) => void
}

export const openKeyVerifier = async (parts: KeyVerifierParts): Promise<KeyVerifier> => {
  const { database, now, refreshMs = 400, staleMs = 60_000, askMs = 500 } = parts
  const { onError = () => undefined } = parts
  await createKeyTable(database)
  let entries = new Map<string, Entry>()
  let version: SqlValue | undefined
  let readAt = Number.NEGATIVE_INFINITY
  const seen = new Map<string, number>()
  /** Good keys by their own text, until any key changes. Guesses never get in. */
  const verified = new Map<string, Entry>()

  const refresh = async () => {
    const [[state] = []] = await database.read([versionQuery])
    const current = state?.[0] ?? null
    if (current !== version) {
      const [rows = []] = await database.read([hashesQuery])
      entries = new Map(rows.map((row) => [row[0] as string, readEntry(row)]))
      version = current
      verified.clear()
    }
    readAt = performance.now()
  }

  const writeLastUsed = async () => {
    if (seen.size === 0) return
    const used = [...seen]
    await database.write(async (session) => {
      for (const [id, at] of used) {
        await session.run({
          text: 'update "selvedge_keys" set "last_used_at" = ?2 where "id" = ?1 and ("last_used_at" is null or "last_used_at" < ?2)',
          values: [id, toTheMinute(at)],
        })
      }
    })
    for (const [id, at] of used) if (seen.get(id) === at) seen.delete(id)
  }

  let asking: Promise<void> | null = null
  let askingNext: Promise<void> | null = null

  /** A read that begins after this call: one that is under way may be too old to see a new key. */
  const ask = (): Promise<void> => {
    if (!asking) {
      asking = refresh().finally(() => {
        asking = null
      })
      return asking
    }
    askingNext ??= asking
      .catch(() => undefined)
      .then(() => {
        askingNext = null
        return ask()
      })
    return askingNext
  }

  const verify = (token: string): Grant | Refusal => {
    const known = verified.get(token)
    const entry = known ?? entries.get(hashOf(token))
    const wellFormed = known !== undefined || isWellFormed(token)
    if (!entry || !wellFormed || entry.revoked) return 'invalid'
    if (!known && verified.size < verifiedMax) verified.set(token, entry)
    return entry.expiresAt !== null && entry.expiresAt <= now() ? 'expired' : entry.grant
  }

  await refresh()
  const timers = [
    repeat(ask, refreshMs, onError),
    // What cannot be written now is written later.
    repeat(writeLastUsed, 60_000, onError),
  ]

  return {
    verify,
    verifyAgain: async (token) => {
      if (!isWellFormed(token)) return 'invalid'
      await withTimeout(askMs, ask())
      return verify(token)
    },
    markUsed: (keyId) => {
      seen.set(keyId, now())
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

const verifiedMax = 10_000

interface Entry {
  readonly grant: Grant
  readonly revoked: boolean
  readonly expiresAt: number | null
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
      perSecond: key.perSecond,
      burst: key.burst,
    },
    revoked: key.revokedAt !== null,
    expiresAt: key.expiresAt === null ? null : Date.parse(key.expiresAt),
  }
}

const toTheMinute = (at: number): string => timestamp(Math.floor(at / 60_000) * 60_000)
