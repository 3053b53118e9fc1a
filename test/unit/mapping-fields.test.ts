/** How a mapping makes fields of the cells of rows. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type JsonValue, resourceAt, valueAt } from '#contract'
import {
  type Cell,
  CivilTime,
  ColumnError,
  cellsOf,
  columnsOf,
  compileMapping,
  mappingsFor,
  parseMapping,
} from '#mapping'
import { naturalId } from '../../src/mapping/natural-id.ts'

const importedAt = '2026-11-16T10:00:00.000Z'

const compile = async (yaml: string, columns: readonly string[]) => {
  const { collections } = await parseMapping({ file: 'x.map.yaml', text: `version: 1\n${yaml}` })
  const [mapping] = collections
  assert.ok(mapping)
  const resource = resourceAt(catalog, mapping.collection)
  return { mapping, ...compileMapping(mapping, { resource, owner: 'halden', columns, importedAt }) }
}

const tag = (fields: string, more = '') => `
collections:
  tags:
    from: tags.csv
    ${more}
    id: { key: [NO] }
    fields:
      ${fields}
      createdAt: first-seen
      updatedAt: last-changed
`

const valueOfRow = async (
  yaml: string,
  row: { readonly [column: string]: Cell },
): Promise<JsonValue> => {
  const { map } = await compile(yaml, Object.keys(row))
  const mapped = map(Object.values(row))
  assert.ok(mapped && 'value' in mapped, JSON.stringify(mapped))
  return mapped.value
}

describe('a field', () => {
  for (const [name, expression, row, expected] of [
    ['is the text of a column, without spaces around it', 'A', { A: '  Spring ' }, 'Spring'],
    ['is a number of a spreadsheet as text', 'A', { A: 42 }, '42'],
    ['is a constant', '{ value: fixed }', {}, 'fixed'],
    ['keeps the digits of a constant', '{ value: 0042 }', {}, '0042'],
    [
      'joins the columns that are not empty',
      "{ join: [A, B, C], with: ' / ' }",
      { A: 'x', B: '', C: 'z' },
      'x / z',
    ],
    [
      'is the first of several columns that is not empty',
      '{ first: [A, B, C] }',
      { A: null, B: ' ', C: 'z' },
      'z',
    ],
    [
      'applies functions in order',
      "{ column: A, apply: [squeeze, upper, { replace: ['-', ' '] }, { before: ' ' }] }",
      { A: ' ab-c   d' },
      'AB',
    ],
    [
      'applies functions with places',
      "{ column: A, apply: [{ substring: [1, 3] }, { padStart: [4, '0'] }] }",
      { A: 'xyz' },
      '00yz',
    ],
    [
      'makes a slug',
      '{ column: A, apply: slug }',
      { A: 'Moda Têxtil, Lda. & Söhne' },
      'moda-textil-lda-sohne',
    ],
    ['drops zeros in front', '{ column: A, apply: [stripZeros] }', { A: '0000100042' }, '100042'],
    ['has a default for an empty cell', '{ column: A, default: none }', { A: ' ' }, 'none'],
    [
      'has a default for what functions leave empty',
      "{ column: A, apply: [{ after: '-' }], default: none }",
      { A: 'x' },
      'none',
    ],
    [
      'is looked up in a table',
      '{ column: A, values: { 01: spring, 02: autumn } }',
      { A: '01' },
      'spring',
    ],
    [
      'is looked up without regard to case',
      '{ column: A, values: { s: spring } }',
      { A: 'S' },
      'spring',
    ],
    [
      'is looked up with regard to case where both are listed',
      '{ column: A, values: { s: small, S: spring } }',
      { A: 'S' },
      'spring',
    ],
    [
      'has a value for what the table does not list',
      '{ column: A, values: { s: spring }, otherwise: other }',
      { A: 'x' },
      'other',
    ],
    [
      'may miss a column that is optional',
      '{ column: Z, optional: true, default: none }',
      { A: 'x' },
      'none',
    ],
    [
      'is made of functions and a table of several columns',
      '{ first: [A, B], apply: [upper], values: { S: spring } }',
      { A: '', B: 's' },
      'spring',
    ],
  ] as const) {
    it(name, async () => {
      const value = await valueOfRow(tag(`name: ${expression}`), { NO: '1', ...row })
      assert.equal(valueAt(value, 'name'), expected)
    })
  }

  it('that can be null and is not mapped is null', async () => {
    const value = await valueOfRow(tag('name: A'), { NO: '1', A: 'x' })
    assert.deepEqual(value, {
      id: naturalId('halden', 'tags', ['1']),
      name: 'x',
      code: null,
      uiColor: null,
      createdAt: importedAt,
      updatedAt: importedAt,
    })
  })

  it('of known values is found in any spelling', async () => {
    const yaml = `
collections:
  order-items:
    from: x.csv
    id: { key: [NO] }
    fields: { orderId: { ref: NO }, qty: { value: 1 }, step: S, createdAt: first-seen, updatedAt: last-changed }
`
    const { map } = await compile(yaml, ['NO', 'S'])
    const step = (text: string) => {
      const mapped = map(['1', text])
      return mapped && 'value' in mapped ? valueAt(mapped.value, 'step') : mapped
    }
    assert.equal(step('Pre-Production'), 'pre_production')
    assert.equal(step('packing'), 'packing')
    assert.deepEqual(step('sewing'), {
      problems: [
        {
          field: '/step',
          column: 'S',
          mappingLine: 7,
          value: 'sewing',
          reason:
            "is not one of development, sampling, pre_production, production, packing: say what it means with values: { 'sewing': … }",
        },
      ],
    })
  })

  it('can be an object, a list and JSON', async () => {
    const yaml = `
collections:
  materials:
    from: x.csv
    id: { key: [NO] }
    fields:
      code: NO
      name: NO
      kind: { value: fabric }
      status: { value: approved }
      customFields: { object: { season: S, weight: W, since: { column: D, date: dd.MM.yyyy }, tags: { column: T, split: ',' } } }
      createdAt: first-seen
      updatedAt: last-changed
`
    const value = await valueOfRow(yaml, {
      NO: '1',
      S: 'SS26',
      W: 12.5,
      D: '14.03.2026',
      T: 'a, b,',
    })
    assert.deepEqual(valueAt(value, 'customFields'), {
      season: 'SS26',
      weight: 12.5,
      since: '2026-03-14',
      tags: ['a', 'b'],
    })
    const terms = `
collections:
  payment-terms:
    from: x.csv
    id: { key: [NO] }
    fields:
      code: NO
      name: NO
      status: { value: active }
      installments: INSTALLMENTS
      createdAt: first-seen
      updatedAt: last-changed
`
    const json = terms.replace('INSTALLMENTS', '{ column: J, json: true }')
    const installments = '[{"percent": "100"}]'
    assert.deepEqual(
      valueAt(await valueOfRow(json, { NO: '1', J: installments }), 'installments'),
      [{ percent: '100' }],
    )
  })

  it('of a nested object can be written with a point or inside it', async () => {
    const partner = (fields: string) => `
collections:
  partners:
    from: x.csv
    id: { key: [NO] }
    fields:
      slug: NO
      name: NO
      ${fields}
      createdAt: first-seen
      updatedAt: last-changed
`
    const row = { NO: 'a', S: 'active' }
    const dotted = await valueOfRow(
      partner('relationship.id: { key: [NO] }\n      relationship.status: S'),
      row,
    )
    const nested = await valueOfRow(partner('relationship: { id: { key: [NO] }, status: S }'), row)
    assert.deepEqual(dotted, nested)
    assert.equal(valueAt(dotted, 'relationship.status'), 'active')
    assert.equal(
      valueAt(dotted, 'relationship.id'),
      naturalId('halden', 'partners.relationship', ['a']),
    )
  })
})

describe('a key', () => {
  const idOf = async (cell: Cell, key = '[NO]') => {
    const { map } = await compile(tag('name: { value: x }').replace('[NO]', key), ['NO'])
    const mapped = map([cell])
    return mapped && 'value' in mapped ? valueAt(mapped.value, 'id') : mapped
  }

  it('is the same from CSV, a spreadsheet and a database', async () => {
    const expected = naturalId('halden', 'tags', ['42'])
    for (const cell of ['42', ' 42 ', 42, 42n]) assert.equal(await idOf(cell), expected)
    const day = naturalId('halden', 'tags', ['2026-03-14'])
    const key = '[{ column: NO, date: dd.MM.yyyy }]'
    assert.equal(await idOf('14.03.2026', key), day)
    assert.equal(await idOf(new CivilTime('2026-03-14'), key), day)
    assert.equal(await idOf('Te\u0302xtil'), await idOf('T\u00eaxtil'))
  })

  it('that is a text with zeros in front differs from a number', async () => {
    assert.notEqual(await idOf('0042'), await idOf(42))
    assert.equal(await idOf('0042', '[{ column: NO, apply: [stripZeros] }]'), await idOf(42))
  })

  it('that is empty is a problem', async () => {
    const problem = await idOf('  ')
    assert.match(JSON.stringify(problem), /"column":"NO".*is empty, and id must have a value/)
  })

  it('of several parts must have all of them, and a reference none or all', async () => {
    const yaml = `
collections:
  order-items:
    from: x.csv
    id: { key: [PO, LINE] }
    fields: { orderId: { ref: PO }, skuId: { ref: { collection: skus, key: [STYLE, SIZE] } }, qty: { value: 1 }, createdAt: first-seen, updatedAt: last-changed }
`
    const { map } = await compile(yaml, ['PO', 'LINE', 'STYLE', 'SIZE'])
    const record = (cells: readonly Cell[]) => {
      const mapped = map(cells)
      return mapped && 'value' in mapped ? mapped.value : mapped
    }
    const whole = record(['PO-1', 10, 'TSH', 'M'])
    assert.equal(valueAt(whole, 'id'), naturalId('halden', 'order-items', ['PO-1', '10']))
    assert.equal(valueAt(whole, 'skuId'), naturalId('halden', 'skus', ['TSH', 'M']))
    assert.equal(valueAt(record(['PO-1', 10, '', null]), 'skuId'), null)
    assert.match(JSON.stringify(record(['PO-1', 10, 'TSH', ''])), /has only a part of the key/)
    assert.match(JSON.stringify(record(['', 10, '', ''])), /has only a part of the key/)
  })

  it('of a record that belongs to no brand is the same for every brand', async () => {
    const yaml = `
collections:
  skus:
    from: x.csv
    id: { key: [NO] }
    fields: { productId: { ref: NO }, productOptionId: { ref: NO }, code: NO, status: { value: active }, unitOfMeasureId: { ref: U }, createdAt: first-seen, updatedAt: last-changed }
`
    const value = await valueOfRow(yaml, { NO: '1', U: 'PCS' })
    assert.equal(valueAt(value, 'unitOfMeasureId'), naturalId('*', 'units-of-measure', ['PCS']))
  })
})

describe('a row', () => {
  const mapped = async (more: string, status: Cell) => {
    const { map } = await compile(tag('name: NO', more), ['NO', 'STATUS'])
    const row = map(['1', status])
    return row === null
      ? 'left out'
      : 'value' in row
        ? 'record'
        : 'removal' in row
          ? row.removal
          : 'problem'
  }

  for (const [where, status, expected] of [
    ['{ STATUS: A }', 'A', 'record'],
    ['{ STATUS: A }', 'B', 'left out'],
    ['{ STATUS: [A, B] }', ' B ', 'record'],
    ['{ STATUS: { not: [X] } }', 'X', 'left out'],
    ['{ STATUS: { not: [X] } }', '', 'record'],
    ["{ STATUS: { not: ['', X] } }", '', 'left out'],
    ['{ STATUS: { empty: true } }', ' ', 'record'],
    ['{ STATUS: { empty: false } }', null, 'left out'],
    ['{ STATUS: { startsWith: [A, B] } }', 'B7', 'record'],
    ['{ STATUS: 1 }', 1, 'record'],
    ['{ STATUS: A, NO: { not: 1 } }', 'A', 'left out'],
  ] as const) {
    it(`with ${JSON.stringify(status)} and where ${where} is: ${expected}`, async () => {
      assert.equal(await mapped(`where: ${where}`, status), expected)
    })
  }

  it('with a deletion flag removes its record', async () => {
    assert.deepEqual(await mapped('remove: { STATUS: X }', 'X'), [
      naturalId('halden', 'tags', ['1']),
    ])
    assert.equal(await mapped('remove: { STATUS: X }', 'A'), 'record')
  })

  it('reports all of its problems, each with its column and its line of the mapping', async () => {
    const { map } = await compile(
      tag('name: { column: A, values: { x: y } }\n      code: { column: B, values: { x: y } }'),
      ['NO', 'A', 'B'],
    )
    const row = map([null, 'q', 'r'])
    assert.ok(row && 'problems' in row)
    assert.deepEqual(
      row.problems.map(({ field, column, mappingLine, value }) => [
        field,
        column,
        mappingLine,
        value,
      ]),
      [
        ['/id', 'NO', 7, ''],
        ['/name', 'A', 9, 'q'],
        ['/code', 'B', 10, 'r'],
      ],
    )
  })

  it('without the columns of the mapping is refused before the first is read', async () => {
    const columns = ['NO', 'VENDOR_NM', 'X', 'X']
    await assert.rejects(
      compile(tag('name: VENDOR_NAME\n      code: X'), columns),
      (error: Error) => {
        assert.ok(error instanceof ColumnError)
        assert.equal(
          error.message,
          [
            'does not have the columns that the mapping uses:',
            '  no column "VENDOR_NAME" (x.map.yaml:9); did you mean "VENDOR_NM"?',
            '  column "X" (x.map.yaml:10) is there twice; rename one of them',
            '  its columns are NO, VENDOR_NM, X, X',
          ].join('\n'),
        )
        return true
      },
    )
  })

  it('can be an object of JSON, with paths as columns', async () => {
    const { mapping, map } = await compile(tag('name: vendor.name'), ['NO', 'vendor.name'])
    assert.deepEqual(columnsOf(mapping), ['NO', 'vendor.name'])
    const row = map(cellsOf({ NO: 7, vendor: { name: 'a' }, other: 1 }, columnsOf(mapping)))
    assert.ok(row && 'value' in row)
    assert.equal(valueAt(row.value, 'name'), 'a')
  })
})

describe('a file', () => {
  it('is of every collection whose pattern its name matches', async () => {
    const both = `version: 1\n${tag('name: NO')}`
    const mapping = await parseMapping({
      file: 'x.map.yaml',
      text: both.replace('from: tags.csv', "from: { files: ['tags*.csv', 'T?.xlsx'] }"),
    })
    const matches = (name: string) => mappingsFor(mapping, name).length
    assert.equal(matches('tags.csv'), 1)
    assert.equal(matches('TAGS_2026-03-14.CSV'), 1)
    assert.equal(matches('t1.xlsx'), 1)
    assert.equal(matches('t12.xlsx'), 0)
    assert.equal(matches('tagsxcsv'), 0)
    assert.equal(matches('old tags.csv'), 0)
  })
})
