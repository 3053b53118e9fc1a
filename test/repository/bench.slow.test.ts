/** The benchmarks run, in their smallest form. They need wrk, and are skipped without it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { caseNames } from '../../bench/cases.ts'
import { ownCheckout } from '../../bench/product.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-bench-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
const bench = (...args: readonly string[]) =>
  spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
const hasWrk = spawnSync('wrk', ['-v']).error === undefined
const skip = hasWrk ? false : 'wrk is not installed'

it('without wrk, a benchmark says how to install it', () => {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PATH: '/nowhere' }
  const ran = spawnSync(process.execPath, [main, 'bare'], { encoding: 'utf8', env })
  assert.equal(ran.status, 2)
  assert.match(ran.stderr, /wrk is not installed\. .*apt-get install wrk\.\n$/)
})

describe('the benchmark', { skip }, () => {
  it('pages measures every case, judges it and writes its result', () => {
    const out = mkdtempSync(join(folder, 'run-'))
    const ran = bench(
      ...['--quick', '--rows', '600', '--others', '0', '--rounds', '1', '--places', '100'],
      ...['--starts', '1', '--seconds', '0.1', '--json', '--out', out],
    )
    assert.ok(ran.status === 0 || ran.status === 1, ran.stderr)
    const result = JSON.parse(ran.stdout)
    assert.deepEqual(
      result.cases.map(({ name }: { name: string }) => name),
      [...caseNames],
    )
    for (const { name, perSecond, ratio } of result.cases) {
      assert.ok(perSecond.median > 0 && ratio.median > 0, name)
    }
    const missed = result.verdicts.filter(({ met }: { met: boolean }) => !met)
    assert.equal(ran.status, missed.length === 0 ? 0 : 1)
    assert.match(result.command, /^npm run bench -- --quick/)
    const [file = ''] = readdirSync(out)
    assert.match(file, /^\d{4}-\d\d-\d\d-sqlite-1\.json$/)
    assert.deepEqual(JSON.parse(readFileSync(join(out, file), 'utf8')), result)
  })

  it('bare measures a page beside the least that it can cost', () => {
    const ran = bench('bare', '--rows', '5000', '--rounds', '1', '--seconds', '0.1')
    assert.equal(ran.status, 0, ran.stderr)
    const [, , ...rows] = ran.stdout.trim().split('\n')
    assert.equal(rows.length, 3)
    for (const row of rows) assert.match(row, /^[a-z0-9 -]+? +\d+ +\d+ +\d+ +\d\.\d\d +\d\.\d\d$/)
  })

  it('compare measures two checkouts in the same run', () => {
    const out = mkdtempSync(join(folder, 'compare-'))
    const ran = bench(
      ...['compare', '--before', ownCheckout, '--rows', '2000', '--rounds', '1', '--starts', '1'],
      ...['--seconds', '0.1', '--places', '100', '--json', '--out', out],
    )
    assert.ok(ran.status === 0 || ran.status === 1, ran.stderr)
    const { cases } = JSON.parse(ran.stdout) as {
      cases: readonly { readonly name: string; readonly before: number; readonly after: number }[]
    }
    assert.deepEqual(
      cases.map(({ name }) => name),
      [
        ...['repeated page', 'never-seen page', 'filtered page', 'get', 'feed page'],
        ...['start', 'private memory'],
      ],
    )
    for (const { name, before, after: now } of cases) assert.ok(before > 0 && now > 0, name)
  })
})
