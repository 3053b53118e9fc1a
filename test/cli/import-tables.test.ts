/** Imports of tables: Excel workbooks, Parquet files, and CSV in other encodings. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog, compareDecimals, leafFields, parseDecimal, resourceAt, valueAt } from '#contract'
import type { DemoRecord } from '#demo'
import { columnsOf, tableFormats } from '#formats'
import { SourceError } from '#ingest'
import { openFile } from '../../src/export/formats.ts'
import {
  csvOf,
  filesOf,
  messages,
  openStoryRecords,
  story,
  tag,
} from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { textCell, textRow, workbookOf } from '../support/workbook.ts'

const sandbox = openImportSandbox()
const { importInto, openRecords, stored, writeFiles } = sandbox
after(() => sandbox.close())

const paths = Object.keys(story.records)

const xlsxOf = async (path: string, records: readonly DemoRecord[]): Promise<Buffer> => {
  const columns = columnsOf(resourceAt(catalog, path))
  const batches = async function* () {
    const bodies = records.map((record) => Buffer.from(JSON.stringify(record)))
    yield { bodies, records: records as never, valuesOf: () => null }
  }
  const pieces: Uint8Array[] = []
  const table = { name: path, columns, hasBom: false, delimiter: 'comma' } as const
  for await (const piece of tableFormats.xlsx.encode(table, batches())) pieces.push(piece)
  return Buffer.concat(pieces)
}

const parquetOf = async (path: string, records: readonly DemoRecord[]): Promise<Buffer> => {
  const file = join(writeFiles({}), `${path}.parquet`)
  const writer = await openFile('parquet', resourceAt(catalog, path), file)
  const half = Math.ceil(records.length / 2)
  for (const part of [records.slice(0, half), records.slice(half)]) {
    if (part.length > 0)
      await writer.write(part.map((record) => Buffer.from(JSON.stringify(record))))
  }
  await writer.close()
  return readFileSync(file)
}

const storyAs = async (
  extension: string,
  encode: (path: string, records: readonly DemoRecord[]) => Promise<Buffer>,
) =>
  Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [`${path}.${extension}`, await encode(path, recordsAt(path))]),
    ),
  )

describe('every collection of the story', async () => {
  const records = await openStoryRecords(sandbox, 'tables.db')

  it('is the same after a download as Excel and an import', async () => {
    const { written, reported, collections } = await importInto(
      records,
      await storyAs('xlsx', xlsxOf),
    )
    assert.deepEqual([written, reported], [true, []])
    assert.equal(collections.length, paths.length)
    for (const path of paths) {
      const fields = leafFields(resourceAt(catalog, path).fields)
      const all = new Map((await stored(records, path)).map((each) => [keyOf(path, each), each]))
      for (const record of recordsAt(path)) {
        const again = all.get(keyOf(path, record))
        for (const { name, path: at, field } of fields) {
          const [was, is] = [valueAt(record, at), valueAt(again, at)]
          // A number of a spreadsheet has no zeros at its end.
          const isSame = field.kind === 'amount' && was !== null && is !== null
          if (isSame)
            assert.equal(
              compareDecimals(parseDecimal(String(was)), parseDecimal(String(is))),
              0,
              `${path}.${name}: ${was}, ${is}`,
            )
          else assert.deepEqual(is, was, `${path}.${name}`)
        }
      }
    }
  })

  it('is unchanged after an export as Parquet and an import', async () => {
    await importInto(records, filesOf(story.records))
    const { reported, collections } = await importInto(records, await storyAs('parquet', parquetOf))
    assert.deepEqual(reported, [])
    for (const { collection, read, unchanged } of collections) {
      assert.deepEqual([collection, unchanged], [collection, read])
    }
  })

  const keyOf = (path: string, record: object) =>
    resourceAt(catalog, path)
      .key.map((name) => valueAt(record, [name]))
      .join()
})

describe('a table of tags', async () => {
  const records = await openRecords('tags.db')
  await importInto(records, filesOf({ brand: recordsAt('brand') }))
  const find = async (number: number) =>
    (await stored(records, 'tags')).find(({ id }) => id === idOf(number))
  const tags = (...names: readonly string[]) => names.map((name, index) => tag(index + 1, { name }))
  const resource = resourceAt(catalog, 'tags')

  it('with numbers and days in its cells has the texts of the fields', async () => {
    const header = ['id', 'name', 'createdAt', 'updatedAt']
    const row = `<row r="4">${textCell('A4', idOf(1))}<c r="B4"><v>1e21</v></c><c r="C4" s="1"><v>46095</v></c><c r="D4" s="2"><v>46095.5</v></c></row>`
    const book = await workbookOf({
      sheets: { Tags: textRow(1, 'Our tags') + textRow(3, ...header) + row },
      formats: ['dd.mm.yyyy', 'dd.mm.yyyy hh:mm'],
    })
    assert.deepEqual((await importInto(records, { 'tags.xlsx': book })).reported, [])
    assert.deepEqual(await find(1), {
      ...tag(1),
      name: '1000000000000000000000',
      createdAt: '2026-03-14T00:00:00.000Z',
      updatedAt: '2026-03-14T12:00:00.000Z',
    })
  })

  it('names the row, the field and the column of what is wrong in a workbook', async () => {
    const header = ['id', 'name', 'createdAt', 'updatedAt']
    const at = '2026-03-01T09:00:00Z'
    const book = await workbookOf({
      sheets: {
        Tags: [
          textRow(2, ...header),
          textRow(3, 'red', 'a', at, at),
          `<row r="7">${textCell('A7', idOf(1))}<c r="B7" t="e"><v>#REF!</v></c></row>`,
        ].join(''),
      },
    })
    assert.deepEqual((await importInto(records, { 'tags.xlsx': book })).reported, [
      ['tags.xlsx:3', '/id', 'red', messages.notUuid],
      ['tags.xlsx:7', '', '#REF!', 'column name contains a formula error'],
    ])
    await assert.rejects(
      importInto(records, {
        'tags.xlsx': await workbookOf({ sheets: { T: textRow(1, 'id', 'nam') } }),
      }),
      (error: Error) => error.message.includes('column "nam" is not a field; did you mean name?'),
    )
  })

  it('is read from a stream and from a compressed file', async () => {
    const book = await xlsxOf('tags', tags('of a stream'))
    const stream = { input: Readable.from([book.subarray(0, 100), book.subarray(100)]) }
    const from = { ...stream, at: ['-'], collection: 'tags', format: 'xlsx' } as const
    assert.deepEqual((await importInto(records, {}, from)).reported, [])
    assert.equal((await find(1))?.['name'], 'of a stream')
    const compressed = gzipSync(await parquetOf('tags', tags('compressed')))
    await importInto(records, { 'tags.parquet.gz': compressed })
    assert.equal((await find(1))?.['name'], 'compressed')
  })

  for (const [name, options, encode] of [
    ['Windows-1252', { encoding: 'windows-1252' }, windows],
    ['ISO 8859-1', { encoding: 'iso-8859-1' }, (text: string) => Buffer.from(text, 'latin1')],
    ['UTF-8 with its mark', {}, (text: string) => Buffer.from(`\ufeff${text}`)],
    ['semicolons', {}, (text: string) => Buffer.from(text.replaceAll(',', ';'))],
    ['tabs', {}, (text: string) => Buffer.from(text.replaceAll(',', '\t'))],
    ['bars', {}, (text: string) => Buffer.from(text.replaceAll(',', '|'))],
    [
      'bars that are named, in a header of other signs',
      { delimiter: '|' },
      (text: string) => Buffer.from(text.replaceAll(',', '|')),
    ],
    [
      'a title above its header',
      { headerRow: 3 },
      (text: string) => Buffer.from(`Tags;;\r\n\r\n${text.replaceAll(',', ';')}`),
    ],
  ] as const) {
    it(`is read as CSV: ${name}`, async () => {
      const named = name === 'ISO 8859-1' ? 'Größe à la carte' : 'Größe „à la carte“ – 5 €'
      const bytes = encode(csvOf(resource, tags(named)))
      const result = await importInto(records, { 'tags.csv': bytes }, { table: options })
      assert.deepEqual(result.reported, [])
      assert.equal((await find(1))?.['name'], named)
    })
  }

  it('names the line of a problem below a title', async () => {
    const text = `Tags\n\n${csvOf(resource, [tag(1, { id: 'red' })])}`
    const options = { table: { headerRow: 3 } }
    const { reported } = await importInto(records, { 'tags.csv': text }, options)
    assert.deepEqual(reported, [['tags.csv:4', '/id', 'red', messages.notUuid]])
    await assert.rejects(importInto(records, { 'tags.csv': text }, { table: { headerRow: 9 } }), {
      constructor: SourceError,
      message: 'tags.csv is empty: the first row must name the fields',
    })
  })

  it('of another encoding is refused if that is not said', async () => {
    await assert.rejects(importInto(records, { 'tags.csv': windows(csvOf(resource, tags('é'))) }), {
      constructor: SourceError,
      message:
        'tags.csv is not valid UTF-8 in line 2: save it as UTF-8 (in Excel: CSV UTF-8), or name its encoding with --encoding',
    })
  })
})

/** The bytes of a text in Windows-1252, by a program that shares nothing with this one. */
function windows(text: string): Buffer {
  return spawnSync('iconv', ['-f', 'utf-8', '-t', 'windows-1252'], { input: text }).stdout
}
