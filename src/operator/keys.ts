import {
  groupNames,
  type KeyFinding,
  type OperatorKey,
  type OperatorKeys,
  type OperatorKeyUpdate,
  type OperatorNewKey,
} from '#contract'
import type { Database } from '#database'
import { type IssuedKey, type KeyRecord, signingSecretOf } from '#keys'
import { createUsageLog, type KeyUse } from '#usage'
import { requireBrand } from './brand.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { OperatorError } from './error.ts'
import { checkLimits, readLimits } from './key-limits.ts'
import { firstDayOfUse, isValid, reviewedDays, reviewKey } from './key-review.ts'
import type { OperatorParts } from './parts.ts'

type KeyParts = Pick<OperatorParts, 'keys' | 'store' | 'secret' | 'now'>

/** An issued key, with its signing secret if it has one. Nothing else ever shows them. */
export type ShownKey = IssuedKey & { readonly signingSecret?: string }

export const issueKey = async (
  { keys, store, secret, now }: KeyParts,
  request: OperatorNewKey,
): Promise<ShownKey> => {
  const { name = '', kind = 'read', global = false, webhook = false } = request
  const brands = [...new Set(request.brands ?? [])]
  if (kind === 'ingest' && (global || brands.length === 0)) throw ingestBrands()
  if (global === brands.length > 0) throw eitherBrands()
  if (webhook && kind !== 'ingest') throw new OperatorError('usage', '--webhook needs --ingest.')
  const issue = { ...unlimited, ...readLimits(request, now()), kind } as const
  checkLimits(issue)
  for (const brand of brands) await requireBrand(store, brand)
  return withSecret(await keys.issue({ ...issue, name, brands, global, webhook }), secret)
}

export const updateKey = async (
  { keys, store, now }: KeyParts,
  id: string,
  request: OperatorKeyUpdate,
): Promise<KeyRecord> => {
  if (Object.keys(request).length === 0) {
    throw new OperatorError('usage', 'Say what to change: see --help.')
  }
  const { name } = request
  const changes = { ...readLimits(request, now()), ...readBrands(request) }
  for (const brand of changes.brands ?? []) await requireBrand(store, brand)
  const updated = await keys.update(id, (key) => {
    if (key.revokedAt) throw revoked(id)
    const next = { ...key, ...changes, ...(name !== undefined && { name }) }
    if (next.kind === 'ingest' && next.global) throw ingestBrands()
    checkLimits(next)
    return next
  })
  if (!updated) throw noSuchKey(id)
  return updated
}

export const revokeKey = async (
  { keys }: Pick<KeyParts, 'keys'>,
  id: string,
): Promise<KeyRecord> => {
  const revoked = await keys.revoke(id)
  if (!revoked) throw noSuchKey(id)
  return revoked
}

/** Issues a key with the same rights. The old one, which is returned too, works until the overlap ends. */
export const rotateKey = async (
  { keys, secret }: Pick<KeyParts, 'keys' | 'secret'>,
  id: string,
  overlapSeconds: number,
): Promise<{ readonly issued: ShownKey; readonly old: KeyRecord }> => {
  const issued = await keys.rotate(id, overlapSeconds)
  const old = (await keys.list()).find((key) => key.id === id)
  if (!old) throw noSuchKey(id)
  if (!issued) throw notRotated(old)
  return { issued: withSecret(issued, secret), old }
}

/** A valid key, with what to look at. */
export type KeyReview = Pick<KeyRecord, 'id' | 'name'> & {
  readonly findings: readonly KeyFinding[]
}

export const reviewKeys = async (
  parts: Pick<OperatorParts, 'keys' | 'keyDatabase' | 'store' | 'now'>,
): Promise<readonly KeyReview[]> => {
  const now = parts.now()
  const all = (await parts.keys.list()).filter((key) => isValid(key, now))
  const review = await openReview(parts)
  return all.map((key) => ({ id: key.id, name: key.name, findings: review(key) }))
}

const openReview = async ({
  keyDatabase,
  store,
  now,
}: Pick<OperatorParts, 'keyDatabase' | 'store' | 'now'>) => {
  const at = now()
  const brands = (await store.listBrands(null)).map(({ slug }) => slug)
  const uses = await usesOf(keyDatabase, at)
  return (key: KeyRecord): readonly KeyFinding[] => reviewKey(key, { now: at, brands, uses })
}

