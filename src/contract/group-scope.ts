import { catalog } from './catalog.ts'
import { type Domain, domains } from './resource.ts'

/** The groups that a key may read. Equal sets are one object, so that they compare by identity. */
export interface GroupScope {
  /** Different for different sets, and the same in every process of one version. */
  readonly id: string
  /** Whether it has all groups, now and in later versions. */
  readonly isWhole: boolean
  has(group: string): boolean
}

/** The scope of keys without limits. */
export const wholeScope: GroupScope = { id: 'whole', isWhole: true, has: () => true }

/** Limits as they are stored: names of groups and domains; null without that limit. */
export interface GroupLimits {
  readonly onlyGroups: readonly string[] | null
  readonly withoutGroups: readonly string[] | null
}

/** Marks the name of a domain: the names of some domains are also those of groups. */
const domainPrefix = 'domain:'

/**
 * The stored form of a name: a group as it is, a domain with its prefix. Undefined if there is
 * neither. A domain that has the name of a group, such as `orders`, needs the prefix.
 */
export const groupNameOf = (text: string): string | undefined => {
  if (catalog.byPath.has(text)) return text
  const domain = text.startsWith(domainPrefix) ? text.slice(domainPrefix.length) : text
  return domains.includes(domain as Domain) ? domainPrefix + domain : undefined
}

/** All names that `groupNameOf` knows. */
export const groupNames: readonly string[] = [
  ...catalog.byPath.keys(),
  ...domains.filter((domain) => !catalog.byPath.has(domain)),
  ...domains.map((domain) => domainPrefix + domain),
]

/** The groups of the limits, in the order of the catalog. Domains have the groups of this version. */
export const groupsOf = ({ onlyGroups, withoutGroups }: GroupLimits): readonly string[] => {
  const isNamed = (names: readonly string[], path: string, domain: Domain): boolean =>
    names.includes(path) || names.includes(domainPrefix + domain)
  return catalog.resources
    .filter(
      ({ path, domain }) =>
        (onlyGroups === null || isNamed(onlyGroups, path, domain)) &&
        (withoutGroups === null || !isNamed(withoutGroups, path, domain)),
    )
    .map(({ path }) => path)
}

/** The group that every key may read: the record of its brand. */
const brandGroup = 'brand'

const scopes = new Map<string, GroupScope>()

/** The scope of the limits. */
export const groupScopeOf = (limits: GroupLimits): GroupScope => {
  if (limits.onlyGroups === null && limits.withoutGroups === null) return wholeScope
  const groups = new Set([brandGroup, ...groupsOf(limits)])
  const bits = catalog.resources.map(({ path }) => (groups.has(path) ? '1' : '0'))
  const id = BigInt(`0b${bits.join('')}`).toString(36)
  const scope = scopes.get(id) ?? { id, isWhole: false, has: (group) => groups.has(group) }
  scopes.set(id, scope)
  return scope
}
