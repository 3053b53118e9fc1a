/** Import: what is refused and in which words, what is taken, and what is left alone. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  catalog,
  type Field,
  type Fields,
  type Kind,
  limits,
  type Resource,
  resourceAt,
} from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { findSources, type IngestResult, SourceRefused } from '#ingest'
import { sharedOwner } from '#store'
import { openProgress } from '../../src/cli/progress.ts'
import { mainFile, ndjson, openWorkplace } from '../support/command.ts'
import { type Files, openImporting, type Told } from '../support/importing.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const story = await openStory()
const brand = story.brand
const { folder, lay, openRecords, importInto, standing, stored } = openImporting()
after(() => rmSync(folder, { recursive: true, force: true }))

const tally = ({ collections }: IngestResult) =>
  Object.fromEntries(
    collections.map(({ collection, read, added, changed, unchanged, removed, refused }) => [
      collection,
      { read, added, changed, unchanged, removed, refused },
    ]),
  )

const nothing = { read: 0, added: 0, changed: 0, unchanged: 0, removed: 0, refused: 0 }

const changed = (path: string, changes: object, index = 0): DemoRecord => ({
  ...recordsAt(path)[index],
  ...changes,
})
const tag = (number: number, changes: object = {}): DemoRecord =>
  changed('tags', { id: idOf(number), ...changes })
const line = (record: object): string => `${JSON.stringify(record)}\n`

const filesOf = (records: { readonly [path: string]: readonly DemoRecord[] }): Files =>
  Object.fromEntries(
    Object.entries(records).map(([path, each]) => [`${path}.ndjson`, ndjson(each)]),
  )

const quoted = (cell: unknown): string => {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
const reversed = (record: DemoRecord) => Object.fromEntries(Object.entries(record).reverse())
const escaped = (found: string) =>
  [...Array(found.length).keys()]
    .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')

function relationship(): DemoRecord {
  return recordsAt('partners')[0]?.['relationship'] as DemoRecord
}

const main = await openRecords('main.db')

before(async () => {
  await importInto(main, filesOf(story.shared), { owner: sharedOwner })
  await importInto(main, filesOf(story.records))
  await importInto(main, { 'brand.ndjson': line(brandRecord('twin', 2)) }, { owner: 'twin' })
  const theirs = { 'orders.ndjson': line(changed('orders', { id: idOf(77) })) }
  await importInto(main, theirs, { owner: 'twin', allowDangling: true })
})

const jsonProblem = (text: string): string => {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
}

const text = 'must be a string'
const uuid = 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
const nul = 'must not contain a NUL character'
const half = 'must not contain half a character (a lone surrogate)'
const whole = 'must be a whole number'
const range = `${whole} from ${limits.integer.minimum} to ${limits.integer.maximum}`
const notUtf8 = 'is not valid UTF-8: save the file as UTF-8'
const tooLongToRead =
  'is a row of more than 16,777,216 bytes, which is not read: a record has at most 262,144 bytes'
const noField = 'is not a field'
const nowhere = (to: string) =>
  `refers to a record of ${to} that is neither in this import nor stored`
const depth = 100_000
const bad = '{"id": nonsense}'
const item = (changes: object) => changed('order-items', { id: idOf(1), ...changes })
const order = (changes: object) => changed('orders', { id: idOf(1), ...changes })
const withQty = (number: string) =>
  `${JSON.stringify(item({ qty: 0 })).replace('"qty":0', `"qty":${number}`)}\n`
const withFields = (json: string) =>
  `${JSON.stringify(order({ customFields: 0 })).replace('"customFields":0', `"customFields":${json}`)}\n`

/** Sentence, file, its content, and what is told of it: place, field, value and reason. */
const badRows: readonly (readonly [string, string, string | Uint8Array, readonly Told[]])[] = [
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
  ['a wrong type', 'tags', line(tag(1, { name: 7 })), [['tags.ndjson:1', '/name', '7', text]]],
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
    [['partners.ndjson:1', '/certifications/1', '7', text]],
  ],
  [
    'no UUID for an identity',
    'tags',
    line(tag(1, { id: 'T-1' })),
    [['tags.ndjson:1', '/id', 'T-1', uuid]],
  ],
  [
    'no UUID for a reference',
    'order-items',
    line(item({ orderId: 'PO-1' })),
    [['order-items.ndjson:1', '/orderId', 'PO-1', uuid]],
  ],
  [
    'a whole number beyond what is exact',
    'order-items',
    withQty('9007199254740993'),
    [['order-items.ndjson:1', '/qty', '9007199254740992', range]],
  ],
  [
    'a whole number far below what is exact',
    'order-items',
    withQty('-1e300'),
    [['order-items.ndjson:1', '/qty', '-1e+300', range]],
  ],
  [
    'a number that no computer holds',
    'order-items',
    withQty('1e400'),
    [['order-items.ndjson:1', '/qty', 'Infinity', whole]],
  ],
  [
    'a fraction for a whole number',
    'order-items',
    withQty('1.5'),
    [['order-items.ndjson:1', '/qty', '1.5', whole]],
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
    [['tags.ndjson:1', '/id', '\\u001b[2J\\u000d\\u000a\\u009b', uuid]],
  ],
  [
    'a long value, shown cut',
    'tags',
    line(tag(1, { id: 'x'.repeat(1_000) })),
    [['tags.ndjson:1', '/id', `${'x'.repeat(100)}…`, uuid]],
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
      ['tags.ndjson:3', '', idOf(1), 'has the same identity as line 1 of tags.ndjson'],
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
    [['order-items.ndjson:2', '/skuId', idOf(9), nowhere('skus')]],
  ],
  [
    'a reference to a record of another brand',
    'order-items',
    line(item({ orderId: idOf(77) })),
    [['order-items.ndjson:1', '/orderId', idOf(77), nowhere('orders')]],
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
        nowhere('payment-terms'),
      ],
    ],
  ],
  [
    'a reference to nothing in its own collection',
    'categories',
    line(changed('categories', { id: idOf(1), parentCategoryId: idOf(9) })),
    [['categories.ndjson:1', '/parentCategoryId', idOf(9), nowhere('categories')]],
  ],
  [
    'several things at once',
    'tags',
    line({ ...tag(1, { id: 1, name: null, extra: [] }), code: undefined }),
    [
      ['tags.ndjson:1', '/id', '1', uuid],
      ['tags.ndjson:1', '/name', 'null', 'must not be null'],
      ['tags.ndjson:1', '/code', '', 'is missing'],
      ['tags.ndjson:1', '/extra', '[]', noField],
    ],
  ],
]

