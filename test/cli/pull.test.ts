/** A copy of a brand is what its API answers, however it came to be, and whatever came between. */
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { catalog, type Field, type JsonValue, type Resource, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { findSources, ingest, openReport } from '#ingest'
import { type Pulled, type PulledCollection, type PullOptions, PullRefused, pullBrand } from '#pull'
import { sharedOwner } from '#store'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { brandRecord, idOf, inOrder, recordsAt } from '../support/model.ts'
import { type FeedEntry, feedPut, openRelay, type Relay } from '../support/relay.ts'
import { openTestService, type TestService } from '../support/service.ts'

const brand = 'aldermoor'
const [tag] = recordsAt('tags')
const tagsFrom = (from: number, count: number, name = 'Of many') =>
  Array.from({ length: count }, (_, index) => ({ ...tag, id: idOf(from + index), name }))

let service: TestService
let key: string
let place: Sandbox
let relay: Relay
let targets = 0

before(async () => {
  service = await openTestService()
  key = await service.key(brand)
  place = openSandbox()
  // More than a page, so that a walk has a beginning, a middle and an end.
  await service.write(brand, { tags: tagsFrom(1, 450) })
  relay = await openRelay(service.url)
})
beforeEach(() => {
  relay.asked.length = 0
  relay.feed = null
  relay.meet = () => null
  relay.alter = (_target, passed) => passed
})
after(async () => {
  await relay.close()
  await service.close()
  place.close()
})

const newTarget = (ending = ''): string => {
  targets += 1
  return join(place.folder, `copy-${targets}${ending}`)
}

const firstCopies = new Map<string, string>()

/** A copy of a moment ago, to go on from. */
const newCopy = async (ending = ''): Promise<string> => {
  const first = firstCopies.get(ending) ?? newTarget(ending)
  if (!firstCopies.has(ending)) await pull(first)
  firstCopies.set(ending, first)
  const to = newTarget(ending)
  cpSync(first, to, { recursive: true })
  return to
}

const pull = (to: string, options: Partial<PullOptions> = {}): Promise<Pulled> =>
  pullBrand({
    catalog,
    url: relay.url,
    brand,
    key,
    to,
    full: false,
    allowHttp: false,
    process: process.pid,
    now: () => Date.UTC(2026, 5, 1),
    clock: () => performance.now(),
    chance: () => 0.5,
    say: () => undefined,
    onProgress: () => undefined,
    pauseMs: 1,
    ...options,
  })

const remove = (path: string, records: readonly DemoRecord[]): Promise<void> =>
  service.records.store.write(brand, async (writer) => {
    const resource = resourceAt(catalog, path)
    const keys = records.map((record) => resource.key.map((name) => String(record[name])))
    await writer.stageRemoval(resource, keys)
    await writer.merge(resource)
  })

const at = (pulled: Pulled, path: string): PulledCollection => {
  const found = pulled.collections.find(({ collection }) => collection === path)
  assert.ok(found)
  return found
}

/** What the API answers, collection by collection, as NDJSON. */
const answered = async (from = service): Promise<ReadonlyMap<string, string>> =>
  from.records.store.snapshot(brand, async (reader) => {
    const texts = new Map<string, string>()
    for (const resource of catalog.resources) {
      let text = ''
      for await (const bodies of reader.bodies(resource)) {
        text += bodies.map((body) => `${body}\n`).join('')
      }
      texts.set(resource.path, text)
    }
    return texts
  })

const fileOf = ({ path, scope }: Resource): string =>
  `${scope === 'shared' ? 'shared/' : ''}${path}.ndjson`

const inFolder = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    catalog.resources.map((resource) => [
      resource.path,
      readFileSync(join(folder, fileOf(resource)), 'utf8'),
    ]),
  )

