/**
 * Followers of the change feed while several importers write: whatever the order, the pages and the
 * pauses, each ends with what the lists answer, sees nothing of another brand, and nothing go back.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { ownerNumber, sharedOwner } from '#store'
import { ndjson, openSandbox } from '../support/command.ts'
import {
  assertSame,
  type Copy,
  type FeedItem,
  follow,
  identityIn,
  readLists,
} from '../support/feed.ts'
import { brandRecord, idOf, recordsAt, seeded } from '../support/model.ts'
import { openPostgres } from '../support/postgres.ts'
import type { TestService } from '../support/service.ts'
import { openTestService, patient } from '../support/service.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_115)
const runs = Number(process.env['SELVEDGE_FEED_RUNS'] ?? 12)
const writerFile = new URL('../support/feed-writer.ts', import.meta.url)

const own = ['tags', 'partners', 'product-relations'] as const
const paths = ['brand', ...own, 'couriers'] as const

const postgres = await openPostgres()
after(() => postgres.close())

for (const [engine, databaseUrl] of [
  ['SQLite', async () => null],
  ['PostgreSQL', () => postgres.url('feed_model')],
] as const) {
  describe(`followers of the change feed on ${engine}`, () => {
    it('end with what the lists answer, whatever importers do meanwhile', async (test) => {
      const url = await databaseUrl()
      const service = await openTestService(
        { CHANGE_FEED: 'on', ...(url && { DATABASE_URL: patient(url) }) },
        { story: false },
      )
      test.after(() => service.close())
      for (const [index, slug] of ['mine', 'theirs'].entries()) {
        await service.write(slug, { brand: [brandRecord(slug, 900 + index)] })
      }
      const at = url ?? `sqlite:${join(service.folder, 'selvedge.db')}`
      const place = openSandbox(at)
      test.after(() => place.close())
      await checkModel(test, service, at, place)
    })
  })
}

const checkModel = async (
  test: TestContext,
  service: TestService,
  databaseUrl: string,
  place: ReturnType<typeof openSandbox>,
): Promise<void> => {
  const draw = seeded(seed)
  const key = await service.key('mine')
  const theirs = await service.key('theirs')
  const writers = [
    ['mine', own.join()],
    ['mine', own.join()],
    ['theirs', own.join()],
    [sharedOwner, 'couriers'],
  ].map(([owner = '', of = ''], index) =>
    fork(writerFile, [databaseUrl, owner, of, String(seed + index), String(runs)]),
  )
  test.after(() => {
    for (const writer of writers) writer.kill()
  })
  let writing = true
  const ended = Promise.all(writers.map(endOf)).finally(() => {
    writing = false
  })
  const followers = [
    ...[1, 2, 3].map((number) =>
      followAtRandom({ service, brand: 'mine', key, seed: seed * number }, () => writing),
    ),
    followAtRandom({ service, brand: 'theirs', key: theirs, seed }, () => writing),
  ]
  /** One of each collection, from the beginning to the end, beside one of all. */
  const steady = follow(service, { brand: 'mine', key })
  const items: FeedItem[] = []
  const exported = exportWhile(place, () => wait(200 + draw(800)))
  while (writing) {
    items.push(...(await steady.step(1 + draw(30))).items)
    await wait(draw(5))
  }
  await ended
  items.push(...(await steady.catchUp()))

  const wanted = await readLists(service, 'mine', key, paths)
  const wantedTheirs = await readLists(service, 'theirs', theirs, paths)
  assert.ok(wanted.size > 50, 'the importers have written something')
  assertSame(steady.copy, wanted, 'the one that followed all the way')
  assertNeverBack(items)
  for (const [index, { copy, seen }] of (await Promise.all(followers)).entries()) {
    const [same, foreign] = index < 3 ? [wanted, '"theirs '] : [wantedTheirs, '"mine ']
    assertSame(copy, same, `follower ${index}`)
    for (const text of seen) assert.ok(!text.includes(foreign), text)
  }
  const replay = follow(service, { brand: 'mine', key })
  const all = await replay.catchUp(7)
  assertSame(replay.copy, wanted, 'a replay')
  const names = all.map(({ collection, id }) => `${collection} ${id}`)
  assert.equal(new Set(names).size, names.length, 'each record stands in the feed once')
  for (const collection of paths) {
    const one = await follow(service, { brand: 'mine', key, collection }).catchUp(11)
    assert.deepEqual(
      one,
      all.filter((item) => item.collection === collection),
    )
  }
  const { copy, cursor } = await exported
  const later = follow(service, { brand: 'mine', key, copy, cursor })
  await later.catchUp(13)
  assertSame(later.copy, wanted, 'an export and what followed')
}

