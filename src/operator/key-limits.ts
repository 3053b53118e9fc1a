import {
  catalog,
  domains,
  type GroupLimits,
  groupNameOf,
  groupNames,
  groupsOf,
  type OperatorKeyLimits,
} from '#contract'
import { canonicalAddress, type KeyLimits, type KeyRecord } from '#keys'
import { nearest } from '#request'
import { OperatorError } from './error.ts'
import { readMoment } from './moments.ts'

type LimitFields = KeyLimits & Pick<KeyRecord, 'collections' | 'expiresAt' | 'perSecond' | 'burst'>

/** Checks the limits that are given; null removes one. */
export const readLimits = (limits: OperatorKeyLimits, now: number): Partial<LimitFields> => ({
  ...optional('onlyGroups', limits.onlyGroups, (names) => readGroups('--only', names)),
  ...optional('withoutGroups', limits.withoutGroups, (names) => readGroups('--without', names)),
  ...optional('addresses', limits.addresses, readAddresses),
  ...optional('collections', limits.collections, readCollections),
  ...optional('expiresAt', limits.expires, (text) => readMoment(text, now)),
  ...optional('perSecond', limits.perSecond, readRate),
  ...optional('burst', limits.burst, readBurst),
})

const optional = <Name extends string, Input, Read>(
  name: Name,
  input: Input | null | undefined,
  read: (input: Input) => Read,
): { readonly [N in Name]?: Read | null } =>
  input === undefined
    ? {}
    : ({ [name]: input === null ? null : read(input) } as { [N in Name]: Read | null })

/** Fails unless the limits fit the kind of the key, and leave it something to read. */
export const checkLimits = (key: GroupLimits & Pick<KeyRecord, 'kind' | 'collections'>): void => {
  const { kind, collections, onlyGroups, withoutGroups } = key
  if (kind === 'ingest' && (onlyGroups !== null || withoutGroups !== null)) {
    throw new OperatorError(
      'usage',
      'An ingest key reads no groups: limit what it sends with --collections.',
    )
  }
  if (kind === 'read' && collections !== null)
    throw new OperatorError('usage', '--collections needs --ingest.')
  if (groupsOf(key).length === 0) {
    throw new OperatorError(
      'invalid',
      'The key could read nothing: --without has all groups of --only.',
    )
  }
}

const readGroups = (option: string, names: readonly string[]): readonly string[] =>
  unique(names).map((each) => {
    const name = groupNameOf(each)
    if (name === undefined) throw unknownGroup(option, each)
    if (name === 'brand' && option === '--without') {
      throw new OperatorError('invalid', '--without: every key can read the record of its brand.')
    }
    return name
  })

const unknownGroup = (option: string, name: string): OperatorError => {
  const meant = nearest(name, groupNames)
  const unknown = `${option}: there is no group or domain "${name}".`
  return new OperatorError(
    'invalid',
    meant
      ? `${unknown} Did you mean ${meant}?`
      : `${unknown} Use groups such as orders,order-items, or domains: ${domains.map((domain) => groupNameOf(`domain:${domain}`)).join(', ')}.`,
  )
}

/** Each is compared with the address of every request. */
const addressesMax = 100

const readAddresses = (texts: readonly string[]): readonly string[] => {
  if (texts.length === 0) {
    throw new OperatorError('invalid', '--from: name an address or a network.')
  }
  const addresses = new Set(
    texts.map((each) => {
      try {
        return canonicalAddress(each)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        throw new OperatorError('invalid', `--from: ${error.message}`)
      }
    }),
  )
  if (addresses.size > addressesMax) {
    throw new OperatorError(
      'invalid',
      `--from: a key can have ${addressesMax} addresses and networks at most.`,
    )
  }
  return [...addresses]
}

const readCollections = (names: readonly string[]): readonly string[] => {
  const paths = unique(names)
  if (paths.length === 0) throw new OperatorError('invalid', '--collections: name a collection.')
  const unknown = paths.find((path) => catalog.byPath.get(path)?.scope !== 'brand')
  if (unknown === undefined) return paths
  throw new OperatorError(
    'invalid',
    catalog.byPath.has(unknown)
      ? `--collections: ${unknown} is shared by all brands, and no key can send records of it.`
      : `--collections: there is no collection "${unknown}". Use paths such as orders,order-items.`,
  )
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

const readRate = (value: number): number => {
  if (Number.isFinite(value) && value > 0) return value
  throw new OperatorError('invalid', '--rate is not valid. Use a number greater than 0.')
}

const burstMax = 999_999_999

const readBurst = (value: number): number => {
  if (Number.isInteger(value) && value >= 1 && value <= burstMax) return value
  throw new OperatorError(
    'invalid',
    `--burst is not valid. Use a whole number from 1 to ${burstMax}.`,
  )
}

/** The brands of a key, and its limits. */
export const scopeOf = (key: KeyRecord): string => {
  const { global, brands, collections, onlyGroups, withoutGroups, addresses } = key
  const scope = global ? 'every brand' : brands.join(', ')
  const limits = [
    onlyGroups && `only ${onlyGroups.join(', ') || 'the brand'}`,
    withoutGroups && `without ${withoutGroups.join(', ')}`,
    addresses && `from ${addresses.join(', ')}`,
  ].filter((limit) => limit !== null)
  return [
    collections ? `${scope}: ${collections.join(', ')}` : scope,
    ...(limits.length > 0 ? [`(${limits.join('; ')})`] : []),
  ].join(' ')
}
