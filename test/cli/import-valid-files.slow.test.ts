/** Import: files of every format that are accepted, small, large and of the whole story. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog, type Resource, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { SourceError } from '#ingest'
import { sharedOwner } from '#store'
import { ndjson } from '../support/command.ts'
import {
  brand,
  csvOf,
  filesOf,
  line,
  openStoryRecords,
  quoted,
  reversed,
  story,
  tag,
} from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { openRecords, importInto, storedState, stored } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'valid-files.db')

const escaped = (text: string) =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')

describe('a file that is large enough to be read in a thread of its own', () => {
  const count = 20_000
  const text = Array.from({ length: count }, (_, n) => line(tag(n, { code: `large-${n}` })))
  const large = text.join('')

  const largeCsv = (nameOf: (n: number) => string): string => {
    const name = (n: number) => `${nameOf(n)} ${'尺码 '.repeat(30)}`
    const tags = Array.from({ length: count }, (_, n) => tag(n, { name: name(n) }))
    const csv = csvOf(resourceAt(catalog, 'tags'), tags)
    assert.ok(Buffer.byteLength(csv) > 5_000_000)
    return csv
  }

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

  it('is reported line by line', async () => {
    const rows = [...text]
    rows[12_344] = line(tag(12_344, { name: 7 }))
    rows[19_999] = text[3] ?? ''
    const { reported, written } = await importInto(main, { 'tags.ndjson': rows.join('') })
    assert.deepEqual(reported, [
      ['tags.ndjson:12345', '/name', '7', 'must be a string'],
      ['tags.ndjson:20000', '', idOf(3), 'has the same identity as line 4 of tags.ndjson'],
    ])
    assert.equal(written, false)
  })

  it('is CSV that several threads share, and is reported line by line as well', async () => {
    const csv = largeCsv((n) => `No. ${n}\n"groß"`)
    const valid = await importInto(main, { 'tags.csv': csv }, { dryRun: true })
    assert.deepEqual([valid.errors, valid.collections[0]?.read], [0, count])
    const wrong = csv.replace(idOf(12_344), 'x').replace(idOf(19_999), idOf(3))
    const { reported, written } = await importInto(main, { 'tags.csv': wrong })
    // Each row takes two lines.
    const [[, , , repeated] = []] = reported.slice(-1)
    assert.match(
      String(repeated),
      /, and differs in name: "No\. 19999\\u000a.*" here, "No\. 3\\u000a/,
    )
    const shortened = reported.map((each) =>
      each.map((cell) => cell.replace(/, and differs.*/, '')),
    )
    assert.deepEqual(shortened, [
      ['tags.csv:24690', '/id', 'x', 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'],
      ['tags.csv:40000', '', idOf(3), 'has the same identity as line 8 of tags.csv'],
    ])
    assert.equal(written, false)
  })

  it('is refused for its last row, whichever thread has read it', async () => {
    const csv = largeCsv((n) => `No. ${n}`)
    for (const [end, message] of [
      [`"a"b${','.repeat(5)}\r\n`, /Invalid Closing Quote: got "b" at line 20002 /],
      ['"', /Quote Not Closed: .* at line 20002$/],
    ] as const) {
      for (const rows of [0, 250, 500]) {
        const lines = csv.split('\r\n')
        const shorter = [...lines.slice(0, lines.length - 1 - rows), ''].join('\r\n')
        const expected = new RegExp(message.source.replace('20002', String(20_002 - rows)))
        await assert.rejects(importInto(main, { 'tags.csv': shorter + end }), expected)
      }
    }
  })

  it('may have a row with megabytes of white space, and long rows of CSV', async () => {
    const long = line(tag(1)).replace('{', `{${' '.repeat(12 * 2 ** 20)}`)
    const wide = await importInto(main, { 'tags.ndjson': long }, { dryRun: true })
    assert.deepEqual([wide.errors, wide.collections[0]?.read], [0, 1])
    const [item] = recordsAt('order-items')
    const rows = Array.from({ length: 600 }, (_, n) => ({
      ...{ ...item, id: idOf(n), memo: 'y'.repeat(20_000) },
    }))
    const csv = csvOf(resourceAt(catalog, 'order-items'), rows as never)
    const result = await importInto(main, { 'order-items.csv': csv }, { dryRun: true })
    assert.deepEqual([result.errors, result.collections[0]?.read], [0, 600])
  })

  it('is refused as a whole where it cannot be read', async () => {
    const cut = gzipSync(large, { level: 0 }).subarray(0, -1_000)
    await assert.rejects(importInto(main, { 'tags.ndjson.gz': cut }), {
      constructor: SourceError,
      message: 'tags.ndjson.gz is not complete gzip data: Z_BUF_ERROR',
    })
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
  const big = tag(4, { name: 'x'.repeat(1_000) })

  for (const [name, file, content, records = three] of [
    ['begins with a byte order mark', 'tags.ndjson', `\ufeff${ndjson(three)}`],
    ['has CRLF', 'tags.ndjson', ndjson(three).replaceAll('\n', '\r\n')],
    ['has no newline at its end', 'tags.ndjson', cut(ndjson(three))],
    ['has blank lines', 'tags.ndjson', `\n${ndjson(three).replaceAll('\n', '\n  \n\n')}\n`],
    ['is named .jsonl', 'tags.jsonl', ndjson(three)],
    ['is empty', 'tags.ndjson', '', []],
    ['is empty but for a byte order mark', 'tags.ndjson', '\ufeff', []],
    [
      'has a long line',
      'tags.ndjson',
      ndjson([big]).replace(',', `,${' '.repeat(250_000)}`),
      [big],
    ],
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
      assert.deepEqual(result.reported, [])
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
    const tags = await stored(main, 'tags', 'twin')
    assert.deepEqual(
      tags.map(({ name, code, uiColor }) => [name, code, uiColor]),
      [
        ['', null, null],
        ['a', null, ''],
        ['b', null, '#fff'],
      ],
    )
  })
})

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
      const earlier = await storedState(main)
      for (const [owner, records] of [
        [sharedOwner, story.shared],
        [brand, story.records],
      ] as const) {
        const files = inForm(records, form)
        const result = await importInto(main, files, { owner, replace: true })
        assert.deepEqual(result.reported, [])
        assert.equal(result.written, true)
        for (const each of result.collections) {
          const { collection, read, unchanged, refused } = each
          const count = records[collection]?.length
          assert.deepEqual([read, unchanged, refused], [count, count, 0], collection)
        }
      }
      assert.equal(await storedState(main), earlier)
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
      assert.deepEqual(result.reported, [])
      const added = result.collections.reduce((sum, each) => sum + each.added, 0)
      assert.equal(added, Object.values(records).flat().length)
    }
    assert.deepEqual(await stored(fresh, 'partners'), recordsAt('partners'))
  })
})
