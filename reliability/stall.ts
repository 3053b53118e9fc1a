import { Agent } from 'node:http'
import { basePath } from '#contract'
import { shuffled } from '../bench/statistics.ts'
import { check } from './check.ts'
import { brand, fieldNames, halves } from './stall/brand.ts'
import { measureStall, type OpenAttack, type StallSize, stallSizes } from './stall/measure.ts'
import { ask } from './stall/ordinary.ts'

/** Wide requests that are in progress at the same time. */
const wideAtOnce = 2

export default check<StallSize>({
  id: 'R31',
  claim: 'The most expensive query does not delay ordinary requests.',
  target:
    'On 1,000,000 order items, while two lists with filters that each match half of them and were never counted are requested without a pause, every time in another combination: the p99 latency of 32 clients on ordinary pages and gets is at most 3 times its value without them, the p99 of /healthz is at most 20 ms, no ordinary request fails, and every wide list is complete after some requests. On SQLite and on PostgreSQL.',
  sizes: stallSizes,
  try: (size, task) => measureStall(size, openAttack, task),
})

/** Every combination of two to four of the fields: 72 lists. */
const combinations = (): readonly string[] => {
  const grow = (index: number): readonly string[][] => {
    const name = fieldNames[index]
    if (name === undefined) return [[]]
    const rest = grow(index + 1)
    const withField = halves[name].flatMap((value) =>
      rest.map((each) => [`${name}=${value}`, ...each]),
    )
    return [...rest, ...withField]
  }
  return grow(0)
    .filter(({ length }) => length > 1)
    .map((each) => each.join('&'))
}

/** Requests that one wide list may need: each continues the scan of the one before. */
const requestsPerListMax = 100

/** Asks for wide lists, each repeated until it is complete, in ever new combinations. */
const openAttack: OpenAttack = ({ url, keys: [key = ''], seed }) => {
  const queue = [...shuffled(combinations(), seed)]
  const agent = new Agent({ keepAlive: true })
  const failed: string[] = []
  let [isOver, lists, requests] = [false, 0, 0]
  const list = async (query: string) => {
    for (let tries = 0; tries < requestsPerListMax && !isOver; tries += 1) {
      requests += 1
      const { status, body } = await ask(
        `${url}${basePath}/brands/${brand}/order-items?${query}`,
        key,
        agent,
      )
      if (status === 200) {
        lists += 1
        return
      }
      if (status !== 500 || !body.includes('Send the same request again')) {
        failed.push(`order-items?${query} was answered with ${status}: ${body.slice(0, 200)}`)
        return
      }
    }
    if (!isOver) failed.push(`order-items?${query} was never complete.`)
  }
  const running = Array.from({ length: wideAtOnce }, async () => {
    for (let query = queue.pop(); query !== undefined && !isOver; query = queue.pop()) {
      await list(query)
    }
  })
  return {
    stop: async () => {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      return { completed: { 'wide lists': lists }, requests, failed }
    },
  }
}
