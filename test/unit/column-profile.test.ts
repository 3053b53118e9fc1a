/** What the values of a column are recognised as, which proposals of mappings rely on. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Cell, CivilTime } from '#mapping'
import { profileColumn, profileTable } from '../../src/mapping/propose/column-profile.ts'
import type { DeclaredType } from '../../src/mapping/propose/sample-table.ts'

const recognised = (cells: readonly Cell[], type?: DeclaredType) =>
  profileColumn('column', cells, type).recognised.map(({ kind, reason }) => `${kind}: ${reason}`)

const day = (text: string) => new CivilTime(text)

const cases: readonly (readonly [what: string, cells: readonly Cell[], expected: string[]])[] = [
  [
    'names of countries, some of them misspelt',
    ['Germany', 'UK', "Côte d'Ivoire", null, 'México', 'Österreich', 'Atlantis', ' ', 'USA'],
    ['country: 6 of 7 values are country names'],
  ],
  [
    'codes of countries',
    ['DE', 'FR', 'VN', 'DE'],
    [
      'countryCode: all 4 values are country codes',
      'country: all 4 values are country names or codes',
    ],
  ],
  [
    'names and codes of countries',
    ['DE', 'Frankreich', 'vn', '中国'],
    ['country: all 4 values are country names or codes'],
  ],
  [
    'codes of currencies',
    ['EUR', 'USD', null],
    [
      'currencyCode: all 2 values are currency codes',
      'currency: all 2 values are currency names or codes',
    ],
  ],
  [
    'names and signs of currencies',
    ['US Dollar', '€', 'Złoty'],
    ['currency: all 3 values are currency names'],
  ],
  ['units', ['Stk', 'kg', 'PAA', 'm²'], ['unit: all 4 values are units']],
  [
    'e-mail addresses',
    ["conan.o'brien@moda.pt", 'josé@tejidos.example', '采购@例子.中国'],
    ['email: all 3 values are e-mail addresses'],
  ],
  ['article numbers', ['BK-R93R-62', 'TSH-M', 'ÄRM/01', '蓝-12'], ['code: all 4 values are codes']],
  ['numbers with leading zeros', ['00042', '10115', '01067'], ['code: all 3 values are codes']],
  [
    'barcodes',
    ['4006381333931', '4012345678901'],
    ['gtin: all 2 values are GTINs', 'quantity: all 2 values are whole numbers'],
  ],
  [
    'amounts with a sign',
    ['€ 1.234,50', '99,00', '-12,5', 'Fr. 7,50'],
    ['money: all 4 values are amounts'],
  ],
  ['amounts as numbers', [12.5, 99, 3.25], ['money: all 3 values are amounts']],
  ['amounts with a gap', ['1,234.50', '99.00', 'on request'], ['money: 2 of 3 values are amounts']],
  ['quantities', ['1,200', '12', '7'], ['quantity: all 3 values are whole numbers']],
  ['weights', ['0.2505', '0.26012'], []],
  ['percentages', ['5 %', '7,5 %'], []],
  ['dates', [day('2026-11-17'), day('2026-11-18')], ['date: all 2 values are dates']],
  [
    'dates as texts, one of them missing',
    ['14.03.2026', '15.03.2026', 'offen'],
    ['date: 2 of 3 values are dates'],
  ],
  [
    'days as spreadsheets count them',
    [46_344, 46_345],
    ['quantity: all 2 values are whole numbers', 'serialDate: all 2 values are numbers of days'],
  ],
  ['yes and no', ['Y', 'N', 'Y', null], ['flag: all 3 values are true or false']],
  ['ja and nein', ['ja', 'nein'], ['flag: all 2 values are true or false']],
  ['true and false', [true, false], ['flag: all 2 values are true or false']],
  ['one number', [1, 1, 1], ['quantity: all 3 values are whole numbers']],
  [
    'sentences',
    ['Bitte mit PO-1 liefern.', 'Nothing to add here', 'x'.repeat(5_000)],
    ['text: all 3 values are texts'],
  ],
  ['a single value', ['Germany'], ['country: its only value is a country name']],
  ['nothing', [null, '', '  '], []],
  ['names', ['Moda Têxtil', "L'Atelier", '東京商会'], []],
]

describe('profileColumn', () => {
  for (const [what, cells, expected] of cases) {
    it(`recognises ${what}`, () => assert.deepEqual(recognised(cells), expected))
  }

  it('says how often a value occurs, if they are few', () => {
    const cells = ['open', 'closed', 'open', null, 'open', 'on hold', 'closed']
    assert.deepEqual(profileColumn('status', cells).counts, [
      { value: 'open', count: 3 },
      { value: 'closed', count: 2 },
      { value: 'on hold', count: 1 },
    ])
    const names = Array.from({ length: 40 }, (_, at) => `name ${at}`)
    const profile = profileColumn('name', names)
    assert.equal(profile.counts, null)
    assert.deepEqual([profile.distinct, profile.filled, profile.isUnique], [40, 40, true])
  })

  it('counts values of a kind that come after the first ones', () => {
    const cells = [...Array.from({ length: 13 }, () => 'n/a'), ...Array(487).fill('Germany')]
    const [country] = profileColumn('country', cells).recognised
    assert.deepEqual(country, {
      ...{ kind: 'country', count: 487, isAll: false },
      reason: '487 of 500 values are country names',
    })
  })

  it('finds the pattern of days that are numbers in some rows, and of numbers that are days', () => {
    assert.deepEqual(profileColumn('date', [day('2026-11-17'), 46_344, null]).datePatterns, [
      'excel',
    ])
    assert.deepEqual(profileColumn('date', [20261117, 20261118]).datePatterns, ['yyyyMMdd'])
    assert.deepEqual(profileColumn('qty', [46_344, 46_345]).datePatterns, [])
    assert.deepEqual(profileColumn('no', [100_200, 20261118]).datePatterns, [])
    const mixed = profileColumn('date', [day('2026-11-17'), '18.11.2026'])
    assert.deepEqual(mixed.datePatterns, ['dd.MM.yyyy'])
    assert.equal(mixed.isDate, false)
  })

  it('takes amounts from the type that a database declares', () => {
    const type = (kind: DeclaredType['kind'], scale: number | null) => ({
      ...{ kind, scale },
      isNullable: false,
    })
    const whole = 'quantity: all 2 values are whole numbers'
    const money = 'money: all 2 values are amounts'
    assert.deepEqual(recognised([10, 20], type('decimal', 4)), [money, whole])
    assert.deepEqual(recognised([10, 20], type('money', null)), [money, whole])
    assert.deepEqual(recognised([10, 20], type('whole', 0)), [whole])
    assert.deepEqual(recognised([10.5, 20.25], type('decimal', 5)), [])
  })

  it('profiles the columns that have a name', () => {
    const columns = profileTable({
      ...{ name: 'po.csv', title: 'po', from: '{ files: po.csv }', rowCount: 2, isView: false },
      columns: ['PO', ' ', 'Land'],
      rows: [
        ['P1', 'x', 'Vietnam'],
        ['P2', null, 'Türkiye'],
      ],
    })
    assert.deepEqual(
      columns.map(({ name, recognised: [first] }) => [name, first?.kind]),
      [
        ['PO', 'code'],
        ['Land', 'country'],
      ],
    )
  })

  it('takes a hostile column for what it is within a second', () => {
    const started = performance.now()
    const hostile = [
      '1'.repeat(10_000),
      `${' '.repeat(10_000)}x`,
      '('.repeat(10_000),
      '-'.repeat(200),
    ]
    const cells = Array.from({ length: 500 }, (_, at) => `${hostile[at % 4]}${at}`)
    assert.equal(profileColumn('x', cells).filled, 500)
    assert.ok(performance.now() - started < 10_000)
  })
})
