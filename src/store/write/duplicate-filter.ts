import type { SqlValue } from '#database'

/**
 * A set of identity hashes that detects duplicates without false negatives. Hash collisions can
 * cause false positives. Beyond a bound it stores no more hashes and reports possible duplicates,
 * so its size does not grow with the import.
 */
export interface DuplicateFilter {
  add(hash: number): void
  /** Whether an identity with this hash may have been added. */
  mayContain(hash: number): boolean
  readonly mayHaveDuplicates: boolean
}

/** Slots of an empty filter; it doubles as it fills. */
const initialSlots = 1 << 10
/** 2 million identities take 34 MB: 8 bytes for each of 2^22 slots. */
const storedMax = 2_000_000

export const createDuplicateFilter = (max: number = storedMax): DuplicateFilter => {
  let slots = new Float64Array(initialSlots)
  let count = 0
  let mayHaveDuplicates = false

  const insert = (hash: number): boolean => {
    const last = slots.length - 1
    let at = hash % slots.length
    for (;;) {
      const slot = slots[at]
      if (slot === hash) return false
      if (slot === 0) {
        slots[at] = hash
        return true
      }
      at = at === last ? 0 : at + 1
    }
  }

  const contains = (hash: number): boolean => {
    const last = slots.length - 1
    for (let at = hash % slots.length; ; at = at === last ? 0 : at + 1) {
      if (slots[at] === hash) return true
      if (slots[at] === 0) return false
    }
  }

  const grow = () => {
    const before = slots
    slots = new Float64Array(before.length * 2)
    for (const hash of before) if (hash !== 0) insert(hash)
  }

  return {
    add: (hash) => {
      if (mayHaveDuplicates) return
      if (count >= max || !insert(hash)) {
        mayHaveDuplicates = true
        slots = new Float64Array(0)
        return
      }
      count += 1
      if (count * 2 > slots.length) grow()
    },
    mayContain: (hash) => mayHaveDuplicates || contains(hash),
    get mayHaveDuplicates() {
      return mayHaveDuplicates
    },
  }
}

/** The 53-bit hash of an identity, never 0 (which marks an empty slot). */
export const hashIdentity = (identity: readonly SqlValue[]): number => {
  const bytes = Buffer.from(identity.map((part) => `${part ?? ''}\u001f`).join(''))
  const offsets = new Int32Array([0, bytes.length - 1])
  return hashSlices(bytes, offsets, 0, 1)
}

/** Separates the parts of an identity: the ASCII unit separator, which is rare in identities. */
const partEnd = 0x1f

/**
 * Hashes an identity whose parts are slices of a buffer: 32 bits of FNV-1a and 21 bits of a second
 * multiplicative hash. Uses a single pass, because it runs for every byte of every identity.
 */
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