/** The records of a SQLite copy, made again from their columns. */
const inFile = (file: string): ReadonlyMap<string, string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return new Map(
      catalog.resources.map(({ path, fields, key: identity }) => {
        const rows = database.prepare(`select * from "${path.replaceAll('-', '_')}"`).all()
        const records = rows.map((row) =>
          Object.fromEntries(
            Object.entries(fields).map(([name, field]) => [name, valueIn(field, row[name])]),
          ),
        )
        const lines = inOrder(identity, records as DemoRecord[])
        return [path, lines.map((record) => `${JSON.stringify(record)}\n`).join('')]
      }),
    )
  } finally {
    database.close()
  }
}

const valueIn = ({ kind }: Field, cell: unknown): JsonValue => {
  if (cell === null) return null
  if (kind === 'flag') return cell === 1
  const isJson = ['any', 'texts', 'object', 'objects'].includes(kind)
  return isJson ? JSON.parse(cell as string) : (cell as JsonValue)
}

const heldBy = (to: string) => (to.endsWith('.db') ? inFile(to) : inFolder(to))

const assertCopy = async (to: string): Promise<void> => {
  const [expected, held] = [await answered(), heldBy(to)]
  for (const [path, text] of expected) assert.equal(held.get(path), text, `${to}: ${path}`)
}

const forms = ['', '.db'] as const

describe('a pull', () => {
  it('into a folder writes the records byte for byte as they are served', async () => {
    const to = newTarget()
    const pulled = await pull(to)
    await assertCopy(to)
    assert.equal(pulled.collections.length, 93)
    const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
    assert.equal(manifest.complete, true)
    assert.equal(manifest.files.length, 93)
    for (const { collection, records } of manifest.files) {
      assert.equal(records, at(pulled, collection).records, collection)
      if (collection !== 'brand') {
        const { body } = await service.get(`${collection}?limit=1`)
        assert.equal(body.totalItems, records, collection)
      }
    }
  })

  it('and an import make a Selvedge that answers the same', async () => {
    const to = await newCopy()
    await pull(to)
    const other = await openTestService({}, { story: false })
    after(() => other.close())
    for (const [path, owner] of [
      [join(to, 'shared'), sharedOwner],
      [to, brand],
    ] as const) {
      const report = openReport(undefined)
      const sources = await findSources([path], { catalog, input: process.stdin })
      const flags = { replace: false, allowRemovals: false, dryRun: false, skipInvalid: false }
      const now = () => performance.now()
      const { store } = other.records
      await ingest({ store, sources, owner, report, now, allowDangling: false, ...flags })
      assert.deepEqual(report.first, [])
    }
    const there = await other.key(brand)
    for (const { path, lookup } of catalog.resources) {
      const target = lookup ? '' : `${path}?limit=100`
      const { body } = await other.get(target, { key: there })
      const { body: expected } = await service.get(target)
      assert.deepEqual(body.items ?? body, expected.items ?? expected, path)
      assert.equal(body.totalItems, expected.totalItems, path)
    }
  })

  it('into a SQLite file has a table for each collection, and its identity as the key', async () => {
    const to = newTarget('.db')
    await pull(to)
    await assertCopy(to)
    const database = new DatabaseSync(to, { readOnly: true })
    after(() => database.close())
    for (const { path, key: identity } of catalog.resources) {
      const columns = database
        .prepare('select name from pragma_table_info(?) where pk > 0 order by pk')
        .all(path.replaceAll('-', '_'))
      assert.deepEqual(
        columns.map(({ name }) => name),
        [...identity],
        path,
      )
    }
    const [row] = database
      .prepare(
        `select count(*) as items, sum(i.qty) as pieces, min(typeof(i.qty)) as type
         from orders o join order_items i on i.orderId = o.id`,
      )
      .all()
    const items = recordsAt('order-items')
    const pieces = items.reduce((sum, { qty }) => sum + Number(qty), 0)
    assert.deepEqual({ ...row }, { items: items.length, pieces, type: 'integer' })
  })

  for (const ending of forms) {
    it(`into ${ending || 'a folder'} asks only whether anything changed, and reads what did`, async () => {
      const to = await newCopy(ending)
      await pull(to)
      const again = await pull(to)
      assert.equal(
        again.collections.reduce((sum, { read }) => sum + read, 0),
        0,
      )
      assert.ok(again.requests <= 95, `${again.requests} requests`)
      const untouched = ending ? 0 : statSync(join(to, 'orders.ndjson')).mtimeMs

      const [first, second] = recordsAt('product-tags')
      assert.ok(first && second)
      await remove('product-tags', [first])
      await service.write(brand, {
        tags: [...tagsFrom(1, 2, 'Renamed'), ...tagsFrom(9_000, 3)],
      })
      const { collections, ...rest } = await pull(to)
      const { seconds, ...tags } = at({ collections, ...rest }, 'tags')
      assert.deepEqual(tags, {
        collection: 'tags',
        read: tags.records,
        new: 3,
        changed: 2,
        removed: 0,
        unchanged: tags.records - 5,
        records: tags.records,
        moving: false,
      })
      assert.equal(at({ collections, ...rest }, 'product-tags').removed, 1)
      for (const { collection, read } of collections) {
        assert.equal(read > 0, ['tags', 'product-tags'].includes(collection), collection)
      }
      await assertCopy(to)
      if (!ending) assert.equal(statSync(join(to, 'orders.ndjson')).mtimeMs, untouched)
      await remove('tags', tagsFrom(9_000, 3))
      await service.write(brand, { 'product-tags': [first], tags: tagsFrom(1, 2) })
      assert.equal(at(await pull(to), 'tags').removed, 3)
      await assertCopy(to)
    })
  }

  it('is readable by its owner alone, and leaves the mode of a folder that is there', async () => {
    const made = newTarget()
    const kept = newTarget()
    mkdirSync(kept, { mode: 0o750 })
    const file = newTarget('.db')
    for (const to of [made, kept, file]) await pull(to)
    assert.equal(statSync(kept).mode & 0o777, 0o750)
    const inside = [made, kept].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    for (const path of [made, file, ...inside]) {
      const there = statSync(path)
      assert.equal(there.mode & 0o777, there.isDirectory() ? 0o700 : 0o600, path)
    }
  })

  it('writes a file again that somebody took away', async () => {
    const to = await newCopy()
    rmSync(join(to, 'tags.ndjson'))
    await pull(to)
    await assertCopy(to)
  })
})

