/** The sources of a brand's records, their units and the rows in quarantine, as the query API shows them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { type Database, openQueueDatabase } from '#database'
import { openUnits, type Units } from '#intake'
import { readServiceConfig } from '#server'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const pathOf = (rest = '', brand = 'aldermoor') => `${queryBasePath}/brands/${brand}/sources${rest}`
const folder = { kind: 'watch', name: '/srv/drop/aldermoor' } as const
const secretError =
  'The source database: password authentication failed for user "erp" (postgres://erp:s3cret@10.0.0.7/erp)'

let service: TestService
let queue: Database
let units: Units
let otherKey: string
/** How far the clock of the service is ahead, in milliseconds. */
let aheadMs = 0

/** Puts rows into quarantine whose tags are not stored. */
const park = (brand: string, ...tagIds: readonly string[]) =>
  service.records.store.write(brand, async (writer) => {
    const links = resourceAt(catalog, 'product-tags')
    const [link] = recordsAt('product-tags')
    await writer.stage(links, tagIds.map((tagId) => ({ ...link, tagId })) as never)
    const options = { park: [{ file: '/srv/drop/links.csv', source: folder }] }
    for await (const { isQuarantined } of writer.rejectInvalid(links, options)) {
      assert.ok(isQuarantined)
    }
    await writer.merge(links)
  })

const beginFile = (brand: string, name: string, source = folder.name) =>
  units.begin({ brand, kind: 'file', source, position: `${name} sha256:${'0'.repeat(64)}` })

const tagOf = (last: number) => `00000000-0000-4000-8000-00000000000${last}`

before(async () => {
  service = await openTestService({}, { now: () => Date.now() + aheadMs })
  const { store, database } = service.records
  const url = `sqlite:${service.folder}/selvedge.db`
  queue = openQueueDatabase(readServiceConfig({ DATABASE_URL: url }).databaseUrl, database)
  units = await openUnits({
    ...{ database: queue, store, holder: 'a test', now: Date.now, newId: randomUUID },
  })
  await service.write('other', { brand: [{ ...recordsAt('brand')[0], slug: 'other' }] as never })
  otherKey = await service.key('other')
})
after(async () => {
  await queue?.close()
  await service?.close()
})

