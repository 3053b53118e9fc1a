/** Sessions of operators, and the names of operators in the audit log, on both engines. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { actingOperator, openSessions, type Sessions } from '#admin'
import { openQueueDatabase } from '#database'
import { openUnits } from '#intake'
import { openRecords, type Records } from '#server'
import { actAs } from '../../src/admin/actor.ts'
import { entriesOf } from '../support/admin-service.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { patient } from '../support/service.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`operators on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let folder = ''
    let url = ''
    /** Of two processes. */
    let records: readonly Records[] = []
    let sessions: readonly Sessions[] = []

    before(async () => {
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      folder = mkdtempSync(join(tmpdir(), 'selvedge-operators-'))
      url = patient((await postgres?.url('operators')) ?? `sqlite:${join(folder, 'selvedge.db')}`)
      const open = () => openRecords({ databaseUrl: url, actingOperator, command: 'admin' })
      records = [await open(), await open()]
      sessions = await Promise.all(
        records.map(({ keyDatabase, audit }) =>
          openSessions({
            ...{ database: keyDatabase, recordAudit: audit.record },
            ...{ now: Date.now, random: randomBytes },
          }),
        ),
      )
    })
    after(async () => {
      for (const each of records) await each.close()
      await postgres?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it('sign in once with a link that several processes redeem at once', async () => {
      const [first, second] = sessions as [Sessions, Sessions]
      for (let round = 0; round < 5; round += 1) {
        const { token } = await first.issueLink('anna')
        const begun = await Promise.all(
          [first, second, first, second].map((each) => each.redeem(token, '192.0.2.1')),
        )
        assert.equal(begun.filter((each) => each !== null).length, 1)
      }
      const signedIn = (await entriesOf((records[0] as Records).audit)).filter(
        ({ action }) => action === 'admin.signed-in',
      )
      assert.equal(signedIn.length, 5)
    })

    it('end a session for the other process at once', async () => {
      const [first, second] = sessions as [Sessions, Sessions]
      const { token } = await first.issueLink('anna')
      const begun = await second.redeem(token, '192.0.2.1')
      const cookie = begun?.cookie ?? ''
      assert.equal((await first.find(cookie))?.operator, 'anna')
      const ended = await first.end([begun?.session.id ?? ''])
      assert.deepEqual(
        ended.map(({ operator }) => operator),
        ['anna'],
      )
      assert.equal(await second.find(cookie), null)
    })

    it('are named in the entries of what they change at the same time', async () => {
      const [one] = records as [Records]
      const { keys, store, audit, database } = one
      const queue = openQueueDatabase(url, database)
      const stopRecording = await audit.addOutbox(queue)
      const units = await openUnits({
        ...{ database: queue, store, now: Date.now, newId: randomUUID, recordAudit: audit.record },
        holder: 'a test',
      })
      const operators = ['anna', 'bob', 'carla']
      const calls = Array.from({ length: 30 }, (_, index) => ({
        operator: operators[index % operators.length] ?? '',
        source: `source-${index}`,
      }))
      const waiting = await Promise.all(
        calls.map(async ({ source }) => {
          const begun = await units.begin({
            source,
            brand: 'first',
            kind: 'file',
            position: source,
          })
          return units.hold(begun, 'It looks wrong.')
        }),
      )
      const rights = { brands: ['first'], global: false, expiresAt: null }
      const none = { perSecond: null, burst: null }
      await Promise.all(
        calls.map(({ operator }, index) =>
          actAs(operator, async () => {
            const discards = units.discard(waiting[index]?.id ?? '')
            await keys.issue({ name: operator, ...rights, ...none })
            await discards
          }),
        ),
      )
      await audit.flush()
      const entries = await entriesOf(audit)
      stopRecording()
      await queue.close()
      const ownerOf = new Map(calls.map(({ operator }, index) => [waiting[index]?.id, operator]))
      const discarded = entries.filter(({ action }) => action === 'unit.discarded')
      assert.equal(discarded.length, calls.length)
      for (const { subject, actor, actorKind } of discarded) {
        assert.deepEqual([actorKind, actor], ['operator', ownerOf.get(subject ?? '')])
      }
      const issued = entries.filter(({ action }) => action === 'key.issued')
      assert.equal(issued.length, calls.length)
      for (const { details, actor } of issued) assert.equal(actor, details['name'])
    })
  })
}