describe('a pull while others write', () => {
  /** Writes to the tags whenever a later page of them is read, so many times. */
  const disturb = (times: number) => {
    let left = times
    relay.meet = async (target) => {
      if (/\/tags\?.*cursor=/.test(target) && left > 0) {
        left -= 1
        await service.write(brand, { tags: tagsFrom(1, 1, `Disturbed ${left}`) })
      }
      return null
    }
  }

  it('reads a collection again that was changed on the way', async () => {
    const to = await newCopy()
    await service.write(brand, { tags: tagsFrom(1, 1, 'New') })
    disturb(1)
    const said: string[] = []
    const pulled = await pull(to, { say: (sentence) => said.push(sentence) })
    assert.match(said.join('\n'), /tags was changed while it was read/)
    assert.equal(at(pulled, 'tags').moving, false)
    await assertCopy(to)
  })

  it('takes what it has after three walks if the numbers are right, and says so', async () => {
    const to = await newCopy('.db')
    await service.write(brand, { tags: tagsFrom(1, 1, 'Newer') })
    disturb(1_000)
    const pulled = await pull(to)
    assert.equal(at(pulled, 'tags').moving, true)
    assert.equal(relay.asked.filter((target) => /\/tags\?/.test(target)).length <= 3 * 6 + 1, true)
    relay.meet = () => null
    const again = await pull(to)
    assert.equal(at(again, 'tags').moving, false)
    assert.ok(at(again, 'tags').read > 0, 'what was moving is read again')
    await assertCopy(to)
  })

  it('has every record that stays exactly once, under a writer that never stops', async () => {
    const to = await newCopy('.db')
    let running = true
    const writer = (async () => {
      for (let round = 0; running; round += 1) {
        const passing = tagsFrom(20_000 + (round % 7) * 10, 10, `Passing ${round}`)
        if (round % 2 === 0) await service.write(brand, { tags: passing })
        else await remove('tags', tagsFrom(20_000 + ((round - 1) % 7) * 10, 10))
        await new Promise((done) => setTimeout(done, 3))
      }
    })()
    const outcome = await pull(to).catch((error: unknown) => error)
    running = false
    await writer
    if (outcome instanceof PullRefused) assert.match(outcome.message, /^tags: the API has/)
    else {
      assert.ok(!(outcome instanceof Error), String(outcome))
      const held = inFile(to).get('tags')?.trim().split('\n') ?? []
      const ids = held.map((line) => JSON.parse(line).id)
      assert.equal(new Set(ids).size, ids.length)
      for (const { id } of tagsFrom(1, 450)) assert.ok(ids.includes(id), id)
    }
    await remove('tags', tagsFrom(20_000, 70))
    await pull(to)
    await assertCopy(to)
  })
})

