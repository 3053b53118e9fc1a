import type { AsOf } from '#store'
import type { Encoding } from './compress.ts'
import { bodyForm } from './whole-head.ts'
import type { ReadyAnswer } from './write.ts'

/** An answer that was given, and everything that must still be so for it to be given again. */
export interface RememberedAnswer {
  readonly operation: string
  readonly brand: string
  readonly tag: string
  readonly asOf: AsOf
  /** How long it is before it is compressed. */
  readonly size: number
  /** Ready to send, in each encoding it was asked for in; none when only its tag was. */
  readonly ready: ReadonlyMap<Encoding | null, ReadyAnswer>
}

/** An answer that was just given. */
export interface GivenAnswer extends Omit<RememberedAnswer, 'ready'> {
  readonly encoding: Encoding | null
  readonly ready: ReadyAnswer | null
}

/**
 * Answers by the target they were asked for with. One is kept from the second time on that its
 * target is asked for, so that a walk through millions of pages does not push out what is asked
 * for again and again. Bounded in bytes.
 */
export interface Remembered {
  find(target: string): RememberedAnswer | undefined
  /** Whether an answer to this target is worth noting. Says so from the second time on. */
  wants(target: string): boolean
  note(target: string, answer: GivenAnswer): void
  forget(target: string): void
  /** How much is kept. */
  readonly bytes: number
}

interface Entry {
  answer: RememberedAnswer
  bytes: number
  /** Whether it was asked for since it was last considered for removal. */
  used: boolean
}

/** What an entry takes beside its bytes: its target, its headers, the objects that hold it. */
const overhead = 2_048
const slots = 1 << 16

export const openRemembered = (bytesMax: number): Remembered => {
  const entries = new Map<string, Entry>()
  /** For each slot the target last asked for that falls into it, as a number. */
  const asked = new Int32Array(slots)
  let bytes = 0

  const remove = (target: string, entry: Entry) => {
    entries.delete(target)
    bytes -= entry.bytes
  }

  const makeRoom = () => {
    for (const [target, entry] of entries) {
      if (bytes <= bytesMax) return
      if (entry.used) {
        // Asked for again: it goes to the end of the line once more.
        entry.used = false
        entries.delete(target)
        entries.set(target, entry)
      } else remove(target, entry)
    }
  }

  const isSecondTime = (target: string): boolean => {
    const mark = markOf(target)
    const slot = mark & (slots - 1)
    if (asked[slot] === mark) return true
    asked[slot] = mark
    return false
  }

  return {
    find: (target) => {
      const entry = entries.get(target)
      if (entry) entry.used = true
      return entry?.answer
    },
    wants: (target) => entries.has(target) || isSecondTime(target),
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
      if (size > bytesMax / 8) return
      entries.set(target, {
        answer: { ...answer, size: length, ready: forms },
        bytes: size,
        used: false,
      })
      bytes += size
      if (bytes > bytesMax) makeRoom()
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