describe('the sources of a brand', () => {
  it('are none before records come in continuously', async () => {
    const { status, body } = await service.get(pathOf())
    assert.equal(status, 200)
    assert.deepEqual(body, {
      needsAttention: false,
      sources: [],
      quarantine: { rows: 0, waiting: 0, groups: [] },
    })
    assert.deepEqual((await service.get(pathOf('/units'))).body, { items: [] })
    const { body: rows } = await service.get(pathOf('/rows'))
    assert.deepEqual(rows, { items: [], nextCursor: null, totalItems: 0 })
  })

  it('have their states, without errors and folders', async () => {
    const { store } = service.records
    await store.sources.update('aldermoor', folder, {
      state: 'idle',
      succeededAt: '2026-11-18T06:00:00.000Z',
      processed: 3,
      waiting: 2,
      behindSince: '2026-11-18T06:01:00.000Z',
    })
    assert.equal((await service.get(pathOf())).body.needsAttention, false)
    await store.sources.update(
      'aldermoor',
      { kind: 'sync', name: 'erp' },
      {
        ...{ state: 'failing', failedAt: '2026-11-18T06:02:00.000Z', error: secretError },
        cursor: 'secret cursor',
      },
    )
    const { body, text } = await service.get(pathOf())
    assert.equal(body.needsAttention, true)
    const nothing = { quarantinedUnits: 0, quarantinedRows: 0, waitingRows: 0, startedAt: null }
    assert.deepEqual(body.sources, [
      {
        ...{ kind: 'sync', name: 'erp', state: 'failing', succeededAt: null, behindSince: null },
        ...{ failedAt: '2026-11-18T06:02:00.000Z', waiting: 0, processed: 0, failed: 0 },
        ...nothing,
      },
      {
        ...{ kind: 'watch', name: 'aldermoor', state: 'idle', failedAt: null, failed: 0 },
        ...{ succeededAt: '2026-11-18T06:00:00.000Z', behindSince: '2026-11-18T06:01:00.000Z' },
        ...{ waiting: 2, processed: 3, ...nothing },
      },
    ])
    assert.doesNotMatch(text, /password|s3cret|10\.0\.0\.7|srv|cursor/)
  })

  it('have units with what they changed, without what engines said', async () => {
    const counts = { read: 4, unchanged: 1, parked: 0, unparked: 0 }
    const collections = [{ ...counts, collection: 'orders', added: 2, changed: 1, removed: 0 }]
    const held = await units.hold(await beginFile('aldermoor', 'orders.csv'), 'It has few rows.')
    assert.ok(await units.retry(held.id, true))
    const done = await beginFile('aldermoor', 'orders.csv')
    assert.ok(done.isAccepted)
    await units.finish(done, 'done', undefined, { collections, problems: [], problemCount: 0 })
    const reason = 'is not a date (see /srv/maps/erp.map.yaml)'
    const problem = {
      line: 3,
      field: '/orderDate',
      value: '31.02.',
      reason,
      severity: 'error',
    } as const
    const refused = await beginFile('aldermoor', 'late.csv')
    await units.finish(refused, 'refused', secretError, {
      ...{ collections: [], problemCount: 5 },
      problems: [{ ...problem, file: '/srv/drop/late.csv', mappingFile: '/srv/maps/erp.map.yaml' }],
    })
    let poison = await beginFile('aldermoor', 'poison.csv')
    while (poison.state !== 'quarantined') {
      poison = await units.fail(poison, new RangeError(secretError), 'unit')
      if (poison.state !== 'quarantined') poison = await beginFile('aldermoor', 'poison.csv')
    }
    const { body, text } = await service.get(pathOf('/units'))
    const [third, second, first] = body.items
    assert.equal(body.items.length, 3)
    assert.deepEqual(
      [first.title, first.state, first.source, first.groups],
      [
        'orders.csv',
        'done',
        { kind: 'watch', name: 'aldermoor' },
        [{ group: 'orders', read: 4, added: 2, changed: 1, removed: 0, quarantined: 0 }],
      ],
    )
    assert.deepEqual(
      [second.title, second.state, second.groups, second.problems, second.firstProblem],
      [
        'late.csv',
        'refused',
        [],
        5,
        {
          ...{ file: 'late.csv', line: 3, key: null, field: '/orderDate', column: null },
          value: '31.02.',
          ...{ reason: 'is not a date (see …/erp.map.yaml)', severity: 'error' },
        },
      ],
    )
    assert.deepEqual(
      [third.title, third.state, third.attempts, third.firstProblem],
      ['poison.csv', 'quarantined', 3, null],
    )
    assert.doesNotMatch(text, /password|s3cret|10\.0\.0\.7|srv/)
    const limited = await service.get(pathOf('/units?limit=1'))
    assert.deepEqual(limited.body.items, [third])
    const { sources } = (await service.get(pathOf())).body
    assert.deepEqual(
      sources.map(({ state, quarantinedUnits }: Record<string, unknown>) => [
        state,
        quarantinedUnits,
      ]),
      [
        ['failing', 0],
        ['failing', 1],
      ],
    )
  })

  it('have rows in quarantine, with what they wait for, in pages', async () => {
    for (const last of [1, 2, 3]) await park('aldermoor', tagOf(last))
    const { body } = await service.get(pathOf())
    assert.deepEqual(body.quarantine, {
      ...{ rows: 3, waiting: 3 },
      groups: [
        {
          group: 'product-tags',
          source: { kind: 'watch', name: 'aldermoor' },
          rows: 3,
          waiting: 3,
        },
      ],
    })
    const first = await service.get(pathOf('/rows?limit=2'))
    assert.deepEqual([first.body.items.length, first.body.totalItems], [2, 3])
    const nextPath = pathOf(`/rows?limit=2&cursor=${first.body.nextCursor}`)
    const next = await service.get(nextPath)
    assert.deepEqual([next.body.items.length, next.body.nextCursor], [1, null])
    // The next page is the same if the row before it is gone.
    const ids = [first.body.items[1].id]
    assert.equal(await service.records.store.quarantine.discard({ owner: 'aldermoor', ids }), 1)
    assert.deepEqual((await service.get(nextPath)).body.items, next.body.items)
    const all = [...first.body.items, ...next.body.items]
    assert.deepEqual(
      all.map(({ waitsFor }) => waitsFor.value).sort(),
      [1, 2, 3].map((last) => tagOf(last)),
    )
    assert.deepEqual(
      [all[0].group, all[0].file, all[0].waitsFor.group, 'row' in all[0], 'record' in all[0]],
      ['product-tags', 'links.csv', 'tags', false, false],
    )
    assert.doesNotMatch(first.text, /srv/)
    const others = await service.get(pathOf('/rows?group=orders'))
    assert.deepEqual([others.body.items, others.body.totalItems], [[], 0])
  })

  it('are not seen by a key of another brand', async () => {
    await park('other', tagOf(4))
    await service.records.store.sources.update('other', folder, { state: 'idle' })
    await units.finish(await beginFile('other', 'theirs.csv'), 'done')
    for (const rest of ['', '/units', '/rows']) {
      const foreign = await service.get(pathOf(rest), { key: otherKey })
      assert.equal(foreign.status, 401, rest)
      const own = await service.get(pathOf(rest))
      assert.ok(!own.text.includes('theirs') && !own.text.includes(tagOf(4)), own.text)
      const theirs = await service.get(pathOf(rest, 'other'), { key: otherKey })
      assert.equal(theirs.status, 200, rest)
      assert.doesNotMatch(theirs.text, /orders\.csv|poison|erp|0000000000[123]"/)
    }
    const { body } = await service.get(pathOf('/rows', 'other'), { key: otherKey })
    const [row] = body.items
    assert.ok(row.key.includes(tagOf(4)), row.key)
    // The place of another brand's row shows nothing of it.
    const cursor = Buffer.from(`${row.since} ${row.id}`).toString('base64url')
    const after = await service.get(pathOf(`/rows?cursor=${cursor}`))
    assert.deepEqual([after.status, after.body.items], [200, []])
  })

  it('have an ETag that changes with them', async () => {
    for (const rest of ['', '/units', '/rows']) {
      const etag = (await service.get(pathOf(rest))).headers.get('etag') ?? ''
      const again = await service.get(pathOf(rest), { headers: { 'if-none-match': etag } })
      assert.equal(again.status, 304, rest)
    }
    const before = (await service.get(pathOf())).headers.get('etag')
    await service.records.store.sources.update('aldermoor', folder, { processed: 1 })
    assert.notEqual((await service.get(pathOf())).headers.get('etag'), before)
  })

  it('are counted again after a while, if there are many rows', async () => {
    const ids = Array.from({ length: 1_000 }, (_, last) => String(last).padStart(12, '0'))
    await park('other', ...ids.map((id) => `00000000-0000-4000-9000-${id}`))
    const rows = async () =>
      (await service.get(pathOf('', 'other'), { key: otherKey })).body.quarantine.rows
    assert.equal(await rows(), 1_001)
    await service.records.store.quarantine.discard({ owner: 'other' })
    assert.equal(await rows(), 1_001)
    aheadMs += 60_000
    assert.equal(await rows(), 0)
    await park('other', tagOf(4))
    assert.equal(await rows(), 1)
  })

  it('refuse parameters that they do not have', async () => {
    for (const [rest, parameter] of [
      ['?limit=3', 'limit'],
      ['/units?limit=51', 'limit'],
      ['/units?cursor=a', 'cursor'],
      ['/rows?limit=0', 'limit'],
      ['/rows?group=order', 'group'],
      ['/rows?cursor=%27%20or%201', 'cursor'],
      ['/rows?cursor=0f3a92c41b7d', 'cursor'],
    ] as const) {
      const { status, body } = await service.get(pathOf(rest))
      assert.deepEqual([status, body.errorCode], [400, 'invalid_parameter'], rest)
      assert.ok(JSON.stringify(body).includes(`"${parameter}"`), JSON.stringify(body))
    }
  })
})
