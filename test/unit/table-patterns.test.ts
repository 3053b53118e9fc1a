/** Which tables of a database a proposal looks at, and what their types mean. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tablePatterns } from '#sync'
import { declaredType } from '../../src/sync/declared-type.ts'

const table = (schema: string, title: string, isView = false) => ({
  ...{ schema, title, isView },
  name: schema === 'public' ? title : `${schema}.${title}`,
})

const all = [
  table('public', 'vendors'),
  table('public', 'po_header'),
  table('public', 'po_lines'),
  table('public', 'open_orders', true),
  table('purchasing', 'vendor'),
  table('purchasing', 'Purchase Order'),
  table('purchasing', 'vvendorwithaddresses', true),
  table('pu', 'v', true),
  table('public', 'a.b'),
]

describe('tablePatterns', () => {
  for (const [patterns, names] of [
    [
      undefined,
      ['vendors', 'po_header', 'po_lines', 'purchasing.vendor', 'purchasing.Purchase Order', 'a.b'],
    ],
    ['VENDORS, po_*', ['vendors', 'po_header', 'po_lines']],
    ['purchasing.*', ['purchasing.vendor', 'purchasing.Purchase Order']],
    ['Purchasing.purchase o*', ['purchasing.Purchase Order']],
    ['public.po_*', ['po_header', 'po_lines']],
    ['vendor*', ['vendors', 'purchasing.vendor']],
    // A view that is named, and patterns that match nothing but views.
    ['purchasing.vvendorwithaddresses,vendors', ['vendors', 'purchasing.vvendorwithaddresses']],
    ['pu.*', ['pu.v']],
    ['open*', ['open_orders']],
    ['a.b', ['a.b']],
    ['pu', []],
    ['p?rchasing.*', []],
    ['', []],
  ] as const) {
    it(`chooses ${names.length} tables with ${patterns ?? 'no pattern'}`, () => {
      assert.deepEqual(
        tablePatterns(patterns)(all).map(({ name }) => name),
        names,
      )
    })
  }

  it('chooses views of a database that has nothing else', () => {
    const views = all.filter(({ isView }) => isView)
    assert.deepEqual(tablePatterns(undefined)(views), views)
  })
})

describe('declaredType', () => {
  for (const [type, kind, scale] of [
    ['numeric(19,4)', 'decimal', 4],
    ['decimal(10,0)', 'whole', 0],
    ['numeric', 'decimal', null],
    ['double precision', 'decimal', null],
    ['integer', 'whole', null],
    ['int(10) unsigned', 'whole', null],
    ['bigint', 'whole', null],
    ['interval', 'text', null],
    ['point', 'text', null],
    ['tinyint(1)', 'flag', null],
    ['tinyint(4)', 'whole', null],
    ['bit(1)', 'flag', null],
    ['boolean', 'flag', null],
    ['money', 'money', null],
    ['timestamp(3) without time zone', 'time', null],
    ['datetime', 'time', null],
    ['date', 'date', null],
    ['time without time zone', 'text', null],
    ['uuid', 'uuid', null],
    ['jsonb', 'json', null],
    ['integer[]', 'json', null],
    ["enum('int','date')", 'text', null],
    ['character varying(20)', 'text', null],
  ] as const) {
    it(`reads ${type}`, () => {
      assert.deepEqual(declaredType({ name: 'column', type, isNullable: true, isTouched: false }), {
        kind,
        scale,
        isNullable: true,
      })
    })
  }
})
