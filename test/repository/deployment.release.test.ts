/**
 * The deployment files. No container engine is needed: the tests run the same commands as the image,
 * its health check, the systemd unit and the probes.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { settings } from '#config'
import { type Started, startServe, until } from '../support/cluster.ts'
import { buildImage, parseDockerfile } from '../support/image-build.ts'
import { freePort } from '../support/postgres.ts'
import { putDemo } from '../support/prepared-demo.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'selvedge-deploy-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const docker = read('Dockerfile')
const instruction = (name: string): string[] =>
  JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(docker)?.[1] ?? '[]')

const environment = (port: number) => ({
  PATH: process.env['PATH'],
  NODE_ENV: 'production',
  WORKERS: '1',
  PORT: String(port),
  DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}`,
  IMAGES_URL: `file:${join(folder, 'images')}`,
})

/** Runs a command, does the work as soon as the server is ready, and stops it. */
const whileRunning = async (
  command: readonly string[],
  work: (port: number) => Promise<void>,
  cwd = root,
): Promise<number | null> => {
  const port = await freePort()
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, env: environment(port), stdio: 'ignore' })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await until(async () => {
    assert.equal(child.exitCode, null, `${command.join(' ')} ended before it was ready`)
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    return response?.ok ?? false
  })
  await work(port)
  child.kill('SIGTERM')
  return ended
}

describe('the container image', () => {
  it('is built by its Dockerfile from the files that .dockerignore includes, and serves the console', async () => {
    const roots = buildImage({ folder: join(folder, 'image'), packages: 'link' })
    const app = join(roots.get('') ?? '', 'app')
    const command = [...instruction('ENTRYPOINT'), ...instruction('CMD')]
    const code = await whileRunning(
      command,
      async (port) => {
        for (const path of ['/', '/docs', '/api/public/v1/openapi.json', '/llms.txt']) {
          assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path)
        }
      },
      app,
    )
    assert.equal(code, 0)
  })

  it('runs the Node that package.json pins', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: { readonly [name: string]: string }
    }
    const pinned = new Set(Object.values(optionalDependencies))
    assert.equal(pinned.size, 1)
    const [first, ...others] = parseDockerfile(docker).map(({ base }) => base)
    assert.match(
      first ?? '',
      new RegExp(`^node:${[...pinned][0]}-bookworm-slim@sha256:[0-9a-f]{64}$`),
    )
    assert.deepEqual(new Set(others), new Set(['node', 'scratch']))
  })

  it('runs as an unprivileged user, with its data in one place', () => {
    assert.match(docker, /^USER 10001:10001$/m)
    assert.match(docker, /^VOLUME \/data$/m)
    assert.match(docker, /DATABASE_URL=sqlite:\/data\//)
  })

  it('serves with its command, passes its health check, and stops with exit code 0', async () => {
    const command = [...instruction('ENTRYPOINT'), ...instruction('CMD')]
    assert.deepEqual(command, ['node', 'bin/selvedge.mjs', 'serve'])
    const check = JSON.parse(
      /HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(docker)?.[1] ?? '[]',
    ) as string[]
    const healthy = (port: number) =>
      spawnSync(check[0] ?? '', check.slice(1), { env: environment(port) }).status
    const code = await whileRunning(command, async (port) => assert.equal(healthy(port), 0))
    assert.equal(code, 0)
    assert.equal(healthy(await freePort()), 1)
  })
})

describe('the systemd unit', () => {
  it('names a command that serves', async () => {
    const unit = read('deploy/selvedge.service')
    const [, start = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? []
    const command = start.replaceAll('/opt/selvedge/', root).split(' ')
    assert.equal(await whileRunning(command, async () => undefined), 0)
  })

  it('runs as a user and writes to a folder that the page about production creates', () => {
    const unit = read('deploy/selvedge.service')
    const guide = read('docs/how-to/run-in-production.md')
    const setting = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1]
    const state = `/var/lib/${setting('StateDirectory')}`
    assert.match(guide, new RegExp(`^useradd .*--home-dir ${state} .* ${setting('User')}$`, 'm'))
    assert.match(guide, new RegExp(`^DATABASE_URL=sqlite:${state}/`, 'm'))
    assert.match(guide, new RegExp(`^IMAGES_URL=file:${state}/`, 'm'))
    assert.match(guide, new RegExp(`^git clone \\S+ ${setting('WorkingDirectory')}$`, 'm'))
    assert.doesNotMatch(guide, /ExecStart=/, 'the unit is written down once')
    const cache = `/var/cache/${setting('CacheDirectory')}`
    assert.equal(setting('Environment'), `NODE_COMPILE_CACHE=${cache}`)
    assert.ok(guide.includes(`\`${cache}\``))
  })
})

