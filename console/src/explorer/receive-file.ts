import type { DownloadFormat } from '../../../src/contract/index.ts'
import { texts } from '../texts/index.ts'

/** The progress of a download. */
export interface Received {
  /**
   * Approximate: multi-line text counts as several records. 0 if the format has no countable lines.
   */
  readonly records: number
  readonly total: number
  readonly bytes: number
}

/** Converts received chunks to a blob at this size: browsers move large blobs to disk. */
const blobBytes = 8_388_608
const newline = 10

/** Reads a whole download. Throws if it is incomplete. */
export const receiveFile = async (
  response: Response,
  format: DownloadFormat,
  onProgress: (received: Received) => void,
): Promise<{ readonly blob: Blob; readonly records: number }> => {
  const total = Number(response.headers.get('total-items') ?? 0)
  const type = response.headers.get('content-type') ?? ''
  const blobs: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let [records, bytes, chunkBytes] = [0, 0, 0]
  const flush = () => {
    blobs.push(new Blob(chunks))
    chunks = []
    chunkBytes = 0
  }
  onProgress({ records, total, bytes })
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk)
    bytes += chunk.length
    chunkBytes += chunk.length
    if (format !== 'xlsx') records += linesIn(chunk)
    if (chunkBytes > blobBytes) flush()
    onProgress({ records, total, bytes })
  }
  flush()
  const whole = new Blob(blobs, { type })
  return { blob: format === 'ndjson' ? await withoutEnd(whole, total) : whole, records: total }
}

/** The chunks of a response. The next read fails if the connection closes early. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  // Browsers do not report why a connection failed.
  const next = () =>
    reader?.read().catch((cause: unknown) => {
      throw new Error(texts().explorer.incomplete, { cause })
    })
  for (let read = await next(); read && !read.done; read = await next()) {
    yield read.value as Uint8Array<ArrayBuffer>
  }
}

const linesIn = (chunk: Uint8Array): number => {
  let lines = 0
  for (const byte of chunk) if (byte === newline) lines += 1
  return lines
}

/** Removes the last line, which marks the file as complete. Imports read records only. */
const withoutEnd = async (file: Blob, total: number): Promise<Blob> => {
  const end = `${JSON.stringify({ complete: true, items: total })}\n`
  const start = file.size - end.length
  if (start < 0 || (await file.slice(start).text()) !== end) {
    throw new Error(texts().explorer.incomplete)
  }
  return file.slice(0, start, file.type)
}
