/** The programs that start Selvedge: bin/selvedge.mjs on another Node, and npm start. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../support/cluster.ts'
import { mainFile, openSandbox } from '../support/command.ts'
import { findNode } from '../support/nodes.ts'

const run = promisify(execFile)

describe('a Node whose SQLite can corrupt a database', () => {
  const refusal =
    /^This Node \(\S+\) carries SQLite 3\.[0-9.]+, which can corrupt a database that several processes use\. Selvedge needs SQLite 3\.51\.3 or newer\. Run it with bin\/selvedge\.mjs/m

  it('is not used by bin/selvedge.mjs, which runs the pinned one', async (test) => {
    const older = await findNode('24.11.0')
    if (typeof older !== 'string') return test.skip(older.missing)
    const versions = await run(older, ['-p', 'process.versions.sqlite'])
    assert.match(versions.stdout, /^3\.(50|51\.[0-2]$)/m)
    const place = openSandbox()
    try {
      const env = place.environment
      const bin = fileURLToPath(new URL('../../bin/selvedge.mjs', import.meta.url))
      const args = ['brands', 'add', 'acme', '--name', 'Acme']
      await assert.rejects(run(older, [mainFile, ...args], { env }), ({ stderr }) =>
        refusal.test(stderr),
      )
      const { stdout } = await run(older, [bin, ...args], { env })
      assert.match(stdout, /^Added Acme\./)
    } finally {
      place.close()
    }
  })
})

describe('npm start', { skip: process.platform === 'win32' }, () => {
  it('stops the server when it is stopped itself', async () => {
    const place = openSandbox()
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const environment = {
      ...place.environment,
      PORT: '0',
      IMAGES_URL: `file:${place.folder}/images`,
    }
    const npm = spawn('npm', ['start'], { cwd: root, env: environment })
    let said = ''
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.on('data', (text) => {
        said += text
      })
    }
    try {
      const ended = once(npm, 'exit')
      await Promise.race([until(() => said.includes('Ctrl+C stops.')), ended])
      const url = /API +(http:\/\/[^/\s]+)/.exec(said)?.[1]
      const answers = () =>
        fetch(`${url}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      assert.ok(await answers(), said)
      npm.kill('SIGTERM')
      await ended
      await until(async () => !(await answers()))
    } finally {
      npm.kill('SIGKILL')
      place.close()
    }
  })
})
