/** The long reads of one key, beside those of other keys and brands. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { queryBasePath } from '#contract'
import { until } from '../support/cluster.ts'
import { openTestService } from '../support/service.ts'

it('the queries of one key wait for each other, not those of another key', async () => {
  const service = await openTestService()
  const { database } = service.records
  const { readInSteps } = database
  const path = (n: number) =>
    `${queryBasePath}/brands/aldermoor/orders/summary?totalQuantity.gte=${n}`
  const gate = Promise.withResolvers<void>()
  // A key that has read for long lately waits as well, and on a busy machine one query is enough.
  const [heavyKey, key, agentKey] = [
    await service.key('aldermoor'),
    await service.key('aldermoor'),
    await service.key('aldermoor'),
  ]
  let reads = 0
  database.readInSteps = (owner, isCancelled, work, options) => {
    reads += 1
    return readInSteps(
      owner,
      isCancelled,
      async (steps) => {
        await gate.promise
        return work(steps)
      },
      options,
    )
  }
  const sent = Array.from({ length: 8 }, (_, n) => service.get(path(n), { key: heavyKey }))
  await until(() => reads === sent.length)
  database.readInSteps = readInSteps

  assert.equal((await service.get(path(8), { key })).status, 200)
  const params = { name: 'summarize', arguments: { group: 'orders', filters: { status: 'open' } } }
  const answer = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agentKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await answer.json()) as { result: { isError?: boolean } }
  assert.deepEqual([answer.status, result.isError ?? false], [200, false])

  gate.resolve()
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200)
  await service.close()
})
