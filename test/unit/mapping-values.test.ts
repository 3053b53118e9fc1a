/** How a mapping reads numbers, days and times. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { type Cell, CivilTime, compileMapping, parseMapping } from '#mapping'
import { plainFormats } from '../../src/mapping/parse-formats.ts'
import { compileRank } from '../../src/mapping/rank.ts'

const resource = resourceAt(catalog, 'orders')

/** Maps one cell to one field of an order. */
const read = async (
  field: string,
  expression: string,
  cell: Cell,
  formats = '{}',
): Promise<unknown> => {
  const required = [
    'orderNumber: { value: x }',
    'supplierId: { ref: { key: [{ value: x }] } }',
    'kind: { value: bulk }',
    'status: { value: draft }',
    'revisionNumber: { value: 0 }',
    'currency: { value: EUR }',
    'orderDate: { value: 2026-01-01 }',
    'totalQuantity: { value: 0 }',
    'totalAmount: { value: 0 }',
    'createdAt: first-seen',
    'updatedAt: last-changed',
  ].filter((line) => !line.startsWith(`${field}:`))
  const text = [
    'version: 1',
    'timezone: Europe/Berlin',
    `formats: ${formats}`,
    'collections:',
    '  orders:',
    '    from: x.csv',
    '    id: { key: [{ value: x }] }',
    '    fields:',
    ...required.map((line) => `      ${line}`),
    `      ${field}: ${expression}`,
  ].join('\n')
  const { collections } = await parseMapping({ file: 'x.map.yaml', text })
  const [mapping] = collections
  assert.ok(mapping)
  const mapper = compileMapping(mapping, {
    resource,
    owner: 'halden',
    columns: ['C'],
    importedAt: '2026-11-16T10:00:00.000Z',
  })
  const mapped = mapper.map([cell])
  assert.ok(mapped)
  if ('problems' in mapped) {
    const [problem] = mapped.problems
    assert.ok(problem)
    assert.equal(problem.column, 'C')
    return problem.reason
  }
  assert.ok('value' in mapped)
  return field.split('.').reduce<unknown>((value, name) => (value as never)[name], mapped.value)
}

const german = "{ decimal: ',', group: '.' }"

