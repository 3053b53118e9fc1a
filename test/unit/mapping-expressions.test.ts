/** The expressions of a mapping that use more than one cell, or none. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type JsonValue, resourceAt, valueAt } from '#contract'
import {
  type BrandValues,
  type Cell,
  columnsOf,
  compileMapping,
  MappingError,
  parseMapping,
  withFirstCandidates,
} from '#mapping'
import { compileConvert } from '../../src/mapping/convert.ts'
import { openValuesOf } from '../../src/mapping/expression-parts.ts'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { plainFormats } from '../../src/mapping/parse-formats.ts'

const brand: BrandValues = {
  id: '0b6f7c1e-9d55-4a35-8a0c-1b6f2f6d3c11',
  slug: 'halden',
  name: 'Halden Søn & Co.',
  currency: 'NOK',
  country: 'NO',
  timezone: 'Europe/Oslo',
}

type Row = { readonly [column: string]: Cell }

const orderFields: { readonly [field: string]: string } = {
  orderNumber: 'NO',
  supplierId: '{ ref: { key: [{ value: x }] } }',
  kind: '{ value: bulk }',
  status: '{ value: draft }',
  revisionNumber: '{ value: 0 }',
  currency: '{ value: EUR }',
  orderDate: '{ value: 2026-11-18 }',
  totalQuantity: '{ value: 0 }',
  totalAmount: '{ value: 0 }',
  createdAt: 'first-seen',
  updatedAt: 'last-changed',
}

/** A mapping of orders with these fields in place of constants. */
const orders = (fields: { readonly [field: string]: string }, more = '') =>
  [
    'version: 1',
    more,
    'collections:',
    '  orders:',
    '    from: orders.csv',
    '    id: { key: [NO] }',
    '    fields:',
    ...Object.entries({ ...orderFields, ...fields }).map(
      ([name, value]) => `      ${name}: ${value}`,
    ),
  ].join('\n')

const parse = (text: string) => parseMapping({ file: 'x.map.yaml', text })

const compile = async (text: string, columns: readonly string[], options = {}) => {
  const { collections } = await parse(text)
  const [mapping] = collections
  assert.ok(mapping)
  return compileMapping(mapping, {
    resource: resourceAt(catalog, mapping.collection),
    owner: 'halden',
    columns,
    importedAt: '2026-11-18T10:00:00.000Z',
    brand,
    ...options,
  })
}

/** The value that an expression gives a field of an order, or the row's first problem. */
const madeOf = async (
  field: string,
  expression: string,
  row: Row,
  { more = '', fields = {} } = {},
): Promise<JsonValue | { readonly problem: string }> => {
  const text = orders({ ...fields, [field]: expression }, more)
  const { map } = await compile(text, ['NO', ...Object.keys(row)])
  const mapped = map(['PO-1', ...Object.values(row)])
  assert.ok(mapped)
  if ('problems' in mapped) {
    const [problem] = mapped.problems
    assert.ok(problem)
    return { problem: problem.reason }
  }
  assert.ok('value' in mapped)
  return valueAt(mapped.value, field.split('.')) as JsonValue
}

/** The problems that the parser finds in an expression. */
const problemsOf = async (field: string, expression: string, more = '') => {
  const error = await parse(orders({ [field]: expression }, more)).catch((error) => error)
  assert.ok(error instanceof MappingError, `${expression} was accepted`)
  return error.problems.map(({ message }) => message).join('\n')
}

