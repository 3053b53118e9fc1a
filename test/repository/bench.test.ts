/** The benches still run, and their parts count and judge as they say. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalog, checkRecord, resourceAt } from '#contract'
import { openStory } from '#demo'
import { type CaseName, caseNames } from '../../bench/cases.ts'
import { chartOf, niceAbove } from '../../bench/chart.ts'
import { readGrowthOptions } from '../../bench/growth.ts'
import { createItems, itemId } from '../../bench/order-items.ts'
import { readPagesOptions } from '../../bench/pages.ts'
import { readPeersOptions } from '../../bench/peers.ts'
import { rounded, writeResult } from '../../bench/results.ts'
import { machineFor } from '../../bench/sizing.ts'
import { median, percentile, shuffled, spreadOf } from '../../bench/statistics.ts'
import { tableOf } from '../../bench/table.ts'
import { type CaseFigures, exitCodeOf, type Found, judge, sentenceOf } from '../../bench/targets.ts'
import { luaOf, readSummary } from '../../bench/wrk.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-bench-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the figures of a bench', () => {
  it('have a median that one odd round does not move', () => {
    assert.equal(median([3, 1, 1_000]), 3)
    assert.equal(median([4, 2]), 3)
    assert.equal(percentile([1, 2, 3, 4], 0.5), 2)
    assert.equal(percentile([1, 2, 3, 4], 0.99), 4)
    assert.deepEqual(spreadOf([2, null, 1, 9]), { median: 2, least: 1, most: 9 })
    assert.equal(spreadOf([null]), null)
  })

  it('are asked for in the same order without order at every run', () => {
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    const mixed = shuffled(numbers, 7)
    assert.deepEqual(mixed, shuffled(numbers, 7))
    assert.notDeepEqual(mixed, numbers)
    assert.deepEqual(
      mixed.toSorted((a, b) => a - b),
      numbers,
    )
    assert.match(itemId(1), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('are written under a day and a number, with four digits', () => {
    const day = new Date('2026-11-15T12:00:00Z')
    const first = writeResult(folder, 'sqlite', { ratio: 0.123456, rows: 1_000_000 }, day)
    const second = writeResult(folder, 'sqlite', {}, day)
    assert.match(first, /2026-11-15-sqlite-1\.json$/)
    assert.match(second, /2026-11-15-sqlite-2\.json$/)
    assert.deepEqual(JSON.parse(readFileSync(first, 'utf8')), { ratio: 0.1235, rows: 1_000_000 })
    assert.deepEqual(rounded([Number.NaN]), [null])
  })

  it('lead to the machines that the page on scale names', () => {
    const page = readFileSync(new URL('../../docs/explanation/scale.md', import.meta.url), 'utf8')
    const rows = [
      ...page.matchAll(/^\| ([\d,]+) \| ([\d,]+) \| (\d+) \| (\d+) GB \| (\d+) GB \|$/gm),
    ]
    assert.ok(rows.length > 3)
    for (const row of rows) {
      const [records = 0, rate = 0, ...needed] = row
        .slice(1)
        .map((cell) => Number(cell.replaceAll(',', '')))
      const databaseMb = (records * 1_155) / 2 ** 20
      const pageCpuUs = records > 1_000_000 ? 86 * 1.18 : 86
      const { cores, memoryGb, diskGb } = machineFor({ rows: records, databaseMb, pageCpuUs }, rate)
      assert.deepEqual([cores, memoryGb, diskGb], needed, row[0])
    }
  })

  it('stand in a table', () => {
    assert.equal(tableOf(['', 'rows'], [['page', '1']]), '      rows\npage     1')
  })

  it('are drawn for light and dark, with labels and a legend', () => {
    assert.equal(niceAbove(4_539), 5_000)
    assert.equal(niceAbove(120), 200)
    const points = [
      { rows: 10_000, perSecond: 3_000 },
      { rows: 1_000_000, perSecond: 2_900 },
    ]
    const chart = chartOf({ title: 'a < b', subtitle: '', lines: [{ name: 'get', points }] })
    assert.match(chart, /^<!-- Made by bench\/growth\.ts/)
    for (const part of ['prefers-color-scheme: dark', 'a &lt; b', '>get<', '>1,000,000<']) {
      assert.ok(chart.includes(part), part)
    }
    assert.ok(!/NaN|undefined/.test(chart))
  })
})

describe('the order items of a bench', async () => {
  const { records } = await openStory()
  const rows = 10_000
  const itemAt = createItems(records, rows)
  const items = Array.from({ length: rows }, (_, n) => itemAt(n))
  const shareOf = (is: (item: (typeof items)[number]) => boolean) => items.filter(is).length / rows

  it('are valid, and the same at every run', () => {
    const resource = resourceAt(catalog, 'order-items')
    for (const item of items.slice(0, 500)) assert.deepEqual(checkRecord(resource, item), [])
    const again = createItems(records, rows)
    assert.deepEqual(
      items.slice(0, 500),
      Array.from({ length: 500 }, (_, n) => again(n)),
    )
  })

  it('have a letter beyond Latin-1 on nearly every page of 25, and several scripts', () => {
    const pages = Array.from({ length: rows / 25 }, (_, page) =>
      JSON.stringify(items.slice(25 * page, 25 * (page + 1))),
    )
    const share = pages.filter((page) => /[^\u0000-\u00ff]/.test(page)).length / pages.length
    assert.ok(share >= 0.99, `${share} of the pages`)
    const text = pages.join('')
    for (const kind of [/[éüãçğı]/, /’/, /\p{Script=Han}/u, /\p{RGI_Emoji}/v])
      assert.match(text, kind)
  })

  it('have nulls, long texts, skewed sizes and dates of many months', () => {
    const nulls = shareOf(({ memo }) => memo === null)
    const long = shareOf(({ memo }) => String(memo).length > 250)
    assert.ok(nulls > 0.6 && nulls < 0.8, `${nulls} have no memo`)
    assert.ok(long > 0.01 && long < 0.1, `${long} have a long memo`)
    for (const field of ['skuId', 'supplierConfirmedAt', 'duty', 'htsCode', 'step', 'category']) {
      const share = shareOf((item) => item[field] === null)
      assert.ok(share > 0.02 && share < 0.5, `${share} have no ${field}`)
    }
    const products = shareOf(({ itemType }) => itemType === 'product')
    const services = shareOf(({ itemType }) => itemType === 'service')
    assert.ok(products > 0.5 && services < 0.1 && services > 0, `${products}, ${services}`)
    const orders = Map.groupBy(items, ({ orderId }) => orderId)
    assert.ok(Math.max(...[...orders.values()].map(({ length }) => length)) > 50)
    assert.ok(new Set(items.map(({ createdAt }) => String(createdAt).slice(0, 7))).size > 12)
  })
})

describe('the targets', () => {
  const even = (value: number) => ({ median: value, least: value, most: value })
  const figures = (name: CaseName, ratio: number): CaseFigures => ({
    name,
    answerBytes: 1,
    perSecond: even(1),
    referencePerSecond: even(1),
    ratio: even(ratio),
    p50Ms: 1,
    p99Ms: 1,
    cpuUs: even(10),
    referenceCpuUs: even(10),
    cpuRatio: even(ratio),
    bareCpuUs: even(10),
    bareRatio: even(1),
    askedAgain: 0,
  })
  const results: Found = {
    engine: 'sqlite',
    workers: 1,
    cores: 2,
    cases: caseNames.map((name) => figures(name, 1)),
    privateMb: 100,
    startSeconds: 0.5,
    scaling: null,
  }
  const missed = (changes: Partial<Found>) =>
    judge({ ...results, ...changes })
      .filter(({ met }) => !met)
      .map(sentenceOf)
  const except = (name: CaseName, changes: Partial<CaseFigures>) => ({
    cases: results.cases.map((each) => (each.name === name ? { ...each, ...changes } : each)),
  })

  it('are all met by a server that costs nothing', () => {
    assert.equal(judge(results).length, 14)
    assert.deepEqual(missed({}), [])
  })

  it('say which was missed, and by how much', () => {
    assert.deepEqual(missed(except('repeated page', { cpuRatio: even(0.44) })), [
      'MISSED  repeated page, ratio to the reference: 0.44, at least 0.88, missed by 50.0 %',
    ])
    assert.deepEqual(missed({ privateMb: 240 }), [
      'MISSED  private memory of a worker, MB: 240, at most 120, missed by 100.0 %',
    ])
    assert.deepEqual(missed(except('filtered page', { bareRatio: even(1.62) })), [
      'MISSED  filtered page, times the bare server: 1.62, at most 1.35, missed by 20.0 %',
    ])
    assert.equal(missed(except('deep pages', { cpuUs: even(12) })).length, 1)
    assert.equal(missed(except('429', { cpuUs: even(11) })).length, 1)
    assert.equal(missed({ startSeconds: 0.7 }).length, 1)
  })

  it('give the exit code 1 when one of them was missed', () => {
    assert.equal(exitCodeOf(judge(results)), 0)
    assert.equal(exitCodeOf(judge({ ...results, privateMb: 240 })), 1)
  })

  it('are others on PostgreSQL', () => {
    assert.deepEqual(missed({ engine: 'postgres', ...except('get', { cpuRatio: even(0.31) }) }), [])
    assert.equal(
      missed({ engine: 'postgres', ...except('get', { cpuRatio: even(0.2) }) }).length,
      1,
    )
  })

  it('hold several workers to one only where there are cores for them', () => {
    assert.deepEqual(missed({ workers: 2, scaling: even(1.1) }), [])
    assert.equal(missed({ workers: 2, scaling: even(1.1), cores: 4 }).length, 1)
  })

  it('leave out what could not be measured', () => {
    assert.ok(!judge({ ...results, privateMb: null }).some(({ what }) => what.includes('memory')))
  })
})

describe('wrk', () => {
  it('gets a script with the headers and paths escaped', () => {
    const load = { port: 1, from: 5, seconds: 1, connections: 1, file: '/a b' }
    const lua = luaOf({ ...load, headers: { 'if-none-match': '"x"' } })
    assert.match(lua, /io\.lines\('\/a b'\)/)
    assert.match(lua, /if-none-match: \\034x\\034\\013\\010/)
  })

  it('prints a summary, in which broken connections are an error', () => {
    const line = (broken: number) =>
      `Running\nsummary {"requests":10,"us":500000,"p50":1500,"p99":9000,"sent":12,"refused":0,"broken":${broken}}\n`
    assert.deepEqual(readSummary(line(0)), {
      ...{ requests: 10, seconds: 0.5, p50Ms: 1.5, p99Ms: 9, sent: 12, refused: 0 },
    })
    assert.throws(() => readSummary(line(1)), /1 connections broke/)
    assert.throws(() => readSummary('nothing'), /no summary/)
  })
})

describe('the options of a bench', () => {
  const refusals: readonly [what: string, read: () => unknown, says: RegExp][] = [
    ['an unknown one', () => readPagesOptions(['--row', '1']), /'--row'.*The options are --engine/],
    ['a lone word', () => readPagesOptions(['fast']), /fast/],
    ['no number', () => readPagesOptions(['--rows', 'many']), /--rows must be a whole number from/],
    ['too few rows', () => readPagesOptions(['--rows', '3']), /--rows must be/],
    ['another engine', () => readPagesOptions(['--engine', 'oracle']), /one of sqlite, postgres/],
    [
      'no time',
      () => readPagesOptions(['--seconds', '0']),
      /--seconds must be a number of seconds/,
    ],
    ['nothing to grow', () => readGrowthOptions(['--most', '20000']), /ten times/],
    ['a full disk', () => readGrowthOptions([], 1e9), /takes 4\.4 GB of disk and 1\.0 GB are free/],
    ['too few rows for peers', () => readPeersOptions(['--rows', '1']), /--rows must be/],
  ]
  for (const [what, read, says] of refusals) {
    it(`refuse ${what} with a sentence`, () => {
      assert.throws(read, (error: Error) => says.test(error.message) && error.message.endsWith('.'))
    })
  }

  it('are refused on standard error, with 2', () => {
    const program = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
    const ran = spawnSync(process.execPath, [program, '--rows', 'x'], { encoding: 'utf8' })
    assert.equal(ran.status, 2)
    assert.match(ran.stderr, /^--rows must be a whole number from 500 to 100,000,000, not x\.\n$/)
    assert.equal(ran.stdout, '')
  })
})
