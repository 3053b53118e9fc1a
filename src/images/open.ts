import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readS3Url, type S3Credentials, type S3Place, shownUrl } from '#s3'
import { folderImages } from './folder.ts'
import type { Images } from './images.ts'
import { s3Images } from './s3.ts'

export interface ImagesParts {
  /** Signs the links of a folder; 16 characters or more. Not used with a bucket. */
  readonly secret: string
  /** The public URL of this server, for the links of a folder. */
  readonly baseUrl: () => string
  readonly linkSeconds: number
  readonly now: () => number
  /** Time limit for requests to a bucket. */
  readonly timeoutMs: number
  /** Required for a bucket. */
  readonly credentials?: S3Credentials
}

/**
 * Opens the storage at a URL: `file:./data/images` (relative to the working directory, or absolute)
 * or `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true`. Throws
 * an Error with a sentence for the operator. Contacts nothing yet.
 */
export const openImages = (url: string, parts: ImagesParts): Images => {
  const place = readImagesUrl(url)
  if ('problem' in place) {
    const address = JSON.stringify(shownUrl(url))
    throw new Error(`The image storage address ${address} ${place.problem}.`)
  }
  const { secret, baseUrl, linkSeconds, now, timeoutMs, credentials } = parts
  if ('folder' in place) return folderImages({ ...place, secret, baseUrl, linkSeconds, now })
  if (!credentials?.accessKeyId || !credentials.secretAccessKey) {
    throw new Error(
      `The image storage s3://${place.bucket} needs an access key id and a secret access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  }
  return s3Images({ ...place, ...credentials, linkSeconds, now, timeoutMs })
}

/** The problem with an image storage URL, as a predicate for its name; undefined if it is valid. */
export const checkImagesUrl = (url: string): string | undefined => {
  const place = readImagesUrl(url)
  return 'problem' in place ? place.problem : undefined
}

/** The folder of an image storage URL; null if it has none. */
export const imagesFolderOf = (url: string): string | null => {
  const place = readImagesUrl(url)
  return 'folder' in place ? place.folder : null
}

type Place = { readonly folder: string } | S3Place | { readonly problem: string }

const readImagesUrl = (url: string): Place => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === 'file') return readFileUrl(url)
  if (scheme === 's3') return readS3Url(url)
  return problem('must begin with file: or s3://, such as file:./data/images')
}

const problem = (reason: string): { readonly problem: string } => ({ problem: reason })

/** URLs have no relative folders (`file:./a` would be `/a`), so this parses them itself. */
const readFileUrl = (url: string): Place => {
  const rest = url.slice('file:'.length)
  if (/[?#]/.test(rest)) return problem('must not have parameters: a file: address is a folder')
  if (rest === '') return problem('does not name a folder')
  try {
    const folder = rest.startsWith('//') ? fileURLToPath(url) : resolve(decodeURIComponent(rest))
    return folder.includes('\0') ? problem('is not a folder') : { folder }
  } catch {
    return problem('is not a folder on this machine')
  }
}
