/** Any mapping takes bounded time and space for a row, never throws past it, and prints as itself. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { catalog, type JsonValue, resourceAt } from '#contract'
import {
  type BrandValues,
  type Cell,
  CivilTime,
  columnsOf,
  compileMapping,
  type Mapping,
  parseMapping,
} from '#mapping'
import { printYaml, type YamlValue } from '../../src/mapping/print-yaml.ts'
import { printMapping } from '../support/print-mapping.ts'

const brand: BrandValues = {
  id: '0b6f7c1e-9d55-4a35-8a0c-1b6f2f6d3c11',
  slug: 'halden',
  name: 'Halden Søn & Co.',
  currency: 'NOK',
  country: 'NO',
  timezone: 'Europe/Oslo',
}

const map = (entries: { readonly [name: string]: YamlValue | undefined }): YamlValue =>
  new Map(
    Object.entries(entries).filter((entry): entry is [string, YamlValue] => entry[1] !== undefined),
  )

const column = fc.constantFrom(
  'A',
  'B',
  'Größe (cm)',
  '1',
  'first-seen',
  "l'été: #1",
  'constructor',
  '数量',
)
const text = fc.oneof(
  fc.constantFrom('', ' ', 'x', 'EUR', '0042', 'null', '-', 'Á: b', '# c', '{', "'", '"\n', '中'),
  fc.string({ maxLength: 8, unit: 'grapheme' }).filter((each) => !each.includes('\0')),
)
const filled = text.filter((each) => each.trim() !== '')
const maybe = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined })
const count = fc.integer({ min: 0, max: 20 })

const call: fc.Arbitrary<YamlValue> = fc.oneof(
  fc.constantFrom('trim', 'squeeze', 'upper', 'lower', 'digits', 'stripZeros', 'slug', 'lastWord'),
  fc.tuple(filled, text).map((pair) => map({ replace: pair })),
  fc.tuple(count, filled).map((pair) => map({ padStart: pair })),
  fc.tuple(count, count).map((pair) => map({ substring: pair })),
  filled.map((sign) => map({ before: sign })),
  filled.map((sign) => map({ after: [sign] })),
  fc.tuple(filled, fc.constantFrom(-2, -1, 1, 2)).map((pair) => map({ part: pair })),
)
const apply = maybe(fc.array(call, { minLength: 1, maxLength: 4 }))

const condition: fc.Arbitrary<YamlValue> = fc.oneof(
  text,
  fc.array(text, { minLength: 1, maxLength: 3 }),
  fc.record({ not: maybe(text), empty: fc.boolean(), startsWith: maybe(filled) }).map(map),
  fc
    .record({
      moreThan: fc.constantFrom(0, '-12.50', '2026-03-14'),
      lessThan: maybe(fc.constantFrom('99', '2026-11-18T09:30:00Z', '2026-11-18T09:30:00+02:00')),
    })
    .map(map),
)
const conditions = fc
  .uniqueArray(fc.tuple(column, condition), {
    minLength: 1,
    maxLength: 3,
    selector: ([name]) => name,
  })
  .map((entries): YamlValue => new Map(entries))

/** Expressions that every kind of field can have, over those of its own. */
const combined = (own: fc.Arbitrary<YamlValue>, depth: number): fc.Arbitrary<YamlValue> => {
  if (depth === 0) return own
  const inner = combined(own, depth - 1)
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  const cases = fc.array(
    fc.tuple(conditions, inner).map(
      ([met, value]): YamlValue =>
        new Map([
          ['if', met],
          ['then', value],
        ]),
    ),
    { minLength: 1, maxLength: 2 },
  )
  return fc.oneof(
    own,
    several.map((first) => map({ first })),
    fc.record({ when: cases, else: maybe(inner) }).map(map),
    fc.array(inner, { maxLength: 2 }).map((open) => map({ open })),
  )
}

