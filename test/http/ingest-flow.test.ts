/** Batches from another system to the store: full queues, mappings, signed events, checks. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { signingSecretOf } from '#keys'
import { until } from '../support/cluster.ts'
import {
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'

const waiting = { prefer: 'wait=30' }
const item = putItem('tags', recordOf('tags'))

describe('a queue that is full', () => {
  it('refuses batches with 503 and Retry-After until there is room', async () => {
    const total = { batches: 2, bytes: 1_000_000 }
    const service = await openTestIngest({}, { queueLimits: { total } })
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const importing = service.records.store.write(storyBrand, async () => {
      begun.resolve()
      await held.promise
    })
    await begun.promise
    for (let sent = 0; sent < 2; sent += 1) {
      assert.equal((await service.send([item])).status, 202)
    }
    const { status, headers, body } = await service.send([item])
    assert.deepEqual([status, body.errorCode], [503, 'queue_full'])
    assert.match(body.error, /2 batches wait to be stored/)
    assert.ok(Number(headers.get('retry-after')) >= 1)
    held.resolve()
    await importing
    await until(async () => (await service.send([item])).status === 202)
    await service.close()
  })
})

describe('a record that comes before the one it refers to', () => {
  let service: TestIngest
  before(async () => {
    service = await openTestIngest()
  })
  after(() => service.close())

  it('is refused, or waits for it where the sender says so', async () => {
    const dimension = recordOf('dimensions')
    const value = { ...recordOf('dimension-values'), dimensionId: String(dimension['id']) }
    const early = putItem('dimension-values', value)
    const refused = await service.send([early], { headers: waiting })
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
    const parked = await service.send([early], { query: 'park=true', headers: waiting })
    assert.equal(parked.status, 200, JSON.stringify(parked.body))
    assert.equal(parked.body.collections[0].parked, 1)
    assert.deepEqual(await service.stored('dimension-values'), [])
    const arrived = await service.send([putItem('dimensions', dimension)], { headers: waiting })
    assert.equal(arrived.status, 200, JSON.stringify(arrived.body))
    assert.deepEqual(await service.stored('dimension-values'), [value])
    const invalid = await service.send([early], { query: 'park=1' })
    assert.equal(invalid.status, 400)
  })

  it('is stored without bad records where the sender says so', async () => {
    const tag = recordOf('tags')
    const bad = putItem('tags', { ...tag, id: '00000077-0000-4000-8000-000000000077', name: 7 })
    const items = [putItem('tags', tag), bad]
    assert.equal((await service.send(items, { headers: waiting })).status, 422)
    const query = 'on-error=quarantine'
    const { status, body, text } = await service.send(items, { query, headers: waiting })
    assert.equal(status, 200, text)
    const [{ added, quarantined }] = body.collections
    assert.deepEqual([added, quarantined, body.problems.length], [1, 1, 1])
    assert.deepEqual(await service.stored('tags'), [tag])
    assert.equal((await service.send(items, { query: 'on-error=skip' })).status, 400)
    const many = Array.from({ length: 21 }, (_, at) =>
      putItem('tags', { ...tag, id: `00000078-0000-4000-8000-0000000000${at + 10}`, name: 7 }),
    )
    const refused = await service.send(many, { query, headers: waiting })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /more than 5 %: .* max-bad-rows=<percent>/)
    const all = { query: `${query}&max-bad-rows=100`, headers: waiting }
    assert.equal((await service.send(many, all)).status, 200)
    const over = await service.send(many, { query: `${query}&max-bad-rows=101` })
    assert.match(over.text, /must be a number from 0 to 100/)
  })
})

/** Tags as a system of its own has them. */
const mapping = `
version: 1
collections:
  tags:
    from: { rows: TABLES }
    id: { key: [NO] }
    fields:
      name: TITLE
      createdAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
      updatedAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
`

describe('rows of another system', () => {
  const maps = mkdtempSync(join(tmpdir(), 'selvedge-maps-'))
  let service: TestIngest
  before(async () => {
    writeFileSync(join(maps, 'erp.map.yaml'), mapping.replace('TABLES', 'true'))
    writeFileSync(join(maps, 'cdc.map.yaml'), mapping.replace('TABLES', 'labels'))
    service = await openTestIngest({ INGEST_MAPS: maps })
  })
  after(async () => {
    await service.close()
    rmSync(maps, { recursive: true, force: true })
  })
  const row = (no: number, title: string) => ({
    NO: no,
    TITLE: title,
    CREATED: '2026-03-01 10:00',
  })
  const names = async () => (await service.stored('tags')).map(({ name }) => String(name)).sort()

  it('are mapped by the file that the request names', async () => {
    const sent = await service.send([row(1, 'Größe'), row(2, '尺码')], {
      query: 'map=erp',
      headers: waiting,
    })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    assert.deepEqual(await names(), ['Größe', '尺码'])
    const refused = await service.send([{ ...row(3, 'x'), CREATED: 'yesterday' }], {
      query: 'map=erp',
      headers: waiting,
    })
    assert.equal(refused.status, 422)
    assert.match(JSON.stringify(refused.body.details.problems), /CREATED/)
    const missing = await service.send([row(3, 'x')], { query: 'map=none', headers: waiting })
    assert.equal(missing.status, 422)
    assert.match(missing.body.error, /none\.map\.yaml/)
  })

  it('are changed and removed by signed events of Debezium, each once', async () => {
    const issued = await service.issue({ webhook: true })
    const secret = signingSecretOf(service.records.secret, issued.id)
    const event = (op: string, old: object | null, now: object | null) =>
      JSON.stringify({
        payload: { op, before: old, after: now, source: { schema: 'erp', table: 'labels' } },
      })
    const send = (id: string, body: string) => {
      const seconds = String(Math.floor(Date.now() / 1_000))
      const digest = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
        .update(`${id}.${seconds}.${body}`)
        .digest('base64')
      return service.send(body, {
        key: null,
        query: `map=cdc&key=${issued.id}`,
        headers: {
          ...waiting,
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': seconds,
          'webhook-signature': `v1,${digest}`,
        },
      })
    }
    const changed = await send('evt_1', event('u', row(1, 'Größe'), row(1, 'Taille')))
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const removed = await send('evt_2', event('d', row(2, '尺码'), null))
    assert.equal(removed.status, 200, JSON.stringify(removed.body))
    assert.deepEqual(await names(), ['Taille'])
    const again = await send('evt_1', event('u', row(1, 'Größe'), row(1, 'Taille')))
    assert.deepEqual([again.status, again.body.id], [200, changed.body.id])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  })
})
