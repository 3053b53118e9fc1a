/** A restore that is killed at any moment leaves the old database or the new one. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { fillInstallation, makeArchive } from '../support/installation.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'

const kills = 6

describe('a restore that is killed', () => {
  let postgres: Postgres
  const origin = openSandbox()
  const archive = join(origin.folder, 'one.backup')
  before(async () => {
    postgres = await openPostgres()
    await fillInstallation(origin.databaseUrl)
    await makeArchive(origin.databaseUrl, archive)
  })
  after(async () => {
    origin.close()
    await postgres?.close()
  })

  /** The brands, and whether the only key is that of the backup: records and keys are of one state. */
  const stateOf = async (sandbox: Sandbox): Promise<'old' | 'new'> => {
    const brands = await sandbox.run(['brands', 'list', '--json'])
    assert.equal(brands.code, 0, brands.stderr)
    const keys = await sandbox.run(['keys', 'list', '--json'])
    assert.equal(keys.code, 0, keys.stderr)
    const isOld = /"slug":"before"/.test(brands.stdout)
    assert.equal(/aldermoor/.test(brands.stdout), !isOld, brands.stdout)
    assert.equal(/"name":"Old"/.test(keys.stdout), isOld, keys.stdout)
    assert.equal(/"name":"Reader"/.test(keys.stdout), !isOld, keys.stdout)
    return isOld ? 'old' : 'new'
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`leaves one of the two on ${engine}, and can be run again`, async () => {
      const sandbox = openSandbox(engine === 'postgres' ? await postgres.url('killed') : undefined)
      try {
        const run = async (...args: string[]) => {
          const ran = await sandbox.run(args)
          assert.equal(ran.code, 0, ran.stderr)
        }
        await run('brands', 'add', 'before', '--name', 'Before')
        await run('keys', 'issue', '--brand', 'before', '--name', 'Old')
        const began = performance.now()
        const whole = openSandbox(engine === 'postgres' ? await postgres.url('whole') : undefined)
        assert.equal((await whole.runProcess(['restore', archive])).code, 0)
        whole.close()
        const tookMs = performance.now() - began
        const states = new Set<string>()
        for (let count = 0; count < kills && !states.has('new'); count += 1) {
          const { child, ended } = sandbox.start(['restore', archive, '--yes'])
          await wait(randomInt(Math.ceil(tookMs)))
          child.kill('SIGKILL')
          await ended
          states.add(await stateOf(sandbox))
        }
        assert.equal((await sandbox.runProcess(['restore', archive, '--yes'])).code, 0)
        assert.equal(await stateOf(sandbox), 'new')
        const left = readdirSync(sandbox.folder).filter((name) => /restor/.test(name))
        assert.deepEqual(left, [])
        assert.ok(existsSync(archive))
      } finally {
        sandbox.close()
      }
    })
  }
})