const table = fc.record({
  values: fc
    .uniqueArray(fc.tuple(text, text), { maxLength: 3, selector: ([name]) => name })
    .map((entries): YamlValue => new Map(entries)),
  otherwise: maybe(text),
  default: maybe(text),
})
const ownText: fc.Arbitrary<YamlValue> = fc.oneof(
  column,
  text.map((value) => map({ value })),
  fc.record({ column, apply, optional: maybe(fc.boolean()), default: maybe(text) }).map(map),
  fc
    .tuple(column, apply, table)
    .map(([name, calls, more]) => map({ column: name, apply: calls, ...more })),
  fc
    .record({
      column,
      apply,
      code: fc.constantFrom('country', 'currency', 'unit'),
      otherwise: maybe(text),
    })
    .map(map),
  fc.record({ first: fc.array(column, { minLength: 1, maxLength: 3 }), apply }).map(map),
  fc
    .constantFrom('id', 'slug', 'name', 'currency')
    .filter((each) => each !== 'id')
    .map((property) => map({ brand: property })),
)
const number: fc.Arbitrary<YamlValue> = fc.oneof(
  column,
  fc.constantFrom('0', '12.50', '-3').map((value) => map({ value })),
  fc
    .record({
      column,
      decimal: fc.constant(','),
      group: maybe(fc.constantFrom('.', "'", ' ')),
      multiply: maybe(fc.constantFrom('0.01', '-1', '12.50')),
    })
    .map(map),
  fc
    .record({
      column,
      round: fc.constantFrom(0, 2, 20, 'currency'),
      default: maybe(fc.constant('0')),
    })
    .map(map),
  fc.record({ column, unit: fc.constantFrom('kg', 'g', 'dozens') }).map(map),
  fc.record({ column, from: ownText, round: maybe(fc.constant(3)) }).map(({ from, ...more }) =>
    map({
      ...more,
      unit: map({ from: typeof from === 'string' ? map({ column: from }) : from, to: 'kg' }),
    }),
  ),
)
const arithmetic = (depth: number): fc.Arbitrary<YamlValue> =>
  depth === 0
    ? number
    : fc.oneof(
        number,
        fc
          .record({
            operation: fc.constantFrom('sum', 'difference', 'product', 'quotient'),
            of: fc.array(arithmetic(depth - 1), { minLength: 2, maxLength: 3 }),
            round: maybe(fc.constantFrom(0, 4, 'currency')),
            multiply: maybe(fc.constant('2.5')),
          })
          .map(({ operation, of, ...more }) => map({ [operation]: of, ...more })),
      )
const date: fc.Arbitrary<YamlValue> = fc.oneof(
  column,
  fc.constant(map({ value: '2026-11-18' })),
  fc
    .record({
      column,
      date: fc.constantFrom('dd.MM.yyyy', ['yyyyMMdd', 'd/M/yy'.replace('d/M', 'dd/MM')]),
      timezone: maybe(fc.constant('Asia/Tokyo')),
    })
    .map(map),
)
const part: fc.Arbitrary<YamlValue> = fc.oneof(
  ownText,
  date,
  fc.record({ column, decimal: fc.constantFrom('.', ',') }).map(map),
  arithmetic(1).filter((each) => each instanceof Map && !each.has('value') && !each.has('column')),
)
const json: fc.Arbitrary<YamlValue> = fc.oneof(
  text,
  fc
    .double({ noDefaultInfinity: true, noNaN: true })
    .filter((each) => !Number.isInteger(each) || Number.isSafeInteger(each)),
  fc.boolean(),
  fc.constant(null),
)
const anyValue: fc.Arbitrary<YamlValue> = fc.oneof(
  fc
    .uniqueArray(fc.tuple(text, part), { minLength: 1, maxLength: 3, selector: ([name]) => name })
    .map((entries) => map({ object: new Map(entries) })),
  fc.array(part, { minLength: 1, maxLength: 3 }).map((list) => map({ list })),
  json.map((value) => map({ value })),
  fc.record({ column, json: fc.constant(true) }).map(map),
)
const key = fc.array(part, { minLength: 1, maxLength: 3 })