describe('a file that is large enough to be read in a thread of its own', () => {
  const count = 20_000
  const text = Array.from({ length: count }, (_, n) => line(tag(n, { code: `large-${n}` })))
  const large = text.join('')

  it('is brought in like any other', async () => {
    const open = await openRecords('large.db')
    await importInto(open, filesOf(story.shared), { owner: sharedOwner })
    await importInto(open, filesOf(story.records))
    const before = (await stored(open, 'tags')).length
    const plain = await importInto(open, { 'tags.ndjson': large })
    assert.deepEqual([plain.collections[0]?.added, plain.written], [count, true])
    const again = await importInto(open, { 'tags.ndjson.gz': gzipSync(large) })
    assert.deepEqual([again.collections[0]?.unchanged, again.errors], [count, 0])
    assert.equal((await stored(open, 'tags')).length, before + count)
  })

  it('is told about line by line', async () => {
    const rows = [...text]
    rows[12_344] = line(tag(12_344, { name: 7 }))
    rows[19_999] = text[3] ?? ''
    const { told, written } = await importInto(main, { 'tags.ndjson': rows.join('') })
    assert.deepEqual(told, [
      ['tags.ndjson:12345', '/name', '7', 'must be a string'],
      ['tags.ndjson:20000', '', idOf(3), 'has the same identity as line 4 of tags.ndjson'],
    ])
    assert.equal(written, false)
  })

  it('may have a row with megabytes of white space, and long rows of CSV', async () => {
    const long = line(tag(1)).replace('{', `{${' '.repeat(12 * 2 ** 20)}`)
    const wide = await importInto(main, { 'tags.ndjson': long }, { dryRun: true })
    assert.deepEqual([wide.errors, wide.collections[0]?.read], [0, 1])
    const rows = Array.from({ length: 600 }, (_, n) => tag(n, { name: 'y'.repeat(20_000) }))
    const csv = csvOf(resourceAt(catalog, 'tags'), rows)
    const result = await importInto(main, { 'tags.csv': csv }, { dryRun: true })
    assert.deepEqual([result.errors, result.collections[0]?.read], [0, 600])
  })

  it('is refused as a whole where it cannot be read', async () => {
    const cut = gzipSync(large, { level: 0 }).subarray(0, -1_000)
    await assert.rejects(importInto(main, { 'tags.ndjson.gz': cut }), {
      constructor: SourceRefused,
      message: 'tags.ndjson.gz is not whole gzip: Z_BUF_ERROR',
    })
  })
})

describe('a row is refused for', () => {
  for (const [name, path, content, expected] of badRows) {
    it(name, async () => {
      const earlier = await standing(main)
      const result = await importInto(main, { [`${path}.ndjson`]: content })
      assert.deepEqual(result.told, expected)
      assert.equal(result.errors, expected.length)
      assert.equal(result.written, false)
      assert.equal(result.refused, true)
      const rows = new Set(expected.map(([place]) => place)).size
      assert.equal(result.collections[0]?.refused, rows)
      assert.equal(await standing(main), earlier)
    })
  }

  it('an identity that another file has', async () => {
    const { told } = await importInto(main, {
      'tags.json': JSON.stringify([tag(1), tag(2)], null, 1),
      'tags.ndjson': line(tag(3)) + line(tag(2)),
    })
    assert.deepEqual(told, [
      ['tags.ndjson:2', '', idOf(2), 'has the same identity as line 10 of tags.json'],
    ])
  })

  it('a reference to a row that was refused', async () => {
    const { told } = await importInto(main, {
      'order-items.ndjson': line(item({ orderId: idOf(1) })),
      'orders.ndjson': line(order({ currency: 7 })),
    })
    assert.deepEqual(told, [
      ['orders.ndjson:1', '/currency', '7', text],
      ['order-items.ndjson:1', '/orderId', idOf(1), nowhere('orders')],
    ])
  })

  it('being a brand’s record of another slug, or a second one', async () => {
    const another = await importInto(main, { 'brand.ndjson': line(brandRecord('other', 3)) })
    assert.deepEqual(another.told, [
      ['brand.ndjson:1', '/slug', 'other', `must be ${brand}, the brand of this import`],
    ])
    const second = await importInto(
      main,
      { 'brand.ndjson': line(brandRecord('twin', 2)) + line(brandRecord('twin', 4)) },
      { owner: 'twin' },
    )
    assert.deepEqual(second.told, [
      ['brand.ndjson:2', '', idOf(4), 'is a second record of the brand, which has one only'],
    ])
  })

  it('reasons that leave the objects of this process as they were', () => {
    assert.equal(({} as { admin?: boolean }).admin, undefined)
  })
})

