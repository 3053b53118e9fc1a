/** Replacements that would remove much, and folders with files that are almost named right. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { catalog } from '#contract'
import { openStory } from '#demo'
import { findSources, SourceError } from '#ingest'
import { sharedOwner } from '#store'
import { ndjson, openSandbox } from '../support/command.ts'
import { changed } from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { writeFiles, openRecords, importInto, storedState, stored } = sandbox
after(() => sandbox.close())

const owner = 'acme'
const tags = (...numbers: number[]) =>
  ndjson(numbers.map((number) => changed('tags', { id: idOf(number) })))
const reason = (removed: number, of: number, collection = 'tags') =>
  `would remove ${removed} of the ${of} stored records of ${collection}, more than half: check that the file is complete, or add --allow-removals to remove them`
const own = { owner, replace: true, allowRemovals: false } as const

describe('a replacement', async () => {
  const records = await openRecords('removals.db')
  before(() => importInto(records, { 'brand.ndjson': ndjson([brandRecord(owner, 1)]) }, { owner }))

  /** Puts these tags into the place of all others. */
  const begin = (...numbers: number[]) =>
    importInto(records, { 'tags.ndjson': tags(...numbers) }, { ...own, allowRemovals: true })

  for (const [name, before, content, removed] of [
    ['an empty file', [1, 2, 3], '', 3],
    ['a file that was cut off', [1, 2, 3, 4, 5], tags(1, 2), 3],
    ['other records', [1, 2], tags(3, 4, 5), 2],
    ['nothing, where there was one record', [1], '', 1],
    ['one record of three', [1, 2, 3], tags(3), 2],
  ] as const) {
    it(`by ${name} is refused and changes nothing`, async () => {
      await begin(...before)
      const earlier = await storedState(records)
      for (const options of [
        own,
        { ...own, onError: 'quarantine' as const },
        { ...own, dryRun: true },
      ]) {
        const result = await importInto(records, { 'tags.ndjson': content }, options)
        assert.deepEqual(result.reported, [['tags.ndjson', '', '', reason(removed, before.length)]])
        assert.deepEqual([result.written, result.refused], [false, true])
        const [counts] = result.collections
        assert.deepEqual(
          [counts?.stored, counts?.removed, counts?.removesTooMany],
          [before.length, removed, true],
        )
      }
      assert.equal(await storedState(records), earlier)
      assert.equal((await stored(records, 'tags', owner)).length, before.length)
    })

    it(`by ${name} is taken with --allow-removals`, async () => {
      await begin(...before)
      const allowed = { ...own, allowRemovals: true }
      const result = await importInto(records, { 'tags.ndjson': content }, allowed)
      assert.deepEqual([result.written, result.collections[0]?.removed], [true, removed])
      assert.equal(result.collections[0]?.removesTooMany, false)
    })
  }

  it('puts a row in quarantine because of its key, and removes what is missing', async () => {
    await begin(1, 2, 3, 4, 5)
    const [first] = await stored(records, 'tags', owner)
    const name = (first as { name?: string } | undefined)?.name
    const content = `${tags(1, 2, 3)}\n${ndjson([changed('tags', { id: idOf(6), name })])}`
    const skips = { ...own, onError: 'quarantine' as const }
    const result = await importInto(records, { 'tags.ndjson': content }, skips)
    const [counts] = result.collections
    assert.deepEqual([counts?.refused, counts?.removed, counts?.keptMissing], [1, 2, false])
    assert.equal((await stored(records, 'tags', owner)).length, 3)
    assert.equal((await records.store.quarantine.list({ owner, limit: 1 })).total, 1)
  })

  for (const [name, before, after] of [
    ['half of the records', [1, 2, 3, 4], [1, 2]],
    ['one of two', [1, 2], [1]],
    ['one of three, and others added', [1, 2, 3], [1, 2, 4, 5, 6, 7]],
    ['none', [1], [1, 2]],
  ] as const) {
    it(`that removes ${name} is taken`, async () => {
      await begin(...before)
      const result = await importInto(records, { 'tags.ndjson': tags(...after) }, own)
      assert.deepEqual(result.reported, [])
      assert.equal((await stored(records, 'tags', owner)).length, after.length)
    })
  }

  it('counts the records of its own brand only', async () => {
    await begin(1, 2, 3, 4, 5)
    const other = { ...own, owner: 'other' }
    await importInto(records, { 'brand.ndjson': ndjson([brandRecord('other', 2)]) }, other)
    await importInto(records, { 'tags.ndjson': tags(1, 2) }, other)
    const { reported } = await importInto(records, { 'tags.ndjson': '' }, other)
    assert.deepEqual(reported, [['tags.ndjson', '', '', reason(2, 2)]])
  })

  it('of several collections names each that it would remove too much of', async () => {
    await begin(1, 2, 3)
    const files = { 'colors.ndjson': '', 'tags.ndjson': '', 'tags.csv': csvHead }
    const { reported } = await importInto(records, files, own)
    assert.deepEqual(reported, [['tags.ndjson, tags.csv', '', '', reason(3, 3)]])
  })

  it('of shared records is held to the same', async () => {
    const shared = { ...own, owner: sharedOwner }
    const countries = recordsAt('countries').slice(0, 3)
    await importInto(records, { 'countries.ndjson': ndjson(countries) }, shared)
    const { reported } = await importInto(records, { 'countries.ndjson': '' }, shared)
    assert.deepEqual(reported, [['countries.ndjson', '', '', reason(3, 3, 'countries')]])
  })

  it('of the brand’s own record puts the new one in its place', async () => {
    const renewed = { 'brand.ndjson': ndjson([brandRecord(owner, 7)]) }
    assert.equal((await importInto(records, renewed, own)).written, true)
  })
})