const order = fc.record({
  orderNumber: combined(ownText, 2),
  supplierId: key.map((parts) => map({ ref: map({ key: parts }) })),
  kind: fc.constant(map({ value: 'bulk' })),
  status: fc
    .record({
      column,
      values: fc.constant(map({ A: 'draft', 1: 'confirmed', 0: 'cancelled' })),
      otherwise: fc.constant('draft'),
    })
    .map(map),
  revisionNumber: fc.constant(map({ value: 0 })),
  currency: combined(ownText, 1),
  orderDate: combined(date, 1),
  totalQuantity: combined(
    fc.oneof(
      column,
      fc
        .record({
          product: fc.array(number, { minLength: 2, maxLength: 2 }),
          round: fc.constant(0),
        })
        .map(map),
    ),
    1,
  ),
  totalAmount: combined(
    fc
      .record({
        sum: fc.array(arithmetic(2), { minLength: 2, maxLength: 3 }),
        round: maybe(fc.constantFrom(2, 'currency')),
      })
      .map(map),
    1,
  ),
  exchangeRate: combined(arithmetic(3), 1),
  memo: fc.oneof(
    combined(ownText, 2),
    fc.record({ join: fc.array(part, { minLength: 1, maxLength: 3 }), with: maybe(text) }).map(map),
  ),
  customFields: anyValue,
  closedAt: fc
    .record({
      column,
      timestamp: fc.constantFrom('epoch', "dd.MM.yyyy' um 'HH:mm"),
      timezone: maybe(fc.constant('Europe/Oslo')),
    })
    .map(map),
  createdAt: fc.constant('first-seen'),
  updatedAt: fc.constantFrom('last-changed', map({ value: '2026-11-18T10:00:00.000Z' })),
})

const mappingText = fc
  .record({
    key,
    fields: order,
    where: maybe(conditions),
    remove: maybe(conditions),
    keep: maybe(fc.constantFrom('first', 'newest by Größe (cm)')),
    formats: maybe(
      fc.constantFrom(
        map({ decimal: ',', group: '.' }),
        map({ date: 'dd.MM.yyyy', timezone: 'Europe/Oslo' }),
      ),
    ),
    from: fc.constantFrom<YamlValue>(
      'orders*.csv',
      map({
        files: ['a.csv', 'b.xlsx'],
        delimiter: 'tab',
        sheet: '2026',
        headerRow: 3,
        trailer: map({ startsWith: 'T', count: 2, sum: map({ A: 3 }) }),
      }),
      map({
        sql: 'select *\nfrom "po" -- x',
        cursor: 'A',
        overlap: '90m',
        reconcile: map({ every: '7d', sql: 'select 1' }),
      }),
      map({ rows: ['po', 'PO 2'] }),
    ),
  })
  .map(({ key: parts, fields, ...more }) =>
    [
      'version: 1',
      'brand: halden',
      'collections:',
      '  orders:',
      ...Object.entries(more).flatMap(([name, value]) =>
        value === undefined ? [] : [`    ${name}: ${printYaml(value)}`],
      ),
      `    id: ${printYaml(map({ key: parts }))}`,
      '    fields:',
      ...Object.entries(fields).map(([name, value]) => {
        // Alone, it would be a time.
        const isColumn = value === 'first-seen' && name !== 'createdAt'
        return `      ${name}: ${printYaml(isColumn ? map({ column: value }) : value)}`
      }),
    ].join('\n'),
  )

const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom<Cell>(
    null,
    '',
    ' ',
    '0',
    '12,50',
    '1.234,5',
    '-7',
    'kg',
    'Deutschland',
    'Euro',
    '18.11.2026',
    '2026-11-18',
    '9'.repeat(90),
    'x'.repeat(300_000),
    `${'ß'.repeat(100_000)}`,
    NaN,
    Infinity,
    1e300,
    -0,
    new Date(NaN),
    new Date(8.64e15),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.date(),
  fc
    .constantFrom('2026-03-29T02:30:00.000', '2026-11-18', '9999-99-99')
    .map((each) => new CivilTime(each)),
  fc.jsonValue().map((each) => each as JsonValue),
)

