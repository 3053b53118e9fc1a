import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { catalog } from '#contract'
import { DatabaseError, openDatabase } from '#database'
import { type BatchQueue, IdempotencyConflictError } from '#intake'
import { createStore } from '#store'
import { createPreparer } from '../../src/intake/preparer.ts'
import { openQueueThread } from '../../src/server/queue-thread.ts'
import {
  bodyOf,
  contentOf,
  importShared,
  packed,
  type SentRequest,
  storyBrand,
  storyItems,
} from '../support/queue.ts'

describe('the thread of the queue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-queue-thread-'))
  const databaseUrl = `sqlite:${join(folder, 'records.db')}`
  const logged: string[] = []
  const options = {
    config: { databaseUrl },
    mapsFolder: null,
    log: (_level: string, sentence: string) => logged.push(sentence),
    onExit: (error: Error) => logged.push(error.message),
  }
  const records = openDatabase(databaseUrl)
  let queue: BatchQueue
  before(async () => {
    await importShared(await createStore(catalog, records, { recordsChanges: true }))
    queue = await openQueueThread(options)
  })
  after(async () => {
    await records.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const request = (more: Partial<SentRequest> = {}) =>
    packed({
      brand: storyBrand,
      keyId: 'k1',
      idempotencyKey: 'first',
      body: bodyOf(storyItems),
      collections: null,
      map: null,
      form: 'items',
      dryRun: false,
      ...more,
    })

  it('accepts and stores batches', async () => {
    const sent = await request()
    const { batch, repeated } = await queue.accept(sent)
    assert.equal(repeated, false)
    const finished = await queue.finished(storyBrand, batch.id, 300_000)
    assert.deepEqual([finished?.state, finished?.items], ['committed', storyItems.length])
    assert.deepEqual(await queue.find(storyBrand, batch.id), finished)
    const again = await queue.accept(await request())
    assert.deepEqual([again.repeated, again.batch], [true, finished])
    const store = await createStore(catalog, records)
    assert.ok((await contentOf(store)).size >= storyItems.length)
  })

  it('answers while a statement of a batch runs', async () => {
    const numbers = 'with recursive n(x) as (select 1 union all select x + 1 from n limit 1000000)'
    await records.write((session) =>
      session.run({
        text: `create trigger "slow" after insert on "tags" begin select count(*) from (${numbers} select x from n); end`,
        values: [],
      }),
    )
    const tag = storyItems.find(({ collection }) => collection === 'tags')
    const id = '7a0c3b1e-8d4f-4f0a-9c61-2f7f0e3b9d15'
    const item = { ...tag, id, record: { ...tag?.record, id, name: 'Slow', code: 'SLOW' } }
    const { batch } = await queue.accept(
      await request({ idempotencyKey: 'slow', body: bodyOf([item]) }),
    )
    let answers = 0
    let current = await queue.find(storyBrand, batch.id)
    for (; current?.finishedAt === null; answers += 1) {
      current = await queue.find(storyBrand, batch.id)
    }
    assert.equal(current?.state, 'committed')
    assert.ok(answers > 20, `${answers} answers`)
    await records.write((session) => session.run({ text: 'drop trigger "slow"', values: [] }))
  })

  it('throws the errors of the queue', async () => {
    await assert.rejects(queue.accept(await request({ dryRun: true })), (error: unknown) => {
      assert.ok(error instanceof IdempotencyConflictError)
      assert.match(error.message, /^The Idempotency-Key "first" belongs to an earlier request/)
      return true
    })
    await assert.rejects(
      openQueueThread({ ...options, config: { databaseUrl: `sqlite:${folder}` } }),
      DatabaseError,
    )
  })

  it('ends when it is closed, with everything that was accepted', async () => {
    const items = storyItems.filter(({ collection }) => collection === 'tags')
    const { batch } = await queue.accept(
      await request({ idempotencyKey: null, body: bodyOf(items) }),
    )
    await queue.close()
    await assert.rejects(queue.find(storyBrand, batch.id), /queue thread/)
    const next = await openQueueThread(options)
    assert.equal((await next.finished(storyBrand, batch.id, 300_000))?.state, 'committed')
    await next.close()
    assert.deepEqual(logged, [])
  })
})

const options = {
  form: 'items',
  map: null,
  collections: null,
  dryRun: false,
  park: false,
} as const

it('a body is moved to the thread that prepares it, and back: it is in memory once', async () => {
  const preparer = createPreparer({ catalog, mapsFolder: null })
  const tag = storyItems.find(({ collection }) => collection === 'tags')
  const line = bodyOf([tag ?? {}])
  const body = Buffer.from(new ArrayBuffer(line.length * 1_000)).fill(line)
  const { length } = body
  const batch = { id: 'b', brand: storyBrand, options, body }
  const { items, sources } = await preparer.prepare(batch, '2026-03-01T00:00:00.000Z')
  await preparer.close()
  assert.equal(items, 1_000)
  assert.equal(body.length, 0)
  assert.equal(sources[0]?.validated[0]?.canonical?.bytes.length, length)
})

it('a preparer that is closed fails what waits for its thread', async () => {
  const preparer = createPreparer({ catalog, mapsFolder: null })
  const body = Buffer.alloc(100_000, '\n')
  const batch = { id: 'b', brand: storyBrand, receivedAt: '', options, body }
  const prepared = [1, 2, 3].map(() => preparer.prepare(batch, '2026-03-01T00:00:00.000Z'))
  const ended = Promise.allSettled(prepared)
  // The first one has the thread now.
  await setImmediate()
  await preparer.close()
  assert.deepEqual(
    (await ended).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
})
