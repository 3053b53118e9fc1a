import type { SqlValue } from '#database'

/**
 * Remembers which identities came, well enough to say that none came twice. It keeps a number made
 * from each, so that it can take two for the same, but never the same for two; and beyond a bound
 * it no longer keeps any, so that its size does not grow with the import.
 */
export interface DuplicateFilter {
  /** RowDigest an identity by its hash. */
  add(hash: number): void
  /** Whether an identity may be among those that came. */
  mayContain(hash: number): boolean
  readonly mayHaveDuplicates: boolean
}

const smallest = 1 << 10
/** 16 MB of numbers for a million identities; twice as many are where it stops. */
const rememberedMax = 2_000_000

export const createDuplicateFilter = (max: number = rememberedMax): DuplicateFilter => {
  let params = new Float64Array(smallest)
  let count = 0
  let mayHaveDuplicates = false

  const place = (hash: number): boolean => {
    const last = params.length - 1
    let at = hash % params.length
    for (;;) {
      const found = params[at]
      if (found === hash) return false
      if (found === 0) {
        params[at] = hash
        return true
      }
      at = at === last ? 0 : at + 1
    }
  }

  const isPlaced = (hash: number): boolean => {
    const last = params.length - 1
    for (let at = hash % params.length; ; at = at === last ? 0 : at + 1) {
      if (params[at] === hash) return true
      if (params[at] === 0) return false
    }
  }

  const grow = () => {
    const before = params
    params = new Float64Array(before.length * 2)
    for (const hash of before) if (hash !== 0) place(hash)
  }

  return {
    add: (hash) => {
      if (mayHaveDuplicates) return
      if (count >= max || !place(hash)) {
        mayHaveDuplicates = true
        params = new Float64Array(0)
        return
      }
      count += 1
      if (count * 2 > params.length) grow()
    },
    mayContain: (hash) => mayHaveDuplicates || isPlaced(hash),
    get mayHaveDuplicates() {
      return mayHaveDuplicates
    },
  }
}

/** The hash of an identity: a number of 53 bits, never 0, in which every byte counts. */
export const hashIdentity = (identity: readonly SqlValue[]): number => {
  const bytes = Buffer.from(identity.map((part) => `${part ?? ''}\u001f`).join(''))
  const offsets = new Int32Array([0, bytes.length - 1])
  return hashSlices(bytes, offsets, 0, 1)
}

const partEnd = 0x1f

/** The hash of an identity whose parts are at these offsets of some bytes. */
export const hashSlices = (
  bytes: Uint8Array,
  offsets: Int32Array,
  first: number,
  parts: number,
): number => {
  let high = 0x811c9dc5
  let low = 0x1b873593
  for (let part = first; part < first + parts * 2; part += 2) {
    const end = offsets[part + 1] as number
    for (let at = offsets[part] as number; at <= end; at += 1) {
      const byte = at === end ? partEnd : (bytes[at] as number)
      high = Math.imul(high ^ byte, 0x01000193)
      low = Math.imul(low ^ byte, 0x85ebca6b)
      low ^= low >>> 13
    }
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff) + 1
}