/** The mapping without its lines, which differ in another file. */
const withoutLines = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLines)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name === 'line' && typeof each === 'number' ? [] : [[name, withoutLines(each)]],
    ),
  )
}

const parse = (text: string): Promise<Mapping> => parseMapping({ file: 'x.map.yaml', text })

/** Usual ones take less than a millisecond, and the longest cells some ten. */
const rowMsMax = 1_000
/** All texts that the expressions of a row make, and the cells that it takes as they are. */
const jsonMax = 30_000_000

describe('any mapping', () => {
  it('prints as a file that parses to the same mapping', async () => {
    await fc.assert(
      fc.asyncProperty(mappingText, async (source) => {
        const mapping = await parse(source)
        const printed = printMapping(mapping)
        const again = await parse(printed)
        assert.deepEqual(withoutLines(again), withoutLines(mapping))
        assert.equal(printMapping(again), printed)
      }),
      { numRuns: 150 },
    )
  })

  it('prints joins, groups, given rows, lookups and defaults', async () => {
    const source = `version: 1
defaults: { createdAt: first-seen, updatedAt: last-changed, currency: { brand: currency } }
lists: { status: { A: confirmed } }
collections:
  orders:
    from: { files: 'po*.csv' }
    join:
      - { name: lines, files: 'line*.csv', on: { NO: PO } }
      - { name: vendor, given: [{ NO: 0042, CITY: Şile }, { NO: 43 }], on: { VENDOR: NO } }
    id: { key: [NO] }
    fields:
      orderNumber: NO
      supplierId: { lookup: { by: { name: VENDOR } }, default: null }
      kind: { value: bulk }
      status: { column: ST, values: status }
      revisionNumber: { value: 0 }
      orderDate: D
      totalQuantity: { rows: sum, in: lines, of: QTY }
      totalAmount: { rows: sum, in: lines, of: { product: [QTY, PRICE] }, round: currency }
      memo: vendor.CITY
  tags:
    - { from: { given: [{ code: WH1 }] }, id: { key: [code] }, fields: { name: code } }
    - { from: 'tags.csv', group: [NO], id: { key: [NO, { value: x }] }, fields: { name: { rows: first, of: N } } }
`
    const mapping = await parse(source)
    const printed = printMapping(mapping)
    assert.deepEqual(withoutLines(await parse(printed)), withoutLines(mapping))
  })

  it('takes bounded time and space for a row, and never throws past it', async () => {
    let values = 0
    await fc.assert(
      fc.asyncProperty(
        mappingText,
        fc.array(fc.array(cell, { minLength: 8, maxLength: 8 }), { minLength: 3, maxLength: 3 }),
        async (source, rows) => {
          const [mapping] = (await parse(source)).collections
          assert.ok(mapping)
          const mapper = compileMapping(mapping, {
            resource: resourceAt(catalog, 'orders'),
            owner: 'halden',
            columns: columnsOf(mapping),
            importedAt: '2026-11-18T10:00:00.000Z',
            brand,
          })
          const lines = source.split('\n').length
          for (const cells of rows) {
            const started = process.cpuUsage()
            const mapped = mapper.map(cells)
            const removed = mapper.removal(cells)
            mapper.keyOf('/id', cells)
            if (mapper.valueOf('exchangeRate', cells) !== null) values += 1
            const { user, system } = process.cpuUsage(started)
            assert.ok((user + system) / 1_000 < rowMsMax)
            for (const each of [mapped, removed]) {
              if (!each || !('problems' in each)) continue
              assert.ok(each.problems.length > 0)
              for (const { mappingLine, reason } of each.problems) {
                assert.ok(mappingLine > 0 && mappingLine <= lines)
                assert.notEqual(reason, '')
              }
            }
            if (mapped && 'json' in mapped) {
              assert.ok(mapped.json.length < jsonMax)
              assert.equal(typeof mapped.value['id'], 'string')
            }
          }
        },
      ),
      { numRuns: 150 },
    )
    assert.ok(values > 0)
  })
})
