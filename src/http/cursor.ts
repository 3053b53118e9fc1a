import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
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
  const key = createHash('sha256').update(`cursor ${secret}`).digest()
  const mac = (bytes: Uint8Array): Buffer =>
    createHmac('sha256', key).update(bytes).digest().subarray(0, macBytes)

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
  )

const cursorPattern = new RegExp(patterns.cursor)

/** The bytes of a cursor. A decoder forgives; comparing the encoding again does not. */
const decode = (cursor: string): Buffer | null => {
  if (cursor.length > limits.cursor.maxLength || !cursorPattern.test(cursor)) return null
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.toString('base64url') !== cursor) return null
  return bytes.length > headBytes + macBytes && bytes[0] === version ? bytes : null
}

const headOf = ({ brand, collection, filters }: Walk): Buffer => {
  const canonical = JSON.stringify([...filters].sort(([a], [b]) => (a < b ? -1 : 1)))
  return Buffer.concat([
    Buffer.of(version),
    ...[brand, collection, canonical].map((text) =>
      createHash('sha256').update(text).digest().subarray(0, digestBytes),
    ),
  ])
}
