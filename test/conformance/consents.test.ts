/** Consents and their tokens on both engines, with a clock that only the tests move. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Database, openDatabase, openKeyDatabase } from '#database'
import { createKeys, type IssuedKey, type Keys, type KeyVerifier, openKeyVerifier } from '#keys'
import { OAuthError } from '#oauth'
import { createAccessTokens } from '../../src/oauth/access-tokens.ts'
import { type Consents, consentsPerKey, createConsents } from '../../src/oauth/consents.ts'
import { until } from '../support/cluster.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const clientId = 'the client'
const redirectUri = 'https://assistant.example/callback'
const resource = 'https://records.example.com/mcp'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const noWait = async () => undefined

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`consents on ${engine}`, () => {
    const clock = { at: Date.parse('2026-01-01T00:00:00.000Z'), now: () => clock.at }
    const pass = (seconds: number) => {
      clock.at += seconds * 1_000
    }
    let postgres: PostgresDatabases | null = null
    let folder = ''
    const opened: Database[] = []
    let database: Database
    let keys: Keys
    let keyVerifier: KeyVerifier
    /** Of two connections, as two processes have them. */
    let consents: Consents
    let others: Consents

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'selvedge-consents-'))
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      const url = (await postgres?.url('consents')) ?? `sqlite:${join(folder, 'selvedge.db')}`
      const open = () => {
        const records = openDatabase(url)
        const own = openKeyDatabase(url, records)
        opened.push(own, records)
        return own
      }
      database = open()
      const parts = { database, now: clock.now, random: randomBytes }
      keys = await createKeys(parts)
      keyVerifier = await openKeyVerifier({ ...parts, refreshMs: 5 })
      consents = await createConsents({ ...parts, secret: 'a secret' })
      others = await createConsents({ ...parts, database: open(), secret: 'a secret' })
    })
    after(async () => {
      await keyVerifier.close()
      for (const each of opened) await each.close()
      await postgres?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const issueKey = (expiresAt: string | null = null): Promise<IssuedKey> =>
      keys.issue({
        ...{ name: 'test', brands: ['first'], global: false, expiresAt },
        ...{ perSecond: null, burst: null },
      })
    const newTicket = () => ({
      hash: randomBytes(32).toString('base64url'),
      expiresAt: clock.at + 600_000,
    })
    const create = (keyId: string, ticket = newTicket(), by = consents) =>
      by.create({ keyId, clientId, redirectUri, resource, challenge, ticket })
    const allow = async (keyId: string) => {
      const code = await create(keyId)
      assert.ok(code)
      return code
    }
    const redeem = (code: string, by = consents) =>
      by.redeem(code, { clientId, redirectUri, verifier })
    const connect = async (keyId: string) => redeem(await allow(keyId))
    const refused = { name: 'Error', code: 'invalid_grant' }

    /** What a new process says of an access token. */
    const verify = async (token: string, own = resource) => {
      const tokens = createAccessTokens({
        ...{ consents, keyVerifier, now: clock.now, resource: () => own },
      })
      const verified = await tokens.verify(token, noWait)
      return typeof verified === 'object' ? verified.keyId : verified
    }

    it('issue tokens for their key, for one resource and for an hour', async () => {
      const { id } = await issueKey()
      const { accessToken, expiresInSeconds } = await connect(id)
      assert.equal(expiresInSeconds, 3_600)
      assert.equal(await verify(accessToken), id)
      assert.equal(await verify(accessToken, 'https://elsewhere.example/mcp'), 'invalid')
      assert.equal(await verify(`${accessToken.slice(0, -1)}_`), 'invalid')
      pass(3_599)
      assert.equal(await verify(accessToken), id)
      pass(1)
      assert.equal(await verify(accessToken), 'expired')
    })

    it('have one code for a ticket, on two connections and after it was redeemed', async () => {
      const { id } = await issueKey()
      const ticket = newTicket()
      const codes = await Promise.all(
        Array.from({ length: 6 }, (_, index) => create(id, ticket, index % 2 ? consents : others)),
      )
      const [code, ...more] = codes.filter((each) => each !== null)
      assert.ok(code)
      assert.deepEqual(more, [])
      await redeem(code)
      pass(599)
      await allow(id)
      assert.equal(await create(id, ticket), null)
      pass(1)
      await allow(id)
      const count = { text: 'select count(*) from "selvedge_spent_tickets"', values: [] }
      const [[[tickets] = []] = []] = await database.read([count])
      assert.equal(Number(tickets), 2)
    })

    it('have a code for a minute', async () => {
      const { id } = await issueKey()
      const [early, late] = [await allow(id), await allow(id)]
      pass(59)
      assert.ok(await redeem(early))
      pass(1)
      await assert.rejects(redeem(late), refused)
    })

    it('give a code away once, to many requests at the same time on two connections', async () => {
      const { id } = await issueKey()
      const code = await allow(id)
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => redeem(code, index % 2 ? consents : others)),
      )
      const issued = results.filter(({ status }) => status === 'fulfilled')
      assert.equal(issued.length, 1)
      const reasons = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      assert.ok(reasons.every((each) => each instanceof OAuthError))
    })

    it('replace a refresh token: it is repeated for 30 s and ends everything afterwards', async () => {
      const { id } = await issueKey()
      const first = await connect(id)
      const client = { clientId }
      const second = await consents.refresh(first.refreshToken, client)
      assert.notEqual(second.refreshToken, first.refreshToken)
      assert.equal(await verify(first.accessToken), id, 'the earlier access token has its time')
      pass(29)
      const repeated = await others.refresh(first.refreshToken, client)
      assert.deepEqual(repeated, { ...second, expiresInSeconds: 3_571 })
      pass(1)
      await assert.rejects(others.refresh(first.refreshToken, client), refused)
      await assert.rejects(consents.refresh(second.refreshToken, client), refused)
      assert.equal(await verify(second.accessToken), 'invalid')
    })

    it('end when another client has one of their refresh tokens', async () => {
      const { id } = await issueKey()
      const { refreshToken, accessToken } = await connect(id)
      await assert.rejects(consents.refresh(refreshToken, { clientId: 'another' }), refused)
      assert.equal(await verify(accessToken), 'invalid')
    })

    it('end after 30 days without a refresh, and continue with one', async () => {
      const { id } = await issueKey()
      const client = { clientId }
      const used = await connect(id)
      const unused = await connect(id)
      pass(29 * 86_400)
      const { refreshToken } = await consents.refresh(used.refreshToken, client)
      pass(86_400)
      await assert.rejects(consents.refresh(unused.refreshToken, client), refused)
      assert.ok(await consents.refresh(refreshToken, client))
    })

    it('are useless once their key is revoked or has expired', async () => {
      const revoked = await issueKey()
      const expiring = await issueKey(new Date(clock.at + 60_000).toISOString())
      const tokens = [await connect(revoked.id), await connect(expiring.id)]
      const [first = '', second = ''] = tokens.map(({ accessToken }) => accessToken)
      assert.deepEqual([await verify(first), await verify(second)], [revoked.id, expiring.id])
      await keys.revoke(revoked.id)
      await until(async () => (await verify(first)) === 'invalid')
      pass(60)
      assert.equal(await verify(second), 'expired')
    })

    it(`are at most ${consentsPerKey} for one key: a further one ends the oldest`, async () => {
      const { id } = await issueKey()
      const { id: otherId } = await issueKey()
      const other = await connect(otherId)
      const codes: string[] = []
      for (let count = 0; count <= consentsPerKey; count += 1) {
        pass(1)
        codes.push(await allow(id))
      }
      const [first = '', second = ''] = codes
      await assert.rejects(redeem(first), refused)
      assert.ok(await redeem(second))
      assert.equal(await verify(other.accessToken), otherId)
      const count = { text: 'select count(*) from "selvedge_consents"', values: [] }
      const [[[before] = []] = []] = await database.read([count])
      pass(31 * 86_400)
      await allow(id)
      const [[[afterwards] = []] = []] = await database.read([count])
      assert.ok(Number(before) > consentsPerKey)
      assert.equal(Number(afterwards), 1)
    })
  })
}
