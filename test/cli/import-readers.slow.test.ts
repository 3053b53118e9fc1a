/** Readers while others import: never held up, and never shown a state in between. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { countedMax } from '../../src/store/schema/collection-stats.ts'
import { ndjson, openSandbox, type Ran } from '../support/command.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { recordsOf } from '../support/page.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())
const place = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
after(() => place.close())

const busy = 'Another import or command is writing to the database.'
const again = 'This command waited for a few seconds. Run it again when the other has finished.'
const brand = 'aldermoor'
const [item] = recordsAt('order-items')
const orderId = `${item?.['orderId']}`
const itemsOf = (word: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...item, id: idOf(from + index), memo: word }))

const importing = (name: string, slug = brand) => [
  ...['import', name, '--brand', slug],
  ...['--replace', '--allow-removals'],
]

interface Seen {
  readonly word: string
  readonly total: number
  readonly ms: number
}

/** Reads page after page until stopped, and one more page then. Each is of one state. */
const readUntil = async (path: string, stopped: () => boolean): Promise<readonly Seen[]> => {
  const pages: Seen[] = []
  for (let last = false; !last; ) {
    last = stopped()
    const began = performance.now()
    const { status, body, text } = await service.get(path)
    const ms = performance.now() - began
    assert.equal(status, 200, text)
    const words = new Set(body.items.map(({ memo }: { memo: string }) => memo))
    assert.equal(words.size, 1, `${path} shows ${[...words].join(' and ')} on one page`)
    pages.push({ word: `${[...words][0]}`, total: body.totalItems, ms })
  }
  return pages
}

describe('a reader', () => {
  // Smaller than the totals that are kept, and larger than what is loaded with its indexes aside.
  const states = { small: countedMax / 2, large: 25_000, middle: 10_000 }

  const paths = [
    'order-items?limit=100',
    `order-items?limit=50&orderId=${orderId}`,
    'order-items?limit=20&itemType=product',
    'order-items?limit=10&include=order',
  ]

  before(async () => {
    for (const [word, count] of Object.entries(states)) {
      place.put({ [`${word}/order-items.ndjson`]: ndjson(itemsOf(word, 50, count)) })
    }
    // The story's shipments refer to its own order items, which these take the place of.
    const { code, stderr } = await place.runProcess([...importing('small'), '--allow-dangling'])
    assert.equal(code, 0, stderr)
    // The first answers of each kind have a validator of this test to compile.
    for (const path of paths) await service.get(path)
  })

  for (const [from, to] of [
    ['small', 'large'],
    ['large', 'middle'],
    ['middle', 'small'],
  ] as const) {
    it(`while ${states[to]} rows take the place of ${states[from]} is not held up and sees one state or the other`, async (t) => {
      let done = false
      const ended = place.runProcess([...importing(to), '--allow-dangling']).finally(() => {
        done = true
      })
      const walks = await Promise.all(paths.map((path) => readUntil(path, () => done)))
      const { code, stderr } = await ended
      assert.equal(code, 0, stderr)
      for (const pages of walks) {
        for (const { word, total } of pages) {
          assert.ok(word === from || word === to, word)
          assert.equal(total, states[word as keyof typeof states], word)
        }
        const words = pages.map(({ word }) => word)
        assert.deepEqual([...new Set(words)], [from, to])
        assert.ok(words.lastIndexOf(from) < words.indexOf(to), 'the state changed back')
      }
      const slowest = Math.max(...walks.flat().map(({ ms }) => ms))
      t.diagnostic(`${walks.flat().length} pages, slowest ${slowest.toFixed(0)} ms`)
      assert.ok(slowest < 1_000, `${slowest} ms`)
      const { body } = await service.get('order-items?limit=1')
      assert.equal(body.totalItems, states[to])
    })
  }

  it('sees nothing of an import that is refused', async () => {
    const items = itemsOf('refused', 50, 5_000)
    place.put({ 'refused/order-items.ndjson': `${ndjson(items)}{}\n` })
    const { headers } = await service.get('order-items?limit=5')
    let done = false
    const ended = place.runProcess(importing('refused')).finally(() => {
      done = true
    })
    const pages = await readUntil('order-items?limit=5', () => done)
    assert.equal((await ended).code, 1)
    assert.deepEqual([...new Set(pages.map(({ word }) => word))], ['small'])
    const later = await service.get('order-items?limit=5')
    assert.equal(later.headers.get('etag'), headers.get('etag'))
  })
})

