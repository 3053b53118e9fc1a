import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { BackupError, damaged } from './backup-error.ts'
import { type ByteSink, createByteReader } from './bytes.ts'

/*
 * An encrypted archive: a header, then chunks of AES-256-GCM. The key of the archive is derived from
 * the key file and from the archive's salt, so that no two archives share one. The nonce of a chunk
 * is its number and whether it is the last, and the header is authenticated with every chunk: chunks
 * that are missing, repeated, exchanged or from another archive do not decrypt.
 */
const magic = Buffer.from('selvedge encrypted backup 1\n')
export const saltBytes = 32
const checkBytes = 16
const headerBytes = magic.length + saltBytes + checkBytes
const chunkBytes = 65_536
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** Whether the first bytes are those of an encrypted archive. */
export const isSealed = (start: Uint8Array): boolean =>
  magic.equals(start.subarray(0, magic.length))

/** Encrypts what is written. `end` writes the last chunk. */
export const createSealedSink = (
  sink: ByteSink,
  secret: Uint8Array,
  salt: Uint8Array,
): ByteSink & { end(): Promise<void> } => {
  const { key, check } = deriveKey(secret, salt)
  const header = Buffer.concat([magic, salt, check])
  const buffer = Buffer.alloc(chunkBytes)
  let filled = 0
  let chunks = 0

  const seal = async (isLast: boolean): Promise<void> => {
    if (chunks === 0) await sink.write(header)
    const cipher = createCipheriv(algorithm, key, nonceOf(chunks, isLast))
    cipher.setAAD(header)
    const sealed = cipher.update(buffer.subarray(0, filled))
    cipher.final()
    await sink.write(Buffer.concat([sealed, cipher.getAuthTag()]))
    chunks += 1
    filled = 0
  }

  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        // Only when more follows: the last chunk is sealed as such.
        if (filled === chunkBytes) await seal(false)
        const part = bytes.subarray(at, at + chunkBytes - filled)
        buffer.set(part, filled)
        filled += part.length
        at += part.length
      }
    },
    end: () => seal(true),
  }
}

/** The bytes of an archive, decrypted if it is encrypted. Throws `BackupError`. */
export async function* unsealed(
  stream: AsyncIterable<Uint8Array>,
  secret: Uint8Array | null,
): AsyncGenerator<Buffer> {
  const reader = createByteReader(stream)
  try {
    const start = await reader.read(magic.length)
    if (!isSealed(start)) {
      if (secret) {
        throw new BackupError('The backup is not encrypted. Omit --key-file if it is yours.')
      }
      yield start
      while (!(await reader.isAtEnd())) yield await reader.read(chunkBytes)
      return
    }
    if (!secret) {
      throw new BackupError('The backup is encrypted. Name its key file with --key-file.')
    }
    const rest = await reader.read(headerBytes - magic.length)
    if (rest.length < headerBytes - magic.length) throw damaged('it ends in its header')
    const { key, check } = deriveKey(secret, rest.subarray(0, saltBytes))
    if (!rest.subarray(saltBytes).equals(check)) {
      throw new BackupError(
        'The backup was encrypted with another key file, or its beginning is damaged.',
      )
    }
    const header = Buffer.concat([magic, rest])
    for (let chunks = 0, isLast = false; !isLast; chunks += 1) {
      const sealed = await reader.read(chunkBytes + tagBytes)
      isLast = await reader.isAtEnd()
      yield open(sealed, { key, header, nonce: nonceOf(chunks, isLast) })
    }
  } finally {
    await reader.close()
  }
}

interface OpenParts {
  readonly key: Buffer
  readonly header: Buffer
  readonly nonce: Buffer
}

const open = (sealed: Buffer, { key, header, nonce }: OpenParts): Buffer => {
  if (sealed.length < tagBytes) throw damaged('it is cut off')
  const decipher = createDecipheriv(algorithm, key, nonce)
  decipher.setAAD(header)
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = decipher.update(sealed.subarray(0, -tagBytes))
  try {
    decipher.final()
  } catch {
    throw damaged('it is cut off, or a part of it was changed')
  }
  return opened
}

const deriveKey = (secret: Uint8Array, salt: Uint8Array) => {
  const derived = Buffer.from(hkdfSync('sha256', secret, salt, 'selvedge backup', 32 + checkBytes))
  return { key: derived.subarray(0, 32), check: derived.subarray(32) }
}

const nonceOf = (chunk: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(chunk, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
