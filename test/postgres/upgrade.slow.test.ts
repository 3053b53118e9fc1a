/** An upgrade from version 0.2.0, which was killed in the middle of its work, on both engines. */
import assert from 'node:assert/strict'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ReadEntry } from '#audit'
import { catalog, groupingsOf, ingestBasePath, resourceAt, summableFields } from '#contract'
import type { DemoRecord } from '#demo'
import type { QuarantinedRow } from '#store'
import { until } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { type Erp, openErp } from '../support/erp.ts'
import { openTestIngest } from '../support/ingest-service.ts'
import { lists } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, patient } from '../support/service.ts'
import {
  keysOf02,
  parkedOf,
  restoreVersion02,
  runOnKeys,
  type Version02,
} from '../support/version-0-2.ts'

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`an upgrade from 0.2.0 on ${engine}`, () => {
    let postgres: PostgresDatabases
    let shop: Erp
    let place: Sandbox
    let old: Version02
    let keys: ReturnType<typeof keysOf02>
    before(async () => {
      postgres = await openPostgresDatabases()
      place = openSandbox(engine === 'postgres' ? await postgres.url('upgraded') : undefined)
      const inbox = join(realpathSync(place.folder), 'in')
      old = await restoreVersion02(engine, place.databaseUrl, inbox)
      keys = keysOf02(old.brand)
      await runOnKeys(engine, place.databaseUrl, keys.statements)
      place.put({
        [`in/working/${old.file.name}`]: old.file.content,
        'shop.map.yaml': old.source.mapping,
      })
      shop = await openErp(postgres, `shop_of_${engine}`)
      await shop.run(...old.source.statements)
    })
    after(async () => {
      place.close()
      await postgres.close()
    })

    const run = async (...args: string[]) => {
      const ran = await place.run(args, '', { SHOP_URL: shop.url })
      assert.equal(ran.code, 0, ran.stderr + ran.stdout)
      return ran
    }
    const exported = async () => {
      await run('export', 'out', '--brand', old.brand)
      return (path: string): readonly DemoRecord[] =>
        readFileSync(join(place.folder, `out/${path}.ndjson`), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((text) => JSON.parse(text))
    }
    const names = async () => (await exported())('tags').map(({ name }) => String(name))

    it('keeps every record, and makes the checks of the brand warnings', async () => {
      const [stored] = JSON.parse((await run('brands', 'list', '--json')).stdout)
      assert.deepEqual(
        [stored.slug, stored.checks],
        [old.brand, { default: 'warn', exceptions: {} }],
      )
      const recordsOf = await exported()
      const keyOf = (path: string, record: DemoRecord) =>
        resourceAt(catalog, path)
          .key.map((name) => record[name])
          .join()
      for (const [path, imported] of Object.entries(old.records)) {
        const byKey = new Map(recordsOf(path).map((each) => [keyOf(path, each), each]))
        for (const record of imported) assert.deepEqual(byKey.get(keyOf(path, record)), record)
        // Two of the sync, and one of the batch that was stored and not marked as finished.
        assert.equal(byKey.size, imported.length + (path === 'tags' ? 3 : 0), path)
      }
    })

    it('keeps what keys may do, until they are limited', async () => {
      const listed = JSON.parse((await run('keys', 'list', '--json')).stdout)
      const none = { onlyGroups: null, withoutGroups: null, addresses: null }
      const rights = { kind: 'read', collections: null, webhook: false, successorId: null, ...none }
      const at = '2026-01-01T00:00:00.000Z'
      const own = { name: 'key_own', brands: [old.brand], global: false, createdAt: at, ...rights }
      const byId = new Map(listed.map((each: { id: string }) => [each.id, each]))
      assert.deepEqual(byId.get('key_everywhere'), {
        ...{ id: 'key_everywhere', ...own, name: 'key_everywhere', brands: [], global: true },
        ...{ expiresAt: null, revokedAt: null, lastUsedAt: at, perSecond: 2.5, burst: 7 },
      })
      assert.deepEqual(byId.get('key_own'), {
        ...{ id: 'key_own', ...own, expiresAt: '2099-01-01T00:00:00.000Z', revokedAt: null },
        ...{ lastUsedAt: null, perSecond: null, burst: null },
      })
      const service = await openTestService(
        { DATABASE_URL: patient(place.databaseUrl) },
        { story: false },
      )
      try {
        const base = `/api/public/v1/brands/${old.brand}`
        const statusOf = async (key: string, path: string) =>
          (await service.get(`${base}/${path}`, { key })).status
        for (const { path } of lists) assert.equal(await statusOf(keys.own, path), 200, path)
        assert.equal(await statusOf(keys.everywhere, 'invoices'), 200)
        assert.equal(await statusOf(keys.revoked, 'invoices'), 401)
        await run('keys', 'update', 'key_own', '--without', 'finance')
        await until(async () => (await statusOf(keys.own, 'invoices')) === 401)
        assert.equal(await statusOf(keys.own, 'tags'), 200)
        // What version 0.2.0 reads: it must not accept a key whose limit it does not know.
        const ofKind = `select "id" from "selvedge_keys" where "kind" = 'read'`
        const [rows = []] = await service.records.keyDatabase.read([{ text: ofKind, values: [] }])
        const ids = rows.map(([id]) => id)
        assert.deepEqual(
          ['key_everywhere', 'key_own', 'key_revoked'].map((id) => ids.includes(id)),
          [true, false, true],
        )
        await run('keys', 'update', 'key_own', '--without', 'none')
        await until(async () => (await statusOf(keys.own, 'invoices')) === 200)
      } finally {
        await service.close()
      }
    })

    it('moves parked rows to the quarantine, as missing parts of their records', async () => {
      const { stdout } = await run('intake', 'rows', '--brand', old.brand, '--json')
      const { id, orderId, skuId } = parkedOf(old)
      assert.deepEqual(
        (JSON.parse(stdout).rows as readonly QuarantinedRow[]).map(({ key, line, ...row }) => ({
          ...{ key, line, parent: row.parent, waitsFor: row.waitsFor },
        })),
        [
          {
            ...{ key: [id], line: 7, parent: { collection: 'orders', id: orderId } },
            waitsFor: { field: 'skuId', collection: 'skus', value: skuId },
          },
        ],
      )
      const checked = await place.run(['check', '--brand', old.brand])
      assert.match(checked.stdout, /in quarantine, which are not checked: 1 of order-items/)
    })

    it('stores the batches that waited, or refuses them with the reason', async () => {
      const environment = { DATABASE_URL: place.databaseUrl }
      const ingest = await openTestIngest(environment, { hasStory: false })
      try {
        const ended: string[] = []
        for (const { id } of old.batches) {
          const path = `${ingestBasePath}/brands/${old.brand}/batches/${id}`
          const { status, text, body } = await ingest.get(path, old.key, { prefer: 'wait=60' })
          assert.equal(status, 200, text)
          ended.push(
            [body.state, ...body.problems.map((each: { reason: string }) => each.reason)].join(
              ': ',
            ),
          )
        }
        const expected = [
          /^committed$/,
          /^committed$/,
          /^committed: is not an ISO 3166-1 alpha-2 code: use DE$/,
          /^committed: is already the name of tags/,
          /^refused: must have at most 1,000 characters/,
          /^refused: must be a timestamp/,
          /^committed$/,
        ]
        assert.equal(ended.length, expected.length)
        for (const [at, pattern] of expected.entries()) assert.match(ended[at] ?? '', pattern)
        for (const { id, idempotencyKey, items } of old.batches) {
          const headers = { 'idempotency-key': idempotencyKey }
          const { body, text } = await ingest.send(items, {
            key: old.key,
            brand: old.brand,
            headers,
          })
          assert.equal((body.details ?? body).id, id, text)
        }
      } finally {
        await ingest.close()
      }
      const all = await names()
      assert.deepEqual(
        ['In work', 'Renamed', 'Waiting'].map((name) => all.filter((each) => each === name).length),
        [0, 1, 1],
      )
    })

    it('takes the file that was in work', async () => {
      const args = ['--brand', old.brand, '--once', '--no-check', '--settle', '0s', '--every', '1s']
      const { stdout } = await run('watch', 'in', ...args, '--json')
      const { file, outcome, movedTo, warnings } = JSON.parse(stdout)
      assert.deepEqual([file, outcome, warnings], [old.file.name, 'imported', 1])
      assert.equal(readFileSync(join(place.folder, 'in', movedTo), 'utf8'), old.file.content)
      assert.equal((await names()).filter((each) => each === 'Of a file').length, 2)
    })

    it('continues a sync where it was', async () => {
      await shop.run(
        `update labels set label = 'not read again' where no = 1`,
        `insert into labels values (3, 'linen', '2026-03-03T09:00:00Z')`,
      )
      const { stdout } = await run('sync', '--map', 'shop.map.yaml', '--once', '--no-check')
      assert.match(stdout, /: tags 1 new\.\n$/)
      const all = await names()
      assert.ok(['wool', 'silk', 'linen'].every((name) => all.includes(name)))
    })

    it('begins an audit log that says so, and has what was done since', async () => {
      assert.match((await run('audit', 'verify')).stdout, /in order/)
      const [first, ...entries]: readonly ReadEntry[] = (await run('audit', '--json')).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).entry)
      assert.equal(first?.action, 'audit.begun')
      assert.equal(first?.details['brands'], 1)
      assert.ok(Number(first?.details['keys']) > 0)
      const committed = entries.filter(({ action }) => action === 'unit.committed')
      const kinds = new Set(committed.map(({ details }) => String(details['kind'])))
      assert.deepEqual([...kinds].sort(), ['batch', 'file', 'round'])
      const round = committed.find(({ details }) => details['kind'] === 'round')
      assert.deepEqual(round?.details['collections'], { tags: { added: 1 } })
      const changed = entries.filter(({ action }) => action === 'mapping.changed')
      assert.deepEqual(
        changed.map(({ subject }) => subject),
        ['shop.map.yaml'],
      )
    })

    it('leaves nothing waiting', async () => {
      const units = JSON.parse((await run('intake', '--json')).stdout)
      assert.deepEqual(
        units.filter(({ state }: { state: string }) => state !== 'done' && state !== 'refused'),
        [],
      )
      const sources = JSON.parse((await run('sources', '--json')).stdout)
      assert.deepEqual(
        sources.map((each: { kind: string; waiting: number; quarantined: number }) => [
          ...[each.kind, each.waiting, each.quarantined],
        ]),
        [
          ['ingest', 0, 0],
          ['sync', 0, 0],
          ['watch', 0, 0],
        ],
      )
    })

    it('finds every rule that the stored records break', async () => {
      const { stdout } = await place.run(['check', '--brand', old.brand, '--json'])
      const { rules } = JSON.parse(stdout)
      const broken = new Set(
        rules
          .filter(({ count }: { count: number }) => count > 0)
          .map(({ id }: { id: string }) => id),
      )
      assert.deepEqual(
        old.rules.filter((id) => !broken.has(id)),
        [],
      )
    })

    it('lists, sorts, sums and groups what is beyond the bounds', async () => {
      const service = await openTestService(
        { DATABASE_URL: patient(place.databaseUrl) },
        { story: false },
      )
      try {
        const key = await service.key(old.brand)
        const get = async (path: string) => {
          const { status, text, body } = await service.get(path, { key })
          assert.equal(status, 200, `${path}: ${text}`)
          return body
        }
        const query = `/api/query/v1/brands/${old.brand}`
        for (const { path } of lists) await get(`/api/public/v1/brands/${old.brand}/${path}`)
        for (const path of ['tags', 'skus', 'orders', 'order-items', 'invoices', 'shipments']) {
          const resource = resourceAt(catalog, path)
          for (const name of resource.sortable) await get(`${query}/${path}?sort=-${name}&limit=5`)
          const fields = summableFields(resource)
          const sum = fields.length > 0 ? `sum=${fields.join()}&` : ''
          const groupings = groupingsOf(resource).filter(
            ({ field, dates }) => dates === 'month' || resource.fields[field]?.kind === 'text',
          )
          for (const { name } of groupings) await get(`${query}/${path}/summary?${sum}by=${name}`)
        }
        const { total } = await get(`${query}/invoices/summary?sum=totalAmount`)
        assert.deepEqual(total.tooLong, { totalAmount: 1 })
        await get(`${query}/today`)
      } finally {
        await service.close()
      }
    })

    it('takes unchanged records, also once the checks refuse', async () => {
      await exported()
      for (const checks of [null, 'enforce']) {
        if (checks) await run('brands', 'update', old.brand, '--checks', checks)
        const { stdout } = await run('import', 'out', '--brand', old.brand, '--no-check', '--json')
        const { collections, errors } = JSON.parse(stdout)
        assert.equal(errors, 0)
        assert.ok(collections.length > 50)
        for (const { collection, read, unchanged } of collections) {
          assert.equal(unchanged, read, collection)
        }
      }
    })
  })
}
