import { Agent } from 'node:http'
import { queryBasePath } from '#contract'
import { mix } from '../bench/statistics.ts'
import { check } from './check.ts'
import { brand, fieldNames, halves } from './stall/brand.ts'
import { measureStall, type OpenAttack, type StallSize, stallSizes } from './stall/measure.ts'
import { ask } from './stall/ordinary.ts'

export default check<StallSize>({
  id: 'R33',
  claim: 'No request of the query API delays ordinary requests.',
  target:
    'On 1,000,000 order items, while summaries, sorted lists that few records match, searches and downloads of all records are requested, one of each at a time without a pause and never the same again: the p99 latency of 32 clients on ordinary pages and gets is at most 3 times its value without them, the p99 of /healthz is at most 20 ms, no ordinary request fails, and each kind is complete after some requests. On SQLite and on PostgreSQL.',
  sizes: stallSizes,
  try: (size, task) => measureStall(size, openAttack, task),
})

const pick = (field: (typeof fieldNames)[number], n: number): string =>
  `${field}=${halves[field][mix(n, 50 + fieldNames.indexOf(field)) % 2]}`

/** The path of the n-th request of each kind. No two are the same. */
const kinds: Readonly<Record<string, (n: number) => string>> = {
  summaries: (n) => `order-items/summary?sum=unitPrice,unitPriceBase,duty&by=category&qty.gte=${n}`,
  'sparse lists': (n) =>
    `order-items?${fieldNames.map((field) => pick(field, n)).join('&')}&qty.gte=${n}&sort=-updatedAt&limit=${1 + (n % 100)}`,
  searches: (n) => `search?q=${['shirt navy', 'po 5', 'cotton', 'ald 1'][n % 4]}${n}&limit=50`,
  downloads: (n) => `order-items/download?format=ndjson&qty.gte=${1 + (n % 2)}`,
}

/** Requests that one answer may need: each continues where the one before stopped. */
const requestsMax = 100

const openAttack: OpenAttack = ({ url, keys: [key = ''] }) => {
  const agent = new Agent({ keepAlive: true })
  const failed: string[] = []
  const completed: Record<string, number> = {}
  let isOver = false
  let requests = 0
  /** Requests the same again until it is answered; at the end only if nothing of its kind was yet. */
  const complete = async (kind: string, path: string): Promise<boolean> => {
    const isWanted = () => !isOver || completed[kind] === 0
    for (let tries = 0; tries < requestsMax && isWanted(); tries += 1) {
      requests += 1
      const { status, body } = await ask(
        `${url}${queryBasePath}/brands/${brand}/${path.replaceAll(' ', '%20')}`,
        key,
        agent,
      )
      if (status === 200) return true
      if (status !== 500 || !body.includes('Send the same request again')) {
        failed.push(`${path} was answered with ${status}: ${body.slice(0, 200)}`)
        return false
      }
    }
    return false
  }
  const running = Object.entries(kinds).map(async ([kind, pathOf]) => {
    completed[kind] = 0
    for (let n = 1; !isOver; n += 1) {
      if (await complete(kind, pathOf(n))) completed[kind] += 1
    }
  })
  return {
    stop: async () => {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      return { completed, requests, failed }
    },
  }
}
