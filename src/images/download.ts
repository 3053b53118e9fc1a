import { encodeRfc3986 } from '#s3'
import type { StoredImage } from './images.ts'

type Described = Pick<StoredImage, 'mimeType' | 'fileName'>

/** The `Content-Type` of an image, or plain bytes if its type is not valid in a header. */
export const contentType = ({ mimeType }: Pick<StoredImage, 'mimeType'>): string =>
  mimeTypePattern.test(mimeType) ? mimeType.toLowerCase() : 'application/octet-stream'

/** A type and subtype without parameters (RFC 6838, section 4.2). */
const mimeTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i

/**
 * The `Content-Disposition` of an image. Only image types that cannot contain scripts are shown
 * inline; anything else, including SVG and HTML, is downloaded.
 */
export const contentDisposition = (image: Described): string => {
  const way = shownInPlace.has(contentType(image)) ? 'inline' : 'attachment'
  const name = downloadName(image)
  const plain = name.replace(/[^\x20-\x7e]|["%]/gu, '_')
  const parameters = [`filename="${plain}"`]
  if (plain !== name) parameters.push(`filename*=UTF-8''${encodeRfc3986(name)}`)
  return [way, ...parameters].join('; ')
}

const shownInPlace: ReadonlySet<string> = new Set([
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
])

/**
 * The suggested file name: without folders and control characters, and short enough for headers and
 * URLs. Truncated at the front, to keep the extension.
 */
export const downloadName = ({ fileName }: Pick<StoredImage, 'fileName'>): string => {
  const clean = fileName.toWellFormed().replace(/[\p{Cc}\p{Cf}/\\]/gu, '_')
  return [...clean].slice(-nameLengthMax).join('') || 'image'
}

const nameLengthMax = 200