describe('a file is refused that', () => {
  const tags = JSON.stringify([tag(1), tag(2)])
  const csv = (...rows: string[]) => `${rows.join('\n')}\n`
  const head = 'id,name,code,uiColor,createdAt,updatedAt'
  const cells = Object.values(tag(1)).join()
  const zipped = gzipSync(ndjson(Array.from({ length: 100 }, (_, index) => tag(index))))
  const flipped = Buffer.from(zipped)
  flipped[200] = (flipped[200] ?? 0) ^ 0xff
  const longLine = Buffer.concat([Buffer.from(`${head}\n`), Buffer.alloc(17 * 1_024 * 1_024, 0x61)])

  for (const [name, file, content, message] of [
    ['is cut gzip', 'tags.ndjson.gz', zipped.subarray(0, 300), 'is not whole gzip: Z_BUF_ERROR'],
    [
      'is cut gzip of CSV',
      'tags.csv.gz',
      gzipSync(csv(head, cells)).subarray(0, -9),
      'is not whole gzip: Z_BUF_ERROR',
    ],
    [
      'is cut gzip of JSON',
      'tags.json.gz',
      gzipSync(tags).subarray(0, -9),
      'is not whole gzip: Z_BUF_ERROR',
    ],
    ['is damaged gzip', 'tags.ndjson.gz', flipped, 'is not whole gzip: Z_DATA_ERROR'],
    ['is no gzip', 'tags.ndjson.gz', ndjson([tag(1)]), 'is not whole gzip: Z_DATA_ERROR'],
    ['is empty gzip', 'tags.csv.gz', '', 'is not whole gzip: Z_BUF_ERROR'],
    [
      'is gzip of garbage',
      'tags.json.gz',
      gzipSync('garbage'),
      'does not begin with [ as a JSON array does',
    ],
    [
      'is no JSON array',
      'tags.json',
      JSON.stringify(tag(1)),
      'does not begin with [ as a JSON array does: if it has one record on each line, name it .ndjson, or use --format ndjson',
    ],
    ['is an empty JSON file', 'tags.json', '', 'is empty: a JSON array begins with ['],
    ['is blank', 'tags.json', '\ufeff \r\n\t', 'is empty: a JSON array begins with ['],
    ['is an array cut off', 'tags.json', tags.slice(0, -1), 'ends before its array does'],
    [
      'is an array cut inside a string',
      'tags.json',
      tags.slice(0, 60),
      'ends before its array does',
    ],
    [
      'goes on after its array',
      'tags.json',
      `${tags}\n[]`,
      'goes on after the array has ended, in line 2',
    ],
    [
      'ends its array with a comma',
      'tags.json',
      `[${JSON.stringify(tag(1))},\n]`,
      'has a comma without a record beside it, in line 2',
    ],
    [
      'begins its array with a comma',
      'tags.json',
      '[,{}]',
      'has a comma without a record beside it, in line 1',
    ],
    ['is an empty CSV file', 'tags.csv', '', 'is empty: its first row names the fields'],
    [
      'has a quote that does not close',
      'tags.csv',
      csv(head, `"${cells}`),
      'is not CSV: Quote Not Closed: the parsing is finished with an opening quote at line 2',
    ],
    [
      'has a quote inside a cell',
      'tags.csv',
      csv(head, cells.replace(',', ',a"b')),
      'is not CSV: Invalid Opening Quote: a quote is found on field "name" at line 2, value is "a"',
    ],
    [
      'is CSV and not UTF-8',
      'tags.csv',
      Buffer.from(csv(head, cells, cells.replace(/,./, ',\u00f6')), 'latin1'),
      'is not valid UTF-8 in line 3: save it as UTF-8 (in Excel: CSV UTF-8)',
    ],
    [
      'is CSV in UTF-16',
      'tags.csv',
      Buffer.from(`\ufeff${csv(head, cells)}`, 'utf16le'),
      'is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)',
    ],
    [
      'is CSV with a line of 17 MiB',
      'tags.csv',
      longLine,
      'has a line longer than 16,777,216 bytes',
    ],
  ] as const) {
    it(name, async () => {
      const earlier = await standing(main)
      await assert.rejects(importInto(main, { [file]: content }), {
        constructor: SourceRefused,
        message: `${file} ${message}`,
      })
      assert.equal(await standing(main), earlier)
    })
  }

  const named = 'name the file after one, such as orders.ndjson, or use --collection'

  for (const [name, files, at, message] of [
    ['is not there', {}, 'tags.ndjson', 'tags.ndjson is not there or cannot be read'],
    [
      'is named after nothing known',
      { 'labels.ndjson': '' },
      'labels.ndjson',
      `labels.ndjson: there is no collection labels; ${named}`,
    ],
    [
      'is named after a thing every object has',
      { 'constructor.ndjson': '' },
      'constructor.ndjson',
      `constructor.ndjson: there is no collection constructor; ${named}`,
    ],
    [
      'does not say its format',
      { tags: '' },
      'tags',
      'tags does not say its format: name it like orders.ndjson, orders.json or orders.csv (each also .gz), or use --format',
    ],
    [
      'does not say its collection',
      { 'data-1.json': '' },
      'data-1.json',
      `data-1.json: there is no collection data-1; ${named}`,
    ],
    [
      'is standard input without a collection',
      {},
      '-',
      'Standard input does not say what it holds: use --collection',
    ],
  ] as const) {
    it(name, async () => {
      await assert.rejects(importInto(main, files, { at: [at] }), {
        constructor: SourceRefused,
        message,
      })
    })
  }

  it('is in a folder in which nothing is named after a collection', async () => {
    const at = lay({ 'readme.md': '', 'labels.csv': '' })
    await assert.rejects(findSources([at], { catalog, input: Readable.from([]) }), {
      message: `${at} has no file named after a collection, such as orders.ndjson`,
    })
  })

  it('belongs to another scope', async () => {
    const shared = { 'countries.ndjson': ndjson(recordsAt('countries')) }
    await assert.rejects(importInto(main, shared), {
      message: 'countries is shared by all brands: import it with --shared',
    })
    const tags = { 'tags.ndjson': line(tag(1)) }
    await assert.rejects(importInto(main, tags, { owner: sharedOwner }), {
      message: 'tags belongs to a brand: use --brand <slug>',
    })
  })

  it('follows files that were good, and then none of them is taken', async () => {
    const earlier = await standing(main)
    const files = { 'colors.ndjson': line(changed('colors', { id: idOf(5) })), 'tags.json': '[' }
    await assert.rejects(importInto(main, files), {
      message: 'tags.json ends before its array does',
    })
    assert.equal(await standing(main), earlier)
  })
})

describe('a file is taken that', () => {
  const three = [
    tag(1),
    tag(2, { name: 'Zweite, "ganz" neu' }),
    tag(3, { name: '三\u2028\u{1f9f5}' }),
  ]
  const head = Object.keys(tag(1))
  const csv = (end = '\n', records: readonly DemoRecord[] = three) =>
    [head, ...records.map((record) => head.map((name) => record[name]))]
      .map((row) => row.map(quoted).join() + end)
      .join('')
  const cut = (content: string) => content.slice(0, -1)
  const big = tag(4, { name: 'x'.repeat(250_000) })

  for (const [name, file, content, records = three] of [
    ['begins with a byte order mark', 'tags.ndjson', `\ufeff${ndjson(three)}`],
    ['has CRLF', 'tags.ndjson', ndjson(three).replaceAll('\n', '\r\n')],
    ['has no newline at its end', 'tags.ndjson', cut(ndjson(three))],
    ['has blank lines', 'tags.ndjson', `\n${ndjson(three).replaceAll('\n', '\n  \n\n')}\n`],
    ['is named .jsonl', 'tags.jsonl', ndjson(three)],
    ['is empty', 'tags.ndjson', '', []],
    ['is empty but for a byte order mark', 'tags.ndjson', '\ufeff', []],
    ['has a long line', 'tags.ndjson', ndjson([big]), [big]],
    ['has the names of its fields in any order', 'tags.ndjson', ndjson(three.map(reversed))],
    [
      'writes characters as escapes',
      'tags.ndjson',
      ndjson(three).replaceAll(/[^\0-\x7f]/g, escaped),
    ],
    ['is gzip', 'tags.ndjson.gz', gzipSync(ndjson(three))],
    [
      'is gzip in parts',
      'tags.ndjson.gz',
      Buffer.concat(three.map((each) => gzipSync(line(each)))),
    ],
    ['is a JSON array', 'tags.json', JSON.stringify(three)],
    [
      'is a JSON array over many lines',
      'tags.json',
      JSON.stringify(three, null, '\t').replaceAll('\n', '\r\n'),
    ],
    [
      'is a JSON array after a byte order mark',
      'tags.json',
      `\ufeff\n ${JSON.stringify(three)}\n\n`,
    ],
    ['is an empty JSON array', 'tags.json', ' [ ] ', []],
    ['is a JSON array of a long element', 'tags.json', JSON.stringify([big]), [big]],
    ['is a gzip of a JSON array', 'tags.json.gz', gzipSync(JSON.stringify(three))],
    ['is CSV', 'tags.csv', csv()],
    ['is CSV after a byte order mark', 'tags.csv', `\ufeff${csv()}`],
    ['is CSV with CRLF', 'tags.csv', csv('\r\n')],
    [
      'is CSV with LF after the header and CRLF after that',
      'tags.csv',
      csv('\r\n').replace('\r', ''),
    ],
    ['is CSV without a newline at its end', 'tags.csv', cut(csv())],
    ['is CSV with blank lines', 'tags.csv', csv('\n\n\n')],
    ['is CSV of a header only', 'tags.csv', csv('\n', []), []],
    [
      'is CSV with newlines in cells',
      'tags.csv',
      csv('\n', [tag(1, { name: 'a\nb\r\nc\n' })]),
      [tag(1, { name: 'a\nb\r\nc\n' })],
    ],
    ['is CSV with a long cell', 'tags.csv', csv('\n', [big]), [big]],
    ['is a gzip of CSV', 'tags.csv.gz', gzipSync(csv())],
  ] as const) {
    it(name, async () => {
      const own = { owner: 'twin', replace: true }
      const result = await importInto(main, { [file]: content }, own)
      assert.deepEqual(result.told, [])
      assert.equal(result.collections[0]?.read, records.length)
      assert.equal(result.written, true)
      assert.deepEqual(await stored(main, 'tags', 'twin'), records)
    })
  }

  it('is CSV whose nullable columns are left out, empty or in another order', async () => {
    const rows = ['updatedAt,name,createdAt,id,uiColor', 'T,"",T,1,', 'T,a,T,2,""', 'T,b,T,3,#fff']
    const content = rows
      .join('\n')
      .replaceAll(/\bT\b/g, '2026-01-01T00:00:00.000Z')
      .replaceAll(/,(\d),/g, (_, number) => `,${idOf(Number(number))},`)
    await importInto(main, { 'tags.csv': content }, { owner: 'twin', replace: true })
    const kept = await stored(main, 'tags', 'twin')
    assert.deepEqual(
      kept.map(({ name, code, uiColor }) => [name, code, uiColor]),
      [
        ['', null, null],
        ['a', null, ''],
        ['b', null, '#fff'],
      ],
    )
  })
})

