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

describe('the JSON Schema of mapping files', () => {
  it('accepts a file that uses everything, as the parser does', async () => {
    await parseMapping({ file: 'x.map.yaml', text: good })
    assert.ok(validate(parse(good)), JSON.stringify(validate.errors))
  })

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
