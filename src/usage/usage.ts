/** What one key did with one operation on one brand, on one day (UTC). */
export interface Usage {
  /** `2026-11-18`. */
  readonly day: string
  /** Empty for requests without a valid key. */
  readonly keyId: string
  /** Empty if the request named no brand that its key may read. */
  readonly brand: string
  readonly operation: string
  readonly requests: number
  /** Records in the responses. */
  readonly records: number
  /** Bytes of the response bodies, as they were sent. */
  readonly bytes: number
  /** Number of errors by their code. */
  readonly refusals: Counts
  /** Timestamps, such as `2026-11-18T09:00:00.000Z`. */
  readonly firstAt: string
  readonly lastAt: string
  /** Number of requests by address; IPv6 by /64. */
  readonly addresses: Counts
  /** Number of requests from further addresses. */
  readonly otherAddresses: number
  /** The groups that requests read besides that of the operation; `allGroups` if any. */
  readonly groups: readonly string[]
}

export interface Counts {
  readonly [name: string]: number
}

/** Stands for all groups that a key may read. */
export const allGroups = '*'

/** Stands for the keys, brands or operations that exceed what is counted apart. */
export const otherUsage = 'other'

/** Distinct addresses that are kept for one usage. */
export const addressesMax = 20

/** The part of a usage that is added up. */
export type UsageSums = Omit<Usage, 'day' | 'keyId' | 'brand' | 'operation'>

/** Adds up two usages. The first addresses are kept; requests from further ones are counted. */
export const addUsage = <One extends UsageSums>(one: One, other: UsageSums): One => {
  const addresses = { ...one.addresses }
  let { otherAddresses } = one
  let count = Object.keys(addresses).length
  for (const [address, requests] of Object.entries(other.addresses)) {
    const before = addresses[address]
    if (before === undefined && count >= addressesMax) otherAddresses += requests
    else {
      if (before === undefined) count += 1
      addresses[address] = (before ?? 0) + requests
    }
  }
  return {
    ...one,
    requests: one.requests + other.requests,
    records: one.records + other.records,
    bytes: one.bytes + other.bytes,
    refusals: addCounts(one.refusals, other.refusals),
    firstAt: one.firstAt < other.firstAt ? one.firstAt : other.firstAt,
    lastAt: one.lastAt > other.lastAt ? one.lastAt : other.lastAt,
    addresses,
    otherAddresses: otherAddresses + other.otherAddresses,
    groups: [...new Set([...one.groups, ...other.groups])].sort(),
  }
}

const addCounts = (one: Counts, other: Counts): Counts => {
  const sums: { [name: string]: number } = { ...one }
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

export const dayMs = 86_400_000

/** The day of an instant in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
