import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { catalog, resourceAt } from '#contract'
import { DatabaseError, openDatabase } from '#database'
import { openStory } from '#demo'
import { createStore, ownerNumber, sharedOwner } from '#store'
import { askSteadily } from '../../reliability/outage/steadily.ts'
import { until } from '../support/cluster.ts'
import { freePort, openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** Two messages of PostgreSQL's protocol: a letter, a length, and what there is to say. */
const authenticated = Buffer.from('R\0\0\0\x08\0\0\0\0', 'latin1')
const readyForQuery = Buffer.from('Z\0\0\0\x05I', 'latin1')

describe('a service whose PostgreSQL fails', () => {
  let postgres: Postgres
  let service: TestService
  before(async () => {
    postgres = await openPostgres()
    service = await openTestService({ DATABASE_URL: await postgres.url('outage') })
  })
  after(async () => {
    await service.close()
    await postgres.close()
  })

  it('drops a slow connection once, however many requests wait for it', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const database = openDatabase(`${await postgres.url('outage')}?query-ms=100`)
    const reads = Array.from({ length: 100 }, () =>
      database.read([{ text: 'select pg_sleep(1)', values: [] }], ownerNumber('aldermoor')),
    )
    const outcomes = await Promise.allSettled(reads)
    await database.close()
    // Warnings are emitted in the turn of the event loop after their cause.
    await nextTurn()
    process.off('warning', note)
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    assert.deepEqual(warnings, [])
  })

  it('closes connections to a server that accepts them and then sends nothing', async () => {
    let open = 0
    const silent = createServer((socket) => {
      open += 1
      socket.on('close', () => {
        open -= 1
      })
      socket.on('error', () => undefined)
      // Every client is authenticated and may send queries.
      socket.once('data', () => socket.write(Buffer.concat([authenticated, readyForQuery])))
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const url = `postgres://who:ever@127.0.0.1:${port}/silent?query-ms=100&readers=1`
    const database = openDatabase(url)
    const query = { text: 'select 1', values: [] }
    for (let time = 0; time < 5; time += 1) {
      await assert.rejects(database.read([query], ownerNumber('aldermoor')), /too slow/)
    }
    await until(() => open === 0)
    const last = database.read([query], ownerNumber('aldermoor'))
    await until(() => open > 0)
    await Promise.all([assert.rejects(last, DatabaseError), database.close()])
    await until(() => open === 0)
    silent.close()
  })

  it('waits for it when the service starts first', async () => {
    const url = await postgres.url('outage')
    await postgres.kill()
    const port = String(await freePort())
    let opened = false
    const opening = openTestService({ DATABASE_URL: url, PORT: port }, { story: false }).then(
      (other) => {
        opened = true
        return other
      },
    )
    const readiness = async () =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status
    await until(async () => (await readiness()) === 503)
    assert.equal(opened, false)
    await postgres.start()
    const other = await opening
    assert.equal(await readiness(), 200)
    assert.ok(other.logged.some((line) => line.includes('Waiting for it.')))
    await other.close()
  })

  it('answers in shape while one backend after the other is killed, and recovers', async () => {
    const { seen, problems, stop } = askSteadily(service.get, 8)
    const kill = async () => {
      const client = new pg.Client(await postgres.url('outage'))
      client.on('error', () => undefined)
      await client.connect()
      const { rowCount } = await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge'",
      )
      await client.end()
      return rowCount ?? 0
    }
    let killed = 0
    for (let round = 0; round < 10; round += 1) {
      const before = seen.length
      await until(() => seen.length > before + 8)
      killed += await kill()
    }
    const before = seen.length
    await until(() => seen.length > before + 50)
    await stop()
    assert.ok(killed >= 10, `${killed} backends were killed`)
    assert.deepEqual(problems, [])
    for (const { status } of seen) assert.ok(status === 200 || status === 500)
    // Whatever was in flight is asked again, so that few of them fail, if any.
    assert.ok(seen.filter(({ status }) => status === 500).length < seen.length / 4)
    assert.deepEqual(new Set(seen.slice(-8).map(({ status }) => status)), new Set([200]))
  })
})

describe('a service with a primary and a replica', () => {
  let primary: Postgres
  let replica: Postgres
  let service: TestService
  before(async () => {
    primary = await openPostgres({
      settings: ['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on'],
    })
    const url = await primary.url('replicated')
    const prepared = openDatabase(url)
    const store = await createStore(catalog, prepared)
    const story = await openStory()
    for (const [owner, set] of [
      [sharedOwner, story.shared],
      [story.brand, story.records],
    ] as const) {
      await store.write(owner, async (writer) => {
        for (const [path, records] of Object.entries(set)) {
          await writer.stage(resourceAt(catalog, path), records)
          await writer.merge(resourceAt(catalog, path))
        }
      })
    }
    await prepared.close()
    replica = await openPostgres({ standbyOf: primary })
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`
    service = await openTestService({
      DATABASE_URL: `postgres://postgres@${hosts}/replicated?lag-ms=1000`,
      // A cached response says nothing about the replica.
      RESPONSE_CACHE_MB: '0',
    })
  })
  after(async () => {
    await service.close()
    await replica.close()
    await primary.close()
  })

  const connectionsOn = async ({ port }: Postgres): Promise<number> => {
    const database = openDatabase(`postgres://postgres@127.0.0.1:${port}/replicated`)
    const [rows] = await database.read([
      {
        text: "select coalesce(sum((query like '%tags%' or query like '%commit%')::int), 0) from pg_stat_activity where application_name = 'selvedge' and state = 'idle' and now() - state_change < interval '400 milliseconds'",
        values: [],
      },
    ])
    await database.close()
    return Number(rows?.[0]?.[0])
  }

  const tag = (name: string) => ({
    id: '11111111-1111-4111-8111-111111111111',
    name,
    code: null,
    uiColor: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  })
  const ask = async (name: string) => (await service.get(`tags?name=${name}`)).body.totalItems

  it('writes to the primary and reads from the replica', async () => {
    await service.write('aldermoor', { tags: [tag('replicated')] })
    await until(async () => (await ask('replicated')) === 1)
    // On a busy machine the replica may lag at first, or be looked at after its use has passed.
    await until(async () => {
      await Promise.all(Array.from({ length: 40 }, () => ask('replicated')))
      return (await connectionsOn(replica)) > 0
    })
  })

  it('leaves a replica out that falls behind, and takes it back', async () => {
    const onReplica = openDatabase(`postgres://postgres@127.0.0.1:${replica.port}/replicated`)
    const run = (text: string) => onReplica.read([{ text, values: [] }])
    await run('select pg_wal_replay_pause()')
    await service.write('aldermoor', { tags: [tag('behind')] })
    await until(async () => (await ask('behind')) === 1)
    await run('select pg_wal_replay_resume()')
    await onReplica.close()
    await until(async () => {
      await ask('behind')
      return (await connectionsOn(replica)) > 0
    })
    assert.equal(await ask('behind'), 1)
  })

  it('continues to read when the replica is down, and uses it again later', async () => {
    const { seen, problems, stop } = askSteadily(service.get, 4)
    await until(() => seen.length > 20)
    await replica.kill()
    const killed = seen.length
    await until(() => seen.length > killed + 20)
    await replica.start()
    await until(async () => (await connectionsOn(replica)) > 0)
    await stop()
    assert.deepEqual(problems, [])
    assert.deepEqual(new Set(seen.map(({ status }) => status)), new Set([200]))
  })

  it('continues to read when the primary is down; writes are refused with the reason', async () => {
    await primary.kill()
    assert.equal((await service.get('orders')).status, 200)
    await assert.rejects(
      service.write('aldermoor', { tags: [tag('late')] }),
      /No server of the database takes writes/,
    )
    await primary.start()
    await service.write('aldermoor', { tags: [tag('late')] })
  })
})
