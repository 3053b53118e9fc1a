/** Holds the bytes of an answer against the OpenAPI document of its API. */
import assert from 'node:assert/strict'
import {
  basePath,
  catalog,
  type ErrorCode,
  errors,
  ingestBasePath,
  type Operation,
  operationsOf,
} from '#contract'
import { assertSchema, type DescribedOperation, describedOperation } from './described-response.ts'

const operations = new Map(operationsOf(catalog).map((each) => [each.path, each]))

/** The operation that a path is of, if it is of any. */
export const operationAt = (path: string): Operation | undefined => {
  if (!path.startsWith(`${basePath}/brands/`)) return undefined
  const [brand, collection, id, ...more] = path.slice(basePath.length + 8).split('/')
  if (brand === '' || id === '') return undefined
  const parts = ['/brands/{brand}', collection, id === undefined ? undefined : '{id}', ...more]
  return operations.get(parts.filter((part) => part !== undefined).join('/'))
}

export interface Checkable {
  readonly status: number
  readonly headers: { get(name: string): string | null; keys(): Iterable<string> }
  readonly text: string
  readonly body: unknown
}

/** Everything that the contract promises of every answer, whatever it is. */
export const assertAnswer = (method: string, url: string, answer: Checkable): void => {
  const [path = '', query = ''] = url.split('?')
  const { status, headers, text } = answer
  const where = `${method} ${url} → ${status} ${text.slice(0, 300)}`
  assert.ok(headers.get('x-request-id'), `${where} has no request id`)
  if (method === 'HEAD' || status === 304 || status === 204) assert.equal(text, '', where)
  const described = describedOperation(method, path)
  if (status >= 400) assertError(method, path, answer, described, where)
  const operation = operationAt(path)
  const includes = /(^|&)include=/.test(query)
  const isRecords = operation && status === 200 && method !== 'HEAD'
  const type = headers.get('content-type') ?? ''
  if (described && !isStopping(answer)) {
    once(`${method} ${described.template} ${includes} ${status} ${type} ${text}`, () => {
      described.assertBody(answer, where)
      if (isRecords) assertRecords(operation, includes, answer, where)
    })
  }
  const isJson = type.startsWith('application/json')
  const isRead = described && !path.startsWith(`${ingestBasePath}/`)
  if (isRead && ((status === 200 && isJson) || status === 304)) assertHeaders(answer, where)
  if (!described || !operation) return
  assertHeaderNames(answer, operation, where)
  if (isRecords && operation.endpoint === 'list') assertLink(answer, where)
}

/** A server that starts or stops refuses every request, which no operation describes. */
const isStopping = ({ status, text }: Checkable): boolean =>
  status === 503 && text.includes('"not_ready"')

const hopByHop = ['date', 'connection', 'keep-alive', 'content-length']
const cors = ['access-control-allow-origin', 'access-control-expose-headers']
/** Of a request that belongs to a trace. */
const traced = ['traceparent']
const limit = ['ratelimit', 'ratelimit-policy']
const everywhere = ['x-content-type-options', 'cache-control', 'vary', 'x-request-id']
const good = [...everywhere, 'etag', ...limit]

/** For each status the headers that must be there, and those that may. */
const headerNames: { readonly [status: number]: { must: string[]; may: string[] } } = {
  200: {
    must: [...good, 'content-type', 'server-timing'],
    may: ['content-encoding', 'link', 'total-items'],
  },
  304: { must: good, may: [] },
  400: { must: [...everywhere, 'content-type'], may: limit },
  401: { must: [...everywhere, 'content-type', 'www-authenticate'], may: limit },
  404: { must: [...everywhere, 'content-type'], may: limit },
  429: { must: [...everywhere, 'content-type', 'retry-after'], may: limit },
  500: { must: [...everywhere, 'content-type'], may: [...limit, 'retry-after'] },
  503: { must: [...everywhere, 'content-type'], may: [...limit, 'retry-after'] },
}