describe('a pull that is killed', () => {
  for (const [ending, feed] of [
    ['', false],
    ['.db', true],
  ] as const) {
    const way = `${ending || 'a folder'}${feed ? ' by the feed' : ''}`
    it(`into ${way} goes on where it was, and shows nothing half done`, async () => {
      const to = feed ? newTarget(ending) : await newCopy(ending)
      if (feed) relay.feed = await everything()
      await pull(to)
      const whole = heldBy(to)
      await service.write(brand, { tags: tagsFrom(1, 450, `Killed ${way}`) })
      relay.feed?.push(...tagsFrom(1, 450, `Killed ${way}`).map((each) => feedPut('tags', each)))
      relay.feed?.push(
        ...Array.from({ length: 900 }, () =>
          feedPut('tags', tagsFrom(1, 1, `Killed ${way}`)[0] ?? {}),
        ),
      )

      const reached = Promise.withResolvers<void>()
      let pages = 0
      relay.meet = (target) => {
        if (!/\/tags\?.*cursor=|changes\?.*cursor=/.test(target)) return null
        pages += 1
        if (pages < (feed ? 2 : 3)) return null
        reached.resolve()
        return new Promise(() => undefined)
      }
      relay.asked.length = 0
      const started = place.start(pullArguments(to))
      started.child.stdin?.end(key)
      await reached.promise
      started.child.kill('SIGKILL')
      await started.ended
      for (const [path, text] of whole) assert.equal(heldBy(to).get(path), text, path)
      const before = new Set(relay.asked.filter((target) => /cursor=/.test(target)))
      before.delete([...before].at(-1) ?? '')

      relay.meet = () => null
      relay.asked.length = 0
      assert.equal(at(await pull(to), 'tags').changed, 450)
      const twice = relay.asked.filter((target) => before.has(target))
      assert.deepEqual(twice, [], 'a page was asked for twice')
      await assertCopy(to)
      await service.write(brand, { tags: tagsFrom(1, 450) })
    })
  }

  it('after its last request leaves every file as it was or as it will be', async () => {
    for (const ms of killedAfterMs) {
      const to = await newCopy()
      await pull(to)
      const before = heldBy(to)
      await service.write(brand, { tags: tagsFrom(1, 450, `Killed after ${ms}`) })
      const last = Promise.withResolvers<void>()
      let times = 0
      relay.meet = (target) => {
        // The brand is asked for first, to see whether it is there, and last, to be copied.
        if (target.endsWith(`/brands/${brand}`)) times += 1
        if (times === 2) last.resolve()
        return null
      }
      const started = place.start(pullArguments(to))
      started.child.stdin?.end(key)
      await last.promise
      await new Promise((done) => setTimeout(done, ms))
      started.child.kill('SIGKILL')
      await started.ended
      relay.meet = () => null
      const now = await answered()
      for (const [path, text] of heldBy(to)) {
        assert.ok(text === before.get(path) || text === now.get(path), `${path} after ${ms} ms`)
      }
      await pull(to)
      await assertCopy(to)
    }
    await service.write(brand, { tags: tagsFrom(1, 450) })
  })
})

