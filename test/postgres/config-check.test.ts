/** `selvedge config check` with PostgreSQL servers: one that answers and one that does not. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { nearest } from '#request'
import { checkConfig } from '#server'
import { freePort, openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

describe('config check of PostgreSQL', () => {
  let postgres: PostgresDatabases
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-config-'))
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('config')
  })
  after(async () => {
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const check = (databaseUrl: string) =>
    checkConfig(nearest, {
      DATABASE_URL: databaseUrl,
      IMAGES_URL: `file:${join(folder, 'images')}`,
    })

  it('names every server with its role, or why it does not answer, and keeps nothing', async () => {
    const { host } = new URL(url)
    const good = await check(url)
    assert.ok(good.every(({ state }) => state === 'ok'))
    assert.equal(
      good.find(({ subject }) => subject === `database server ${host}`)?.message,
      'primary, timeline 1',
    )
    const dead = `127.0.0.1:${await freePort()}`
    const findings = await check(url.replace(host, `${host},${dead}`))
    const messages = new Map(findings.map(({ subject, message }) => [subject, message]))
    assert.equal(messages.get(`database server ${host}`), 'primary, timeline 1')
    assert.match(messages.get(`database server ${dead}`) ?? '', /ECONNREFUSED/)
    const none = await check(url.replace(host, dead))
    assert.deepEqual(
      none.filter(({ state }) => state === 'error').map(({ subject }) => subject),
      [`database server ${dead}`],
    )
    assert.deepEqual(readdirSync(folder), [])
  })

  it('says that the database does not exist', async () => {
    const { host } = new URL(url)
    const wrong = new URL(url)
    wrong.pathname = '/nothing-there'
    const findings = await check(String(wrong))
    const server = findings.find(({ subject }) => subject === `database server ${host}`)
    assert.equal(server?.state, 'error')
    assert.match(server?.message ?? '', /nothing-there/)
  })
})
