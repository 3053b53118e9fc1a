import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { SourceError } from '#ingest'

/**
 * Rows that have been read and wait to be written: in memory while they are few, otherwise in a
 * temporary file. The store is locked for the time of writing them only, however slow their source is.
 */
export interface Spool {
  /** Takes all rows. They can be read again until the spool is closed. */
  fill<Row>(batches: AsyncIterable<readonly Row[]>): Promise<SpooledRows<Row>>
  close(): Promise<void>
}

export interface SpooledRows<Row> {
  readonly bytes: number
  batches(): AsyncIterable<readonly Row[]>
}

export interface SpoolLimits {
  readonly rowsMax: number
  readonly bytesMax: number
  /** Maximum number of bytes in memory; the rest is written to a file. */
  readonly memoryBytes: number
}

const defaultLimits: SpoolLimits = {
  rowsMax: 50_000_000,
  bytesMax: 8 * 1_024 * 1_024 * 1_024,
  memoryBytes: 4 * 1_024 * 1_024,
}

/** Where a batch is: its bytes, or its place in the file. */
type Batch = Buffer | { readonly from: number; readonly length: number }

export const openSpool = (limits: SpoolLimits = defaultLimits): Spool => {
  const { rowsMax, bytesMax, memoryBytes } = limits
  let file: FileHandle | null = null
  let [rows, bytes, fileBytes] = [0, 0, 0]
  const keep = async (batch: Buffer): Promise<Batch> => {
    if (bytes <= memoryBytes) return batch
    const from = fileBytes
    try {
      file ??= await openTemporaryFile()
      const { bytesWritten } = await file.write(batch, 0, batch.length, from)
      if (bytesWritten < batch.length) throw new Error('it is full')
    } catch (error) {
      throw unwritable(error)
    }
    fileBytes += batch.length
    return { from, length: batch.length }
  }
  const load = async (batch: Batch): Promise<Buffer> => {
    if (Buffer.isBuffer(batch)) return batch
    const { from, length } = batch
    const { buffer, bytesRead } =
      (await file?.read(Buffer.allocUnsafe(length), 0, length, from)) ?? {}
    if (!buffer || bytesRead !== length) throw new Error('A spooled batch is incomplete.')
    return buffer
  }
  return {
    fill: async <Row>(batches: AsyncIterable<readonly Row[]>) => {
      const stored: Batch[] = []
      const before = bytes
      for await (const batch of batches) {
        if (batch.length === 0) continue
        const encoded = serialize(batch)
        rows += batch.length
        bytes += encoded.length
        if (rows > rowsMax) throw tooMuch(rowsMax, 'rows')
        if (bytes > bytesMax) throw tooMuch(bytesMax, 'bytes')
        stored.push(await keep(encoded))
      }
      return {
        bytes: bytes - before,
        batches: async function* () {
          for (const batch of stored) yield deserialize(await load(batch)) as readonly Row[]
        },
      }
    },
    close: async () => {
      await file?.close()
    },
  }
}

/** A file that has no name any more: it is gone when the process ends, however that happens. */
const openTemporaryFile = async (): Promise<FileHandle> => {
  const folder = await mkdtemp(join(tmpdir(), 'selvedge-sync-'))
  try {
    return await open(join(folder, 'rows'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const tooMuch = (max: number, what: string): SourceError =>
  new SourceError(
    `has more than ${max.toLocaleString('en')} ${what} with what was read before it, the maximum of a round. Nothing was written. Select fewer rows in the query.`,
  )

const unwritable = (error: unknown): SourceError => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  return new SourceError(
    `cannot be kept in the temporary folder ${tmpdir()}: ${code}. Nothing was written. Free space there, or name another folder in TMPDIR.`,
  )
}
