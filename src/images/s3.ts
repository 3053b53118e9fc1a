import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { contentDisposition, contentType, encodeRfc3986 } from './download.ts'
import {
  type ImageLink,
  type Images,
  objectName,
  requireObjectName,
  StorageUnavailable,
} from './images.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Where a bucket is and how it is addressed. */
export interface S3Place {
  readonly bucket: string
  /** Put before every object name, without slashes at its ends; may be empty. */
  readonly prefix: string
  /** Such as `http://127.0.0.1:9000`. Links carry it, so clients must be able to reach it. */
  readonly endpoint: string
  readonly region: string
  /** `endpoint/bucket/object` when true, `bucket.endpoint/object` otherwise. */
  readonly pathStyle: boolean
}

export interface S3Parts extends S3Place, S3Credentials {
  readonly linkSeconds: number
  readonly now: () => number
  /** Longest wait for the storage when a link is asked for. */
  readonly timeoutMs: number
}

/** Images in an S3-compatible bucket. Links are presigned GETs which the bucket serves itself. */
export const s3Images = (parts: S3Parts): Images => {
  const { linkSeconds, now, timeoutMs } = parts
  const client = new AwsClient({
    accessKeyId: parts.accessKeyId,
    secretAccessKey: parts.secretAccessKey,
    ...(parts.sessionToken === undefined ? {} : { sessionToken: parts.sessionToken }),
    service: 's3',
    region: parts.region,
    // Its own retries wait up to a minute in all; `ask` below retries within the time limit.
    retries: 0,
  })
  const expiresSeconds = Math.max(1, Math.min(Math.floor(linkSeconds), expiresSecondsMax))
  const where = `The image storage at ${parts.endpoint}`

  const ask = async (url: string, request: AskedRequest, limitMs: number): Promise<Answer> => {
    const signal = AbortSignal.timeout(limitMs)
    const once = async (): Promise<Answer> => {
      const response = await client.fetch(url, {
        ...request,
        signal,
        // A redirect means another region or host; following it would drop the signature.
        redirect: 'manual',
        aws: { datetime: amzDate(now()) },
      })
      return { status: response.status, body: await response.text() }
    }
    try {
      return await once().catch((error: unknown) => {
        if (signal.aborted) throw error
        // A connection kept from earlier may have been closed by the other side meanwhile.
        return once()
      })
    } catch (cause) {
      const reason = signal.aborted ? `did not answer within ${limitMs} ms` : 'cannot be reached'
      throw new StorageUnavailable(`${where} ${reason}.`, { cause })
    }
  }

  const refusal = (what: string, { status, body }: Answer): StorageUnavailable => {
    const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1]
    const hint =
      status === 403
        ? ' Check the key, and that it may list the bucket: otherwise missing objects answer 403.'
        : status >= 300 && status < 400
          ? ' Check the region and the endpoint.'
          : ''
    return new StorageUnavailable(
      `${where} answered ${what} with ${code ? `${status} ${code}` : status}.${hint}`,
    )
  }

  return {
    origin: () => new URL(objectUrl(parts, '')).origin,

    async link(image): Promise<ImageLink | null> {
      const name = objectName(image)
      if (name === null) return null
      const url = objectUrl(parts, name)
      const headers = { 'x-amz-content-sha256': sha256(new Uint8Array()) }
      const answer = await ask(url, { method: 'HEAD', headers }, timeoutMs)
      if (answer.status === 404) return null
      if (answer.status !== 200) throw refusal('HEAD', answer)

      const query = new URLSearchParams({
        'response-content-type': contentType(image),
        'response-content-disposition': contentDisposition(image),
        'X-Amz-Expires': String(expiresSeconds),
      })
      const at = Math.floor(now() / 1000) * 1000
      const signed = await client.sign(`${url}?${query}`, {
        method: 'GET',
        aws: { signQuery: true, datetime: amzDate(at) },
      })
      return {
        // `+` for a space is a rule of forms, not of addresses, and not every storage knows it.
        url: signed.url.replaceAll('+', '%20'),
        expiresAt: new Date(at + expiresSeconds * 1000).toISOString(),
      }
    },

    async put(image, bytes): Promise<void> {
      const url = objectUrl(parts, requireObjectName(image))
      const headers = {
        'content-type': contentType(image),
        'content-disposition': contentDisposition(image),
        'x-amz-content-sha256': sha256(bytes),
      }
      const limitMs = timeoutMs + Math.ceil(bytes.byteLength / uploadBytesPerMsMin)
      const answer = await ask(url, { method: 'PUT', headers, body: bytes.slice() }, limitMs)
      if (answer.status < 200 || answer.status > 299) throw refusal('PUT', answer)
    },

    // Nothing is held: every request ends within its time limit.
    async close() {},
  }
}

/** SigV4 allows seven days. */
const expiresSecondsMax = 7 * 24 * 60 * 60

/** An upload slower than 100 kB/s counts as stuck. */
const uploadBytesPerMsMin = 100

interface AskedRequest {
  readonly method: 'HEAD' | 'PUT'
  readonly headers: Record<string, string>
  readonly body?: Uint8Array<ArrayBuffer>
}

interface Answer {
  readonly status: number
  readonly body: string
}

const objectUrl = ({ bucket, prefix, endpoint, pathStyle }: S3Place, name: string): string => {
  const { protocol, host, pathname } = new URL(endpoint)
  const base = pathname.replace(/\/$/, '')
  const key = `${prefix === '' ? '' : `${prefix}/`}${name}`.split('/').map(encodeRfc3986).join('/')
  return pathStyle
    ? `${protocol}//${host}${base}/${bucket}/${key}`
    : `${protocol}//${bucket}.${host}${base}/${key}`
}

/** `20260301T093000Z`, as SigV4 writes times. */
const amzDate = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/\.\d{3}/, '')
    .replace(/[:-]/g, '')

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
