import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type OpenedFile, readAt } from '../opened-file.ts'
import { SourceError } from '../row.ts'

/** The files of a ZIP archive (APPNOTE.TXT 6.3), by name. */
export interface Archive {
  has(name: string): boolean
  /**
   * Decompresses a file of the archive as a stream. Rejects one that is longer than `bytesMax`,
   * whatever length the archive states. `onBytes` receives the number of compressed bytes.
   */
  read(name: string, options: ReadOptions): AsyncIterable<Buffer>
}

export interface ReadOptions {
  readonly bytesMax: number
  readonly onBytes?: (bytes: number) => void
}

interface Entry {
  readonly flags: number
  readonly method: number
  readonly compressed: number
  readonly offset: number
}

/** Maximum number of entries. A workbook has a few dozen files. */
const entriesMax = 100_000
const directoryBytesMax = 64 * 1_024 * 1_024
const chunkBytes = 128 * 1_024

const signatures = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50 }
const end64Locator = 0x07064b50
const endBytes = 22
const commentBytesMax = 0xffff

export const readArchive = async (file: OpenedFile): Promise<Archive> => {
  const entries = await readDirectory(file)
  return {
    has: (name) => entries.has(name),
    read: (name, options) => readEntry(file, name, entries.get(name), options),
  }
}

const readDirectory = async (file: OpenedFile): Promise<ReadonlyMap<string, Entry>> => {
  const { bytes: size } = file
  const tail = await readPiece(
    file,
    Math.max(0, size - endBytes - commentBytesMax),
    endBytes + commentBytesMax,
  )
  let at = tail.length - endBytes
  while (at >= 0 && tail.readUInt32LE(at) !== signatures.end) at -= 1
  if (at < 0) throw damaged('the file is not complete')
  let [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (offset === 0xffffffff || length === 0xffffffff) {
    // A ZIP64 archive has its sizes in a second record; the locator before the first one points to
    // it.
    if (at < 20 || tail.readUInt32LE(at - 20) !== end64Locator) throw damaged('it has no directory')
    const end64 = await readPiece(file, Number(tail.readBigUInt64LE(at - 12)), 56)
    if (end64.length < 56 || end64.readUInt32LE(0) !== signatures.end64) {
      throw damaged('it has no directory')
    }
    length = Number(end64.readBigUInt64LE(40))
    offset = Number(end64.readBigUInt64LE(48))
  }
  if (length > directoryBytesMax || offset + length > size) throw damaged('it has no directory')
  return entriesOf(await readPiece(file, offset, length))
}

const entriesOf = (directory: Buffer): ReadonlyMap<string, Entry> => {
  const entries = new Map<string, Entry>()
  for (let at = 0; at + 46 <= directory.length && entries.size < entriesMax; ) {
    if (directory.readUInt32LE(at) !== signatures.entry) break
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((each) =>
      directory.readUInt16LE(at + each),
    ) as [number, number, number]
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes)
    const extra = directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes)
    const [compressed, offset] = largeSizes(extra, {
      size: directory.readUInt32LE(at + 24),
      compressed: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    })
    entries.set(name, {
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      compressed,
      offset,
    })
    at += 46 + nameBytes + extraBytes + commentBytes
  }
  return entries
}

/** Sizes above 32 bits are in an extra field, each only if needed (APPNOTE 4.5.3). */
const largeSizes = (
  extra: Buffer,
  sizes: { readonly size: number; readonly compressed: number; readonly offset: number },
): readonly [number, number] => {
  const isLarge = (value: number) => value === 0xffffffff
  if (!Object.values(sizes).some(isLarge)) return [sizes.compressed, sizes.offset]
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    const [, compressed = 0, offset = 0] = [sizes.size, sizes.compressed, sizes.offset].map(
      (value) => {
        if (!isLarge(value)) return value
        if (next + 8 > extra.length) throw damaged('it has no directory')
        next += 8
        return Number(extra.readBigUInt64LE(next - 8))
      },
    )
    return [compressed, offset]
  }
  throw damaged('it has no directory')
}

const encrypted = 0x0001
const [stored, deflated] = [0, 8]

async function* readEntry(
  file: OpenedFile,
  name: string,
  entry: Entry | undefined,
  { bytesMax, onBytes = () => undefined }: ReadOptions,
): AsyncIterable<Buffer> {
  if (!entry) throw damaged(`it has no ${name}`)
  const { flags, method, compressed, offset } = entry
  if (flags & encrypted) throw new SourceError('is encrypted: save it without a password')
  if (method !== stored && method !== deflated) {
    throw damaged(`${name} is compressed by a method that is not supported (${method})`)
  }
  const header = await readPiece(file, offset, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== signatures.local) {
    throw damaged('its directory is wrong')
  }
  const from = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const raw = async function* (): AsyncIterable<Buffer> {
    for (let at = 0; at < compressed; at += chunkBytes) {
      const chunk = await readPiece(file, from + at, Math.min(chunkBytes, compressed - at))
      if (chunk.length === 0) throw damaged('the file is not complete')
      onBytes(chunk.length)
      yield chunk
    }
  }
  let bytes = 0
  for await (const chunk of method === stored ? raw() : inflate(raw())) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      const limit = bytesMax.toLocaleString('en')
      throw new SourceError(
        `is too large: its ${name} has more than ${limit} bytes; save it as CSV UTF-8`,
      )
    }
    yield chunk
  }
}

async function* inflate(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const unzip = createInflateRaw({ chunkSize: 64 * 1_024 })
  const from = Readable.from(chunks)
  from.once('error', (error) => unzip.destroy(error))
  try {
    for await (const chunk of from.pipe(unzip)) yield chunk as Buffer
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('Z_')) throw error
    throw damaged(code)
  }
}

const readPiece = async (
  { descriptor }: OpenedFile,
  position: number,
  length: number,
): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await readAt(
      descriptor,
      buffer,
      filled,
      length - filled,
      position + filled,
    )
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

const damaged = (reason: string): SourceError =>
  new SourceError(`is not a whole Excel workbook: ${reason}`)
