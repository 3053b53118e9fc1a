import type { AuditAction, AuditDetails, AuditEntry, RecordAudit } from '#audit'
import type { Database, Session } from '#database'
import { generateKey, hashOf, type KeyKind } from './key.ts'
import {
  createKeyTable,
  insertQuery,
  type KeyLimits,
  type KeyRecord,
  keyQuery,
  readKey,
  readKeys,
  timestamp,
  touchQuery,
  updateQuery,
} from './table.ts'

export interface IssueRequest extends Partial<KeyLimits> {
  readonly name: string
  readonly brands: readonly string[]
  readonly global: boolean
  readonly expiresAt: string | null
  readonly perSecond: number | null
  readonly burst: number | null
  /** `read` by default. */
  readonly kind?: KeyKind
  readonly collections?: readonly string[] | null
  readonly webhook?: boolean
}

export interface IssuedKey extends KeyRecord {
  readonly key: string
}

/** Key management for the command line. */
export interface Keys {
  issue(request: IssueRequest): Promise<IssuedKey>
  list(): Promise<readonly KeyRecord[]>
  /**
   * Stores what `change` makes of the key; its id must stay. Null if the key does not exist.
   */
  update(id: string, change: (key: KeyRecord) => KeyRecord): Promise<KeyRecord | null>
  /** Null if the key does not exist. Revoking again has no effect. */
  revoke(id: string): Promise<KeyRecord | null>
  /**
   * Issues a new key with the same rights and expiry; the old one stays valid for the overlap. Null
   * if the key does not exist, is revoked, or has a successor that is not revoked.
   */
  rotate(id: string, overlapSeconds: number): Promise<IssuedKey | null>
}

export interface KeyParts {
  readonly database: Database
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
  /** Records what happens to keys, in the same transaction. */
  readonly recordAudit?: RecordAudit
}

export const createKeys = async (parts: KeyParts): Promise<Keys> => {
  const { database, now, random, recordAudit = async () => undefined } = parts
  await createKeyTable(database)

  /** A new key's record, and the key itself. */
  const create = (request: IssueRequest): IssuedKey => {
    const { kind = 'read', collections = null, webhook = false } = request
    const { key, id } = generateKey(random, kind)
    const limits = { onlyGroups: null, withoutGroups: null, addresses: null }
    const none = { revokedAt: null, lastUsedAt: null, successorId: null }
    const own = { kind, collections, webhook, id, key, createdAt: timestamp(now()) }
    return { ...limits, ...request, ...none, ...own }
  }

  const find = async (id: string) => (await readKeys(database)).find((key) => key.id === id) ?? null

  return {
    issue: async (request) => {
      const issued = create(request)
      await database.write(async (session) => {
        await session.run(insertQuery(issued, hashOf(issued.key)))
        await session.run(touchQuery)
        await recordAudit(session, keyEntry('key.issued', issued))
      })
      return issued
    },
    list: () => readKeys(database),
    update: (id, change) =>
      database.write(async (session) => {
        const key = await findIn(session, id)
        if (!key) return null
        const changed = change(key)
        await session.run(updateQuery(changed))
        await session.run(touchQuery)
        const before = differingRights(key, changed)
        await recordAudit(session, keyEntry('key.changed', changed, { before }))
        return changed
      }),
    revoke: async (id) => {
      await database.write(async (session) => {
        const changed = await session.run({
          text: `update "selvedge_keys"
            set "revoked_at" = ?2
            where "id" = ?1 and "revoked_at" is null`,
          values: [id, timestamp(now())],
        })
        await session.run(touchQuery)
        const key = changed > 0 ? await findIn(session, id) : null
        if (key) await recordAudit(session, keyEntry('key.revoked', key))
      })
      return find(id)
    },
    rotate: async (id, overlapSeconds) => {
      const ends = timestamp(now() + overlapSeconds * 1_000)
      return database.write(async (session) => {
        // Read here, so that the successor has no right that was withdrawn a moment ago.
        const old = await findIn(session, id)
        if (!old) return null
        const { name, brands, global, perSecond, burst, expiresAt } = old
        const { kind, collections, webhook, onlyGroups, withoutGroups, addresses } = old
        const rights = { kind, collections, webhook, brands, global }
        const limits = { onlyGroups, withoutGroups, addresses, perSecond, burst, expiresAt }
        const successor = create({ name, ...rights, ...limits })
        const changed = await session.run({
          text: `update "selvedge_keys"
            set "successor_id" = ?2,
              "expires_at" = case when "expires_at" is null or "expires_at" > ?3 then ?3 else "expires_at" end
            where "id" = ?1 and "revoked_at" is null
              and not exists (
                select 1 from "selvedge_keys" as s
                where s."id" = "selvedge_keys"."successor_id" and s."revoked_at" is null
              )`,
          values: [id, successor.id, ends],
        })
        if (changed === 0) return null
        await session.run(insertQuery(successor, hashOf(successor.key)))
        await session.run(touchQuery)
        const more = { successor: successor.id, overlapSeconds }
        await recordAudit(session, keyEntry('key.rotated', old, more))
        return successor
      })
    },
  }
}

const findIn = async (session: Session, id: string): Promise<KeyRecord | null> => {
  const [row] = await session.all(keyQuery(id))
  return row ? readKey(row) : null
}

/** What happened to a key, with its rights but not the key. */
const keyEntry = (action: AuditAction, key: KeyRecord, more: AuditDetails = {}): AuditEntry => ({
  action,
  // A key for several brands, or for all, belongs to none.
  brand: key.brands.length === 1 ? (key.brands[0] ?? null) : null,
  subject: key.id,
  details: { ...rightsOf(key), ...more },
})

const rightsOf = (key: KeyRecord): AuditDetails => {
  const { name, kind, brands, global, collections, webhook, expiresAt, burst } = key
  const { onlyGroups, withoutGroups, addresses } = key
  const limits = { collections, onlyGroups, withoutGroups, addresses }
  const perSecond = key.perSecond === null ? null : String(key.perSecond)
  return { name, kind, brands, global, ...limits, webhook, expiresAt, perSecond, burst }
}

/** The rights of a key that another one has not, or has otherwise. */
const differingRights = (key: KeyRecord, other: KeyRecord): AuditDetails => {
  const others = rightsOf(other)
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(others[name])
  return Object.fromEntries(Object.entries(rightsOf(key)).filter(differs))
}
