import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'selvedge-bootstrap-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of what the bootstrap step needs, with an `npm` that only says what it was asked to do. */
const checkout = (name: string, npm: string) => {
  const at = join(folder, name)
  mkdirSync(join(at, 'tools'), { recursive: true })
  for (const file of ['package.json', 'package-lock.json', 'tools/bootstrap.cjs']) {
    cpSync(join(root, file), join(at, file))
  }
  writeFileSync(join(at, 'npm.cjs'), npm)
  return (level: 'serve' | 'all' = 'serve', ...nodeOptions: string[]) => {
    const program = [join(at, 'tools/bootstrap.cjs'), ...(level === 'all' ? ['all'] : [])]
    const ran = spawnSync(process.execPath, [...nodeOptions, ...program], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(at, 'npm.cjs') },
    })
    return { status: ran.status, said: ran.stderr + ran.stdout, at }
  }
}

/** Stands in for the registry: lays down a platform package whose binary is this Node. */
const installs = `
const fs = require('fs'), path = require('path')
const log = path.join(__dirname, 'asked')
fs.appendFileSync(log, process.argv.slice(2).join(' ') + '\\n')
const name = Object.keys(require('./package.json').optionalDependencies)[0]
const modules = path.join(__dirname, 'node_modules')
const home = path.join(modules, name)
if (process.argv[2] === 'ci') fs.rmSync(modules, { recursive: true, force: true })
fs.mkdirSync(path.join(home, 'bin'), { recursive: true })
fs.writeFileSync(path.join(modules, '.package-lock.json'), '{}')
fs.writeFileSync(path.join(home, 'package.json'), '{}')
fs.rmSync(path.join(home, 'bin', 'node'), { force: true })
fs.symlinkSync(process.execPath, path.join(home, 'bin', 'node'))
`