describe('{ brand: … }', () => {
  for (const [property, expected] of Object.entries(brand)) {
    if (property === 'id') continue
    it(`is the brand's ${property}`, async () => {
      assert.equal(await madeOf('memo', `{ brand: ${property} }`, {}), expected)
    })
  }

  it("is the brand's identifier in a reference to the brand", async () => {
    const text = [
      'version: 1',
      'collections:',
      '  brand-locations:',
      '    from: x.csv',
      '    id: { key: [NO] }',
      '    fields:',
      '      brandId: { brand: id }',
      '      locationId: { ref: NO }',
      '      role: { value: warehouse }',
      '      receivesGoods: { value: true }',
      '      isDefault: { value: false }',
      '      createdAt: first-seen',
      '      updatedAt: last-changed',
    ].join('\n')
    const { map } = await compile(text, ['NO'])
    const mapped = map(['WH1'])
    assert.ok(mapped && 'value' in mapped, JSON.stringify(mapped))
    assert.equal(mapped.value['brandId'], brand.id)
  })

  it('changes by functions and values', async () => {
    assert.equal(await madeOf('memo', '{ brand: slug, apply: [upper] }', {}), 'HALDEN')
    assert.equal(await madeOf('memo', '{ brand: country, values: { NO: Norway } }', {}), 'Norway')
  })

  it('is refused with its line if the records belong to no brand', async () => {
    await assert.rejects(
      compile(orders({ currency: '{ brand: currency }' }), ['NO'], { brand: null }),
      (error) =>
        error instanceof MappingError &&
        /^x\.map\.yaml:13 \{ brand: currency \} needs records of one brand/.test(error.message),
    )
  })

  it('is refused for other properties and fields', async () => {
    assert.match(await problemsOf('currency', '{ brand: curency }'), /did you mean currency\?/)
    assert.match(await problemsOf('supplierId', '{ brand: id }'), /supplierId is a reference/)
    assert.match(await problemsOf('orderDate', '{ brand: name }'), /orderDate is a date/)
  })
})

describe('{ open: … }', () => {
  const text = orders({
    currency: '{ open: [{ value: EUR }, CURRENCY] }',
    memo: '{ open: [] }',
    incotermPlace: '{ first: [TERMS, { open: [{ value: FOB }] }] }',
  }).replace('{ key: [NO] }', '{ open: [{ key: [NO] }, { key: [NO, LINE] }] }')

  it('lists values that are not decided, with line and candidates', async () => {
    const open = openValuesOf(await parse(text))
    assert.deepEqual(
      open.map(({ collection, field, line, candidates }) => [
        collection,
        field,
        line,
        candidates.length,
      ]),
      [
        ['orders', 'id', 6, 2],
        ['orders', 'currency', 13, 2],
        ['orders', 'memo', 19, 0],
        ['orders', 'incotermPlace', 20, 1],
      ],
    )
  })

  it('becomes its first candidate, or null', async () => {
    const mapping = withFirstCandidates(await parse(text))
    assert.deepEqual(openValuesOf(mapping), [])
    const [decided] = mapping.collections
    assert.ok(decided)
    assert.deepEqual(columnsOf(decided), ['NO', 'TERMS'])
    const { map, keyOf } = compileMapping(decided, {
      resource: resourceAt(catalog, 'orders'),
      owner: 'halden',
      columns: ['NO', 'TERMS'],
      importedAt: '2026-11-18T10:00:00.000Z',
    })
    const mapped = map(['PO-1', ''])
    assert.ok(mapped && 'value' in mapped)
    const { currency, memo, incotermPlace } = mapped.value
    assert.deepEqual([currency, memo, incotermPlace], ['EUR', null, 'FOB'])
    assert.equal(keyOf('/id', ['PO-1', '']), 'PO-1')
  })

  it('needs a list, and has no default', async () => {
    assert.match(await problemsOf('currency', '{ open: EUR }'), /must be a list of possible values/)
    assert.match(await problemsOf('currency', '{ open: [], default: EUR }'), /default .* no effect/)
  })
})

