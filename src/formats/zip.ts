import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, crc32, createDeflateRaw } from 'node:zlib'

/** A file of an archive. Streamed content has no known length. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

/** Sizes have 32 bits: larger files need ZIP64, which some readers do not support. */
const sizeMax = 0xffff_ffff

/** A file exceeds the size limit of the archive. */
export class ZipSizeError extends RangeError {}

interface Written {
  readonly name: Buffer
  readonly offset: number
  readonly flags: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
}

/** Names are in UTF-8; sizes follow the content (APPNOTE 4.4.4, bits 11 and 3). */
const utf8Names = 0x0800
const sizesFollow = 0x0008
const deflated = 8
const version = 20
/** The earliest date of the format, because entries have no time. */
const date = 0x0021

/** Streams an archive (APPNOTE.TXT 6.3). No file of it is ever completely in memory. */
export async function* zip(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array> {
  const written: Written[] = []
  let offset = 0
  for (const { name, content } of entries) {
    const started = { name: Buffer.from(name), offset, flags: utf8Names | sizesFollow }
    const counts = { crc: 0, size: 0, compressed: 0 }
    const header = localHeader(started.name, started.flags)
    yield header
    offset += header.length
    for await (const piece of deflate(content, counts)) {
      counts.compressed += piece.length
      yield piece
    }
    const descriptor = words([0x08074b50, counts.crc, counts.compressed, counts.size])
    yield descriptor
    offset += counts.compressed + descriptor.length
    if (offset > sizeMax) throw new ZipSizeError('The archive is longer than 4 GB.')
    written.push({ ...started, ...counts })
  }
  const directory = Buffer.concat(written.map(directoryEntry))
  yield directory
  yield endOfDirectory(written.length, directory.length, offset)
}

interface Counts {
  crc: number
  size: number
  compressed: number
}

async function* deflate(content: ZipEntry['content'], counts: Counts): AsyncGenerator<Uint8Array> {
  const counted = async function* () {
    for await (const piece of content instanceof Uint8Array ? [content] : content) {
      counts.crc = crc32(piece, counts.crc)
      counts.size += piece.length
      if (counts.size > sizeMax)
        throw new ZipSizeError('A file of the archive is longer than 4 GB.')
      yield piece
    }
  }
  const stream = createDeflateRaw({ level: constants.Z_BEST_SPEED })
  // One chunk at a time, because chunks ahead of the reader are in memory.
  const done = pipeline(Readable.from(counted(), { highWaterMark: 1 }), stream)
  // The stream reports the error to the loop below.
  done.catch(() => undefined)
  yield* stream as AsyncIterable<Uint8Array>
}

const localHeader = (name: Buffer, flags: number): Buffer => {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(deflated, 8)
  header.writeUInt16LE(date, 12)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

const directoryEntry = ({ name, offset, flags, crc, compressed, size }: Written): Buffer => {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(version, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(deflated, 10)
  header.writeUInt16LE(date, 14)
  words([crc, compressed, size]).copy(header, 16)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, name])
}

const endOfDirectory = (count: number, length: number, offset: number): Buffer => {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  words([length, offset]).copy(end, 12)
  return end
}

const words = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}
