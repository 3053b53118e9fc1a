import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** Bodies up to this size are sent as they are: compressing them would save nothing. */
const plainBytesMax = 1_024

/** The encoding to answer in: brotli or gzip where the client takes it and the body is worth it. */
export const chooseEncoding = (accept: string | undefined, bytes: number): Encoding | null => {
  if (accept === undefined || bytes <= plainBytesMax) return null
  const existing = preferences.get(accept)
  if (existing !== undefined) return existing
  const preferred = preferredEncoding(accept)
  if (preferences.size < preferencesMax) preferences.set(accept, preferred)
  return preferred
}

/** Clients send the same few headers all the time. */
const preferences = new Map<string, Encoding | null>()
const preferencesMax = 100

const preferredEncoding = (accept: string): Encoding | null => {
  const weights = new Map(
    accept.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
      const quality = parameters.find((each) => each.startsWith('q='))
      return [name, quality ? Number(quality.slice(2)) : 1] as const
    }),
  )
  const weight = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = weight('br') >= weight('gzip') ? 'br' : 'gzip'
  return weight(best) > 0 ? best : null
}

const compressors = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const

/**
 * An encoder takes several megabytes, and a thread of the pool that files are read with too: so many
 * at a time leave the others free.
 */
const compressionsMax = 2
let running = 0
/** Those that wait; no more than there are requests in progress. */
const queue: (() => void)[] = []

/** Compresses a body once fewer than `compressionsMax` others are being compressed. */
export const compress = async (body: Buffer, encoding: Encoding): Promise<Buffer> => {
  if (running >= compressionsMax) await new Promise<void>((resolve) => queue.push(resolve))
  else running += 1
  try {
    return await encode(body, encoding)
  } finally {
    // The one that has waited longest takes the place.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

const encode = (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? compressors.br(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    : compressors.gzip(body, { level: 6 })
