/** Two servers that receive records for one database of PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ingestBasePath } from '#contract'
import {
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

let postgres: PostgresDatabases
const services: TestIngest[] = []
before(async () => {
  postgres = await openPostgresDatabases()
  // The machine may have other things to do.
  const url = `${await postgres.url('ingest')}?query-ms=60000&connect-ms=60000`
  for (let n = 0; n < 2; n += 1) services.push(await openTestIngest({ DATABASE_URL: url }))
})
after(async () => {
  for (const service of services) await service.close()
  await postgres.close()
})

it('store each batch exactly once, and both know every batch', async () => {
  const [one, other] = services as [TestIngest, TestIngest]
  const { key } = await one.issue()
  const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const send = (service: TestIngest, n: number) =>
    service.send([putItem('tags', { ...recordOf('tags'), id: idOf(n), name: `Tag ${n}` })], {
      key,
      headers: { prefer: 'wait=60', 'idempotency-key': `batch-${n}` },
    })
  const numbers = Array.from({ length: 20 }, (_, n) => n)
  const answers = await Promise.all(
    numbers.flatMap((n) =>
      [send(one, n), send(other, n)].map(async (sent) => ({ n, ...(await sent) })),
    ),
  )
  for (const { status, body } of answers) {
    assert.equal(status, 200, JSON.stringify(body))
    // What is applied a second time adds nothing.
    assert.equal(body.collections[0].added, 1)
  }
  const ids = new Set(answers.map(({ body }) => body.id))
  assert.equal(ids.size, numbers.length)
  for (const id of ids) {
    const path = `${ingestBasePath}/brands/${storyBrand}/batches/${id}`
    const [first, second] = [await one.get(path, key), await other.get(path, key)]
    assert.deepEqual([first.status, first.body.state], [200, 'committed'])
    assert.deepEqual(second.body, first.body)
  }
  assert.equal((await one.stored('tags')).length, numbers.length)
})