describe('{ when: … }', () => {
  const status = `
        when:
          - { if: { CANCELLED: Y }, then: { value: cancelled } }
          - { if: { SHIPPED: { empty: false }, QTY: { moreThan: 0 } }, then: { value: closed } }
          - if: { QTY: { moreThan: '1000' } }
            then: ST
        else: { value: draft }`

  for (const [name, row, expected] of [
    ['is the value of the first case that is met', { CANCELLED: 'Y', QTY: '5' }, 'cancelled'],
    ['needs all conditions of a case', { SHIPPED: '2026-11-01', QTY: '1' }, 'closed'],
    ['can be a column', { QTY: '1,500.5', ST: 'Confirmed' }, 'confirmed'],
    ['is else if no case is met', { SHIPPED: '2026-11-01', QTY: '0' }, 'draft'],
    ['does not compare empty cells', { SHIPPED: '2026-11-01', QTY: null }, 'draft'],
    [
      'is a problem of the row if a cell cannot be compared',
      { SHIPPED: '2026-11-01', QTY: 'många' },
      { problem: 'is not a number such as 1,234.50' },
    ],
  ] satisfies [string, Row, JsonValue][]) {
    it(name, async () => {
      const cells: Row = { CANCELLED: null, SHIPPED: null, QTY: null, ST: null, ...(row as Row) }
      const more = "formats: { group: ',' }"
      assert.deepEqual(await madeOf('status', status, cells, { more }), expected)
    })
  }

  it('is null without else', async () => {
    const expression = '{ when: [{ if: { A: x }, then: B }] }'
    assert.equal(await madeOf('memo', expression, { A: 'y', B: 'b' }), null)
    assert.equal(
      await madeOf('memo', expression.replace(' }] }', ' }], default: d }'), { A: 'y', B: 'b' }),
      'd',
    )
  })

  it('compares days and times by the formats', async () => {
    const more =
      "timezone: Europe/Oslo\nformats: { date: dd.MM.yyyy, timestamp: 'dd.MM.yyyy HH:mm' }"
    const late = '{ when: [{ if: { A: { moreThan: 2026-11-17 } }, then: { value: late } }] }'
    assert.equal(await madeOf('memo', late, { A: '18.11.2026' }, { more }), 'late')
    assert.equal(await madeOf('memo', late, { A: '17.11.2026' }, { more }), null)
    const early =
      '{ when: [{ if: { A: { lessThan: 2026-11-17T08:00:00Z } }, then: { value: early } }] }'
    assert.equal(await madeOf('memo', early, { A: '17.11.2026 08:59' }, { more }), 'early')
    assert.equal(await madeOf('memo', early, { A: '17.11.2026 09:00' }, { more }), null)
    assert.equal(await madeOf('memo', early, { A: new Date('2026-11-17T07:00Z') }), 'early')
  })

  it('reports problems with the column and the line of the case', async () => {
    const text = orders({
      status,
      totalAmount: `\n        when:\n          - { if: { QTY: '7' }, then: X }\n        else: { value: 0 }`,
    })
    const { map } = await compile(text, ['NO', 'CANCELLED', 'SHIPPED', 'QTY', 'ST', 'X'])
    const bad = map(['PO-1', '', 'x', '?', '', ''])
    const wrong = map(['PO-1', '', '', '7', '', 'x1'])
    const places = [bad, wrong].map((mapped) => {
      assert.ok(mapped && 'problems' in mapped)
      return mapped.problems.map((each) => [each.column, each.value, each.mappingLine])
    })
    assert.deepEqual(places, [[['QTY', '?', 14]], [['X', 'x1', 24]]])
  })

  it('is part of keys, texts and numbers', async () => {
    const expression = '{ join: [A, { when: [{ if: { B: y }, then: { value: Ü } }] }] }'
    assert.equal(await madeOf('memo', expression, { A: 'a', B: 'y' }), 'a Ü')
  })

  it('is refused with its line if a case is not complete', async () => {
    for (const [expression, expected] of [
      ['{ when: [{ if: { A: x } }] }', /has no then/],
      ['{ when: [{ then: A }] }', /has no if/],
      ['{ when: [{ if: {}, then: A }] }', /has no conditions/],
      ['{ when: [] }', /has no cases/],
      ['{ when: [A] }', /must have settings: if, then/],
      ['{ column: A, else: B }', /else of memo has no effect/],
      ['{ when: [{ if: { A: { moreThan: yesterday } }, then: A }] }', /moreThan must be a number/],
      ['{ when: [{ if: { A: { morethan: 1 } }, then: A }] }', /did you mean moreThan/],
    ] as const) {
      assert.match(await problemsOf('memo', expression), expected)
    }
  })
})

describe('where and remove', () => {
  it('compare numbers and days', async () => {
    const text = orders({}).replace(
      '    fields:',
      '    where: { QTY: { moreThan: 0 } }\n    remove: { GONE: { lessThan: 2026-11-18 } }\n    fields:',
    )
    const { map } = await compile(text, ['NO', 'QTY', 'GONE'])
    assert.equal(map(['PO-1', '0', null]), null)
    assert.ok('value' in (map(['PO-1', '0.5', '2026-11-18']) ?? {}))
    assert.ok('removal' in (map(['PO-1', '1', '2026-11-17']) ?? {}))
    const refused = map(['PO-1', 'eins', null])
    assert.ok(refused && 'problems' in refused)
    assert.deepEqual(refused.problems, [
      {
        field: '',
        column: 'QTY',
        mappingLine: 7,
        value: 'eins',
        reason: 'is not a number such as 1234.50',
      },
    ])
  })
})

