import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog, type Operation, operationsOf, patterns, relationsOf } from '#contract'
import { demoImage } from '#demo'
import { recordsAt, valueAt } from '../../test/support/model.ts'
import type { TestService } from '../../test/support/service.ts'

/** A request and its response, in the format of Specmatic. */
export interface Example {
  readonly name: string
  /** The path in the document. */
  readonly template: string
  readonly 'http-request': {
    readonly method: 'GET'
    readonly path: string
    readonly query: SentRequest
    readonly headers: { readonly [name: string]: string }
  }
  readonly 'http-response': {
    readonly status: number
    readonly headers: { readonly [name: string]: string }
    readonly body: unknown
  }
}

interface SentRequest {
  readonly [name: string]: string | number
}

interface Case {
  readonly what: string
  readonly status: number
  readonly brand?: string
  readonly id?: string
  readonly query?: SentRequest
}

const nobody = '00000000-0000-4000-8000-000000000000'
const brand = 'aldermoor'

/** The cases of an operation: each success, and each error that a client can cause. */
const casesOf = ({ endpoint, resource }: Operation): readonly Case[] => {
  const [record] = recordsAt(resource.path)
  const relations = endpoint === 'content' ? [] : relationsOf(resource).map(({ name }) => name)
  // Once for each resource, because failed attempts are limited per IP address.
  const elsewhere: Case[] =
    endpoint === resource.endpoints[0]
      ? [{ what: 'out-of-scope', status: 401, brand: 'elsewhere', id: nobody }]
      : []
  if (endpoint === 'list') {
    const filters = resource.filters.flatMap(({ name, field }): Case[] => {
      const value = field && record ? valueAt(record, field) : null
      return typeof value === 'string' || typeof value === 'number'
        ? [{ what: `by-${name}`, status: 200, query: { [name]: value } }]
        : []
    })
    return [
      { what: 'first-page', status: 200, query: { limit: 1 } },
      ...relations.map((name) => ({
        what: `with-${name}`,
        status: 200,
        query: { include: name },
      })),
      ...filters,
      { what: 'no-limit', status: 400, query: { limit: 0 } },
      { what: 'no-such-brand', status: 404, brand: 'nobody' },
      ...elsewhere,
    ]
  }
  const id = String(record?.[resource.key[0] ?? 'id'])
  if (resource.lookup !== undefined) {
    return [
      { what: 'itself', status: 200 },
      { what: 'no-such-brand', status: 404, brand: 'nobody' },
      ...elsewhere,
    ]
  }
  const missing = resource.idPattern === patterns.country ? 'ZZ' : nobody
  return [
    { what: 'itself', status: 200, id },
    ...relations.map((name) => ({
      ...{ what: `with-${name}`, status: 200, id },
      query: { include: name },
    })),
    { what: 'no-identity', status: 400, id: 'none' },
    { what: 'no-such-record', status: 404, id: missing },
    ...elsewhere,
  ]
}

/** Sends the request of every case and stores the response as its example. */
export const examplesFor = async (
  service: TestService,
  only: string | undefined,
): Promise<readonly Example[]> => {
  for (const image of recordsAt('images')) {
    const reported = (name: string) => String(image[name])
    const stored = {
      brand,
      id: reported('id'),
      mimeType: reported('mimeType'),
      fileName: reported('fileName'),
    }
    await service.images.put(stored, demoImage(image))
  }
  const keys = { own: await service.key(brand), global: await service.key() }
  const sent = operationsOf(catalog)
    .filter(({ path }) => only === undefined || path === only)
    .flatMap((operation) => casesOf(operation).map((each) => ({ operation, ...each })))
  const examples: Example[] = []
  for (const { operation, what, status, id = '', query = {}, ...rest } of sent) {
    const path = operation.path
      .replace('{brand}', rest.brand ?? brand)
      .replace('{id}', encodeURIComponent(id))
    // Only a global key reaches the check that the brand exists.
    const key = rest.brand === 'nobody' ? keys.global : keys.own
    const search = new URLSearchParams(Object.entries(query).map(([n, v]) => [n, String(v)]))
    const target = `${basePath}${path}${search.size > 0 ? `?${search}` : ''}`
    let answer = await service.get(target, { key })
    while (answer.status === 429) {
      await wait(Number(answer.headers.get('retry-after')) * 1_000)
      answer = await service.get(target, { key })
    }
    const name = `${operation.id}-${what}`
    if (answer.status !== status) {
      throw new Error(`${name}: expected ${status}, received ${answer.status}: ${answer.text}`)
    }
    examples.push({
      name,
      template: operation.path,
      'http-request': {
        method: 'GET',
        ...{ path, query, headers: { Authorization: `Bearer ${key}` } },
      },
      'http-response': {
        ...{ status, headers: { 'Content-Type': 'application/json' }, body: answer.body },
      },
    })
  }
  return examples
}

/**
 * The committed document, without the parts that Specmatic does not support: examples of responses
 * without an example of a request, paths without cases, and `include` as an array. Specmatic supports
 * arrays only as repeated parameters, not as comma-separated values (`explode: false`), so the document
 * has the single value that is used.
 */
export const documentFor = (paths: ReadonlySet<string>): object => {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  for (const { content = {} } of Object.values<Answering>(document.components.responses)) {
    for (const each of Object.values(content)) delete each.examples
  }
  const parameters = [
    ...Object.values<Parameter>(document.components.parameters),
    ...Object.values<Path>(document.paths).flatMap(({ get }) => get.parameters),
  ]
  for (const each of parameters) if (each.name === 'include') each.schema = each.schema?.items
  for (const path of Object.keys(document.paths)) if (!paths.has(path)) delete document.paths[path]
  return document
}

interface Answering {
  readonly content?: { readonly [type: string]: { examples?: unknown } }
}

interface Parameter {
  readonly name?: string
  schema?: { readonly items?: object } | undefined
}

interface Path {
  readonly get: { readonly parameters: readonly Parameter[] }
}
