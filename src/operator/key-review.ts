import { catalog, domains, groupsOf, type KeyFinding } from '#contract'
import type { KeyRecord } from '#keys'
import type { KeyUse } from '#usage'

/** How far back the use of keys is reviewed, and how far ahead their expiry. */
export const reviewedDays = { use: 90, expiry: 30 } as const

export interface ReviewParts {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The brands that exist. */
  readonly brands: readonly string[]
  /** What each key has used in the days of the review, by its id. */
  readonly uses: ReadonlyMap<string, KeyUse>
}

const dayMs = 86_400_000

/** The first day of the usage that is reviewed. */
export const firstDayOfUse = (now: number): string =>
  new Date(now - reviewedDays.use * dayMs).toISOString().slice(0, 10)

/** Whether a key is valid, so that it is reviewed. */
export const isValid = ({ revokedAt, expiresAt }: KeyRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)

/** Reviews a valid key. */
export const reviewKey = (key: KeyRecord, parts: ReviewParts): readonly KeyFinding[] => {
  const { now } = parts
  const { expiresAt, lastUsedAt, createdAt } = key
  const isUnused = Date.parse(lastUsedAt ?? createdAt) < now - reviewedDays.use * dayMs
  const findings: readonly (KeyFinding | null)[] = [
    isUnused ? { finding: 'unused', lastUsedAt } : null,
    expiresAt === null ? { finding: 'never_expires' } : null,
    expiresAt !== null && Date.parse(expiresAt) < now + reviewedDays.expiry * dayMs
      ? { finding: 'expires_soon', expiresAt }
      : null,
    key.global ? { finding: 'global' } : null,
    isUnused ? null : reviewUse(key, parts),
  ]
  return findings.filter((finding) => finding !== null)
}

/** Compares what a key may use with what it used. */
const reviewUse = (key: KeyRecord, { brands, uses }: ReviewParts): KeyFinding | null => {
  const use = uses.get(key.id)
  if (!use) return { finding: 'no_usage_recorded' }
  const unusedBrands = (key.global ? brands : key.brands).filter((brand) => !use.brands.has(brand))
  // What an ingest key sends is not recorded by group, and a search may find records of any group.
  const unusedGroups =
    key.kind === 'ingest' || use.hasReadAcross
      ? []
      : groupsOf(key).filter((group) => group !== 'brand' && !use.groups.has(group))
  return unusedBrands.length + unusedGroups.length > 0
    ? { finding: 'wider_than_used', unusedBrands, unusedGroups }
    : null
}

/** A finding as a sentence without an end. */
export const describeFinding = (finding: KeyFinding): string => {
  switch (finding.finding) {
    case 'unused':
      return `not used for ${reviewedDays.use} days${finding.lastUsedAt ? `, last on ${finding.lastUsedAt.slice(0, 10)}` : ', never used'}`
    case 'never_expires':
      return 'never expires'
    case 'expires_soon':
      return `expires on ${finding.expiresAt.slice(0, 10)}`
    case 'global':
      return 'can read every brand'
    case 'no_usage_recorded':
      return `no usage recorded in ${reviewedDays.use} days`
    case 'wider_than_used':
      return `did not use in ${reviewedDays.use} days: ${[
        ...(finding.unusedBrands.length > 0 ? [shortList('brand', finding.unusedBrands)] : []),
        ...(finding.unusedGroups.length > 0
          ? [shortList('group', byDomain(finding.unusedGroups))]
          : []),
      ].join('; ')}`
  }
}

/** Names in a cell of the table. JSON has all. */
const namesMax = 12

const shortList = (noun: string, names: readonly string[]): string => {
  const more = names.length - namesMax
  return `${noun}${names.length === 1 ? '' : 's'} ${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Groups, with a domain in place of all its groups. */
const byDomain = (groups: readonly string[]): readonly string[] =>
  domains.flatMap((domain) => {
    const all = catalog.resources.filter((each) => each.domain === domain && each.path !== 'brand')
    const own = all.map(({ path }) => path).filter((path) => groups.includes(path))
    return own.length === all.length ? [`domain:${domain}`] : own
  })
