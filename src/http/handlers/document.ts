import { hash } from 'node:crypto'
import type { Handler } from '../handler.ts'
import { encodeOnce, matchesAny, matchesEtag } from '../response.ts'

/** A document that does not change while the process runs, such as an OpenAPI description. */
export const documentHandler = (body: Buffer, contentType?: string): Handler => {
  const tag = hash('sha256', body, 'base64url').slice(0, 22)
  const encode = encodeOnce({
    body: [body],
    tag,
    ...(contentType !== undefined && { contentType }),
  })
  return ({ ctx: { headers } }) =>
    matchesEtag(headers.ifNoneMatch, tag) || matchesAny(headers.ifNoneMatch)
      ? { notModified: tag }
      : encode(headers.acceptEncoding)
}
