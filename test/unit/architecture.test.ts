import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { cycles, programs, violationsIn } from '../support/architecture.ts'

const root = new URL('../../', import.meta.url)

const sourcesIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [
        `${folder}/${path}`,
        readFileSync(new URL(`${folder}/${path}`, root), 'utf8'),
      ]),
  )

const sources = sourcesIn('src')
const demoSources = sourcesIn('demo')
const consoleSources = sourcesIn('console/src')

describe('the architecture', () => {
  it('holds', () => {
    assert.ok(sources.size > 30)
    assert.ok(demoSources.size > 30)
    assert.ok(consoleSources.size > 30)
    assert.deepEqual(violationsIn(sources), [])
    assert.deepEqual(violationsIn(demoSources), [])
    assert.deepEqual(violationsIn(consoleSources), [])
  })

  it('holds for the programs beside the product', () => {
    const others = programs.map(sourcesIn)
    for (const each of others) assert.ok(each.size > 10)
    assert.deepEqual(violationsIn(new Map(others.flatMap((each) => [...each]))), [])
  })

  it('gives every module an entry point', () => {
    const modules = new Set([...sources.keys()].map((path) => path.split('/')[1]))
    for (const module of modules) {
      if (module !== 'cli') assert.ok(sources.has(`src/${module}/index.ts`), `${module}`)
    }
  })

  const planted: readonly [rule: string, path: string, source: string, message: RegExp][] = [
    ['a direction', 'src/contract/x.ts', "import { createStore } from '#store'", /may not import/],
    ['a module without a row', 'src/novel/x.ts', '', /has no row/],
    [
      'a file behind an entry point',
      'src/http/x.ts',
      "import x from '#store/list'",
      /behind an entry point/,
    ],
    ['a path out of the module', 'src/http/x.ts', "import x from '../store/list.ts'", /leaves/],
    [
      'a path out of a subfolder',
      'src/contract/domains/x.ts',
      "import '../../store/x.ts'",
      /leaves/,
    ],
    [
      'a file behind an entry point',
      'console/src/lineage/x.ts',
      "import x from '../../../src/contract/lineage.ts'",
      /not an entry point/,
    ],
    ['a server module', 'console/src/x.tsx', "import x from '../../src/store/index.ts'", /not an/],
    ['a direction of the demo', 'demo/season/x.ts', "import x from '#store'", /may not import/],
    ['a path out of the demo', 'demo/x.ts', "import x from '../src/store/index.ts'", /leaves/],
    ['the demo', 'src/cli/serve.ts', "import { season } from '#demo'", /only src\/cli\/demo.ts/],
    ['a late import', 'src/contract/x.ts', "await import('#store')", /may not import/],
    ['a SQL engine', 'src/store/x.ts', "import x from 'node:sqlite'", /SQL engines/],
    ['another SQL engine', 'src/keys/x.ts', "import pg from 'pg'", /SQL engines/],
    ['a web framework', 'src/http/x.ts', "import x from 'fastify'", /web framework/],
    ['Redis', 'src/http/x.ts', "import x from 'ioredis'", /Redis/],
    ['the S3 signer', 'src/http/x.ts', "import x from 'aws4fetch'", /S3/],
    ['the environment', 'src/http/x.ts', 'process.env.PORT', /environment/],
    ['the terminal', 'src/http/x.ts', "console.log('x')", /terminal/],
    ['an exit', 'src/store/x.ts', 'process.exit(1)', /terminal/],
    ['the clock', 'src/keys/x.ts', 'Date.now()', /clock/],
    ['chance', 'src/keys/x.ts', 'randomBytes(32)', /clock and chance/],
    ['a plain error', 'src/http/x.ts', "throw new Error('x')", /ApiError/],
    ['a written header', 'src/http/x.ts', 'response.writeHead(404)', /only response.ts/],
    ['a private field', 'src/http/x.ts', 'response._header', /raw-response/],
    ['a second route table', 'src/http/x.ts', "{ method: 'GET', path: '/x' }", /router.ts/],
    ['a vague file', 'src/http/utils.ts', '', /says nothing/],
    ['a vague export', 'src/http/x.ts', 'export const helper = 1', /says nothing/],
    [
      'an import of a higher folder',
      'src/store/schema/x.ts',
      "import { x } from '../read/x.ts'",
      /higher layer/,
    ],
    [
      'a type of a higher folder',
      'src/store/write/x.ts',
      "import type { X } from '../read/x.ts'",
      /higher layer/,
    ],
    [
      'a file above its folder',
      'src/http/handlers/x.ts',
      "import { createApp } from '../app.ts'",
      /higher layer/,
    ],
    ['a folder above a file', 'src/database/x.ts', "import './sqlite/x.ts'", /higher layer/],
    ['a folder', 'src/store/novel/x.ts', '', /no place among the layers/],
    ['a higher program', 'tools/x.ts', "import x from '../bench/x.ts'", /higher program/],
    [
      'a type of a higher program',
      'bench/x/y.ts',
      "import type { X } from '../../reliability/x.ts'",
      /higher program/,
    ],
  ]

  for (const [rule, path, source, message] of planted) {
    it(`catches ${rule} where it does not belong`, () => {
      const [violation, ...more] = violationsIn(new Map([[path, source]]))
      assert.match(violation ?? 'nothing was caught', message)
      assert.deepEqual(more, [])
    })
  }

  it('catches a cycle of directions', () => {
    const table = new Map([
      ['a', ['b']],
      ['b', ['a']],
    ])
    assert.deepEqual(cycles(table), ['imports in a cycle: a → b → a'])
  })

  it('catches a cycle of values between files, also across modules', () => {
    const inside = new Map([
      ['src/store/read/a.ts', "import { b } from './b.ts'"],
      ['src/store/read/b.ts', "export { c } from './c.ts'"],
      ['src/store/read/c.ts', "const a = await import('./a.ts')"],
    ])
    assert.match(violationsIn(inside)[0] ?? '', /cycle: .*a\.ts → .*b\.ts → .*c\.ts → .*a\.ts$/)
    const across = new Map([
      ['src/http/index.ts', "import { x } from '#store'"],
      ['src/store/index.ts', "import { y } from '#http'"],
    ])
    assert.match(violationsIn(across)[0] ?? '', /cycle: .*http.* → .*store.* → .*http/)
  })

  it('lets files take types of each other', () => {
    const types = new Map([
      ['src/store/read/a.ts', "import type { B } from './b.ts'\nexport type A = B"],
      ['src/store/read/b.ts', "export type { A } from './a.ts'"],
    ])
    assert.deepEqual(violationsIn(types), [])
  })

  it('lets each of them through where it belongs', () => {
    const allowed = new Map([
      ['src/database/x.ts', "import x from 'node:sqlite'"],
      ['src/http/x.ts', "import { createStore } from '#store'"],
      ['src/config/x.ts', 'process.env.PORT'],
      ['src/contract/domains/x.ts', "import x from '../fields.ts'"],
      ['src/store/read/x.ts', "import x from '../schema/tables.ts'"],
      ['src/store/x.ts', "import x from './quality/x.ts'"],
      ['reliability/x.ts', "import x from '../tools/x.ts'"],
    ])
    assert.deepEqual(violationsIn(allowed), [])
  })
})
