import type { SqlValue } from '#database'

/**
 * Remembers which identities came, well enough to say that none came twice. It keeps a number made
 * from each, so that it can take two for the same, but never the same for two; and beyond a bound
 * it no longer keeps any, so that its size does not grow with the import.
 */
export interface Seen {
  note(identity: readonly SqlValue[]): void
  /** Whether an identity may be among those that came. */
  mayHave(identity: readonly SqlValue[]): boolean
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
    note: (identity) => {
      if (mayRepeat) return
      if (count >= max || !place(markOf(identity))) {
        mayRepeat = true
        slots = new Float64Array(0)
        return
      }
      count += 1
      if (count * 2 > slots.length) grow()
    },
    mayHave: (identity) => mayRepeat || isPlaced(markOf(identity)),
    get mayRepeat() {
      return mayRepeat
    },
  }
}

/** A number of 53 bits, never 0, in which every character counts. */
const markOf = (identity: readonly SqlValue[]): number => {
  let high = 0x811c9dc5
  let low = 0x1b873593
  for (const part of identity) {
    const text = String(part)
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul(low ^ code, 0x85ebca6b)
      low ^= low >>> 13
    }
    high = Math.imul(high ^ 0x1f, 0x01000193)
    low = Math.imul(low ^ 0x1f, 0x85ebca6b)
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff) + 1
}
