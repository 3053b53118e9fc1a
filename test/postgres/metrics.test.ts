/** The metrics of a server on PostgreSQL: its servers and pools. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../support/cluster.ts'
import { freePort, openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('the metrics of a server on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let service: TestService
  let host: string
  let dead: string
  before(async () => {
    postgres = await openPostgresDatabases()
    const url = await postgres.url('metrics')
    host = new URL(url).host
    dead = `127.0.0.1:${await freePort()}`
    const DATABASE_URL = url.replace(host, `${host},${dead}`)
    service = await openTestService({ METRICS_PORT: '0', DATABASE_URL })
  })
  after(async () => {
    await service?.close()
    await postgres.close()
  })

  const metrics = async () => (await fetch(service.metricsUrl ?? '')).text()

  it('have its servers with their role and whether they answer, and the pools of each', async () => {
    await service.get('tags')
    await until(async () =>
      (await metrics()).includes(`selvedge_database_host_up{host="${dead}"} 0`),
    )
    const lines = (await metrics()).split('\n')
    for (const line of [
      `selvedge_database_host_up{host="${host}"} 1`,
      `selvedge_database_host_timeline{host="${host}",role="primary"} 1`,
      `selvedge_database_pool_in_use{host="${host}",pool="requests"} 0`,
      `selvedge_database_pool_waiting{host="${host}",pool="requests"} 0`,
      `selvedge_database_pool_size{host="${host}",pool="writers"} 100`,
      `selvedge_database_pool_waiting{host="${host}",pool="commands"} 0`,
      'selvedge_database_pool_size{pool="long"} 4',
    ]) {
      assert.ok(lines.includes(line), line)
    }
    assert.ok(!lines.some((line) => line.startsWith('selvedge_sqlite_wal_bytes{')))
  })

  it('count a connection while it is in use', async () => {
    const { database } = service.records
    const inUse = async (pool: string) => {
      const pattern = new RegExp(`pool_in_use\\{host="${host}",pool="${pool}"\\} (\\d+)`)
      return Number(pattern.exec(await metrics())?.[1])
    }
    // The server itself writes now and then.
    await until(async () => (await inUse('writers')) === 0)
    await database.write(async () => {
      assert.ok((await inUse('writers')) >= 1)
    }, 'states')
    await database.snapshot(async () => {
      assert.ok((await inUse('commands')) >= 1)
    })
  })
})