/** When a pull is killed, counted from its last request. */
const killedAfterMs = (process.env['SELVEDGE_KILL_MS'] ?? '4,40').split(',').map(Number)

const pullArguments = (to: string, ...more: readonly string[]): readonly string[] => [
  'pull',
  '--url',
  relay.url,
  '--brand',
  brand,
  '--to',
  to,
  '--key',
  '-',
  '--json',
  ...more,
]

/** A feed from its beginning: all there is. */
const everything = async (): Promise<FeedEntry[]> =>
  [...(await answered())].flatMap(([path, text]) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => feedPut(path, JSON.parse(line))),
  )

describe('a pull by a change feed', () => {
  for (const ending of forms) {
    it(`into ${ending || 'a folder'} takes everything at first and then what changed`, async () => {
      relay.feed = await everything()
      const to = newTarget(ending)
      const first = await pull(to)
      assert.equal(first.feed, true)
      assert.ok(!relay.asked.some((target) => /limit=100&|limit=100$/.test(target)), 'it walked')
      await assertCopy(to)

      const [gone, other] = recordsAt('product-tags')
      assert.ok(gone && other)
      await service.write(brand, { tags: tagsFrom(1, 2, 'Fed') })
      await remove('product-tags', [gone])
      relay.feed.push(...tagsFrom(1, 2, 'Fed').map((each) => feedPut('tags', each)), {
        ...feedPut('product-tags', gone),
        operation: 'remove',
      })
      const second = await pull(to)
      assert.equal(at(second, 'tags').changed, 2)
      assert.equal(at(second, 'tags').read, 2)
      assert.equal(at(second, 'product-tags').removed, 1)
      await assertCopy(to)
      await service.write(brand, { tags: tagsFrom(1, 2), 'product-tags': [gone] })
    })
  }

  it('reads the list of a collection that the feed did not tell all of', async () => {
    const all = await everything()
    relay.feed = all.filter(({ collection }) => collection !== 'countries')
    const said: string[] = []
    const to = newTarget('.db')
    await pull(to, { say: (sentence) => said.push(sentence) })
    assert.deepEqual(said, ['countries: the feed did not tell all; reading the list.'])
    await assertCopy(to)

    const [gone] = recordsAt('product-tags')
    assert.ok(gone)
    await remove('product-tags', [gone])
    relay.feed.push({
      collection: 'product-tags',
      id: 'in a form of tomorrow',
      operation: 'remove',
    })
    relay.feed.push({ collection: 'a-group-of-tomorrow', id: 'x', operation: 'remove' })
    assert.equal(at(await pull(to), 'product-tags').removed, 1)
    await assertCopy(to)
    await service.write(brand, { 'product-tags': [gone] })
  })

  it('begins anew when the feed has lost its place, and walks when it is off', async () => {
    relay.feed = await everything()
    const to = newTarget()
    await pull(to)
    await service.write(brand, { tags: tagsFrom(1, 1, 'After a restore') })
    relay.feed = (await everything()).slice().reverse()
    relay.feed.length -= 1
    const said: string[] = []
    const pulled = await pull(to, { say: (sentence) => said.push(sentence) })
    assert.match(said[0] ?? '', /does not know any more where this copy stands/)
    assert.equal(at(pulled, 'tags').changed, 1)
    await assertCopy(to)
    relay.feed = null
    const walked = await pull(to)
    assert.equal(walked.feed, false)
    await assertCopy(to)
    await service.write(brand, { tags: tagsFrom(1, 1) })
  })

  it('refuses a feed that it does not understand', async () => {
    relay.feed = [{ collection: 'tags', id: 'x', operation: 'merge' }]
    await assert.rejects(pull(newTarget()), /no change feed that this release understands/)
  })

  it('of the real service is as exact', async () => {
    const fed = await openTestService({ CHANGE_FEED: 'on' })
    after(() => fed.close())
    const options = { url: fed.url, key: await fed.key(brand) }
    for (const ending of forms) {
      const to = newTarget(ending)
      const first = await pull(to, options)
      assert.equal(first.feed, true)
      const [gone] = recordsAt('product-tags')
      assert.ok(gone)
      await fed.write(brand, { tags: tagsFrom(1, 5, 'Really fed') })
      await fed.records.store.write(brand, async (writer) => {
        const resource = resourceAt(catalog, 'product-tags')
        await writer.stageRemoval(resource, [resource.key.map((name) => String(gone[name]))])
        await writer.merge(resource)
      })
      const second = await pull(to, options)
      assert.equal(at(second, 'tags').read, 5)
      assert.equal(at(second, 'product-tags').removed, 1)
      const held = heldBy(to)
      for (const [path, text] of await answered(fed)) assert.equal(held.get(path), text, path)
      await fed.write(brand, { 'product-tags': [gone] })
      await fed.records.store.write(brand, async (writer) => {
        const resource = resourceAt(catalog, 'tags')
        await writer.stageRemoval(
          resource,
          tagsFrom(1, 5).map(({ id }) => [id]),
        )
        await writer.merge(resource)
      })
    }
  })
})