const endOf = (writer: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    writer.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new RangeError(`A writer ended with ${code}.`))
    })
  })

interface Restless {
  readonly service: TestService
  readonly brand: string
  readonly key: string
  readonly seed: number
}

/** Follows with pages of any size, now and then from where it last noted, or from the beginning. */
const followAtRandom = async (
  { service, brand, key, seed: own }: Restless,
  isWriting: () => boolean,
): Promise<{ readonly copy: Copy; readonly seen: ReadonlySet<string> }> => {
  const draw = seeded(own)
  const seen = new Set<string>()
  let follower = follow(service, { brand, key })
  let noted = { copy: new Map(follower.copy), cursor: follower.cursor }
  const step = async (limit: number) => {
    const { items, hasMore } = await follower.step(limit)
    for (const { record } of items) if (record) seen.add(JSON.stringify(record))
    return hasMore
  }
  while (isWriting()) {
    await step(1 + draw(40))
    if (draw(5) === 0) noted = { copy: new Map(follower.copy), cursor: follower.cursor }
    if (draw(15) === 0) {
      follower = follow(service, { brand, key, ...noted, copy: new Map(noted.copy) })
    }
    if (draw(60) === 0) follower = follow(service, { brand, key })
    await wait(draw(8))
  }
  while (await step(1 + draw(40)));
  return { copy: follower.copy, seen }
}

/** What one writer said in a run comes before what it said in a later one. */
const assertNeverBack = (items: readonly FeedItem[]): void => {
  const last = new Map<string, number>()
  for (const { record } of items) {
    const [, writer, run] = /^(\S+ \d+) (\d+)$/.exec(String(record?.['name'] ?? '')) ?? []
    if (writer === undefined) continue
    assert.ok(Number(run) >= (last.get(writer) ?? 0), `${writer} went back to ${run}`)
    last.set(writer, Number(run))
  }
  assert.equal(last.size, 3)
}

/** An export by the command line, while others write. */
const exportWhile = async (
  place: ReturnType<typeof openSandbox>,
  begin: () => Promise<unknown>,
): Promise<{ readonly copy: Copy; readonly cursor: string }> => {
  await begin()
  const { code, stderr } = await place.run(['export', 'out', '--brand', 'mine', '--json'])
  assert.equal(code, 0, stderr)
  const folder = join(place.folder, 'out')
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  assert.equal(typeof manifest.feedCursor, 'string')
  const copy: Copy = new Map()
  for (const { collection, file } of manifest.files) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)) {
      copy.set(`${collection} ${identityIn(collection, JSON.parse(line))}`, line)
    }
  }
  return { copy, cursor: manifest.feedCursor }
}

describe('an importer that is killed', () => {
  it('leaves the feed and the records in agreement', async (test) => {
    const service = await openTestService({ CHANGE_FEED: 'on' })
    const key = await service.key('aldermoor')
    const place = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
    test.after(async () => {
      await service.close()
      place.close()
    })
    const draw = seeded(seed)
    const [tag] = recordsAt('tags')
    const follower = follow(service, { brand: 'aldermoor', key })
    for (const round of [0, 1, 2, 3]) {
      const tags = Array.from({ length: 2_000 }, (_, number) => ({
        ...tag,
        id: idOf(number + round * 500),
        name: `round ${round} ${number}`,
      }))
      place.put({ 'in/tags.ndjson': ndjson([...recordsAt('tags'), ...tags]) })
      const started = place.start([
        ...['import', 'in', '--brand', 'aldermoor'],
        ...['--replace', '--allow-removals'],
      ])
      // Before its transaction, within it, or after; the last one is left alone.
      if (round < 3) {
        await started.said('tags.ndjson: ')
        await wait(draw(60))
        started.child.kill('SIGKILL')
      }
      const { code, stderr } = await started.ended
      if (round === 3) assert.equal(code, 0, stderr)
      await follower.catchUp(1_000)
      const wanted = await readLists(service, 'aldermoor', key, ['tags'])
      const followed = [...follower.copy].filter(([name]) => name.startsWith('tags '))
      assertSame(new Map(followed), wanted, `after round ${round}`)
      const text =
        'select count(*) from "selvedge_changes" where "owner" = ?1 and "collection" = ?2 and "removed" = 0'
      const { path } = resourceAt(catalog, 'tags')
      const [rows] = await service.records.database.read([
        { text, values: [ownerNumber('aldermoor'), path] },
      ])
      assert.equal(Number(rows?.[0]?.[0]), wanted.size)
    }
  })
})
