/** What a hostile mapping can make of a row: its work and its output are bounded. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { type Cell, compileMapping, parseMapping } from '#mapping'

/** A mapping of definitions of custom fields, which have a text, a list and any value. */
const definitions = (field: string, value: string, key = 'NO') => {
  const fields = {
    entity: '{ value: orders }',
    key: 'NO',
    label: 'NO',
    dataType: '{ value: choice }',
    required: '{ value: false }',
    sequence: '{ value: 1 }',
    status: '{ value: active }',
    createdAt: 'first-seen',
    updatedAt: 'last-changed',
    [field]: value,
  }
  return [
    'version: 1',
    'collections:',
    '  custom-field-definitions:',
    '    from: fields.csv',
    `    id: { key: [${key}] }`,
    '    fields:',
    ...Object.entries(fields).map(([name, expression]) => `      ${name}: ${expression}`),
  ].join('\n')
}

const compile = async (text: string, columns: readonly string[]) => {
  const [mapping] = (await parseMapping({ file: 'x.map.yaml', text })).collections
  assert.ok(mapping)
  return compileMapping(mapping, {
    resource: resourceAt(catalog, mapping.collection),
    owner: 'halden',
    columns,
    importedAt: '2026-11-18T10:00:00.000Z',
  })
}

const problemOf = async (field: string, expression: string, cell: Cell): Promise<string> => {
  const { map } = await compile(definitions(field, expression), ['NO', 'A'])
  const mapped = map(['1', cell])
  assert.ok(mapped && 'problems' in mapped)
  return mapped.problems.map(({ reason }) => reason).join()
}

const long = 'ä'.repeat(200_000)
const times = (count: number, text: string) => Array.from({ length: count }, () => text).join(', ')

describe('a mapping cannot make without bound', () => {
  for (const [name, field, expression, cell, expected] of [
    [
      'a text that replace doubles again and again',
      'label',
      `{ column: A, apply: [${times(60, '{ replace: [a, aa] }')}] }`,
      'aaaa',
      /longer than a cell by replace/,
    ],
    [
      'a text by many functions',
      'label',
      `{ column: A, apply: [${times(500, 'upper, lower')}] }`,
      long,
      /the expressions of a row make at most 4,194,304 characters/,
    ],
    [
      'a joined text',
      'label',
      `{ join: [${times(50, 'A')}] }`,
      long,
      /more than a record can have/,
    ],
    [
      'several texts of which each is short enough',
      'label',
      `{ first: [${times(100, "{ column: A, apply: [upper, { after: 'ä' }] }")}] }`,
      long,
      /the expressions of a row/,
    ],
    ['a list', 'choices', `{ list: [${times(5_000, 'A')}] }`, long, /the expressions of a row/],
    [
      'a list of constants by aliases',
      'defaultValue',
      `{ list: [&a { value: { x: ${'x'.repeat(60_000)} } }, ${times(1_000, '*a')}] }`,
      '',
      /the expressions of a row/,
    ],
    [
      'an object',
      'defaultValue',
      `{ object: { ${Array.from({ length: 500 }, (_, at) => `a${at}: A`).join(', ')} } }`,
      { text: long },
      /the expressions of a row/,
    ],
    [
      'digits',
      'label',
      `{ join: [{ product: [${times(5_000, 'A')}] }] }`,
      '9'.repeat(90),
      /more than 100 digits/,
    ],
  ] satisfies [string, string, string, Cell, RegExp][]) {
    it(name, async () => assert.match(await problemOf(field, expression, cell), expected))
  }

  it('a key', async () => {
    const { map, removal, keyOf } = await compile(definitions('label', 'NO', times(30, 'A')), [
      'NO',
      'A',
    ])
    for (const mapped of [map(['1', long]), removal(['1', long])]) {
      assert.ok(mapped && 'problems' in mapped)
      assert.match(mapped.problems[0]?.reason ?? '', /the expressions of a row/)
    }
    assert.ok((keyOf('/id', ['1', long])?.length ?? 0) < 10_000_000)
  })

  it('less in a row because of the rows before it', async () => {
    const expression = '{ column: A, apply: [upper, { substring: [0, 3] }] }'
    const { map } = await compile(definitions('label', expression), ['NO', 'A'])
    for (let row = 0; row < 100; row += 1) {
      const mapped = map([String(row), long])
      assert.ok(mapped && 'value' in mapped)
      assert.equal(mapped.value['label'], 'ÄÄÄ')
    }
  })
})
