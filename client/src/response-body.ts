/** Size limits of a response. Without limits, everything is read. */
export interface ResponseLimits {
  /** Counted after decompression as bytes arrive, so the limit also stops compression bombs. */
  readonly bytesMax?: number | undefined
  /** Objects and arrays of the JSON: each takes far more memory than its two bytes on the wire. */
  readonly objectsMax?: number | undefined
}

/** A body exceeds a limit, which the message names. */
export class BodyTooLargeError extends Error {}

const [openBrace, openBracket] = [0x7b, 0x5b]

/** Reads a whole body and reports each chunk as it arrives. */
export const readBody = async (
  { body, headers }: Response,
  { bytesMax = Infinity, objectsMax = Infinity }: ResponseLimits,
  onChunk: () => void,
): Promise<readonly Uint8Array<ArrayBuffer>[]> => {
  const tooLarge = () =>
    new BodyTooLargeError(`more than ${bytesMax / 2 ** 20} MiB or ${objectsMax} objects`)
  if (Number(headers.get('content-length') ?? 0) > bytesMax) throw tooLarge()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let [bytes, objects] = [0, 0]
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    onChunk()
    bytes += next.value.length
    if (objectsMax < Infinity) objects += openings(next.value)
    if (bytes > bytesMax || objects > objectsMax) throw tooLarge()
    chunks.push(next.value)
  }
  return chunks
}

const openings = (chunk: Uint8Array): number => {
  let count = 0
  for (const byte of chunk) if (byte === openBrace || byte === openBracket) count += 1
  return count
}

export const decode = (chunks: readonly Uint8Array[]): string => {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}
