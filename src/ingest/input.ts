import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type OpenedFile, readAt } from './opened-file.ts'
import { SourceError, type SourceRows } from './row.ts'
import type { TableOptions } from './table.ts'

export const formats = ['ndjson', 'json', 'csv', 'xlsx', 'parquet'] as const
export type Format = (typeof formats)[number]

/** The origin of a source's rows. */
export type Input = FileInput | StreamInput | RowsInput | GivenInput

interface Encoded {
  readonly format: Format
  readonly gzipped: boolean
  /** Options for reading a table, if the file does not determine them. */
  readonly table?: TableOptions | undefined
}

/** Plain data, so that it can be posted to a thread. */
export interface FileInput extends Encoded {
  readonly kind: 'file'
  readonly path: string
  /** The file, if it is already open: threads that share it then read the same bytes. */
  readonly opened?: OpenedFile | undefined
}

export interface StreamInput extends Encoded {
  readonly kind: 'stream'
  readonly stream: Readable
  /**
   * For rows that name their tables, `{ "table": …, "row": { … } }`: the tables, or null for all rows,
   * also those without a table.
   */
  readonly tables?: readonly string[] | null
}

/** Rows that the mapping has itself. */
export interface GivenInput {
  readonly kind: 'given'
}

/** Rows that a caller produces from a database or from requests. */
export interface RowsInput {
  readonly kind: 'rows'
  readonly rows: () => AsyncIterable<SourceRows>
}

/** The decompressed bytes of a file or a stream. */
export interface Chunks {
  readonly chunks: AsyncIterable<Buffer>
  close(): void
}

const chunkBytes = 128 * 1_024

/** `onBytes` receives the number of bytes read, before decompression. */
export const openChunks = (
  input: FileInput | StreamInput,
  onBytes: (bytes: number) => void,
): Chunks => {
  const raw = input.kind === 'file' ? readFile(input) : input.stream
  let bytesRead = 0
  const withProgress = async function* (): AsyncIterable<Buffer> {
    for await (const chunk of raw) {
      bytesRead += (chunk as Buffer).length
      onBytes((chunk as Buffer).length)
      yield chunk as Buffer
    }
  }
  const chunks = input.gzipped
    ? rejectBomb(gunzip(withProgress()), () => bytesRead)
    : withProgress()
  const isText = input.format !== 'xlsx' && input.format !== 'parquet'
  return {
    chunks: isText ? rejectForeign(chunks) : chunks,
    // Standard input that is still open would keep the process alive.
    close: () => {
      raw.destroy()
    },
  }
}

const readFile = ({ path, opened }: FileInput): Readable =>
  opened ? Readable.from(chunksOf(opened)) : createReadStream(path, { highWaterMark: chunkBytes })

/** Reads at explicit offsets, because other threads share the file. Leaves it open for them. */
async function* chunksOf({ descriptor, bytes }: OpenedFile): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, bytes - at))
    const { bytesRead } = await readAt(descriptor, chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Opens a file by its path, or returns the one that is open already and stays so. */
export const openFile = async ({
  path,
  opened,
}: FileInput): Promise<{ readonly opened: OpenedFile; close(): Promise<void> }> => {
  if (opened) return { opened, close: async () => undefined }
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return { opened: { descriptor: file.fd, bytes: size }, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** An error of reading a source, as a sentence with its name. */
export const namedError = (name: string, error: unknown): unknown => {
  if (error instanceof SourceError) return new SourceError(`${name} ${error.message}`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('Z_')) return new SourceError(`${name} is not complete gzip data: ${code}`)
  if (/^E[A-Z]+$/.test(code)) return new SourceError(`${name} cannot be read: ${code}`)
  return error
}

/** The first bytes of other file types, and advice for each. */
const foreignBeginnings: readonly (readonly [Buffer, string])[] = [
  [
    Buffer.from('PK\u0003\u0004', 'latin1'),
    'is an Excel workbook or a ZIP file: name a workbook .xlsx, or use --format xlsx',
  ],
  [Buffer.from('PAR1'), 'is a Parquet file: name it .parquet, or use --format parquet'],
  [
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
    'is an old or an encrypted Excel file: save it as .xlsx, without a password',
  ],
  [Buffer.from([0x1f, 0x8b]), 'is compressed with gzip: name it .gz, or unpack it'],
  [Buffer.from([0xff, 0xfe]), 'is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)'],
  [Buffer.from([0xfe, 0xff]), 'is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)'],
]

/** Rejects a file of another type by its first bytes. */
async function* rejectForeign(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let hasBegun = false
  for await (const chunk of chunks) {
    const foreign = hasBegun
      ? undefined
      : foreignBeginnings.find(([bytes]) => startsWith(chunk, bytes))
    if (foreign) throw new SourceError(foreign[1])
    hasBegun ||= chunk.length > 0
    yield chunk
  }
}

const startsWith = (chunk: Buffer, bytes: Buffer): boolean =>
  chunk.subarray(0, bytes.length).equals(bytes)

/** Tables of the same few rows shrink to a hundredth; what shrinks more has nothing in it. */
const [expansionMax, uncheckedBytes] = [200, 268_435_456]

/** Rejects gzip data that expand far more than records do. */
async function* rejectBomb(
  chunks: AsyncIterable<Buffer>,
  compressedBytes: () => number,
): AsyncIterable<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > uncheckedBytes && bytes > compressedBytes() * expansionMax) {
      throw new SourceError(
        `has gzip data that expand to more than ${expansionMax} times their size: send it without compression`,
      )
    }
    yield chunk
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const unzip = createGunzip({ chunkSize: 256 * 1_024 })
  const from = Readable.from(chunks)
  from.once('error', (error) => unzip.destroy(error))
  for await (const chunk of from.pipe(unzip)) yield chunk as Buffer
}
