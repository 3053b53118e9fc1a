import { crc32 } from 'node:zlib'
import type { ReadState } from '#store'
import type { FeedRead } from '#usage'
import type { RequestHeaders } from './context.ts'
import { joinPieces } from './raw-response.ts'
import {
  chooseEncoding,
  type EncodedResponse,
  type Encoding,
  matchesAny,
  matchesEtag,
} from './response.ts'
import type { RouteMatch } from './router.ts'

/** A sent response, and everything that must still be true for it to be sent again. */
export interface CachedResponse {
  readonly match: RouteMatch
  readonly tag: string
  readonly readState: ReadState
  /** The uncompressed size of the body. */
  readonly size: number
  /** Number of requests, before it was cached and since. */
  requests: number
  /** By requested encoding; empty if only the tag was requested. */
  readonly variants: ReadonlyMap<Encoding | null, EncodedResponse>
  /** Of a page of the change feed that only its tag is known of. */
  readonly feed?: FeedRead | undefined
}

/** A response that was just made. */
export interface NewResponse extends Omit<CachedResponse, 'variants' | 'requests'> {
  readonly encoding: Encoding | null
  /** Null if the client already had it. */
  readonly encoded: EncodedResponse | null
}

/** What to send of a cached response. */
export type CachedVariant = EncodedResponse | 'not modified'

/**
 * Responses by target. A response is cached from its second request on; in a full cache, only if it
 * is requested more often than an entry that it evicts. So neither a walk through millions of pages
 * nor a repeated one evicts what other clients request. Bounded in bytes.
 */
export interface ResponseCache {
  get(target: string): CachedResponse | undefined
  /** Counts a response sent from the cache. */
  hit(cached: CachedResponse): void
  /** Counts a request for a target; returns whether its response is worth caching. */
  shouldCache(target: string): boolean
  put(target: string, response: NewResponse): void
  /** The bytes in use. */
  readonly bytes: number
}

/** The variant for a client; null if the handler has to make it. */
export const selectVariant = (
  { ifNoneMatch, acceptEncoding }: RequestHeaders,
  cached: CachedResponse,
): CachedVariant | null => {
  if (ifNoneMatch !== undefined) {
    if (matchesEtag(ifNoneMatch, cached.tag)) return 'not modified'
    // `*` matches any record: the handler decides whether there is one.
    if (matchesAny(ifNoneMatch)) return null
  }
  return cached.variants.get(chooseEncoding(acceptEncoding, cached.size)) ?? null
}

/** How far a reader of the change feed is that has the cached page already. */
export const feedOf = ({ variants, feed }: CachedResponse): FeedRead | undefined =>
  variants.values().next().value?.feed ?? feed

interface Entry {
  readonly cached: CachedResponse
  readonly bytes: number
}

/** Memory of an entry besides its bytes: its target, its headers, its objects. */
const overhead = 2_048
const slots = 1 << 16
const requestsMax = 255
/** From this share of the memory on, a new response has to evict another. */
const fullAt = 0.95
/** After this many requests, earlier ones count half. */
const halvedAfter = slots * 2
/** Maximum number of entries compared with a new response that needs their memory. */
const comparedMax = 16