describe('two imports at once', () => {
  const assertDoneOrBusy = ({ code, stderr }: Ran) => {
    if (code === 0) return
    assert.equal(code, 1)
    assert.equal(stderr, `${busy} ${again}\n`)
  }

  it('of the same brand come one after the other, or the second is refused', async () => {
    for (const word of ['one', 'two']) {
      place.put({ [`${word}/order-items.ndjson`]: ndjson(itemsOf(word, 50, 3_000)) })
    }
    for (let round = 0; round < 3; round += 1) {
      const both = await Promise.all(
        ['one', 'two'].map((word) => place.runProcess([...importing(word), '--allow-dangling'])),
      )
      both.forEach(assertDoneOrBusy)
      assert.ok(both.some(({ code }) => code === 0))
      const resource = resourceAt(catalog, 'order-items')
      const request = {
        resource,
        brand,
        filters: new Map(),
        limit: 3_000,
        after: null,
        include: [],
      }
      const page = await service.records.store.list(request)
      const words = new Set(recordsOf(page).map(({ memo }: { memo: string }) => memo))
      assert.deepEqual([words.size, page.total], [1, 3_000])
    }
  })

  it('of different brands are both done', async () => {
    const slugs = ['left', 'right']
    for (const [index, slug] of slugs.entries()) {
      place.put({
        [`${slug}/brand.ndjson`]: ndjson([brandRecord(slug, index + 10)]),
        [`${slug}/tags.ndjson`]: ndjson(
          Array.from({ length: 2_000 }, (_, number) => ({
            ...recordsAt('tags')[0],
            id: idOf(number),
            name: `${slug} ${number}`,
          })),
        ),
      })
    }
    const ran = await Promise.all(slugs.map((slug) => place.runProcess(importing(slug, slug))))
    for (const { code, stderr } of ran) assert.equal(code, 0, stderr)
    const storedState = await service.records.store.brands()
    assert.deepEqual(
      storedState.filter(({ slug }) => slugs.includes(slug)).map(({ own }) => own),
      [2_001, 2_001],
    )
  })

  it('into a database that neither has seen are both done', async () => {
    const fresh = openSandbox()
    try {
      for (const slug of ['left', 'right']) {
        fresh.put({ [`${slug}/brand.ndjson`]: ndjson([brandRecord(slug, 1)]) })
      }
      const ran = await Promise.all(
        ['left', 'right'].map((slug) => fresh.runProcess(importing(slug, slug))),
      )
      for (const { code, stderr } of ran) assert.equal(code, 0, stderr)
    } finally {
      fresh.close()
    }
  })

  it('of which the first takes long: the second waits for five seconds and says why it ends', async () => {
    place.put({ 'late/tags.ndjson': ndjson(recordsAt('tags')) })
    const { leases, write } = service.records.store
    const lease = { work: 'sync shop', holder: 'another process' }
    const until = Date.now() + 600_000
    await leases.take(brand, { ...lease, now: 0, until, hasEnded: () => false })
    await write(brand, async () => {
      const began = performance.now()
      const { code, stdout, stderr } = await place.runProcess(importing('late'))
      const holder = `At work: sync shop of the brand ${brand} (another process).`
      assert.deepEqual([code, stdout, stderr], [1, '', `${busy} ${holder} ${again}\n`])
      assert.ok(performance.now() - began >= 5_000)
    })
    await leases.release(brand, lease)
    assert.equal((await place.runProcess(importing('late'))).code, 0)
  })
})
