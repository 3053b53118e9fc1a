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
  operationsOf,
} from '#contract'

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const feedDocument = JSON.parse(
  readFileSync(new URL('../../openapi.feed.json', import.meta.url), 'utf8'),
)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'openapi', ...document })
ajv.addSchema({ $id: 'feed', ...feedDocument })

const operations = operationsOf(catalog).map((operation) => ({
  ...operation,
  pattern: new RegExp(`^${basePath}${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

const feedPattern = new RegExp(`^${feedBasePath}${feedPath.replace('{brand}', '[^/]+')}$`)

export interface Checkable {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

/** Everything that the contract promises of every answer, whatever it is. */
export const assertAnswer = (method: string, url: string, answer: Checkable): void => {
  const [path = '', query = ''] = url.split('?')
  const { status, headers, text, body } = answer
  const where = `${method} ${url} → ${status} ${text.slice(0, 300)}`
  assert.ok(headers.get('x-request-id'), `${where} has no request id`)
  if (method === 'HEAD' || status === 304 || status === 204) assert.equal(text, '', where)
  if (status >= 400) {
    assertError(method, answer, where)
  }
  if (feedPattern.test(path)) assertFeed(method, answer, where)
  const operation = operations.find(({ pattern }) => pattern.test(path))
  if (!operation || (method !== 'GET' && method !== 'HEAD')) return
  const described = document.paths[operation.path].get.responses
  assert.ok(status in described || status === 503, `${where} is not a documented status`)
  if (status === 200 || status === 304) assertHeaders(answer, where)
  if (status !== 200 || method === 'HEAD') return
  const { schema } = described['200'].content['application/json']
  const validate = ajv.getSchema(`openapi${schema.$ref}`) as ValidateFunction
  assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
  const { resource, endpoint } = operation
  if (endpoint === 'content' || /(^|&)include=/.test(query)) return
  // Without include a record has exactly its fields, in the contract's order.
  const records = endpoint === 'list' ? (body as { items: object[] }).items : [body as object]
  for (const record of records) {
    assert.deepEqual(Object.keys(record), Object.keys(resource.fields), where)
  }
  if (endpoint === 'list') assertPage(answer, where)
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

const assertHeaders = ({ status, headers }: Checkable, where: string): void => {
  assert.match(headers.get('etag') ?? '', /^"[\w-]{22}(\.(br|gzip))?"$/, where)
  assert.match(headers.get('ratelimit-policy') ?? '', /^"default";q=\d+;w=\d+$/, where)
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/, where)
  assert.equal(headers.get('cache-control'), 'private, no-cache', where)
  assert.match(headers.get('vary') ?? '', /^Authorization, Accept-Encoding/, where)
  if (status === 200) {
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', where)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
    assert.match(headers.get('server-timing') ?? '', /admit;dur=/, where)
  }
}

const assertPage = ({ headers, body }: Checkable, where: string): void => {
  const { items, nextCursor, totalItems } = body as {
    items: unknown[]
    nextCursor: string | null
    totalItems: number
  }
  assert.ok(items.length <= totalItems, where)
  const link = headers.get('link')
  assert.equal(link === null, nextCursor === null, where)
  if (link !== null) assert.match(link, /^<\/[!-~]+>; rel="next"$/, where)
}

const assertError = (method: string, { status, headers, body }: Checkable, where: string): void => {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', where)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, where)
  if (status === 405) assert.equal(headers.get('allow'), 'GET, HEAD', where)
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/, where)
  if (method === 'HEAD') return
  const validate = ajv.getSchema('openapi#/components/schemas/Error') as ValidateFunction
  assert.ok(validate(body), where)
  const { errorCode } = body as { errorCode: ErrorCode }
  assert.ok(Object.hasOwn(errors, errorCode), where)
  assert.equal(errors[errorCode].status, status, where)
}
