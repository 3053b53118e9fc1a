/** The process that receives records, as `serve` starts, supervises and stops it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { rules } from '#check'
import { catalog, resourceAt } from '#contract'
import { openRecords } from '#server'
import { type Cluster, startServe, startSmallCluster, until } from '../support/cluster.ts'
import { lines, putItem, recordOf } from '../support/ingest-service.ts'

describe('the ingest process', () => {
  let cluster: Cluster
  let key: string
  before(async () => {
    cluster = await startSmallCluster({ INGEST_PORT: '0', WORKERS: '1', LOG_LEVEL: 'info' })
    const records = await openRecords(cluster)
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    const issued = await records.keys.issue({
      ...{ name: 'ERP', kind: 'ingest', brands: ['aldermoor'] },
      ...rights,
    })
    key = issued.key
    await records.close()
  })
  after(() => cluster.close())

  const send = (name: string, more: { readonly [header: string]: string } = {}) =>
    fetch(`${cluster.ingestUrl}/brands/aldermoor/batches`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-ndjson',
        prefer: 'wait=30',
        ...more,
      },
      body: lines([putItem('tags', { ...recordOf('tags'), name })]),
    })
  const nameServed = async () => {
    const path = cluster.path.replace('orders?limit=5', `tags/${recordOf('tags')['id']}`)
    const response = await fetch(cluster.url + path, {
      headers: { authorization: `Bearer ${cluster.key}` },
    })
    return ((await response.json()) as { name: string }).name
  }

  it('stores what the public port then serves, beside a single worker', async () => {
    assert.equal(cluster.workers().length, 1)
    const response = await send('Sent')
    assert.equal(response.status, 200, await response.text())
    assert.equal(await nameServed(), 'Sent')
  })

  it('runs beside checks of what any process writes, until no rule is unchecked', async () => {
    const { store, close } = await openRecords(cluster)
    const brand = resourceAt(catalog, 'brand')
    await store.write('other', async (writer) => {
      await writer.stage(brand, [{ ...recordOf('brand'), slug: 'other' }])
      await writer.merge(brand)
    })
    await until(async () => (await store.quality.read('other')).findings.length === rules.length)
    await close()
  })

  it('has its document on the public port, and no path that writes', async () => {
    const { origin } = new URL(cluster.url)
    const document = await fetch(`${origin}/api/ingest/v1/openapi.json`)
    assert.equal(document.status, 200)
    const answer = await fetch(`${origin}/api/ingest/v1/brands/aldermoor/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: '{}\n',
    })
    assert.equal(answer.status, 404)
  })

  it('is counted with the workers on the port for metrics', async () => {
    const text = await (await fetch(cluster.metricsUrl)).text()
    assert.match(
      text,
      /selvedge_requests_total\{operation="sendBatch",method="POST",status="200"\} \d/,
    )
  })

  it('is started again when it is killed, and its clients wait meanwhile', async () => {
    const first = cluster.ingest() ?? 0
    assert.ok(first > 0)
    process.kill(first, 'SIGKILL')
    await cluster.says(/The ingest process exited by SIGKILL; starting another\./)
    // The socket is open all the time: connections wait until a process takes them.
    const response = await send('After a crash')
    assert.equal(response.status, 200, await response.text())
    assert.notEqual(cluster.ingest(), first)
    assert.equal(await nameServed(), 'After a crash')
  })

  it('is replaced on SIGHUP only when the one before has ended', async () => {
    const before = cluster.ingest() ?? 0
    await cluster.replace()
    await cluster.says(/The ingest process has been replaced\./)
    await until(() => cluster.ingest() !== undefined && cluster.ingest() !== before)
    assert.equal((await send('After a replacement')).status, 200)
    assert.doesNotMatch(cluster.said(), /The ingest process exited with/)
  })

  it('ends with the server, and answers those that wait', async () => {
    const waiting = Array.from({ length: 4 }, (_, index) => send(`Last ${index}`))
    await Promise.all(
      waiting.map(async (each) => assert.ok([200, 202].includes((await each).status))),
    )
    cluster.supervisor.kill('SIGTERM')
    assert.equal(await cluster.ended, 0)
  })
})

describe('the limit of bodies', () => {
  it('holds for all workers of a machine, since one process receives them', async () => {
    const cluster = await startSmallCluster({ INGEST_PORT: '0', WORKERS: '2', INGEST_BODIES: '4' })
    try {
      assert.equal(cluster.workers().length, 2)
      const records = await openRecords(cluster)
      const { key } = await records.keys.issue({
        ...{ name: 'ERP', kind: 'ingest', brands: ['aldermoor'], global: false },
        ...{ expiresAt: null, perSecond: null, burst: null },
      })
      await records.close()
      const { hostname, port, pathname } = new URL(cluster.ingestUrl)
      const statuses: string[] = []
      const sockets = [1, 2, 3].map(() => {
        const socket = connect(Number(port), hostname)
        socket.once('data', (bytes) => statuses.push(String(bytes).split(' ')[1] ?? ''))
        socket.write(
          [
            `POST ${pathname}/brands/aldermoor/batches HTTP/1.1`,
            'Host: x',
            `Authorization: Bearer ${key}`,
            'Content-Type: application/x-ndjson',
            'Content-Length: 1000',
            'Expect: 100-continue',
            '',
            '',
          ].join('\r\n'),
        )
        return socket
      })
      await until(() => statuses.length === sockets.length)
      assert.deepEqual(statuses, ['100', '100', '503'])
      for (const socket of sockets) socket.destroy()
    } finally {
      await cluster.close()
    }
  })
})

describe('a port for records that is in use', () => {
  it('keeps the server from starting, with the reason', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-ingest-'))
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { ended, said } = startServe(folder, { INGEST_PORT: String(port) })
    assert.equal(await ended, 1)
    assert.match(said(), /EADDRINUSE|in use/)
    other.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
