import type { LookupKind, SqlValue } from '#database'

/*
 * An identifier is a lower-case UUID: a text in this program, in cursors and in records, and 16
 * bytes in the tables. Both forms sort alike.
 */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isIdentifier = (text: string): boolean => uuidPattern.test(text)

/** The text of a value read from the database. One engine returns identifiers as bytes. */
export const readText = (value: SqlValue): string =>
  value instanceof Uint8Array ? formatUuid(value) : String(value)

export const formatUuid = ({ buffer, byteOffset, byteLength }: Uint8Array): string => {
  const hex = Buffer.from(buffer, byteOffset, byteLength).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A part of an identity as the change log stores it, for any collection. */
export const keyToBytes = (kind: LookupKind, text: string): Uint8Array =>
  kind === 'uuid' && isIdentifier(text)
    ? Buffer.from(text.replaceAll('-', ''), 'hex')
    : Buffer.from(text)

export const keyFromBytes = (kind: LookupKind, bytes: Uint8Array): string =>
  kind === 'uuid'
    ? formatUuid(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
