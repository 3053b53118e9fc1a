/** The requests sent to both servers besides generated ones. */
import { METHODS } from 'node:http'
import {
  basePath,
  catalog,
  feedBasePath,
  type Operation,
  operationsOf,
  referencesOf,
} from '#contract'
import { brands, pathOf, shared, story } from '../../test/support/brands.ts'
import { wireOf } from '../../test/support/wire.ts'
import type { BodyKind } from './compare.ts'
import { demoBrand, type ReplayKeys } from './data.ts'

export interface ReplayRequest {
  readonly method: string
  readonly target: string
  readonly wire: string
  readonly kind: BodyKind
  /** Differences are reported together for requests with the same group. */
  readonly group: string
}

type Headers = { readonly [name: string]: string }

/** An allowed CORS origin of both servers. */
export const allowedOrigin = 'https://example.com'

let addresses = 0

/** A new client address for each request, so that failures of others do not cause refusals. */
const nextAddress = (): string => {
  addresses += 1
  return `fd01:0:${(addresses >> 16).toString(16)}:${(addresses & 65_535).toString(16)}::1`
}

const request = (
  group: string,
  method: string,
  target: string,
  headers: Headers = {},
  { kind = 'records', body = '' }: { readonly kind?: BodyKind; readonly body?: string } = {},
): ReplayRequest => {
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const bytes = Buffer.from(body).toString('latin1')
  const address = { 'X-Forwarded-For': nextAddress() }
  const wire = `${wireOf(method, target, { ...address, ...headers, ...length })}${bytes}`
  return { group, method, target, wire, kind }
}

const idOf = ({ resource }: Operation): string => {
  const [first] = story[resource.path] ?? shared[resource.path] ?? []
  return String(first?.[resource.key[0] ?? 'id'])
}

const kindOf = ({ endpoint }: Operation): BodyKind =>
  endpoint === 'content' ? 'image link' : 'records'

/** Every operation with each method, encoding, condition, origin and HTTP parameter. */
export function* operationRequests({ of: keys }: ReplayKeys): Iterable<ReplayRequest> {
  const authorization = { Authorization: `Bearer ${keys.global}` }
  const variants: readonly Headers[] = [
    {},
    { 'Accept-Encoding': 'gzip' },
    { 'Accept-Encoding': 'br' },
    { 'Accept-Encoding': 'gzip;q=0.5, br;q=0.4, identity;q=0' },
    { 'If-None-Match': '*' },
    { 'If-None-Match': '"AAAAAAAAAAAAAAAAAAAAAA"', 'Accept-Encoding': 'gzip' },
    { Origin: allowedOrigin },
    { Origin: 'https://other.example', 'X-Request-Id': 'mine-1' },
    { Range: 'bytes=0-9', 'If-Modified-Since': 'Wed, 21 Oct 2099 07:28:00 GMT' },
  ]
  for (const operation of operationsOf(catalog)) {
    const kind = kindOf(operation)
    const target = pathOf(operation, 'aldermoor', idOf(operation))
    const name = `operation ${operation.endpoint}`
    for (const variant of variants) {
      for (const method of ['GET', 'HEAD']) {
        yield request(name, method, target, { ...authorization, ...variant }, { kind })
      }
    }
    for (const parameters of [
      '?',
      '?limit=2',
      '?limit=0',
      '?include=x',
      '?cursor=x',
      '?x=1',
      '?%',
    ]) {
      yield request(name, 'GET', target + parameters, authorization, { kind })
    }
    // A path with an escaped letter is the same path.
    const escaped = target.replace('/aldermoor', '/%61ldermoor')
    yield request(name, 'GET', escaped, authorization, { kind })
    yield request(name, 'GET', `${target}/`, authorization, { kind })
    yield request(name, 'GET', pathOf(operation, demoBrand, idOf(operation)), authorization, {
      kind,
    })
    yield request(name, 'GET', target)
    for (const method of METHODS.filter((each) => !['GET', 'HEAD', 'CONNECT'].includes(each))) {
      yield request('operation by other methods', method, target, authorization)
    }
    const preflight = { Origin: allowedOrigin, 'Access-Control-Request-Method': 'GET' }
    yield request('preflight', 'OPTIONS', target, preflight)
  }
}

