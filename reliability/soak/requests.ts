import { basePath } from '#contract'
import type { Cluster } from '../../test/support/cluster.ts'
import {
  absentValue,
  keyOf,
  lists,
  queryOf,
  recordsAt,
  valuesOf,
} from '../../test/support/model.ts'

/** A request as sent, with `{n}` for a number, and its allowed statuses. */
export interface Request {
  readonly text: string
  readonly statuses: readonly number[]
}

/** The results of a period of load. */
export interface Slice {
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly wrong: number
  readonly examples: readonly string[]
}

/** All kinds of requests: lists, filters, single records, conditional requests and mistakes. */
export const mixedRequests = async (cluster: Cluster): Promise<readonly Request[]> => {
  const requests: Request[] = []
  const brand = `${basePath}/brands/aldermoor`
  const add = (path: string, statuses: readonly number[], headers: readonly string[] = []) =>
    requests.push({
      text: [
        `GET ${brand}${path} HTTP/1.1`,
        'Host: localhost',
        ...(headers.some((each) => each.startsWith('Authorization'))
          ? headers
          : [`Authorization: Bearer ${cluster.key}`, ...headers]),
        '\r\n',
      ].join('\r\n'),
      statuses,
    })
  for (const resource of lists) {
    const { path, filters, key } = resource
    add(`/${path}?limit=20`, [200])
    add(`/${path}?limit=100`, [200])
    add(`/${path}?limit=1000`, [400])
    add(`/${path}?unknown=1`, [400])
    for (const filter of filters) {
      const { name } = filter
      const [value = absentValue(filter)] = valuesOf(resource, filter)
      add(`/${path}?${queryOf({ [name]: value })}`, [200])
      // Never repeats, so that unbounded growth of a cache becomes visible.
      if (filter.kind === 'string') add(`/${path}?${name}=number-{n}`, [200])
    }
    for (const record of recordsAt(path).slice(0, 5)) {
      if (!resource.endpoints.includes('get')) continue
      const own = keyOf(key, record).map(encodeURIComponent).join('/')
      add(`/${path}/${own}`, [200])
    }
    const response = await fetch(`${cluster.url}${brand}/${path}?limit=50`, {
      headers: { authorization: `Bearer ${cluster.key}` },
    })
    await response.arrayBuffer()
    const tag = response.headers.get('etag')
    add(`/${path}?limit=50`, [304], [`If-None-Match: ${tag}`])
  }
  add('/no-such-group', [404])
  add('/orders/00000000-0000-4000-8000-000000000000', [404])
  add('/orders?cursor=nonsense', [400])
  // Guessed keys get a 401, and soon a 429.
  add('/orders', [401, 429], ['Authorization: Bearer slv_wrong'])
  return requests
}