describe('compose.yaml', () => {
  it('sets only variables that exist', () => {
    const names = new Set(settings.map(({ name }) => name))
    const named = [...read('compose.yaml').matchAll(/^ {6}([A-Z][A-Z_]+): /gm)]
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('POSTGRES_'))
    assert.ok(named.length > 2)
    for (const name of named) assert.ok(names.has(name), name)
  })

  it('mounts files that exist', () => {
    assert.match(read('compose.yaml'), /\.\/deploy\/nginx\.conf/)
    assert.ok(existsSync(join(root, 'deploy/nginx.conf')))
  })
})

describe('deploy/nginx.conf', () => {
  const hasNginx = spawnSync('nginx', ['-v']).status === 0

  it('loses no request in a rolling restart, and sends batches to the ingest ports', {
    skip: !hasNginx && 'nginx is not installed',
  }, async () => {
    const at = mkdtempSync(join(folder, 'nginx-'))
    putDemo(at)
    const ports = await Promise.all(
      ['api-1', 'api-2'].map(async (name) => ({
        name,
        port: String(await freePort()),
        ingest: String(await freePort()),
      })),
    )
    const start = async ({ port, ingest }: { readonly port: string; readonly ingest: string }) => {
      const node = startServe(at, { PORT: port, INGEST_PORT: ingest, WORKERS: '1' }, '--demo')
      await until(async () => {
        assert.equal(node.process.exitCode, null, node.said())
        const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
        return response?.ok ?? false
      })
      return node
    }
    const nodes: Started[] = []
    for (const each of ports) nodes.push(await start(each))
    const proxyPort = await freePort()
    const site = ports
      .reduce(
        (text, { name, port, ingest }) =>
          text
            .replaceAll(`${name}:8080`, `127.0.0.1:${port}`)
            .replaceAll(`${name}:8090`, `127.0.0.1:${ingest}`),
        read('deploy/nginx.conf'),
      )
      .replace('listen 8080', `listen 127.0.0.1:${proxyPort}`)
    const file = join(at, 'nginx.conf')
    writeFileSync(
      file,
      `daemon off;\npid ${at}/pid;\nerror_log ${at}/error.log;\nevents {}\nhttp {\naccess_log off;\n${site}}\n`,
    )
    const proxy = spawn('nginx', ['-p', at, '-c', file], { stdio: 'inherit' })
    const url = `http://127.0.0.1:${proxyPort}`
    try {
      await until(async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok ?? false)
      const statuses = new Map<number, number>()
      let restarting = true
      const client = async () => {
        while (restarting) {
          const { status, body } = await fetch(`${url}/healthz`)
          await body?.cancel()
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      const clients = [client(), client(), client()]
      // Each node stops as soon as the other one is ready, with no pause between them.
      for (const index of [0, 1, 0, 1]) {
        nodes[index]?.process.kill('SIGTERM')
        await nodes[index]?.ended
        nodes[index] = await start(ports[index] ?? assert.fail())
      }
      restarting = false
      await Promise.all(clients)
      assert.deepEqual([...statuses.keys()], [200])
      const batch = await fetch(`${url}/api/ingest/v1/brands/aldermoor/batches`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: ' '.repeat(2_000_000),
      })
      assert.equal(batch.status, 401)
    } finally {
      proxy.kill('SIGTERM')
      await once(proxy, 'exit')
      for (const node of nodes) node.process.kill('SIGTERM')
      await Promise.all(nodes.map(({ ended }) => ended))
    }
  })
})
