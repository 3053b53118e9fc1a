import type { FeedRead } from './feed-readers.ts'
import { addressesMax, dayMs, dayOf, otherUsage, type Usage } from './usage.ts'

/** Counts requests in memory, because it runs for every one. */
export interface UsageCounter {
  add(request: CountedRequest): void
  /** Returns what was counted since the last call, in a form that takes time for each usage. */
  take(): Iterable<Usage>
}

/** What is counted of a request that has been answered. */
export interface CountedRequest {
  /** Null without a valid key. Such a request is counted only if it was refused. */
  readonly keyId: string | null
  readonly brand: string | null
  readonly operation: string
  readonly errorCode: string | null
  readonly records: number
  readonly bytes: number
  /** The groups besides that of the operation; null for none. */
  readonly groups: readonly string[] | null
  readonly address: string
  /** How far a page of the change feed has brought its reader; null for other responses. */
  readonly feed?: FeedRead | null
}

interface AddressCount {
  readonly address: string
  requests: number
}

interface Entry {
  readonly keyId: string
  readonly brand: string
  readonly operation: string
  requests: number
  records: number
  bytes: number
  readonly firstAt: number
  lastAt: number
  readonly refusals: Map<string, number>
  readonly addresses: Map<string, AddressCount>
  /** Consecutive requests often come from the same address. */
  lastAddress: AddressCount | null
  otherAddresses: number
  readonly groups: Set<string>
}

/** Maximum number of entries between two writes: a few megabytes. */
const entriesMax = 5_000

type Entries = Map<string, Map<string, Map<string, Entry>>>

interface DayEntries {
  readonly day: string
  readonly entries: Entries
}

export const createUsageCounter = (now: () => number, most = entriesMax): UsageCounter => {
  /** By operation, key and brand. */
  let entries: Entries = new Map()
  let size = 0
  /** Entries of days that have ended. */
  let ended: DayEntries[] = []
  let day = 0
  /** Consecutive requests often have the same entry. */
  let last: Entry | null = null

  const endDay = () => {
    if (size > 0) ended.push({ day: dayOf(day * dayMs), entries })
    entries = new Map()
    size = 0
    last = null
  }

  const create = (keyId: string, brand: string, operation: string, at: number): Entry => {
    size += 1
    const entry: Entry = {
      ...{ keyId, brand, operation, requests: 0, records: 0, bytes: 0, firstAt: at, lastAt: at },
      ...{
        refusals: new Map(),
        addresses: new Map(),
        lastAddress: null,
        otherAddresses: 0,
        groups: new Set(),
      },
    }
    const byKey = entries.get(operation) ?? new Map()
    const byBrand = byKey.get(keyId) ?? new Map()
    entries.set(operation, byKey)
    byKey.set(keyId, byBrand)
    byBrand.set(brand, entry)
    return entry
  }

  const find = (keyId: string, brand: string, operation: string, at: number): Entry => {
    if (last && last.operation === operation && last.keyId === keyId && last.brand === brand) {
      return last
    }
    const existing = entries.get(operation)?.get(keyId)?.get(brand)
    last =
      existing ??
      (size < most
        ? create(keyId, brand, operation, at)
        : (entries.get(otherUsage)?.get(otherUsage)?.get('') ??
          create(otherUsage, '', otherUsage, at)))
    return last
  }

  return {
    add: ({ keyId, brand, operation, errorCode, records, bytes, groups, address }) => {
      if (keyId === null && errorCode === null) return
      const at = now()
      const today = Math.floor(at / dayMs)
      if (today !== day) {
        endDay()
        day = today
      }
      const entry = find(keyId ?? '', brand ?? '', operation, at)
      entry.requests += 1
      entry.records += records
      entry.bytes += bytes
      entry.lastAt = at
      if (errorCode !== null) {
        entry.refusals.set(errorCode, (entry.refusals.get(errorCode) ?? 0) + 1)
      }
      if (groups !== null) for (const group of groups) entry.groups.add(group)
      if (entry.lastAddress?.address === address) entry.lastAddress.requests += 1
      else countAddress(entry, address)
    },
    take: () => {
      endDay()
      const all = ended
      ended = []
      return usagesOf(all)
    },
  }
}

const countAddress = (entry: Entry, address: string): void => {
  const { addresses } = entry
  const existing = addresses.get(address)
  if (existing) {
    existing.requests += 1
    entry.lastAddress = existing
  } else if (addresses.size < addressesMax) {
    entry.lastAddress = { address, requests: 1 }
    addresses.set(address, entry.lastAddress)
  } else entry.otherAddresses += 1
}

function* usagesOf(days: readonly DayEntries[]): Iterable<Usage> {
  for (const { day, entries } of days) {
    for (const byKey of entries.values()) {
      for (const byBrand of byKey.values()) {
        for (const entry of byBrand.values()) yield usageOf(day, entry)
      }
    }
  }
}

const usageOf = (day: string, { lastAddress: _, ...entry }: Entry): Usage => ({
  ...entry,
  day,
  firstAt: new Date(entry.firstAt).toISOString(),
  lastAt: new Date(entry.lastAt).toISOString(),
  refusals: Object.fromEntries(entry.refusals),
  addresses: Object.fromEntries(
    [...entry.addresses.values()].map(({ address, requests }) => [address, requests]),
  ),
  groups: [...entry.groups].sort(),
})
