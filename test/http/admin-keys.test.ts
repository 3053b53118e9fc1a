/** The operator page issues, changes, rotates and revokes keys as the commands do. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath, type OperatorIssuedKey, type OperatorKey, type OperatorKeys } from '#contract'
import { openTestAdmin, type SignedIn, type TestAdmin } from '../support/admin-service.ts'
import { until } from '../support/cluster.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`keys on the operator page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    let service: TestService
    let browser: SignedIn
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      admin = await openTestAdmin(url ? { DATABASE_URL: url } : {})
      service = await openTestService({ DATABASE_URL: admin.databaseUrl }, { story: false })
      browser = await admin.signIn('anna')
      for (const slug of ['one', 'two']) {
        await browser.ask('/api/brands', { method: 'POST', body: { slug, name: slug } })
      }
    })
    after(async () => {
      await service.close()
      await admin.close()
      await postgres?.close()
    })

    const list = async () => (await browser.ask('/api/keys')).body as OperatorKeys
    const post = (path: string, body: object = {}) =>
      browser.ask(`/api/keys${path}`, { method: 'POST', body })
    const issue = async (body: object) => (await post('', body)).body as OperatorIssuedKey
    const statusWith = async (key: string, brand = 'one') => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${service.url}${basePath}/brands/${brand}/orders`, { headers })).status
    }
    const lastEntry = async () => (await admin.entries()).at(-1)

    it('are shown once, and work at the public port within a second', async () => {
      const issued = await issue({ name: 'reporting', brands: ['one'], expires: '90d' })
      assert.match(issued.key, /^slv_/)
      const began = performance.now()
      await until(async () => (await statusWith(issued.key)) === 200)
      assert.ok(performance.now() - began < 1_500)
      assert.equal(await statusWith(issued.key, 'two'), 401)
      const listed = await browser.ask('/api/keys')
      assert.ok(!listed.text.includes(issued.key))
      const { key, ...record } = issued
      assert.deepEqual(
        (listed.body as OperatorKeys).items.find(({ id }) => id === issued.id),
        record,
      )
      assert.ok(!JSON.stringify(await admin.entries()).includes(key))
      const entry = await lastEntry()
      assert.deepEqual(
        [entry?.action, entry?.subject, entry?.actor, entry?.actorKind],
        ['key.issued', issued.id, 'anna', 'operator'],
      )
      assert.match(entry?.program ?? '', /admin$/)
    })

    it('have the limits that they are issued with', async () => {
      const issued = await issue({
        ...{ kind: 'read', global: true, onlyGroups: ['orders', 'domain:catalog'] },
        ...{ withoutGroups: ['skus'], addresses: ['192.0.2.0/24'], perSecond: 2.5, burst: 7 },
      })
      assert.deepEqual(
        [issued.global, issued.withoutGroups, issued.addresses, issued.perSecond, issued.burst],
        [true, ['skus'], ['192.0.2.0/24'], 2.5, 7],
      )
      assert.ok(issued.onlyGroups?.includes('orders'))
      const sender = await issue({
        ...{ kind: 'ingest', brands: ['one'], collections: ['orders'], webhook: true },
      })
      assert.match(sender.key, /^slw_/)
      assert.match(sender.signingSecret ?? '', /^whsec_/)
      assert.ok(!(await browser.ask('/api/keys')).text.includes(String(sender.signingSecret)))
    })

    it('are refused with the sentence of the command', async () => {
      const before = (await list()).total
      const refusals = [
        [{}, 400, /^Choose what the key can read/],
        [{ brands: ['one'], global: true }, 400, /^Choose what the key can read/],
        [{ brands: ['none'] }, 404, /^There is no brand none\. The database has one, two\./],
        [{ brands: ['one'], onlyGroups: ['order'] }, 400, /Did you mean orders\?$/],
        [{ brands: ['one'], addresses: ['x'] }, 400, /^--from: /],
        [{ brands: ['one'], addresses: [] }, 400, /^--from: /],
        [{ brands: ['one'], perSecond: 0 }, 400, /^--rate is not valid/],
        [{ brands: ['one'], burst: 1.5 }, 400, /^--burst is not valid/],
        [{ brands: ['one'], expires: '2020-01-01' }, 400, /is in the past/],
        [{ brands: ['one'], webhook: true }, 400, /^--webhook needs --ingest/],
        [{ brands: ['one'], collections: ['orders'] }, 400, /^--collections needs --ingest/],
        [{ brands: ['one'], colour: 'red' }, 400, /^colour is not known/],
        [{ brands: 'one' }, 400, /^brands must be a list/],
      ] as const
      for (const [body, status, sentence] of refusals) {
        const refused = await post('', body)
        assert.equal(refused.status, status, refused.text)
        assert.match(refused.body.error, sentence)
      }
      assert.equal((await list()).total, before)
    })

    it('are changed, rotated with an overlap, and revoked at once', async () => {
      const { id, key } = await issue({ name: 'a', brands: ['one'] })
      await until(async () => (await statusWith(key)) === 200)
      const patch = (body: object) => browser.ask(`/api/keys/${id}`, { method: 'PATCH', body })
      const changed = await patch({ name: 'b', brands: ['two'], expires: '30d' })
      assert.deepEqual([changed.body.name, changed.body.brands], ['b', ['two']], changed.text)
      await until(async () => (await statusWith(key, 'two')) === 200)
      assert.equal(await statusWith(key, 'one'), 401)
      assert.equal((await patch({ expires: null })).body.expiresAt, null)
      assert.equal((await patch({})).status, 400)
      assert.equal((await patch({ brands: [] })).status, 400)

      const rotated = (await post(`/${id}/rotate`, { overlap: '1h' })).body as OperatorIssuedKey
      assert.equal(rotated.replaces?.id, id)
      await until(async () => (await statusWith(rotated.key, 'two')) === 200)
      assert.equal(await statusWith(key, 'two'), 200)
      const again = await post(`/${id}/rotate`)
      assert.deepEqual([again.status, again.body.errorCode], [409, 'operation_refused'])
      assert.match(again.body.error, /has already been rotated/)

      const revoked = await post(`/${rotated.id}/revoke`)
      assert.equal((revoked.body as OperatorKey).state, 'revoked', revoked.text)
      await until(async () => (await statusWith(rotated.key, 'two')) === 401)
      assert.equal((await post('/key_none/revoke')).status, 404)
      const states = new Map((await list()).items.map((each) => [each.id, each.state]))
      assert.deepEqual([states.get(id), states.get(rotated.id)], ['replaced', 'revoked'])
      const entry = await lastEntry()
      assert.deepEqual([entry?.action, entry?.actor], ['key.revoked', 'anna'])
    })

    it('have what keys review lists, and when they were last used', async () => {
      const { id } = await issue({ name: 'wide', global: true })
      const find = async () => (await list()).items.find((each) => each.id === id)
      // Servers store it once a minute.
      const lastUsedAt = '2026-11-18T09:00:00.000Z'
      await admin.records.keyDatabase.write((session) =>
        session.run({
          text: 'update "selvedge_keys" set "last_used_at" = ?1 where "id" = ?2',
          values: [lastUsedAt, id],
        }),
      )
      assert.equal((await find())?.lastUsedAt, lastUsedAt)
      const findings = (await find())?.findings.map(({ finding }) => finding)
      assert.ok(findings?.includes('global') && findings.includes('never_expires'))
      const { items } = (await browser.ask('/api/keys?brand=two')).body as OperatorKeys
      assert.ok(items.every(({ brands, global }) => global || brands.includes('two')))
    })
  })
}
