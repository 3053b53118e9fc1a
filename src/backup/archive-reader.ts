import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { manifestName, partBytes, partName, sumLine, sumsName } from './archive-writer.ts'
import { BackupError, damaged } from './backup-error.ts'
import { type ByteReader, createByteReader } from './bytes.ts'
import { type BackupFile, type BackupManifest, formatVersion } from './manifest.ts'
import { isSealed, unsealed } from './sealed-stream.ts'
import { blockBytes, decodeTarHeader, paddingAfter, type TarHeader, tarEnd } from './tar.ts'

export interface ReadArchiveOptions {
  /** The key of an encrypted archive. Without one, an encrypted archive is refused. */
  readonly secret?: Uint8Array | null
  /**
   * Receives the content of each file, in the order of the archive. Trust it only after
   * `readArchive` has returned: a later part may be missing. Content that is not read is skipped.
   */
  readonly onFile?: (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>
}

const decompress = promisify(zstdDecompress)
/** The manifest and the hashes are the members that are not parts. */
const textBytesMax = 64 * 1_024 * 1_024
/** A part that cannot be compressed is a little longer. */
const memberBytesMax = partBytes + 65_536

/**
 * Reads an archive to its end and checks all of it. Throws `BackupError` if anything differs from
 * what was written.
 */
export const readArchive = async (
  stream: AsyncIterable<Uint8Array>,
  { secret = null, onFile = skip }: ReadArchiveOptions = {},
): Promise<BackupManifest> => {
  const reader = createByteReader(unsealed(stream, secret))
  try {
    const members = createMemberReader(reader)
    const files: BackupFile[] = []
    let next = await members.header()
    while (next.name !== manifestName) {
      const name = next.name.replace(/\/000001\.zst$/, '')
      if (next.name !== partName(name, 1)) throw damaged(`${plain(next.name)} is not expected`)
      const file = createFileContent(name, next, members)
      await onFile(name, file.content)
      next = await file.finish()
      files.push(file.described())
    }
    const text = await members.content(next, textBytesMax)
    const manifest = parseManifest(text)
    const sums = members.sums()
    next = await members.header()
    if (next.name !== sumsName) throw damaged(`${plain(next.name)} is not expected`)
    if ((await members.content(next, textBytesMax)).toString() !== sums) {
      throw damaged('the hash of a part differs')
    }
    if (!(await reader.read(tarEnd.length)).equals(tarEnd)) throw damaged('its end is missing')
    if (!(await reader.isAtEnd())) throw damaged('something follows its end')
    if (JSON.stringify(manifest.files) !== JSON.stringify(files)) {
      throw damaged('its files are not those of its manifest')
    }
    return manifest
  } finally {
    await reader.close()
  }
}

/** Whether a file with these first 512 bytes is an archive, complete or not. */
export const looksLikeBackup = (start: Uint8Array): boolean => {
  if (isSealed(start)) return true
  const header = start.length === blockBytes ? decodeTarHeader(Buffer.from(start)) : null
  return header?.name.endsWith(partName('', 1)) ?? false
}

const skip = async (): Promise<void> => undefined

interface MemberReader {
  /** The header of the next member. */
  header(): Promise<TarHeader>
  content(header: TarHeader, bytesMax: number): Promise<Buffer>
  /** The hashes of all members that were read. */
  sums(): string
}

const createMemberReader = (reader: ByteReader): MemberReader => {
  const sums: string[] = []
  const readExactly = async (bytes: number): Promise<Buffer> => {
    const read = await reader.read(bytes)
    if (read.length < bytes) throw damaged('it is cut off')
    return read
  }
  return {
    header: async () => {
      const block = await reader.read(blockBytes)
      const header = block.length === blockBytes ? decodeTarHeader(block) : null
      if (header) return header
      if (sums.length === 0) throw new BackupError('This is not a backup of Selvedge.')
      throw damaged(block.length < blockBytes ? 'it is cut off' : 'a header was changed')
    },
    content: async ({ name, bytes }, bytesMax) => {
      if (bytes > bytesMax) throw damaged(`${plain(name)} is too long`)
      const content = await readExactly(bytes)
      const padding = await readExactly(paddingAfter(bytes))
      if (padding.some((byte) => byte !== 0)) throw damaged(`${plain(name)} was changed`)
      sums.push(sumLine(name, createHash('sha256').update(content).digest('hex')))
      return content
    },
    sums: () => sums.join(''),
  }
}

interface FileContent {
  readonly content: AsyncIterable<Uint8Array>
  /** Reads the rest, and returns the header of the member after the file. */
  finish(): Promise<TarHeader>
  described(): BackupFile
}

/** The content of a file from its parts, the first of which has this header. */
const createFileContent = (name: string, first: TarHeader, members: MemberReader): FileContent => {
  const hash: Hash = createHash('sha256')
  let header: TarHeader = first
  let parts = 0
  let bytes = 0

  const nextPart = async (): Promise<Buffer | null> => {
    if (header.name !== partName(name, parts + 1)) return null
    const stored = await members.content(header, memberBytesMax)
    const part = await decompress(stored, { maxOutputLength: partBytes }).catch(() => {
      throw damaged(`${plain(header.name)} was changed`)
    })
    hash.update(part)
    parts += 1
    bytes += part.length
    header = await members.header()
    return part
  }

  return {
    content: {
      async *[Symbol.asyncIterator]() {
        for (let part = await nextPart(); part; part = await nextPart()) yield part
      },
    },
    finish: async () => {
      while (await nextPart());
      return header
    },
    described: () => ({ name, parts, bytes, sha256: hash.digest('hex') }),
  }
}

const parseManifest = (text: Buffer): BackupManifest => {
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(text.toString()) as BackupManifest
  } catch {
    throw damaged('its manifest was changed')
  }
  if (manifest.format !== formatVersion) {
    throw new BackupError(
      `The backup has format ${plain(String(manifest.format))}, and this version reads format ${formatVersion}. Use the release that made it: ${plain(String(manifest.release))}.`,
    )
  }
  return manifest
}

/** A name from the archive, for a message. */
const plain = (name: string): string => JSON.stringify(name.slice(0, 100)).slice(1, -1)