describe('a pull counts', () => {
  it('and names the collection whose total is another; the copy stays as it was', async () => {
    for (const ending of forms) {
      const to = await newCopy(ending)
      relay.alter = (_target, passed) => passed
      await pull(to)
      const before = heldBy(to)
      await service.write(brand, { tags: tagsFrom(1, 1, `Miscounted${ending}`) })
      relay.alter = (target, passed) =>
        /\/tags\?/.test(target) && passed.status === 200
          ? {
              ...passed,
              body: passed.body.replace(/"totalItems":(\d+)/, (_, n) => `"totalItems":${+n + 1}`),
            }
          : passed
      await assert.rejects(pull(to), /^Error: tags: the API has \d+ records, the copy has \d+\./)
      for (const [path, text] of before) assert.equal(heldBy(to).get(path), text, path)
    }
    await service.write(brand, { tags: tagsFrom(1, 1) })
  })

  it('and refuses a list that has a record twice; the copy stays as it was', async () => {
    const to = await newCopy()
    await service.write(brand, { tags: tagsFrom(1, 1, 'Newer') })
    relay.alter = (target, answer) => {
      if (!target.includes('/tags?') || answer.status !== 200) return answer
      const body = JSON.parse(answer.body)
      body.items[1] = body.items[0]
      return { ...answer, body: JSON.stringify(body) }
    }
    await assert.rejects(pull(to), /^Error: The list of tags has the record .* twice/)
    relay.alter = (_target, passed) => passed
    await service.write(brand, { tags: tagsFrom(1, 1) })
    await assertCopy(to)
  })

  it('and gives an older copy the columns that the contract has got since', async () => {
    const to = await newCopy('.db')
    const copy = new DatabaseSync(to)
    copy.exec('alter table "tags" drop column "code"')
    copy.exec('update "tags" set "name" = \'of before\'')
    copy.close()
    assert.ok(at(await pull(to), 'tags').changed > 0)
    assert.equal(heldBy(to).get('tags'), (await answered()).get('tags'))
  })

  it('and notices a copy that somebody changed; --full mends it', async () => {
    const to = await newCopy('.db')
    const database = new DatabaseSync(to)
    database.exec("delete from countries where code = 'IS'")
    database.close()
    await assert.rejects(pull(to), /countries: the API has 249 records, the copy has 248/)
    assert.equal(at(await pull(to, { full: true }), 'countries').new, 1)
    await assertCopy(to)
  })
})

