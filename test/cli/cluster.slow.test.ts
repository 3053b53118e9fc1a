import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bindSocket, openSupervisor, WorkerStartError } from '#cluster'
import { openLog } from '#observability'
import { openRecords, readServiceConfig } from '#server'
import {
  ask,
  type Cluster,
  putLoad,
  startServe,
  startSmallCluster,
  until,
} from '../support/cluster.ts'
import { openTestService } from '../support/service.ts'

/** Enough clients for requests at every moment of a stop, which do not take all of the processor. */
const stoppedLoad = { keeping: 16, fresh: 8, untilRefused: true, pauseMs: 20 }

/** The workers that answer, found by asking until each has had its chance. */
const answering = async (cluster: Cluster, times = 40): Promise<ReadonlySet<string>> => {
  const outcomes = await Promise.all(Array.from({ length: times }, () => ask(cluster)))
  for (const { status } of outcomes) assert.equal(status, 200)
  return new Set(outcomes.map(({ worker }) => worker))
}

/** Waits until there is one that could take over, and gives its process. */
const standbyOf = async (cluster: Cluster): Promise<number> => {
  await until(() => cluster.standby() !== undefined)
  return cluster.standby() ?? 0
}

/** The value of a metric, summed over its labels. */
const metric = async ({ metricsUrl }: Cluster, name: string): Promise<number> => {
  const text = await (await fetch(metricsUrl)).text()
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('several workers', () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startSmallCluster({ WORKERS: '3', LOG_LEVEL: 'error' })
  })
  after(() => cluster.close())

  it('answer on one port, and are welcomed once', async () => {
    assert.equal(cluster.workers().length, 3)
    const workers = new Set<string>()
    await until(async () => {
      for (const worker of await answering(cluster)) workers.add(worker)
      return workers.size === 3
    })
    assert.equal(cluster.said().match(/ready in/g)?.length, 1)
    assert.match(cluster.said(), /3 workers/)
  })

  it('show their figures together on one port', async () => {
    const before = await metric(cluster, 'selvedge_requests_total')
    await answering(cluster, 60)
    assert.equal(await metric(cluster, 'selvedge_requests_total'), before + 60)
    assert.equal(await metric(cluster, 'selvedge_quota_local'), 0)
    assert.ok((await metric(cluster, 'process_resident_memory_bytes')) > 3 * 50e6)
  })

  it('all refuse a revoked key within a second', async () => {
    const records = await openRecords(cluster)
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    const issued = await records.keys.issue({ name: 'test', brands: ['aldermoor'], ...rights })
    const asOther = { ...cluster, key: issued.key }
    let accepted = 0
    await until(async () => {
      const { status } = await ask(asOther)
      accepted = status === 200 ? accepted + 1 : 0
      return accepted === 20
    })
    await records.keys.revoke(issued.id)
    const revoked = performance.now()
    let lastAccepted = revoked
    while (performance.now() < revoked + 2_000) {
      const requestedAt = performance.now()
      if ((await ask(asOther)).status === 200) lastAccepted = requestedAt
    }
    await records.close()
    const took = lastAccepted - revoked
    assert.ok(took < 1_000, `it was accepted for ${took} ms`)
  })

  it('leave connections waiting, not refused, when all of them crash at once', async () => {
    for (const pid of cluster.workers()) process.kill(pid, 'SIGKILL')
    await until(() => cluster.workers().length === 0 || cluster.workers().every(isAlive))
    await answering(cluster)
    await until(() => cluster.workers().length === 3)
  })

  it('never count down, whichever process crashes or is replaced', async () => {
    await answering(cluster)
    const before = await metric(cluster, 'selvedge_requests_total')
    const [victim = 0] = cluster.workers()
    process.kill(victim, 'SIGKILL')
    await until(() => !cluster.workers().includes(victim) && cluster.workers().length === 3)
    assert.equal(await metric(cluster, 'selvedge_requests_total'), before)
    await answering(cluster, 40)
    await cluster.replace()
    assert.equal(await metric(cluster, 'selvedge_requests_total'), before + 40)
  })

  it('continue when their replacements cannot start', async () => {
    const before = cluster.workers()
    const records = await openRecords(cluster)
    await records.database.write(async (session) => {
      await session.run({ text: 'alter table "brand" rename to "brand_away"', values: [] })
      await session.run({
        text: 'create table "brand" ("else" text primary key)',
        values: [],
      })
    })
    cluster.supervisor.kill('SIGHUP')
    await cluster.says(/the old ones continue/)
    assert.match(cluster.said(), /does not fit this version/)
    await until(() => cluster.workers().join() === before.join())
    await records.database.write(async (session) => {
      await session.run({ text: 'drop table "brand"', values: [] })
      await session.run({ text: 'alter table "brand_away" rename to "brand"', values: [] })
    })
    await records.close()
    await answering(cluster)
  })
})