const plainPaths: readonly (readonly [path: string, kind: BodyKind])[] = [
  ['/healthz', 'records'],
  ['/readyz', 'records'],
  ['/whoami', 'records'],
  ['/llms.txt', 'document'],
  [`${basePath}/openapi.json`, 'document'],
  [`${feedBasePath}/openapi.json`, 'document'],
  ['/', 'built file'],
  ['/index.html', 'built file'],
  ['/docs', 'built file'],
  ['/docs.html', 'built file'],
  ['/favicon.ico', 'built file'],
  ['/assets/none.js', 'built file'],
  ['/assets/', 'built file'],
  ['/assets/../index.html', 'built file'],
  ['/assets/%2e%2e/index.html', 'built file'],
  ['/mcp', 'records'],
  ['/metrics', 'records'],
  ['/files/images/none', 'records'],
  [`/files/images/aldermoor/${'0'.repeat(8)}?expires=1&signature=x`, 'records'],
  [basePath, 'records'],
  [`${basePath}/brands`, 'records'],
  [`${basePath}/brands/`, 'records'],
  ['/api', 'records'],
  ['*', 'records'],
]

/** Other paths, with every method, with and without a key. */
export function* plainRequests(
  keys: ReplayKeys,
  files: readonly string[],
): Iterable<ReplayRequest> {
  const authorization = { Authorization: `Bearer ${keys.of.aldermoor}` }
  const variants: readonly Headers[] = [
    {},
    authorization,
    { ...authorization, 'Accept-Encoding': 'gzip' },
    { 'Accept-Encoding': 'br, gzip' },
    { 'If-None-Match': '*' },
    { Origin: allowedOrigin },
    { Range: 'bytes=0-9' },
    { Accept: 'text/html' },
  ]
  const paths = [...plainPaths, ...files.map((file) => [file, 'built file'] as const)]
  for (const [path, kind] of paths) {
    for (const variant of variants) {
      for (const method of ['GET', 'HEAD']) yield request(path, method, path, variant, { kind })
    }
    yield request(path, 'GET', `${path}?x=1`, authorization, { kind })
    for (const method of METHODS.filter((each) => !['GET', 'HEAD', 'CONNECT'].includes(each))) {
      yield request(`${path} by other methods`, method, path, authorization)
    }
  }
  for (const key of [...keys.all, 'x', 'sk_x', `${keys.of.global}x`]) {
    yield request('/whoami', 'GET', '/whoami', { Authorization: `Bearer ${key}` })
    yield request('/whoami', 'GET', '/whoami', { Authorization: `bearer  ${key}` })
    yield request('/whoami', 'GET', '/whoami', { Authorization: key })
  }
}

/** First pages of the change feed, and its errors. The responses lead to further pages. */
export function* feedRequests({ of: keys }: ReplayKeys): Iterable<ReplayRequest> {
  const read = (brand: string, query: string, headers: Headers = {}, method = 'GET') =>
    request('feed', method, `${feedBasePath}/brands/${brand}/changes${query}`, {
      Authorization: `Bearer ${keys.global}`,
      ...headers,
    })
  for (const brand of [...brands, demoBrand, 'nobody', 'ALDERMOOR', '%2A']) {
    for (const query of [
      '',
      '?limit=1',
      '?limit=1000',
      '?limit=1001',
      '?limit=x',
      '?collection=x',
    ]) {
      yield read(brand, query)
      yield read(brand, query, { 'Accept-Encoding': 'gzip' }, 'HEAD')
      yield read(brand, query, { 'If-None-Match': '*', Origin: allowedOrigin })
    }
    for (const { path } of catalog.resources) {
      yield read(brand, `?collection=${path}&limit=7`, { 'Accept-Encoding': 'br' })
    }
    for (const method of ['POST', 'DELETE', 'OPTIONS']) yield read(brand, '', {}, method)
    yield read(brand, '?cursor=x')
    yield read(brand, '?cursor=x&x=1', { Authorization: 'Bearer x' })
  }
}

const jsonHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
}

/**
 * MCP messages: each tool with valid and invalid arguments, both protocol revisions, and batches.
 */
