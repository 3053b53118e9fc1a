/**
 * A primary and a replica: healthy, with a replica that dies under load, failed over, and with the old
 * primary back.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { basePath, catalog, resourceAt } from '#contract'
import { createWriteTokens } from '#cursors'
import { openServiceDatabase } from '#server'
import { askSteadily } from '../../reliability/outage/steadily.ts'
import { startServe, until, workersOf } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { freePort, openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService } from '../support/service.ts'

const starts = 4
const commands = 20
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
  /** Commands on the machine of the servers: they share its data folder. */
  const openCommands = () => {
    const place = openSandbox(urlOf(primary, replica))
    place.environment['IMAGES_URL'] = `file:${join(folder, 'data', 'images')}`
    return place
  }
  const brandsOn = async (host: Postgres) => {
    const client = new pg.Client(urlOf(host))
    await client.connect()
    const { rows } = await client.query(
      `select substring(body from '"slug":"([^"]+)') as slug from brand order by slug`,
    )
    await client.end()
    return rows.map(({ slug }) => slug)
  }
  const metricsAt = async (port: string) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const addBrand = async (place: Sandbox, slug: string) => {
    const { code, stderr } = await place.run(['brands', 'add', slug, '--name', slug])
    assert.equal(code, 0, stderr)
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
        // One of its workers may be ready before it has started.
        return (
          server.said().includes('Ctrl+C stops.') &&
          (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
        )
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
        assert.equal(server.process.exitCode, null, server.said())
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

  it('stays with the promoted server when the old primary comes back', async () => {
    const metricsPort = String(await freePort())
    const environment = {
      DATABASE_URL: urlOf(primary, replica),
      WORKERS: '2',
      METRICS_PORT: metricsPort,
    }
    await withServer(environment, async (url, server) => {
      const place = openCommands()
      const { stdout } = await place.run(['keys', 'issue', '--global', '--json'])
      const headers = { authorization: `Bearer ${JSON.parse(stdout).key}` }
      const ready = async () =>
        (await (await fetch(`${url}/readyz`)).json()) as { readonly warnings?: readonly string[] }
      assert.deepEqual((await ready()).warnings, undefined)
      await primary.start()
      await until(async () =>
        /A database server is left out.*see the log/.test(String((await ready()).warnings)),
      )
      const leftOut = `127.0.0.1:${primary.port} is left out, because it is on timeline 1, and the database is on timeline 2`
      await until(() => server.said().includes(leftOut))
      const metrics = await metricsAt(metricsPort)
      const line = (host: Postgres, figure: string) =>
        `selvedge_database_host_${figure.replace(' ', `{host="127.0.0.1:${host.port}",role="primary"} `)}\n`
      for (const each of [
        ...[line(primary, 'timeline 1'), line(primary, 'left_out 1')],
        ...[line(replica, 'timeline 2'), line(replica, 'left_out 0')],
        `selvedge_database_host_up{host="127.0.0.1:${replica.port}"} 1\n`,
      ]) {
        assert.ok(metrics.includes(each), `${each}${metrics}`)
      }
      // Every process that starts while both take writes uses the promoted one, first or second.
      for (const hosts of [urlOf(primary, replica), urlOf(replica, primary)]) {
        place.environment['DATABASE_URL'] = hosts
        const { stdout, stderr } = await place.run(['brands', 'list', '--json'])
        assert.match(stdout, /"later"/)
        assert.match(stderr, /is left out/)
        await addBrand(place, hosts === urlOf(primary, replica) ? 'first' : 'second')
      }
      assert.deepEqual(await brandsOn(replica), ['aldermoor', 'first', 'later', 'second'])
      assert.deepEqual(await brandsOn(primary), ['aldermoor'])
      const seen = await fetch(`${url}${basePath}/brands/second`, { headers })
      assert.equal(seen.status, 200, await seen.text())
      place.close()
    })
  })

  it('writes nothing when a name leads to the old primary between two polls', async () => {
    let target = replica
    const sockets = new Set<Socket>()
    const forwarder = createServer((socket) => {
      const onward = connect(target.port, '127.0.0.1')
      for (const each of [socket, onward]) sockets.add(each.on('error', () => undefined))
      socket.pipe(onward).pipe(socket)
    })
    await once(forwarder.listen(0, '127.0.0.1'), 'listening')
    const { port } = forwarder.address() as AddressInfo
    const database = openServiceDatabase({
      databaseUrl: `postgres://postgres@127.0.0.1:${port}/replicated`,
      imagesUrl: `file:${join(folder, 'named', 'images')}`,
    })
    const create = (table: string) =>
      database.write((session) =>
        session.run({ text: `create table "${table}" (x int)`, values: [] }),
      )
    await create('kept')
    target = primary
    for (const socket of sockets) socket.destroy()
    await assert.rejects(create('misled'), /on timeline 1, and the database is on timeline 2/)
    await database.close()
    for (const socket of sockets) socket.destroy()
    forwarder.close()
    const client = new pg.Client(urlOf(primary))
    await client.connect()
    const { rows } = await client.query(`select to_regclass('misled') as misled`)
    await client.end()
    assert.deepEqual(rows, [{ misled: null }])
  })

  it('uses an old primary only once it is accepted, also after a restart', async () => {
    const environment = { DATABASE_URL: urlOf(primary, replica), WORKERS: '2' }
    const place = openCommands()
    await withServer(environment, async (url, server) => {
      await replica.kill()
      const status = async (path: string) => {
        const response = await fetch(url + path, { headers: { authorization: 'Bearer x' } })
        return { status: response.status, text: await response.text() }
      }
      await until(async () => {
        const { status: code, text } = await status('/readyz')
        return code === 503 && text.includes('A database server is left out')
      })
      const [victim = 0] = workersOf(server.process)
      process.kill(victim, 'SIGKILL')
      const refused = await place.run(['brands', 'list'])
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr,
        /on timeline 1, and the database is on timeline 2; .*selvedge database accept/,
      )
      // A server that starts has nothing but what was kept.
      const port = String(await freePort())
      const restarted = startServe(folder, { ...environment, WORKERS: '1', PORT: port })
      const records = `http://127.0.0.1:${port}${basePath}/brands/aldermoor`
      const answer = () => fetch(records).catch(() => null)
      await until(async () => /store_unavailable/.test((await (await answer())?.text()) ?? ''))
      const accepted = await place.run(['database', 'accept', '--json'])
      assert.equal(accepted.code, 0, accepted.stderr)
      assert.equal(JSON.parse(accepted.stdout).accepted.name, `127.0.0.1:${primary.port}`)
      await until(async () => (await answer())?.status === 401)
      await until(async () => (await status('/readyz')).status === 200)
      restarted.process.kill('SIGTERM')
      await restarted.ended
      // The server that was given up is left out when it comes back.
      await replica.start()
      await addBrand(place, 'third')
      assert.deepEqual(await brandsOn(primary), ['aldermoor', 'third'])
      assert.equal((await brandsOn(replica)).includes('third'), false)
      const nothing = await place.run(['database', 'accept'])
      assert.match(nothing.stdout, /There is nothing to accept/)
    })
    place.close()
  })
})
