import type { DownloadFormat } from '../../../src/contract/index.ts'
import { texts } from '../texts/index.ts'

/** How much of a file has come. */
export interface Received {
  /** About: a text of several lines counts as several. 0 where the format does not tell. */
  readonly records: number
  readonly total: number
  readonly bytes: number
}

/** Browsers move large blobs to disk, so what has come is made one now and then. */
const blobBytes = 8_388_608
const newline = 10

/** Reads a download to its end. Throws if it is not complete. */
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

/** The bytes of a response. A connection that is closed early makes the next read fail. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  // Browsers do not say why a connection failed.
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

/** The last line says that the file is complete. Imports read records only, so it is left out. */
const withoutEnd = async (file: Blob, total: number): Promise<Blob> => {
  const end = `${JSON.stringify({ complete: true, items: total })}\n`
  const start = file.size - end.length
  if (start < 0 || (await file.slice(start).text()) !== end) {
    throw new Error(texts().explorer.incomplete)
  }
  return file.slice(0, start, file.type)
}