describe('a pull over a bad line', () => {
  it('waits for the limit of its key', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '40', RATE_BURST: '30' })
    after(() => slow.close())
    const pulled = await pull(newTarget(), { url: slow.url, key: await slow.key(brand) })
    assert.ok(pulled.requests > 95, 'it was never told to wait')
  })

  it('tries again after failures, broken answers and lost connections', async () => {
    let turn = 0
    relay.meet = () => {
      turn += 1
      if (turn % 5 === 0) return { status: 503, body: 'down' }
      if (turn % 7 === 0) throw new Error('cut off')
      return null
    }
    const to = newTarget()
    await pull(to)
    relay.meet = () => null
    await assertCopy(to)
  })

  it('asks for smaller pages where records are too large for one response', async () => {
    const refuse = (isRefused: (limit: number, target: string) => boolean) => {
      relay.meet = (target) => {
        const limit = Number(/\/tags\?limit=(\d+)/.exec(target)?.[1] ?? 0)
        if (!isRefused(limit, target)) return null
        const error = 'The response would have more than 33554432 bytes.'
        return { status: 400, body: JSON.stringify({ error, errorCode: 'page_too_large' }) }
      }
    }
    for (const isRefused of [
      (limit: number) => limit > 30,
      // Only of a later page.
      (limit: number, target: string) => limit > 60 && target.includes('cursor='),
    ]) {
      refuse(isRefused)
      const to = newTarget()
      await pull(to)
      relay.meet = () => null
      await assertCopy(to)
    }
    refuse((limit) => limit > 0)
    await assert.rejects(pull(newTarget()), /\/tags\?limit=1 answered 400\. The response would/)
    relay.meet = () => null
  })

  it('gives up after a number of tries, and says what came', async () => {
    relay.meet = (target) => (/orders/.test(target) ? { status: 500, body: '' } : null)
    await assert.rejects(pull(newTarget()), /\/orders\?limit=100 answered 500, again and again/)
    assert.equal(relay.asked.filter((target) => /\/orders\?/.test(target)).length, 7)
  })
})

