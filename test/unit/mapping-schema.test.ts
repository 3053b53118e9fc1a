/** The JSON Schema of mapping files accepts what the parser accepts, and refuses its commonest mistakes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { catalog } from '#contract'
import { mappingSchema, parseMapping } from '#mapping'

const validate = new Ajv2020({ allErrors: true, strict: false }).compile(mappingSchema(catalog))

const good = `version: 1
brand: halden
timezone: Europe/Berlin
formats: { date: [dd.MM.yyyy, yyyy-MM-dd], decimal: ',', group: '.' }
collections:
  partners:
    from: 'vendors*.csv'
    where: { STATUS: [A, 1], NAME: { empty: false }, X: { not: '' } }
    remove: { DEL: X }
    id: { key: [CLIENT, { column: NO, apply: [stripZeros, { padStart: [10, '0'] }] }] }
    fields:
      slug: { column: NAME, apply: slug }
      name: { join: [NAME1, NAME2], with: ', ' }
      relationship.id: { key: NO }
      relationship.status: { value: active }
      createdAt: first-seen
      updatedAt: { first: [CHANGED, CREATED], timestamp: 'dd.MM.yyyy HH:mm', timezone: UTC }
  suppliers:
    - from: { files: ['a.csv', 'b.xlsx'], encoding: windows-1252, delimiter: tab, sheet: A, headerRow: 2, trailer: { startsWith: T, count: 2, sum: { AMT: 3 } } }
      distinct: true
      id: ID
      fields:
        partnerId: { ref: [CLIENT, NO] }
        code: NO
        name: NAME
        kind: { column: KIND, values: { F: fabric }, otherwise: agent, default: trims }
        status: { value: approved }
        leadTimeDays: { column: LT, unit: { from: weeks, to: days } }
        customFields: { object: { season: S, since: { column: D, date: yyyyMMdd } } }
        createdAt: first-seen
        updatedAt: last-changed
    - from: { sql: select 1, cursor: c, overlap: 10m, deleted: select 2, reconcile: 24h, rows: true }
      id: { key: [NO] }
      fields:
        partnerId: { ref: { collection: partners, key: [CLIENT, NO] } }
        code: NO
        name: { column: NAME, optional: true, default: none }
        kind: { value: agent }
        status: { value: approved }
        moq: { column: MOQ, multiply: 12 }
        createdAt: first-seen
        updatedAt: last-changed
  bom-skus:
    from: { rows: [bom] }
    keep: newest by CHANGED AT
    fields: { bomId: { ref: A }, skuId: { ref: B }, createdAt: first-seen }
`

const expressions = `version: 1
lists:
  kind: { F: fabric }
collections:
  suppliers:
    from: vendors.csv
    where: { LT: { moreThan: 0, lessThan: '99.5' }, SINCE: { moreThan: 2020-01-01 } }
    id: { open: [{ key: [NO] }, NO] }
    fields:
      partnerId: { ref: [NO] }
      code: { brand: slug }
      name: { column: NAME, apply: [lastWord, { part: ['-', -1] }] }
      kind: { column: KIND, values: kind, otherwise: agent }
      status:
        when:
          - { if: { A: x, B: { moreThan: 1 } }, then: { value: approved } }
          - { if: { A: { empty: true } }, then: STATUS }
        else: { value: approved }
      leadTimeDays: { column: LT, unit: { from: { column: UNIT }, to: days }, round: 0 }
      moq: { quotient: [{ sum: [A, B] }, { product: [{ difference: [A, B] }, { value: 2 }] }], round: 0 }
      customFields: { object: { country: { column: C, code: country }, price: { column: P, round: currency } } }
      createdAt: first-seen
      updatedAt: { open: [] }
`

describe('the JSON Schema of mapping files', () => {
  it('accepts a file that uses everything, as the parser does', async () => {
    await parseMapping({ file: 'x.map.yaml', text: good })
    assert.ok(validate(parse(good)), JSON.stringify(validate.errors))
  })

  it('accepts the expressions of a row, as the parser does', async () => {
    await parseMapping({ file: 'x.map.yaml', text: expressions })
    assert.ok(validate(parse(expressions)), JSON.stringify(validate.errors))
  })

  for (const [name, from, to] of [
    ['a case without a value', 'then: STATUS', 'the: STATUS'],
    ['arithmetic of one number', 'sum: [A, B]', 'sum: [A]'],
    ['an unknown property of the brand', 'brand: slug', 'brand: slugg'],
    ['an unknown kind of codes', 'code: country', 'code: land'],
    ['places that are none', 'round: currency', 'round: EUR'],
    ['open without a list', 'open: []', 'open: NOW'],
    ['a list without values', 'kind: { F: fabric }', 'kind: [fabric]'],
  ] as const) {
    it(`refuses ${name}, as the parser does`, async () => {
      const text = expressions.replace(from, to)
      assert.notEqual(text, expressions)
      await assert.rejects(parseMapping({ file: 'x.map.yaml', text }))
      assert.ok(!validate(parse(text)))
    })
  }

  for (const [name, from, to] of [
    ['an unknown setting of the file', 'brand: halden', 'barnd: halden'],
    ['another version', 'version: 1', 'version: 2'],
    ['an unknown collection', '  bom-skus:', '  bom-sku:'],
    ['an unknown field', '        moq:', '        mok:'],
    ['a value that is not known', 'status: { value: approved }', 'status: { value: active }'],
    ['a table of values that are not known', '{ F: fabric }', '{ F: fabrik }'],
    ['an unknown function', 'apply: slug', 'apply: slugg'],
    ['an unknown unit', 'from: weeks', 'from: week'],
    ['two sources of a value', '{ value: agent }', '{ value: agent, column: A }'],
    ['no source of a value', '{ value: agent }', '{ default: agent }'],
    ['a setting that there is not', 'optional: true', 'optinal: true'],
    ['no origin', "    from: 'vendors*.csv'\n", ''],
    ['an origin without files', 'from: { rows: [bom] }', 'from: { sheet: bom }'],
    ['an encoding that is not supported', 'windows-1252', 'utf-16'],
    ['a duration that is none', 'overlap: 10m', 'overlap: 10 min'],
    ['a reference to an unknown collection', 'collection: partners', 'collection: partner'],
    ['an identity where there is none', 'keep: newest by CHANGED AT', 'keep: last\n    id: A'],
    ['no identity', '      id: ID\n', ''],
    ['another row than there can be', 'keep: newest by CHANGED AT', 'keep: newest'],
    ['a condition that there is not', '{ empty: false }', '{ blank: false }'],
  ] as const) {
    it(`refuses ${name}, as the parser does`, async () => {
      const text = good.replace(from, to)
      assert.notEqual(text, good)
      assert.equal(validate(parse(text)), false)
      await assert.rejects(parseMapping({ file: 'x.map.yaml', text }))
    })
  }
})
