import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { basePath, catalog, operationsOf, resourceAt } from '#contract'
import { openStory } from '#demo'
import { type ExportFormat, type ExportManifest, exportBrand, exportFormats } from '#export'
import { findSources, ingest, openReport } from '#ingest'
import { sharedOwner } from '#store'
import { openTestService, type TestService } from '../support/service.ts'

/** What is hard to write down: empty texts, quotes, ends of lines, what looks like another thing. */
const awkward = [
  { name: '', code: '' },
  { name: 'a "quoted", text', code: null },
  { name: 'two\nlines\r\nand a half', code: ' spaces ' },
  { name: '=1+1', code: '-5' },
  { name: 'null', code: 'true' },
  { name: '🧵 ß é e\u0301 \u200b \ufeff', code: '\\N' },
].map(({ name, code }, index) => ({
  id: `22222222-2222-4222-8222-00000000000${index}`,
  name,
  code,
  uiColor: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}))

describe('an export', () => {
  let service: TestService
  let folder: string
  before(async () => {
    service = await openTestService()
    await service.write('aldermoor', { tags: awkward })
    folder = join(service.folder, 'out')
  })
  after(() => service.close())

  const run = (to: string, format: ExportFormat = 'ndjson', reused: string[] = []) =>
    exportBrand({
      store: service.records.store,
      brand: 'aldermoor',
      folder: to,
      format,
      database: 'this one',
      feedCursor: () => '',
      now: () => Date.UTC(2026, 5, 1),
      onProgress: (progress) => {
        if (progress.reused) reused.push(progress.collection)
      },
    })

  const importInto = async (other: TestService, from: string) => {
    for (const [path, owner] of [
      [join(from, 'shared'), sharedOwner],
      [from, 'aldermoor'],
    ] as const) {
      const report = openReport(undefined)
      const sources = await findSources([path], { catalog, input: process.stdin })
      const flags = { replace: true, allowRemovals: false, dryRun: false }
      const { store } = other.records
      const { written } = await ingest({
        store,
        sources,
        owner,
        report,
        now: Date.now,
        allowDangling: false,
        ...flags,
      })
      assert.deepEqual(report.first, [])
      assert.ok(written)
    }
  }

  it('has a file for each collection, and a manifest with counts and checksums', async () => {
    const manifest = await run(folder)
    assert.equal(manifest.files.length, catalog.resources.length)
    assert.equal(manifest.contract, '1.3.0')
    assert.equal(manifest.snapshotAt, '2026-06-01T00:00:00.000Z')
    assert.ok(manifest.complete)
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')), manifest)
    for (const { file, records, bytes, sha256, collection } of manifest.files) {
      const text = readFileSync(join(folder, file))
      assert.equal(createHash('sha256').update(text).digest('hex'), sha256)
      assert.equal(text.length, bytes)
      assert.equal(text.toString().split('\n').length - 1, records)
      const shared = resourceAt(catalog, collection).scope === 'shared'
      assert.equal(file, `${shared ? 'shared/' : ''}${collection}.ndjson`)
    }
  })

  for (const format of exportFormats) {
    it(`as ${format}, imported elsewhere, gives the same answers byte for byte`, async () => {
      const to = join(service.folder, `round-${format}`)
      await run(to, format)
      const other = await openTestService({}, { story: false })
      await importInto(other, to)
      const key = await other.key('aldermoor')
      for (const { resource, endpoint, path } of operationsOf(catalog)) {
        if (endpoint === 'content') continue
        const first = JSON.parse(
          (await service.get(resource.lookup ? '' : `${resource.path}?limit=1`)).text,
        )
        const id = resource.lookup ? '' : first.items[0]?.[resource.key[0] ?? 'id']
        const url = `${basePath}${path.replace('{brand}', 'aldermoor').replace('{id}', id)}`
        const ask = endpoint === 'list' ? `${url}?limit=100` : url
        const [one, two] = await Promise.all([service.get(ask), other.get(ask, { key })])
        // The cursor is made with each database's own secret.
        const plain = (text: string) => text.replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"')
        assert.equal(plain(two.text), plain(one.text), ask)
      }
      await other.close()
    })
  }

  for (const format of exportFormats) {
    it(`as ${format} is readable by its owner alone, in a folder that it makes`, async () => {
      const to = join(service.folder, `modes-${format}`)
      await run(to, format)
      const inside = readdirSync(to, { recursive: true, encoding: 'utf8' }).map((name) =>
        join(to, name),
      )
      for (const path of [to, ...inside]) {
        const there = statSync(path)
        assert.equal(there.mode & 0o777, there.isDirectory() ? 0o700 : 0o600, path)
      }
    })
  }

  it('keeps the mode of an existing folder, and replaces the drafts of an interrupted run', async () => {
    const to = join(service.folder, 'modes')
    mkdirSync(to, { mode: 0o750 })
    for (const name of ['tags.ndjson.part', 'manifest.json.part']) {
      writeFileSync(join(to, name), 'left', { mode: 0o644 })
    }
    await run(to)
    assert.equal(statSync(to).mode & 0o777, 0o750)
    for (const name of ['tags.ndjson', 'manifest.json']) {
      assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name)
    }
  })

  it('as Parquet has every value, amounts digit for digit', async () => {
    const to = join(service.folder, 'parquet')
    await run(to, 'parquet')
    const read = async (file: string) =>
      parquetReadObjects({
        file: await asyncBufferFromFile(join(to, file)),
        compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
      })
    const { records, shared } = await openStory()
    const orders = await read('orders.parquet')
    assert.equal(orders.length, records['orders']?.length)
    for (const row of orders) {
      const record = records['orders']?.find(({ id }) => id === row['id'])
      assert.equal(row['totalAmountText'], record?.['totalAmount'])
      assert.equal(row['totalAmount'], Number(record?.['totalAmount']))
      assert.equal(Number(row['totalQuantity']), record?.['totalQuantity'])
    }
    const partners = await read('partners.parquet')
    assert.ok(partners.every((row) => typeof row['relationship.status'] === 'string'))
    const tags = await read('tags.parquet')
    for (const { id, name, code } of awkward) {
      const row = tags.find((each) => each['id'] === id)
      assert.deepEqual([row?.['name'], row?.['code'] ?? null], [name, code])
    }
    assert.equal((await read('shared/countries.parquet')).length, shared['countries']?.length)
  })

  it('that is resumed keeps the files that are complete and unchanged, and writes the others', async () => {
    const to = join(service.folder, 'again')
    const first = await run(to)
    const reused: string[] = []
    await run(to, 'ndjson', reused)
    assert.equal(reused.length, catalog.resources.length)

    rmSync(join(to, 'orders.ndjson'))
    writeFileSync(join(to, 'skus.ndjson'), 'cut off')
    await service.write('aldermoor', { tags: [{ ...awkward[0], name: 'changed' } as never] })
    const keptAgain: string[] = []
    const second = await run(to, 'ndjson', keptAgain)
    const made = first.files
      .map(({ collection }) => collection)
      .filter((each) => !keptAgain.includes(each))
    assert.deepEqual(made.sort(), ['orders', 'skus', 'tags'])
    const digest = (of: ExportManifest, path: string) =>
      of.files.find(({ collection }) => collection === path)?.sha256
    assert.equal(digest(second, 'skus'), digest(first, 'skus'))
    assert.notEqual(digest(second, 'tags'), digest(first, 'tags'))
    assert.ok(!existsSync(join(to, 'orders.ndjson.part')))
    await service.write('aldermoor', { tags: [awkward[0] as never] })
  })

  it('is of one state, although records change while it runs', async () => {
    const to = join(service.folder, 'one-state')
    const { store } = service.records
    const { records } = await openStory()
    const orders = resourceAt(catalog, 'orders')
    const items = resourceAt(catalog, 'order-items')
    let changed = false
    const manifest = await exportBrand({
      store,
      brand: 'aldermoor',
      folder: to,
      format: 'ndjson',
      database: 'this one',
      feedCursor: () => '',
      now: () => Date.UTC(2026, 5, 1),
      onProgress: ({ collection, done }) => {
        if (collection !== 'orders' || !done || changed) return
        changed = true
        void store.write('aldermoor', async (writer) => {
          await writer.stageRemoval(
            items,
            (records['order-items'] ?? []).map(({ id }) => [String(id)]),
          )
          await writer.merge(items)
        })
      },
    })
    assert.ok(changed)
    const count = (path: string) =>
      manifest.files.find(({ collection }) => collection === path)?.records
    assert.equal(count(orders.path), records['orders']?.length)
    assert.equal(count(items.path), records['order-items']?.length)
    await service.write('aldermoor', { 'order-items': records['order-items'] ?? [] })
  })

  it('of an empty collection is an empty file, so that a replacement empties it too', async () => {
    const other = await openTestService({}, { story: false })
    const { records } = await openStory()
    await other.write('aldermoor', { brand: records['brand'] ?? [] })
    const to = join(service.folder, 'empty')
    const { store } = other.records
    const rest = { brand: 'aldermoor', format: 'ndjson', database: 'x', now: () => 0 } as const
    await exportBrand({ store, folder: to, feedCursor: () => '', ...rest })
    assert.equal(statSync(join(to, 'orders.ndjson')).size, 0)
    await other.close()
  })
})