const csvHead = 'id,name,createdAt,updatedAt\n'

describe('more records than are named', async () => {
  const records = await openRecords('orphans.db')
  const story = await openStory()

  it('that refer to one that is removed are counted', async () => {
    const of = (each: typeof story.records) =>
      Object.fromEntries(Object.entries(each).map(([path, all]) => [`${path}.ndjson`, ndjson(all)]))
    await importInto(records, of(story.shared), { owner: sharedOwner })
    await importInto(records, of(story.records))
    const [item] = recordsAt('order-items')
    const items = Array.from({ length: 2_500 }, (_, index) => ({ ...item, id: idOf(index + 100) }))
    await importInto(records, { 'order-items.ndjson': ndjson(items) })
    const remaining = recordsAt('orders').filter(({ id }) => id !== item?.['orderId'])
    const { reported, errors, written } = await importInto(
      records,
      { 'orders.ndjson': ndjson(remaining) },
      { replace: true },
    )
    assert.equal(written, false)
    const ofItems = reported.filter(([, , , each]) => each.includes('of order-items refer'))
    assert.match(
      ofItems[0]?.[3] ?? '',
      /^the stored record .* of order-items refers to this record of orders/,
    )
    assert.ok(errors >= 1_001 && errors < 1_500, `${errors}`)
  })
})

describe('a folder', () => {
  const place = openSandbox()
  after(() => place.close())

  it('with files that are almost named after a collection is refused', async () => {
    const at = writeFiles({
      'tags.ndjson': tags(1),
      'tag.ndjson': '',
      'Colors.csv': '',
      'order_items.json.gz': '',
      'orderItems.ndjson': '',
      'skus.xls': '',
      'manifest.json': '{}',
      'readme.txt': '',
      'logs.json': '',
      'tags.ndjson.bak': '',
    })
    await assert.rejects(findSources([at], { catalog, input: Readable.from([]) }), {
      constructor: SourceError,
      message: [
        `${at} has files that are almost named after a collection. Rename them, or move them out of the folder:`,
        '  Colors.csv: there is no collection Colors; did you mean colors?',
        '  orderItems.ndjson: there is no collection orderItems; did you mean order-items?',
        '  order_items.json.gz: there is no collection order_items; did you mean order-items?',
        '  skus.xls: old Excel files are not supported: save it as .xlsx',
        '  tag.ndjson: there is no collection tag; did you mean tags?',
      ].join('\n'),
    })
  })

  it('names the files that it passes over, and the replacement that it refuses', async () => {
    place.put({
      'good/tags.ndjson': tags(1, 2, 3),
      'good/manifest.json': '{}',
      'good/notes\u001b[2J.txt': '',
      'good/shared/countries.ndjson': '',
    })
    assert.equal((await place.run(['brands', 'add', owner, '--name', 'Acme'])).code, 0)
    const command = ['import', 'good', '--brand', owner, '--replace']
    const words = await place.run(command)
    assert.equal(words.code, 0, words.stderr)
    const passedOver = ['good/manifest.json', 'good/notes\\u001b[2J.txt', 'good/shared']
    assert.ok(
      words.stderr.includes(
        `\nskipped, because no collection has such a name: ${passedOver.join(', ')}\n`,
      ),
      words.stderr,
    )

    place.put({ 'good/tags.ndjson': '' })
    const refused = await place.run(command)
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /\nNothing was written: 1 problem\.\n$/)
    assert.ok(
      refused.stderr.endsWith(`\nerror: good/tags.ndjson ${reason(3, 3)}\n`),
      refused.stderr,
    )

    const json = await place.run([...command, '--json'])
    const { written, errors, problems, collections, passedOver: reported } = JSON.parse(json.stdout)
    assert.deepEqual([json.code, written, errors, reported], [1, false, 1, passedOver])
    assert.equal(problems[0].reason, reason(3, 3))
    const { stored, removed, removesTooMany } = collections[0]
    assert.deepEqual(
      { stored, removed, removesTooMany },
      { stored: 3, removed: 3, removesTooMany: true },
    )

    const allowed = await place.run([...command, '--allow-removals'])
    assert.equal(allowed.code, 0, allowed.stderr)
    assert.match(allowed.stdout, /\nImported\.\n$/)
  })
})
