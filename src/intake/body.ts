import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, createZstdCompress, zstdCompress, zstdDecompress } from 'node:zlib'
import type { BatchRequest, PackedBody } from './batch.ts'
import type { StoredBody } from './batch-table.ts'

/** What problems call the body of a batch. */
export const bodyName = 'body'

/** A shorter body would hardly become shorter. */
const compressedMin = 1_024
/** A longer body is compressed while it arrives. Most are shorter. */
const plainMax = 65_536
/** The memory of a compressor, rounded up. */
const compressorBytes = 1_572_864

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

/**
 * A frame without content, which decompressors skip. It is appended to a body that would otherwise
 * have the same length compressed: the lengths tell which of the two is stored.
 */
const emptyFrame = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])

/** What the hash of a batch covers besides its body. */
export type HashedOptions = Pick<
  BatchRequest,
  'brand' | 'map' | 'form' | 'dryRun' | 'park' | 'quarantine' | 'maxBadRows' | 'results'
>

/** Makes the stored form of a body while it arrives, so that it is never in memory as a whole. */
export interface BodyPacker {
  /** Takes the next bytes. If it returns false, wait for `onDrain` before the next ones. */
  write(bytes: Buffer): boolean
  /** The memory that it holds. */
  readonly heldBytes: number
  end(): Promise<PackedBody>
  /** Drops everything. */
  destroy(): void
}

export const openBodyPacker = (options: HashedOptions, onDrain = () => {}): BodyPacker => {
  const { brand, map, form, dryRun, park = false, quarantine, maxBadRows, results } = options
  const more = [
    ...(quarantine ? ['quarantine'] : []),
    ...(typeof maxBadRows === 'number' ? [`at most ${maxBadRows} % bad`] : []),
    ...(results ? ['results'] : []),
  ]
  const hashed = [brand, map, form, dryRun, park, ...more]
  const hash = createHash('sha256').update(JSON.stringify(hashed))
  let plain = Buffer.allocUnsafeSlow(plainMax)
  let length = 0
  let packedLength = 0
  const pieces: Buffer[] = []
  let compressor: ReturnType<typeof createZstdCompress> | null = null

  const startCompressor = (size: number) => {
    const started = createZstdCompress({ params })
    started.on('data', (piece: Buffer) => {
      pieces.push(piece)
      packedLength += piece.length
    })
    started.on('drain', onDrain)
    started.write(plain.subarray(0, size))
    plain = Buffer.alloc(0)
    return started
  }

  const packPlain = async (): Promise<Uint8Array> => {
    const body = plain.subarray(0, length)
    if (length < compressedMin) return body
    const packed = await compress(body, { params, pledgedSrcSize: length })
    return packed.length < length ? packed : body
  }

  const finish = async (ended: NonNullable<typeof compressor>): Promise<Uint8Array> => {
    await new Promise<void>((resolve, reject) => {
      ended.once('end', resolve).once('error', reject).once('close', reject)
      ended.end()
    })
    if (packedLength === length) pieces.push(emptyFrame)
    return Buffer.concat(pieces.splice(0))
  }

  return {
    write: (bytes) => {
      const before = length
      hash.update(bytes)
      length += bytes.length
      if (!compressor && length > plainMax) compressor = startCompressor(before)
      if (compressor) return compressor.write(bytes)
      bytes.copy(plain, before)
      return true
    },
    get heldBytes() {
      return compressor ? packedLength + compressorBytes : plainMax
    },
    end: async () => {
      const bytes = compressor ? await finish(compressor) : await packPlain()
      return { bytes, length, hash: hash.digest('hex') }
    },
    destroy: () => compressor?.destroy(),
  }
}

export const unpackBody = async ({ bytes, length }: StoredBody): Promise<Buffer> => {
  if (bytes.length === length) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // In one piece: smaller ones would be copied together.
  return decompress(bytes, { maxOutputLength: length, chunkSize: length })
}
