/** Holds the bytes of an answer against openapi.json, with a validator the server knows nothing of. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  basePath,
  catalog,
  type ErrorCode,
  errors,
  feedBasePath,
  feedPath,
  type Operation,
  operationsOf,
  queryBasePath,
} from '#contract'

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const feedDocument = JSON.parse(
  readFileSync(new URL('../../connectors/openapi.feed.json', import.meta.url), 'utf8'),
)
// Its defaults take four times as long to compile the schemas, in every test file again.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  inlineRefs: false,
  code: { optimize: false },
})
addFormats.default(ajv)
ajv.addSchema({ $id: 'openapi', ...document })
ajv.addSchema({ $id: 'feed', ...feedDocument })

const operations = new Map(operationsOf(catalog).map((each) => [each.path, each]))

/** The operation that a path is of, if it is of any. */
export const operationAt = (path: string): Operation | undefined => {
  if (!path.startsWith(`${basePath}/brands/`)) return undefined
  const [brand, collection, id, ...more] = path.slice(basePath.length + 8).split('/')
  if (brand === '' || id === '') return undefined
  const parts = ['/brands/{brand}', collection, id === undefined ? undefined : '{id}', ...more]
  return operations.get(parts.filter((part) => part !== undefined).join('/'))
}

const feedPattern = new RegExp(`^${feedBasePath}${feedPath.replace('{brand}', '[^/]+')}$`)

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
  if (status >= 400) assertError(method, answer, where)
  if (feedPattern.test(path)) assertFeed(method, answer, where)
  if (path.startsWith(`${queryBasePath}/brands/`)) assertQuery(method, path, answer, where)
  const operation = operationAt(path)
  if (!operation || (method !== 'GET' && method !== 'HEAD')) return
  const described = document.paths[operation.path].get.responses
  assert.ok(status in described || status === 503, `${where} is not a documented status`)
  assertHeaderNames(answer, operation, where)
  if (status === 200 || status === 304) assertHeaders(answer, where)
  if (status !== 200 || method === 'HEAD') return
  const includes = /(^|&)include=/.test(query)
  once(`${operation.id} ${includes} ${text}`, () => {
    assertRecords(operation, includes, answer, where)
  })
  if (operation.endpoint === 'list') assertLink(answer, where)
}

const hopByHop = ['date', 'connection', 'keep-alive', 'content-length']
const cors = ['access-control-allow-origin', 'access-control-expose-headers']
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
  for (const name of [...must, ...may, ...hopByHop, ...cors]) names.delete(name)
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
  { resource, endpoint, path }: Operation,
  includes: boolean,
  { body }: Checkable,
  where: string,
): void => {
  const { schema } = document.paths[path].get.responses['200'].content['application/json']
  const validate = ajv.getSchema(`openapi${schema.$ref}`) as ValidateFunction
  assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
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

const assertFeed = (method: string, answer: Checkable, where: string): void => {
  if (method !== 'GET' && method !== 'HEAD') return
  const { status, body } = answer
  assert.ok(status in feedDocument.paths[feedPath].get.responses, where)
  if (status === 200 || status === 304) assertHeaders(answer, where)
  if (status !== 200 || method === 'HEAD') return
  const validate = ajv.getSchema('feed#/components/schemas/ChangesPage') as ValidateFunction
  assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
}

let queryDocument: typeof document

/** The document of the query API, which most tests have no use for. */
const loadQueryDocument = () => {
  if (queryDocument) return queryDocument
  const file = new URL('../../connectors/openapi.query.json', import.meta.url)
  queryDocument = JSON.parse(readFileSync(file, 'utf8'))
  ajv.addSchema({ $id: 'query', ...queryDocument })
  return queryDocument
}

const assertQuery = (method: string, path: string, answer: Checkable, where: string): void => {
  const template = path
    .slice(queryBasePath.length)
    .replace(/^\/brands\/[^/]+/, '/brands/{brand}')
    .replace(/\/[0-9a-f-]{36}(?=\/)/, '/{id}')
  const { paths, components } = loadQueryDocument()
  const described = paths[template]?.get.responses
  if (!described || (method !== 'GET' && method !== 'HEAD')) return
  const { status, body } = answer
  assert.ok(status in described, `${where} is not a documented status`)
  const ok = described['200']
  const { content } = ok.$ref ? components.responses[ok.$ref.split('/').at(-1)] : ok
  const reference = content['application/json']?.schema.$ref
  if (reference === undefined) return
  if (status === 200 || status === 304) assertHeaders(answer, where)
  if (status !== 200 || method === 'HEAD') return
  const validate = ajv.getSchema(`query${reference}`) as ValidateFunction
  assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
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

const assertError = (method: string, answer: Checkable, where: string): void => {
  const { status, headers, text } = answer
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', where)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
  const keeping = status === 400 || status === 404 ? 'private, no-cache' : 'no-store'
  assert.equal(headers.get('cache-control'), keeping, where)
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, where)
  if (status === 405) assert.equal(headers.get('allow'), 'GET, HEAD', where)
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/, where)
  if (method === 'HEAD') return
  once(`${status} ${text}`, () => {
    const validate = ajv.getSchema('openapi#/components/schemas/Error') as ValidateFunction
    const body = answer.body as { errorCode: ErrorCode }
    assert.ok(validate(body), where)
    assert.ok(Object.hasOwn(errors, body.errorCode), where)
    assert.equal(errors[body.errorCode].status, status, where)
  })
}