describe('a pull refuses', () => {
  const refusedAs = async (options: Partial<PullOptions>, reason: RegExp, to = newTarget()) => {
    await assert.rejects(pull(to, options), (error: unknown) => {
      assert.ok(error instanceof PullRefused, String(error))
      assert.match(error.message, reason)
      return true
    })
    return to
  }

  it('a wrong key, a key of another brand and a brand that is not there', async () => {
    const to = await refusedAs({ key: 'slv_wrong' }, /^The key is not accepted\. The API key is/)
    assert.equal(existsSync(to), false, 'nothing is made for a wrong key')
    await service.write('other', { brand: [brandRecord('other', 99)] })
    await refusedAs({ key: await service.key('other') }, /^The key may not read this brand\.$/)
    await refusedAs({ key: await service.key(), brand: 'nobody' }, /^There is no brand nobody at/)
    await refusedAs({ brand: 'No Slug' }, /is no brand's slug/)
  })

  it('addresses that are none, or not of a Selvedge', async () => {
    await refusedAs({ url: 'records' }, /^records is no address such as https/)
    await refusedAs({ url: 'ftp://records' }, /is no address/)
    await refusedAs({ url: `${relay.url}?x=1` }, /has a name, a password, a query/)
    await refusedAs({ url: `${relay.url}/api/public/v1/brands/other` }, /not the brand aldermoor/)
    await refusedAs({ url: 'http://127.0.0.1:9' }, /cannot be reached/)
    await refusedAs({ url: 'http://192.0.2.1' }, /is plain HTTP: everybody on the way/)
    for (const [status, headers, body, reason] of [
      [200, { 'content-type': 'text/html' }, '<p>Hello', /^There is no Selvedge at .* text\/html/],
      [404, { 'content-type': 'text/html' }, '<p>Lost', /^There is no Selvedge at .* 404/],
      [200, { 'content-type': 'application/json' }, '{"slug":"another"}', /is not a brand/],
      [302, { location: 'https://elsewhere.example' }, '', /redirects to https:\/\/elsewhere/],
    ] as const) {
      const other = createServer((_, response) => response.writeHead(status, headers).end(body))
      await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
      const { port } = other.address() as AddressInfo
      await refusedAs({ url: `http://localhost:${port}` }, reason)
      other.closeAllConnections()
      other.close()
    }
  })

  it('places that hold something else', async () => {
    const folder = newTarget()
    mkdirSync(folder)
    writeFileSync(join(folder, 'thesis.txt'), 'years of work')
    await refusedAs({}, /is not empty and no copy of a brand/, folder)
    const file = newTarget('.txt')
    writeFileSync(file, 'x')
    await refusedAs({}, /is a file\. Name a folder/, file)
    const text = newTarget('.db')
    writeFileSync(text, 'not a database, but long enough to be looked at as one '.repeat(40))
    await refusedAs({}, /cannot be used as a SQLite file/, text)
    const foreign = newTarget('.db')
    const database = new DatabaseSync(foreign)
    database.exec('create table mine (x)')
    database.close()
    await refusedAs({}, /is a database, but no copy of a brand/, foreign)
  })

  it('a copy of another brand or from another place, and two pulls at once', async () => {
    const to = await newCopy()
    await service.write('other', { brand: [brandRecord('other', 99)] })
    const anyKey = await service.key()
    await refusedAs({ brand: 'other', key: anyKey }, /is a copy of the brand aldermoor/, to)
    await refusedAs({ url: service.url }, /is a copy from .*, not from .* --full/, to)
    await pull(to, { url: service.url, full: true })
    await assertCopy(to)
    writeFileSync(join(to, '.selvedge-pull.db.lock'), `${process.ppid}\n`)
    await refusedAs({ url: service.url }, /Another pull \(process \d+\) is making this copy/, to)
    writeFileSync(join(to, '.selvedge-pull.db.lock'), '999999999\n')
    await pull(to, { url: service.url })
  })
})

describe('selvedge pull', () => {
  it('takes the key from the environment or standard input, and prints a table or JSON', async () => {
    const to = newTarget()
    place.environment['SELVEDGE_KEY'] = key
    const base = ['pull', '--url', `${relay.url}/api/public/v1/brands/aldermoor`, '--brand', brand]
    const first = await place.run([...base, '--to', to])
    delete place.environment['SELVEDGE_KEY']
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /^collection +read +new +changed +removed +unchanged +seconds\n/)
    assert.match(first.stdout, /^countries +249 +249 +0 +0 +0 +\d/m)
    assert.match(first.stdout, /holds 1,296 records of aldermoor, as many as the API counts\./)
    assert.match(first.stderr, /^countries: 249 records in/m)
    const second = await place.run([...base, '--to', to, '--key', '-'], `${key}\n`)
    assert.match(second.stdout, /Nothing has changed \(\d+ requests\)\.\n$/)
    const third = await place.run(pullArguments(to), key)
    assert.equal(third.stdout.trim().split('\n').length, 1)
    assert.equal(JSON.parse(third.stdout).collections.length, 93)
    assert.equal(third.stderr, '')
  })

  it('ends with 2 without a key, and with 1 when it is refused', async () => {
    const without = await place.run(['pull', '--url', relay.url, '--brand', brand, '--to', 'x'])
    assert.equal(without.code, 2)
    assert.match(without.stderr, /^There is no key\. Set SELVEDGE_KEY/)
    const refused = await place.run(pullArguments(newTarget()), 'slv_wrong')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^The key is not accepted/)
  })
})
