/** Import: rows that are refused, and what is reported of them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { DemoRecord } from '#demo'
import {
  bad,
  brand,
  changed,
  item,
  jsonProblem,
  line,
  messages,
  openStoryRecords,
  order,
  tag,
} from '../support/import-records.ts'
import { openImportSandbox, type ReportedProblem } from '../support/import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, storedState } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'invalid-rows.db')
const { notString, notUuid, nul, notInteger, integerRange, dangling } = messages
function relationship(): DemoRecord {
  return recordsAt('partners')[0]?.['relationship'] as DemoRecord
}

const half = 'must not contain half a character (a lone surrogate)'
const notUtf8 = 'is not valid UTF-8: save the file as UTF-8'
const tooLongToRead =
  'is a row of more than 16,777,216 bytes and was not parsed: a record has at most 262,144 bytes'
const noField = 'is not a field'
const depth = 100_000
const withQty = (number: string) =>
  `${JSON.stringify(item({ qty: 0 })).replace('"qty":0', `"qty":${number}`)}\n`
const withFields = (json: string) =>
  `${JSON.stringify(order({ customFields: 0 })).replace('"customFields":0', `"customFields":${json}`)}\n`

/** Sentence, file, its content, and what is reported: place, field, value and reason. */
const badRows: readonly (readonly [
  string,
  string,
  string | Uint8Array,
  readonly ReportedProblem[],
])[] = [
  ['no JSON', 'tags', `${bad}\n`, [['tags.ndjson:1', '', bad, jsonProblem(bad)]]],
  [
    'a record cut in the middle',
    'tags',
    line(tag(1)).slice(0, 40),
    [['tags.ndjson:1', '', line(tag(1)).slice(0, 40), jsonProblem(line(tag(1)).slice(0, 40))]],
  ],
  [
    'two records on a line',
    'tags',
    '{} {}\n',
    [['tags.ndjson:1', '', '{} {}', jsonProblem('{} {}')]],
  ],
  ...['7', 'null', '"text"', 'true'].map(
    (value) =>
      [
        `${value} instead of a record`,
        'tags',
        `${value}\n`,
        [['tags.ndjson:1', '', value.replaceAll('"', ''), 'must be an object']],
      ] as const,
  ),
  [
    'a byte order mark that is not at the beginning',
    'tags',
    `${line(tag(1))}\ufeff${line(tag(2))}`,
    [
      [
        'tags.ndjson:2',
        '',
        `${`\ufeff${JSON.stringify(tag(2))}`.slice(0, 100)}…`,
        jsonProblem(`\ufeff${JSON.stringify(tag(2))}`),
      ],
    ],
  ],
  ['a wrong type', 'tags', line(tag(1, { name: 7 })), [['tags.ndjson:1', '/name', '7', notString]]],
  [
    'a missing field',
    'tags',
    line(tag(1, { name: undefined })),
    [['tags.ndjson:1', '/name', '', 'is missing']],
  ],
  [
    'null where there must be a value',
    'tags',
    line(tag(1, { name: null })),
    [['tags.ndjson:1', '/name', 'null', 'must not be null']],
  ],
  [
    'an unknown field',
    'tags',
    line(tag(1, { colour: 'red' })),
    [['tags.ndjson:1', '/colour', 'red', noField]],
  ],
  [
    'an unknown field whose name has a slash and a tilde',
    'tags',
    line(tag(1, { 'a/b~c': [1] })),
    [['tags.ndjson:1', '/a~1b~0c', '[1]', noField]],
  ],
  [
    'an unknown field inside another',
    'partners',
    line(changed('partners', { relationship: { ...relationship(), extra: 1 } })),
    [['partners.ndjson:1', '/relationship/extra', '1', noField]],
  ],
  [
    'a wrong type inside a list',
    'partners',
    line(changed('partners', { certifications: ['GOTS', 7] })),
    [['partners.ndjson:1', '/certifications/1', '7', notString]],
  ],
  [
    'no UUID for an identity',
    'tags',
    line(tag(1, { id: 'T-1' })),
    [['tags.ndjson:1', '/id', 'T-1', notUuid]],
  ],
  [
    'no UUID for a reference',
    'order-items',
    line(item({ orderId: 'PO-1' })),
    [['order-items.ndjson:1', '/orderId', 'PO-1', notUuid]],
  ],
  [
    'a whole number beyond what is exact',
    'order-items',
    withQty('9007199254740993'),
    [['order-items.ndjson:1', '/qty', '9007199254740992', integerRange]],
  ],
  [
    'a whole number far below what is exact',
    'order-items',
    withQty('-1e300'),
    [['order-items.ndjson:1', '/qty', '-1e+300', integerRange]],
  ],
  [
    'a number that no computer holds',
    'order-items',
    withQty('1e400'),
    [['order-items.ndjson:1', '/qty', 'Infinity', notInteger]],
  ],
  [
    'a fraction for a whole number',
    'order-items',
    withQty('1.5'),
    [['order-items.ndjson:1', '/qty', '1.5', notInteger]],
  ],
  [
    'a number that no computer holds in a free value',
    'orders',
    withFields('{"a":[1,-1e999]}'),
    [['orders.ndjson:1', '/customFields/a/1', '-Infinity', 'must be a finite number']],
  ],
  [
    'half a character',
    'tags',
    line(tag(1, { name: 'a' })).replace('"a"', '"a\\ud800"'),
    [['tags.ndjson:1', '/name', 'a\ufffd', half]],
  ],
  [
    'half a character in a free value',
    'orders',
    withFields('{"a":"\\udfff"}'),
    [['orders.ndjson:1', '/customFields/a', '\ufffd', half]],
  ],
  [
    'a NUL character',
    'tags',
    line(tag(1, { name: 'a\u0000b' })),
    [['tags.ndjson:1', '/name', 'a\\u0000b', nul]],
  ],
  [
    'a NUL character in a name in a free value',
    'orders',
    withFields('{"a\\u0000b":1}'),
    [['orders.ndjson:1', '/customFields/a\\u0000b', '1', nul]],
  ],
  [
    'what a terminal would obey, shown harmless',
    'tags',
    line(tag(1, { id: '\u001b[2J\r\n\u009b' })),
    [['tags.ndjson:1', '/id', '\\u001b[2J\\u000d\\u000a\\u009b', notUuid]],
  ],
  [
    'a long value, shown cut',
    'tags',
    line(tag(1, { id: 'x'.repeat(1_000), name: 'Core' })),
    [['tags.ndjson:1', '/id', `${'x'.repeat(100)}…`, notUuid]],
  ],
  [
    'a day that is not in the calendar',
    'orders',
    line(order({ orderDate: '2026-02-29' })),
    [['orders.ndjson:1', '/orderDate', '2026-02-29', 'must be a date such as 2026-03-01']],
  ],
  [
    'a timestamp without its zone',
    'tags',
    line(tag(1, { createdAt: '2026-03-01T09:30:00' })),
    [
      [
        'tags.ndjson:1',
        '/createdAt',
        '2026-03-01T09:30:00',
        'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00',
      ],
    ],
  ],
  [
    'an amount that is a number',
    'order-items',
    line(item({ unitPrice: 12.5 })),
    [
      [
        'order-items.ndjson:1',
        '/unitPrice',
        '12.5',
        'must be a decimal number as a string, such as "12.50"',
      ],
    ],
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map(
    (name) =>
      [
        `a field named ${name}`,
        'tags',
        line(tag(1)).replace('{', `{"${name}":{"admin":true},`),
        [['tags.ndjson:1', `/${name}`, '{"admin":true}', noField]],
      ] as const,
  ),
  [
    'a field named __proto__ in a free value',
    'orders',
    withFields('{"a":{"__proto__":{"admin":true}}}'),
    [
      [
        'orders.ndjson:1',
        '/customFields/a/__proto__',
        '{"admin":true}',
        'is not a name a field may have',
      ],
    ],
  ],
  [
    'brackets nested a hundred thousand deep',
    'tags',
    `${line(tag(1))}${'['.repeat(depth)}${']'.repeat(depth)}\n`,
    [['tags.ndjson:2', '', `${'['.repeat(100)}…`, 'must be an object']],
  ],
  [
    'brackets that never close',
    'tags',
    `${line(tag(1))}${'['.repeat(depth)}\n`,
    [['tags.ndjson:2', '', `${'['.repeat(100)}…`, jsonProblem('['.repeat(depth))]],
  ],
  [
    'a free value nested a hundred thousand deep',
    'orders',
    withFields(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    [
      [
        'orders.ndjson:1',
        `/customFields${'/a'.repeat(65)}`,
        `${'{"a":'.repeat(20)}…`,
        'is nested deeper than 64 levels',
      ],
    ],
  ],
  [
    'bytes that are not UTF-8',
    'tags',
    Buffer.concat([Buffer.from(line(tag(1))), Buffer.from([0x22, 0xe9, 0x22, 0x0a])]),
    [['tags.ndjson:2', '', '"é"', notUtf8]],
  ],
  [
    'a character cut short at the end of the file',
    'tags',
    Buffer.from([0x22, 0xe2, 0x82]),
    [['tags.ndjson:1', '', '"â\\u0082', notUtf8]],
  ],
  [
    'a line of 17 MiB',
    'tags',
    Buffer.concat([
      Buffer.from(line(tag(1))),
      Buffer.alloc(17 * 1_024 * 1_024, 0x20),
      Buffer.from(`\n${bad}\n`),
    ]),
    [
      ['tags.ndjson:2', '', '', tooLongToRead],
      ['tags.ndjson:3', '', bad, jsonProblem(bad)],
    ],
  ],
  [
    'the same identity twice',
    'tags',
    line(tag(1)) + line(tag(2)) + line(tag(1, { name: 'Other' })) + line(tag(1)),
    [
      [
        'tags.ndjson:3',
        '',
        idOf(1),
        `has the same identity as line 1 of tags.ndjson, and differs in name: "Other" here, "core ${idOf(1)}" there: keep one of them`,
      ],
      ['tags.ndjson:4', '', idOf(1), 'has the same identity as line 1 of tags.ndjson'],
    ],
  ],
  [
    'the same identity of two parts twice',
    'product-tags',
    line(recordsAt('product-tags')[0] ?? {}).repeat(2),
    [
      [
        'product-tags.ndjson:2',
        '',
        ['productId', 'tagId'].map((name) => recordsAt('product-tags')[0]?.[name]).join(' '),
        'has the same identity as line 1 of product-tags.ndjson',
      ],
    ],
  ],
  [
    'a reference to nothing',
    'order-items',
    line(item({})) + line(item({ id: idOf(2), skuId: idOf(9) })),
    [['order-items.ndjson:2', '/skuId', idOf(9), dangling('skus')]],
  ],
  [
    'a reference to a record of another brand',
    'order-items',
    line(item({ orderId: idOf(77) })),
    [['order-items.ndjson:1', '/orderId', idOf(77), dangling('orders')]],
  ],
  [
    'a reference to nothing inside an object',
    'partners',
    line(
      changed('partners', { relationship: { ...relationship(), defaultPaymentTermId: idOf(9) } }),
    ),
    [
      [
        'partners.ndjson:1',
        '/relationship/defaultPaymentTermId',
        idOf(9),
        dangling('payment-terms'),
      ],
    ],
  ],
  [
    'a reference to nothing in its own collection',
    'categories',
    line(changed('categories', { id: idOf(1), parentCategoryId: idOf(9) })),
    [['categories.ndjson:1', '/parentCategoryId', idOf(9), dangling('categories')]],
  ],
  [
    'several things at once',
    'tags',
    line({ ...tag(1, { id: 1, name: null, extra: [] }), code: undefined }),
    [
      ['tags.ndjson:1', '/id', '1', notUuid],
      ['tags.ndjson:1', '/name', 'null', 'must not be null'],
      ['tags.ndjson:1', '/code', '', 'is missing'],
      ['tags.ndjson:1', '/extra', '[]', noField],
    ],
  ],
]

describe('a row is refused for', () => {
  for (const [name, path, content, expected] of badRows) {
    it(name, async () => {
      const earlier = await storedState(main)
      const result = await importInto(main, { [`${path}.ndjson`]: content })
      assert.deepEqual(result.reported, expected)
      assert.equal(result.errors, expected.length)
      assert.equal(result.written, false)
      assert.equal(result.refused, true)
      const rows = new Set(expected.map(([place]) => place)).size
      assert.equal(result.collections[0]?.refused, rows)
      assert.equal(await storedState(main), earlier)
    })
  }

  it('an identity that another file has', async () => {
    const { reported } = await importInto(main, {
      'tags.json': JSON.stringify([tag(1), tag(2)], null, 1),
      'tags.ndjson': line(tag(3)) + line(tag(2)),
    })
    assert.deepEqual(reported, [
      ['tags.ndjson:2', '', idOf(2), 'has the same identity as line 10 of tags.json'],
    ])
  })

  it('a reference to a row that was refused', async () => {
    const { reported } = await importInto(main, {
      'order-items.ndjson': line(item({ orderId: idOf(1) })),
      'orders.ndjson': line(order({ currency: 7 })),
    })
    assert.deepEqual(reported, [
      ['orders.ndjson:1', '/currency', '7', notString],
      ['order-items.ndjson:1', '/orderId', idOf(1), dangling('orders')],
    ])
  })

  it('being a brand’s record of another slug, or a second one', async () => {
    const another = await importInto(main, { 'brand.ndjson': line(brandRecord('other', 3)) })
    assert.deepEqual(another.reported, [
      ['brand.ndjson:1', '/slug', 'other', `must be ${brand}, the brand of this import`],
    ])
    const second = await importInto(
      main,
      { 'brand.ndjson': line(brandRecord('twin', 2)) + line(brandRecord('twin', 4)) },
      { owner: 'twin' },
    )
    assert.deepEqual(second.reported, [
      ['brand.ndjson:2', '', idOf(4), 'is a second record of the brand; a brand has exactly one'],
    ])
  })

  it('reasons that leave the objects of this process as they were', () => {
    assert.equal(({} as { admin?: boolean }).admin, undefined)
  })
})