describe('a standby worker', () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startSmallCluster({ WORKERS: '2', STANDBY_WORKERS: '1', LOG_LEVEL: 'error' })
  })
  after(() => cluster.close())

  it('answers no request and shows no figures while it waits', async () => {
    await standbyOf(cluster)
    const workers = new Set<string>()
    for (let round = 0; round < 5; round += 1) {
      for (const worker of await answering(cluster)) workers.add(worker)
    }
    assert.equal(cluster.workers().length, 2)
    assert.ok(workers.size <= 2, `${[...workers]}`)
    assert.equal(await metric(cluster, 'selvedge_quota_local'), 0)
    const resident = await metric(cluster, 'process_resident_memory_bytes')
    const all = [...cluster.workers(), await standbyOf(cluster)].map(residentBytes)
    assert.ok(resident < all.reduce((sum, each) => sum + each, 0) - 30e6, `${resident} of ${all}`)
  })

  it('has learned by the time it begins which keys were issued and revoked', async () => {
    const standby = await standbyOf(cluster)
    const records = await openRecords(cluster)
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    const issue = () => records.keys.issue({ name: 'test', brands: ['aldermoor'], ...rights })
    const [lasting, revoked] = [await issue(), await issue()]
    await wait(1_000)
    await records.keys.revoke(revoked.id)
    await wait(1_000)
    await records.close()
    assert.equal(cluster.standby(), standby)
    for (const pid of cluster.workers()) process.kill(pid, 'SIGKILL')
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await ask({ ...cluster, key: revoked.key })).status, 401)
      assert.equal((await ask({ ...cluster, key: lasting.key })).status, 200)
    }
    await until(() => cluster.workers().includes(standby) && cluster.workers().length === 2)
  })

  it('is started again when it ends, without an effect on requests', async () => {
    const standby = await standbyOf(cluster)
    const workers = cluster.workers()
    const load = putLoad(cluster, { keeping: 4, fresh: 4, pauseMs: 10 })
    process.kill(standby, 'SIGKILL')
    await until(() => cluster.standby() !== undefined && cluster.standby() !== standby)
    await load.stop()
    assert.deepEqual(load.failed, [])
    assert.deepEqual(cluster.workers(), workers)
    await cluster.says(/The standby worker exited by SIGKILL/)
  })

  it('is replaced when all are', async () => {
    const standby = await standbyOf(cluster)
    await cluster.replace()
    assert.equal(isAlive(standby), false)
    assert.notEqual(await standbyOf(cluster), standby)
    assert.equal(cluster.workers().length, 2)
  })

  it('can back up a single worker', async () => {
    const single = await startSmallCluster({ WORKERS: '1', STANDBY_WORKERS: '1' })
    const standby = await standbyOf(single)
    assert.equal(single.workers().length, 1)
    for (const pid of single.workers()) process.kill(pid, 'SIGKILL')
    assert.equal((await ask(single)).status, 200)
    await until(() => single.workers().includes(standby))
    await single.close()
  })

  it('can be done without', async () => {
    const bare = await startSmallCluster({ WORKERS: '2', STANDBY_WORKERS: '0' })
    const [victim = 0, other] = bare.workers()
    await wait(1_500)
    assert.equal(bare.standby(), undefined)
    process.kill(victim, 'SIGKILL')
    await until(() => bare.workers().length === 2 && !bare.workers().includes(victim))
    assert.ok(bare.workers().includes(other ?? 0))
    await bare.close()
  })

  it('that dies young is started ever more slowly', async () => {
    const socket = await bindSocket('127.0.0.1', 0)
    const log = openLog({ level: 'silent', readable: false })
    const program = new URL('../support/dying-standby.ts', import.meta.url)
    const begun: number[] = []
    const onWorker = () => begun.push(performance.now())
    const parts = { program, workers: 1, standby: true, socket, log, onWorker }
    const supervisor = await openSupervisor(parts)
    await until(() => begun.length === 6)
    await supervisor.stop()
    const pauses = begun.slice(2).map((at, index) => at - (begun[index + 1] ?? 0))
    for (const [index, least] of [0, 250, 500, 1_000].entries()) {
      assert.ok((pauses[index] ?? 0) >= least, `${pauses}`)
    }
    assert.equal(begun.length, 6, 'none is begun once it has stopped')
  })
})

