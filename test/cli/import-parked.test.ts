/** `import --park` keeps rows until the records arrive that they refer to; `intake rows` lists them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, inImportOrder } from '#contract'
import { sharedOwner } from '#store'
import { ndjson, openSandbox } from '../support/command.ts'
import {
  brand,
  changed,
  countsOf,
  filesOf,
  item,
  line,
  noCounts,
  story,
} from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, openRecords, stored, storedState } = sandbox
after(() => sandbox.close())

const paths = inImportOrder(catalog)
  .filter(({ path }) => (story.records[path] ?? []).length > 0)
  .map(({ path }) => path)
const reversedPaths = paths.filter((path) => path !== 'brand').reverse()

describe('an import with --park', () => {
  it('in the worst order, in parts, ends with the same records and nothing parked', async () => {
    const records = await openRecords('reversed.db')
    await importInto(records, filesOf({ brand: story.records['brand'] ?? [] }))
    await importInto(records, filesOf(story.shared), { owner: sharedOwner })
    let waited = 0
    for (const path of reversedPaths) {
      const rows = [...recordsAt(path)].reverse()
      const half = Math.ceil(rows.length / 2)
      for (const part of [rows.slice(0, half), rows.slice(half)]) {
        if (part.length === 0) continue
        const { written, waiting } = await importInto(
          records,
          { [`${path}.ndjson`]: ndjson(part) },
          { onError: 'park' },
        )
        assert.ok(written, path)
        waited = Math.max(
          waited,
          waiting.reduce((sum, each) => sum + each.rows, 0),
        )
      }
    }
    assert.ok(waited > 100, `${waited} rows waited at the same time`)
    assert.equal((await records.store.quarantine.list({ owner: brand, limit: 1 })).total, 0)
    for (const path of reversedPaths) {
      const byText = (rows: readonly object[]) => rows.map((each) => JSON.stringify(each)).sort()
      assert.deepEqual(byText(await stored(records, path)), byText(recordsAt(path)), path)
    }
  })

  it('leaves a row in quarantine if another record has taken its key, and says so', async () => {
    const records = await openRecords('taken.db')
    await importInto(records, { 'brand.ndjson': line(brandRecord(brand, 1)) })
    const value = (n: number, name: string) =>
      line(changed('option-values', { id: idOf(n), optionId: idOf(10), name }))
    await importInto(records, { 'option-values.ndjson': value(1, 'Red') }, { onError: 'park' })
    const option = { 'options.ndjson': line(changed('options', { id: idOf(10) })) }
    const files = { ...option, 'option-values.ndjson': value(2, 'Red') }
    const result = await importInto(records, files)
    assert.deepEqual(countsOf(result)['option-values'], { ...noCounts, read: 1, added: 1 })
    assert.deepEqual([result.errors, result.warnings], [0, 1])
    assert.deepEqual(result.reported, [
      [
        'quarantined rows',
        '/name',
        `optionId ${idOf(10)}, name Red`,
        `is already the optionId and name of option-values ${idOf(2)}, which line 1 of option-values.ndjson has; this row is option-values ${idOf(1)}, and stays in quarantine`,
      ],
    ])
    const freed = await importInto(records, { 'option-values.ndjson': value(2, 'Blue') })
    assert.equal(freed.collections[0]?.unparked, 1)
    assert.equal((await records.store.quarantine.list({ owner: brand, limit: 1 })).total, 0)
  })

  it('leaves rows in quarantine that break a check that is enforced by then, and says so', async () => {
    const records = await openRecords('checked.db')
    const { store, database } = records
    await importInto(records, { 'brand.ndjson': line(brandRecord(brand, 1)) })
    const order = (n: number, changes: object) => {
      const plain = { quoteRevisionId: null, paymentTermId: null, destinationLocationId: null }
      const own = { id: idOf(n), orderNumber: `P-${n}`, supplierId: idOf(20) }
      return changed('orders', { ...plain, ...own, ...changes })
    }
    await store.setChecks(brand, { default: 'warn', exceptions: {} })
    const orders = [
      order(1, { currency: 'Dollar' }),
      order(2, { totalAmount: '7.00' }),
      order(3, {}),
    ]
    await importInto(records, { 'orders.ndjson': ndjson(orders) }, { onError: 'park' })
    // As an earlier release could park it.
    const amount = `${'9'.repeat(50)}.00`
    const text = `update "selvedge_quarantine" set "body" = replace("body", '"7.00"', '"${amount}"')`
    await database.write((session) => session.run({ text, values: [] }))
    await store.setChecks(brand, { default: 'enforce', exceptions: {} })
    const supplier = line(changed('suppliers', { id: idOf(20) }))
    const files = { 'suppliers.ndjson': supplier }
    const result = await importInto(records, files, { allowDangling: true })
    assert.deepEqual(countsOf(result)['orders'], { ...noCounts, added: 1, unparked: 1 })
    assert.equal(result.errors, 0)
    const held = result.reported.filter(([file]) => file === 'quarantined rows')
    assert.deepEqual(
      held.map(([, field, value, reason]) => [field, value, String(reason).split('; ')[1]]),
      [
        ['/currency', 'Dollar', `this row is orders ${idOf(1)}, and stays in quarantine`],
        ['/totalAmount', amount, `this row is orders ${idOf(2)}, and stays in quarantine`],
      ],
    )
    assert.equal((await store.quarantine.list({ owner: brand, limit: 1 })).total, 2)
    await store.setChecks(brand, { default: 'warn', exceptions: {} })
    assert.equal((await importInto(records, files, { allowDangling: true })).waiting[0]?.rows, 1)
  })

  it('counts what it parks and what has come in, and reports parked rows as warnings', async () => {
    const records = await openRecords('counted.db')
    await importInto(records, { 'brand.ndjson': line(brandRecord(brand, 1)) })
    const plain = { skuId: null, productVersionId: null }
    const items = [1, 2].map((n) => item({ ...plain, id: idOf(n), orderId: idOf(10) }))
    const files = { 'order-items.ndjson': ndjson([...items, { id: 'bad' }]) }
    const parked = await importInto(records, files, { onError: 'quarantine' })
    assert.deepEqual(countsOf(parked), {
      'order-items': { ...noCounts, read: 3, parked: 2, refused: 1 },
    })
    assert.deepEqual(parked.waiting, [{ collection: 'order-items', rows: 3 }])
    assert.equal(parked.warnings, 2)
    assert.deepEqual(parked.reported.at(-1), [
      'order-items.ndjson:2',
      '/orderId',
      idOf(10),
      'refers to a record of orders that is neither in this import nor stored: the row waits for it',
    ])
    assert.deepEqual(await stored(records, 'order-items'), [])

    const order = { ...recordsAt('orders')[0], id: idOf(10), supplierId: idOf(20) }
    const orders = { 'orders.ndjson': line({ ...order, quoteRevisionId: null }) }
    const before = await storedState(records)
    const rehearsed = await importInto(records, orders, { allowDangling: true, dryRun: true })
    assert.equal(rehearsed.collections[1]?.unparked, 2)
    assert.equal(await storedState(records), before)
    assert.equal((await records.store.quarantine.list({ owner: brand, limit: 1 })).total, 3)
    const arrived = await importInto(records, orders, { allowDangling: true })
    assert.deepEqual(countsOf(arrived), {
      orders: { ...noCounts, read: 1, added: 1 },
      'order-items': { ...noCounts, added: 2, unparked: 2 },
    })
    assert.deepEqual(arrived.waiting, [{ collection: 'order-items', rows: 1 }])
    assert.equal((await stored(records, 'order-items')).length, 2)
  })

  it('that is refused parks nothing', async () => {
    const records = await openRecords('refused.db')
    await importInto(records, { 'brand.ndjson': line(brandRecord(brand, 1)) })
    const files = { 'order-items.ndjson': ndjson([item({}), { id: 'bad' }]) }
    const result = await importInto(records, files, { onError: 'park' })
    assert.equal(result.written, false)
    assert.equal((await records.store.quarantine.list({ owner: brand, limit: 1 })).total, 0)
  })
})

describe('the command intake rows', () => {
  const place = openSandbox()
  after(() => place.close())
  const own = ['--brand', brand]
  const [parent, child] = [idOf(1), idOf(2)]
  const category = (id: string, parentCategoryId: string | null) =>
    line({ ...recordsAt('categories')[0], id, name: 'Größe 尺码', parentCategoryId })

  before(async () => {
    const made = await place.run(['brands', 'add', brand, '--name', 'Aldermoor'])
    assert.equal(made.code, 0, made.stderr)
    place.put({
      'categories.ndjson': category(child, parent),
      'parents/categories.ndjson': category(parent, null),
    })
  })

  it('lists the rows with what they wait for, and where they came from', async () => {
    assert.equal(
      (await place.run(['intake', 'rows', ...own])).stdout,
      'No rows are in quarantine.\n',
    )
    const parked = await place.run(['import', 'categories.ndjson', ...own, '--park'])
    assert.equal(parked.code, 0, parked.stderr)
    assert.match(parked.stdout, /^collection .* removed {2}parked {2}refused {2}seconds\n/)
    assert.match(
      parked.stdout,
      /\nImported\. 1 warning\.\n1 row is in quarantine: selvedge intake rows --brand aldermoor\n$/,
    )
    const listed = await place.run(['intake', 'rows', ...own])
    assert.equal((await place.run(['parked', ...own])).stdout, listed.stdout)
    const [, row] = listed.stdout.split('\n')
    assert.match(
      row ?? '',
      new RegExp(
        `^[0-9a-f]{12} {2}categories {2}Größe 尺码 {2}/parentCategoryId \\(${parent}\\) refers to a record of categories that is neither in this import nor stored: the row waits for it {2}- {7}categories\\.ndjson {5}1 {2}\\d{4}-`,
      ),
    )
    const json = await place.run(['intake', 'rows', ...own, '--json'])
    const { total, rows } = JSON.parse(json.stdout)
    assert.equal(total, 1)
    assert.deepEqual(rows[0].waitsFor, {
      field: 'parentCategoryId',
      collection: 'categories',
      value: parent,
    })
    assert.deepEqual([rows[0].key, rows[0].title], [[child], 'Größe 尺码'])
    const elsewhere = await place.run(['intake', 'rows', ...own, '--source', 'shop'])
    assert.equal(elsewhere.stdout, 'No rows are in quarantine.\n')
  })

  it('deletes them if that is confirmed', async () => {
    const unconfirmed = await place.run(['intake', 'discard-rows', ...own])
    assert.equal(unconfirmed.code, 1)
    assert.match(
      unconfirmed.stderr,
      /^This deletes 1 quarantined row\. .*Add --yes to delete them\.\n$/,
    )
    const done = await place.run(['parked', ...own, '--discard', '--yes', '--json'])
    assert.deepEqual(JSON.parse(done.stdout), { discarded: 1 })
    const imported = await place.run(['import', 'parents/categories.ndjson', ...own, '--json'])
    assert.deepEqual(JSON.parse(imported.stdout).waiting, [])
    assert.equal(JSON.parse(imported.stdout).collections.length, 1)
  })

  for (const [args, expected] of [
    [['parked'], /^Name the owner of the rows: /],
    [['parked', ...own, '--collection', 'nothing'], /^There is no collection nothing\. /],
    [
      ['intake', 'rows', ...own, '--limit', '0'],
      /^--limit must be a whole number from 1 to 100,000\.\n/,
    ],
    [
      ['import', 'categories.ndjson', ...own, '--park', '--allow-dangling'],
      /^Choose what becomes of references to missing records: use either --park or --allow-dangling\.\n/,
    ],
  ] as const) {
    it(`refuses: ${args.join(' ')}`, async () => {
      const { code, stderr } = await place.run(args)
      assert.notEqual(code, 0)
      assert.match(stderr, expected)
    })
  }
})