describe('the step before every command', () => {
  it('names the library that the pinned Node lacks, and how to install it', () => {
    const preload = join(folder, 'twenty.cjs')
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })",
    )
    const lacking = installs.replace(
      "fs.symlinkSync(process.execPath, path.join(home, 'bin', 'node'))",
      `fs.writeFileSync(path.join(home, 'bin', 'node'), '#!/bin/sh\\necho "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file" >&2\\nexit 127\\n', { mode: 0o755 })`,
    )
    const { status, said } = checkout('lacking', lacking)('serve', '--require', preload)
    assert.equal(status, 1)
    assert.match(said, /libatomic is missing: run apt-get install libatomic1/)
  })

  it('tells a Node that is too old in one sentence', () => {
    const preload = join(folder, 'old.cjs')
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'versions', { value: { node: '14.21.3' } })",
    )
    const { status, said } = checkout('old', installs)('serve', '--require', preload)
    assert.equal(status, 1)
    assert.equal(said, 'Selvedge needs Node 20 or newer to start; this is Node 14.21.3.\n')
  })

  it('installs what the lockfile says, once, and says so', () => {
    const run = checkout('fresh', installs)
    const first = run()
    assert.equal(first.status, 0, first.said)
    assert.match(first.said, /^Installing dependencies \(once; npm ci\) …\nInstalled in \d+ s\.\n$/)
    const linked = spawnSync(join(first.at, 'node_modules/.bin/node'), ['--version'])
    assert.equal(linked.stdout.toString().trim(), process.version)
    const second = run()
    assert.deepEqual([second.status, second.said], [0, ''])
    assert.equal(readFileSync(join(first.at, 'asked'), 'utf8').split('\n').length, 2)
  })

  /** What npm was asked to do, without the options that are always the same. */
  const askedOf = (at: string) =>
    readFileSync(join(at, 'asked'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(' --loglevel=error --no-audit --no-fund', ''))

  it('installs what serving needs, then the development tools, and keeps these', () => {
    const run = checkout('levels', installs)
    const { at } = run()
    assert.deepEqual(askedOf(at), ['ci --omit=dev'])
    assert.match(run('all').said, /^Installing development tools \(once; npm install\) …\n/)
    assert.deepEqual(askedOf(at).slice(1), ['install --no-save --include=dev'])
    for (const level of ['serve', 'all'] as const) assert.equal(run(level).said, '')
    writeFileSync(join(at, 'package-lock.json'), '{}')
    assert.match(run('serve').said, /^Installing dependencies/)
    assert.deepEqual(askedOf(at).slice(2), ['ci --include=dev'])
    assert.equal(run('all').said, '')
  })

  it('keeps the development tools that npm install has brought', () => {
    const run = checkout('by-hand', installs)
    const at = join(folder, 'by-hand')
    mkdirSync(join(at, 'node_modules'))
    writeFileSync(join(at, 'node_modules/.package-lock.json'), '{}')
    run('serve')
    assert.deepEqual(askedOf(at), ['ci --include=dev'])
  })

  it('then runs a program with its arguments, and exits as it does', () => {
    const { at } = checkout('program', installs)()
    writeFileSync(join(at, 'echo.cjs'), 'console.log(...process.argv.slice(2)); process.exit(3)')
    const bootstrap = join(at, 'tools/bootstrap.cjs')
    const ran = spawnSync(process.execPath, [bootstrap, 'all', 'echo.cjs', '--platform', 'x'], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(at, 'npm.cjs') },
    })
    assert.deepEqual([ran.status, ran.stdout], [3, '--platform x\n'])
    assert.match(ran.stderr, /^Installing development tools/)
  })

  it('installs again when the lockfile has changed', () => {
    const run = checkout('stale', installs)
    const { at } = run()
    writeFileSync(join(at, 'package-lock.json'), '{}')
    assert.match(run().said, /^Installing dependencies/)
  })

  it('puts back the link to the pinned Node when it is missing', () => {
    const run = checkout('unlinked', installs)
    const { at } = run()
    rmSync(join(at, 'node_modules/.bin/node'))
    assert.deepEqual([run().said, existsSync(join(at, 'node_modules/.bin/node'))], ['', true])
  })

  it('says a clear sentence when the registry cannot be reached', () => {
    const { status, said } = checkout('offline', 'process.exit(1)')()
    assert.equal(status, 1)
    assert.match(said, /could not be installed\. Is the package registry reachable\?/)
    assert.doesNotMatch(said, /\n\s+at /)
  })

  it('builds the console once, and again when a source has changed', () => {
    const run = checkout('console', installs)
    const at = join(folder, 'console')
    mkdirSync(join(at, 'console/dist'), { recursive: true })
    for (const each of ['src/contract', 'client/src', 'docs']) {
      mkdirSync(join(at, each), { recursive: true })
    }
    const count = "process.getBuiltinModule('fs').appendFileSync('console/dist/built', '.')"
    writeFileSync(join(at, 'console/build.ts'), count)
    const built = () => readFileSync(join(at, 'console/dist/built'), 'utf8')
    assert.match(run().said, /Building the console …\n$/)
    assert.deepEqual([run().said, built()], ['', '.'])
    writeFileSync(join(at, 'src/contract/added.ts'), 'a new field')
    assert.deepEqual([run().said, built()], ['Building the console …\n', '..'])
    writeFileSync(join(at, 'client/src/added.ts'), 'a new method')
    assert.deepEqual([run().said, built()], ['Building the console …\n', '...'])
    writeFileSync(join(at, 'docs/added.md'), '# A guide')
    assert.deepEqual([run().said, built()], ['Building the console …\n', '....'])
    writeFileSync(join(at, 'console/build.ts'), `${count}; process.exit(1)`)
    assert.match(run().said, /could not be built.*Going on without it\.\n$/s)
    assert.equal(run().status, 0)
    assert.equal(built(), '......')
  })

  it('builds the client from its own sources, once, and again when one has changed', () => {
    const run = checkout('client', installs)
    const at = join(folder, 'client')
    mkdirSync(join(at, 'client/dist'), { recursive: true })
    mkdirSync(join(at, 'client/src'), { recursive: true })
    writeFileSync(join(at, 'client/build.mjs'), '')
    assert.doesNotMatch(run('serve').said, /Building/)
    assert.match(run('all').said, /Building the client …\n$/)
    assert.equal(run('all').said, '')
    writeFileSync(join(at, 'client/dist/index.js'), 'what was made')
    assert.equal(run('all').said, '')
    writeFileSync(join(at, 'client/src/index.ts'), 'a new method')
    assert.equal(run('all').said, 'Building the client …\n')
  })

  it('does not wait for an installation that was killed', () => {
    const run = checkout('killed', installs)
    mkdirSync(join(folder, 'killed/.bootstrap-lock'))
    writeFileSync(join(folder, 'killed/.bootstrap-lock/pid'), '999999999')
    assert.equal(run().status, 0)
    assert.ok(!existsSync(join(folder, 'killed/.bootstrap-lock')))
  })
})

describe('the lockfile', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const packages = lock.packages as Record<
    string,
    {
      version?: string
      integrity?: string
      link?: boolean
      optionalDependencies?: Record<string, string>
    }
  >

  it('names every platform package that its packages may need', () => {
    for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
      for (const name of Object.keys(optionalDependencies)) {
        const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
        assert.ok(
          places.some((each) => packages[each]),
          `${path} lacks ${name}`,
        )
      }
    }
  })

  it('names no registry host, and a digest for every package', () => {
    for (const [path, each] of Object.entries(packages)) {
      // A workspace is a link to a folder of ours.
      if (path.startsWith('node_modules/') && !each.link)
        assert.match(each.integrity ?? path, /^sha512-/)
    }
    assert.doesNotMatch(JSON.stringify(lock), /"resolved":"http/)
  })
})
