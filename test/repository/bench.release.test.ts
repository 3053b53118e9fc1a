/** The benchmarks run, in their smallest form. They need wrk, and are skipped without it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fillBrand } from '../../bench/brand.ts'
import { caseNames, casesOf } from '../../bench/cases.ts'
import { openEngine } from '../../bench/engine.ts'
import { openProduct } from '../../bench/product.ts'
import { queryCaseNames } from '../../bench/query.ts'
import { startReference } from '../../bench/rounds.ts'
import { pageAt } from '../../bench/walk.ts'
import { inSandbox } from '../../tools/sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-bench-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
/** Runs a benchmark that is too small, on a machine that is too busy, to meet its targets. */
const bench = (...args: readonly string[]) => {
  const ran = spawnSync(process.execPath, [main, ...args, '--report-only'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  assert.equal(ran.status, 0, ran.stderr)
  return ran
}
const hasWrk = spawnSync('wrk', ['-v']).error === undefined
const skip = hasWrk ? false : 'wrk is not installed'

it('without wrk, a benchmark says how to install it', () => {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PATH: '/nowhere' }
  const ran = spawnSync(process.execPath, [main], { encoding: 'utf8', env })
  assert.equal(ran.status, 2)
  assert.match(ran.stderr, /wrk is not installed\. .*apt-get install wrk\.\n$/)
})

for (const engine of ['sqlite', 'postgres'] as const) {
  it(`the bare server sends the records that the product sends, on ${engine}`, () =>
    inSandbox(async (sandbox) => {
      const { url: databaseUrl } = await openEngine(sandbox, engine)
      const product = openProduct(sandbox, 'bench', databaseUrl)
      const brand = await fillBrand(sandbox, product, { rows: 600, others: 1, otherOrders: 0 })
      const { items, headers } = brand
      const server = await product.serve({ path: pageAt(items, '', 25), headers })
      const bare = await startReference(sandbox, 'bare-server.ts', databaseUrl, 'acme')
      const cases = await casesOf(server, brand, 100)
      const bareBody = async (path: string) =>
        (await fetch(`http://127.0.0.1:${bare.port}${path}`)).json() as Promise<{
          readonly items?: readonly unknown[]
        }>
      const compared = cases.filter(({ barePaths }) => barePaths.length > 0)
      assert.deepEqual(
        compared.map(({ name }) => name),
        ['never-seen page', 'filtered page', 'page of 100', 'get'],
      )
      for (const { name, paths, barePaths } of compared) {
        assert.equal(barePaths.length, paths.length, name)
        for (let at = 0; at < paths.length; at += Math.ceil(paths.length / 20)) {
          const { body } = await server.get(paths[at] ?? '', headers)
          const record = JSON.parse(String(body))
          const bareRecord = await bareBody(barePaths[at] ?? '')
          if (name === 'get') assert.deepEqual(bareRecord, record)
          else assert.deepEqual(bareRecord.items, record.items, `${name} ${paths[at]}`)
        }
      }
    }))
}

it('the benchmark ingest sends batches beside readers, and judges both', () => {
  const out = mkdtempSync(join(folder, 'ingest-'))
  const ran = bench(
    ...['ingest', '--rows', '3000', '--batches', '20', '--rounds', '1', '--seconds', '1'],
    ...['--places', '100', '--json', '--out', out],
  )
  const { oneRow, thousandRows, readers, verdicts } = JSON.parse(ran.stdout)
  assert.ok(oneRow.p50Ms > 0 && thousandRows.p50Ms > oneRow.p50Ms)
  assert.ok(readers.quietP99Ms.median > 0 && readers.loadedP99Ms.median > 0)
  assert.equal(verdicts.length, 4)
  assert.match(readdirSync(out)[0] ?? '', /^\d{4}-\d\d-\d\d-ingest-sqlite-1\.json$/)
})

describe('the benchmark', { skip }, () => {
  it('pages measures every case, judges it and writes its result', () => {
    const out = mkdtempSync(join(folder, 'run-'))
    const ran = bench(
      ...['--quick', '--rows', '600', '--others', '0', '--rounds', '1', '--places', '100'],
      ...['--starts', '1', '--seconds', '0.1', '--json', '--out', out],
    )
    const result = JSON.parse(ran.stdout)
    assert.deepEqual(
      result.cases.map(({ name }: { name: string }) => name),
      [...caseNames],
    )
    for (const { name, perSecond, ratio } of result.cases) {
      assert.ok(perSecond.median > 0 && ratio.median > 0, name)
    }
    assert.equal(result.verdicts.length, 14)
    assert.match(result.command, /^npm run bench -- --quick/)
    const [file = ''] = readdirSync(out)
    assert.match(file, /^\d{4}-\d\d-\d\d-sqlite-1\.json$/)
    assert.deepEqual(JSON.parse(readFileSync(join(out, file), 'utf8')), result)
  })

  it('query compares sorted and ranged pages with filtered ones, and judges them', () => {
    const out = mkdtempSync(join(folder, 'query-'))
    const ran = bench(
      ...['query', '--rows', '3000', '--rounds', '1', '--seconds', '0.1', '--places', '100'],
      ...['--json', '--out', out],
    )
    const { cases, verdicts } = JSON.parse(ran.stdout)
    assert.deepEqual(
      cases.map(({ name }: { name: string }) => name),
      [...queryCaseNames],
    )
    for (const { name, times } of cases) assert.ok(times.median > 0, name)
    assert.equal(verdicts.length, queryCaseNames.length - 1)
  })

  it('sizing measures each size, and derives machines from it', () => {
    const out = mkdtempSync(join(folder, 'sizing-'))
    const ran = bench(
      ...['sizing', '--least', '600', '--most', '600', '--rounds', '1', '--seconds', '0.1'],
      ...['--places', '100', '--json', '--out', out],
    )
    const { sizes, machines } = JSON.parse(ran.stdout)
    const [{ rows, databaseMb, pageCpuUs, privateMb }] = sizes
    assert.equal(rows, 600)
    assert.ok(databaseMb > 0 && pageCpuUs > 0 && privateMb > 0)
    assert.ok(machines.length > 2 && machines.every(({ cores }: { cores: number }) => cores > 0))
    assert.match(readdirSync(out)[0] ?? '', /^\d{4}-\d\d-\d\d-sizing-sqlite-1\.json$/)
  })

  it('reads compares the CPU time of requests with that of an earlier checkout', () => {
    const out = mkdtempSync(join(folder, 'reads-'))
    const before = fileURLToPath(new URL('../..', import.meta.url))
    const ran = bench(
      ...['reads', '--before', before, '--rows', '600', '--rounds', '1', '--seconds', '0.1'],
      ...['--places', '100', '--json', '--out', out],
    )
    const { figures } = JSON.parse(ran.stdout)
    assert.equal(figures.length, 8)
    for (const { ratio, copies } of figures) assert.ok(ratio.median > 0 && copies.median > 0)
  })

  it('profile prints the functions that take the time of a request', () => {
    const ran = bench('profile', '--case', 'get', '--rows', '600', '--seconds', '0.5')
    assert.match(ran.stdout, /^get, 600 rows: [\d,]+ a second, \d+ µs of CPU each/)
    assert.match(ran.stdout, /^all +\d+\.\d % +src\/database\/sqlite\/statements\.ts$/m)
  })
})
