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
  /** The first part of every object name, without slashes at its ends; may be empty. */
  readonly prefix: string
  /** Such as `http://127.0.0.1:9000`. It is part of every link, so clients must be able to reach it. */
  readonly endpoint: string
  readonly region: string
  /** `endpoint/bucket/object` when true, `bucket.endpoint/object` otherwise. */
  readonly pathStyle: boolean
}

export interface S3Parts extends S3Place, S3Credentials {
  readonly linkSeconds: number
  readonly now: () => number
  /** How long to wait for the storage when a link is requested. */
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
    // Its own retries wait up to a minute in total; `send` below retries within the time limit.
    retries: 0,
  })
  const expiresSeconds = Math.max(1, Math.min(Math.floor(linkSeconds), expiresSecondsMax))
  const where = `The image storage at ${parts.endpoint}`

  const send = async (url: string, request: S3Request, limitMs: number): Promise<S3Response> => {
    const signal = AbortSignal.timeout(limitMs)
    const sendOnce = async (): Promise<S3Response> => {
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
      return await sendOnce().catch((error: unknown) => {
        if (signal.aborted) throw error
        // A kept-alive connection may have been closed by the storage: try once more.
        return sendOnce()
      })
    } catch (cause) {
      const reason = signal.aborted ? `did not respond within ${limitMs} ms` : 'cannot be reached'
      throw new StorageUnavailable(`${where} ${reason}.`, { cause })
    }
  }

  const unexpected = (method: string, { status, body }: S3Response): StorageUnavailable => {
    const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1]
    const hint =
      status === 403
        ? ' Check the access key, and that it is allowed to list the bucket: otherwise missing objects give 403.'
        : status >= 300 && status < 400
          ? ' Check the region and the endpoint.'
          : ''
    return new StorageUnavailable(
      `${where} responded to ${method} with ${code ? `${status} ${code}` : status}.${hint}`,
    )
  }

  return {
    origin: () => new URL(objectUrl(parts, '')).origin,

    async link(image): Promise<ImageLink | null> {
      const name = objectName(image)
      if (name === null) return null
      const url = objectUrl(parts, name)
      const headers = { 'x-amz-content-sha256': sha256(new Uint8Array()) }
      const response = await send(url, { method: 'HEAD', headers }, timeoutMs)
      if (response.status === 404) return null
      if (response.status !== 200) throw unexpected('HEAD', response)

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
        // `+` for a space is valid in forms, not in URLs, and not every storage accepts it.
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
      const response = await send(url, { method: 'PUT', headers, body: bytes.slice() }, limitMs)
      if (response.status < 200 || response.status > 299) throw unexpected('PUT', response)
    },

    // There is nothing to close: every request ends within its time limit.
    async close() {},
  }
}

/** SigV4 allows seven days. */
const expiresSecondsMax = 7 * 24 * 60 * 60

/** An upload slower than 100 kB/s counts as stuck. */
const uploadBytesPerMsMin = 100

interface S3Request {
  readonly method: 'HEAD' | 'PUT'
  readonly headers: Record<string, string>
  readonly body?: Uint8Array<ArrayBuffer>
}

interface S3Response {
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
