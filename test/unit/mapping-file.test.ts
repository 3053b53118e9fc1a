/** Mapping files that are refused, with the line and what to do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Mapping, MappingError, parseMapping } from '#mapping'

const good = `version: 1
brand: halden
collections:
  suppliers:
    from: { files: 'vendors*.csv' }
    id: { key: [NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [NO] } }
      code: NO
      name: NAME
      kind: { value: agent }
      status: { column: STATUS, values: { A: approved } }
      createdAt: first-seen
      updatedAt: last-changed
`

const parse = (text: string): Promise<Mapping> => parseMapping({ file: 'x.map.yaml', text })

const messagesOf = async (text: string): Promise<readonly string[]> => {
  try {
    await parse(text)
  } catch (error) {
    assert.ok(error instanceof MappingError, String(error))
    return error.problems.map(({ line, message }) => `${line}: ${message}`)
  }
  return []
}

describe('a mapping file', () => {
  it('with everything in place is accepted', async () => {
    const { brand, collections } = await parse(good)
    assert.equal(brand, 'halden')
    const [suppliers] = collections
    assert.deepEqual(suppliers?.firstSeen, ['createdAt'])
    assert.deepEqual(suppliers?.lastChanged, ['updatedAt'])
    assert.deepEqual(suppliers?.from.files, { patterns: ['vendors*.csv'] })
  })

  it('is plain data, which can be sent to a thread', async () => {
    const mapping = await parse(good)
    assert.deepEqual(structuredClone(mapping), mapping)
  })

  it('can have aliases, comments and a byte order mark', async () => {
    const text = good
      .replace("from: { files: 'vendors*.csv' }", "from: &vendors { files: 'vendors*.csv' } # all")
      .replace('brand: halden', 'brand: halden\n# comment')
    const tags = `  tags:
    from: *vendors
    id: { key: [NO] }
    fields: { name: NAME, createdAt: first-seen, updatedAt: last-changed }
`
    const { collections } = await parse(`\ufeff${text}${tags}`)
    assert.deepEqual(collections[1]?.from, collections[0]?.from)
  })

  it('can have several mappings of a collection', async () => {
    const part = `from: a.csv
      id: { key: [NO] }
      fields: { name: NAME, createdAt: first-seen, updatedAt: last-changed }
`
    const text = `version: 1\ncollections:\n  tags:\n    - ${part}    - ${part.replace('a.csv', 'b.csv')}`
    const { collections } = await parse(text)
    assert.deepEqual(
      collections.map(({ collection, line, from }) => [collection, line, from.files?.patterns]),
      [
        ['tags', 4, ['a.csv']],
        ['tags', 7, ['b.csv']],
      ],
    )
  })

  it('can have a query with its cursor and names of posted tables', async () => {
    const { collections } = await parse(
      good.replace(
        "{ files: 'vendors*.csv' }",
        '{ sql: select 1, cursor: changed_at, overlap: 10m, deleted: select 2, reconcile: { every: 24h, sql: select 3 }, rows: [vendors] }',
      ),
    )
    assert.deepEqual(collections[0]?.from, {
      files: null,
      sql: {
        line: 5,
        sql: 'select 1',
        cursor: 'changed_at',
        overlapMs: 600_000,
        deleted: 'select 2',
        reconcile: { everyMs: 86_400_000, sql: 'select 3' },
      },
      rows: { tables: ['vendors'] },
    })
  })

  for (const [name, from, to, expected] of [
    ['that is not YAML', 'brand: halden', 'brand: [halden', /^\d+: is not YAML: /],
    ['that is empty', good, '', /^1: must begin with version: 1/],
    ['without a version', 'version: 1\n', '', '1: has no version: add version: 1'],
    [
      'of another version',
      'version: 1',
      'version: 2',
      '1: version must be 1: this release knows no other',
    ],
    [
      'with an unknown setting',
      'brand: halden',
      'barnd: halden',
      '2: "barnd" is not a setting of a mapping file; did you mean brand?',
    ],
    [
      'for a brand with a wrong slug',
      'brand: halden',
      'brand: Halden!',
      '2: "Halden!" is not a valid slug',
    ],
    [
      'in an unknown time zone',
      'brand: halden',
      'timezone: Europe/Berln',
      /^2: "Europe\/Berln" is not a time zone/,
    ],
    [
      'with an unknown collection',
      '  suppliers:',
      '  supplier:',
      '4: there is no collection "supplier"; did you mean suppliers?',
    ],
    [
      'of a collection that all brands share',
      '  suppliers:',
      '  couriers:',
      /^4: couriers is shared by all brands: put it into a file without brand/,
    ],
    [
      'without an origin',
      "    from: { files: 'vendors*.csv' }\n",
      '',
      /^4: suppliers does not say where its rows come from/,
    ],
    [
      'with a misspelled origin',
      '{ files: ',
      '{ flies: ',
      /"flies" is not a setting of from of suppliers; did you mean files\?/,
    ],
    [
      'with a cursor and no query',
      '{ files: ',
      '{ cursor: a, files: ',
      /cursor has no effect without sql/,
    ],
    [
      'with an encoding that is not supported',
      '{ files: ',
      '{ encoding: utf-16, files: ',
      /encoding "utf-16" is not supported; there are utf-8, windows-1252, iso-8859-1/,
    ],
    [
      'with a duration that is none',
      '{ files: ',
      '{ sql: x, cursor: c, overlap: 10 min, files: ',
      /"10 min" is not a duration/,
    ],
    [
      'without an identity',
      '    id: { key: [NO] }\n',
      '',
      /^4: suppliers has no id: add id: \{ key: \[COLUMN\] \}/,
    ],
    [
      'with the identity among the fields',
      '      code: NO',
      '      code: NO\n      id: NO',
      '10: id is written beside fields, not in it',
    ],
    [
      'with an unknown field',
      '      code: NO',
      '      code: NO\n      leadTime: L',
      '10: "leadTime" is not a field of suppliers; did you mean leadTimeDays?',
    ],
    [
      'without a required field',
      '      code: NO\n',
      '',
      /^4: suppliers has no value for code; for example:\n {4}code: COLUMN$/,
    ],
    [
      'with a value that is not known',
      'value: agent',
      'value: agnt',
      /^11: "agnt" is not a value of kind; there are finished_goods, .*agent$/,
    ],
    [
      'with a table of values that are not known',
      'A: approved',
      'A: active',
      /^12: "active" is not a value of status; there are prospect, onboarding/,
    ],
    [
      'with a constant of another kind',
      'kind: { value: agent }',
      'kind: { value: agent }\n      leadTimeDays: { value: soon }',
      '12: "soon" is not a value of leadTimeDays: it must be a whole number',
    ],
    [
      'with a reference to another collection',
      'collection: partners',
      'collection: suppliers',
      '8: partnerId refers to partners, not to suppliers',
    ],
    [
      'with a reference to an unknown collection',
      'collection: partners',
      'collection: partner',
      '8: "partner" is not a collection; did you mean partners?',
    ],
    [
      'with a reference without a key',
      ', key: [NO] } }',
      ' } }',
      /^8: ref of partnerId has no key/,
    ],
    [
      'with a reference where there is none',
      'code: NO',
      'code: { ref: NO }',
      '9: ref makes a reference, and code is a text',
    ],
    [
      'with a key where a reference is',
      'partnerId: { ref: { collection: partners, key: [NO] } }',
      'partnerId: { key: [NO] }',
      /^8: key makes an identifier, and partnerId is a reference; use \{ ref: \{ collection: partners/,
    ],
    [
      'with a list in place of a column',
      'code: NO',
      'code: [NO, B]',
      /^9: code must be a column or have settings, not a list; to join columns, write \{ join: \[A, B\] \}/,
    ],
    [
      'with two sources of one value',
      'code: NO',
      'code: { column: NO, value: x }',
      '9: code has column and value; use one of them',
    ],
    [
      'without a source of a value',
      'code: NO',
      'code: { apply: [trim] }',
      /^9: code does not say where its value comes from/,
    ],
    [
      'with a misspelled setting of a value',
      'code: NO',
      'code: { colum: NO }',
      /"colum" is not a setting of code; did you mean column\?/,
    ],
    [
      'with an unknown function',
      'code: NO',
      'code: { column: NO, apply: [uper] }',
      '9: apply of code: "uper" is not a function; did you mean upper?',
    ],
    [
      'with wrong arguments of a function',
      'code: NO',
      'code: { column: NO, apply: [{ padStart: x }] }',
      "9: apply of code: write { padStart: [10, '0'] }",
    ],
    [
      'with a format of another kind of field',
      'code: NO',
      'code: { column: NO, date: dd.MM.yyyy }',
      '9: date is for a date, and code is a text',
    ],
    [
      'with a pattern without a month',
      'brand: halden',
      'formats: { date: dd.mm.yyyy }',
      '2: date: the pattern "dd.mm.yyyy" has no MM (mm are minutes; write MM for the month)',
    ],
    [
      'with a pattern of unknown letters',
      'brand: halden',
      'formats: { date: jj.MM.yyyy }',
      /has the letter j/,
    ],
    [
      'with one sign for both',
      'brand: halden',
      "formats: { decimal: ',', group: ',' }",
      '2: decimal and group are both ","',
    ],
    [
      'with a trailer that cannot be found',
      "files: 'vendors*.csv'",
      "files: 'vendors*.csv', trailer: { count: 2 }",
      '5: trailer has no startsWith',
    ],
    [
      'with a cell of a trailer that there is not',
      "files: 'vendors*.csv'",
      "files: 'vendors*.csv', trailer: { startsWith: T, sum: { AMT: 0 } }",
      '5: sum of trailer: AMT must be the number of a cell, counted from 1',
    ],
    [
      'with an unknown unit',
      'kind: { value: agent }',
      'kind: { value: agent }\n      leadTimeDays: { column: L, unit: week }',
      '12: "week" is not a unit; did you mean weeks?',
    ],
    [
      'with a first-seen text',
      'code: NO',
      'code: first-seen',
      '9: first-seen is for times, and code is not one',
    ],
    [
      'with otherwise and no table',
      'code: NO',
      'code: { column: NO, otherwise: x }',
      '9: code has otherwise without values; for empty cells use default',
    ],
    [
      'with a condition that there is not',
      '    id: { key: [NO] }',
      '    where: { STATUS: { in: [A] } }\n    id: { key: [NO] }',
      /^6: "in" is not a setting of where of suppliers: STATUS; there are not, empty, startsWith/,
    ],
  ] as const) {
    it(`${name} is refused`, async () => {
      const text = good.replace(from, to)
      assert.notEqual(text, good)
      const messages = await messagesOf(text)
      const isExpected = (message: string) =>
        typeof expected === 'string' ? message === expected : expected.test(message)
      assert.ok(messages.some(isExpected), messages.join('\n'))
    })
  }

  it('is refused with all of its problems at once, in the order of lines', async () => {
    const text = good.replace('value: agent', 'value: agnt').replace('code: NO', 'cod: NO')
    await assert.rejects(parse(text), (error: Error) => {
      assert.deepEqual(
        error.message.split('\n').filter((line) => line.startsWith('x.map.yaml')),
        [
          'x.map.yaml:4 suppliers has no value for code; for example:',
          'x.map.yaml:9 "cod" is not a field of suppliers; did you mean code?',
          'x.map.yaml:11 "agnt" is not a value of kind; there are finished_goods, fabric, trims, packaging, services, agent',
        ],
      )
      return true
    })
  })

  it('is refused if a reference has another number of parts than the key', async () => {
    const partners = `  partners:
    from: x.csv
    id: { key: [CLIENT, NO] }
    fields: { slug: NO, name: NO, relationship.id: { key: NO }, relationship.status: { value: active }, createdAt: first-seen, updatedAt: last-changed }
`
    assert.deepEqual(await messagesOf(good + partners), [
      '8: the reference to partners has 1 part, and its key in line 17 has 2: both must have the same parts in the same order',
    ])
  })

  it('of a collection with a composite identity has no id', async () => {
    const text = `version: 1
collections:
  bom-skus:
    from: x.csv
    id: { key: [A] }
    fields: { bomId: { ref: A }, skuId: { ref: B }, createdAt: first-seen }
`
    assert.deepEqual(await messagesOf(text), [
      '5: records of bom-skus are identified by bomId and skuId: map these fields instead of id',
    ])
    assert.deepEqual(await messagesOf(text.replace('    id: { key: [A] }\n', '')), [])
  })

  it('that repeats itself by aliases without end is refused', async () => {
    const bomb = [...'abcdefgh'].map((name, index, all) => {
      const inner =
        index === 0 ? '[x, x, x, x, x, x, x, x]' : `[${`*${all[index - 1]}, `.repeat(8)}x]`
      return `${name}: &${name} ${inner}`
    })
    assert.match((await messagesOf(bomb.join('\n'))).join(), /repeats too much by aliases/)
  })
})