describe('a number', () => {
  for (const [formats, cell, expected] of [
    ['{}', '1234.50', '1234.50'],
    ['{}', ' 0012.5 ', '12.5'],
    ['{}', '-0.00', '0.00'],
    ['{}', '.5', '0.5'],
    ['{}', '5.', '5'],
    ['{}', '+7', '7'],
    ['{}', '12.50-', '-12.50'],
    ['{}', '(12.50)', '-12.50'],
    ['{}', '1 234 567.8', '1234567.8'],
    ['{}', '1\u00a0234', '1234'],
    ['{}', "1'234.50", '1234.50'],
    ['{}', '$1234.50', '1234.50'],
    ['{}', 'USD 12', '12'],
    ['{}', '-€ 12', '-12'],
    ['{}', '€ -12', '-12'],
    ['{}', '12 EUR', '12'],
    ["{ group: ',' }", '1,234,567.80', '1234567.80'],
    ["{ group: ',' }", '12,34,567', '1234567'],
    [german, '1.234,50', '1234.50'],
    [german, '1234,50', '1234.50'],
    [german, '1.234.567', '1234567'],
    [german, '1.234,50 €', '1234.50'],
    [german, '1.234,50-', '-1234.50'],
    ['{}', 1234.5, '1234.5'],
    ['{}', 0.1 + 0.2, '0.3'],
    ['{}', 1e-7, '0.0000001'],
    ['{}', -0, '0'],
    ['{}', 12n, '12'],
  ] as const) {
    it(`written ${typeof cell === 'string' ? JSON.stringify(cell) : cell} with ${formats} is ${expected}`, async () => {
      assert.equal(await read('totalAmount', 'C', cell, formats), expected)
    })
  }

  for (const [formats, cell, expected] of [
    ['{}', '1,234', /set decimal: ',' if it is the decimal sign, or group: ','/],
    ['{}', '12,50', /which is neither the decimal sign "\." nor a group sign/],
    ["{ decimal: ',' }", '1.234,50', /group: '\.' if it separates thousands/],
    [german, '12.5', /where no group of three digits ends/],
    [german, '1,5,5', /more than one decimal sign/],
    ['{}', '1.2.3', /more than one decimal sign/],
    ['{}', '1.23E+5', /scientific notation/],
    ['{}', 'n/a', /is not a number such as 1234.50/],
    [german, 'n/a', /is not a number such as 1\.234,50/],
    ['{}', '-12-', /is not a number/],
    ['{}', '(12', /is not a number/],
    ['{}', '5 %', /percent sign/],
  ] as const) {
    it(`written ${JSON.stringify(cell)} with ${formats} is refused`, async () => {
      assert.match(String(await read('totalAmount', 'C', cell, formats)), expected)
    })
  }

  it('with places that are zero can be a whole number', async () => {
    assert.equal(await read('totalQuantity', 'C', '120,000', german), 120)
    assert.equal(await read('totalQuantity', 'C', '1.120,000', german), 1120)
    assert.equal(await read('totalQuantity', 'C', 5), 5)
    assert.equal(await read('totalQuantity', 'C', '120,500', german), 'is not a whole number')
  })

  it('of a percentage can have a percent sign', async () => {
    assert.equal(await read('overTolerancePercent', 'C', '5,5 %', german), '5.5')
  })

  it('is converted by units and factors exactly', async () => {
    assert.equal(await read('overTolerancePercent', '{ column: C, unit: fraction }', '0.05'), '5')
    assert.equal(await read('totalAmount', '{ column: C, multiply: 0.01 }', '123456'), '1234.56')
    assert.equal(
      await read('totalAmount', '{ column: C, unit: cents, multiply: -1 }', '5'),
      '-0.05',
    )
    assert.equal(await read('totalQuantity', '{ column: C, unit: dozens }', '2.5'), 30)
  })
})

describe('a date', () => {
  for (const [pattern, cell, expected] of [
    ['dd.MM.yyyy', '14.03.2026', '2026-03-14'],
    ['dd.MM.yyyy', '1.3.2026', '2026-03-01'],
    ['DD.MM.YYYY', '14.03.2026', '2026-03-14'],
    ['MM/dd/yyyy', '03/14/2026', '2026-03-14'],
    ['M/d/yy', '3/14/26', '2026-03-14'],
    ['dd.MM.yy', '14.03.99', '1999-03-14'],
    ['yyyyMMdd', '20260314', '2026-03-14'],
    ['dd-MMM-yyyy', '14-Mar-2026', '2026-03-14'],
    ['d. MMM yyyy', '14. März 2026', '2026-03-14'],
    ['dd.MM.yyyy HH:mm:ss', '14.03.2026 00:00:00', '2026-03-14'],
    ['excel', '46095', '2026-03-14'],
    ['yyyyMMdd', '00000000', null],
    ['dd.MM.yyyy', '00.00.0000', null],
    ['[dd.MM.yyyy, yyyy-MM-dd]', '2026-03-14', '2026-03-14'],
    ['yyyy-MM-dd', '2024-02-29', '2024-02-29'],
  ] as const) {
    it(`written ${cell} as ${pattern} is ${expected}`, async () => {
      const list = pattern.startsWith('[') ? pattern : `'${pattern}'`
      const value = await read('requestedDeliveryDate', `{ column: C, date: ${list} }`, cell)
      assert.equal(value, expected)
    })
  }

  it('of a spreadsheet or a database needs no pattern', async () => {
    assert.equal(await read('orderDate', 'C', new CivilTime('2026-03-14')), '2026-03-14')
    assert.equal(await read('orderDate', 'C', new CivilTime('2026-03-14T23:59:00')), '2026-03-14')
    // 23:30 in UTC is the next day in Berlin.
    assert.equal(await read('orderDate', 'C', new Date('2026-03-13T23:30:00Z')), '2026-03-14')
    assert.equal(await read('orderDate', 'C', '2026-03-13T23:30:00Z'), '2026-03-14')
  })

  for (const [pattern, cell, expected] of [
    ['dd.MM.yyyy', '31.02.2026', 'is not a day of the calendar (dd.MM.yyyy)'],
    ['dd.MM.yyyy', '14.13.2026', 'has no month 13 (dd.MM.yyyy)'],
    ['dd.MM.yyyy', '2026-03-14', 'is not of the form dd.MM.yyyy'],
    [
      'dd.MM.yyyy',
      '14.03.2026 00:00',
      'is longer than the form dd.MM.yyyy, which ends before " 00:00"',
    ],
    ['dd.MM.yyyy', '14.03.26', 'is not of the form dd.MM.yyyy'],
  ] as const) {
    it(`written ${cell} is refused as ${pattern}`, async () => {
      assert.equal(await read('orderDate', `{ column: C, date: ${pattern} }`, cell), expected)
    })
  }

  it('that is a number is refused without a pattern that says what it counts', async () => {
    assert.match(String(await read('orderDate', 'C', 46095)), /set its pattern to excel/)
  })
})

