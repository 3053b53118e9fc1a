import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError, limits, patterns } from '#contract'
import type { Key } from '#store'

/** What a cursor is bound to. Another page size or include is still the same walk. */
export interface Walk {
  readonly brand: string
  readonly collection: string
  readonly filters: ReadonlyMap<string, string | number>
}

/** Makes and opens cursors under a secret that all nodes share. */
export interface Cursors {
  /** The cursor of the page that begins after a record. */
  seal(walk: Walk, after: Key): string
  /** The record that a cursor's page begins after. Throws what is wrong with it. */
  open(walk: Walk, cursor: string): Key
}

const version = 1
const digestBytes = 8
const macBytes = 16
const parts = ['brand', 'collection', 'filters'] as const
const words = { brand: 'another brand', collection: 'another collection', filters: 'other filters' }
const headBytes = 1 + parts.length * digestBytes

export const openCursors = (secret: string): Cursors => {
  const key = hash('sha256', `cursor ${secret}`, 'buffer')
  const macOf = openMac(key)
  const mac = (bytes: Uint8Array): Buffer => macOf(bytes).subarray(0, macBytes)
  const headOf = openHeads()

  return {
    seal: (walk, after) => {
      const head = headOf(walk)
      const payload = Buffer.concat([head, Buffer.from(JSON.stringify(after))])
      return Buffer.concat([payload, mac(payload)]).toString('base64url')
    },
    open: (walk, cursor) => {
      const bytes = decode(cursor)
      if (!bytes) throw invalid()
      const payload = bytes.subarray(0, -macBytes)
      if (!timingSafeEqual(mac(payload), bytes.subarray(-macBytes))) throw invalid()
      const head = headOf(walk)
      const different = parts.filter((_, index) => {
        const from = 1 + index * digestBytes
        return !payload
          .subarray(from, from + digestBytes)
          .equals(head.subarray(from, from + digestBytes))
      })
      if (different.length > 0) {
        throw new ApiError(
          'cursor_mismatch',
          `The cursor was issued for ${different.map((part) => words[part]).join(' and ')}. Use it with the same path and filters as the page it came from, or leave it out.`,
          { details: { different } },
        )
      }
      return JSON.parse(payload.subarray(headBytes).toString()) as Key
    },
  }
}

const invalid = (): ApiError =>
  new ApiError(
    'invalid_cursor',
    'The cursor is not one that this server issued. Use nextCursor as it was given, or leave it out.',
    { details: [{ parameter: 'cursor', issue: 'is not one that this server issued' }] },
  )

const cursorPattern = new RegExp(patterns.cursor)

/** The bytes of a cursor. A decoder forgives; comparing the encoding again does not. */
const decode = (cursor: string): Buffer | null => {
  if (cursor.length > limits.cursor.maxLength || !cursorPattern.test(cursor)) return null
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.toString('base64url') !== cursor) return null
  return bytes.length > headBytes + macBytes && bytes[0] === version ? bytes : null
}

const headsMax = 1_000

/** What binds cursors to their walks; most requests go on with a walk of a moment ago. */
const openHeads = (): ((walk: Walk) => Buffer) => {
  const known = new Map<string, Buffer>()
  return ({ brand, collection, filters }) => {
    const canonical =
      filters.size === 0 ? '[]' : JSON.stringify([...filters].sort(([a], [b]) => (a < b ? -1 : 1)))
    const name = `${brand} ${collection} ${canonical}`
    const found = known.get(name)
    if (found) return found
    const head = Buffer.concat([
      Buffer.of(version),
      ...[brand, collection, canonical].map((text) =>
        hash('sha256', text, 'buffer').subarray(0, digestBytes),
      ),
    ])
    if (known.size >= headsMax) known.clear()
    known.set(name, head)
    return head
  }
}

const blockBytes = 64

/** HMAC-SHA-256 (RFC 2104) from one-shot hashes, which take a fraction of the time. */
const openMac = (key: Uint8Array): ((bytes: Uint8Array) => Buffer) => {
  const pad = (mask: number) =>
    Buffer.from(Array.from({ length: blockBytes }, (_, index) => (key[index] ?? 0) ^ mask))
  const [inner, outer] = [pad(0x36), pad(0x5c)]
  return (bytes) =>
    hash(
      'sha256',
      Buffer.concat([outer, hash('sha256', Buffer.concat([inner, bytes]), 'buffer')]),
      'buffer',
    )
}