/** `isStale` returns whether a cached response can never be sent again. */
export const createResponseCache = (
  bytesMax: number,
  isStale: (readState: ReadState) => boolean = () => false,
): ResponseCache => {
  const entries = new Map<string, Entry>()
  /**
   * Number of entries per slot of `endOf`. Most looked-up targets are not cached, and the first
   * lookup of a string hashes it, which costs several times as much. All entries can have the same
   * slot: clients choose the targets.
   */
  const ends = new Uint32Array(slots)
  /** For each slot: the hash of its last requested target, and the number of requests for it. */
  const hashes = new Int32Array(slots)
  const counts = new Uint8Array(slots)
  let bytes = 0
  let requests = 0

  const remove = (target: string, entry: Entry) => {
    entries.delete(target)
    ends[endOf(target)] = (ends[endOf(target)] as number) - 1
    bytes -= entry.bytes
  }

  /** Whether a response with this request count is worth more than an entry. */
  const isWorthMore = (count: number, { cached }: Entry): boolean =>
    count > cached.requests || isStale(cached.readState)

  /** Evicts entries for a response with this request count; false if too few are worth less. */
  const evict = (size: number, count: number): boolean => {
    let free = bytesMax - bytes
    const evicted: [string, Entry][] = []
    let compared = 0
    for (const [target, entry] of entries) {
      if (free >= size || compared === comparedMax) break
      compared += 1
      if (isWorthMore(count, entry)) {
        evicted.push([target, entry])
        free += entry.bytes
      } else moveToEnd(target, entry)
    }
    if (free < size) return false
    for (const each of evicted) remove(...each)
    return true
  }

  /** The next comparison begins with another entry. */
  const moveToEnd = (target: string, entry: Entry) => {
    entries.delete(target)
    entries.set(target, entry)
  }

  const countRequest = () => {
    requests += 1
    if (requests < halvedAfter) return
    requests = 0
    for (let slot = 0; slot < slots; slot += 1) counts[slot] = (counts[slot] as number) >> 1
    for (const { cached } of entries.values()) cached.requests >>= 1
  }

  /** Number of requests for a target without an entry, including this one. */
  const countOf = (target: string): number => {
    const hash = hashOf(target)
    const slot = hash & (slots - 1)
    const before = hashes[slot] === hash ? (counts[slot] as number) : 0
    hashes[slot] = hash
    counts[slot] = Math.min(requestsMax, before + 1)
    return before + 1
  }

  const countAt = (target: string): number => counts[hashOf(target) & (slots - 1)] as number

  /** Whether a new response would probably be cached, and so is worth preparing. */
  const isWorthCaching = (count: number): boolean => {
    if (bytes < bytesMax * fullAt) return true
    for (const [target, entry] of entries) {
      if (isWorthMore(count, entry)) return true
      moveToEnd(target, entry)
      return false
    }
    return true
  }

  const find = (target: string): Entry | undefined =>
    ends[endOf(target)] === 0 ? undefined : entries.get(target)

  return {
    get: (target) => find(target)?.cached,
    hit: (cached) => {
      countRequest()
      if (cached.requests < requestsMax) cached.requests += 1
    },
    shouldCache: (target) => {
      if (find(target)) return true
      countRequest()
      const count = countOf(target)
      return count > 1 && isWorthCaching(count)
    },
    put: (target, { encoding, encoded, ...response }) => {
      const existing = find(target)
      const isSame = existing?.cached.tag === response.tag
      const variants = new Map(isSame ? existing.cached.variants : [])
      // A 304 does not know the size.
      const size = isSame ? Math.max(existing.cached.size, response.size) : response.size
      if (encoded) {
        const own = joinPieces(encoded.encodedBody, encoded.length)
        variants.set(encoding, { ...encoded, encodedBody: [own] })
      }
      let entryBytes = overhead + target.length * 2
      for (const { length } of variants.values()) entryBytes += length
      if (existing) remove(target, existing)
      const count = existing?.cached.requests ?? countAt(target)
      if (entryBytes > bytesMax / 8 || !evict(entryBytes, count)) return
      const cached = { ...response, size, variants, requests: count }
      entries.set(target, { cached, bytes: entryBytes })
      ends[endOf(target)] = (ends[endOf(target)] as number) + 1
      bytes += entryBytes
    },
    get bytes() {
      return bytes
    },
  }
}

/** Enough of a cursor or an identifier to distinguish it from others. */
const endLength = 12

/** A slot by the end of a target, which is where targets differ. */
const endOf = (target: string): number => {
  let hash = target.length
  for (let at = Math.max(0, hash - endLength); at < target.length; at += 1) {
    hash = (Math.imul(hash, 31) + target.charCodeAt(at)) | 0
  }
  return hash & (slots - 1)
}

/** A hash of all characters; never 0. */
const hashOf = (text: string): number => {
  const hash = crc32(text) | 0
  return hash === 0 ? 1 : hash
}