describe('arithmetic', () => {
  for (const [name, field, expression, row, expected] of [
    ['adds exactly', 'totalAmount', '{ sum: [A, B] }', { A: '0.1', B: '0.2' }, '0.3'],
    [
      'subtracts all others',
      'totalAmount',
      '{ difference: [A, B, C] }',
      { A: 10, B: '2.5', C: 1n },
      '6.5',
    ],
    [
      'multiplies exactly',
      'totalAmount',
      '{ product: [A, B] }',
      { A: '19.99', B: '1200' },
      '23988',
    ],
    [
      'divides exactly if it can',
      'totalAmount',
      '{ quotient: [A, B] }',
      { A: '1', B: '8' },
      '0.125',
    ],
    [
      'divides to 20 places',
      'totalAmount',
      '{ quotient: [A, B] }',
      { A: '-2', B: '3' },
      '-0.66666666666666666666',
    ],
    [
      'nests',
      'overTolerancePercent',
      '{ quotient: [{ difference: [LIST, NET] }, LIST], unit: fraction, round: 2 }',
      { LIST: '29.90', NET: '19.90' },
      '33.44',
    ],
    [
      'has constants',
      'totalAmount',
      '{ product: [A, { difference: [{ value: 1 }, B] }] }',
      { A: '80', B: '0.25' },
      '60',
    ],
    ['is empty if a cell is', 'exchangeRate', '{ sum: [A, B] }', { A: '1', B: ' ' }, null],
    [
      'counts an empty cell by default',
      'exchangeRate',
      '{ sum: [A, { column: B, default: 0 }] }',
      { A: '1', B: ' ' },
      '1',
    ],
    ['has a default', 'exchangeRate', '{ sum: [A, B], default: 7 }', { A: '1', B: null }, '7'],
    [
      'is a whole number for such fields',
      'totalQuantity',
      '{ product: [A, B] }',
      { A: '2.5', B: '4' },
      10,
    ],
    [
      'is not cut to a whole number',
      'totalQuantity',
      '{ product: [A, B] }',
      { A: '2.5', B: '3' },
      { problem: 'is not a whole number' },
    ],
    [
      'rounds to a whole number',
      'totalQuantity',
      '{ product: [A, B], round: 0 }',
      { A: '2.5', B: '3' },
      8,
    ],
    [
      'refuses to divide by zero',
      'totalAmount',
      '{ quotient: [A, B] }',
      { A: '1', B: '0.00' },
      { problem: 'is divided by zero' },
    ],
    [
      'refuses a text',
      'totalAmount',
      '{ sum: [A, B] }',
      { A: '1', B: 'zwölf' },
      { problem: 'is not a number such as 1234.50' },
    ],
    [
      'bounds digits',
      'totalAmount',
      '{ product: [A, A, A] }',
      { A: '9'.repeat(40) },
      { problem: 'becomes a number with more than 100 digits' },
    ],
    [
      'bounds places',
      'totalAmount',
      '{ product: [A, A, A] }',
      { A: `0.${'0'.repeat(39)}1` },
      { problem: 'becomes a number with more than 100 digits' },
    ],
    [
      'is part of a text',
      'memo',
      '{ join: [{ sum: [A, B] }, { value: EUR }] }',
      { A: '1', B: '2' },
      '3 EUR',
    ],
    [
      'is part of an object',
      'customFields',
      '{ object: { margin: { difference: [A, B] } } }',
      { A: '5', B: '2' },
      { margin: '3' },
    ],
    [
      'is the value of a case',
      'totalAmount',
      '{ when: [{ if: { A: { moreThan: 0 } }, then: { quotient: [B, A] } }], else: { value: 0 }, round: 1 }',
      { A: '3', B: '2' },
      '0.7',
    ],
    [
      'reads numbers by the formats',
      'totalAmount',
      "{ sum: [{ column: A, decimal: ',', group: '.' }, B] }",
      { A: '1.234,50', B: '0.5' },
      '1235',
    ],
  ] satisfies [string, string, string, Row, JsonValue][]) {
    it(name, async () => assert.deepEqual(await madeOf(field, expression, row), expected))
  }

  it('names the cell that is not a number', async () => {
    const { map } = await compile(orders({ totalAmount: '{ sum: [A, B] }' }), ['NO', 'A', 'B'])
    const mapped = map(['PO-1', '1', 'zwölf'])
    assert.ok(mapped && 'problems' in mapped)
    const [problem] = mapped.problems
    assert.deepEqual([problem?.column, problem?.value, problem?.mappingLine], ['B', 'zwölf', 16])
  })

  it('is refused where it cannot be meant', async () => {
    assert.match(
      await problemsOf('memo', '{ sum: [A, B] }'),
      /sum makes a number, and memo is a text/,
    )
    assert.match(await problemsOf('totalAmount', '{ sum: [A] }'), /needs two numbers or more/)
    assert.match(await problemsOf('totalAmount', '{ difference: [1, A] }'), /write \{ value: 1 \}/)
    assert.match(
      await problemsOf('totalAmount', '{ sum: [A, B], product: [A, B] }'),
      /sum and product/,
    )
    assert.match(
      await problemsOf('totalAmount', '{ sum: [A, B], values: { A: 1 } }'),
      /values .* no effect/,
    )
  })
})