/** Use is added up from months of usage, so a page that is loaded again takes what was read before. */
const usesMs = 60_000
const readUses = new WeakMap<
  Database,
  { readonly at: number; readonly uses: Promise<ReadonlyMap<string, KeyUse>> }
>()

const usesOf = (database: Database, now: number): Promise<ReadonlyMap<string, KeyUse>> => {
  const before = readUses.get(database)
  if (before && now - before.at < usesMs) return before.uses
  const uses = createUsageLog(database).keyUses(firstDayOfUse(now))
  readUses.set(database, { at: now, uses })
  uses.catch(() => readUses.delete(database))
  return uses
}

/** Keys of a page. */
const pageKeys = 200

/** Keys in the order of issue, with their state and what to look at. */
export const listKeys = async (
  parts: Pick<OperatorParts, 'keys' | 'keyDatabase' | 'store' | 'now'>,
  { brand, cursor }: { readonly brand?: string | undefined; readonly cursor?: string | undefined },
): Promise<OperatorKeys> => {
  const from = cursor === undefined ? 0 : Number(readCursor(cursor, 1)[0])
  const all = (await parts.keys.list()).filter(
    ({ global, brands }) => brand === undefined || global || brands.includes(brand),
  )
  const page = all.slice(from, from + pageKeys)
  const shown = await describeKeys(parts, page)
  return {
    items: shown,
    nextCursor: from + pageKeys < all.length ? writeCursor([from + pageKeys]) : null,
    total: all.length,
    reviewedDays,
    groups: groupNames,
  }
}

/** Keys as the page shows them. */
export const describeKeys = async (
  parts: Pick<OperatorParts, 'keyDatabase' | 'store' | 'now'>,
  keys: readonly KeyRecord[],
): Promise<readonly OperatorKey[]> => {
  const now = parts.now()
  const review = await openReview(parts)
  return keys.map((key) => ({
    ...key,
    state: keyState(key, now),
    findings: isValid(key, now) ? review(key) : [],
  }))
}

export const keyState = (
  { revokedAt, expiresAt, successorId }: KeyRecord,
  now: number,
): OperatorKey['state'] => {
  if (revokedAt) return 'revoked'
  if (expiresAt && Date.parse(expiresAt) <= now) return 'expired'
  return successorId ? 'replaced' : 'good'
}

const unlimited = {
  onlyGroups: null,
  withoutGroups: null,
  addresses: null,
  collections: null,
  expiresAt: null,
  perSecond: null,
  burst: null,
} as const

/** The brands of an update; nothing if they stay as they are. */
const readBrands = ({
  brands,
  global,
}: OperatorKeyUpdate): Partial<Pick<KeyRecord, 'brands' | 'global'>> => {
  const hasBrands = brands !== undefined && brands.length > 0
  if (hasBrands && global) throw eitherBrands()
  if (global) return { brands: [], global }
  if (brands === undefined && global === undefined) return {}
  if (!hasBrands) throw eitherBrands()
  return { brands: [...new Set(brands)], global: false }
}

const ingestBrands = (): OperatorError =>
  new OperatorError('usage', 'Choose the brands of the ingest key: use --brand <slug>.')

const eitherBrands = (): OperatorError =>
  new OperatorError('usage', 'Choose what the key can read: use either --brand <slug> or --global.')

const withSecret = (issued: IssuedKey, secret: string): ShownKey =>
  issued.webhook ? { ...issued, signingSecret: signingSecretOf(secret, issued.id) } : issued

/** The reason why a key cannot be rotated. */
const notRotated = ({ id, revokedAt, successorId, expiresAt }: KeyRecord): OperatorError =>
  revokedAt
    ? revoked(id)
    : new OperatorError(
        'conflict',
        `${id} has already been rotated: its successor is ${successorId}, and it works until ${expiresAt}. To replace the successor: selvedge keys rotate ${successorId}`,
      )

const revoked = (id: string): OperatorError =>
  new OperatorError('conflict', `${id} has been revoked. Issue a new key instead.`)

const noSuchKey = (id: string): OperatorError =>
  new OperatorError('missing', `Key ${id} does not exist. See: selvedge keys list`)