describe('a row of CSV', () => {
  const head = 'id,name,code,uiColor,createdAt,updatedAt'
  const at = '2026-01-01T00:00:00.000Z'
  const good = (number: number, name = 'a') => `${idOf(number)},${name},,,${at},${at}`

  for (const [name, path, rows, expected] of [
    [
      'with too few or too many cells is refused, and the others are read',
      'tags',
      [head, `${idOf(1)},a`, good(2), `${good(3)},x,y`, 'a', good(4).replace('a', '"a')],
      null,
    ],
    [
      'is named by the line it begins in, however many its cells are over',
      'tags',
      [
        head,
        '',
        good(1, '"a\r\nb\nc\rd"'),
        good(2, '"\n\n"').replace('-4', '-X'),
        good(3).replace('-4', '-Y'),
        '',
        `${idOf(4)}`,
      ],
      [
        ['tags.csv:7', '/id', idOf(2).replace('-4', '-X'), uuid],
        ['tags.csv:10', '/id', idOf(3).replace('-4', '-Y'), uuid],
        ['tags.csv:12', '', idOf(4), 'has 1 cell where the header has 6'],
      ],
    ],
    [
      'with an empty cell where there must be a value is refused',
      'tags',
      [head, good(1, ''), good(2).replace(at, '')],
      [
        ['tags.csv:2', '/name', 'null', 'must not be null'],
        ['tags.csv:3', '/createdAt', 'null', 'must not be null'],
      ],
    ],
    [
      'with a NUL character in a cell is refused',
      'tags',
      [head, good(1, 'a\u0000b')],
      [['tags.csv:2', '/name', 'a\\u0000b', nul]],
    ],
    [
      'with no number where there must be one is refused',
      'options',
      columns(
        'options',
        ['sequence'],
        [['one'], ['1.0'], ['9007199254740992'], ['12345678901234567'], ['0x10'], [' 1']],
      ),
      [
        ['options.csv:2', '/sequence', 'one', whole],
        ['options.csv:3', '/sequence', '1.0', whole],
        ['options.csv:4', '/sequence', '9007199254740992', range],
        ['options.csv:5', '/sequence', '12345678901234567', whole],
        ['options.csv:6', '/sequence', '0x10', whole],
        ['options.csv:7', '/sequence', ' 1', whole],
      ],
    ],
    [
      'with no truth where there must be one is refused',
      'contacts',
      columns('contacts', ['isPrimary'], [['yes'], ['TRUE'], ['1'], ['']]),
      [
        ['contacts.csv:2', '/isPrimary', 'yes', 'must be true or false'],
        ['contacts.csv:3', '/isPrimary', 'TRUE', 'must be true or false'],
        ['contacts.csv:4', '/isPrimary', '1', 'must be true or false'],
        ['contacts.csv:5', '/isPrimary', 'null', 'must not be null'],
      ],
    ],
    [
      'with a cell that is not the JSON it should be is refused',
      'partners',
      columns(
        'partners',
        ['certifications', 'relationship.customFields'],
        [
          ['GOTS', ''],
          ['["a"]', '{a:1}'],
          ['{}', '1'],
          ['["a",1]', '{"__proto__":1}'],
        ],
      ),
      [
        [
          'partners.csv:2',
          '/certifications',
          'GOTS',
          'is not JSON, as a cell of this field must be',
        ],
        [
          'partners.csv:3',
          '/relationship/customFields',
          '{a:1}',
          'is not JSON, as a cell of this field must be',
        ],
        ['partners.csv:4', '/certifications', '{}', 'must be an array of strings'],
        ['partners.csv:5', '/certifications/1', '1', text],
        [
          'partners.csv:5',
          '/relationship/customFields/__proto__',
          '1',
          'is not a name a field may have',
        ],
      ],
    ],
    [
      'that points at nothing is refused by the nested field’s name',
      'partners',
      columns('partners', ['relationship.defaultPaymentTermId'], [[idOf(9)]]),
      [['partners.csv:2', '/relationship/defaultPaymentTermId', idOf(9), nowhere('payment-terms')]],
    ],
  ] as const) {
    it(name, async () => {
      const files = { [`${path}.csv`]: `${rows.join('\n')}\n` }
      if (expected === null) {
        await assert.rejects(importInto(main, files), /Quote Not Closed/)
        const fewer = { [`${path}.csv`]: `${rows.slice(0, -1).join('\n')}\n` }
        const { told, collections } = await importInto(main, fewer, { dryRun: true })
        assert.deepEqual(
          told.map(([place, , , reason]) => [place, reason]),
          [
            ['tags.csv:2', 'has 2 cells where the header has 6'],
            ['tags.csv:4', 'has 8 cells where the header has 6'],
            ['tags.csv:5', 'has 1 cell where the header has 6'],
          ],
        )
        assert.deepEqual([collections[0]?.read, collections[0]?.refused], [4, 3])
        return
      }
      const { told, written } = await importInto(main, files)
      assert.deepEqual(told, expected)
      assert.equal(written, false)
    })
  }
})

/** Rows of CSV: the story's first record, with some cells as given. */
function columns(
  path: string,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const record = recordsAt(path)[0] ?? {}
  const all = leavesOf(resourceAt(catalog, path))
  const others = all.map(([name]) => name).filter((name) => !names.includes(name))
  const cells = new Map(all.map(([name, field]) => [name, cellOf(field, at(record, name))]))
  return [
    [...names, ...others].join(),
    ...rows.map((row, index) =>
      [
        ...row.map(quoted),
        ...others.map((name) => (name === 'id' ? idOf(index + 1) : quoted(cells.get(name)))),
      ].join(),
    ),
  ]
}

function leavesOf({ fields }: Pick<Resource, 'fields'>, prefix = ''): [string, Field][] {
  return Object.entries(fields as Fields).flatMap(([name, field]): [string, Field][] =>
    field.kind === 'object'
      ? leavesOf({ fields: field.fields ?? {} }, `${prefix}${name}.`)
      : [[prefix + name, field]],
  )
}

