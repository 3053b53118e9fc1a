import { Agent, request } from 'node:http'
import { basePath, queryBasePath } from '#contract'
import { seeded } from '../../test/support/model.ts'
import type { ServedUsage } from './served.ts'

/** What clients got, with the sums of each key. */
export interface Received {
  readonly requests: number
  readonly byKey: ReadonlyMap<string, { records: number; bytes: number }>
  readonly failures: readonly string[]
}

interface MixedOptions {
  readonly requests: number
  readonly seed: number
  /** Whether a worker is killed meanwhile. */
  readonly mayFail?: boolean
}

const clients = 8
const brand = `${basePath}/brands/aldermoor`
const unknownPath = `${brand}/nothing`
const query = `${queryBasePath}/brands/aldermoor`

interface MixedRequest {
  readonly path: string
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  /** Number of records in the body. */
  readonly recordsIn: (body: string) => number
}

const itemsIn = (body: string): number => JSON.parse(body).items.length
const none = () => 0

/** Requests of all kinds, most of them lists; `n` varies them. */
const kinds: readonly ((n: number, ids: readonly string[]) => MixedRequest)[] = [
  (n) => ({ path: `${brand}/orders?limit=${1 + (n % 20)}`, recordsIn: itemsIn }),
  (n) => ({ path: `${brand}/order-items?limit=${1 + (n % 100)}`, recordsIn: itemsIn }),
  () => ({ path: `${brand}/order-items`, recordsIn: itemsIn }),
  () => ({
    path: `${brand}/skus?limit=50`,
    headers: { 'accept-encoding': 'gzip' },
    // Compressed bodies are not decoded: the page is full.
    recordsIn: () => 50,
  }),
  (n) => ({ path: `${brand}/orders?limit=${1 + (n % 5)}&include=supplier`, recordsIn: itemsIn }),
  (n, ids) => ({ path: `${brand}/orders/${ids[n % ids.length]}`, recordsIn: () => 1 }),
  (n, ids) => ({ path: `${brand}/orders/${ids[n % ids.length]}`, method: 'HEAD', recordsIn: none }),
  (n) => ({ path: `${query}/orders?sort=-orderDate&limit=${1 + (n % 9)}`, recordsIn: itemsIn }),
  () => ({ path: `${query}/order-items/summary`, recordsIn: none }),
  (n) => ({ path: `${query}/search?q=PO-${n % 10}`, recordsIn: itemsIn }),
  () => ({ path: '/whoami', recordsIn: none }),
  () => ({ path: `${brand}/orders?limit=none`, recordsIn: none }),
  () => ({ path: unknownPath, recordsIn: none }),
  () => ({ path: `${basePath}/brands/elsewhere/orders`, recordsIn: none }),
  () => ({ path: `${brand}/orders`, method: 'DELETE', recordsIn: none }),
]

/** Sends requests of all kinds, with every key, a wrong one and none. */
export const sendMixed = async (
  served: ServedUsage,
  { requests, seed, mayFail = false }: MixedOptions,
): Promise<Received> => {
  const draw = seeded(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const byKey = new Map<string, { records: number; bytes: number }>()
  const failures: string[] = []
  const senders = [...served.keys, { id: '', key: 'slv_wrong' }, { id: '', key: null }]
  let sent = 0

  const send = async (
    { path, method = 'GET', headers = {}, recordsIn }: MixedRequest,
    by: Sender,
  ) => {
    sent += 1
    try {
      const { status, body } = await ask(agent, `${served.url}${path}`, method, {
        ...headers,
        ...(by.key && { authorization: `Bearer ${by.key}` }),
      })
      // A path without a route, or with another method, is refused before its key is read.
      const keyId = status === 405 || path === unknownPath ? '' : by.id
      const sums = byKey.get(keyId) ?? { records: 0, bytes: 0 }
      byKey.set(keyId, sums)
      sums.bytes += body.length
      if (status === 200) sums.records += recordsIn(body.toString())
      return { status, body }
    } catch (error) {
      if (!mayFail) failures.push(`${method} ${path}: ${error}`)
      return null
    }
  }

  const [first] = served.keys
  const list =
    first && (await send({ path: `${brand}/orders?limit=20`, recordsIn: itemsIn }, first))
  const ids: string[] = list
    ? JSON.parse(list.body.toString()).items.map(({ id }: { id: string }) => id)
    : []
  const client = async () => {
    while (sent < requests) {
      const kind = kinds[draw(kinds.length)]
      const by = senders[draw(senders.length)]
      if (kind && by) await send(kind(draw(1_000), ids), by)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return { requests: sent, byKey, failures }
}

interface Sender {
  readonly id: string
  readonly key: string | null
}

const ask = (
  agent: Agent,
  url: string,
  method: string,
  headers: { readonly [name: string]: string },
): Promise<{ readonly status: number; readonly body: Buffer }> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request(url, { agent, method, headers }, (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