const residentBytes = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024
}

describe('the young generation of each worker', () => {
  for (const count of [1, 2]) {
    it(`is small after the start of ${count === 1 ? 'one' : 'two'}`, async () => {
      const cluster = await startSmallCluster({ WORKERS: String(count) })
      const bytes = await metric(cluster, 'nodejs_heap_space_size_total_bytes{space="new"}')
      await cluster.close()
      // Two halves of 8 MB.
      assert.ok(bytes > 0 && bytes <= count * 2 ** 24, `${bytes} bytes`)
    })
  }
})

describe('the limits of several workers', () => {
  it('are those of one', async () => {
    const cluster = await startSmallCluster({
      WORKERS: '3',
      RATE_PER_SECOND: '0.01',
      RATE_BURST: '50',
    })
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => ask(cluster)))
    const count = (wanted: number) => outcomes.filter(({ status }) => status === wanted).length
    assert.deepEqual([count(200), count(429)], [50, 150])
    assert.equal(new Set(outcomes.map(({ worker }) => worker)).size, 3)
    await cluster.close()
  })
})

describe('a supervisor that receives a signal to stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`loses no request and ends with 0 (${signal})`, async (t) => {
      const cluster = await startSmallCluster({ WORKERS: '2', STANDBY_WORKERS: '1' })
      const processes = [...cluster.workers(), await standbyOf(cluster)]
      const load = putLoad(cluster, stoppedLoad)
      await wait(500)
      cluster.supervisor.kill(signal)
      const began = performance.now()
      const code = await cluster.ended
      t.diagnostic(`${(performance.now() - began).toFixed()} ms, ${load.answered} answered`)
      await load.over
      assert.deepEqual(load.failed, [])
      assert.equal(code, 0, cluster.said())
      assert.deepEqual(processes.filter(isAlive), [])
      await cluster.close()
    })
  }

  it('asks clients to leave while it still answers', async () => {
    const cluster = await startSmallCluster({ WORKERS: '2' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    assert.equal((await ask(cluster, agent)).closes, false)
    cluster.supervisor.kill('SIGTERM')
    await wait(150)
    const { status, closes } = await ask(cluster, agent)
    assert.deepEqual([status, closes], [200, true])
    assert.equal((await ask(cluster)).status, 200)
    agent.destroy()
    await cluster.close()
  })

  it('ends with 1 at the second signal, at once and with all workers', async () => {
    const cluster = await startSmallCluster({ WORKERS: '2', STANDBY_WORKERS: '1' })
    const processes = [...cluster.workers(), await standbyOf(cluster)]
    cluster.supervisor.kill('SIGTERM')
    await wait(100)
    cluster.supervisor.kill('SIGTERM')
    const began = performance.now()
    assert.equal(await cluster.ended, 1)
    assert.ok(performance.now() - began < 600)
    await until(() => !processes.some(isAlive))
    await cluster.close()
  })
})

describe('workers whose supervisor is gone', () => {
  it('answer what they have, end, and give the port back', async () => {
    const cluster = await startSmallCluster({ WORKERS: '2', STANDBY_WORKERS: '1' })
    const processes = [...cluster.workers(), await standbyOf(cluster)]
    const load = putLoad(cluster, stoppedLoad)
    await wait(300)
    cluster.supervisor.kill('SIGKILL')
    await load.over
    assert.deepEqual(load.failed, [], cluster.said())
    await until(() => !processes.some(isAlive))
    const again = await bindSocket('127.0.0.1', Number(new URL(cluster.url).port))
    again.close()
    await cluster.close()
  })
})

describe('a supervisor that cannot start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-workers-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('ends with 1 and says that the database is none', async () => {
    writeFileSync(join(folder, 'bad.db'), 'This is not a database, and never was. '.repeat(99))
    const started = startServe(folder, { WORKERS: '2', DATABASE_URL: 'sqlite:./bad.db' })
    assert.equal(await started.ended, 1)
    assert.equal(started.said(), 'The database failed: file is not a database.\n')
  })

  it('ends with 1 and says that the port is taken, once', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const started = startServe(folder, { WORKERS: '2', PORT: String(port) })
    assert.equal(await started.ended, 1)
    assert.match(
      started.said(),
      /^Port \d+ of 127\.0\.0\.1 is already in use by another process\..*\n$/,
    )
    server.close()
  })

  it('hands on the reason of a worker that refuses', async () => {
    const socket = await bindSocket('127.0.0.1', 0)
    const log = openLog({ level: 'silent', readable: false })
    const program = new URL('../support/refusing-worker.ts', import.meta.url)
    await assert.rejects(
      openSupervisor({ program, workers: 2, socket, log }),
      (error) =>
        error instanceof WorkerStartError && error.message === 'This worker never wanted to work.',
    )
  })
})

