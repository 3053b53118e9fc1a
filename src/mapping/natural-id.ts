import { hash } from 'node:crypto'

/**
 * The namespace of all identities from natural keys. It never changes: a key has the same
 * identifier on every machine and in every release.
 */
const keyNamespace = '958b74f0-891d-40fd-9e4e-12cc527f1a92'

/**
 * The identifier of a record with a natural key: a version 5 UUID (RFC 9562, section 5.5) of the
 * JSON text of the owner, the collection and the parts of the key.
 */
export const naturalId = (owner: string, collection: string, parts: readonly string[]): string =>
  uuidV5(keyNamespace, JSON.stringify([owner, collection, ...parts]))

/** The version 5 UUID of a name in a namespace. */
export const uuidV5 = (namespace: string, name: string): string => {
  const prefix = prefixOf(namespace)
  const length = prefix.length + name.length * bytesPerUnit
  const bytes = length <= buffer.length ? buffer : Buffer.alloc(length)
  bytes.set(prefix)
  const end = prefix.length + bytes.write(name, prefix.length)
  const digest = hash('sha1', bytes.subarray(0, end), 'hex')
  const variant = variants[Number.parseInt(digest.charAt(16), 16)]
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const bytesPerUnit = 3

/** Fits almost every key. Can be shared because the hash is computed before the next write. */
const buffer = Buffer.alloc(1_024)

/** The variant digit: two fixed bits and two bits of the digest. */
const variants = Array.from({ length: 16 }, (_, digit) => ((digit & 3) | 8).toString(16))

const prefixes = new Map<string, Buffer>()

const prefixOf = (namespace: string): Buffer => {
  const cached = prefixes.get(namespace)
  if (cached) return cached
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex')
  // There are few namespaces: the one for keys, and those of tests.
  if (prefixes.size < 100) prefixes.set(namespace, prefix)
  return prefix
}
