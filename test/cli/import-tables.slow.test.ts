/** Large workbooks are read with a bounded amount of memory. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog, resourceAt } from '#contract'
import { columnsOf, type RecordBatch, tableFormats } from '#formats'
import { openChunks } from '../../src/ingest/input.ts'
import { threadFailure } from '../../src/ingest/parse-thread.ts'
import { idOf } from '../support/model.ts'
import { readTable, textRow, type WorkbookParts, workbookOf } from '../support/workbook.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-large-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const rows = 300_000

const batches = async function* (): AsyncGenerator<RecordBatch> {
  const at = '2026-03-01T09:00:00.000Z'
  for (let from = 0; from < rows; from += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, index) => ({
      id: idOf(from + index),
      name: `tag ${from + index} ${'x'.repeat(100)}`,
      createdAt: at,
      updatedAt: at,
    }))
    yield { bodies: [], records, valuesOf: () => null }
  }
}

describe('a workbook of 300,000 rows', () => {
  it('is read by a process with 48 MB for objects', async () => {
    const path = join(folder, 'tags.xlsx')
    const columns = columnsOf(resourceAt(catalog, 'tags'))
    const table = { name: 'tags', columns, hasBom: false, delimiter: 'comma' } as const
    await pipeline(tableFormats.xlsx.encode(table, batches()), createWriteStream(path))
    const module = new URL('../../src/ingest/open-table.ts', import.meta.url).href
    const script = `
      import { openTable } from ${JSON.stringify(module)}
      const input = { kind: 'file', path: process.argv[1], format: 'xlsx', gzipped: false }
      const table = await openTable(input)
      let rows = 0
      let characters = 0
      for await (const batch of table.rows) {
        rows += batch.length
        for (const { cells } of batch) characters += cells[1].length
      }
      await table.close()
      console.log(rows, characters > rows * 100)
    `
    const limits = ['--max-old-space-size=48', '--input-type=module']
    const { stdout, stderr, status } = spawnSync(process.execPath, [...limits, '-e', script, path])
    assert.equal(status, 0, stderr.toString())
    assert.equal(stdout.toString().trim(), `${rows} true`)
  })
})

describe('a small file that is large when it is read', () => {
  const head = textRow(1, 'id')
  for (const [what, parts, message] of [
    [
      'four million shared strings',
      { sheets: { Data: head }, texts: '<si/>'.repeat(4_000_001) },
      'is too large: it has more than 4,000,000 shared strings; save it as CSV UTF-8',
    ],
    [
      'long shared strings',
      { sheets: { Data: head }, texts: `<si><t>${'x'.repeat(1_000)}</t></si>`.repeat(270_000) },
      'is too large: its xl/sharedStrings.xml has more than 268,435,456 bytes; save it as CSV UTF-8',
    ],
    [
      'the same row again and again',
      { sheets: { Data: head + '<row r="2"/>'.repeat(1_048_576) } },
      'has more than 1,048,576 rows in a sheet',
    ],
  ] satisfies readonly (readonly [string, WorkbookParts, string])[]) {
    it(`is refused: ${what}`, async () => {
      const bytes = await workbookOf(parts)
      assert.ok(bytes.length < 2_000_000, `${bytes.length}`)
      await assert.rejects(readTable(join(folder, 'bomb.xlsx'), bytes, { format: 'xlsx' }), {
        message,
      })
    })
  }

  it('is refused: gzip data of nothing', async () => {
    const path = join(folder, 'bomb.ndjson.gz')
    writeFileSync(path, gzipSync(Buffer.alloc(300_000_000, 0x20)))
    const input = { kind: 'file', path, format: 'ndjson', gzipped: true } as const
    await assert.rejects(
      async () => {
        for await (const _ of openChunks(input, () => undefined).chunks);
      },
      { message: /^has gzip data that expand to more than 200 times their size/ },
    )
  })

  it('is refused if its thread runs out of memory', () => {
    const error = Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
    assert.match(
      String(threadFailure('a.xlsx', error)),
      /a\.xlsx needs more than \d+ MiB of memory/,
    )
  })
})
