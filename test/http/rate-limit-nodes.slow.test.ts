import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openRecords, type Records } from '#server'
import { ask, type Cluster, startSmallCluster } from '../support/cluster.ts'
import { findRedis, openRedis, type TestRedis } from '../support/redis.ts'

const program = await findRedis()
const missing = 'missing' in program ? program.missing : false

const rate = { perSecond: 50, burst: 100 }
const loadMs = 4_000

describe('two API nodes with one Redis, their clocks a minute apart', { skip: missing }, () => {
  let redis: TestRedis
  let clockAhead: Cluster
  let clockBehind: Cluster
  let records: Records

  before(async () => {
    redis = await openRedis(program as Exclude<typeof program, { readonly missing: string }>)
    const environment = (skewMs: number) => ({
      NODE_OPTIONS: `--import=${new URL('../support/skewed-clock.ts', import.meta.url)}`,
      CLOCK_SKEW_MS: String(skewMs),
      REDIS_URL: redis.url,
    })
    clockAhead = await startSmallCluster(environment(30_000))
    clockBehind = await startSmallCluster({
      ...environment(-30_000),
      DATABASE_URL: clockAhead.databaseUrl,
    })
    records = await openRecords(clockAhead)
  })
  after(async () => {
    await records?.close()
    await clockBehind?.close()
    await clockAhead?.close()
    await redis?.close()
  })

  /** A new key that both nodes have had the time to learn of. */
  const issue = async (rights: { readonly endsInMs?: number }) => {
    const { endsInMs } = rights
    const expiresAt = endsInMs === undefined ? null : new Date(Date.now() + endsInMs).toISOString()
    const request = { name: 'test', brands: ['aldermoor'], global: false, expiresAt, ...rate }
    const { key } = await records.keys.issue(request)
    await wait(1_000)
    return key
  }

  it('really have wrong clocks', async () => {
    const ending = await issue({ endsInMs: 15_000 })
    assert.equal((await ask({ ...clockAhead, key: ending })).status, 401)
    assert.equal((await ask({ ...clockBehind, key: ending })).status, 200)
    const ended = await issue({ endsInMs: -15_000 })
    assert.equal((await ask({ ...clockAhead, key: ended })).status, 401)
    assert.equal((await ask({ ...clockBehind, key: ended })).status, 200)
  })

  it('admit not one request over the quota, and all that it allows', async (t) => {
    // Where Redis is late for once, as on a machine with too much to do, nodes count on their own
    // and say so. That is another promise; here they are tried until they count together.
    for (let tries = 1; ; tries += 1) {
      const key = await issue({})
      while ((await countAlone(clockAhead)) || (await countAlone(clockBehind))) await wait(50)
      const alone = timesAlone(clockAhead, clockBehind)
      const { requests, admitted, most, offered } = await runLoad([clockAhead, clockBehind], key)
      const all = admitted.reduce((sum, each) => sum + each, 0)
      t.diagnostic(`${requests} requests, ${admitted.join(' + ')} admitted of ${most.toFixed(1)}`)
      if (timesAlone(clockAhead, clockBehind) > alone && tries < 12) continue
      assert.ok(all <= most, `${all} of ${most}`)
      assert.ok(all >= offered * 0.95, `${all} of ${offered}`)
      assert.ok(requests > most * 2, `${requests} requests`)
      for (const each of admitted) assert.ok(each > all / 10, `${admitted}`)
      return
    }
  })
})

const countAlone = async ({ metricsUrl }: Cluster): Promise<boolean> =>
  !/^selvedge_quota_local 0$/m.test(await (await fetch(metricsUrl)).text())

/** How often these have said that they count on their own. */
const timesAlone = (...nodes: readonly Cluster[]): number =>
  nodes.reduce((sum, node) => sum + (node.said().match(/counts for itself/g)?.length ?? 0), 0)

/** Asks all nodes with one key, by the clock of this process, as often as clients can. */
const runLoad = async (nodes: readonly Cluster[], key: string) => {
  const admitted = nodes.map(() => 0)
  const began = performance.now()
  let [requests, lastAdmittedAt, lastRefusedAt] = [0, began, began]
  const client = async (node: Cluster, index: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (performance.now() - began < loadMs) {
      const askedAt = performance.now()
      const { status } = await ask({ ...node, key }, agent)
      requests += 1
      if (status === 200) {
        admitted[index] = (admitted[index] ?? 0) + 1
        lastAdmittedAt = performance.now()
      } else {
        assert.equal(status, 429)
        lastRefusedAt = Math.max(lastRefusedAt, askedAt)
      }
      await wait(10)
    }
    agent.destroy()
  }
  await Promise.all(
    nodes.flatMap((node, index) => Array.from({ length: 4 }, () => client(node, index))),
  )
  const limitUntil = (at: number) => rate.burst + (rate.perSecond * (at - began)) / 1_000
  return {
    requests,
    admitted,
    most: limitUntil(lastAdmittedAt),
    offered: limitUntil(lastRefusedAt),
  }
}
