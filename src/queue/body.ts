import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { StoredBody } from './queue-table.ts'

/** What problems call the body of a batch. */
export const bodyName = 'body'

/** A shorter body would hardly become shorter. */
const compressedMin = 1_024

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** The body as it is stored: compressed where that helps. */
export const packBody = async (body: Buffer): Promise<StoredBody> => {
  const { length } = body
  if (length < compressedMin) return { bytes: body, length }
  const bytes = await compress(body, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
    pledgedSrcSize: length,
  })
  // The lengths tell which of the two it is.
  return bytes.length < length ? { bytes, length } : { bytes: body, length }
}

export const unpackBody = async ({ bytes, length }: StoredBody): Promise<Buffer> => {
  if (bytes.length === length) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return decompress(bytes, { maxOutputLength: length })
}
