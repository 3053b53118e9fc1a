import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { type ListedObject, readListing, readUploadId, readUploads } from './listing.ts'
import {
  bucketUrl,
  encodeKey,
  objectKey,
  objectUrl,
  type S3Credentials,
  type S3Place,
} from './place.ts'

/** The storage cannot be reached, rejects our requests, or is too slow. The cause is for the log. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}

export interface S3ClientParts extends S3Place, S3Credentials {
  /** The name of the storage in messages: `The image storage`. */
  readonly what: string
  readonly now: () => number
  /** Time limit for a response. */
  readonly timeoutMs: number
}

/** Metadata of an object. */
export interface S3Object {
  readonly etag: string
  readonly bytes: number
  readonly modifiedMs: number
  /** Its content type and metadata headers. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The objects below a prefix, by name. Every function throws `StorageUnavailable`. A request is
 * retried once if the connection breaks, so a request that is reported as failed may have been
 * executed.
 */
export interface S3Client {
  /** Null if the object is missing. */
  head(name: string): Promise<S3Object | null>
  /** Streams an object; null if it is missing. */
  get(name: string): Promise<(S3Object & { readonly body: AsyncIterable<Uint8Array> }) | null>
  put(
    name: string,
    body: Uint8Array<ArrayBuffer> | Blob,
    headers: Readonly<Record<string, string>>,
  ): Promise<void>
  /** Begins an object that is uploaded in parts. It exists once it is completed. */
  upload(name: string, headers: Readonly<Record<string, string>>): Promise<S3Upload>
  /** Uploads below a name that were begun and neither completed nor aborted, up to 1,000. */
  uploads(name: string): Promise<readonly S3Upload[]>
  /** Copies an object with other headers. False if it is missing or has changed. */
  copy(
    from: string,
    to: string,
    source: S3Object,
    headers: Readonly<Record<string, string>>,
  ): Promise<boolean>
  /** Deletes an object; with an ETag, only that content. Does nothing if it is missing. */
  remove(name: string, etag?: string): Promise<void>
  /** Objects below a name, in pages of up to 1,000. A delimiter excludes names that contain it. */
  list(name: string, delimiter?: string): AsyncIterable<readonly ListedObject[]>
  /** A URL that works without credentials. */
  sign(name: string, parameters: Readonly<Record<string, string>>, at: number): Promise<string>
}

/** An object that is uploaded in parts. */
export interface S3Upload {
  readonly name: string
  readonly begunMs: number
  /** Adds a part: 5 MiB to 5 GiB, of the same size except the last; at most 10,000. */
  add(part: Uint8Array<ArrayBuffer>): Promise<void>
  complete(): Promise<void>
  /** Removes the parts. Does nothing if the upload is completed. */
  abort(): Promise<void>
}

export const createS3Client = (parts: S3ClientParts): S3Client => {
  const { now, timeoutMs } = parts
  const client = new AwsClient({
    accessKeyId: parts.accessKeyId,
    secretAccessKey: parts.secretAccessKey,
    ...(parts.sessionToken === undefined ? {} : { sessionToken: parts.sessionToken }),
    service: 's3',
    region: parts.region,
    // The library's retries wait up to a minute in total; `send` below retries within the time
    // limit.
    retries: 0,
  })
  const where = `${parts.what} at ${parts.endpoint}`

  const failure = (isLate: boolean, limitMs: number, cause: unknown): StorageUnavailable => {
    const reason = isLate ? `did not respond within ${limitMs} ms` : 'cannot be reached'
    return new StorageUnavailable(`${where} ${reason}.`, { cause })
  }

  /** Sends a request, and lets the caller read the response within the time limit. */
  const send = async <T>(
    { url, limitMs = timeoutMs, ...request }: S3Request,
    read: (response: Response, late: AbortController) => Promise<T>,
  ): Promise<T> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limitMs)
    const sendOnce = async (): Promise<T> =>
      read(
        await client.fetch(url, {
          ...request,
          headers: { 'x-amz-content-sha256': emptySha256, ...request.headers },
          signal: late.signal,
          // A redirect means another region or host; following it would drop the signature.
          redirect: 'manual',
          aws: { datetime: amzDate(now()) },
        }),
        late,
      )
    try {
      return await sendOnce().catch((error: unknown) => {
        if (late.signal.aborted || error instanceof StorageUnavailable) throw error
        // The storage may have closed a kept-alive connection: retry once.
        return sendOnce()
      })
    } catch (cause) {
      if (cause instanceof StorageUnavailable) throw cause
      throw failure(late.signal.aborted, limitMs, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Streams a body. The time limit applies to each chunk. */
  async function* pieces(body: ReadableStream<Uint8Array>, late: AbortController) {
    const reader = body.getReader()
    try {
      for (;;) {
        const timer = setTimeout(() => late.abort(), timeoutMs)
        const piece = await reader.read().finally(() => clearTimeout(timer))
        if (piece.done) return
        yield piece.value
      }
    } catch (cause) {
      throw failure(late.signal.aborted, timeoutMs, cause)
    } finally {
      // Cancels the rest of a body that is not read to its end.
      await reader.cancel().catch(() => undefined)
    }
  }

  const exchange = (request: S3Request): Promise<S3Response> =>
    send(request, async (response) => ({
      status: response.status,
      headers: response.headers,
      body: await boundedText(response),
    }))

  /** Some storages reject the signature of a bucket URL with a trailing slash. */
  const bucketAddress = (): string => bucketUrl(parts).replace(/(?<=[^/]\/[^/]+)\/$/, '')

  const readPage = <T>(read: () => T): T => {
    try {
      return read()
    } catch (cause) {
      throw new StorageUnavailable(`${where} sent a listing that is not valid.`, { cause })
    }
  }

  /** A text without end would fill the memory. */
  const boundedText = async (response: Response): Promise<string> => {
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of response.body ?? []) {
      bytes += piece.length
      if (bytes > textBytesMax) {
        throw new StorageUnavailable(
          `${where} sent more than ${textBytesMax.toLocaleString('en')} bytes in one response.`,
        )
      }
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString()
  }

  const unexpected = (method: string, response: Pick<S3Response, 'status' | 'body'>) => {
    const { status, body } = response
    const code = /<Code>(\w{1,100})<\/Code>/.exec(body)?.[1]
    return new StorageUnavailable(
      `${where} responded to ${method} with ${code ? `${status} ${code}` : status}.${hintFor(status, code)}`,
    )
  }

  const uploadOf = (name: string, id: string, begunMs: number): S3Upload => {
    const etags: string[] = []
    const url = (query: Readonly<Record<string, string>>) =>
      `${objectUrl(parts, name)}?${queryOf({ ...query, uploadId: id })}`
    return {
      name,
      begunMs,
      add: async (part) => {
        const response = await exchange({
          method: 'PUT',
          url: url({ partNumber: String(etags.length + 1) }),
          headers: { 'x-amz-content-sha256': await sha256Of(part) },
          body: part,
          limitMs: timeoutMs + Math.ceil(part.byteLength / bytesPerMsMin),
        })
        if (!isDone(response)) throw unexpected('PUT', response)
        etags.push(response.headers.get('etag') ?? '')
      },
      complete: async () => {
        const body = Buffer.from(completionXml(etags))
        const response = await exchange({
          method: 'POST',
          url: url({}),
          headers: { 'x-amz-content-sha256': await sha256Of(body) },
          body,
          // The storage puts the parts together.
          limitMs: completionMs,
        })
        // One that fails after its response has started has status 200.
        if (!isDone(response) || response.body.includes('<Error>')) {
          throw unexpected('POST', response)
        }
      },
      abort: async () => {
        const response = await exchange({ method: 'DELETE', url: url({}) })
        if (!isDone(response) && response.status !== 404) throw unexpected('DELETE', response)
      },
    }
  }

  return {
    head: async (name) => {
      const response = await exchange({ method: 'HEAD', url: objectUrl(parts, name) })
      if (response.status === 404) return null
      if (response.status !== 200) throw unexpected('HEAD', response)
      return objectOf(response.headers)
    },

    get: async (name) => {
      const request: S3Request = { method: 'GET', url: objectUrl(parts, name) }
      const response = await send(request, async (each, late) => {
        if (each.status === 200 && each.body) {
          return { ...objectOf(each.headers), body: pieces(each.body, late) }
        }
        return { refusal: { status: each.status, body: await boundedText(each) } }
      })
      if (!('refusal' in response)) return response
      if (response.refusal.status === 404) return null
      throw unexpected('GET', response.refusal)
    },

    put: async (name, body, headers) => {
      const bytes = body instanceof Blob ? body.size : body.byteLength
      const response = await exchange({
        method: 'PUT',
        url: objectUrl(parts, name),
        headers: { 'x-amz-content-sha256': await sha256Of(body), ...headers },
        body,
        limitMs: timeoutMs + Math.ceil(bytes / bytesPerMsMin),
      })
      if (!isDone(response)) throw unexpected('PUT', response)
    },

    upload: async (name, headers) => {
      const response = await exchange({
        method: 'POST',
        url: `${objectUrl(parts, name)}?uploads=`,
        headers,
      })
      const id = readUploadId(response.body)
      if (!isDone(response) || id === undefined) throw unexpected('POST', response)
      return uploadOf(name, id, now())
    },

    uploads: async (name) => {
      const prefix = objectKey(parts, name)
      const query = queryOf({ uploads: '', 'encoding-type': 'url', prefix })
      const response = await exchange({ method: 'GET', url: `${bucketAddress()}?${query}` })
      if (response.status !== 200) throw unexpected('GET', response)
      return readPage(() => readUploads(response.body))
        .filter(({ key }) => key.startsWith(objectKey(parts, '')))
        .map(({ key, id, begunMs }) =>
          uploadOf(key.slice(objectKey(parts, '').length), id, begunMs),
        )
    },

    copy: async (from, to, source, headers) => {
      const response = await exchange({
        method: 'PUT',
        url: objectUrl(parts, to),
        headers: {
          ...headers,
          'x-amz-copy-source': `/${parts.bucket}/${encodeKey(objectKey(parts, from))}`,
          'x-amz-copy-source-if-match': source.etag,
          'x-amz-metadata-directive': 'REPLACE',
        },
        limitMs: timeoutMs + Math.ceil(source.bytes / bytesPerMsMin),
      })
      if (isChanged(response)) return false
      // A copy that fails after its response has started has status 200.
      if (!isDone(response) || response.body.includes('<Error>')) throw unexpected('PUT', response)
      return true
    },

    remove: async (name, etag) => {
      const request: S3Request = { method: 'DELETE', url: objectUrl(parts, name) }
      const response = await exchange(
        etag ? { ...request, headers: { 'if-match': etag } } : request,
      )
      const isKept = response.status === 404 || (etag !== undefined && isChanged(response))
      if (!isDone(response) && !isKept) throw unexpected('DELETE', response)
    },

    async *list(name, delimiter) {
      const prefix = objectKey(parts, name)
      let token: string | undefined
      do {
        const query = {
          'list-type': '2',
          'encoding-type': 'url',
          prefix,
          ...(delimiter !== undefined && { delimiter }),
          ...(token !== undefined && { 'continuation-token': token }),
        }
        const url = `${bucketAddress()}?${queryOf(query)}`
        const response = await exchange({ method: 'GET', url })
        if (response.status !== 200) throw unexpected('GET', response)
        const page = readPage(() => readListing(response.body))
        yield page.objects
          .filter(({ name: key }) => key.startsWith(prefix))
          .map((object) => ({ ...object, name: object.name.slice(prefix.length) }))
        token = page.next
      } while (token)
    },

    sign: async (name, parameters, at) => {
      const url = `${objectUrl(parts, name)}?${queryOf(parameters)}`
      const signed = await client.sign(url, {
        method: 'GET',
        aws: { signQuery: true, datetime: amzDate(at) },
      })
      // The signer encodes it again.
      return signed.url.replaceAll('+', '%20')
    },
  }
}

/** A page of a listing has 1,000 keys of up to 1,024 bytes, which encoding makes three times as long. */
const textBytesMax = 16 * 1_024 * 1_024

/** A transfer below 100 kB/s counts as stuck. */
const bytesPerMsMin = 100

const completionMs = 600_000

/** `+` for a space is valid in forms, not in URLs, and some storages reject it. */
const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams(parameters).toString().replaceAll('+', '%20')

const completionXml = (etags: readonly string[]): string => {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}

interface S3Request {
  readonly method: 'HEAD' | 'PUT' | 'GET' | 'DELETE' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | Blob
  readonly limitMs?: number
}

interface S3Response {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const isDone = ({ status }: S3Response): boolean => status >= 200 && status <= 299

/** The object is missing, or does not match the ETag. */
const isChanged = ({ status, body }: S3Response): boolean =>
  (status === 404 && !body.includes('<Code>NoSuchBucket</Code>')) ||
  status === 412 ||
  (status === 409 && body.includes('Conflict'))

const hintFor = (status: number, code: string | undefined): string => {
  if (status === 403) {
    return ' Check the access key, and that it is allowed to list the bucket: otherwise missing objects give 403.'
  }
  if (status >= 300 && status < 400) return ' Check the region and the endpoint.'
  if (code === 'NoSuchBucket') return ' Check the name of the bucket, or create it.'
  return ''
}

const objectOf = (headers: Headers): S3Object => ({
  etag: headers.get('etag') ?? '',
  bytes: Number(headers.get('content-length') ?? 0),
  modifiedMs: Date.parse(headers.get('last-modified') ?? '') || 0,
  headers: Object.fromEntries(
    [...headers].filter(([name]) => name === 'content-type' || name.startsWith('x-amz-meta-')),
  ),
})

/** `20260301T093000Z`, the time format of SigV4. */
const amzDate = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/\.\d{3}/, '')
    .replace(/[:-]/g, '')

const sha256Of = async (body: Uint8Array | Blob): Promise<string> => {
  const hash = createHash('sha256')
  if (!(body instanceof Blob)) return hash.update(body).digest('hex')
  for await (const piece of body.stream()) hash.update(piece)
  return hash.digest('hex')
}

const emptySha256 = createHash('sha256').digest('hex')
