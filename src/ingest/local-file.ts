import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type FileInput, openChunks, openFile, type StreamInput } from './input.ts'
import { type OpenedFile, readAt } from './opened-file.ts'
import { SourceError } from './row.ts'

/** A file with random access. */
export interface LocalFile {
  readonly opened: OpenedFile
  /** Receives the number of bytes read. */
  readonly onBytes: (bytes: number) => void
  close(): Promise<void>
}

const bytesMax = 8 * 1_024 * 1_024 * 1_024

/**
 * Returns the file of an input. Streams and compressed files are first copied to a temporary file.
 */
export const openLocalFile = async (
  input: FileInput | StreamInput,
  onBytes: (bytes: number) => void,
): Promise<LocalFile> => {
  if (input.kind === 'file' && !input.gzipped) {
    return { ...(await openChecked(input, async () => undefined)), onBytes }
  }
  const folder = await mkdtemp(join(tmpdir(), 'selvedge-'))
  const path = join(folder, 'table')
  const remove = () => rm(folder, { recursive: true, force: true })
  const { chunks, close } = openChunks(input, onBytes)
  try {
    await pipeline(limited(chunks), createWriteStream(path, { mode: 0o600 }))
    const copy: FileInput = { kind: 'file', path, format: input.format, gzipped: false }
    return { ...(await openChecked(copy, remove)), onBytes: () => undefined }
  } catch (error) {
    await remove()
    throw error
  } finally {
    close()
  }
}

const openChecked = async (
  input: FileInput,
  remove: () => Promise<void>,
): Promise<Omit<LocalFile, 'onBytes'>> => {
  const { opened, close } = await openFile(input)
  try {
    await rejectForeign(opened, input.format)
  } catch (error) {
    await close()
    throw error
  }
  return {
    opened,
    close: async () => {
      await close()
      await remove()
    },
  }
}

async function* limited(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new SourceError(`is larger than ${bytesMax.toLocaleString('en')} bytes`)
    }
    yield chunk
  }
}

/** The first bytes of these formats. */
const beginnings: { readonly [format: string]: readonly [bytes: string, problem: string] } = {
  xlsx: ['PK\u0003\u0004', 'is not an Excel workbook (.xlsx)'],
  parquet: ['PAR1', 'is not a Parquet file'],
}
const oldOrEncrypted = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

const rejectForeign = async ({ descriptor }: OpenedFile, format: string): Promise<void> => {
  const { buffer, bytesRead } = await readAt(descriptor, Buffer.alloc(4), 0, 4, 0)
  const begin = buffer.subarray(0, bytesRead)
  if (begin.equals(oldOrEncrypted)) {
    throw new SourceError(
      'is an old or an encrypted Excel file: save it as .xlsx, without a password',
    )
  }
  const [bytes = '', problem = ''] = beginnings[format] ?? []
  if (begin.toString('latin1') !== bytes) throw new SourceError(problem)
}