describe('round', () => {
  for (const [name, expression, cell, expected, currency] of [
    ['rounds halves away from zero', '{ column: A, round: 2 }', '2.345', '2.35'],
    ['rounds negative halves away from zero', '{ column: A, round: 2 }', '-2.345', '-2.35'],
    ['writes all places', '{ column: A, round: 2 }', '525', '525.00'],
    ['has no negative zero', '{ column: A, round: 2 }', '-0.001', '0.00'],
    ['comes after a factor', '{ column: A, multiply: 0.01, round: 1 }', '12345', '123.5'],
    ['takes the digits of the euro', '{ column: A, round: currency }', '1.005', '1.01'],
    ['takes the digits of the yen', '{ column: A, round: currency }', '1234.5', '1235', 'JPY'],
    [
      'takes the digits of the Kuwaiti dinar',
      '{ column: A, round: currency }',
      '1.0005',
      '1.001',
      'KWD',
    ],
  ] satisfies [string, string, string, string, string?][]) {
    it(name, async () => {
      const fields = { currency: '{ column: CUR, default: EUR }' }
      const row = { A: cell, CUR: currency ?? null }
      assert.equal(await madeOf('totalAmount', expression, row, { fields }), expected)
    })
  }

  it('uses the brand’s currency if the record has none', async () => {
    const text = lines('unitPriceBase: { product: [A, B], round: currency }')
    for (const [currency, expected] of [
      ['JPY', '21'],
      ['NOK', '20.63'],
    ]) {
      const { map } = await compile(text, ['NO', 'A', 'B'], { brand: { ...brand, currency } })
      const mapped = map(['7', '1.65', '12.5'])
      assert.ok(mapped && 'value' in mapped)
      assert.equal(mapped.value['unitPriceBase'], expected)
    }
    const { map } = await compile(text, ['NO', 'A', 'B'], { brand: null })
    const mapped = map(['7', '1.65', '12.5'])
    assert.ok(mapped && 'problems' in mapped)
    assert.match(mapped.problems[0]?.reason ?? '', /no currency to round to/)
  })

  it('is refused with a wrong number of places', async () => {
    for (const round of ['21', '-1', '1.5', 'EUR', '[2]']) {
      assert.match(
        await problemsOf('totalAmount', `{ column: A, round: ${round} }`),
        /from 0 to 20, or currency/,
      )
    }
    assert.match(await problemsOf('totalQuantity', '{ column: A, round: 2 }'), /round: 0/)
    assert.match(
      await problemsOf('memo', '{ column: A, round: 2 }'),
      /round is for a whole number or a number/,
    )
  })
})

/** A mapping of order lines with a field. */
const lines = (field: string) =>
  [
    'version: 1',
    'collections:',
    '  order-items:',
    '    from: lines.csv',
    '    id: { key: [NO] }',
    '    fields:',
    '      orderId: { ref: NO }',
    '      qty: { value: 1 }',
    `      ${field}`,
    '      createdAt: first-seen',
    '      updatedAt: last-changed',
  ].join('\n')

