import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { wholeScope } from '#contract'
import { createKeys } from '#keys'
import { openKeyVerifier } from '../../src/keys/key-verifier.ts'
import { until } from '../support/cluster.ts'
import { inKeyTable } from '../support/key-table.ts'

const request = {
  ...{ name: 'Warehouse', brands: ['first'], global: false, expiresAt: null },
  ...{ perSecond: 5, burst: 7 },
}

describe('a key verifier', () => {
  it('keys that are there are known from the start', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const issued = await keys.issue(request)
      const global = await keys.issue({ ...request, global: true, brands: [] })
      const opened = await openKeyVerifier({ database, now: clock.now })
      for (const _ of [1, 2]) {
        assert.deepEqual(opened.verify(issued.key), {
          ...{ keyId: issued.id, name: 'Warehouse', global: false, brands: new Set(['first']) },
          ...{ collections: null, scope: wholeScope, addresses: null },
          ...{ perSecond: 5, burst: 7, expiresAt: null },
        })
      }
      const grant = opened.verify(global.key)
      assert.ok(typeof grant === 'object' && grant.global)
      for (const odd of ['', 'x', `${issued.key}x`, issued.key.slice(1)])
        assert.equal(opened.verify(odd), 'invalid')
      assert.equal(opened.isStale, false)
      await opened.close()
    }))

  it('keys of one kind are unknown where the other is verified', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const read = await keys.issue(request)
      const rights = { kind: 'ingest', collections: ['orders'], webhook: true } as const
      const ingest = await keys.issue({ ...request, ...rights })
      const plain = await keys.issue({ ...request, kind: 'ingest' })
      const reader = await openKeyVerifier({ database, now: clock.now })
      const receiver = await openKeyVerifier({ database, now: clock.now, kind: 'ingest' })
      assert.equal(typeof reader.verify(read.key), 'object')
      const grant = receiver.verify(ingest.key)
      assert.ok(typeof grant === 'object')
      assert.deepEqual(grant.collections, ['orders'])
      for (const { key } of [ingest, plain]) {
        assert.equal(reader.verify(key), 'invalid')
        assert.equal(await reader.verifyAgain(key), 'invalid')
      }
      assert.equal(receiver.verify(read.key), 'invalid')
      assert.equal(await receiver.verifyAgain(read.key), 'invalid')
      // Neither is a key of one kind under the prefix of the other.
      assert.equal(reader.verify(ingest.key.replace('slw_', 'slv_')), 'invalid')
      assert.deepEqual(receiver.findSigner(ingest.id), grant)
      for (const id of [plain.id, read.id, 'key_x', '']) {
        assert.equal(receiver.findSigner(id), 'invalid')
      }
      await keys.revoke(ingest.id)
      assert.equal(await receiver.findSignerAgain(ingest.id), 'invalid')
      assert.equal(receiver.findSigner(ingest.id), 'invalid')
      const issuedNow = await keys.issue({ ...request, ...rights })
      assert.equal(receiver.findSigner(issuedNow.id), 'invalid')
      assert.equal(receiver.findKey(issuedNow.id), 'invalid')
      assert.equal(typeof (await receiver.findKeyAgain(issuedNow.id)), 'object')
      const issuedLater = await keys.issue({ ...request, ...rights })
      assert.equal(typeof (await receiver.findSignerAgain(issuedLater.id)), 'object')
      await reader.close()
      await receiver.close()
    }))

  it('a key ends at its end, though it was verified before', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const expiresAt = new Date(clock.at + 1_000).toISOString()
      const issued = await keys.issue({ ...request, expiresAt })
      const opened = await openKeyVerifier({ database, now: clock.now })
      clock.at += 999
      assert.equal(typeof opened.verify(issued.key), 'object')
      clock.at += 1
      assert.equal(opened.verify(issued.key), 'expired')
      clock.at += 1
      assert.equal(opened.verify(issued.key), 'expired')
      await opened.close()
    }))

  it('changes are learned of, also of keys that were verified', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const opened = await openKeyVerifier({ database, now: clock.now, refreshMs: 5 })
      const issued = await keys.issue(request)
      await until(() => typeof opened.verify(issued.key) === 'object')
      await keys.revoke(issued.id)
      await until(() => opened.verify(issued.key) === 'invalid')
      await opened.close()
      const later = await keys.issue(request)
      const other = await openKeyVerifier({ database, now: clock.now, refreshMs: 50 })
      const last = await keys.issue(request)
      await until(() => typeof other.verify(last.key) === 'object')
      await other.close()
      assert.equal(opened.verify(later.key), 'invalid', 'a closed verifier reads no more')
    }))

  it('a hash that is stored for what is not a key admits no request', () =>
    inKeyTable(async ({ database, clock, store }) => {
      await store('no key')
      const opened = await openKeyVerifier({ database, now: clock.now })
      assert.equal(opened.verify('no key'), 'invalid')
      await opened.close()
    }))

  it('when a key was last used is written down to the minute', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const issued = await keys.issue(request)
      const other = await keys.issue(request)
      const lastUsed = async () =>
        (await keys.list()).find(({ id }) => id === issued.id)?.lastUsedAt ?? null
      clock.at += 90_500
      const first = await openKeyVerifier({ database, now: clock.now })
      await first.close()
      assert.equal(await lastUsed(), null)
      const second = await openKeyVerifier({ database, now: clock.now })
      second.markUsed(issued.id)
      await second.close()
      assert.equal(await lastUsed(), '2026-01-01T00:01:00.000Z')
      clock.at -= 60_000
      const third = await openKeyVerifier({ database, now: clock.now })
      third.markUsed(issued.id)
      await third.close()
      assert.equal(await lastUsed(), '2026-01-01T00:01:00.000Z', 'never back in time')
      assert.equal((await keys.list()).find(({ id }) => id === other.id)?.lastUsedAt, null)
    }))

  it('a use is written once, and one that comes while it is written is not lost', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      const issued = await keys.issue(request)
      let writes = 0
      let meanwhile: (() => void) | null = null
      const watched = {
        ...database,
        write: async (work: Parameters<typeof database.write>[0]) => {
          writes += 1
          const result = await database.write(work)
          meanwhile?.()
          meanwhile = null
          return result
        },
      } as typeof database
      const opened = await openKeyVerifier({ database: watched, now: clock.now })
      await opened.close()
      assert.equal(writes, 0, 'nothing to write')
      opened.markUsed(issued.id)
      meanwhile = () => {
        clock.at += 120_000
        opened.markUsed(issued.id)
      }
      await opened.close()
      await opened.close()
      assert.equal((await keys.list())[0]?.lastUsedAt, '2026-01-01T00:02:00.000Z')
      assert.equal(writes, 2)
      await opened.close()
      assert.equal(writes, 2, 'nothing new to write')
    }))

  it('while no key changes, none is read again', () =>
    inKeyTable(async ({ database, clock, random }) => {
      const keys = await createKeys({ database, now: clock.now, random })
      await keys.issue(request)
      let whole = 0
      let looks = 0
      const watched = {
        ...database,
        read: (queries: Parameters<typeof database.read>[0]) => {
          looks += 1
          if (queries.some(({ text }) => text.includes('"hash"'))) whole += 1
          return database.read(queries)
        },
      } as typeof database
      const opened = await openKeyVerifier({ database: watched, now: clock.now, refreshMs: 2 })
      await until(() => looks > 5)
      assert.equal(whole, 1)
      await keys.issue(request)
      await until(() => whole === 2)
      await opened.close()
    }))

  it('keys that were not read for long are stale, and the reason is reported', () =>
    inKeyTable(async ({ database, clock }) => {
      let away = false
      let reads = 0
      const errors: unknown[] = []
      const unreliable = {
        ...database,
        read: (queries: Parameters<typeof database.read>[0]) => {
          reads += 1
          return away ? Promise.reject(new Error('away')) : database.read(queries)
        },
      } as typeof database
      const opened = await openKeyVerifier({
        ...{ database: unreliable, now: clock.now, refreshMs: 5, staleMs: 60 },
        onError: (error) => void errors.push(error),
      })
      assert.equal(opened.isStale, false)
      // At intervals of 5 ms: for longer than until they are stale.
      await until(() => reads > 20)
      await until(() => !opened.isStale)
      away = true
      await until(() => opened.isStale)
      assert.ok(errors.length > 1)
      away = false
      await until(() => !opened.isStale)
      await opened.close()
    }))

  it('a key that was issued a moment ago is found by asking, in one read for all', () =>
    inKeyTable(async ({ database, clock, random }) => {
      let reads = 0
      let running = 0
      let most = 0
      const slow = {
        ...database,
        read: async (queries: Parameters<typeof database.read>[0]) => {
          reads += 1
          running += 1
          most = Math.max(most, running)
          const rows = await database.read(queries)
          await wait(10)
          running -= 1
          return rows
        },
      } as typeof database
      const keys = await createKeys({ database, now: clock.now, random })
      const old = await keys.issue(request)
      const opened = await openKeyVerifier({ database: slow, now: clock.now, refreshMs: 60_000 })
      for (const _ of [1, 2]) {
        // A read that is under way when the key is issued may be too old to show it.
        const early = opened.verifyAgain(old.key)
        const { key, id } = await keys.issue(request)
        assert.equal(opened.verify(key), 'invalid')
        reads = 0
        const grants = await Promise.all(Array.from({ length: 20 }, () => opened.verifyAgain(key)))
        for (const each of grants) assert.ok(typeof each === 'object' && each.keyId === id)
        assert.equal(typeof (await early), 'object')
        assert.ok(reads <= 3, `${reads} reads`)
        assert.equal(most, 1)
        assert.equal(typeof opened.verify(key), 'object')
        reads = 0
        assert.equal(await opened.verifyAgain(`${key}x`), 'invalid')
        assert.equal(reads, 0, 'a malformed key causes no read')
        await keys.revoke(id)
        assert.equal(await opened.verifyAgain(key), 'invalid')
      }
      await opened.close()
    }))

  it('a key that cannot be asked for in time is not decided on', () =>
    inKeyTable(async ({ database, clock, random }) => {
      let state: 'well' | 'hanging' | 'failing' = 'well'
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const troubled = {
        ...database,
        read: async (queries: Parameters<typeof database.read>[0]) => {
          if (state === 'hanging') await released
          if (state === 'failing') throw new RangeError('The database is away.')
          return database.read(queries)
        },
      } as typeof database
      const keys = await createKeys({ database, now: clock.now, random })
      const options = { database: troubled, now: clock.now, refreshMs: 60_000, askMs: 20 }
      const opened = await openKeyVerifier(options)
      const { key } = await keys.issue(request)
      state = 'hanging'
      await assert.rejects(opened.verifyAgain(key), { message: 'No response within 20 ms.' })
      state = 'failing'
      release()
      await assert.rejects(opened.verifyAgain(key), { message: 'The database is away.' })
      state = 'well'
      assert.equal(typeof (await opened.verifyAgain(key)), 'object')
      await opened.close()
    }))

  it('a slow read is not asked again before it ends', () =>
    inKeyTable(async ({ database, clock }) => {
      let running = 0
      let most = 0
      let times = 0
      const slow = {
        ...database,
        read: async (queries: Parameters<typeof database.read>[0]) => {
          running += 1
          times += 1
          most = Math.max(most, running)
          await wait(20)
          running -= 1
          return database.read(queries)
        },
      } as typeof database
      const opened = await openKeyVerifier({ database: slow, now: clock.now, refreshMs: 2 })
      const before = times
      await until(() => times >= before + 3)
      assert.equal(most, 1)
      await opened.close()
    }))
})
