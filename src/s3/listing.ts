/** An object of a listing. */
export interface ListedObject {
  readonly name: string
  readonly etag: string
  readonly bytes: number
  readonly modifiedMs: number
}

/** Parses the response of ListObjectsV2. */
export const readListing = (
  xml: string,
): { readonly objects: readonly ListedObject[]; readonly next: string | undefined } => {
  const isEncoded = xml.includes('<EncodingType>url</EncodingType>')
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => {
    const key = textAt(content, 'Key') ?? ''
    return {
      // Form encoding: a plus is a space.
      name: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
      etag: textAt(content, 'ETag') ?? '',
      bytes: Number(textAt(content, 'Size') ?? 0),
      modifiedMs: Date.parse(textAt(content, 'LastModified') ?? '') || 0,
    }
  })
  return { objects, next: textAt(xml, 'NextContinuationToken') || undefined }
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