describe('a unit by row', () => {
  const weigh = (expression: string, row: Row) => madeOf('exchangeRate', expression, row)
  for (const [name, unit, expected] of [
    ['is a name of the table', 'g', '1.25'],
    ['is a name in English', 'Pounds', '566.9904625'],
    ['is a name in German', 'Kilogramm', '1250'],
    ['is a code', 'KGM', '1250'],
    [
      'is a problem if it is not known',
      'Scheffel',
      { problem: /unit "Scheffel", which is not known/ },
    ],
    ['is a problem if it measures something else', 'cm', { problem: /is not converted to kg/ }],
    ['is a problem if it is empty', ' ', { problem: /has no unit/ }],
  ] satisfies [string, string, string | { problem: RegExp }][]) {
    it(name, async () => {
      const made = await weigh('{ column: W, unit: { from: { column: UOM }, to: kg } }', {
        W: '1250',
        UOM: unit,
      })
      if (typeof expected === 'string') assert.equal(made, expected)
      else assert.match((made as { problem: string }).problem, expected.problem)
    })
  }

  it('has values of its own, a factor and rounding', async () => {
    const expression =
      '{ column: W, unit: { from: { column: UOM, values: { 1: lb, 2: oz } }, to: kg }, multiply: 10, round: 3 }'
    assert.equal(await weigh(expression, { W: '3', UOM: '2' }), '0.850')
    assert.equal(
      await weigh('{ product: [W, W], unit: { from: { column: UOM }, to: pieces } }', {
        W: '3',
        UOM: 'Dutzend',
      }),
      '108',
    )
  })

  it('needs to know the unit of the field', async () => {
    assert.match(
      await problemsOf('totalQuantity', '{ column: W, unit: { from: { column: U } } }'),
      /needs to: with one of kg, cm/,
    )
    assert.match(
      await problemsOf('totalQuantity', '{ column: W, unit: { from: { column: U }, to: piece } }'),
      /did you mean pieces/,
    )
    assert.match(
      await problemsOf('totalAmount', '{ column: W, unit: { from: { column: U }, to: kg } }'),
      /totalAmount is in money, not in "kg"/,
    )
    assert.match(
      await problemsOf('totalQuantity', '{ column: W, unit: { to: kg } }'),
      /has no from/,
    )
  })
})

describe('code', () => {
  for (const [name, expression, cell, expected] of [
    ['finds the code of a name', '{ column: A, code: country }', 'Deutschland', 'DE'],
    ['finds the code of a code', '{ column: A, code: currency }', ' usd ', 'USD'],
    ['finds the code of a unit', '{ column: A, code: unit }', 'Kilogramm', 'KGM'],
    ['takes values first', '{ column: A, code: country, values: { UK: XI } }', 'UK', 'XI'],
    [
      'comes after functions',
      "{ column: A, apply: [{ before: ' (' }], code: country }",
      'Österreich (EU)',
      'AT',
    ],
    [
      'has a value for texts that it does not know',
      '{ column: A, code: country, otherwise: ZZ }',
      'Atlantis',
      'ZZ',
    ],
    ['has a default', '{ column: A, code: country, default: NO }', ' ', 'NO'],
    ['reads the first of several', '{ first: [B, A], code: currency }', 'Euro', 'EUR'],
    [
      'is a problem of the row for other texts',
      '{ column: A, code: country }',
      'Atlantis',
      {
        problem:
          "is not the name or the code of a country: say what it means with values: { 'Atlantis': … }",
      },
    ],
    [
      'is a problem if several are meant',
      '{ column: A, code: currency, default: EUR }',
      'Dollar',
      {
        problem:
          "is not the name or the code of a currency: say what it means with values: { 'Dollar': … }",
      },
    ],
  ] satisfies [string, string, string, JsonValue][]) {
    it(name, async () => {
      assert.deepEqual(await madeOf('incotermPlace', expression, { A: cell, B: null }), expected)
    })
  }

  it('is refused for other kinds and fields', async () => {
    assert.match(await problemsOf('memo', '{ column: A, code: countries }'), /did you mean country/)
    assert.match(
      await problemsOf('orderDate', '{ column: A, code: country }'),
      /code is for a text/,
    )
    assert.match(await problemsOf('memo', '{ sum: [A, B], code: country }'), /makes a number/)
  })
})

