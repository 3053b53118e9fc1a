/** Links to downloads on both engines. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AuditEntry } from '#audit'
import { type Database, openDatabase, openKeyDatabase } from '#database'
import { createLinks, findLink, linksPerKey, removeLinksOf } from '#keys'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`links on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let folder = ''
    let database: Database
    let close = async () => {}
    const entries: AuditEntry[] = []
    const link = (keyId: string, brand = 'aldermoor') => ({
      ...{ name: 'for Ann', keyId, brand, group: 'orders', query: 'format=csv&view=late' },
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    const open = (at = '2026-11-18T00:00:00.000Z') =>
      createLinks({
        database,
        now: () => Date.parse(at),
        random: randomBytes,
        recordAudit: async (_session, ...all) => void entries.push(...all),
      })

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'selvedge-links-'))
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      const url = (await postgres?.url('links')) ?? `sqlite:${join(folder, 'selvedge.db')}`
      const records = openDatabase(url)
      database = openKeyDatabase(url, records)
      close = async () => {
        await database.close()
        await records.close()
      }
    })
    after(async () => {
      await close()
      await postgres?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it('are stored as a hash, found by their token, and recorded without it', async () => {
      const links = await open()
      const issued = await links.issue(link('key_1'))
      assert.ok(issued)
      const { token, ...record } = issued
      assert.match(token, /^sll_\w{43}_\w{6}$/)
      assert.deepEqual(await links.list(), [record])
      assert.deepEqual(await findLink(database, token), record)
      const [rows = []] = await database.read([
        { text: 'select * from "selvedge_links"', values: [] },
      ])
      assert.ok(!JSON.stringify([rows, entries]).includes(token.slice(4, 20)))
      for (const wrong of ['', 'x', token.replace('sll_', 'slv_'), `${token}x`]) {
        assert.equal(await findLink(database, wrong), null, wrong)
      }
      assert.deepEqual(await (await open()).remove(issued.id), record)
      assert.equal(await findLink(database, token), null)
      assert.equal(await links.remove(issued.id), null)
      assert.deepEqual(
        entries.map(({ action, brand, subject }) => [action, brand, subject]),
        ['link.issued', 'link.removed'].map((action) => [action, 'aldermoor', issued.id]),
      )
      assert.ok(!JSON.stringify(entries).includes('view=late'))
    })

    it('make room when they have expired', async () => {
      const links = await open()
      for (let count = 0; count < linksPerKey; count += 1) await links.issue(link('key_4'))
      const longer = { ...link('key_4'), expiresAt: '2027-12-01T00:00:00.000Z' }
      assert.equal(await links.issue(longer), null)
      const later = await open('2027-01-01T00:00:00.000Z')
      entries.length = 0
      const issued = await later.issue(longer)
      assert.ok(issued)
      const own = (await later.list()).filter(({ keyId }) => keyId === 'key_4')
      assert.deepEqual(
        own.map(({ id }) => id),
        [issued.id],
      )
      const removed = entries.filter(({ action }) => action === 'link.removed')
      assert.equal(removed.length, linksPerKey)
      await later.remove(issued.id)
    })

    it('are so many of a key, and go with their brand', async () => {
      const links = await open()
      for (let count = 0; count < linksPerKey; count += 1) {
        assert.ok(await links.issue(link('key_2', count === 0 ? 'halden' : 'aldermoor')))
      }
      assert.equal(await links.issue(link('key_2')), null)
      assert.ok(await links.issue(link('key_3', 'halden')))
      await removeLinksOf(database, 'aldermoor')
      assert.deepEqual((await links.list()).map(({ keyId, brand }) => [keyId, brand]).sort(), [
        ['key_2', 'halden'],
        ['key_3', 'halden'],
      ])
    })
  })
}