function at(record: DemoRecord, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => (value as DemoRecord)?.[name], record)
}

function cellOf({ kind }: Field, value: unknown): string {
  const asJson: readonly Kind[] = ['any', 'texts', 'objects']
  if (value === null) return ''
  return asJson.includes(kind) ? JSON.stringify(value) : String(value)
}

const csvOf = (resource: Resource, records: readonly DemoRecord[]): string => {
  const leaves = leavesOf(resource)
  const rows = records.map((record) =>
    leaves.map(([name, field]) => {
      const value = at(record, name)
      return value === '' ? '""' : quoted(cellOf(field, value))
    }),
  )
  return [leaves.map(([name]) => name), ...rows].map((row) => `${row.join()}\r\n`).join('')
}

describe('the whole story', () => {
  const forms: readonly (readonly [
    string,
    (resource: Resource, records: readonly DemoRecord[]) => string | Buffer,
  ])[] = [
    ['json', (_, records) => JSON.stringify(records, null, 2)],
    ['csv', csvOf],
    ['ndjson.gz', (_, records) => gzipSync(ndjson(records))],
    ['json.gz', (_, records) => gzipSync(JSON.stringify(records))],
    ['csv.gz', (resource, records) => gzipSync(csvOf(resource, records))],
  ]
  const inForm = (records: Record<string, readonly DemoRecord[]>, form: (typeof forms)[number]) =>
    Object.fromEntries(
      Object.entries(records).map(([path, each]) => [
        `${path}.${form[0]}`,
        form[1](resourceAt(catalog, path), each),
      ]),
    )

  for (const form of forms) {
    it(`as ${form[0]} is what it is as NDJSON, and changes nothing that is stored`, async () => {
      const earlier = await standing(main)
      for (const [owner, records] of [
        [sharedOwner, story.shared],
        [brand, story.records],
      ] as const) {
        const files = inForm(records, form)
        const result = await importInto(main, files, { owner, replace: true })
        assert.deepEqual(result.told, [])
        assert.equal(result.written, true)
        for (const each of result.collections) {
          const { collection, read, unchanged, refused } = each
          const count = records[collection]?.length
          assert.deepEqual([read, unchanged, refused], [count, count, 0], collection)
        }
      }
      assert.equal(await standing(main), earlier)
    })
  }

  it('is taken from folders, whatever the order of the files in them', async () => {
    const fresh = await openRecords('folders.db')
    for (const [owner, records] of [
      [sharedOwner, story.shared],
      [brand, story.records],
    ] as const) {
      const result = await importInto(
        fresh,
        { ...filesOf(records), 'notes.txt': 'not ours' },
        { owner, at: [''] },
      )
      assert.deepEqual(result.told, [])
      const added = result.collections.reduce((sum, each) => sum + each.added, 0)
      assert.equal(added, Object.values(records).flat().length)
    }
    assert.deepEqual(await stored(fresh, 'partners'), recordsAt('partners'))
  })
})

describe('an import', () => {
  it('adds, changes and leaves alone, by identity', async () => {
    const own = { owner: 'twin' }
    await importInto(main, { 'tags.ndjson': ndjson([tag(1), tag(2)]) }, { ...own, replace: true })
    const resource = resourceAt(catalog, 'tags')
    const version = async () =>
      (await main.store.state({ resource, brand: 'twin', filters: [], include: [] })).version
    const earlier = await version()
    const again = await importInto(main, { 'tags.ndjson': ndjson([reversed(tag(1))]) }, own)
    assert.deepEqual(tally(again), { tags: { ...nothing, read: 1, unchanged: 1 } })
    assert.equal(await version(), earlier)
    const more = await importInto(
      main,
      { 'tags.csv': csvOf(resource, [tag(1), tag(2, { name: 'New' }), tag(3)]) },
      own,
    )
    assert.deepEqual(tally(more), {
      tags: { ...nothing, read: 3, added: 1, changed: 1, unchanged: 1 },
    })
    assert.notEqual(await version(), earlier)
    assert.deepEqual(await stored(main, 'tags', 'twin'), [tag(1), tag(2, { name: 'New' }), tag(3)])
  })

  it('of one brand leaves the others alone', async () => {
    const mine = await stored(main, 'tags')
    await importInto(main, { 'tags.ndjson': '' }, { owner: 'twin', replace: true })
    assert.deepEqual(await stored(main, 'tags'), mine)
  })

  it('takes a reference to a record that comes later in the same file', async () => {
    const child = changed('categories', { id: idOf(1), parentCategoryId: idOf(2) })
    const parent = changed('categories', { id: idOf(2), parentCategoryId: null })
    const result = await importInto(
      main,
      { 'categories.ndjson': ndjson([child, parent]) },
      { dryRun: true },
    )
    assert.deepEqual(result.told, [])
  })

  it('that is a dry run reports what it would do and does nothing', async () => {
    const earlier = await standing(main)
    const files = { 'tags.ndjson': ndjson([tag(1), changed('tags', { name: 'New' })]) }
    const result = await importInto(main, files, {
      dryRun: true,
      replace: true,
      allowDangling: true,
    })
    assert.equal(result.written, false)
    assert.equal(result.refused, false)
    const gone = recordsAt('tags').length - 1
    assert.deepEqual(tally(result), {
      tags: { ...nothing, read: 2, added: 1, changed: 1, removed: gone },
    })
    assert.equal(await standing(main), earlier)
  })

  it('of a brand that is not there brings its record too, or is refused', async () => {
    const owner = 'newcomer'
    const tags = { 'tags.ndjson': line(tag(1)) }
    const missing = 'is a brand that is not stored, and this import does not bring its record'
    const without = await importInto(main, tags, { owner, skipInvalid: true })
    assert.deepEqual(without.told, [['', '', owner, missing]])
    assert.deepEqual([without.written, without.refused], [false, true])
    const broken = { ...tags, 'brand.ndjson': line(brandRecord('other', 6)) }
    const skipped = await importInto(main, broken, { owner, skipInvalid: true })
    assert.deepEqual(skipped.told.at(-1), ['', '', owner, missing])
    assert.equal(skipped.written, false)
    const whole = { ...tags, 'brand.ndjson': line(brandRecord(owner, 6)) }
    assert.equal((await importInto(main, whole, { owner })).written, true)
    assert.equal(await main.store.has(owner), true)
  })

  it('of a brand’s record puts it in the place of the one before', async () => {
    const owner = 'newcomer'
    const renamed = { ...brandRecord(owner, 7), name: 'Renamed' }
    const result = await importInto(main, { 'brand.ndjson': line(renamed) }, { owner })
    assert.deepEqual(tally(result), { brand: { ...nothing, read: 1, added: 1, removed: 1 } })
    const empty = await importInto(main, { 'brand.ndjson': '' }, { owner, replace: true })
    assert.deepEqual(tally(empty), { brand: nothing })
    const kept = (await main.store.brands()).filter(({ slug }) => slug === owner)
    assert.deepEqual(
      kept.map(({ name }) => name),
      ['Renamed'],
    )
  })
})

