/** Import: files that are refused as a whole. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog } from '#contract'
import { findSources, SourceError } from '#ingest'
import { sharedOwner } from '#store'
import { ndjson } from '../support/command.ts'
import { changed, line, openStoryRecords, tag } from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { writeFiles, importInto, storedState } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'invalid-files.db')

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
    [
      'is cut gzip',
      'tags.ndjson.gz',
      zipped.subarray(0, 300),
      'is not complete gzip data: Z_BUF_ERROR',
    ],
    [
      'is cut gzip of CSV',
      'tags.csv.gz',
      gzipSync(csv(head, cells)).subarray(0, -9),
      'is not complete gzip data: Z_BUF_ERROR',
    ],
    [
      'is cut gzip of JSON',
      'tags.json.gz',
      gzipSync(tags).subarray(0, -9),
      'is not complete gzip data: Z_BUF_ERROR',
    ],
    ['is damaged gzip', 'tags.ndjson.gz', flipped, 'is not complete gzip data: Z_DATA_ERROR'],
    ['is not gzip', 'tags.ndjson.gz', ndjson([tag(1)]), 'is not complete gzip data: Z_DATA_ERROR'],
    ['is empty gzip', 'tags.csv.gz', '', 'is not complete gzip data: Z_BUF_ERROR'],
    [
      'is gzip of garbage',
      'tags.json.gz',
      gzipSync('garbage'),
      'does not begin with [ and is not a JSON array',
    ],
    [
      'is no JSON array',
      'tags.json',
      JSON.stringify(tag(1)),
      'does not begin with [ and is not a JSON array: if it has one record on each line, rename it to .ndjson, or use --format ndjson',
    ],
    ['is an empty JSON file', 'tags.json', '', 'is empty: a JSON array begins with ['],
    ['is blank', 'tags.json', '\ufeff \r\n\t', 'is empty: a JSON array begins with ['],
    [
      'is an array cut off',
      'tags.json',
      tags.slice(0, -1),
      'ends before the end of its array: the file is not complete',
    ],
    [
      'is an array cut inside a string',
      'tags.json',
      tags.slice(0, 60),
      'ends before the end of its array: the file is not complete',
    ],
    [
      'continues after its array',
      'tags.json',
      `${tags}\n[]`,
      'has text after the end of the array, in line 2',
    ],
    [
      'ends its array with a comma',
      'tags.json',
      `[${JSON.stringify(tag(1))},\n]`,
      'has a comma without a record next to it, in line 2',
    ],
    [
      'begins its array with a comma',
      'tags.json',
      '[,{}]',
      'has a comma without a record next to it, in line 1',
    ],
    ['is an empty CSV file', 'tags.csv', '', 'is empty: the first row must name the fields'],
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
      'is not valid UTF-8 in line 3: save it as UTF-8 (in Excel: CSV UTF-8), or name its encoding with --encoding',
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
      const earlier = await storedState(main)
      await assert.rejects(importInto(main, { [file]: content }), {
        constructor: SourceError,
        message: `${file} ${message}`,
      })
      assert.equal(await storedState(main), earlier)
    })
  }

  const named = 'name the file after one, such as orders.ndjson, or use --collection'

  for (const [name, files, at, message] of [
    ['is not there', {}, 'tags.ndjson', 'tags.ndjson does not exist or cannot be read'],
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
      'tags has no known file extension: use .ndjson, .json, .csv, .tsv, .xlsx or .parquet (each also with .gz), or --format',
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
      'Standard input has no file name: name its collection with --collection',
    ],
  ] as const) {
    it(name, async () => {
      await assert.rejects(importInto(main, files, { at: [at] }), {
        constructor: SourceError,
        message,
      })
    })
  }

  it('is in a folder in which nothing is named after a collection', async () => {
    const at = writeFiles({ 'readme.md': '', 'labels.csv': '' })
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
    const earlier = await storedState(main)
    const files = { 'colors.ndjson': line(changed('colors', { id: idOf(5) })), 'tags.json': '[' }
    await assert.rejects(importInto(main, files), {
      message: 'tags.json ends before the end of its array: the file is not complete',
    })
    assert.equal(await storedState(main), earlier)
  })
})
