import { createHash, hash } from 'node:crypto'

/** Makes entity tags, which change whenever the bytes of a response could. */
export interface Etags {
  /**
   * The tag of an answer that depends on nothing but the request and the state of the collections
   * behind it, so that it is known without reading a record.
   */
  of(brand: string, target: string, version: string): string
}

/** The secret keeps tags of one database from meaning anything in another. */
export const createEtags = (secret: string, release: string): Etags => {
  const salt = createHash('sha256').update(`etag ${secret} ${release}`).digest('base64url')
  return {
    of: (brand, target, version) =>
      hash('sha256', JSON.stringify([salt, brand, target, version]), 'base64url').slice(0, 22),
  }
}

/** The tag as a header, telling apart the encodings that the same answer can be sent in. */
export const etagHeader = (tag: string, encoding: string | null): string =>
  encoding ? `"${tag}.${encoding}"` : `"${tag}"`

/**
 * The tag by which If-None-Match names the answer, in whichever encoding the client has it.
 * Comparison is weak, as the standard asks for here.
 */
export const matchingEtag = (header: string | undefined, tag: string): string | undefined => {
  if (header === etagHeader(tag, null)) return header
  const names = [null, 'br', 'gzip'].map((encoding) => etagHeader(tag, encoding))
  const tags = header?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags?.find((each) => names.includes(each))
}

export const matchesEtag = (header: string | undefined, tag: string): boolean =>
  matchingEtag(header, tag) !== undefined

export const matchesAny = (header: string | undefined): boolean => header?.trim() === '*'
