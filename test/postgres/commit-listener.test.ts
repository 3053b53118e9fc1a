/** When what was read counts as current, against a real server's notifications. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { commitChannel, openCommitListener } from '../../src/database/postgres/commit-listener.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

describe('a listener for commits on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let writer: pg.Client
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(await postgres.url('commits'))
    await client.connect()
    return client
  }
  const open = async () => ({ client: await connect(), verify: () => undefined })
  before(async () => {
    postgres = await openPostgresDatabases()
    writer = await connect()
  })
  after(async () => {
    await writer.end()
    await postgres.close()
  })

  const until = async (holds: () => boolean, what: string): Promise<void> => {
    const end = performance.now() + 60_000
    while (!holds()) {
      assert.ok(performance.now() < end, what)
      await wait(2)
    }
  }

  it('stays current while it polls by the clock, and not while it reads a commit', async () => {
    let calls = 0
    let gate: PromiseWithResolvers<void> | null = null
    const listener = await openCommitListener({
      connect: open,
      onCommit: async () => {
        calls += 1
        await gate?.promise
      },
    })
    assert.equal(calls, 1)
    assert.equal(listener.isCurrent(), true)

    gate = Promise.withResolvers()
    await until(() => calls === 2, 'it did not poll by the clock')
    assert.equal(listener.isCurrent(), true)

    await writer.query(`notify ${commitChannel}`)
    await until(() => calls === 3, 'it was not notified')
    assert.equal(listener.isCurrent(), false)
    gate.resolve()
    await until(() => listener.isCurrent(), 'it did not become current again')
    await listener.close()
    assert.equal(listener.isCurrent(), false)
  })

  it('is not current once a poll has failed, until the next one', async () => {
    let fails = false
    const listener = await openCommitListener({
      connect: open,
      onCommit: async () => {
        if (fails) throw new Error('The database cannot be read.')
      },
    })
    fails = true
    await until(() => !listener.isCurrent(), 'it stayed current after a failure')
    fails = false
    await until(() => listener.isCurrent(), 'it did not become current again')
    await listener.close()
  })
})
