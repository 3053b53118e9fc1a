/**
 * The deployment files. No container engine is needed: the tests run the same commands as the image,
 * its health check, the systemd unit and the probes.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { settings } from '#config'
import { until } from '../support/cluster.ts'
import { buildImage, parseDockerfile } from '../support/image-build.ts'
import { freePort } from '../support/postgres.ts'

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