describe('workers that die young', () => {
  it('are replaced ever more slowly', async () => {
    const socket = await bindSocket('127.0.0.1', 0)
    const log = openLog({ level: 'silent', readable: false })
    const program = new URL('../support/dying-worker.ts', import.meta.url)
    const begun: number[] = []
    const onWorker = () => begun.push(performance.now())
    const supervisor = await openSupervisor({ program, workers: 1, socket, log, onWorker })
    await until(() => begun.length === 5)
    await supervisor.stop()
    const pauses = begun.slice(1).map((at, index) => at - (begun[index] ?? 0))
    for (const [index, least] of [0, 250, 500, 1_000].entries()) {
      assert.ok((pauses[index] ?? 0) >= least, `${pauses}`)
    }
    assert.equal(begun.length, 5, 'none is begun once it has stopped')
  })
})

describe('a worker whose event loop hangs', () => {
  it('is killed and replaced', async () => {
    const socket = await bindSocket('127.0.0.1', 0)
    const logged: string[] = []
    const destination = { write: (line: string) => void logged.push(line) }
    const log = openLog({ level: 'info', readable: false, destination })
    const program = new URL('../support/hung-worker.ts', import.meta.url)
    let started = 0
    const supervisor = await openSupervisor({
      program,
      workers: 1,
      socket,
      log,
      onWorker: () => {
        started += 1
      },
      heartbeat: { everyMs: 50, unansweredMax: 4 },
    })
    await until(() => started === 2)
    supervisor.kill()
    assert.match(logged.join(''), /A worker exited because it did not respond; starting another/)
  })
})

describe('the number of workers', () => {
  const workers = (environment: { readonly [name: string]: string }) =>
    readServiceConfig(environment).workers

  it('is one for each core in production, and one elsewhere', () => {
    assert.equal(workers({}), 1)
    assert.equal(workers({ NODE_ENV: 'production' }), Math.min(availableParallelism(), 64))
    assert.equal(workers({ NODE_ENV: 'production', WORKERS: '5' }), 5)
  })

  it('is whole, and between 1 and 64', () => {
    for (const text of ['0', '65', '1.5', '-1', 'many']) {
      assert.throws(() => workers({ WORKERS: text }), /WORKERS must be a whole number from 1 to 64/)
    }
  })
})

describe('the number of standby workers', () => {
  const standbys = (environment: { readonly [name: string]: string }) =>
    readServiceConfig(environment).standbyWorkers

  it('is 0 by default, and 0 or 1', () => {
    assert.equal(standbys({}), 0)
    assert.equal(standbys({ WORKERS: '2' }), 0)
    assert.equal(standbys({ WORKERS: '1', STANDBY_WORKERS: '1' }), 1)
    assert.throws(
      () => standbys({ STANDBY_WORKERS: '2' }),
      /STANDBY_WORKERS must be a whole number/,
    )
  })
})

describe('a Redis that cannot be reached', () => {
  it('is reported, and each process counts for itself', async () => {
    const environment = { REDIS_URL: 'redis://127.0.0.1:1', METRICS_PORT: '0', RATE_BURST: '3' }
    const service = await openTestService({ ...environment, RATE_PER_SECOND: '0.01' })
    try {
      const statuses: number[] = []
      for (let count = 0; count < 4; count += 1) statuses.push((await service.get('tags')).status)
      assert.deepEqual(statuses, [200, 200, 200, 429])
      assert.match(service.logged.join(''), /"level":"warn".*Redis cannot be reached.*for itself/)
      assert.match(await (await fetch(service.metricsUrl ?? '')).text(), /selvedge_quota_local 1/)
    } finally {
      await service.close()
    }
  })

  it('must have an address that makes sense', () => {
    assert.throws(() => readServiceConfig({ REDIS_URL: 'localhost' }), /REDIS_URL must be redis:/)
  })
})
