/** Import: what is added, changed, removed and left alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { sharedOwner } from '#store'
import { ndjson } from '../support/command.ts'
import {
  bad,
  changed,
  countsOf,
  csvOf,
  item,
  line,
  messages,
  noCounts,
  openStoryRecords,
  reversed,
  tag,
} from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, storedState, stored } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'import.db')
const { dangling } = messages

describe('an import', () => {
  it('adds, changes and leaves alone, by identity', async () => {
    const own = { owner: 'twin' }
    await importInto(main, { 'tags.ndjson': ndjson([tag(1), tag(2)]) }, { ...own, replace: true })
    const resource = resourceAt(catalog, 'tags')
    const version = async () =>
      (await main.store.state({ resource, brand: 'twin', filters: [], include: [] })).version
    const earlier = await version()
    const again = await importInto(main, { 'tags.ndjson': ndjson([reversed(tag(1))]) }, own)
    assert.deepEqual(countsOf(again), { tags: { ...noCounts, read: 1, unchanged: 1 } })
    assert.equal(await version(), earlier)
    const more = await importInto(
      main,
      { 'tags.csv': csvOf(resource, [tag(1), tag(2, { name: 'New' }), tag(3)]) },
      own,
    )
    assert.deepEqual(countsOf(more), {
      tags: { ...noCounts, read: 3, added: 1, changed: 1, unchanged: 1 },
    })
    assert.notEqual(await version(), earlier)
    assert.deepEqual(await stored(main, 'tags', 'twin'), [tag(1), tag(2, { name: 'New' }), tag(3)])
  })

  it('of one brand leaves the others alone', async () => {
    const mine = await stored(main, 'tags')
    await importInto(main, { 'tags.ndjson': '' }, { owner: 'twin', replace: true })
    assert.deepEqual(await stored(main, 'tags'), mine)
  })

  it('takes a reference to a record that comes later in the same file', async () => {
    const child = changed('categories', { id: idOf(1), parentCategoryId: idOf(2) })
    const parent = changed('categories', { id: idOf(2), parentCategoryId: null })
    const result = await importInto(
      main,
      { 'categories.ndjson': ndjson([child, parent]) },
      { dryRun: true },
    )
    assert.deepEqual(result.reported, [])
  })

  it('that is a dry run reports what it would do and does nothing', async () => {
    const earlier = await storedState(main)
    const files = { 'tags.ndjson': ndjson([tag(1), changed('tags', { name: 'New' })]) }
    const result = await importInto(main, files, {
      dryRun: true,
      replace: true,
      allowDangling: true,
    })
    assert.equal(result.written, false)
    assert.equal(result.refused, false)
    const removed = recordsAt('tags').length - 1
    assert.deepEqual(countsOf(result), {
      tags: { ...noCounts, read: 2, added: 1, changed: 1, removed },
    })
    assert.equal(await storedState(main), earlier)
  })

  it('of a brand that is not there brings its record too, or is refused', async () => {
    const owner = 'newcomer'
    const tags = { 'tags.ndjson': line(tag(1)) }
    const missing = 'is a brand that does not exist, and this import does not contain its record'
    const without = await importInto(main, tags, { owner, onError: 'quarantine' })
    assert.deepEqual(without.reported, [['', '', owner, missing]])
    assert.deepEqual([without.written, without.refused], [false, true])
    const broken = { ...tags, 'brand.ndjson': line(brandRecord('other', 6)) }
    const skipped = await importInto(main, broken, { owner, onError: 'quarantine' })
    assert.deepEqual(skipped.reported.at(-1), ['', '', owner, missing])
    assert.equal(skipped.written, false)
    const whole = { ...tags, 'brand.ndjson': line(brandRecord(owner, 6)) }
    assert.equal((await importInto(main, whole, { owner })).written, true)
    assert.equal(await main.store.has(owner), true)
  })

  it('of a brand’s record puts it in the place of the one before', async () => {
    const owner = 'newcomer'
    const renamed = { ...brandRecord(owner, 7), name: 'Renamed' }
    const result = await importInto(main, { 'brand.ndjson': line(renamed) }, { owner })
    assert.deepEqual(countsOf(result), { brand: { ...noCounts, read: 1, added: 1, removed: 1 } })
    const empty = await importInto(main, { 'brand.ndjson': '' }, { owner, replace: true })
    assert.deepEqual(countsOf(empty), { brand: noCounts })
    const brands = (await main.store.brands()).filter(({ slug }) => slug === owner)
    assert.deepEqual(
      brands.map(({ name }) => name),
      ['Renamed'],
    )
  })
})

describe('an import with a quarantine', () => {
  it('loads the good rows, and keeps what is refused and what points at it', async () => {
    const owner = 'skipping'
    const result = await importInto(
      main,
      {
        'brand.ndjson': line(brandRecord(owner, 8)),
        'tags.ndjson': `${line(tag(1))}${bad}\n${line(tag(2))}${line(tag(1))}`,
        'colors.json': JSON.stringify([changed('colors', { id: idOf(1) }), 7]),
        'categories.ndjson': ndjson([
          changed('categories', { id: idOf(1), parentCategoryId: idOf(9) }),
          changed('categories', { id: idOf(2), parentCategoryId: null }),
        ]),
      },
      { owner, onError: 'quarantine' },
    )
    assert.deepEqual([result.written, result.refused, result.errors], [true, false, 2])
    assert.deepEqual(countsOf(result), {
      brand: { ...noCounts, read: 1, added: 1 },
      tags: { ...noCounts, read: 3, added: 2, refused: 1 },
      colors: { ...noCounts, read: 2, added: 1, refused: 1 },
      categories: { ...noCounts, read: 2, added: 1, parked: 1 },
    })
    assert.deepEqual(await stored(main, 'tags', owner), [tag(1), tag(2)])
    const { rows } = await main.store.quarantine.list({ owner, limit: 9 })
    assert.deepEqual(
      rows.map(({ collection, file, line }) => [collection, `${file}:${line}`]).sort(),
      [
        ['categories', 'categories.ndjson:1'],
        ['colors', 'colors.json:1'],
        ['tags', 'tags.ndjson:2'],
      ],
    )
  })

  it('with replace removes nothing from a collection with a row that cannot be identified', async () => {
    const owner = 'skipping'
    const result = await importInto(
      main,
      { 'tags.ndjson': `${bad}\n${line(tag(2, { name: 'New' }))}`, 'colors.ndjson': '' },
      { owner, onError: 'quarantine', replace: true },
    )
    assert.deepEqual(countsOf(result), {
      tags: { ...noCounts, read: 2, changed: 1, refused: 1 },
      colors: { ...noCounts, removed: 1 },
    })
    assert.deepEqual(
      result.collections.map(({ collection, keptMissing }) => [collection, keptMissing]).sort(),
      [
        ['colors', false],
        ['tags', true],
      ],
    )
    assert.deepEqual(await stored(main, 'tags', owner), [tag(1), tag(2, { name: 'New' })])
  })

  it('does not take a row whose reference in its own collection was left out', async () => {
    const owner = 'skipping'
    const chain = [51, 52, 53, 54].map((number) =>
      changed('categories', {
        id: idOf(number),
        parentCategoryId: idOf(number === 51 ? 59 : number - 1),
      }),
    )
    const result = await importInto(
      main,
      { 'categories.ndjson': ndjson([...chain].reverse()) },
      { owner, onError: 'quarantine' },
    )
    assert.equal(result.collections[0]?.added, 0)
    assert.equal(result.collections[0]?.parked, 4)
  })
})

describe('allow-dangling', () => {
  it('makes warnings of references that point nowhere, and of nothing else', async () => {
    const owner = 'twin'
    const files = {
      'order-items.ndjson': ndjson([
        item({ orderId: idOf(9), skuId: idOf(8), productVersionId: null }),
      ]),
    }
    const result = await importInto(main, files, { owner, allowDangling: true })
    assert.deepEqual(result.reported, [
      ['order-items.ndjson:1', '/orderId', idOf(9), dangling('orders')],
      ['order-items.ndjson:1', '/skuId', idOf(8), dangling('skus')],
    ])
    assert.deepEqual([result.errors, result.warnings, result.written], [0, 2, true])
    const twice = { 'tags.ndjson': line(tag(1)).repeat(2) }
    const refused = await importInto(main, twice, { owner, allowDangling: true })
    assert.deepEqual([refused.errors, refused.written], [1, false])
  })
})

describe('replace', () => {
  const owner = 'replacing'
  const options = [1, 2, 3].map((number) => changed('options', { id: idOf(number) }))
  const values = [1, 2, 3].map((number) =>
    changed('option-values', { id: idOf(number), optionId: idOf(number) }),
  )

  const orphaned = (number: number) =>
    `the stored record name "Indigo ${idOf(number)}" (${idOf(number)}) of option-values refers to this record of options, which the import removes`

  before(async () => {
    const files = {
      'brand.ndjson': line(brandRecord(owner, 9)),
      'options.ndjson': ndjson(options),
      'option-values.ndjson': ndjson(values),
      'tags.ndjson': ndjson([tag(1), tag(2)]),
    }
    await importInto(main, files, { owner })
  })

  it('removes what is not in the files, of the given collections alone', async () => {
    const result = await importInto(
      main,
      { 'tags.ndjson': ndjson([tag(2), tag(3)]) },
      { owner, replace: true },
    )
    assert.deepEqual(countsOf(result), {
      tags: { ...noCounts, read: 2, added: 1, unchanged: 1, removed: 1 },
    })
    assert.deepEqual(await stored(main, 'tags', owner), [tag(2), tag(3)])
    assert.equal((await stored(main, 'options', owner)).length, 3)
  })

  it('is refused while a stored record refers to one that it removes, even when bad rows are skipped', async () => {
    const earlier = await storedState(main)
    const files = { 'tags.ndjson': '', 'colors.ndjson': '', 'options.ndjson': '' }
    for (const onError of ['refuse', 'quarantine'] as const) {
      const result = await importInto(main, files, { owner, replace: true, onError })
      assert.deepEqual(
        result.reported,
        [1, 2, 3].map((number) => ['', '/optionId', idOf(number), orphaned(number)]),
      )
      assert.deepEqual([result.written, result.refused], [false, true])
    }
    assert.equal(await storedState(main), earlier)
  })

  it('is refused when a row of the run refers to one that it removes', async () => {
    const files = {
      'options.ndjson': ndjson(options.slice(1)),
      'option-values.ndjson': ndjson(values),
    }
    const result = await importInto(main, files, { owner, replace: true })
    assert.deepEqual(result.reported, [
      ['option-values.ndjson:1', '/optionId', idOf(1), dangling('options')],
      ['', '/optionId', idOf(1), orphaned(1)],
    ])
    assert.equal(result.written, false)
  })

  it('of both ends at once is taken', async () => {
    const files = {
      'options.ndjson': ndjson(options.slice(1)),
      'option-values.ndjson': ndjson(values.slice(1)),
    }
    const result = await importInto(main, files, { owner, replace: true })
    assert.deepEqual([result.reported, result.written], [[], true])
    assert.equal((await stored(main, 'option-values', owner)).length, 2)
  })

  it('with allow-dangling says what now points nowhere', async () => {
    const options = { owner, replace: true, allowDangling: true }
    const result = await importInto(main, { 'options.ndjson': '' }, options)
    assert.deepEqual([result.errors, result.warnings, result.written], [0, 2, true])
  })

  it('of shared records is refused while a brand refers to one that it removes', async () => {
    const used = new Set(recordsAt('documents').map((each) => each['documentTypeId']))
    const rest = recordsAt('document-types').filter(({ id }) => !used.has(id as string))
    assert.ok(rest.length < recordsAt('document-types').length)
    const files = { 'document-types.ndjson': ndjson(rest) }
    const options = { owner: sharedOwner, replace: true, dryRun: true }
    assert.equal((await importInto(main, files, options)).refused, true)
  })
})