describe('a time', () => {
  const pattern = "{ column: C, timestamp: 'dd.MM.yyyy HH:mm' }"
  for (const [name, expression, cell, expected] of [
    ['in winter', pattern, '14.01.2026 09:30', '2026-01-14T08:30:00.000Z'],
    ['in summer', pattern, '14.07.2026 09:30', '2026-07-14T07:30:00.000Z'],
    ['of many years ago', pattern, '14.07.1996 09:30', '1996-07-14T07:30:00.000Z'],
    [
      'that clocks skip, moved by what they skip',
      pattern,
      '29.03.2026 02:30',
      '2026-03-29T01:30:00.000Z',
    ],
    ['just before clocks skip', pattern, '29.03.2026 01:59', '2026-03-29T00:59:00.000Z'],
    ['just after clocks skip', pattern, '29.03.2026 03:00', '2026-03-29T01:00:00.000Z'],
    ['that clocks show twice, the first', pattern, '25.10.2026 02:30', '2026-10-25T00:30:00.000Z'],
    ['after clocks showed an hour twice', pattern, '25.10.2026 03:00', '2026-10-25T02:00:00.000Z'],
    ['on the day before', pattern, '24.10.2026 23:30', '2026-10-24T21:30:00.000Z'],
    [
      'in a zone of its own',
      `{ column: C, timestamp: 'dd.MM.yyyy HH:mm', timezone: Asia/Kolkata }`,
      '14.01.2026 09:30',
      '2026-01-14T04:00:00.000Z',
    ],
    [
      'with an offset',
      `{ column: C, timestamp: 'yyyy-MM-dd HH:mm:ssXXX' }`,
      '2026-01-14 09:30:00+05:30',
      '2026-01-14T04:00:00.000Z',
    ],
    [
      'with AM and PM',
      `{ column: C, timestamp: 'MM/dd/yyyy hh:mm a' }`,
      '01/14/2026 12:05 AM',
      '2026-01-13T23:05:00.000Z',
    ],
    ['as seconds', '{ column: C, timestamp: epoch }', '1768381800', '2026-01-14T09:10:00.000Z'],
    [
      'as milliseconds',
      '{ column: C, timestamp: epochMs }',
      1768381800000,
      '2026-01-14T09:10:00.000Z',
    ],
    ['of ISO 8601 without an offset', 'C', '2026-01-14T09:30:00', '2026-01-14T08:30:00.000Z'],
    ['of ISO 8601 with one', 'C', '2026-01-14T09:30:00.5Z', '2026-01-14T09:30:00.500Z'],
    ['that is only a day, at its beginning', 'C', '2026-01-14', '2026-01-13T23:00:00.000Z'],
    ['of a database', 'C', new Date('2026-01-14T09:30:00Z'), '2026-01-14T09:30:00.000Z'],
    ['of a spreadsheet', 'C', new CivilTime('2026-01-14T09:30:00'), '2026-01-14T08:30:00.000Z'],
  ] as const) {
    it(`${name}`, async () => {
      assert.equal(await read('closedAt', expression, cell), expected)
    })
  }
})

