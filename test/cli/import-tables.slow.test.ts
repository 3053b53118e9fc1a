/** Large workbooks are read with a bounded amount of memory. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { columnsOf, type RecordBatch, tableFormats } from '#formats'
import { idOf } from '../support/model.ts'

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
    yield { bodies: [], records, titleOf: () => null }
  }
}

describe('a workbook of 300,000 rows', () => {
  it('is read by a process with 48 MB for objects', async () => {
    const path = join(folder, 'tags.xlsx')
    const columns = columnsOf(resourceAt(catalog, 'tags'))
    const table = { name: 'tags', columns, hasBom: false }
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
