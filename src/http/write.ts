import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, compress } from './compress.ts'
import { etagHeader, matchingEtag } from './etag.ts'
import { endStage, serverTiming, type Visit } from './visit.ts'

/** A successful answer before it is put on the wire. */
export interface Answer {
  readonly body: Buffer
  readonly tag: string
  readonly link?: string
}

const answerHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}

/** Sends an answer, compressed where the client takes it. */
export const writeAnswer = async (
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { body, tag, link }: Answer,
): Promise<FastifyReply> => {
  const encoding = chooseEncoding(request.headers['accept-encoding'], body.length)
  const payload = encoding ? await compress(body, encoding) : body
  endStage(visit, 'write')
  return reply
    .code(200)
    .headers({
      ...answerHeaders,
      etag: etagHeader(tag, encoding),
      ...(encoding && { 'content-encoding': encoding }),
      ...(link && { link }),
      'server-timing': serverTiming(visit),
      ...visit.headers,
    })
    .send(payload)
}

/** Says that what the client has is still current. */
export const writeNotModified = (
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  tag: string,
): FastifyReply => {
  const { 'content-type': _, ...headers } = answerHeaders
  // A cache finds what it holds by the tag it sent, which tells the encoding too.
  const etag = matchingEtag(request.headers['if-none-match'], tag) ?? etagHeader(tag, null)
  // The framework would add to a HEAD that the answer it stands for has no bytes.
  reply.hijack()
  reply.raw.writeHead(304, { ...headers, etag, ...visit.headers }).end()
  return reply
}
