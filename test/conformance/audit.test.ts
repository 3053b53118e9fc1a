/** The audit log on both engines: what is in it, who can write to it, and what shows if it is changed. */
import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Audit,
  type ChainedEntry,
  createAuditRecorder,
  openAudit,
  type ReadEntry,
} from '#audit'
import { catalog, resourceAt } from '#contract'
import { openDatabase, openQueueDatabase } from '#database'
import { openUnits } from '#intake'
import { openRecords, type Records } from '#server'
import { brandRecord } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { patient } from '../support/service.ts'

const rights = { brands: ['first'], global: false, expiresAt: null, perSecond: null, burst: null }
const origin = {
  ...{ actor: () => ({ kind: 'user', name: 'dead' }) as const, host: 'here', user: 'dead' },
  program: 'selvedge 0 test',
}

/** A log, and ways around it. */
interface BareLog {
  readonly audit: Audit
  note(...brands: readonly string[]): Promise<void>
  run(...texts: readonly string[]): Promise<void>
}

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the audit log on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let folder = ''
    let url = ''
    const opened: Records[] = []
    /** Of two processes. */
    let records: Records
    let other: Records
    /** The entries before a test. */
    let start = 0

    const open = async (operator = 'anna') => {
      const imagesUrl = `file:${join(folder, 'images')}`
      const config = { databaseUrl: url, imagesUrl, operator, command: 'test' }
      const one = await openRecords(config)
      opened.push(one)
      return one
    }
    const close = async () => {
      for (const each of opened.splice(0)) await each.close()
    }
    before(async () => {
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      folder = mkdtempSync(join(tmpdir(), 'selvedge-audit-'))
      url = patient((await postgres?.url('audit')) ?? `sqlite:${join(folder, 'selvedge.db')}`)
      records = await open()
      other = await open('bob')
    })
    beforeEach(async () => {
      start = (await list()).length
    })
    after(async () => {
      await close()
      await postgres?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const addBrand = (to: Records, slug: string, number: number) =>
      to.store.write(slug, async (writer) => {
        const resource = resourceAt(catalog, 'brand')
        await writer.stage(resource, [brandRecord(slug, number)])
        await writer.merge(resource)
      })
    const list = async (from = records): Promise<readonly ChainedEntry[]> => {
      await from.audit.chain()
      return from.audit.list({ limit: 1_000 })
    }
    const readEntries = (all: readonly ChainedEntry[]): readonly ReadEntry[] =>
      all.map(({ text }) => JSON.parse(text))
    /** The entries of this test. */
    const entries = async (from = records) => readEntries((await list(from)).slice(start))
    const problem = async (expect?: { readonly number: number; readonly hash: string }) =>
      (await records.audit.verify({ expect })).problem

    it('begins with an entry that says what there was, and names who did what', async () => {
      await addBrand(records, 'first', 1)
      const { id } = await other.keys.issue({ ...rights, name: 'Warehouse' })
      await other.keys.update(id, (key) => ({ ...key, onlyGroups: ['orders'], perSecond: 0.5 }))
      await other.keys.rotate(id, 60)
      await other.keys.revoke(id)
      await other.keys.revoke(id)
      await records.store.setChecks('first', { default: 'warn', exceptions: {} })
      await records.store.views.add('first', { name: 'Late', group: 'orders', query: 'view=late' })
      await records.store.views.remove('first', 'Late')
      await records.store.views.remove('first', 'Late')
      await records.store.removeBrand('first')
      const all = readEntries(await list())
      assert.deepEqual(
        all.map(({ action, actor, actorKind, brand }) => [action, actor, actorKind, brand]),
        [
          ['audit.begun', 'anna', 'operator', null],
          ['brand.added', 'anna', 'operator', 'first'],
          ['key.issued', 'bob', 'operator', 'first'],
          ['key.changed', 'bob', 'operator', 'first'],
          ['key.rotated', 'bob', 'operator', 'first'],
          ['key.revoked', 'bob', 'operator', 'first'],
          ['checks.changed', 'anna', 'operator', 'first'],
          ['view.published', 'anna', 'operator', 'first'],
          ['view.removed', 'anna', 'operator', 'first'],
          ['brand.removed', 'anna', 'operator', 'first'],
        ],
      )
      assert.deepEqual(all[0]?.details, { brands: 0, keys: 0 })
      assert.equal(all[2]?.subject, id)
      assert.equal(all[2]?.details['name'], 'Warehouse')
      assert.deepEqual(all[3]?.details['onlyGroups'], ['orders'])
      assert.deepEqual(all[3]?.details['before'], { onlyGroups: null, perSecond: null })
      assert.deepEqual(all[6]?.details['to'], { default: 'warn', exceptions: {} })
      assert.deepEqual([all[7]?.subject, all[8]?.subject], ['Late', 'Late'])
      assert.deepEqual(all[7]?.details, { group: 'orders' })
      assert.match(all[1]?.program ?? '', /^selvedge \d+\.\d+\.\d+ test$/)
    })

    it('has the hashes that the documentation gives', async () => {
      let previous = '0'.repeat(64)
      const all = await list()
      assert.ok(all.length > 1)
      for (const [index, entry] of all.entries()) {
        assert.equal(entry.number, index + 1)
        assert.equal(entry.previous, previous)
        const text = `${previous}\n${entry.number}\n${entry.text}`
        previous = hash('sha256', text, 'hex')
        assert.equal(entry.hash, previous)
      }
    })

    it('has an entry for a change that is committed, and none for one that is not', async () => {
      await assert.rejects(
        records.keyDatabase.write(async (session) => {
          await records.audit.record(session, { action: 'key.issued', subject: 'never' })
          throw new RangeError('taken back')
        }),
        /taken back/,
      )
      await assert.rejects(
        records.store.write('first', async (writer) => {
          const resource = resourceAt(catalog, 'brand')
          await writer.stage(resource, [brandRecord('first', 1)])
          await writer.merge(resource)
          throw new RangeError('taken back')
        }),
        /taken back/,
      )
      assert.deepEqual(await entries(), [])
    })

    it('orders the entries of processes that write at the same time, each of them once', async () => {
      const rounds = 12
      await Promise.all(
        [records, other].map(async (each, process) => {
          for (let round = 0; round < rounds; round += 1) {
            await each.keys.issue({ ...rights, name: `${process} ${round}` })
            await each.audit.chain()
          }
        }),
      )
      const names = (await entries()).flatMap(({ details }) => details['name'] ?? [])
      assert.equal(names.length, 2 * rounds)
      assert.equal(new Set(names).size, 2 * rounds)
      assert.deepEqual(await records.audit.verify(), {
        head: { number: start + 2 * rounds, hash: (await list()).at(-1)?.hash },
        problem: null,
      })
    })

    it('does not wait for a transaction of another brand that has not ended', async () => {
      const written = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      const long = records.store.writeGroup('first', async (group) => {
        await group.recordAudit({ action: 'unit.committed', brand: 'first', subject: 'long' })
        written.resolve()
        await mayEnd.promise
      })
      await written.promise
      // On SQLite, the records have one writer; keys never wait for it.
      if (engine === 'PostgreSQL') await addBrand(other, 'second', 2)
      await other.keys.issue({ ...rights, name: 'meanwhile' })
      const meanwhile = (await entries(other)).map(({ action }) => action)
      assert.ok(meanwhile.includes('key.issued'))
      assert.equal(meanwhile.includes('brand.added'), engine === 'PostgreSQL')
      assert.equal(meanwhile.includes('unit.committed'), false)
      mayEnd.resolve()
      await long
      assert.equal((await entries()).at(-1)?.subject, 'long')
      assert.equal(await problem(), null)
    })

    it('has the entries of transactions that take longer than a second', async () => {
      await records.keyDatabase.write(async (session) => {
        await records.audit.record(session, { action: 'key.issued', subject: 'late' })
        await wait(1_500)
      })
      await records.audit.flush()
      const [last] = readEntries(await records.audit.list({ limit: 1 }))
      assert.equal(last?.subject, 'late')
    })

    it('gets the entries that a process has left when it died, each of them once', async () => {
      const { dialect } = records.database
      const record = createAuditRecorder({ dialect, origin, now: Date.now, newId: randomUUID })
      await records.database.write(async (session) => {
        await record(
          session,
          ...['one', 'two'].map((subject) => ({ action: 'unit.committed', subject }) as const),
        )
      })
      const left = await records.database.read([
        {
          text: 'select "id", "place", "entry" from "selvedge_audit_outbox" order by "id"',
          values: [],
        },
      ])
      assert.equal(left[0]?.length, 2)
      assert.deepEqual(
        (await entries(other)).map(({ subject, actor }) => [subject, actor]).sort(),
        [
          ['one', 'dead'],
          ['two', 'dead'],
        ],
      )
      if (engine === 'PostgreSQL') return
      // A process may also die after it has added them, before it has removed them.
      await records.database.write(async (session) => {
        for (const row of left[0] ?? []) {
          await session.run({
            text: 'insert into "selvedge_audit_outbox" ("id", "place", "entry") values (?1, ?2, ?3)',
            values: [...row],
          })
        }
      })
      assert.equal((await entries()).length, 2)
      const [rest] = await records.database.read([
        { text: 'select "id" from "selvedge_audit_outbox"', values: [] },
      ])
      assert.deepEqual(rest, [])
    })

    it('cannot be changed by a statement', async () => {
      for (const text of [
        'update "selvedge_audit" set "entry" = \'{}\' where "number" = 1',
        'delete from "selvedge_audit" where "number" = 2',
        ...(engine === 'PostgreSQL' ? ['truncate table "selvedge_audit"'] : []),
      ]) {
        await assert.rejects(
          records.keyDatabase.write((session) => session.run({ text, values: [] })),
          (error: Error) => /append-only/.test(`${error.message} ${error.cause}`),
          text,
        )
      }
      assert.equal(await problem(), null)
    })

    const changed = (column: string, value: string, number = 3) =>
      `update "selvedge_audit" set "${column}" = ${value} where "number" = ${number}`
    const tampered: readonly [
      what: string,
      texts: readonly string[],
      number: number,
      words: RegExp,
    ][] = [
      ['removed', ['delete from "selvedge_audit" where "number" = 3'], 3, /Entry 3 is missing/],
      ['the first removed', ['delete from "selvedge_audit" where "number" = 1'], 1, /1 is missing/],
      [
        'changed',
        [changed('entry', `replace("entry", 'dead', 'carl')`)],
        ...([3, /Entry 3 was changed: its hash/] as const),
      ],
      ['changed in a column', [changed('brand', `'third'`)], 3, /a column differs/],
      ['given another action', [changed('action', `'key.revoked'`)], 3, /a column differs/],
      ['given another hash', [changed('hash', `'${'0'.repeat(64)}'`)], 3, /Entry 3 was changed/],
      [
        'removed and the others renumbered',
        [
          'delete from "selvedge_audit" where "number" = 3',
          ...[4, 5, 6].map((number) => changed('number', String(number - 1), number)),
        ],
        ...([3, /Entry 3 does not follow/] as const),
      ],
      [
        'inserted',
        [
          ...[6, 5, 4].map((number) => changed('number', String(number + 1), number)),
          [
            'insert into "selvedge_audit"',
            `select 4, 'x', "at", "action", "brand", "entry", "hash", '${'a'.repeat(64)}'`,
            'from "selvedge_audit" where "number" = 3',
          ].join(' '),
        ],
        ...([4, /Entry 4 was changed/] as const),
      ],
      [
        'moved',
        [changed('number', '100', 3), changed('number', '3', 4), changed('number', '4', 100)],
        ...([3, /Entry 3 does not follow/] as const),
      ],
    ]
    /** A log of six entries in a database without anything else, and without its triggers. */
    const inBareLog = async (name: string, work: (log: BareLog) => Promise<void>) => {
      const file = join(folder, `${name.replaceAll(' ', '-')}.db`)
      const address = (await postgres?.url(`audit ${name}`)) ?? `sqlite:${file}`
      const database = openDatabase(patient(address))
      try {
        const audit = await openAudit({
          ...{ database, outboxes: [], memory: null, origin, now: Date.now, newId: randomUUID },
          describe: async () => ({}),
          onError: (error) => assert.fail(String(error)),
        })
        const note = (...brands: readonly string[]) =>
          audit.note(...brands.map((brand) => ({ action: 'brand.added', brand }) as const))
        await note('a', 'b', 'c', 'd', 'e')
        await audit.chain()
        const run = (...texts: readonly string[]) =>
          database.write(async (session) => {
            for (const text of texts) await session.run({ text, values: [] })
          })
        await run(
          ...(engine === 'SQLite'
            ? ['drop trigger "selvedge_audit_update"', 'drop trigger "selvedge_audit_delete"']
            : ['drop trigger "selvedge_audit_refuse" on "selvedge_audit"']),
        )
        assert.equal((await audit.verify()).problem, null)
        await work({ audit, note, run })
        await audit.flush()
      } finally {
        await database.close()
      }
    }

    for (const [index, [what, texts, number, words]] of tampered.entries()) {
      it(`shows an entry that was ${what}`, () =>
        inBareLog(`bare ${index}`, async ({ audit, run }) => {
          await run(...texts)
          const { problem } = await audit.verify()
          assert.equal(problem?.number, number)
          assert.match(problem?.reason ?? '', words)
        }))
    }

    it('shows missing last entries, and a log that was written again, to those who kept its head', () =>
      inBareLog('head', async ({ audit, note, run }) => {
        const { head } = await audit.verify()
        assert.equal(head.number, 6)
        const expected = async () => (await audit.verify({ expect: head })).problem
        assert.equal(await expected(), null)
        await run('delete from "selvedge_audit" where "number" = 6')
        assert.equal((await audit.verify()).problem, null, 'nothing in the database shows it')
        assert.match((await expected())?.reason ?? '', /ends with entry 5/)
        await note('f')
        await audit.chain()
        assert.equal((await audit.verify()).problem, null)
        assert.match((await expected())?.reason ?? '', /Entry 6 has another hash/)
      }))

    it('has an entry about a database that is older than before', async () => {
      await close()
      const file = join(folder, engine === 'SQLite' ? 'selvedge.audit.json' : 'audit-head.json')
      const memory = JSON.parse(readFileSync(file, 'utf8'))
      assert.equal(memory.number, start)
      // As another process has left it, whose writes are gone.
      const later = { ...memory, number: 900, hash: 'f'.repeat(64) }
      writeFileSync(file, JSON.stringify(later))
      records = await open('carl')
      await records.keys.issue({ ...rights, name: 'after' })
      const [restored, issued, ...more] = await entries()
      assert.deepEqual([restored?.action, issued?.action], ['database.restored', 'key.issued'])
      assert.deepEqual(more, [], 'it is said once')
      assert.deepEqual(restored?.details, {
        expected: `900:${'f'.repeat(64)}`,
        actual: `${start}:${memory.hash}`,
      })
      // Records that are older than the keys, whose file was kept.
      const { number, hash } = (await list()).at(-1) ?? {}
      const change = memory.change + 7
      writeFileSync(file, JSON.stringify({ ...memory, number, hash, change }))
      await records.keys.issue({ ...rights, name: 'after' })
      const [older] = (await entries()).slice(2)
      assert.equal(older?.action, 'database.restored')
      const changes = { expectedChange: change, actualChange: memory.change }
      assert.deepEqual(older?.details, changes)
      // What another installation has left says nothing about this one.
      await close()
      writeFileSync(file, JSON.stringify({ ...later, installation: 'another' }))
      records = await open()
      other = await open('bob')
      await records.keys.issue({ ...rights, name: 'after' })
      assert.deepEqual(
        (await entries()).slice(4).map(({ action }) => action),
        ['key.issued'],
      )
    })

    it('records what becomes of units that are not stored', async () => {
      const queue = openQueueDatabase(url, records.database)
      const remove = await records.audit.addOutbox(queue)
      const units = await openUnits({
        ...{ database: queue, store: records.store, holder: 'test', now: Date.now },
        ...{ newId: randomUUID, recordAudit: records.audit.record },
      })
      const begin = (position: string) =>
        units.begin({ brand: 'first', kind: 'file', source: 'in', position })
      const held = await begin('held.csv')
      await units.hold(held, 'It has the value 17.')
      assert.equal(await units.retry(held.id), true)
      assert.equal(await units.discard(held.id), true)
      assert.equal(await units.discard(held.id), false)
      await units.finish(await begin('bad.csv'), 'refused', 'It has the value 17.')
      await units.finish(await begin('good.csv'), 'done')
      const all = await entries()
      assert.deepEqual(
        all.map(({ action, details }) => [action, details['position']]),
        [
          ['unit.quarantined', 'held.csv'],
          ['unit.retried', 'held.csv'],
          ['unit.discarded', 'held.csv'],
          ['unit.refused', 'bad.csv'],
        ],
      )
      assert.equal(all[0]?.subject, held.id)
      assert.doesNotMatch(JSON.stringify(all), /value 17/)
      await records.audit.flush()
      remove()
      await queue.close()
    })

    it('notes a mapping when it is used first, and when it has changed', async () => {
      const used = { brand: 'first', name: 'erp.map.yaml', sha256: 'a' }
      for (const mapping of [used, used, { ...used, sha256: 'b' }, { ...used, brand: null }]) {
        await records.audit.noteMapping(mapping)
        await records.audit.chain()
      }
      assert.deepEqual(
        (await entries()).map(({ brand, subject, details }) => [brand, subject, details]),
        [
          ['first', 'erp.map.yaml', { sha256: 'a' }],
          ['first', 'erp.map.yaml', { sha256: 'b' }],
          [null, 'erp.map.yaml', { sha256: 'a' }],
        ],
      )
    })

    it('bounds what an entry can hold', async () => {
      await records.audit.note(
        { action: 'unit.committed', subject: `${'x'.repeat(299)}😀` },
        {
          action: 'unit.committed',
          details: { names: Array.from({ length: 99 }, () => 'y'.repeat(299)) },
        },
      )
      const [long, large] = await entries()
      assert.equal(long?.subject, `${'x'.repeat(299)}\ufffd`)
      assert.ok(Number(large?.details['leftOutBytes']) > 16_384)
      assert.equal(await problem(), null)
    })
  })
}

it('the audit log says once that its head cannot be kept, and leaves no drafts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-audit-'))
  const sentences: string[] = []
  // No file can take the place of a folder.
  mkdirSync(join(folder, 'selvedge.audit.json'))
  const records = await openRecords(
    { databaseUrl: `sqlite:${join(folder, 'selvedge.db')}` },
    (sentence) => sentences.push(sentence),
  )
  try {
    for (const name of ['one', 'two']) {
      await records.keys.issue({ ...rights, name })
      await records.audit.chain()
    }
    assert.equal((await records.audit.list({ limit: 10 })).length, 3)
    const warnings = sentences.filter((sentence) => /audit/.test(sentence))
    assert.equal(warnings.length, 1, warnings.join())
    assert.match(warnings[0] ?? '', /^The head of the audit log could not be written to /)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    )
  } finally {
    await records.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
