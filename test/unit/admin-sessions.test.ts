/** Sessions of operators while the database takes no writes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSessions } from '#admin'
import { type Database, DatabaseError, openDatabase } from '#database'

describe('a session', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-sessions-'))
  const database = openDatabase(`sqlite:${join(folder, 'keys.db')}`)
  after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  it('can be used while nothing can be written, until it was idle for too long', async () => {
    let isFull = false
    let now = Date.parse('2026-01-01T00:00:00Z')
    const full: Database = Object.create(database, {
      write: {
        value: (...args: Parameters<Database['write']>) =>
          isFull ? Promise.reject(new DatabaseError('The disk is full.')) : database.write(...args),
      },
    })
    const sessions = await openSessions({
      ...{ database: full, recordAudit: async () => undefined, now: () => now },
      random: randomBytes,
    })
    const { token } = await sessions.issueLink('anna')
    const begun = await sessions.redeem(token, '127.0.0.1')
    isFull = true
    now += 30 * 60_000
    const session = await sessions.find(begun?.cookie ?? '')
    assert.equal(session?.operator, 'anna')
    now += 31 * 60_000
    assert.equal(await sessions.find(begun?.cookie ?? ''), null)
  })
})
