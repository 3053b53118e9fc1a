/** Signing in to the operator page, and the ends of links and sessions. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openKeyDatabase } from '#database'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'

const minute = 60_000
const start = Date.parse('2026-11-18T12:00:00.000Z')

describe('a session of the operator page', () => {
  let admin: TestAdmin
  let now = start
  before(async () => {
    admin = await openTestAdmin({}, { now: () => now })
  })
  after(() => admin.close())

  it('begins with a link, and says who is signed in to what', async () => {
    const { session, ask } = await admin.signIn('anna')
    const answer = await ask('/api/session')
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, session)
    const { csrfToken, release, ...rest } = session
    assert.match(csrfToken, /^[\w-]{43}$/)
    assert.match(release, /^\d+\.\d+/)
    assert.deepEqual(rest, {
      ...{ operator: 'anna', engine: 'sqlite', isEmpty: true, apiUrl: 'http://api.example' },
      expiresAt: new Date(now + 12 * 60 * minute).toISOString(),
    })
  })

  it('keeps its secret from scripts, other sites and the database', async () => {
    const { token } = await admin.sessions.issueLink('anna')
    const answer = await admin.redeem(token)
    const [cookie = ''] = answer.headers['set-cookie'] ?? []
    assert.match(
      cookie,
      /^selvedge-operator-[0-9a-f]{8}=[\w-]{59}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    const [, secret = ''] = /=([\w-]+);/.exec(cookie) ?? []
    const keys = openKeyDatabase(admin.databaseUrl, admin.records.database)
    const text = 'select * from "selvedge_operator_sessions"'
    const [rows = []] = await keys.read([{ text, values: [] }])
    await keys.close()
    const stored = JSON.stringify(rows)
    assert.ok(rows.length > 0)
    for (const hidden of [token, token.slice(16), secret, secret.slice(16)]) {
      assert.ok(!stored.includes(hidden))
    }
    assert.ok(!admin.logged.join('').includes(secret.slice(16)))
  })

  it('does not begin with a link that was used', async () => {
    const { token } = await admin.sessions.issueLink('anna')
    assert.equal((await admin.redeem(token)).status, 200)
    const again = await admin.redeem(token)
    assert.equal(again.status, 401)
    assert.equal(again.body.errorCode, 'invalid_sign_in_link')
    assert.equal(again.headers['set-cookie'], undefined)
  })

  it('does not begin with a link that has expired, or with one that is wrong', async () => {
    const { token } = await admin.sessions.issueLink('anna')
    const other = await admin.sessions.issueLink('bob')
    now += 10 * minute
    const late = await admin.redeem(token)
    assert.equal(late.body.errorCode, 'invalid_sign_in_link')
    const { token: fresh } = await admin.sessions.issueLink('anna')
    const mixed = other.token.slice(0, 16) + fresh.slice(16)
    for (const wrong of [mixed, `${fresh.slice(0, -1)}*`, 'x']) {
      assert.equal((await admin.redeem(wrong)).status, 401, wrong)
    }
    assert.equal((await admin.redeem(fresh)).status, 200)
  })

  it('ends after an hour without use, and not while it is used', async () => {
    const { ask } = await admin.signIn()
    for (let used = 0; used < 3; used += 1) {
      now += 59 * minute
      assert.equal((await ask('/api/session')).status, 200)
    }
    now += 60 * minute
    const answer = await ask('/api/session')
    assert.equal(answer.status, 401)
    assert.equal(answer.body.errorCode, 'signed_out')
  })

  it('ends after twelve hours, also if it is used', async () => {
    const { ask } = await admin.signIn()
    for (let used = 0; used < 14; used += 1) {
      now += 50 * minute
      assert.equal((await ask('/api/session')).status, 200)
    }
    now += 20 * minute
    assert.equal((await ask('/api/session')).status, 401)
  })

  it('ends with a sign-out, for everybody who has its cookie', async () => {
    const { ask, cookie } = await admin.signIn()
    const stolen = () => admin.ask('/api/session', { headers: { cookie } })
    assert.equal((await stolen()).status, 200)
    const left = await ask('/api/session', { method: 'DELETE' })
    assert.equal(left.status, 204)
    assert.match(left.headers['set-cookie']?.[0] ?? '', /=; .*Max-Age=0/)
    assert.equal((await stolen()).status, 401)
  })

  it('ends at once by command, also before its link is used', async () => {
    const { ask } = await admin.signIn('anna')
    const other = await admin.signIn('bob')
    const [first] = (await admin.sessions.list()).filter(({ operator }) => operator === 'anna')
    await admin.sessions.end([first?.id ?? ''])
    assert.equal((await ask('/api/session')).status, 401)
    assert.equal((await other.ask('/api/session')).status, 200)
    const link = await admin.sessions.issueLink('anna')
    await admin.sessions.end(null)
    assert.equal((await admin.redeem(link.token)).status, 401)
    assert.equal((await other.ask('/api/session')).status, 401)
    assert.deepEqual(await admin.sessions.list(), [])
  })

  it('is in the audit log with the name of its operator', async () => {
    const before = (await admin.entries()).length
    const { ask } = await admin.signIn('carla')
    await ask('/api/session', { method: 'DELETE' })
    const other = await admin.signIn('dora')
    await admin.sessions.end(null)
    const entries = (await admin.entries()).slice(before)
    assert.deepEqual(
      entries.map(({ action, actor, actorKind }) => [action, actorKind, actor]),
      [
        ['admin.signed-in', 'operator', 'carla'],
        ['admin.signed-out', 'operator', 'carla'],
        ['admin.signed-in', 'operator', 'dora'],
        ['admin.ended', 'user', entries[3]?.user],
      ],
    )
    assert.match(entries[0]?.program ?? '', /^selvedge \S+ admin$/)
    assert.deepEqual(entries[0]?.details, { address: '127.0.0.1' })
    assert.deepEqual(entries[3]?.details, { operator: 'dora' })
    assert.match(entries[3]?.subject ?? '', /^[0-9a-f]{16}$/)
    assert.equal((await other.ask('/api/session')).status, 401)
  })

  it('has a line in the log for each request, with the operator', async () => {
    const { ask } = await admin.signIn('erik')
    const answer = await ask('/api/session?token=secret')
    assert.equal(answer.status, 400)
    const line = JSON.parse(admin.logged.at(-1) ?? '')
    assert.equal(line.requestId, answer.headers['x-request-id'])
    assert.deepEqual(
      [line.operator, line.method, line.path, line.status, line.errorCode],
      ['erik', 'GET', '/api/session?token=…', 400, 'invalid_parameter'],
    )
  })
})

describe('failed attempts to sign in', () => {
  it('are limited for each address, and do not end a session', async () => {
    const admin = await openTestAdmin({ TRUSTED_PROXIES: '127.0.0.1' })
    try {
      const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
      const { ask } = await admin.signIn()
      const wrong = `0123456789abcdef${'x'.repeat(43)}`
      let limited = await admin.redeem(wrong, from('198.51.100.1'))
      for (let tried = 1; tried < 200 && limited.status === 401; tried += 1) {
        limited = await admin.redeem(wrong, from('198.51.100.1'))
      }
      assert.equal(limited.status, 429)
      assert.equal(limited.body.errorCode, 'rate_limited')
      assert.match(limited.headers['retry-after'] ?? '', /^[1-9]\d*$/)
      assert.equal((await admin.redeem(wrong, from('198.51.100.2'))).status, 401)
      assert.equal((await ask('/api/session', from('198.51.100.1'))).status, 200)
    } finally {
      await admin.close()
    }
  })
})
