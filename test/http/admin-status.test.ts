/** What the operator page shows of an installation: readers of the feed, storage, health and logs. */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createBackupTable, storeLastBackup } from '#backup'
import {
  type OperatorAudit,
  type OperatorChecks,
  type OperatorFeed,
  type OperatorHealth,
  type OperatorStorage,
  type OperatorUsage,
  queryBasePath,
} from '#contract'
import { openTestAdmin, type SignedIn, type TestAdmin } from '../support/admin-service.ts'
import { until } from '../support/cluster.ts'
import { feedOf } from '../support/feed.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

const [tag] = recordsAt('tags')
const tagAt = (number: number) => ({ ...tag, id: idOf(number), name: `Tag ${number}` })

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`an installation on the operator page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    let service: TestService
    let browser: SignedIn
    let key = ''
    let keyId = ''
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      admin = await openTestAdmin({ CHANGE_FEED: 'on', ...(url && { DATABASE_URL: url }) })
      service = await openTestService({ CHANGE_FEED: 'on', DATABASE_URL: admin.databaseUrl })
      browser = await admin.signIn('anna')
      const body = { name: 'follower', brands: ['aldermoor'] }
      const issued = await browser.ask('/api/keys', { method: 'POST', body })
      ;({ key, id: keyId } = issued.body)
      await until(async () => (await ask('?limit=1')).status === 200)
    })
    after(async () => {
      await service.close()
      await admin.close()
      await postgres?.close()
    })

    const ask = (query: string) =>
      fetch(`${service.url}${feedOf('aldermoor')}${query}`, {
        headers: { authorization: `Bearer ${key}` },
      })
    const get = async <T>(path: string) => {
      const { status, body, text } = await browser.ask(path)
      assert.equal(status, 200, text)
      return body as T
    }
    const readers = async () => (await get<OperatorFeed>('/api/feed')).items
    const tags = () => readers().then((all) => all.find(({ collection }) => collection === 'tags'))

    it('has the readers of the change feed, and how far they are behind', async () => {
      let cursor = ''
      const step = async (query: string) => {
        const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const answer = await ask(`?limit=1000&${query}${from}`)
        const page = (await answer.json()) as { nextCursor: string; hasMore: boolean }
        cursor = page.nextCursor
        return page
      }
      while ((await step('')).hasMore);
      await until(async () => Boolean((await readers())[0]?.caughtUpAt))
      const [caughtUp] = await readers()
      assert.deepEqual(
        [caughtUp?.keyId, caughtUp?.keyName, caughtUp?.brand, caughtUp?.collection],
        [keyId, 'follower', 'aldermoor', null],
      )
      assert.deepEqual(
        [caughtUp?.lagChanges, caughtUp?.hasMoreChanges, caughtUp?.lagSeconds],
        [0, false, 0],
      )
      assert.ok(Number(caughtUp?.position) > 0)

      await service.write('aldermoor', { tags: [tagAt(901), tagAt(902), tagAt(903)] })
      const [reader] = await readers()
      assert.deepEqual([reader?.lagChanges, reader?.position], [3, caughtUp?.position])
      assert.ok(Number(reader?.lagSeconds) >= 0)

      // One of three changes of the same write.
      await (await ask(`?limit=1&cursor=${encodeURIComponent(cursor)}`)).json()
      await until(async () => (await readers())[0]?.lagChanges === 2)
      await step('')
      await until(async () => (await readers())[0]?.lagChanges === 0)
    })

    it('has a reader of one collection apart from that of all', async () => {
      await (await ask('?collection=tags&limit=1000')).json()
      await until(async () => (await tags()) !== undefined)
      const before = await tags()
      assert.equal(before?.lagChanges, 0)
      await service.write('aldermoor', { tags: [tagAt(904)] })
      assert.equal((await tags())?.lagChanges, 1)
      const { items } = await get<OperatorFeed>('/api/feed?brand=none')
      assert.deepEqual(items, [])
    })

    it('has a reader whose pages come from the cache of the server', async () => {
      const issued = await browser.ask('/api/keys', {
        method: 'POST',
        body: { name: 'second', brands: ['aldermoor'] },
      })
      const headers = { authorization: `Bearer ${issued.body.key}` }
      const page = () => fetch(`${service.url}${feedOf('aldermoor')}?limit=7`, { headers })
      await until(async () => (await page()).status === 200)
      for (let n = 0; n < 3; n += 1) {
        await (await ask('?limit=7')).text()
        await (await page()).text()
      }
      const find = async () => (await readers()).find(({ keyName }) => keyName === 'second')
      await until(async () => (await find()) !== undefined)
      assert.ok(Number((await find())?.lagChanges) > 0)
      assert.equal((await find())?.lagSeconds, null)
    })

    it('has a reader as caught up that gets the response that nothing has changed', async () => {
      const issued = await browser.ask('/api/keys', {
        method: 'POST',
        body: { name: 'third', brands: ['aldermoor'] },
      })
      const authorization = `Bearer ${issued.body.key}`
      const find = async () => (await readers()).find(({ keyName }) => keyName === 'third')
      let cursor = ''
      let tag = ''
      const poll = async () => {
        const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const url = `${service.url}${feedOf('aldermoor')}?limit=1000${from}`
        const headers = { authorization, ...(tag !== '' && { 'if-none-match': tag }) }
        const answer = await fetch(url, { headers })
        if (answer.status === 304) return 'unchanged'
        tag = answer.headers.get('etag') ?? ''
        const page = (await answer.json()) as { nextCursor: string; items: readonly unknown[] }
        cursor = page.nextCursor
        return page.items.length > 0 ? 'changes' : 'empty'
      }
      const isKnown = () =>
        fetch(`${service.url}${feedOf('aldermoor')}`, { headers: { authorization } })
      await until(async () => (await isKnown()).status === 200)
      while ((await poll()) !== 'empty');
      await until(async () => (await find())?.lagSeconds === 0)
      // The second one comes from the cache of the server.
      for (let n = 0; n < 3; n += 1) {
        const before = (await find())?.caughtUpAt
        assert.ok(before)
        assert.equal(await poll(), 'unchanged')
        await until(async () => String((await find())?.caughtUpAt) > before)
      }
    })

    it('has sizes that the file system and the engine know', async () => {
      const storage = await get<OperatorStorage>('/api/storage')
      assert.ok(storage.bytes > 100_000)
      assert.equal(storage.lastBackup, null)
      if (engine === 'SQLite') {
        assert.deepEqual(
          storage.files.map(({ name }) => name),
          ['records', 'keys', 'units'],
        )
        assert.ok(storage.files.every(({ bytes }) => bytes > 0))
        assert.ok(Number(storage.freeBytes) > 0)
        assert.ok(Number(storage.walBytes) > 0)
      } else {
        assert.ok(storage.tables.length > 10)
        assert.ok(storage.tables.some(({ name }) => name === 'selvedge_changes'))
        assert.ok(Number(storage.walBytes) > 0)
        assert.ok(Number(storage.oldestSnapshotSeconds) >= 0)
      }
    })

    it('has the last backup, and says when the next one is missing', async () => {
      const { keyDatabase } = admin.records
      await createBackupTable(keyDatabase)
      const at = '2026-01-01T00:00:00.000Z'
      const backup = {
        ...{ takenAt: at, finishedAt: at, place: '/backups', bytes: 7, durationMs: 1 },
        everySeconds: 3_600,
      }
      await keyDatabase.write((session) => storeLastBackup(session, backup))
      const { lastBackup } = await get<OperatorStorage>('/api/storage')
      assert.deepEqual([lastBackup?.at, lastBackup?.target, lastBackup?.bytes], [at, '/backups', 7])
      const { parts } = await get<OperatorHealth>('/api/health')
      assert.equal(parts.find(({ part }) => part === 'backup')?.state, 'warning')
    })

    it('has the health of its parts', async () => {
      const { parts, hosts } = await get<OperatorHealth>('/api/health')
      const states = Object.fromEntries(parts.map(({ part, state }) => [part, state]))
      assert.deepEqual(
        { ...states, migrations: '' },
        {
          ...{ database: 'ok', redis: 'off', images: 'ok', intake: 'off', backup: 'warning' },
          migrations: '',
        },
      )
      assert.deepEqual(
        hosts.map(({ role }) => role),
        engine === 'SQLite' ? [] : ['primary'],
      )
    })

    it('has the findings of the rules as the query API has them', async () => {
      const checks = await get<OperatorChecks>('/api/checks?brand=aldermoor')
      const quality = await service.get(`${queryBasePath}/brands/aldermoor/quality`)
      assert.deepEqual(checks.rules, quality.body.rules)
      assert.equal((await browser.ask('/api/checks?brand=none')).status, 404)
    })

    it('has usage by key and day, with names', async () => {
      await until(async () => {
        const { items } = await get<OperatorUsage>('/api/usage?by=key,day')
        return items.some(({ key, name }) => key === keyId && name === 'follower')
      })
      const { by, isCut, items } = await get<OperatorUsage>(`/api/usage?key=${keyId}&from=7d`)
      assert.deepEqual([by, isCut, items.length], [['key'], false, 1])
      assert.ok(Number(items[0]?.records) > 0)
      for (const query of ['by=colour', 'from=2026-02-30', 'to=2000-01-01']) {
        assert.equal((await browser.ask(`/api/usage?${query}`)).status, 400, query)
      }
      assert.equal((await browser.ask('/api/usage?key=key_none')).status, 404)
    })

    it('has the audit log, and verifies it', async () => {
      const { items, actions } = await get<OperatorAudit>('/api/audit?action=key.issued')
      assert.deepEqual(
        items.slice(0, 2).map(({ actor, action }) => [actor, action]),
        [
          ['anna', 'key.issued'],
          ['anna', 'key.issued'],
        ],
      )
      assert.ok(actions['key.issued'])
      const all = await get<OperatorAudit>('/api/audit')
      assert.deepEqual(
        all.items.map(({ number }) => number),
        all.items.map((_, index) => Number(all.items[0]?.number) - index),
      )
      const verify = (body: object) => browser.ask('/api/audit/verify', { method: 'POST', body })
      const { head, problem } = (await verify({})).body
      assert.equal(problem, null)
      assert.equal((await verify({ expect: head })).body.problem, null)
      const wrong = await verify({
        expect: head.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
      })
      assert.equal(wrong.body.problem.number, Number(head.split(':')[0]))
      assert.equal((await verify({ expect: 'x' })).status, 400)
    })
  })
}

describe('health on the operator page', () => {
  it('does not wait for a Redis that never answers, and says so', async () => {
    // It accepts connections and says nothing.
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const admin = await openTestAdmin({ REDIS_URL: `redis://127.0.0.1:${port}` })
    const browser = await admin.signIn()
    const began = performance.now()
    const { parts } = (await browser.ask('/api/health')).body as OperatorHealth
    assert.ok(performance.now() - began < 5_000)
    const redis = parts.find(({ part }) => part === 'redis')
    assert.equal(redis?.state, 'error')
    assert.match(redis?.message ?? '', /Redis cannot be reached|no answer within/)
    assert.equal(parts.find(({ part }) => part === 'database')?.state, 'ok')
    await admin.close()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
