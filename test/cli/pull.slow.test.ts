/** A copy of a brand is what its API returns, in a folder or in a SQLite file. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, it } from 'node:test'
import { catalog, formatCount } from '#contract'
import { findSources, ingest, openReport } from '#ingest'
import { sharedOwner } from '#store'
import { brand, endings, openCopies, resultAt, tagsFrom } from '../support/copies.ts'
import { lists, recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const copies = await openCopies()
const {
  service,
  key,
  sandbox,
  relay,
  newTarget,
  newCopy,
  pull,
  pullArguments,
  remove,
  assertCopy,
} = copies
beforeEach(copies.reset)
after(copies.close)

describe('a pull', () => {
  it('into a folder writes the records byte for byte as they are served', async () => {
    const to = newTarget()
    const pulled = await pull(to)
    await assertCopy(to)
    assert.equal(pulled.collections.length, catalog.resources.length)
    const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
    assert.equal(manifest.complete, true)
    assert.equal(manifest.files.length, catalog.resources.length)
    assert.equal(Object.keys(manifest).join(), 'contract,brand,url,pulledAt,format,complete,files')
    assert.equal(Object.keys(manifest.files[0]).join(), 'collection,file,records,bytes,sha256')
    for (const { collection, records } of manifest.files) {
      assert.equal(records, resultAt(pulled, collection).records, collection)
      if (collection !== 'brand') {
        const { body } = await service.get(`${collection}?limit=1`)
        assert.equal(body.totalItems, records, collection)
      }
    }
  })

  it('and an import make a server with the same responses', async () => {
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
      const flags = { replace: false, allowRemovals: false, dryRun: false }
      const { store } = other.records
      await ingest({ store, sources, owner, report, now: Date.now, allowDangling: false, ...flags })
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

  for (const ending of endings) {
    it(`into ${ending || 'a folder'} asks only whether anything changed, and reads what did`, async () => {
      const to = await newCopy(ending)
      await pull(to)
      const again = await pull(to)
      assert.equal(
        again.collections.reduce((sum, { read }) => sum + read, 0),
        0,
      )
      // One for each group, the groups of the key, and the ends of the feed.
      assert.ok(again.requests <= catalog.resources.length + 3, `${again.requests} requests`)
      const untouched = ending ? 0 : statSync(join(to, 'orders.ndjson')).mtimeMs

      const [first, second] = recordsAt('product-tags')
      assert.ok(first && second)
      await remove('product-tags', [first])
      await service.write(brand, {
        tags: [...tagsFrom(1, 2, 'Renamed'), ...tagsFrom(9_000, 3)],
      })
      const { collections, ...rest } = await pull(to)
      const { seconds, ...tags } = resultAt({ collections, ...rest }, 'tags')
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
      assert.equal(resultAt({ collections, ...rest }, 'product-tags').removed, 1)
      for (const { collection, read } of collections) {
        assert.equal(read > 0, ['tags', 'product-tags'].includes(collection), collection)
      }
      await assertCopy(to)
      if (!ending) assert.equal(statSync(join(to, 'orders.ndjson')).mtimeMs, untouched)
      await remove('tags', tagsFrom(9_000, 3))
      await service.write(brand, { 'product-tags': [first], tags: tagsFrom(1, 2) })
      assert.equal(resultAt(await pull(to), 'tags').removed, 3)
      await assertCopy(to)
    })
  }

  it('is readable by its owner only, and keeps the mode of an existing folder', async () => {
    const made = newTarget()
    const existing = newTarget()
    mkdirSync(existing, { mode: 0o750 })
    const file = newTarget('.db')
    for (const to of [made, existing, file]) await pull(to)
    assert.equal(statSync(existing).mode & 0o777, 0o750)
    const inside = [made, existing].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    for (const path of [made, file, ...inside]) {
      const there = statSync(path)
      assert.equal(there.mode & 0o777, there.isDirectory() ? 0o700 : 0o600, path)
    }
  })

  it('writes a file again that was deleted', async () => {
    const to = await newCopy()
    rmSync(join(to, 'tags.ndjson'))
    await pull(to)
    await assertCopy(to)
  })
})

describe('selvedge pull', () => {
  it('takes the key from the environment or standard input, and prints a table or JSON', async () => {
    const to = newTarget()
    sandbox.environment['SELVEDGE_KEY'] = key
    const base = ['pull', '--url', `${relay.url}/api/public/v1/brands/aldermoor`, '--brand', brand]
    const first = await sandbox.run([...base, '--to', to])
    delete sandbox.environment['SELVEDGE_KEY']
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /^collection +read +new +changed +removed +unchanged +seconds\n/)
    assert.match(first.stdout, /^countries +249 +249 +0 +0 +0 +\d/m)
    const pages = lists.map(({ path }) => service.get(`${path}?limit=1`))
    // The brand has no list.
    const records = (await Promise.all(pages)).reduce((sum, { body }) => sum + body.totalItems, 1)
    const holds = `holds ${formatCount(records, 'record')} of aldermoor, as many as the API counts.`
    assert.ok(first.stdout.includes(holds), first.stdout)
    assert.match(first.stderr, /^countries: 249 records in/m)
    const second = await sandbox.run([...base, '--to', to, '--key', '-'], `${key}\n`)
    assert.match(second.stdout, /Nothing has changed \(\d+ requests\)\.\n$/)
    const third = await sandbox.run(pullArguments(to), key)
    assert.equal(third.stdout.trim().split('\n').length, 1)
    assert.equal(JSON.parse(third.stdout).collections.length, catalog.resources.length)
    assert.equal(third.stderr, '')
  })

  it('exits with 2 without a key, and with 1 if the key is not accepted', async () => {
    const without = await sandbox.run(['pull', '--url', relay.url, '--brand', brand, '--to', 'x'])
    assert.equal(without.code, 2)
    assert.match(without.stderr, /^There is no API key\. Set SELVEDGE_KEY/)
    const refused = await sandbox.run(pullArguments(newTarget()), 'slv_wrong')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^The key is not accepted/)
  })
})
