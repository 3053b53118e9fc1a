/** Keys apart from the records: where they are stored, and who may write them when. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type Database, keyFileOf, openDatabase } from '#database'
import { createKeys, openKeyVerifier } from '#keys'
import { openRecords } from '#server'
import { openSandbox } from '../support/command.ts'
import { holdImport } from '../support/held-import.ts'
import { openTestService } from '../support/service.ts'

const rights = { expiresAt: null, perSecond: null, burst: null }
const request = { name: 'test', brands: ['aldermoor'], global: false, ...rights }

const newFolder = (test: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-keys-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What an earlier version stored: keys among the records. */
const openEarlier = async (url: string) => {
  const database = openDatabase(url)
  const keys = await createKeys({ database, now: Date.now, random: randomBytes })
  return { database, keys, close: () => database.close() }
}

const limitColumns = ['only_groups', 'without_groups', 'addresses']

/** Makes a table of keys as it was before there were kinds of keys. */
const dropLaterColumns = (
  database: Database,
  columns = ['kind', 'collections', 'webhook', ...limitColumns],
): Promise<void> =>
  database.write(async (session) => {
    for (const column of columns) {
      await session.run({ text: `alter table "selvedge_keys" drop column "${column}"`, values: [] })
    }
  })

describe('keys on SQLite', () => {
  it('are in a file of their own, for its owner alone', async (test) => {
    const folder = newFolder(test as TestContext)
    const url = `sqlite:${join(folder, 'selvedge.db')}`
    const records = await openRecords({ databaseUrl: url })
    await records.keys.issue(request)
    assert.equal((await records.database.tables()).has('selvedge_keys'), false)
    await records.close()
    assert.equal(statSync(join(folder, 'selvedge.keys.db')).mode & 0o777, 0o600)
  })

  it('are in one file, whatever link the records are opened through', (test) => {
    const folder = newFolder(test as TestContext)
    const file = join(folder, 'records.sqlite')
    const database = openDatabase(`sqlite:${file}`)
    symlinkSync(file, join(folder, 'link.db'))
    assert.equal(keyFileOf(join(folder, 'link.db')), keyFileOf(file))
    assert.match(keyFileOf(file), /\/records\.keys\.sqlite$/)
    assert.match(keyFileOf(join(folder, 'plain')), /\/plain\.keys$/)
    return database.close()
  })

  it('of an earlier version are moved once, with all that is known of them', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const earlier = await openEarlier(url)
    const good = await earlier.keys.issue({ ...request, perSecond: 2.5, burst: 7 })
    const revoked = await earlier.keys.issue(request)
    await earlier.keys.revoke(revoked.id)
    const rotated = await earlier.keys.issue(request)
    await earlier.keys.rotate(rotated.id, 60)
    const before = await earlier.keys.list()
    await dropLaterColumns(earlier.database)
    await earlier.close()

    const said: string[] = []
    for (const _ of [1, 2]) {
      const records = await openRecords({ databaseUrl: url }, (sentence) => said.push(sentence))
      assert.deepEqual(await records.keys.list(), before)
      // An earlier version must find nothing there that was revoked since.
      const tables = await records.database.tables()
      assert.ok(!tables.has('selvedge_keys') && !tables.has('selvedge_keys_version'))
      const verifier = await openKeyVerifier({ database: records.keyDatabase, now: Date.now })
      assert.equal(typeof verifier.verify(good.key), 'object')
      assert.equal(verifier.verify(revoked.key), 'invalid')
      await verifier.close()
      await records.close()
    }
    assert.equal(said.filter((each) => each.startsWith('Migration: moved the keys to ')).length, 1)
  })

  it('of a version without kinds of keys read, as before', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const first = await openRecords({ databaseUrl: url })
    const { key, ...record } = await first.keys.issue(request)
    await dropLaterColumns(first.keyDatabase)
    await first.close()
    const records = await openRecords({ databaseUrl: url })
    assert.deepEqual(await records.keys.list(), [record])
    assert.deepEqual([record.kind, record.collections, record.webhook], ['read', null, false])
    const verifier = await openKeyVerifier({ database: records.keyDatabase, now: Date.now })
    assert.equal(typeof verifier.verify(key), 'object')
    await verifier.close()
    await records.close()
  })

  it('with limits are unknown to versions that would ignore the limits', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const records = await openRecords({ databaseUrl: url })
    test.after(() => records.close())
    const limits = [
      { onlyGroups: ['orders'] },
      { withoutGroups: ['domain:finance'] },
      { addresses: ['203.0.113.0/24'] },
      {},
    ]
    for (const each of limits) {
      await records.keys.issue({ ...request, name: JSON.stringify(each), ...each })
    }
    // What version 0.2.0 asks.
    const ofKind = { text: `select "name" from "selvedge_keys" where "kind" = 'read'`, values: [] }
    assert.deepEqual((await records.keyDatabase.read([ofKind]))[0], [['{}']])
    // Keys of the same millisecond are listed in any order.
    const listed = (await records.keys.list()).map(({ kind, name }) => `${kind} ${name}`)
    assert.deepEqual(listed.sort(), limits.map((each) => `read ${JSON.stringify(each)}`).sort())
  })

  it('whose limits an earlier version lost in a rotation read nothing', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const records = await openRecords({ databaseUrl: url })
    test.after(() => records.close())
    const { key } = await records.keys.issue({ ...request, onlyGroups: ['orders'] })
    await dropLaterColumns(records.keyDatabase, limitColumns)
    const verifier = await openKeyVerifier({ database: records.keyDatabase, now: Date.now })
    const grant = verifier.verify(key)
    assert.ok(typeof grant === 'object')
    assert.deepEqual([grant.scope.has('orders'), grant.scope.has('tags')], [false, false])
    await verifier.close()
  })

  it('that are moved twice, as after a crash or a restored backup, stay revoked', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const earlier = await openEarlier(url)
    const [first, second, third] = [
      await earlier.keys.issue(request),
      await earlier.keys.issue(request),
      await earlier.keys.issue(request),
    ]
    // As after a crash between the two commits: the keys are in both places.
    const file = keyFileOf(url.slice('sqlite:'.length))
    const copy = openDatabase(`sqlite:${file}`)
    await createKeys({ database: copy, now: Date.now, random: randomBytes })
    const [rows = []] = await earlier.database.read([
      { text: 'select * from "selvedge_keys"', values: [] },
    ])
    await copy.write(async (session) => {
      const marks = rows[0]?.map((_, index) => `?${index + 1}`)
      for (const row of rows) {
        const text = `insert into "selvedge_keys" values (${marks})`
        await session.run({ text, values: [...row] })
      }
    })
    const keysThere = await createKeys({ database: copy, now: Date.now, random: randomBytes })
    await keysThere.revoke(first.id)
    await keysThere.update(third.id, (key) => ({ ...key, onlyGroups: ['tags'] }))
    await copy.close()
    await earlier.keys.revoke(second.id)
    await earlier.close()

    const records = await openRecords({ databaseUrl: url })
    const states = new Map((await records.keys.list()).map((key) => [key.id, key.revokedAt]))
    assert.equal(states.size, 3)
    assert.ok(states.get(first.id) && states.get(second.id))
    assert.equal(states.get(third.id), null)
    const limited = (await records.keys.list()).find(({ id }) => id === third.id)
    assert.deepEqual(limited?.onlyGroups, ['tags'])
    await records.close()
  })

  it('that an earlier version issued meanwhile are taken over', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const records = await openRecords({ databaseUrl: url })
    const one = await records.keys.issue(request)
    await records.close()
    const earlier = await openEarlier(url)
    assert.deepEqual(await earlier.keys.list(), [], 'it finds none to serve')
    const two = await earlier.keys.issue(request)
    await earlier.close()
    const later = await openRecords({ databaseUrl: url })
    const ids = (await later.keys.list()).map(({ id }) => id)
    assert.deepEqual(ids.sort(), [one.id, two.id].sort())
    await later.close()
  })

  it('whose file is missing are missed aloud', async (test) => {
    const url = `sqlite:${join(newFolder(test as TestContext), 'selvedge.db')}`
    const said: string[] = []
    const open = () => openRecords({ databaseUrl: url }, (sentence) => said.push(sentence))
    const records = await open()
    await records.keys.issue(request)
    await records.close()
    await (await open()).close()
    assert.ok(!said.some((each) => each.includes('missing')), String(said))
    const file = keyFileOf(url.slice('sqlite:'.length))
    rmSync(file)
    await (await open()).close()
    assert.equal(
      said.at(-1),
      `The keys of this database are missing: there was no ${file}. Restore it from a backup, or issue new keys: selvedge keys issue`,
    )
  })

  it('are written while an import holds the records', async (test) => {
    const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    test.after(() => service.close())
    const place = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
    test.after(() => place.close())
    const held = await holdImport(place, 'aldermoor')
    test.after(() => held.end())
    const { keys } = service.records
    const issued = await keys.issue(request)
    assert.equal((await service.get('tags', { key: issued.key })).status, 200)
    const successor = await keys.rotate(issued.id, 60)
    assert.equal((await service.get('tags', { key: successor?.key ?? '' })).status, 200)
    const { code, stderr } = await place.run(['keys', 'revoke', issued.id])
    assert.equal(code, 0, stderr)
    const deadline = performance.now() + 60_000
    while ((await service.get('tags', { key: issued.key })).status !== 401) {
      assert.ok(performance.now() < deadline)
    }
    assert.equal(await held.isHeld(), true)
    assert.equal((await held.end()).code, 0)
  })
})
