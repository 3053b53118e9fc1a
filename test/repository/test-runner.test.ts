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

  it('fails in CI before the first test where a program is missing', () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    for (const [tier, program] of [
      ['fast', 'python3'],
      ['slow', 'chromium'],
      ['release', 'wrk'],
    ] as const) {
      const { status, stdout, stderr } = run([`--tier=${tier}`], { PATH: bin, CI: 'true' })
      assert.equal(status, 1, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, new RegExp(`^${program} is not here and could not be installed`, 'm'))
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