describe('skip-invalid', () => {
  it('loads the good rows and leaves out what is refused and what points at it', async () => {
    const owner = 'skipping'
    const result = await importInto(
      main,
      {
        'brand.ndjson': line(brandRecord(owner, 8)),
        'tags.ndjson': `${line(tag(1))}${bad}\n${line(tag(2))}${line(tag(1))}`,
        'colors.json': JSON.stringify([changed('colors', { id: idOf(1) }), 7]),
        'categories.ndjson': ndjson([
          changed('categories', { id: idOf(1), parentCategoryId: idOf(9) }),
          changed('categories', { id: idOf(2), parentCategoryId: null }),
        ]),
      },
      { owner, skipInvalid: true },
    )
    assert.deepEqual([result.written, result.refused, result.errors], [true, false, 4])
    assert.deepEqual(tally(result), {
      brand: { ...nothing, read: 1, added: 1 },
      tags: { ...nothing, read: 4, added: 2, refused: 2 },
      colors: { ...nothing, read: 2, added: 1, refused: 1 },
      categories: { ...nothing, read: 2, added: 1, refused: 1 },
    })
    assert.deepEqual(await stored(main, 'tags', owner), [tag(1), tag(2)])
  })

  it('with replace removes nothing from a collection with refused rows', async () => {
    const owner = 'skipping'
    const result = await importInto(
      main,
      { 'tags.ndjson': `${bad}\n${line(tag(2, { name: 'New' }))}`, 'colors.ndjson': '' },
      { owner, skipInvalid: true, replace: true },
    )
    assert.deepEqual(tally(result), {
      tags: { ...nothing, read: 2, changed: 1, refused: 1 },
      colors: { ...nothing, removed: 1 },
    })
    assert.deepEqual(
      result.collections.map(({ collection, keptMissing }) => [collection, keptMissing]).sort(),
      [
        ['colors', false],
        ['tags', true],
      ],
    )
    assert.deepEqual(await stored(main, 'tags', owner), [tag(1), tag(2, { name: 'New' })])
  })

  it('does not take a row whose reference in its own collection was left out', async () => {
    const owner = 'skipping'
    const chain = [51, 52, 53, 54].map((number) =>
      changed('categories', {
        id: idOf(number),
        parentCategoryId: idOf(number === 51 ? 59 : number - 1),
      }),
    )
    const result = await importInto(
      main,
      { 'categories.ndjson': ndjson([...chain].reverse()) },
      { owner, skipInvalid: true },
    )
    assert.equal(result.collections[0]?.added, 0)
    assert.equal(result.collections[0]?.refused, 4)
  })
})

describe('allow-dangling', () => {
  it('makes warnings of references that point nowhere, and of nothing else', async () => {
    const owner = 'twin'
    const files = {
      'order-items.ndjson': ndjson([
        item({ orderId: idOf(9), skuId: idOf(8), productVersionId: null }),
      ]),
    }
    const result = await importInto(main, files, { owner, allowDangling: true })
    assert.deepEqual(result.told, [
      ['order-items.ndjson:1', '/orderId', idOf(9), nowhere('orders')],
      ['order-items.ndjson:1', '/skuId', idOf(8), nowhere('skus')],
    ])
    assert.deepEqual([result.errors, result.warnings, result.written], [0, 2, true])
    const twice = { 'tags.ndjson': line(tag(1)).repeat(2) }
    const refused = await importInto(main, twice, { owner, allowDangling: true })
    assert.deepEqual([refused.errors, refused.written], [1, false])
  })
})

describe('replace', () => {
  const owner = 'replacing'
  const options = [1, 2, 3].map((number) => changed('options', { id: idOf(number) }))
  const values = [1, 2, 3].map((number) =>
    changed('option-values', { id: idOf(number), optionId: idOf(number) }),
  )

  const orphaned = (number: number) =>
    `the stored record ${idOf(number)} of option-values refers to this record of options, which the import removes`

  before(async () => {
    const files = {
      'brand.ndjson': line(brandRecord(owner, 9)),
      'options.ndjson': ndjson(options),
      'option-values.ndjson': ndjson(values),
      'tags.ndjson': ndjson([tag(1), tag(2)]),
    }
    await importInto(main, files, { owner })
  })

  it('removes what is not in the files, of the given collections alone', async () => {
    const result = await importInto(
      main,
      { 'tags.ndjson': ndjson([tag(2), tag(3)]) },
      { owner, replace: true },
    )
    assert.deepEqual(tally(result), {
      tags: { ...nothing, read: 2, added: 1, unchanged: 1, removed: 1 },
    })
    assert.deepEqual(await stored(main, 'tags', owner), [tag(2), tag(3)])
    assert.equal((await stored(main, 'options', owner)).length, 3)
  })

  it('is refused while a stored record refers to one that it removes, even when bad rows are skipped', async () => {
    const earlier = await standing(main)
    const files = { 'tags.ndjson': '', 'colors.ndjson': '', 'options.ndjson': '' }
    for (const skipInvalid of [false, true]) {
      const result = await importInto(main, files, { owner, replace: true, skipInvalid })
      assert.deepEqual(
        result.told,
        [1, 2, 3].map((number) => ['', '/optionId', idOf(number), orphaned(number)]),
      )
      assert.deepEqual([result.written, result.refused], [false, true])
    }
    assert.equal(await standing(main), earlier)
  })

  it('is refused when a row of the run refers to one that it removes', async () => {
    const gone = {
      'options.ndjson': ndjson(options.slice(1)),
      'option-values.ndjson': ndjson(values),
    }
    const result = await importInto(main, gone, { owner, replace: true })
    assert.deepEqual(result.told, [
      ['option-values.ndjson:1', '/optionId', idOf(1), nowhere('options')],
      ['', '/optionId', idOf(1), orphaned(1)],
    ])
    assert.equal(result.written, false)
  })

  it('of both ends at once is taken', async () => {
    const files = {
      'options.ndjson': ndjson(options.slice(1)),
      'option-values.ndjson': ndjson(values.slice(1)),
    }
    const result = await importInto(main, files, { owner, replace: true })
    assert.deepEqual([result.told, result.written], [[], true])
    assert.equal((await stored(main, 'option-values', owner)).length, 2)
  })

  it('with allow-dangling says what now points nowhere', async () => {
    const options = { owner, replace: true, allowDangling: true }
    const result = await importInto(main, { 'options.ndjson': '' }, options)
    assert.deepEqual([result.errors, result.warnings, result.written], [0, 2, true])
  })

  it('of shared records is refused while a brand refers to one that it removes', async () => {
    const used = new Set(recordsAt('documents').map((each) => each['documentTypeId']))
    const rest = recordsAt('document-types').filter(({ id }) => !used.has(id as string))
    assert.ok(rest.length < recordsAt('document-types').length)
    const files = { 'document-types.ndjson': ndjson(rest) }
    const options = { owner: sharedOwner, replace: true, dryRun: true }
    assert.equal((await importInto(main, files, options)).refused, true)
  })
})

