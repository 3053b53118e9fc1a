/** A primary and a replica: healthy, failed over, and with a replica that dies or freezes under load. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { catalog, resourceAt } from '#contract'
import { createWriteTokens } from '#cursors'
import { askSteadily } from '../../reliability/outage/steadily.ts'
import { startServe, until, workersOf } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { freePort, openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService } from '../support/service.ts'

const starts = 10
const commands = 40
const atOnce = 2

describe('a primary and a replica of PostgreSQL', () => {
  let primary: Postgres
  let replica: Postgres
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'selvedge-replicas-'))
    primary = await openPostgres({
      settings: ['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on'],
    })
    const prepared = await openTestService({ DATABASE_URL: await primary.url('replicated') })
    await prepared.close()
    replica = await openPostgres({ standbyOf: primary })
  })
  after(async () => {
    await replica?.close()
    await primary?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const urlOf = (...hosts: readonly Postgres[]) =>
    `postgres://postgres@${hosts.map(({ port }) => `127.0.0.1:${port}`)}/replicated`
  /** Does something so often, a few at a time. */
  const times = async (count: number, work: (index: number) => Promise<void>) => {
    let next = 0
    const lane = async () => {
      while (next < count) {
        next += 1
        await work(next)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  }
  const runCommands = async (place: Sandbox, count: number) => {
    const failures: string[] = []
    await times(count, async () => {
      const { code, stderr } = await place.run(['brands', 'list', '--json'])
      if (code !== 0) failures.push(stderr)
    })
    assert.deepEqual(failures, [])
  }
  /** Starts a server, waits until it is ready, and has it stopped after the work. */
  const withServer = async (
    environment: { readonly [name: string]: string },
    work: (url: string, server: ReturnType<typeof startServe>) => Promise<void> = async () =>
      undefined,
  ) => {
    const port = String(await freePort())
    const server = startServe(folder, { WORKERS: '1', PORT: port, ...environment })
    const url = `http://127.0.0.1:${port}`
    try {
      await until(async () => {
        assert.equal(server.process.exitCode, null, server.said())
        return (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
      })
      await work(url, server)
    } finally {
      server.process.kill('SIGTERM')
      await server.ended
    }
  }

  it(`lets ${commands} commands through, whichever is listed first`, async () => {
    for (const hosts of [
      [primary, replica],
      [replica, primary],
    ]) {
      const place = openSandbox(urlOf(...hosts))
      await runCommands(place, commands / 2)
      place.close()
    }
  })

  it(`lets ${starts} servers start, whichever is listed first`, async () => {
    await times(starts, (index) =>
      withServer({
        DATABASE_URL: index % 2 ? urlOf(primary, replica) : urlOf(replica, primary),
      }),
    )
  })

  it('answers a request with the token of a write from the primary while the replica is stalled, and with 500 while there is no primary', async () => {
    const service = await openTestService({
      DATABASE_URL: `${urlOf(primary, replica)}?query-ms=20000&lag-ms=3600000`,
      RESPONSE_CACHE_MB: '0',
    })
    const onReplica = async (text: string) => {
      const client = new pg.Client(urlOf(replica))
      await client.connect()
      const { rows } = await client.query(text)
      await client.end()
      return rows[0]
    }
    try {
      const tags = resourceAt(catalog, 'tags')
      const [tag] = (await service.get('tags?limit=1')).body.items
      const received = () => onReplica('select pg_last_wal_receive_lsn()::text as lsn')
      const before = await received()
      await onReplica('select pg_wal_replay_pause()')
      await until(async () => {
        const { state } = await onReplica('select pg_get_wal_replay_pause_state() as state')
        return state === 'paused'
      })
      const change = await service.records.store.write('aldermoor', async (writer) => {
        await writer.stage(tags, [{ ...tag, name: 'Written' }])
        await writer.merge(tags)
        return writer.change
      })
      const token = createWriteTokens(service.records.secret).seal({
        owner: 'aldermoor',
        change: Number(change()),
      })
      const nameOf = async (headers: { readonly [name: string]: string }) => {
        const { status, body } = await service.get(`tags/${tag.id}`, { headers })
        assert.equal(status, 200, JSON.stringify(body))
        return body.name
      }
      for (let count = 0; count < 10; count += 1) {
        assert.equal(await nameOf({ 'after-write': token }), 'Written')
        assert.equal(await nameOf({}), tag.name, 'the replica is not stalled')
      }
      await until(async () => (await received()).lsn !== before.lsn)
      await primary.kill()
      const refused = await service.get('tags', { headers: { 'after-write': token } })
      assert.equal(refused.status, 500)
      assert.equal(refused.body.errorCode, 'store_unavailable')
      assert.equal(refused.headers.get('retry-after'), '1')
      assert.equal(await nameOf({}), tag.name)
      // A request that waits is answered as soon as the replica has the write.
      const waiting = nameOf({ 'after-write': token })
      await onReplica('select pg_wal_replay_resume()')
      assert.equal(await waiting, 'Written')
    } finally {
      await onReplica('select pg_wal_replay_resume()')
      await primary.start()
      await service.close()
    }
  })

  /** Asks all the time while something is done to the replica, and for a while after. */
  const underLoad = async (work: () => Promise<void>) => {
    const service = await openTestService({
      // A machine that is busy elsewhere may take longer than the usual limit.
      DATABASE_URL: `${urlOf(primary, replica)}?query-ms=20000`,
      RESPONSE_CACHE_MB: '0',
    })
    try {
      const { seen, problems, stop } = askSteadily(service.get, 16)
      await until(() => seen.length > 100)
      await work()
      const done = seen.length
      await until(() => seen.length > done + 300)
      await stop()
      assert.deepEqual(problems, [])
      const failed = seen.filter(({ status }) => status !== 200)
      assert.deepEqual(failed, [], `${failed.length} of ${seen.length} requests failed`)
    } finally {
      await service.close()
    }
  }

  it('fails no request when the replica crashes under load, three times', async () => {
    for (let time = 0; time < 3; time += 1) {
      await underLoad(() => replica.kill())
      await replica.start()
    }
  })

  it('fails no request when the replica is shut down', async () => {
    await underLoad(() => replica.stop())
    await replica.start()
  })

  it('lets commands through and servers start with the first host dead and the second promoted', async () => {
    await withServer(
      { DATABASE_URL: urlOf(primary, replica), WORKERS: '2' },
      async (url, server) => {
        await primary.kill()
        const client = new pg.Client(urlOf(replica))
        await client.connect()
        await client.query('select pg_promote()')
        await client.end()
        const place = openSandbox(urlOf(primary, replica))
        await runCommands(place, 10)
        const added = await place.run(['brands', 'add', 'later', '--name', 'Later'])
        assert.equal(added.code, 0, added.stderr)
        place.close()
        // A worker that crashed is replaced, and a server that was restarted is ready.
        const [victim = 0] = workersOf(server.process)
        process.kill(victim, 'SIGKILL')
        await until(() => {
          const workers = workersOf(server.process)
          return workers.length === 2 && !workers.includes(victim)
        })
        assert.equal((await fetch(`${url}/readyz`)).status, 200)
        await withServer({ DATABASE_URL: urlOf(primary, replica) })
      },
    )
  })
})
