import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createKeys } from '../../src/keys/keys.ts'
import { inKeyTable } from '../support/key-table.ts'

const second = 1_000
const request = {
  ...{ name: 'Warehouse', brands: ['first', 'second'], global: false, expiresAt: null },
  ...{ perSecond: 5, burst: 7 },
}

describe('the table of keys', () => {
  it('a key is issued, listed and never shown again', () =>
    inKeyTable(async ({ database, clock, random, version }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const before = await version()
      const issued = await opened.issue(request)
      assert.equal(await version(), before + 1, 'other processes see the change')
      const { key, ...record } = issued
      assert.match(key, /^slv_/)
      assert.match(record.id, /^key_/)
      assert.deepEqual(record, {
        ...{ ...request, id: record.id, createdAt: '2026-01-01T00:00:00.000Z' },
        ...{ revokedAt: null, lastUsedAt: null, successorId: null },
        ...{ kind: 'read', collections: null, webhook: false },
        ...{ onlyGroups: null, withoutGroups: null, addresses: null },
      })
      assert.deepEqual(await opened.list(), [record])
    }))

  it('a revoked key stays revoked since then', () =>
    inKeyTable(async ({ database, clock, random, version }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const { id } = await opened.issue(request)
      const other = await opened.issue(request)
      const before = await version()
      clock.at += second
      assert.equal((await opened.revoke(id))?.revokedAt, '2026-01-01T00:00:01.000Z')
      assert.equal(await version(), before + 1, 'other processes see the change')
      clock.at += second
      assert.equal((await opened.revoke(id))?.revokedAt, '2026-01-01T00:00:01.000Z')
      assert.equal(await opened.revoke('key_nobody'), null)
      const all = await opened.list()
      assert.equal(all.find((each) => each.id === other.id)?.revokedAt, null)
    }))

  it('a rotated key lives on for the overlap, and has a successor', () =>
    inKeyTable(async ({ database, clock, random, version }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const old = await opened.issue(request)
      const before = await version()
      clock.at += second
      const successor = await opened.rotate(old.id, 60)
      assert.ok(successor)
      assert.equal(await version(), before + 1, 'other processes see the change')
      const { key, ...record } = successor
      assert.notEqual(key, old.key)
      assert.deepEqual(record, {
        ...{ ...request, id: record.id, createdAt: '2026-01-01T00:00:01.000Z' },
        ...{ revokedAt: null, lastUsedAt: null, successorId: null },
        ...{ kind: 'read', collections: null, webhook: false },
        ...{ onlyGroups: null, withoutGroups: null, addresses: null },
      })
      const all = await opened.list()
      assert.deepEqual(all[1], record)
      const listed = all.find((each) => each.id === old.id)
      assert.equal(listed?.expiresAt, '2026-01-01T00:01:01.000Z')
      assert.equal(listed?.successorId, record.id)
    }))

  it('a rotated key gets no second successor, unless the first is revoked', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const old = await opened.issue(request)
      const first = await opened.rotate(old.id, 60)
      assert.ok(first)
      clock.at += second
      assert.equal(await opened.rotate(old.id, 600), null)
      const listed = (await opened.list()).find((each) => each.id === old.id)
      assert.equal(listed?.expiresAt, '2026-01-01T00:01:00.000Z', 'its end stays')
      assert.equal((await opened.list()).length, 2)
      await opened.revoke(first.id)
      const other = await opened.rotate(old.id, 60)
      assert.ok(other)
      const again = (await opened.list()).find((each) => each.id === old.id)
      assert.equal(again?.successorId, other.id)
    }))

  it('what ends sooner than the overlap ends then', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const expiresAt = '2026-01-01T00:00:05.000Z'
      const old = await opened.issue({ ...request, expiresAt })
      assert.equal((await opened.rotate(old.id, 60))?.expiresAt, expiresAt)
      const listed = (await opened.list()).find((each) => each.id === old.id)
      assert.equal(listed?.expiresAt, expiresAt)
    }))

  it('what is not there or revoked cannot be rotated', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      assert.equal(await opened.rotate('key_nobody', 60), null)
      const old = await opened.issue(request)
      await opened.revoke(old.id)
      assert.equal(await opened.rotate(old.id, 60), null)
      assert.equal((await opened.list()).length, 1)
    }))

  it('a rotated key hands on what it may read, and from where', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const limits = { onlyGroups: ['tags'], withoutGroups: ['orders'], addresses: ['192.0.2.1'] }
      const old = await opened.issue({ ...request, ...limits })
      const successor = await opened.rotate(old.id, 60)
      assert.deepEqual({ ...successor, ...limits }, successor)
    }))

  it('a changed key is read again by all, and keeps the rest', () =>
    inKeyTable(async ({ database, clock, random, version }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const { key: _, ...record } = await opened.issue(request)
      const { key: __, ...other } = await opened.issue(request)
      const before = await version()
      const limits = { onlyGroups: ['tags'], withoutGroups: null, addresses: ['192.0.2.1'] }
      const changed = await opened.update(record.id, (old) => ({ ...old, ...limits, burst: 9 }))
      assert.deepEqual(changed, { ...record, ...limits, burst: 9 })
      assert.equal(await version(), before + 1, 'other processes see the change')
      const byId = new Map((await opened.list()).map((each) => [each.id, each]))
      assert.deepEqual(byId.get(record.id), changed)
      assert.deepEqual(byId.get(other.id), other)
      assert.equal(await opened.update('key_missing', (old) => old), null)
      const refusal = new RangeError('no')
      await assert.rejects(
        opened.update(record.id, () => {
          throw refusal
        }),
        refusal,
      )
      assert.deepEqual(
        (await opened.list()).find(({ id }) => id === record.id),
        changed,
      )
    }))

  it('a key that is revoked while it is rotated gets no successor', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const opened = await createKeys({ database, now: clock.now, random })
      const old = await opened.issue(request)
      const late = {
        ...database,
        write: async (work: Parameters<typeof database.write>[0]) => {
          await opened.revoke(old.id)
          return database.write(work)
        },
      } as typeof database
      const other = await createKeys({ database: late, now: clock.now, random })
      assert.equal(await other.rotate(old.id, 60), null)
      assert.equal((await opened.list()).length, 1)
    }))
})