export function* agentRequests({ of: keys }: ReplayKeys): Iterable<ReplayRequest> {
  const post = (body: unknown, headers: Headers = {}) =>
    request(
      'agent message',
      'POST',
      '/mcp',
      { Authorization: `Bearer ${keys.aldermoor}`, ...jsonHeaders, ...headers },
      { kind: 'agent message', body: typeof body === 'string' ? body : JSON.stringify(body) },
    )
  const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params })
  const call = (name: string, values: object) => message('tools/call', { name, arguments: values })
  const initialize = (protocolVersion: string) =>
    message('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'replay', version: '1' },
    })
  for (const version of ['2025-11-25', '2025-03-26', '2026-07-28', 'x']) {
    yield post(initialize(version))
    yield post(message('tools/list'), { 'MCP-Protocol-Version': version })
  }
  const calls: object[] = [
    call('list_groups', {}),
    call('list_groups', { area: 'orders' }),
    call('list_groups', { area: 'x' }),
    call('none', {}),
    call('list_records', {}),
    call('get_record', { group: 'x', id: 'x' }),
  ]
  for (const resource of catalog.resources) {
    const { path, key } = resource
    const id = String((story[path] ?? shared[path] ?? [])[0]?.[key[0] ?? 'id'])
    calls.push(
      call('describe_group', { group: path }),
      call('list_records', { group: path, limit: 3 }),
      call('list_records', { group: path, limit: 0, fields: ['id', 'x'] }),
      call('list_records', { group: path, filters: { x: '1' } }),
      call('get_record', { group: path, id }),
      call('get_record', { group: path, id: 'x' }),
      call('get_record', { group: path, id: '00000000-0000-4000-8000-000000000000' }),
      call('follow_references', { group: path, id }),
      call('trace_lineage', { group: path, id, depth: 3 }),
      ...referencesOf(resource).map(({ field }) =>
        call('follow_references', { group: path, id, via: field }),
      ),
    )
  }
  for (const each of calls) yield post(each)
  for (const body of [
    ...['', '{', 'null', '[]', '1', '"x"', '{}', `${'['.repeat(2_000)}`, 'x'.repeat(70_000)],
    message('none'),
    message('ping'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { ...message('tools/list'), jsonrpc: '1.0' },
    [message('tools/list'), call('list_groups', {})],
    Array.from({ length: 11 }, () => message('ping')),
  ]) {
    yield post(body)
  }
  for (const headers of [
    { Authorization: 'Bearer x' },
    { Authorization: `Bearer ${keys.global}` },
    { Authorization: `Bearer ${keys.two}` },
    { Origin: allowedOrigin },
    { Origin: 'https://other.example' },
    { 'Content-Type': 'text/plain' },
    { Accept: 'text/html' },
    { 'Accept-Encoding': 'gzip' },
    { 'MCP-Protocol-Version': 'x' },
  ]) {
    yield post(call('list_records', { group: 'orders' }), headers)
  }
}

/** More requests than the rate limit of the key allows. */
export const limitedRequests = ({ limited }: ReplayKeys): readonly ReplayRequest[] =>
  ['tags', 'orders', 'tags', 'tags', 'orders', 'tags'].map((path) =>
    request('rate limit', 'GET', `${basePath}/brands/aldermoor/${path}`, {
      Authorization: `Bearer ${limited}`,
    }),
  )

/** A conditional request with the response's ETag, and the next page, if the response has them. */
export const followUps = (
  { group, target, wire, kind, method }: ReplayRequest,
  head: string,
  body: string,
): readonly ReplayRequest[] => {
  if (method !== 'GET' || !head.startsWith('HTTP/1.1 200 ')) return []
  const etag = /^etag: (.+)$/im.exec(head)?.[1]
  const cursor = /"nextCursor":"([^"]+)"/.exec(body.slice(-1_000))?.[1]
  const next = `${target.replace(/[?&]cursor=[^&]*/, '')}`
  const nextTarget = `${next}${next.includes('?') ? '&' : '?'}cursor=${cursor}`
  const withLine = (line: string) => wire.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`)
  return [
    ...(etag !== undefined && kind === 'records' && !/if-none-match/i.test(wire)
      ? [
          {
            group: `${group}, conditional`,
            target,
            kind,
            method,
            wire: withLine(`If-None-Match: ${etag}`),
          },
        ]
      : []),
    ...(cursor !== undefined && !/[?&]cursor=/.test(target)
      ? [
          {
            group: `${group}, next page`,
            target: nextTarget,
            kind,
            method,
            wire: wire.replace(` ${target} `, ` ${nextTarget} `),
          },
        ]
      : []),
  ]
}
