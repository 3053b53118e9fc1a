import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { firstFound, unpack, unpackedAt } from './debian.ts'
import { killProcess } from './kill-process.ts'

/** A program that can be run, and what it needs to be. */
export interface RedisProgram {
  readonly path: string
  readonly environment: { readonly [name: string]: string }
}

/** A real Redis of one's own that keeps nothing, and can be treated badly. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  /** Sends a command of plain words, and gives the answer's bytes as text. */
  ask(...words: readonly string[]): Promise<string>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Starts it again on the same port, with nothing in it. */
  start(): Promise<void>
  /** Stops it from doing anything, while its connections stay open. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

const run = promisify(execFile)

/**
 * `REDIS_SERVER`, or what is on the path, or Debian's packages unpacked into a cache; no root, no
 * service. Where there is none of these: why.
 */
export const findRedis = (): Promise<RedisProgram | { readonly missing: string }> =>
  firstFound('redis-server is not here and could not be fetched', [named, onPath, cached, fetched])

export const openRedis = async (program: RedisProgram): Promise<TestRedis> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined

  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    const started = spawn(program.path, options, {
      stdio: 'ignore',
      env: { ...process.env, ...program.environment },
    })
    child = started
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (started.exitCode !== null) throw new Error(`redis-server ended: ${started.exitCode}`)
      if ((await ask('PING').catch(() => '')).startsWith('+PONG')) return
      await wait(25)
    }
    throw new Error('redis-server does not answer')
  }
  const kill = async () => {
    if (child) await killProcess(child)
  }
  const ask = async (...words: readonly string[]) => {
    const socket = connect(port, '127.0.0.1')
    socket.end(`${words.join(' ')}\r\nQUIT\r\n`)
    const answer = Buffer.concat(await socket.toArray()).toString()
    return answer.replace(/\+OK\r\n$/, '')
  }
  const leaveNothing = () => child?.kill('SIGKILL')
  process.on('exit', leaveNothing)

  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    ask,
    kill,
    start,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    close: async () => {
      await kill()
      process.off('exit', leaveNothing)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const works = async (program: RedisProgram): Promise<RedisProgram> => {
  await run(program.path, ['--version'], { env: { ...process.env, ...program.environment } })
  return program
}

const named = async (): Promise<RedisProgram> => {
  const path = process.env['REDIS_SERVER']
  if (!path) throw new Error('REDIS_SERVER names none')
  return works({ path, environment: {} })
}

const onPath = async (): Promise<RedisProgram> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const [path] = globSync(join(folder, 'redis-server'))
    if (path) return works({ path, environment: {} })
  }
  throw new Error('none is on the path')
}

const cache = unpackedAt('redis')

const cached = (): Promise<RedisProgram> =>
  works({
    path: join(cache, 'usr/bin/redis-server'),
    environment: { LD_LIBRARY_PATH: globSync(join(cache, 'usr/lib/*-linux-gnu')).join(':') },
  })

const packages = [
  'redis-server',
  'redis-tools',
  'liblzf1',
  'libjemalloc2',
  'liblua5.1-0',
  'lua-cjson',
  'lua-bitop',
]

const fetched = async (): Promise<RedisProgram> => {
  await unpack('redis', packages)
  return cached()
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
