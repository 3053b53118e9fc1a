import type { ReadState } from '#store'
import type { Encoding } from './compress.ts'
import { bodyForm } from './whole-head.ts'
import type { ReadyAnswer } from './write.ts'

/** An answer that was given, and everything that must still be so for it to be given again. */
export interface RememberedAnswer {
  readonly operation: string
  readonly brand: string
  readonly tag: string
  readonly readState: ReadState
  /** How long it is before it is compressed. */
  readonly size: number
  /** How often it was asked for, before it was kept and since. */
  times: number
  /** Ready to send, in each encoding it was asked for in; none when only its tag was. */
  readonly ready: ReadonlyMap<Encoding | null, ReadyAnswer>
}

/** An answer that was just given. */
export interface GivenAnswer extends Omit<RememberedAnswer, 'ready' | 'times'> {
  readonly encoding: Encoding | null
  readonly ready: ReadyAnswer | null
}

/**
 * Answers by the target they were asked for with. One is kept from the second time on that its
 * target is asked for; and once there is no room left, only if it is asked for more often than one
 * that is kept. So neither a walk through millions of pages nor one that comes again and again
 * pushes out what others ask for. Bounded in bytes.
 */
export interface Remembered {
  find(target: string): RememberedAnswer | undefined
  /** Notes that an answer was given once more. */
  given(answer: RememberedAnswer): void
  /** Notes that a target was asked for, and says whether its answer is worth noting. */
  wants(target: string): boolean
  note(target: string, answer: GivenAnswer): void
  forget(target: string): void
  /** How much is kept. */
  readonly bytes: number
}

interface Entry {
  readonly answer: RememberedAnswer
  readonly bytes: number
}

/** What an entry takes beside its bytes: its target, its headers, the objects that hold it. */
const overhead = 2_048
const slots = 1 << 16
const timesMax = 255
/** From this share of the room on, somebody has to go for a newcomer. */
const fullAt = 0.95
/** After so many requests what was asked for before counts half. */
const halvedAfter = slots * 2
/** So many of those that are kept are compared with a newcomer that needs their room. */
const comparedMax = 16

/** `isStale` says whether an answer that is kept can never be given again. */
export const openRemembered = (
  bytesMax: number,
  isStale: (readState: ReadState) => boolean = () => false,
): Remembered => {
  const entries = new Map<string, Entry>()
  /** For each slot the target last asked for that falls into it, as a number, and how often. */
  const asked = new Int32Array(slots)
  const times = new Uint8Array(slots)
  let bytes = 0
  let requests = 0

  const remove = (target: string, entry: Entry) => {
    entries.delete(target)
    bytes -= entry.bytes
  }

  /** Whether one that was asked for so often is worth more than one that is kept. */
  const isWorthMore = (often: number, { answer }: Entry): boolean =>
    often > answer.times || isStale(answer.readState)

  /** Makes room for one that was asked for so often; says whether there is enough. */
  const makeRoom = (size: number, often: number): boolean => {
    let free = bytesMax - bytes
    const going: [string, Entry][] = []
    let compared = 0
    for (const [target, entry] of entries) {
      if (free >= size || compared === comparedMax) break
      compared += 1
      if (isWorthMore(often, entry)) {
        going.push([target, entry])
        free += entry.bytes
      } else stay(target, entry)
    }
    if (free < size) return false
    for (const each of going) remove(...each)
    return true
  }

  /** Next time it is another one's turn to be compared. */
  const stay = (target: string, entry: Entry) => {
    entries.delete(target)
    entries.set(target, entry)
  }

  const count = () => {
    requests += 1
    if (requests < halvedAfter) return
    requests = 0
    for (let slot = 0; slot < slots; slot += 1) times[slot] = (times[slot] as number) >> 1
    for (const { answer } of entries.values()) answer.times >>= 1
  }

  /** How often a target that is not kept was asked for, this time included. */
  const timesOf = (target: string): number => {
    const mark = markOf(target)
    const slot = mark & (slots - 1)
    const before = asked[slot] === mark ? (times[slot] as number) : 0
    asked[slot] = mark
    times[slot] = Math.min(timesMax, before + 1)
    return before + 1
  }

  const timesAt = (target: string): number => times[markOf(target) & (slots - 1)] as number

  /** Whether a newcomer is likely to get in, so that it is worth being made ready for that. */
  const isWorth = (often: number): boolean => {
    if (bytes < bytesMax * fullAt) return true
    for (const [target, entry] of entries) {
      if (isWorthMore(often, entry)) return true
      stay(target, entry)
      return false
    }
    return true
  }

  return {
    find: (target) => entries.get(target)?.answer,
    given: (answer) => {
      count()
      if (answer.times < timesMax) answer.times += 1
    },
    wants: (target) => {
      if (entries.has(target)) return true
      count()
      const often = timesOf(target)
      return often > 1 && isWorth(often)
    },
    note: (target, { encoding, ready, ...answer }) => {
      const known = entries.get(target)
      const isSame = known?.answer.tag === answer.tag
      const forms = new Map(isSame ? known.answer.ready : [])
      // Whoever was told that nothing changed did not learn how long it is.
      const length = isSame ? Math.max(known.answer.size, answer.size) : answer.size
      if (ready) {
        const bytes = Buffer.from(ready.body)
        forms.set(encoding, { ...ready, body: bodyForm(ownBytes(bytes)) })
      }
      let size = overhead + target.length * 2
      for (const { length } of forms.values()) size += length
      if (known) remove(target, known)
      const often = known?.answer.times ?? timesAt(target)
      if (size > bytesMax / 8 || !makeRoom(size, often)) return
      const kept = { ...answer, size: length, ready: forms, times: often }
      entries.set(target, { answer: kept, bytes: size })
      bytes += size
    },
    forget: (target) => {
      const entry = entries.get(target)
      if (entry) remove(target, entry)
    },
    get bytes() {
      return bytes
    },
  }
}

/** Bytes apart from all others: a short buffer would keep the whole block that it was cut from. */
const ownBytes = (bytes: Buffer): Buffer => {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** A number from a text in which every character counts; never 0. */
const markOf = (text: string): number => {
  let mark = 0x811c9dc5 | 0
  for (let index = 0; index < text.length; index += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193)
  }
  mark ^= mark >>> 15
  return mark === 0 ? 1 : mark
}
