/** The process of the operator page, as `serve` starts it, starts it again and stops it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { adminOf, type Started, startServe, until } from '../support/cluster.ts'
import { freePort, openPostgres } from '../support/postgres.ts'

describe('the process of the operator page', () => {
  let folder = ''
  const started: Started[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvedge-serve-admin-'))
  })
  afterEach(async () => {
    for (const { process: server, ended } of started.splice(0)) {
      server.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a server on an empty folder, with the page on a port that was free. */
  const start = async (environment: { readonly [name: string]: string }, ...options: string[]) => {
    const port = await freePort()
    const server = startServe(
      folder,
      { LOG_LEVEL: 'info', ADMIN_PORT: String(port), ...environment },
      ...options,
    )
    started.push(server)
    return { ...server, port, url: `http://127.0.0.1:${port}` }
  }
  const isServing = async (url: string) =>
    (await fetch(`${url}/api/session`).catch(() => null))?.status === 401
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  const isRunning = (pid: number) => existsSync(`/proc/${pid}`)
  const apiOf = (said: string) => /API +(http:\/\/[^/]+)/.exec(said)?.[1] ?? ''
  const isApiReady = async (url: string) =>
    (await fetch(`${url}/readyz`).catch(() => null))?.status === 200

  for (const WORKERS of ['1', '2']) {
    it(`starts on an empty installation, and again when it is killed, with WORKERS=${WORKERS}`, async () => {
      const { url, said, process: server, ended } = await start({ WORKERS })
      await until(() => said().includes('Ctrl+C stops'))
      assert.match(
        said(),
        new RegExp(`Operator +${url}/ \\(to sign in: selvedge admin --as <name>\\)`),
      )
      await until(() => isServing(url))
      const first = adminOf(server) ?? 0
      assert.ok(first > 0)
      process.kill(first, 'SIGKILL')
      await until(() =>
        said().includes('The process of the operator page exited by SIGKILL; starting another.'),
      )
      await until(() => isServing(url))
      assert.notEqual(adminOf(server), first)
      assert.ok(await isApiReady(apiOf(said())))
      server.kill('SIGTERM')
      assert.equal(await ended, 0)
    })

    it(`ends when the server is killed, with WORKERS=${WORKERS}`, async () => {
      const { url, process: server, ended, said } = await start({ WORKERS })
      await until(() => isServing(url))
      await until(() => said().includes('Ctrl+C stops'))
      const pid = adminOf(server) ?? 0
      assert.ok(isRunning(pid))
      // A request that never ends does not keep it.
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.on('error', () => undefined)
      socket.write('POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{')
      server.kill('SIGKILL')
      await until(() => !isRunning(pid))
      await ended
      socket.destroy()
    })
  }

  it('ends when the server is killed while the page starts', async () => {
    const { process: server, ended } = await start({})
    const starting = () =>
      readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
        .split(' ')
        .find((pid) => pid !== '' && commandOf(pid).includes('admin-main'))
    await until(() => starting() !== undefined)
    const pid = Number(starting())
    server.kill('SIGKILL')
    await ended
    await until(() => !isRunning(pid))
  })

  it('does not delay the end of the server', async () => {
    const { url, process: server, ended, said } = await start({})
    await until(() => isServing(url))
    await until(() => said().includes('Ctrl+C stops'))
    const pid = adminOf(server) ?? 0
    process.kill(pid, 'SIGSTOP')
    const began = performance.now()
    server.kill('SIGTERM')
    assert.equal(await ended, 0)
    assert.ok(performance.now() - began < 50_000, 'it waited for the page')
    await until(() => !isRunning(pid))
  })

  it('waits for its port, which the API does not', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const { said } = await start({ ADMIN_PORT: String(port) })
    await until(() => said().includes('Ctrl+C stops'))
    assert.ok(await isApiReady(apiOf(said())))
    await until(() =>
      /The process of the operator page could not start\. Port \d+ of 127\.0\.0\.1 is already in use/.test(
        said(),
      ),
    )
    other.close()
    await until(() => isServing(`http://127.0.0.1:${port}`))
    await until(() => said().includes('The process of the operator page is ready.'))
  })

  it('takes the next free port in the demo, whose banner has a link', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const { said } = await start({ ADMIN_PORT: String(port), SELVEDGE_OPERATOR: 'anna' }, '--demo')
    await until(() => said().includes('Ctrl+C stops'))
    other.close()
    const [, url = '', token] =
      /Operator +(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+) \(works once\)/.exec(said()) ?? []
    assert.notEqual(new URL(url).port, String(port))
    const answer = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    const session = (await answer.json()) as { operator: string; isEmpty: boolean; apiUrl: string }
    assert.deepEqual([session.operator, session.isEmpty], ['anna', false])
    assert.equal(session.apiUrl, apiOf(said()))
  })

  it('is off without ADMIN_PORT', async () => {
    const { said, process: server } = await start({ ADMIN_PORT: '' })
    await until(() => said().includes('Ctrl+C stops'))
    assert.doesNotMatch(said(), /Operator/)
    assert.equal(adminOf(server), undefined)
  })

  it('waits for its database if that is away', async () => {
    const postgres = await openPostgres()
    try {
      const {
        url,
        said,
        process: server,
      } = await start({ DATABASE_URL: await postgres.url('page') })
      await until(() => isServing(url))
      await until(() => said().includes('Ctrl+C stops'))
      await postgres.stop()
      const pid = adminOf(server) ?? 0
      process.kill(pid, 'SIGKILL')
      await until(() => /cannot be reached.*Waiting for it\./.test(said()))
      assert.equal(await isServing(url), false)
      await postgres.start()
      await until(() => isServing(url))
      assert.equal(said().match(/The process of the operator page exited/g)?.length, 1)
    } finally {
      await postgres.close()
    }
  })
})
