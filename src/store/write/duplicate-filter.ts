import type { SqlValue } from '#database'

/**
 * Remembers which identities came, well enough to say that none came twice. It keeps a number made
 * from each, so that it can take two for the same, but never the same for two; and beyond a bound
 * it no longer keeps any, so that its size does not grow with the import.
 */
export interface Seen {
  /** RowDigest an identity by its mark. */
  note(mark: number): void
  /** Whether an identity may be among those that came. */
  mayHave(mark: number): boolean
  readonly mayRepeat: boolean
}

const smallest = 1 << 10
/** 16 MB of numbers for a million identities; twice as many are where it stops. */
const rememberedMax = 2_000_000

export const openSeen = (max: number = rememberedMax): Seen => {
  let slots = new Float64Array(smallest)
  let count = 0
  let mayRepeat = false

  const place = (mark: number): boolean => {
    const last = slots.length - 1
    let at = mark % slots.length
    for (;;) {
      const found = slots[at]
      if (found === mark) return false
      if (found === 0) {
        slots[at] = mark
        return true
      }
      at = at === last ? 0 : at + 1
    }
  }

  const isPlaced = (mark: number): boolean => {
    const last = slots.length - 1
    for (let at = mark % slots.length; ; at = at === last ? 0 : at + 1) {
      if (slots[at] === mark) return true
      if (slots[at] === 0) return false
    }
  }

  const grow = () => {
    const before = slots
    slots = new Float64Array(before.length * 2)
    for (const mark of before) if (mark !== 0) place(mark)
  }

  return {
    note: (mark) => {
      if (mayRepeat) return
      if (count >= max || !place(mark)) {
        mayRepeat = true
        slots = new Float64Array(0)
        return
      }
      count += 1
      if (count * 2 > slots.length) grow()
    },
    mayHave: (mark) => mayRepeat || isPlaced(mark),
    get mayRepeat() {
      return mayRepeat
    },
  }
}

/** The mark of an identity: a number of 53 bits, never 0, in which every byte counts. */
export const markOf = (identity: readonly SqlValue[]): number => {
  const bytes = Buffer.from(identity.map((part) => `${part ?? ''}\u001f`).join(''))
  const places = new Int32Array([0, bytes.length - 1])
  return markAt(bytes, places, 0, 1)
}

const partEnd = 0x1f

/** The mark of an identity whose parts are at these places of some bytes. */
export const markAt = (
  bytes: Uint8Array,
  places: Int32Array,
  first: number,
  parts: number,
): number => {
  let high = 0x811c9dc5
  let low = 0x1b873593
  for (let part = first; part < first + parts * 2; part += 2) {
    const end = places[part + 1] as number
    for (let at = places[part] as number; at <= end; at += 1) {
      const byte = at === end ? partEnd : (bytes[at] as number)
      high = Math.imul(high ^ byte, 0x01000193)
      low = Math.imul(low ^ byte, 0x85ebca6b)
      low ^= low >>> 13
    }
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff) + 1
}
