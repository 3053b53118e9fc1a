import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import type { ByteSink } from './bytes.ts'
import { type BackupFile, type BackupManifest, formatVersion } from './manifest.ts'
import { createSealedSink } from './sealed-stream.ts'
import { encodeTarHeader, paddingAfter, tarEnd } from './tar.ts'

/*
 * A backup is one tar archive. A file is a member for each part of up to 8 MiB, compressed with
 * zstd, because tar needs a size before the content. `manifest.json` describes the files.
 * `SHA256SUMS` has the hash of every member before it, in the format of `sha256sum`: it is the last
 * member, and an archive without it is not complete.
 */
export const partBytes = 8 * 1_024 * 1_024
export const manifestName = 'manifest.json'
export const sumsName = 'SHA256SUMS'

/** Fast: a backup should not take a processor from the server for long. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const compress = promisify(zstdCompress)

/** Writes an archive. One call at a time. */
export interface ArchiveWriter {
  /** Adds a file whose size need not be known. */
  add(name: string, content: AsyncIterable<Uint8Array>): Promise<BackupFile>
  /** Completes the archive. */
  finish(description: Omit<BackupManifest, 'format' | 'files' | 'images'>): Promise<BackupManifest>
}

export interface ArchiveOptions {
  /** Encrypts the archive with a key and random bytes. */
  readonly encryption?: { readonly secret: Uint8Array; readonly salt: Uint8Array } | null
  /** The time of the members. */
  readonly at: number
}

export const createArchiveWriter = (
  target: ByteSink,
  { encryption = null, at }: ArchiveOptions,
): ArchiveWriter => {
  const sealed = encryption && createSealedSink(target, encryption.secret, encryption.salt)
  const sink = sealed ?? target
  const files: BackupFile[] = []
  const sums: string[] = []

  const addMember = async (name: string, content: Uint8Array): Promise<void> => {
    sums.push(sumLine(name, createHash('sha256').update(content).digest('hex')))
    await sink.write(encodeTarHeader({ name, bytes: content.length }, Math.floor(at / 1_000)))
    await sink.write(content)
    const padding = paddingAfter(content.length)
    if (padding > 0) await sink.write(tarEnd.subarray(0, padding))
  }

  return {
    add: async (name, content) => {
      const hash = createHash('sha256')
      let bytes = 0
      let parts = 0
      for await (const part of partsOf(content)) {
        hash.update(part)
        bytes += part.length
        parts += 1
        await addMember(partName(name, parts), await compress(part, compression))
      }
      const file = { name, parts, bytes, sha256: hash.digest('hex') }
      files.push(file)
      return file
    },
    finish: async (description) => {
      const manifest: BackupManifest = {
        format: formatVersion,
        ...description,
        files,
        images: 'not included',
      }
      await addMember(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
      await addMember(sumsName, Buffer.from(sums.join('')))
      await sink.write(tarEnd)
      await sealed?.end()
      return manifest
    },
  }
}

export const partName = (file: string, part: number): string =>
  `${file}/${String(part).padStart(6, '0')}.zst`

export const sumLine = (name: string, sha256: string): string => `${sha256}  ${name}\n`

/** Cuts content into parts; an empty file has an empty part. */
async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(partBytes)
  let filled = 0
  let isEmpty = true
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + partBytes - filled)
      buffer.set(piece, filled)
      filled += piece.length
      at += piece.length
      if (filled === partBytes) {
        yield buffer
        filled = 0
        isEmpty = false
      }
    }
  }
  if (filled > 0 || isEmpty) yield buffer.subarray(0, filled)
}
