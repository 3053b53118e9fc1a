import { createS3Client, objectUrl, type S3Credentials, type S3Place } from '#s3'
import { contentDisposition, contentType } from './download.ts'
import {
  type ImageLink,
  type Images,
  isImageId,
  objectName,
  requireBrandName,
  requireObjectName,
} from './images.ts'

export interface S3Parts extends S3Place, S3Credentials {
  readonly linkSeconds: number
  readonly now: () => number
  /** Time limit for requests to the storage when a link is requested. */
  readonly timeoutMs: number
}

/**
 * Images in an S3-compatible bucket. Links are presigned GETs that the bucket serves itself. Its
 * endpoint is part of every link, so clients must be able to reach it.
 */
export const s3Images = (parts: S3Parts): Images => {
  const { linkSeconds, now } = parts
  const client = createS3Client({ ...parts, what: 'The image storage' })
  const expiresSeconds = Math.max(1, Math.min(Math.floor(linkSeconds), expiresSecondsMax))

  return {
    origin: () => new URL(objectUrl(parts, '')).origin,

    async link(image): Promise<ImageLink | null> {
      const name = objectName(image)
      if (name === null || (await client.head(name)) === null) return null
      const at = Math.floor(now() / 1000) * 1000
      const parameters = {
        'response-content-type': contentType(image),
        'response-content-disposition': contentDisposition(image),
        'X-Amz-Expires': String(expiresSeconds),
      }
      return {
        url: await client.sign(name, parameters, at),
        expiresAt: new Date(at + expiresSeconds * 1000).toISOString(),
      }
    },

    async put(image, bytes): Promise<void> {
      await client.put(requireObjectName(image), bytes.slice(), {
        'content-type': contentType(image),
        'content-disposition': contentDisposition(image),
      })
    },

    async *ids(brand): AsyncIterable<readonly string[]> {
      for await (const objects of client.list(`${requireBrandName(brand)}/`)) {
        const ids = objects.map(({ name }) => name).filter(isImageId)
        if (ids.length > 0) yield ids
      }
    },

    remove: async (image) => client.remove(requireObjectName(image)),

    // Nothing to close: every request ends within its time limit.
    async close() {},
  }
}

/** The maximum of SigV4: seven days. */
const expiresSecondsMax = 7 * 24 * 60 * 60