describe('the command', () => {
  const place = openWorkplace()
  after(() => place.close())
  place.put({ 'tags.ndjson': ndjson([tag(1), tag(2)]) })

  before(async () => {
    const made = await place.run(['brands', 'add', brand, '--name', 'Aldermoor'])
    assert.equal(made.code, 0, made.stderr)
  })

  const run = (...args: string[]) => place.run(['import', ...args])
  const own = ['--brand', brand]

  it('says what it did: a table on standard output, plain lines on standard error', async () => {
    const { code, stdout, stderr } = await run('tags.ndjson', ...own)
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout.replace(/\d+\.\d$/m, '0.0'),
      [
        'collection  read  new  changed  unchanged  removed  refused  seconds',
        'tags           2    2        0          0        0        0      0.0',
        '',
        'Imported.',
        '',
      ].join('\n'),
    )
    assert.match(stderr, /^tags\.ndjson: 2 rows in \d\.\d s \([\d,]+ rows\/s\)\n$/)
    assert.doesNotMatch(stderr, /[\r\u001b█░]/)
  })

  it('names bad rows on standard error, ends with 1 and writes nothing', async () => {
    place.put({
      'bad/tags.ndjson': `${line(tag(1, { name: 'Changed' }))}${line(tag(5, { id: 5 }))}`,
    })
    const { code, stdout, stderr } = await run('bad/tags.ndjson', ...own)
    assert.equal(code, 1)
    assert.match(stdout, /^tags {11}2 {4}0 {8}1 {10}0 {8}0 {8}1 {6}\d\.\d$/m)
    assert.match(stdout, /\nNothing was written: 1 problem\.\n$/)
    assert.equal(stderr.split('\n').at(-2), `error: bad/tags.ndjson:2 /id (5) ${uuid}`)
    const skipped = await run('bad/tags.ndjson', ...own, '--skip-invalid', '--dry-run')
    assert.equal(skipped.code, 0)
    assert.match(
      skipped.stdout,
      /\n1 problem in 1 row\. This was a dry run: nothing was written\.\n$/,
    )
  })

  it('says what it left out when bad rows are skipped, and ends with 0', async () => {
    place.put({ 'skip/tags.ndjson': `${line(tag(1))}{\n[]\n` })
    const { code, stdout, stderr } = await run(
      'skip/tags.ndjson',
      ...own,
      '--skip-invalid',
      '--replace',
    )
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout.split('\n').slice(3).join('\n'),
      'Imported, without 2 rows that had problems.\nNothing was removed from tags, because some of its rows were refused.\n',
    )
  })

  it('counts all problems, lists the first thousand and writes all of them to the report', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => line(tag(index, { name: index })))
    place.put({ 'many/tags.ndjson': rows.join('') })
    const words = await run('many/tags.ndjson', ...own, '--report', 'all.ndjson')
    assert.equal(words.code, 1)
    assert.match(
      words.stderr,
      /\nerror: many\/tags\.ndjson \/name must be a string: 1,500 rows, first at line 1 \(0\)\n$/,
    )
    assert.match(words.stdout, /\nNothing was written: 1,500 problems\.\n$/)
    const reported = readFileSync(join(place.folder, 'all.ndjson'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      reported.map((each) => JSON.parse(each)),
      rows.map((_, index) => ({
        file: 'many/tags.ndjson',
        line: index + 1,
        field: '/name',
        value: String(index),
        reason: text,
        severity: 'error',
      })),
    )
    const json = await run('many/tags.ndjson', ...own, '--json')
    assert.equal(json.code, 1)
    const { problems, errors } = JSON.parse(json.stdout)
    assert.deepEqual([problems.length, errors], [1_000, 1_500])
  })

  it('prints a single object with --json, and nothing else', async () => {
    place.put({
      'dangling/categories.ndjson': line(changed('categories', { parentCategoryId: idOf(9) })),
    })
    const { code, stdout, stderr } = await run(
      'dangling/categories.ndjson',
      ...own,
      '--json',
      '--dry-run',
      '--allow-dangling',
    )
    assert.deepEqual([code, stderr], [0, ''])
    const { collections, ...rest } = JSON.parse(stdout)
    assert.deepEqual(rest, {
      written: false,
      dryRun: true,
      errors: 0,
      warnings: 1,
      problems: [
        {
          file: 'dangling/categories.ndjson',
          line: 1,
          field: '/parentCategoryId',
          value: idOf(9),
          reason: nowhere('categories'),
          severity: 'warning',
        },
      ],
      groups: [{ ...JSON.parse(stdout).problems[0], problems: 1, rows: 1 }],
      passedOver: [],
    })
    const [{ seconds, ...counts }] = collections
    assert.deepEqual(counts, {
      collection: 'categories',
      ...nothing,
      read: 1,
      added: 1,
      stored: 0,
      keptMissing: false,
      removesTooMany: false,
    })
    assert.equal(typeof seconds, 'number')
  })

  it('reads standard input with --collection', async () => {
    const records = [tag(11), tag(12)]
    for (const [format, content] of [
      ['ndjson', ndjson(records)],
      ['json', JSON.stringify(records)],
      ['csv', csvOf(resourceAt(catalog, 'tags'), records)],
    ] as const) {
      const args = ['import', '-', '--collection', 'tags', '--format', format, ...own, '--json']
      const { code, stdout, stderr } = await place.run(args, content)
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout).collections[0].read, 2)
    }
    const bare = await place.run(['import', '-', '--collection', 'tags', ...own], `${bad}\n`)
    assert.equal(bare.code, 1)
    assert.equal(bare.stderr.split('\n')[1], `error: -:1 (${bad}) ${jsonProblem(bad)}`)
  })

  it('ends at once when it refuses an input that goes on', async () => {
    const { child, ended } = place.start([
      'import',
      '-',
      '--collection',
      'tags',
      '--format',
      'json',
      ...own,
    ])
    child.stdin?.write('this is not an array')
    const { code, stderr } = await ended
    assert.deepEqual([code, stderr], [1, '- does not begin with [ as a JSON array does\n'])
  })

  it('takes --collection and --format instead of what a file is named', async () => {
    place.put({ 'export-2026.txt': csvOf(resourceAt(catalog, 'tags'), [tag(1)]) })
    const args = ['export-2026.txt', '--collection', 'tags', '--format', 'csv', ...own, '--json']
    const { code, stdout } = await run(...args)
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).collections[0].unchanged, 1)
  })

  describe('is refused', { concurrency: 2 }, () => {
    for (const [name, args, code, message] of [
      ['no path', [...own], 2, /missing required argument 'path'/],
      ['an unknown option', ['tags.ndjson', ...own, '--force'], 2, /unknown option '--force'/],
      [
        'an unknown format',
        ['tags.ndjson', ...own, '--format', 'xml'],
        2,
        /Allowed choices are ndjson, json, csv/,
      ],
      ['an option without its value', ['tags.ndjson', '--brand'], 2, /argument missing/],
      [
        'no scope',
        ['tags.ndjson'],
        2,
        /^Say whose records these are: --brand <slug>, or --shared\. One of the two\.\n$/,
      ],
      ['two scopes', ['tags.ndjson', ...own, '--shared'], 2, /^Say whose records these are/],
      [
        'a file that is not there',
        ['nothing.ndjson', ...own],
        1,
        /^nothing\.ndjson is not there or cannot be read\n$/,
      ],
      [
        'a brand that is not there',
        ['tags.ndjson', '--brand', 'nobody'],
        1,
        /^There is no brand nobody\. The database has .+\. To add it: selvedge brands add nobody --name <name>\n$/,
      ],
      [
        'the owner of the shared records as a brand',
        ['countries.ndjson', '--brand', '*'],
        1,
        /^There is no brand \*\./,
      ],
      [
        'a brand’s record under a slug that no path can have',
        ['brand.ndjson', '--brand', 'Not A Slug'],
        1,
        /^"Not A Slug" is not a valid slug: /,
      ],
      [
        'a collection of a brand as shared',
        ['tags.ndjson', '--shared'],
        1,
        /^tags belongs to a brand: use --brand <slug>\n$/,
      ],
      [
        'a shared collection as a brand’s',
        ['countries.ndjson', ...own],
        1,
        /^countries is shared by all brands: import it with --shared\n$/,
      ],
      [
        'an unknown collection',
        ['tags.ndjson', ...own, '--collection', 'labels'],
        1,
        /^--collection: there is no collection labels; collections are named as in the API/,
      ],
      [
        'a report that cannot be written',
        ['tags.ndjson', ...own, '--report', 'no/such/folder'],
        1,
        /^The report cannot be written to no\/such\/folder: ENOENT\.\n$/,
      ],
    ] as const) {
      it(`given ${name} ends with ${code} and says why`, async () => {
        place.put({
          'countries.ndjson': ndjson(recordsAt('countries')),
          'brand.ndjson': line(brandRecord('Not A Slug', 1)),
        })
        const ran = await run(...args)
        assert.match(ran.stderr, message)
        assert.doesNotMatch(ran.stderr, /\n\s+at /, 'a stack trace helps nobody')
        assert.deepEqual([ran.code, ran.stdout], [code, ''])
      })
    }
  })

  it('creates the database that it is the first to need', async () => {
    const fresh = openWorkplace()
    try {
      fresh.put({ 'shared/countries.json': JSON.stringify(recordsAt('countries')) })
      const { code, stderr, stdout } = await fresh.run(['import', 'shared', '--shared'])
      assert.equal(code, 0, stderr)
      assert.match(
        stderr,
        /^The database is new; its tables are being created\.\nshared\/countries\.json: 249 rows/,
      )
      assert.match(stdout, /Imported\.\n$/)
    } finally {
      fresh.close()
    }
  })

  it('draws a bar in a terminal', { skip: !existsSync('/usr/bin/script') }, () => {
    const many = Array.from({ length: 20_000 }, (_, index) => tag(index))
    place.put({ 'large/tags.ndjson': ndjson(many) })
    const command = [process.execPath, mainFile, 'import', 'large', ...own, '--dry-run'].join(' ')
    const ran = spawnSync('/usr/bin/script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.environment, TERM: 'xterm' },
      encoding: 'utf8',
    })
    assert.match(ran.stdout, /\r\u001b\[K░{24} large\/tags\.ndjson {2}0 rows, 0 rows\/s/)
    assert.match(
      ran.stdout,
      /\r\u001b\[Klarge\/tags\.ndjson: 20,000 rows in \d+\.\d s \([\d,]+ rows\/s\)\r\n/,
    )
  })
})

