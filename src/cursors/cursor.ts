import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError, limits, patterns } from '#contract'
import type { Key } from '#store'

/** What a cursor is bound to. The page size and includes may change during a walk. */
export interface Walk {
  readonly brand: string
  readonly collection: string
  readonly filters: ReadonlyMap<string, string | number>
}

/** Seals and opens cursors with a secret that all nodes share. */
export interface Cursors<Of = Walk, Place = Key> {
  /** The cursor of the page after a record. */
  seal(walk: Of, after: Place): string
  /** The record before a cursor's page. Throws an `ApiError` for an invalid cursor. */
  open(walk: Of, cursor: string): Place
}

const version = 1
const digestBytes = 8
const macBytes = 16

/** A part of what a cursor is bound to. */
export interface BoundPart<Of> {
  readonly name: string
  /** Describes another value of this part, for the error message. */
  readonly other: string
  readonly textOf: (walk: Of) => string
}

const listParts: readonly BoundPart<Walk>[] = [
  { name: 'brand', other: 'another brand', textOf: ({ brand }) => brand },
  { name: 'collection', other: 'another collection', textOf: ({ collection }) => collection },
  { name: 'filters', other: 'other filters', textOf: ({ filters }) => canonicalText(filters) },
]

const canonicalText = (filters: Walk['filters']): string =>
  filters.size === 0 ? '[]' : JSON.stringify([...filters].sort(([a], [b]) => (a < b ? -1 : 1)))

export const createCursors = (secret: string): Cursors =>
  createBoundCursors(secret, listParts, 'the same path and filters')

/** Seals and opens cursors bound to these parts. `same` describes their correct use. */
export const createBoundCursors = <Of, Place>(
  secret: string,
  parts: readonly BoundPart<Of>[],
  same: string,
): Cursors<Of, Place> => {
  const seals = createSeals(`cursor ${secret}`)
  const headOf = openHeads(parts)
  const headBytes = 1 + parts.length * digestBytes

  return {
    seal: (walk, after) => seals.seal(headOf(walk), JSON.stringify(after)),
    open: (walk, cursor) => {
      const bytes = seals.open(cursor, headBytes)
      if (!bytes) throw invalid()
      const head = headOf(walk)
      if (bytes.compare(head, 0, headBytes, 0, headBytes) !== 0) {
        throw mismatch(differentParts(parts, bytes, head), same)
      }
      return JSON.parse(bytes.toString('utf8', headBytes)) as Place
    },
  }
}

/** Signs texts with a secret: a head, whose first byte is the version, a text, and their HMAC. */
export interface Seals {
  seal(head: Uint8Array, text: string): string
  /** The head and the text; null unless this is exactly what `seal` has returned. */
  open(sealed: string, headBytes: number): Buffer | null
}

/** The head of a sealed text that is bound to nothing. */
export const plainHead = Buffer.of(version)

export const createSeals = (secret: string): Seals => {
  const mac = openMac(hash('sha256', secret, 'buffer'))
  return {
    seal: (head, text) => {
      const bytes = Buffer.allocUnsafe(head.length + Buffer.byteLength(text) + macBytes)
      const end = bytes.length - macBytes
      bytes.set(head)
      bytes.write(text, head.length)
      bytes.set(mac(bytes.subarray(0, end)), end)
      return bytes.toString('base64url')
    },
    open: (sealed, headBytes) => {
      const bytes = decode(sealed)
      if (!bytes || bytes.length <= headBytes + macBytes) return null
      const end = bytes.length - macBytes
      const isSigned = timingSafeEqual(mac(bytes.subarray(0, end)), bytes.subarray(end))
      return isSigned ? bytes.subarray(0, end) : null
    },
  }
}

const differentParts = <Of>(
  parts: readonly BoundPart<Of>[],
  bytes: Buffer,
  head: Buffer,
): readonly BoundPart<Of>[] =>
  parts.filter((_, index) => {
    const from = 1 + index * digestBytes
    return bytes.compare(head, from, from + digestBytes, from, from + digestBytes) !== 0
  })

/** The error for a cursor of another walk. */
const mismatch = <Of>(different: readonly BoundPart<Of>[], same: string): ApiError =>
  new ApiError(
    'cursor_mismatch',
    `The cursor was issued for ${different.map(({ other }) => other).join(' and ')}. Use it with ${same} as the page it came from, or leave it out.`,
    { details: { different: different.map(({ name }) => name) } },
  )

const invalid = (): ApiError =>
  new ApiError(
    'invalid_cursor',
    'The cursor is not one that this server issued. Use nextCursor as it was given, or leave it out.',
    { details: [{ parameter: 'cursor', issue: 'is not one that this server issued' }] },
  )

const cursorPattern = new RegExp(patterns.cursor)

/** The bytes of a cursor; null unless it has the canonical form that `seal` writes. */
const decode = (cursor: string): Buffer | null => {
  if (cursor.length > limits.cursor.maxLength || !cursorPattern.test(cursor)) return null
  // A decoder ignores the unused bits of the last character. Here they must be 0.
  const lastCharacters = canonicalEnds[cursor.length % 4]
  if (!lastCharacters?.includes(cursor.at(-1) ?? '')) return null
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.length > macBytes && bytes[0] === version ? bytes : null
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const everyNth = (n: number) => [...digits].filter((_, value) => value % n === 0).join('')
/** Valid last characters of a base64url text, by its length modulo 4 (RFC 4648, 3.5). */
const canonicalEnds = [digits, undefined, everyNth(16), everyNth(4)] as const

const headsMax = 1_000

/** Caches cursor heads, which bind cursors to their walks; most requests continue a recent walk. */
const openHeads = <Of>(parts: readonly BoundPart<Of>[]): ((walk: Of) => Buffer) => {
  const heads = new Map<string, Buffer>()
  /** A request with a cursor opens it and seals the next one. */
  let last: { readonly walk: Of; readonly head: Buffer } | null = null
  return (walk) => {
    if (last?.walk === walk) return last.head
    const head = headOf(walk)
    last = { walk, head }
    return head
  }

  function headOf(walk: Of): Buffer {
    const texts = parts.map(({ textOf }) => textOf(walk))
    const name = texts.join(' ')
    const existing = heads.get(name)
    if (existing) return existing
    const head = Buffer.concat([
      Buffer.of(version),
      ...texts.map((text) => hash('sha256', text, 'buffer').subarray(0, digestBytes)),
    ])
    if (heads.size >= headsMax) heads.clear()
    heads.set(name, head)
    return head
  }
}

const blockBytes = 64
const hashBytes = 32

/**
 * HMAC-SHA-256 (RFC 2104) from one-shot hashes, which take a fraction of the time. The result is
 * valid until the next call: writing a hash as text into a reused buffer takes a third of the time
 * of a new buffer.
 */
const openMac = (key: Uint8Array): ((bytes: Uint8Array) => Uint8Array) => {
  const pad = (mask: number) => Array.from({ length: blockBytes }, (_, at) => (key[at] ?? 0) ^ mask)
  const outer = Buffer.from([...pad(0x5c), ...new Uint8Array(hashBytes)])
  let inner = Buffer.from(pad(0x36))
  const result = Buffer.alloc(hashBytes)
  const start = result.subarray(0, macBytes)
  return (bytes) => {
    const end = blockBytes + bytes.length
    if (inner.length < end) inner = Buffer.concat([inner], end * 2)
    inner.set(bytes, blockBytes)
    outer.write(hash('sha256', inner.subarray(0, end), 'latin1'), blockBytes, 'latin1')
    result.write(hash('sha256', outer, 'latin1'), 'latin1')
    return start
  }
}
