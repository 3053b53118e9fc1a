/** Records responses before the conversion and compares them with those after it. */
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, feedBasePath, type Resource } from '#contract'
import { apiPath, type Server, type ServerResponse } from '../../bench/product.ts'

/** Responses by brand and target. */
export type Responses = ReadonlyMap<string, string>

export interface Readers {
  /** The headers of a key for each brand. */
  readonly [brand: string]: { readonly authorization: string }
}

const pagesMax = 5

/**
 * Reads lists, their next pages, single records and the change feed. The targets contain cursors
 * issued by the server.
 */
export const readResponses = async (server: Server, readers: Readers): Promise<Responses> => {
  const responses = new Map<string, string>()
  const read = async (brand: string, target: string) => {
    const response = await getServed(server, target, readers[brand])
    responses.set(`${brand} ${target}`, comparable(target, response))
    return JSON.parse(response.body.toString()) as Page
  }
  /** Reads a list or a feed with its following pages. */
  const walk = async (brand: string, path: string) => {
    const separator = path.includes('?') ? '&' : '?'
    let page = await read(brand, path)
    for (let count = 1; count < pagesMax && page.nextCursor; count += 1) {
      page = await read(brand, `${path}${separator}cursor=${encodeURIComponent(page.nextCursor)}`)
    }
    return page
  }
  for (const brand of Object.keys(readers)) {
    for (const resource of catalog.resources) {
      const path = `${apiPath}/brands/${brand}/${resource.path}`
      const { items = [] } = await walk(brand, `${path}?limit=3`)
      for (const item of items) {
        const key = resource.key.map((field) => encodeURIComponent(String(item[field]))).join('/')
        if (resource.key.length === 1) await read(brand, `${path}/${key}`)
        for (const query of filtersOf(resource, item)) await walk(brand, `${path}?limit=2&${query}`)
      }
    }
    await walk(brand, `${feedBasePath}/brands/${brand}/changes?limit=100`)
    await walk(brand, `${feedBasePath}/brands/${brand}/changes?limit=10&collection=order-items`)
  }
  return responses
}

const triesMax = 10

/** Requests a target and retries while the server is busy. */
const getServed = async (
  server: Server,
  target: string,
  headers: Readers[string] | undefined,
): Promise<ServerResponse> => {
  for (let tries = 1; ; tries += 1) {
    const response = await server.get(target, headers)
    if (response.status !== 500 || tries === triesMax) return response
    await wait(500)
  }
}

interface Page {
  readonly nextCursor?: string | null
  readonly items?: readonly { readonly [field: string]: unknown }[]
}

/** The filters on columns of a collection, with the values of a record. */
const filtersOf = (
  { filters }: Resource,
  record: { readonly [field: string]: unknown },
): readonly string[] =>
  filters.flatMap(({ name, field }) => {
    const value = field === undefined ? null : record[field]
    return value === null || value === undefined || typeof value === 'object'
      ? []
      : [`${name}=${encodeURIComponent(String(value))}`]
  })

/** Repeats the requests and returns the differences. */
export const compareResponses = async (
  server: Server,
  readers: Readers,
  expected: Responses,
): Promise<readonly string[]> => {
  const differences: string[] = []
  for (const [request, response] of expected) {
    const [brand = '', target = ''] = request.split(' ')
    const actual = comparable(target, await getServed(server, target, readers[brand]))
    if (actual !== response) {
      differences.push(`${target}: ${excerpt(actual)} instead of ${excerpt(response)}`)
    }
  }
  return differences
}

/**
 * A response as a text. Changes of the feed have had a number since the earlier version, so their
 * pages are compared without it and without the ETag.
 */
const comparable = (target: string, { status, headers, body }: ServerResponse): string => {
  if (!target.startsWith(feedBasePath)) {
    return `${status} ${headers.etag} ${body.toString('base64')}`
  }
  const page = body.toString().replaceAll(/"number":\d+,"collection"/g, '"collection"')
  return `${status} feed ${Buffer.from(page).toString('base64')}`
}

const excerpt = (response: string): string => {
  const [status, etag, body = ''] = response.split(' ')
  return `${status} ${etag} ${Buffer.from(body, 'base64').toString().slice(0, 200)}`
}
