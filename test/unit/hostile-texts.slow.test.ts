/** Everything that reads values of senders takes time in proportion to their length. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { composeText, foldText, trimPlaces } from '#contract'
import { parseMapping } from '#mapping'
import { parseJson } from '../../src/ingest/json-text.ts'
import { numberKind } from '../../src/ingest/xlsx/number-format.ts'
import { decodeText } from '../../src/ingest/xlsx/workbook.ts'
import { attributesOf } from '../../src/ingest/xlsx/xml.ts'
import { compileTime, readIso } from '../../src/mapping/date-format.ts'
import { functionNamed, textFunctions } from '../../src/mapping/functions.ts'
import { compileNumber, FormatError } from '../../src/mapping/number-format.ts'
import { searchEntries } from '../../src/store/search-index/entries.ts'

const repeated = (text: string) => (length: number) => text.repeat(length / text.length)

/** Texts of a length, each worst for some kind of pattern. */
const hostileTexts: { readonly [name: string]: (length: number) => string } = {
  'a number, spaces and a letter': (length) => `1${repeated(' ')(length)}x`,
  'spaces between letters': (length) => `x${repeated(' ')(length)}x`,
  zeros: repeated('0'),
  'zeros before a digit': (length) => `0.${repeated('0')(length)}1`,
  digits: repeated('7'),
  signs: repeated('-'),
  'signs before a digit': (length) => `${repeated('+')(length)}1`,
  groups: (length) => `1${repeated(',234')(length)}x`,
  currencies: (length) => `1${repeated(' €')(length)}`,
  points: repeated('.'),
  'marks in the wrong order': (length) => `a${repeated('\u0315\u0300')(length)}`,
  'marks that searches keep': (length) => `\u0915${repeated('\u094d\u093c')(length)}`,
  quotes: repeated('"a'),
  brackets: repeated('['),
  'line breaks': repeated('\n'),
  hyphens: repeated('a- _'),
  escapes: repeated('_x00&'),
  attributes: repeated(' a='),
}

const readers: { readonly [name: string]: (text: string) => unknown } = {
  number: compileNumber({ decimal: '.', group: ',', percent: true }),
  date: compileTime('dd.MM.yyyy HH:mm'),
  'date of ISO 8601': readIso,
  'decimal places': trimPlaces,
  'folded text': foldText,
  'composed text': composeText,
  // Most of its time is that of folding.
  'search entries': (text) => searchEntries([text.slice(0, short)]),
  JSON: (text) => parseJson(JSON.stringify({ text })),
  'number of JSON': (text) => parseJson(`[1${text}]`),
  'number format of a workbook': (text) => numberKind(200, text),
  'text of a workbook': decodeText,
  'attributes of XML': attributesOf,
}
const argumentsOf: { readonly [name: string]: readonly (string | number)[] } = {
  padStart: [10, '0'],
  replace: ['-', '/'],
  substring: [1],
  before: ['-'],
  after: ['-'],
  part: ['-', 2],
}
const functions = Object.keys(textFunctions).map((name) => {
  const run = (text: string) => functionNamed(name)?.run(text, ...(argumentsOf[name] ?? []))
  return [`function ${name}`, run] as const
})

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  try {
    work()
  } catch (error) {
    const isRefusal = error instanceof FormatError || error instanceof SyntaxError
    if (!isRefusal) throw error
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** What is proportional takes 16 times as long, and the square 256 times. */
const [short, long] = [64 * 1_024, 1_024 * 1_024]
const growthMax = 100
/** Shorter times are not measured well. */
const leastMs = 3
/** The cube and the square of shorter lengths take seconds. None of these takes more than 50 ms. */
const shortMs = 500

describe('hostile texts of 1 MB take time in proportion to their length', () => {
  for (const [name, read] of [...Object.entries(readers), ...functions]) {
    it(name, () => {
      for (const [seed, textOf] of Object.entries(hostileTexts)) {
        let before = leastMs
        for (const length of [1_024, short]) {
          before = Math.max(
            leastMs,
            cpuMs(() => read(textOf(length))),
          )
          assert.ok(before < shortMs, `${seed}: ${before} ms for ${length} characters`)
        }
        const after = cpuMs(() => read(textOf(long)))
        assert.ok(after < before * growthMax, `${seed}: ${before} ms became ${after} ms`)
      }
    })
  }
})

describe('mapping files of hostile size are read in proportion to their length', () => {
  const fields = (lines: readonly string[]) =>
    [
      'version: 1',
      'collections:',
      '  tags:',
      '    from: x.csv',
      '    id: { key: [ID] }',
      '    fields:',
      '      code: ID',
      '      createdAt: first-seen',
      '      updatedAt: last-changed',
      ...lines.map((line) => `      ${line}`),
    ].join('\n')
  const many = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index))
  const textsOf = {
    keys: (count: number) =>
      fields(['name:', '  column: N', '  values:', ...many(count, (index) => `    k${index}: v`)]),
    aliases: (count: number) =>
      fields([
        'name:',
        '  join:',
        ...many(count, (index) => `    - &a${index} N\n          - *a${index}`),
      ]),
  }
  for (const [name, textOf] of Object.entries(textsOf)) {
    it(name, async () => {
      const cpuOf = async (count: number) => {
        const text = textOf(count)
        const before = process.cpuUsage().user
        const { collections } = await parseMapping({ file: 'x.map.yaml', text })
        assert.equal(collections.length, 1)
        return (process.cpuUsage().user - before) / 1_000
      }
      await cpuOf(1_000)
      const before = Math.max(leastMs, await cpuOf(1_000))
      const after = await cpuOf(16_000)
      assert.ok(after < before * 48, `${before} ms became ${after} ms`)
    })
  }
})