describe('lists', () => {
  const more = 'lists:\n  state: { A: confirmed, X: cancelled }\n  season: { 1: Frühjahr }'

  it('are used by name', async () => {
    const expression = '{ column: A, values: state, otherwise: draft }'
    assert.equal(await madeOf('status', expression, { A: 'x' }, { more }), 'cancelled')
    assert.equal(await madeOf('status', expression, { A: 'y' }, { more }), 'draft')
    assert.equal(
      await madeOf('memo', '{ column: A, values: season }', { A: '1' }, { more }),
      'Frühjahr',
    )
  })

  it('are checked against each field that uses them, with the line of the value', async () => {
    const error = await parse(orders({ status: '{ column: A, values: season }' }, more)).catch(
      (error) => error,
    )
    assert.ok(error instanceof MappingError)
    assert.deepEqual(
      error.problems.map(({ line }) => line),
      [4],
    )
    assert.match(error.message, /"Frühjahr" is not a value of status/)
  })

  it('are refused without such a name, or without values', async () => {
    assert.match(
      await problemsOf('memo', '{ column: A, values: saeson }', more),
      /did you mean season/,
    )
    assert.match(
      await problemsOf('memo', '{ column: A, values: season }'),
      /must be a list of texts/,
    )
    assert.match(
      await problemsOf('memo', 'A', 'lists: { season: [1] }'),
      /list "season" must have texts/,
    )
    assert.match(
      await problemsOf('memo', 'A', 'lists: [1]'),
      /lists must have a list for each name/,
    )
  })
})

describe('functions', () => {
  for (const [name, call, text, expected] of [
    [
      'lastWord takes what comes after the last space',
      'lastWord',
      'Ana María de la\u00a0Ruiz ',
      'Ruiz',
    ],
    ['lastWord takes the only word', 'lastWord', '李', '李'],
    ['part counts from 1', "{ part: ['-', 1] }", 'TSH-001-M', 'TSH'],
    ['part counts from the end', "{ part: ['-', -1] }", 'TSH-001- M', 'M'],
    ['part is empty if there are fewer', "{ part: ['-', 4] }", 'TSH-001-M', null],
    ['part is empty if there are fewer from the end', "{ part: ['-', -4] }", 'TSH-001-M', null],
    ['part takes a text of several signs', "{ part: [' / ', 2] }", 'Größe / 38 / L', '38'],
    ['part does not read patterns', "{ part: ['.', 2] }", 'a.b', 'b'],
  ] as const) {
    it(name, async () => {
      assert.equal(await madeOf('memo', `{ column: A, apply: [${call}] }`, { A: text }), expected)
    })
  }

  it('are refused with wrong arguments', async () => {
    for (const call of ["{ part: ['-', 0] }", "{ part: ['-'] }", "{ part: ['-', 1.5] }"]) {
      assert.match(
        await problemsOf('memo', `{ column: A, apply: [${call}] }`),
        /write \{ part: \['-', 2\] \}/,
      )
    }
  })
})

describe('a reference', () => {
  const idOf = (...key: readonly string[]) => naturalId('halden', 'suppliers', key)
  for (const [name, key, row, expected] of [
    ['of constants only is there', '[{ value: own }, { value: WH1 }]', {}, idOf('own', 'WH1')],
    [
      'of the brand and a constant is there',
      '[{ brand: slug }, { value: WH1 }]',
      {},
      idOf('halden', 'WH1'),
    ],
    [
      'of a constant and a column is there',
      '[{ value: own }, A]',
      { A: 'WH1' },
      idOf('own', 'WH1'),
    ],
    ['of a constant and an empty column is null', '[{ value: own }, A]', { A: ' ' }, null],
    ['of the brand and an empty column is null', '[{ brand: slug }, A]', { A: ' ' }, null],
  ] satisfies [string, string, Row, JsonValue][]) {
    it(name, async () => {
      const { map } = await compile(orders({ supplierId: `{ ref: { key: ${key} } }` }), [
        'NO',
        ...Object.keys(row),
      ])
      const mapped = map(['PO-1', ...Object.values(row)])
      assert.ok(mapped)
      if (expected === null) {
        assert.ok('problems' in mapped)
        assert.match(
          mapped.problems[0]?.reason ?? '',
          /^is empty, and supplierId must have a value/,
        )
      } else assert.equal('value' in mapped && mapped.value['supplierId'], expected)
    })
  }
})

it('an array of several dimensions is not a list of texts', () => {
  const read = compileConvert({
    as: 'texts',
    isPercent: false,
    knownValues: null,
    formats: plainFormats,
  })
  for (const text of ['{{GOTS,OCS},{GRS,"Öko-Tex"}}', '[0:1]={GOTS,OCS}']) {
    assert.throws(() => read(text), /is an array of several dimensions/)
  }
  assert.deepEqual(read('GOTS {2024}'), ['GOTS {2024}'])
})
