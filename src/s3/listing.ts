/** An object of a listing. */
export interface ListedObject {
  readonly name: string
  readonly etag: string
  readonly bytes: number
  readonly modifiedMs: number
}

/** Parses the response of ListObjectsV2. Throws for a name that is not percent-encoded properly. */
export const readListing = (
  xml: string,
): { readonly objects: readonly ListedObject[]; readonly next: string | undefined } => {
  const isEncoded = xml.includes('<EncodingType>url</EncodingType>')
  const objects = elements(xml, 'Contents').map((content) => {
    const key = textAt(content, 'Key') ?? ''
    return {
      name: isEncoded ? decodeKey(key) : key,
      etag: textAt(content, 'ETag') ?? '',
      bytes: Number(textAt(content, 'Size') ?? 0),
      modifiedMs: Date.parse(textAt(content, 'LastModified') ?? '') || 0,
    }
  })
  return { objects, next: textAt(xml, 'NextContinuationToken') || undefined }
}

/** Form encoding: a plus is a space. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '))

/** Parses the response of CreateMultipartUpload. */
export const readUploadId = (xml: string): string | undefined => textAt(xml, 'UploadId')

/** Parses the response of ListMultipartUploads. Throws like `readListing`. */
export const readUploads = (
  xml: string,
): readonly { readonly key: string; readonly id: string; readonly begunMs: number }[] => {
  const isEncoded = xml.includes('<EncodingType>url</EncodingType>')
  return elements(xml, 'Upload').map((upload) => {
    const key = textAt(upload, 'Key') ?? ''
    return {
      key: isEncoded ? decodeKey(key) : key,
      id: textAt(upload, 'UploadId') ?? '',
      begunMs: Date.parse(textAt(upload, 'Initiated') ?? '') || 0,
    }
  })
}

/** By search, not by a pattern: one would search for the end of each unclosed element again. */
const elements = (xml: string, element: string): readonly string[] => {
  const contents: string[] = []
  for (let end = 0; ; ) {
    const from = xml.indexOf(`<${element}>`, end)
    end = from < 0 ? -1 : xml.indexOf(`</${element}>`, from)
    if (end < 0) return contents
    contents.push(xml.slice(from + element.length + 2, end))
  }
}

const textAt = (xml: string, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1]?.replace(/&(#?\w+);/g, character)

const named: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** The character of an XML character reference. */
const character = (reference: string, name: string): string => {
  if (!name.startsWith('#')) return named[name] ?? reference
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference
}
