/** The runner of the tests: what it takes for a failure, and which files it runs. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { filesOf, root, tiers } from '../../tools/test/files.ts'
import { runJobs, testJob } from '../../tools/test/jobs.ts'
import { isAbout, subjects } from '../../tools/test/subjects.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-runner-'))
after(() => rmSync(folder, { recursive: true, force: true }))

before(() => {
  process.env['TEST_GRACE_MS'] = '2000'
})
after(() => {
  delete process.env['TEST_GRACE_MS']
})

let files = 0
/** Runs a test file of this content, and returns whether it passed and what was printed. */
const runFile = async (content: string, refusesSkips = false) => {
  files += 1
  const file = join(folder, `${files}.test.mjs`)
  writeFileSync(file, `import { after, before, describe, it } from 'node:test'\n${content}`)
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const { passed } = await runJobs([testJob([file], 1)], { atOnce: 1, refusesSkips, print })
  return { passed, printed: lines.join('\n') }
}

describe('a run of test files', () => {
  it('passes if all tests do, and counts them', async () => {
    const { passed, printed } = await runFile("describe('a', () => { it('b', () => {}) })")
    assert.equal(passed, true, printed)
    assert.match(printed, /^1 passed, 0 failed, 0 skipped$/m)
  })

  const failures: readonly (readonly [what: string, content: string, reason: RegExp])[] = [
    ['a test fails', "it('b', () => { throw new Error('wrong') })", /test\.mjs: b\nError: wrong/],
    [
      'a hook fails',
      "describe('a', () => { before(() => { throw new Error('hook') }); it('b', () => {}) })",
      /Error: hook/,
    ],
    ['a file cannot be loaded', "import './missing.mjs'", /Cannot find module/],
    ['there is no test', '', /There is no test\./],
    ['the process ends early', "it('b', () => process.exit(0))", /ended before its tests: 0/],
    [
      'a server is left open',
      "import net from 'node:net'\nit('b', () => { net.createServer().listen(0) })",
      /left this open: .*TCP/,
    ],
    [
      'an error is thrown later',
      "it('b', async () => { setTimeout(() => { throw new Error('late') }, 1); await new Promise((done) => setTimeout(done, 50)) })",
      /late/,
    ],
  ]
  for (const [what, content, reason] of failures) {
    it(`fails if ${what}`, async () => {
      const { passed, printed } = await runFile(content)
      assert.equal(passed, false, printed)
      assert.match(printed, reason)
    })
  }

  it('fails for a skipped test only where that is refused, as in CI', async () => {
    for (const content of [
      "it('b', { skip: 'needs x' }, () => {})",
      "describe('a', { skip: 'needs x' }, () => { it('b', () => {}) })",
      "it('b', (test) => test.skip('needs x'))",
    ]) {
      assert.equal((await runFile(content)).passed, true, content)
      const { passed, printed } = await runFile(content, true)
      assert.equal(passed, false, content)
      assert.match(printed, /needs x/)
    }
  })
})

const main = join(root, 'tools/test/main.ts')
const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', cwd: root, env })

describe('npm test', () => {
  it('says which tier has the files that a pattern names', () => {
    const { status, stderr } = run(['http/isolation'], process.env)
    assert.equal(status, 2)
    assert.equal(
      stderr,
      'No fast test file has http/isolation in its path; tiers that have such files: slow.\n',
    )
  })

  it('fails in CI before the first test where programs are missing', () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    for (const tier of tiers) {
      const env = { PATH: bin, CI: 'true', SELVEDGE_TEST_SYSTEM: folder }
      const { status, stdout, stderr } = run([`--tier=${tier}`], env)
      assert.equal(status, 1, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, /^python3 is not here and could not be installed/m)
    }
  })

  it('notices each program that was removed', () => {
    const removed = [
      ['fast', 'python3'],
      ['slow', 'python3'],
      ['slow', 'chromium'],
      ['slow', 'redis-server'],
      ['slow', 'pgbouncer'],
      ['slow', 'mariadbd'],
      ['slow', 'promtool'],
      ['release', 'wrk'],
    ] as const
    const system = join(folder, 'system')
    const libraries = join(system, 'usr/lib/fiu')
    mkdirSync(libraries, { recursive: true })
    for (const name of ['run', 'posix'])
      writeFileSync(join(libraries, `fiu_${name}_preload.so`), '')
    const postgres = join(system, 'usr/lib/postgresql/15/bin')
    mkdirSync(postgres, { recursive: true })
    for (const name of ['initdb', 'postgres', 'pg_dump', 'pg_restore'])
      writeFileSync(join(postgres, name), '')
    for (const name of new Set([...removed.map(([, each]) => each), 'true', 'nginx', 'perl']))
      symlinkSync('/bin/true', join(system, name))
    symlinkSync('/bin/sh', join(system, 'sh'))
    const script = `
      import { renameSync } from 'node:fs'
      const { missingPrograms } = await import('./test/support/programs.ts')
      const missing = []
      for (const [tier, name] of ${JSON.stringify([['slow', 'nginx'], ...removed])}) {
        renameSync('${system}/' + name, '${system}/removed')
        missing.push(await missingPrograms(tier))
        renameSync('${system}/removed', '${system}/' + name)
      }
      console.log(JSON.stringify(missing))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: root,
      env: { PATH: system, SELVEDGE_TEST_SYSTEM: system },
    })
    assert.equal(stderr, '')
    const [unneeded, ...missing] = JSON.parse(stdout) as readonly (readonly string[])[]
    assert.deepEqual(unneeded, [])
    for (const [index, [tier, name]] of removed.entries()) {
      const [first, ...others] = missing[index] ?? []
      // The renderer of Helm's templates and generated clients are of no path.
      if (tier === 'release') {
        assert.match(String(first), /^Go is not here and could not be fetched/)
        assert.ok(
          others.some((each) => each.startsWith(`${name} is not here`)),
          `${others}`,
        )
      } else {
        assert.match(String(first), new RegExp(`^${name} is not here and could not be`))
        assert.deepEqual(others, [])
      }
    }
  })
})

describe('the tiers', () => {
  it('have every test file once', () => {
    const all = tiers.flatMap(filesOf)
    assert.ok(all.length > 200)
    assert.equal(new Set(all).size, all.length)
  })

  it('know what each file of a release is about, by paths that are there', () => {
    assert.deepEqual(Object.keys(subjects).sort(), [...filesOf('release')])
    const tracked = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split(
      '\n',
    )
    for (const [file, paths] of Object.entries(subjects)) {
      for (const path of paths) {
        assert.ok(
          existsSync(join(root, path)) || tracked.some((each) => each.startsWith(path)),
          `${file}: ${path}`,
        )
      }
    }
  })

  it('run a file of a release if it or its subject has changed', () => {
    const helm = 'test/repository/helm.release.test.ts'
    assert.equal(isAbout(['deploy/helm/selvedge/values.yaml'])(helm), true)
    assert.equal(isAbout([helm])(helm), true)
    assert.equal(isAbout(['src/http/router.ts'])(helm), false)
  })
})
