import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { openRecords } from '#server'
import { ask, type Cluster, startCluster } from '../../test/support/cluster.ts'
import { seeded } from '../../test/support/model.ts'
import type { TestRedis } from '../../test/support/redis.ts'

const workers = 3

export const serveWithRedis = (redis: TestRedis): Promise<Cluster> =>
  startCluster({ WORKERS: String(workers), LOG_LEVEL: 'error', REDIS_URL: redis.url })

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Issues keys with rates and waits until every worker has loaded them. */
const issueKeys = async (cluster: Cluster, rates: readonly Rate[]): Promise<readonly string[]> => {
  const records = await openRecords(cluster)
  const keys: string[] = []
  for (const rate of rates) {
    const rights = { name: 'trust', brands: ['aldermoor'], global: false, expiresAt: null }
    keys.push((await records.keys.issue({ ...rights, ...rate })).key)
  }
  await records.close()
  await wait(1_200)
  return keys
}

/** The status of a response and its Retry-After. */
const askForWait = (
  { url, path }: Cluster,
  key: string,
  agent: Agent,
): Promise<{ readonly status: number; readonly retryAfter: string | undefined }> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      const { statusCode: status = 0, headers } = response
      response.resume().on('end', () => resolve({ status, retryAfter: headers['retry-after'] }))
    }).on('error', reject)
  })

/** Sends requests with each key until it is refused, waits for Retry-After and retries. */
export const tryRetryAfter = async (cluster: Cluster, tries: number, seed: number) => {
  const draw = seeded(seed)
  const rates = Array.from({ length: tries }, () => ({
    perSecond: (1 + draw(16)) / 4,
    burst: 1 + draw(5),
  }))
  const keys = await issueKeys(cluster, rates)
  const misses: string[] = []
  let honest = 0
  await Promise.all(
    keys.map(async (key, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const rate = JSON.stringify(rates[index])
      let answer = await askForWait(cluster, key, agent)
      for (let sent = 0; answer.status === 200 && sent < 500; sent += 1) {
        answer = await askForWait(cluster, key, agent)
      }
      const { status, retryAfter = '' } = answer
      if (status !== 429 || !/^\d+$/.test(retryAfter)) {
        misses.push(`At ${rate} it was refused with ${status}, Retry-After ${retryAfter}.`)
      } else {
        await wait(Number(retryAfter) * 1_000)
        const { status: then } = await askForWait(cluster, key, agent)
        if (then === 200) honest += 1
        else misses.push(`At ${rate} it was ${then} after ${retryAfter} s, as Retry-After said.`)
      }
      agent.destroy()
    }),
  )
  return { honest, misses }
}

/** Kills Redis during requests with one key. Each process may then admit one burst. */
export const killRedis = async (cluster: Cluster, redis: TestRedis) => {
  const rate = { perSecond: 0.01, burst: 100 }
  const [key = ''] = await issueKeys(cluster, [rate])
  const statuses = new Map<number, number>()
  const askMany = async (times: number) => {
    const outcomes = await Promise.all(
      Array.from({ length: times }, () => ask({ ...cluster, key })),
    )
    for (const { status } of outcomes) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  await askMany(50)
  const killing = wait(100).then(redis.kill)
  for (let round = 0; round < 15; round += 1) await askMany(100)
  await killing
  await askMany(200)
  const most = rate.burst * workers
  const admitted = statuses.get(200) ?? 0
  const misses: string[] = []
  if (admitted > most) misses.push(`Without Redis ${admitted} were admitted of at most ${most}.`)
  for (const [status, count] of statuses) {
    if (status !== 200 && status !== 429) misses.push(`${count} answers were ${status}.`)
  }
  return { admitted, most, failed: misses.length, misses }
}