describe('how new a row is', () => {
  const day = { date: ['dd.MM.yyyy'] }
  const march = String(Date.UTC(2026, 2, 14))
  for (const [name, formats, cell, expected] of [
    ['a number of many digits', {}, '20260314093000123', '20260314093000123'],
    ['a number of a database', {}, 9_223_372_036_854_775_807n, '9223372036854775807'],
    ['a number as the file writes it', { decimal: ',', group: '.' }, '1.234,5', '1234.5'],
    ['a number beside dates', day, '17', '17'],
    ['a time of a database', {}, new Date('2026-03-14T00:00:00Z'), march],
    ['a time of a spreadsheet', {}, new CivilTime('2026-03-14T00:00:00'), march],
    ['a time with an offset', {}, '2026-03-14T01:00:00+01:00', march],
    ['a day', {}, '2026-03-14', march],
    ['a day as the file writes it', day, '14.03.2026', march],
    ['a day beside times', { ...day, timestamp: ['dd.MM.yyyy HH:mm'] }, '14.03.2026', march],
    ['a day that is none yet', day, '00.00.0000', null],
    ['an empty cell', {}, ' ', null],
  ] as const) {
    it(`follows ${name}`, () => {
      assert.equal(compileRank({ ...plainFormats, ...formats })(cell), expected)
    })
  }

  it('does not follow another text', () => {
    const rankOf = compileRank({ ...plainFormats, ...day })
    for (const cell of ['recently', true, '31.02.2026'])
      assert.throws(() => rankOf(cell), /neither a time nor a number/)
  })
})

describe('a text that is too long is refused before it is read', () => {
  for (const [name, field, expression, cell, expected] of [
    [
      'a number',
      'totalAmount',
      'C',
      `1${' '.repeat(12_000)}x`,
      'has 12,002 characters; a number has at most 100',
    ],
    [
      'a whole number',
      'totalQuantity',
      'C',
      '7'.repeat(101),
      'has 101 characters; a number has at most 100',
    ],
    [
      'a date',
      'orderDate',
      "{ column: C, date: 'dd.MM.yyyy' }",
      '0'.repeat(60_000),
      'has 60,000 characters; a time has at most 100',
    ],
    [
      'a time',
      'closedAt',
      'C',
      `2026-01-14${' '.repeat(100)}x`,
      'has 111 characters; a time has at most 100',
    ],
    [
      'a text',
      'orderNumber',
      'C',
      'x'.repeat(262_145),
      'has 262,145 characters; a cell has at most 262,144',
    ],
    [
      'a function',
      'orderNumber',
      "{ column: C, apply: [{ replace: ['a', 'aa'] }, { replace: ['a', 'aa'] }] }",
      'a'.repeat(100_000),
      'becomes longer than a cell by replace',
    ],
    [
      'a joined text',
      'orderNumber',
      '{ join: [C, C] }',
      'x'.repeat(200_000),
      'joins to more than a record can have',
    ],
  ] as const) {
    it(name, async () => {
      assert.equal(await read(field, expression, cell), expected)
    })
  }

  it('but not a text of the longest record', async () => {
    const text = 'x'.repeat(262_144)
    assert.equal(await read('orderNumber', 'C', text), text)
  })
})

describe('names and texts of JavaScript mean themselves', () => {
  it('in the second text of replace', async () => {
    const expression = "{ column: C, apply: [{ replace: ['b', 'USD$$[$&]'] }] }"
    assert.equal(await read('orderNumber', expression, 'b'), 'USD$$[$&]')
  })

  it('in names of an object', async () => {
    const expression = '{ object: { __proto__: C, constructor: C } }'
    const value = await read('customFields', expression, 'x')
    assert.equal(JSON.stringify(value), '{"__proto__":"x","constructor":"x"}')
  })

  for (const column of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
    it(`as a column: ${column}`, async () => {
      await assert.rejects(read('orderNumber', column, 'x'), /no column/)
    })
  }
})