describe('progress', () => {
  const open = (isTTY: boolean) => {
    const written: string[] = []
    const out = { isTTY, write: (words: string) => written.push(words) }
    const clock = { ms: 1_000 }
    const progress = openProgress(out as unknown as NodeJS.WriteStream, () => clock.ms)
    return { written, clock, progress }
  }

  it('in a terminal is a bar with what is done, how fast, and what is left', () => {
    const { written, clock, progress } = open(true)
    progress.show('a.csv', 0, 'rows', 0)
    clock.ms += 50
    progress.show('a.csv', 1, 'rows', 0.01)
    clock.ms += 1_950
    progress.show('a.csv', 5_000, 'rows', 0.25)
    clock.ms += 2_000
    progress.show('a.csv', 10_000, 'rows', 1.5)
    progress.end('a.csv', 10_001, 'rows')
    const clear = '\r\u001b[K'
    assert.deepEqual(written, [
      `${clear}${'░'.repeat(24)} a.csv  0 rows, 0 rows/s`,
      `${clear}${'█'.repeat(6)}${'░'.repeat(18)} a.csv  5,000 rows, 2,500 rows/s, 6 s left`,
      `${clear}${'█'.repeat(24)} a.csv  10,000 rows, 2,500 rows/s, 0 s left`,
      clear,
      'a.csv: 10,001 rows in 4.0 s (2,500 rows/s)\n',
    ])
  })

  it('of an input whose size is not known has no bar', () => {
    const { written, clock, progress } = open(true)
    progress.show('-', 0, 'rows', null)
    clock.ms += 1_000
    progress.show('-', 70, 'rows', null)
    assert.equal(written.at(-1), '\r\u001b[K-  70 rows, 70 rows/s')
  })

  it('elsewhere is a line at the end of each file, each with its own time', () => {
    const { written, clock, progress } = open(false)
    for (const file of ['a', 'b']) {
      progress.show(file, 0, 'rows', 0)
      clock.ms += 2_000
      progress.show(file, 3_000, 'rows', 0.5)
      progress.end(file, 6_000, 'rows')
    }
    assert.deepEqual(written, [
      'a: 6,000 rows in 2.0 s (3,000 rows/s)\n',
      'b: 6,000 rows in 2.0 s (3,000 rows/s)\n',
    ])
  })

  it('is told from the beginning of a file to its end', async () => {
    const told: [number, number, boolean][] = []
    await importInto(
      main,
      { 'tags.ndjson': ndjson([tag(1), tag(2)]) },
      { dryRun: true, onProgress: ({ bytes, rows, done }) => told.push([bytes, rows, done]) },
    )
    const size = ndjson([tag(1), tag(2)]).length
    assert.deepEqual(told, [
      [0, 0, false],
      [size, 2, false],
      [size, 2, true],
    ])
  })
})

describe('a running service', () => {
  it('answers with the same tag after an import that changed nothing, and another after one that did', async () => {
    const service = await openTestService()
    const place = openWorkplace(`sqlite:${join(service.folder, 'selvedge.db')}`)
    try {
      const tagOf = async () => (await service.get('tags')).headers.get('etag')
      const earlier = await tagOf()
      place.put({
        'same/tags.json': JSON.stringify(recordsAt('tags')),
        'more/tags.json': JSON.stringify([tag(1)]),
      })
      const same = await place.run(['import', 'same', '--brand', brand, '--replace'])
      assert.equal(same.code, 0, same.stderr)
      assert.equal(await tagOf(), earlier)
      const more = await place.run(['import', 'more', '--brand', brand])
      assert.equal(more.code, 0, more.stderr)
      assert.notEqual(await tagOf(), earlier)
      assert.equal((await service.get(`tags/${idOf(1)}`)).status, 200)
    } finally {
      place.close()
      await service.close()
    }
  })
})