const assertHeaderNames = (
  { status, headers }: Checkable,
  { endpoint }: Operation,
  where: string,
): void => {
  const { must = [], may = [] } = headerNames[status] ?? {}
  const names = new Set(headers.keys())
  for (const name of must) assert.ok(names.has(name), `${where} has no ${name}`)
  for (const name of [...must, ...may, ...hopByHop, ...cors, ...traced]) names.delete(name)
  assert.deepEqual([...names], [], where)
  if (endpoint !== 'list') assert.equal(headers.get('link'), null, where)
  const hasTotal = endpoint === 'list' && status === 200
  assert.equal(headers.get('total-items') !== null, hasTotal, where)
}

/** Bodies that were looked at; the same ones come again and again. */
const seen = new Set<string>()
const seenMax = 4_000

const once = (what: string, look: () => void): void => {
  if (seen.has(what)) return
  look()
  if (seen.size >= seenMax) seen.clear()
  seen.add(what)
}

const assertRecords = (
  { resource, endpoint }: Operation,
  includes: boolean,
  { body }: Checkable,
  where: string,
): void => {
  if (endpoint === 'content') return
  const records = endpoint === 'list' ? (body as { items: object[] }).items : [body as object]
  if (endpoint === 'list') {
    const { items, totalItems } = body as { items: unknown[]; totalItems: number }
    assert.ok(items.length <= totalItems, where)
  }
  if (includes) return
  // Without include a record has exactly its fields, in the contract's order.
  for (const record of records) {
    assert.deepEqual(Object.keys(record), Object.keys(resource.fields), where)
  }
}

const assertHeaders = ({ status, headers }: Checkable, where: string): void => {
  assert.match(headers.get('etag') ?? '', /^"[\w-]{22}(\.(br|gzip))?"$/, where)
  assert.match(headers.get('ratelimit-policy') ?? '', /^"default";q=\d+;w=\d+$/, where)
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/, where)
  assert.equal(headers.get('cache-control'), 'private, no-cache', where)
  assert.match(headers.get('vary') ?? '', /^Authorization, Accept-Encoding/, where)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
  if (status === 200) {
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', where)
    assert.match(headers.get('server-timing') ?? '', /admit;dur=/, where)
  }
}

const tail = /^"nextCursor":(null|"[^"]+"),"totalItems":(\d+)\}$/

/** There is a way to the next page exactly where there is a next page, and the total is the same. */
const assertLink = ({ headers, text }: Checkable, where: string): void => {
  const [, nextCursor, total] = tail.exec(text.slice(text.lastIndexOf('"nextCursor":'))) ?? []
  assert.ok(nextCursor, where)
  assert.equal(headers.get('total-items'), total, where)
  const link = headers.get('link')
  assert.equal(link === null, nextCursor === 'null', where)
  if (link === null) return
  assert.match(link, /^<\/[!-~]+>; rel="next"$/, where)
  assert.ok(link.includes(`cursor=${nextCursor.slice(1, -1)}`), where)
}

const assertError = (
  method: string,
  path: string,
  answer: Checkable,
  described: DescribedOperation | undefined,
  where: string,
): void => {
  const { status, headers, text } = answer
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', where)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
  const keeping = status === 400 || status === 404 ? 'private, no-cache' : 'no-store'
  assert.equal(headers.get('cache-control'), keeping, where)
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, where)
  const allowed =
    path.startsWith(ingestBasePath) && path.endsWith('/batches') ? 'POST' : 'GET, HEAD'
  if (status === 405) assert.equal(headers.get('allow'), allowed, where)
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/, where)
  if (method === 'HEAD') return
  once(`${status} ${text}`, () => {
    const body = answer.body as { errorCode: ErrorCode }
    // The document of an operation says more of its errors.
    if (!described) assertSchema(basePath, '#/components/schemas/Error', body, where)
    assert.ok(Object.hasOwn(errors, body.errorCode), where)
    assert.equal(errors[body.errorCode].status, status, where)
  })
}
