/** Values that a mapping takes from its file, its brand and the brand's records. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import {
  type Cell,
  columnsOf,
  compileMapping,
  contextNeeds,
  createLookupBuilder,
  LookupLimitError,
  MappingError,
  parseMapping,
} from '#mapping'

const parse = (lines: readonly string[]) =>
  parseMapping({ file: 'x.map.yaml', text: ['version: 1', ...lines].join('\n') })

const problemsOf = async (lines: readonly string[]): Promise<readonly string[]> => {
  const error = await parse(lines).catch((error) => error)
  assert.ok(error instanceof MappingError, 'it was accepted')
  return error.problems.map(({ line, message }) => `${line}: ${message}`)
}

const orders = (supplier: string, defaults: readonly string[] = []) => [
  'defaults:',
  '  createdAt: first-seen',
  '  updatedAt: last-changed',
  ...defaults,
  'collections:',
  '  orders:',
  '    from: orders.csv',
  '    id: { key: [NO] }',
  '    fields:',
  '      orderNumber: NO',
  `      supplierId: ${supplier}`,
  '      kind: { value: bulk }',
  '      revisionNumber: { value: 0 }',
  '      orderDate: { value: 2026-11-18 }',
  '      totalQuantity: { value: 0 }',
  '      totalAmount: { value: 0 }',
  ...(defaults.length === 0
    ? ['      status: { value: draft }', '      currency: { value: EUR }']
    : []),
]

describe('defaults', () => {
  const tags = [
    '  tags:',
    '    from: tags.csv',
    '    id: { key: [NO] }',
    '    fields: { name: NO }',
  ]

  it('are the values of fields that a collection does not make itself', async () => {
    const defaults = ['  status: { value: confirmed }', '  currency: { value: NOK }']
    const { collections } = await parse([...orders('{ ref: V }', defaults), ...tags])
    const [order, tag] = collections
    assert.deepEqual([order?.firstSeen, order?.lastChanged], [['createdAt'], ['updatedAt']])
    assert.deepEqual([tag?.firstSeen, tag?.lastChanged], [['createdAt'], ['updatedAt']])
    const made = order?.fields.flatMap(({ field, line, value: { source } }) =>
      source.kind === 'value' && line < 8 ? [[field, line, source.value]] : [],
    )
    assert.deepEqual(made, [
      ['status', 5, 'confirmed'],
      ['currency', 6, 'NOK'],
    ])
  })

  it('are not used where the field is made, or does not take the value', async () => {
    const lines = [
      'defaults:',
      '  createdAt: first-seen',
      '  updatedAt: last-changed',
      '  status: { value: approved }',
      'collections:',
      '  suppliers:',
      '    from: v.csv',
      '    id: { key: [NO] }',
      '    fields: { partnerId: { ref: NO }, code: NO, name: NAME, kind: { value: agent } }',
      '  collections:',
      '    from: c.csv',
      '    id: { key: [NO] }',
      '    fields: { code: NO, name: NAME, status: { value: active }, createdAt: { column: T } }',
    ]
    const { collections } = await parse(lines)
    const at = (index: number, name: string) =>
      collections[index]?.fields.find(({ field }) => field === name)?.value.source
    assert.deepEqual(at(0, 'status'), { kind: 'value', value: 'approved' })
    assert.deepEqual(at(1, 'status'), { kind: 'value', value: 'active' })
    assert.deepEqual(at(1, 'createdAt'), { kind: 'column', column: 'T', optional: false })
    const without = await problemsOf(
      lines.map((line) => line.replace(', status: { value: active }', '')),
    )
    assert.match(without.join(), /^11: collections has no value for status/)
  })

  it('that no collection takes are refused with their line', async () => {
    const refused = async (...defaults: readonly string[]) =>
      (await problemsOf(orders('{ ref: V }', defaults))).filter((each) => /^[5-7]:/.test(each))
    const rest = ['  currency: { value: EUR }', '  status: { value: draft }']
    assert.deepEqual(await refused(...rest, '  curency: { value: EUR }'), [
      '7: "curency" is not a field of these collections; did you mean currency?',
    ])
    assert.match(
      (await refused(rest[0] ?? '', '  status: { value: activ }')).join(),
      /^6: no collection takes this default: "activ" is not a value of status; .* \(in orders\)$/,
    )
    assert.match(
      (await refused(...rest, '  orderDate: last-changed')).join(),
      /^7: no collection takes this default: last-changed is for times/,
    )
    assert.match(
      (await refused(...rest, '  id: { key: [NO] }')).join(),
      /^7: no collection takes this default: id is written beside fields/,
    )
    assert.deepEqual(
      await problemsOf(['defaults: [a]', ...orders('{ ref: V }').slice(3)]).then((all) => all[0]),
      '2: defaults must have a value for each field: { currency: { value: EUR } }',
    )
  })

  it('can look records up, and name columns', async () => {
    const { collections } = await parse([
      ...orders('{ ref: V }', [
        '  status: STATE',
        '  currency: { column: CUR, apply: [upper] }',
        '  destinationLocationId: { lookup: { by: { code: WH } } }',
      ]),
    ])
    const [order] = collections
    assert.ok(order)
    assert.deepEqual(columnsOf(order), ['NO', 'V', 'STATE', 'CUR', 'WH'])
  })
})

describe('lookup', () => {
  const byName = '{ lookup: { collection: suppliers, by: { name: VENDOR NAME } } }'

  const records: readonly (readonly [id: string, name: string])[] = [
    ['11111111-1111-5111-8111-111111111111', 'Müller & Söhne'],
    ['22222222-2222-5222-8222-222222222222', "L'Atelier"],
    ['33333333-3333-5333-8333-333333333333', 'ACME'],
    ['44444444-4444-5444-8444-444444444444', 'Acme'],
    ['55555555-5555-5555-8555-555555555555', '株式会社テスト'],
    ['66666666-6666-5666-8666-666666666666', 'Twin'],
    ['77777777-7777-5777-8777-777777777777', 'Twin'],
  ]

  const resultOf = async (expression: string, row: { readonly [column: string]: Cell }) => {
    const { collections } = await parse(orders(expression))
    const [mapping] = collections
    assert.ok(mapping)
    const { lookups } = contextNeeds(collections)
    const tables = lookups.map((lookup) => {
      const builder = createLookupBuilder(lookup)
      for (const [id, name] of records)
        builder.add(
          id,
          lookup.fields.map(() => name),
        )
      return [[lookup.collection, ...lookup.fields].join(' '), builder.table] as const
    })
    const { map } = compileMapping(mapping, {
      resource: resourceAt(catalog, 'orders'),
      owner: 'halden',
      columns: ['NO', ...Object.keys(row)],
      importedAt: '2026-11-18T10:00:00.000Z',
      lookups: new Map(tables),
    })
    const mapped = map(['PO-1', ...Object.values(row)])
    assert.ok(mapped)
    if ('value' in mapped) return mapped.value['supplierId']
    assert.ok('problems' in mapped)
    const [problem] = mapped.problems
    return `${problem?.field} ${problem?.column} (${problem?.value}) ${problem?.mappingLine} ${problem?.reason}`
  }

  it('finds the record with the text of a row', async () => {
    const resultFor = (text: Cell) => resultOf(byName, { 'VENDOR NAME': text })
    assert.equal(await resultFor(' Müller & Söhne '), records[0]?.[0])
    assert.equal(await resultFor('Mu\u0308ller & So\u0308hne'), records[0]?.[0])
    assert.equal(await resultFor("l'atelier"), records[1]?.[0])
    assert.equal(await resultFor('株式会社テスト'), records[4]?.[0])
  })

  it('prefers the exact text', async () => {
    const resultFor = (text: Cell) => resultOf(byName, { 'VENDOR NAME': text })
    assert.equal(await resultFor('ACME'), records[2]?.[0])
    assert.equal(await resultFor('Acme'), records[3]?.[0])
    assert.match(String(await resultFor('acme')), /is the name of 2 records of suppliers/)
  })

  it('has a problem if no record has the text, or several have it', async () => {
    assert.equal(
      await resultOf(byName, { 'VENDOR NAME': 'Ghost Ltd' }),
      '/supplierId VENDOR NAME (Ghost Ltd) 11 is the name of no record of suppliers: import that record first, correct the row, or add default: null',
    )
    assert.equal(
      await resultOf(byName, { 'VENDOR NAME': 'Twin' }),
      '/supplierId VENDOR NAME (Twin) 11 is the name of 2 records of suppliers (66666666-6666-5666-8666-666666666666, 77777777-7777-5777-8777-777777777777): look the record up by further fields, or refer to it by its key',
    )
  })

  it('has no record for an empty cell', async () => {
    const reason = await resultOf(byName, { 'VENDOR NAME': ' ' })
    assert.match(String(reason), /is empty, and supplierId must have a value/)
  })

  it('with a default has that if no record is resultFor', async () => {
    const expression =
      '{ lookup: { by: { name: V } }, default: 33333333-3333-5333-8333-333333333333 }'
    assert.equal(await resultOf(expression, { V: 'Ghost Ltd' }), records[2]?.[0])
    assert.match(String(await resultOf(expression, { V: 'Twin' })), /of 2 records/)
  })

  it('compares several fields', async () => {
    const expression = '{ lookup: { by: { name: A, code: B } } }'
    assert.equal(await resultOf(expression, { A: 'Acme', B: 'Acme' }), records[3]?.[0])
    assert.match(
      String(await resultOf(expression, { A: 'Acme', B: 'ACME' })),
      /is the name and code of 2 records/,
    )
    assert.match(
      String(await resultOf(expression, { A: 'Acme', B: '' })),
      /\(Acme \/ \) .* has only a part of the name and code of suppliers/,
    )
  })

  it('is refused where it cannot work, with what to do', async () => {
    for (const [expression, problem] of [
      ['{ lookup: { by: { nam: V } } }', /"nam" is not a field of suppliers; did you mean name\?/],
      [
        '{ lookup: { collection: partners, by: { name: V } } }',
        /supplierId refers to suppliers, not to partners/,
      ],
      ['{ lookup: { by: { id: V } } }', /a column with identifiers is the reference itself/],
      [
        '{ lookup: { by: { customFields: V } } }',
        /cannot be looked up by customFields, which is any value/,
      ],
      ['{ lookup: V }', /lookup of supplierId must have settings: collection, by/],
      ['{ lookup: { by: {} } }', /does not say which fields are compared/],
      ['{ lookup: { by: { name: V } }, apply: [upper] }', /apply of supplierId has no effect here/],
    ] as const) {
      assert.match((await problemsOf(orders(expression))).join('\n'), problem, expression)
    }
    const [memo] = await problemsOf([
      ...orders('{ ref: V }'),
      '      memo: { lookup: { by: { name: V } } }',
    ])
    assert.match(memo ?? '', /lookup makes a reference, and memo is a text/)
  })

  it('holds a limited number of records', () => {
    const use = { collection: 'skus', fields: ['code'], file: 'x.map.yaml', line: 7 }
    const builder = createLookupBuilder(use, { recordsMax: 2, charactersMax: 100 })
    builder.add('a', ['1'])
    builder.add('a', ['1'])
    builder.add('b', ['2'])
    assert.throws(
      () => builder.add('c', ['3']),
      (error) =>
        error instanceof LookupLimitError &&
        /^x\.map\.yaml:7 skus has more records/.test(error.message),
    )
    const long = createLookupBuilder(use, { recordsMax: 2, charactersMax: 100 })
    assert.throws(() => long.add('a', ['x'.repeat(101)]), LookupLimitError)
  })
})
