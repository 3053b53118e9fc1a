import { createBoundedCache } from '../read/bounded-cache.ts'
import { formatUuid, keyToBytes } from '../schema/identifier.ts'
import type { Key } from '../schema/tables.ts'

/** The identities of a list in its order, at 16 bytes each, so that long lists fit in memory. */
export interface OrderedKeys {
  readonly bytes: number
  /** The next `take` identities after a key, or from the start; null if the key is not in the list. */
  after(key: Key | null, take: number): readonly Key[] | null
}

const keyBytes = 16
const keyWords = 4
const hexLength = keyBytes * 2

/** Parses identities in hexadecimal, separated by commas. */
export const createOrderedKeys = (digits: string): OrderedKeys => {
  const count = digits === '' ? 0 : (digits.length + 1) / (hexLength + 1)
  const all = Buffer.from(digits.replaceAll(',', ''), 'hex')
  // Copy: a small Buffer is an unaligned slice of a shared pool.
  const bytes = new Uint8Array(all)
  const words = new Uint32Array(bytes.buffer)

  /** Compares the first words: tens of microseconds for the longest list. */
  const indexOf = (key: Key): number => {
    const [first, second, third, fourth] = new Uint32Array(
      new Uint8Array(keyToBytes('uuid', key[0] ?? '')).buffer,
    )
    for (let at = 0; at < words.length; at += keyWords) {
      if (words[at] !== first || words[at + 1] !== second) continue
      if (words[at + 2] === third && words[at + 3] === fourth) return at / keyWords
    }
    return -1
  }

  return {
    bytes: bytes.length,
    after: (key, take) => {
      const before = key ? indexOf(key) : -1
      if (key && before === -1) return null
      const from = before + 1
      const length = Math.max(0, Math.min(take, count - from))
      return Array.from({ length }, (_, index) => {
        const at = (from + index) * keyBytes
        return [formatUuid(bytes.subarray(at, at + keyBytes))]
      })
    },
  }
}

/** Cached lists by name, valid for one version. */
export interface OrderedLists {
  get(name: string, version: string): OrderedKeys | undefined
  set(name: string, version: string, keys: OrderedKeys): void
}

/** Caches up to `bytesMax` bytes of lists and evicts the oldest. */
export const createOrderedLists = (bytesMax: number): OrderedLists => {
  const lists = createBoundedCache<{ readonly version: string; readonly keys: OrderedKeys }>(
    bytesMax,
    ({ keys }) => keys.bytes,
  )
  return {
    get: (name, version) => {
      const entry = lists.get(name)
      if (!entry || entry.version === version) return entry?.keys
      lists.delete(name)
      return undefined
    },
    set: (name, version, keys) => lists.set(name, { version, keys }),
  }
}
