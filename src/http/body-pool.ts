import { createSemaphore, type Release } from '#concurrency'
import { ApiError } from '#contract'

export interface BodyLimits {
  /** Maximum bytes of a body, both as sent and decompressed. */
  readonly bytesMax: number
  /** Concurrently received bodies of keys. One key may have half of them. */
  readonly concurrent: number
  /** How long a body may take to arrive, once it is being read. */
  readonly seconds: number
  /** The memory of the machine or container. A small part of it is for bodies. */
  readonly memoryBytes: number
}

/** Slots and memory for the bodies of one kind of sender, shared by owner. */
export interface BodyPool {
  /** Takes a slot for a body that is being received. Rejects with 503. */
  enter(owner: string): Promise<Release>
  /** Counts the memory of a body. */
  openMemory(owner: string): BodyMemory
}

/** The memory of one body, from its first byte until it is stored. */
export interface BodyMemory {
  /** Takes memory for this many bytes in all. A promise if it has to wait; it rejects with 503. */
  grow(bytes: number): undefined | Promise<void>
  release(): void
}

/** Concurrent senders wait briefly; retries cost more. */
export const slotWaitMs = 1_000
const waitingMax = 100
const retryAfterSeconds = 2
/** Memory is taken in pieces of this size: a body that is shorter takes one. */
export const memoryPiece = 65_536

/**
 * What a body takes beyond its bytes: a compressor, and the window that it is decompressed with, of
 * which zstd may have 8 MiB.
 */
const bodyOverhead = 10 * 2 ** 20
/** The part of the memory that bodies of keys may take, unless two bodies need more. */
const memoryShare = 1 / 16

/** The pool for bodies of keys. */
export const createKeyPool = ({ bytesMax, concurrent, memoryBytes }: BodyLimits): BodyPool => {
  const largest = bytesMax + bodyOverhead
  return createBodyPool(concurrent, Math.max(2 * largest, memoryBytes * memoryShare), largest)
}

/**
 * The pool for longer bodies whose signature is not verified yet. It is separate, so that clients that have
 * not proved who they are take nothing from those that have.
 */
export const createUnverifiedPool = (limits: BodyLimits): BodyPool => {
  const { bytesMax, concurrent, memoryBytes } = limits
  const largest = bytesMax + bodyOverhead
  const bytes = Math.max((4 / 3) * largest, (memoryBytes * memoryShare) / 4)
  return createBodyPool(Math.max(2, Math.ceil(concurrent / 4)), bytes, largest)
}

/** An unverified body of at most this many bytes, as most messages are, is short: it takes one piece. */
export const shortBytesMax = 65_536
const shortSlots = 256

/** The pool for short unverified bodies. They take little memory, so there may be many. */
export const createShortPool = (): BodyPool =>
  createBodyPool(shortSlots, shortSlots * memoryPiece, memoryPiece)

/** One owner may have half of everything. A quarter is kept for owners that have nothing. */
const createBodyPool = (slotsMax: number, bytesMax: number, largest: number): BodyPool => {
  const waiting = { waitingPerOwner: waitingMax, waitMs: slotWaitMs }
  const slots = createSemaphore({
    total: slotsMax,
    perOwner: Math.ceil(slotsMax / 2),
    keptForNew: Math.ceil(slotsMax / 4),
    ...waiting,
  })
  const pieces = Math.ceil(bytesMax / memoryPiece)
  const memory = createSemaphore({
    total: pieces,
    perOwner: Math.ceil(Math.max(bytesMax / 2, largest) / memoryPiece),
    keptForNew: Math.floor(pieces / 4),
    ...waiting,
  })
  return {
    enter: async (owner) => {
      try {
        return await slots.acquire(owner)
      } catch {
        throw busy('Too many batches are being received. Try again shortly.')
      }
    },
    openMemory: (owner) => {
      let held = 0
      let isReleased = false
      const releases: Release[] = []
      const keep = (release: Release) => {
        if (isReleased) release()
        else releases.push(release)
      }
      return {
        grow: (bytes) => {
          const more = Math.ceil(bytes / memoryPiece) - held
          if (more <= 0) return undefined
          held += more
          const acquisition = memory.acquire(owner, more)
          if (acquisition instanceof Promise) {
            return acquisition.then(keep, () => {
              throw busy('Batches that are being received take all memory. Try again shortly.')
            })
          }
          keep(acquisition)
          return undefined
        },
        release: () => {
          isReleased = true
          for (const release of releases.splice(0)) release()
        },
      }
    },
  }
}

const busy = (sentence: string): ApiError =>
  new ApiError('queue_full', sentence, { retryAfterSeconds })
