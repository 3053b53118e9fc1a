import { AsyncLocalStorage } from 'node:async_hooks'

/** The key whose request the current work belongs to. */
const currentKey = new AsyncLocalStorage<string>()

/** Runs work for a key: its long reads count for this key. */
export const readAs = <T>(keyId: string, work: () => T): T => currentKey.run(keyId, work)

/** The key that long reads count for; empty for work of the server itself. */
export const readingKey = (): string => currentKey.getStore() ?? ''

/** The recent reader time of a key, and of its brand. */
export interface ReadShare {
  /** Adds reader time. */
  charge(ms: number): void
  readonly brand: RecentTime
  readonly key: RecentTime
  /** Whether the key has used so much lately that it gets a part of the readers only. */
  readonly isHeavy: boolean
}

/** A time that is forgotten gradually, of the brand or key with a name. */
export interface RecentTime {
  readonly name: string
  readonly ms: number
}

/** Counts the recent reader time of each brand and each of its keys. */
export interface ReadShares {
  of(owner: number, key: string): ReadShare
}

/**
 * Orders waiting reads: that of the brand with the least recent reader time comes first, and within
 * a brand that of the key with the least. No read waits forever, since the time of a key that waits
 * is forgotten while that of the others grows.
 */
export const compareShares = (one: ReadShare, other: ReadShare): number =>
  one.brand.name === other.brand.name ? one.key.ms - other.key.ms : one.brand.ms - other.brand.ms

/**
 * Orders the steps of reads in progress: those of heavy keys come last. Among light keys, the one
 * with the least recent reader time comes first: it waits neither for the end of another's read nor
 * for a key that is about to become heavy.
 */
export const compareSteps = (one: ReadShare, other: ReadShare): number => {
  if (one.isHeavy !== other.isHeavy) return one.isHeavy ? 1 : -1
  return one.isHeavy ? compareShares(one, other) : one.key.ms - other.key.ms
}

/** Half of a time is forgotten after this long. */
const halfLifeMs = 2_000
/** A fifteenth of one reader, continually; a person who opens a page each second uses less. */
const heavyMs = 200
/** Times below this are dropped if there are many. */
const negligibleMs = 1
const timesMax = 1_000

export const createReadShares = (now = () => performance.now()): ReadShares => {
  const times = new Map<string, ReturnType<typeof createRecentTime>>()
  /** A share may outlast the time that was dropped, so it finds it by its name. */
  const recentOf = (name: string): RecentTime => ({
    name,
    get ms() {
      return times.get(name)?.ms ?? 0
    },
  })
  const timeOf = (name: string) => {
    const existing = times.get(name)
    if (existing) return existing
    if (times.size >= timesMax) {
      for (const [each, { ms }] of times) if (ms < negligibleMs) times.delete(each)
    }
    const time = createRecentTime(now)
    times.set(name, time)
    return time
  }
  return {
    of: (owner, keyId) => {
      const brand = recentOf(`${owner}`)
      const key = recentOf(`${owner} ${keyId}`)
      return {
        brand,
        key,
        charge: (ms) => {
          timeOf(brand.name).add(ms)
          timeOf(key.name).add(ms)
        },
        get isHeavy() {
          return key.ms > heavyMs
        },
      }
    },
  }
}

const createRecentTime = (now: () => number) => {
  let ms = 0
  let at = now()
  const forget = () => {
    const before = at
    at = now()
    ms *= 0.5 ** ((at - before) / halfLifeMs)
  }
  return {
    get ms() {
      forget()
      return ms
    },
    add: (more: number) => {
      forget()
      ms += more
    },
  }
}
