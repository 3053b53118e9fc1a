import { catalog, domains, type GroupLimits, groupNameOf, groupNames, groupsOf } from '#contract'
import { canonicalAddress, type KeyLimits, type KeyRecord } from '#keys'
import { nearest } from '#request'
import { readMoment } from './durations.ts'
import { CommandError, UsageError } from './output.ts'

/** The options of a key's limits, as given. */
export interface LimitOptions {
  readonly only?: string
  readonly without?: string
  readonly from?: string
  readonly collections?: string
  readonly expires?: string
  readonly rate?: string
  readonly burst?: string
}

/** Removes a limit. */
export const none = 'none'

type LimitFields = KeyLimits & Pick<KeyRecord, 'collections' | 'expiresAt' | 'perSecond' | 'burst'>

/** Reads the options that were given; `none` is null. */
export const readLimits = (options: LimitOptions, now: number): Partial<LimitFields> => ({
  ...optional('onlyGroups', options.only, (text) => readGroups('--only', text)),
  ...optional('withoutGroups', options.without, (text) => readGroups('--without', text)),
  ...optional('addresses', options.from, readAddresses),
  ...optional('collections', options.collections, readCollections),
  ...optional('expiresAt', options.expires, (text) => readMoment(text, now)),
  ...optional('perSecond', options.rate, readRate),
  ...optional('burst', options.burst, readBurst),
})

const optional = <Name extends string, T>(
  name: Name,
  text: string | undefined,
  read: (text: string) => T,
): { readonly [N in Name]?: T | null } =>
  text === undefined ? {} : ({ [name]: text === none ? null : read(text) } as { [N in Name]: T })

/** Fails unless the limits fit the kind of the key, and leave it something to read. */
export const checkLimits = (key: GroupLimits & Pick<KeyRecord, 'kind' | 'collections'>): void => {
  const { kind, collections, onlyGroups, withoutGroups } = key
  if (kind === 'ingest' && (onlyGroups !== null || withoutGroups !== null)) {
    throw new UsageError('An ingest key reads no groups: limit what it sends with --collections.')
  }
  if (kind === 'read' && collections !== null) throw new UsageError('--collections needs --ingest.')
  if (groupsOf(key).length === 0) {
    throw new CommandError('The key could read nothing: --without has all groups of --only.')
  }
}

const listIn = (text: string): readonly string[] => [
  ...new Set(text.split(',').map((each) => each.trim())),
]

const readGroups = (option: string, text: string): readonly string[] =>
  listIn(text).map((each) => {
    const name = groupNameOf(each)
    if (name === undefined) throw unknownGroup(option, each)
    if (name === 'brand' && option === '--without') {
      throw new CommandError('--without: every key can read the record of its brand.')
    }
    return name
  })

const unknownGroup = (option: string, name: string): CommandError => {
  const meant = nearest(name, groupNames)
  const unknown = `${option}: there is no group or domain "${name}".`
  return new CommandError(
    meant
      ? `${unknown} Did you mean ${meant}?`
      : `${unknown} Use groups such as orders,order-items, or domains: ${domains.map((domain) => groupNameOf(`domain:${domain}`)).join(', ')}.`,
  )
}

/** Each is compared with the address of every request. */
const addressesMax = 100

const readAddresses = (text: string): readonly string[] => {
  const addresses = new Set(
    listIn(text).map((each) => {
      try {
        return canonicalAddress(each)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        throw new CommandError(`--from: ${error.message}`)
      }
    }),
  )
  if (addresses.size > addressesMax) {
    throw new CommandError(`--from: a key can have ${addressesMax} addresses and networks at most.`)
  }
  return [...addresses]
}

const readCollections = (text: string): readonly string[] => {
  const paths = listIn(text)
  const unknown = paths.find((path) => catalog.byPath.get(path)?.scope !== 'brand')
  if (unknown === undefined) return paths
  throw new CommandError(
    catalog.byPath.has(unknown)
      ? `--collections: ${unknown} is shared by all brands, and no key can send records of it.`
      : `--collections: there is no collection "${unknown}". Use paths such as orders,order-items.`,
  )
}

const readRate = (text: string): number => {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value
  throw new CommandError('--rate is not valid. Use a number greater than 0.')
}

const readBurst = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandError('--burst is not valid. Use a whole number from 1 to 999999999.')
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
