/** The cells of a workbook's sheets, as imports read them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalFile } from '../../src/ingest/local-file.ts'
import { readArchive } from '../../src/ingest/xlsx/archive.ts'
import { readSheet } from '../../src/ingest/xlsx/sheet.ts'
import { readWorkbook } from '../../src/ingest/xlsx/workbook.ts'

/** The rows of each sheet by name; null for an empty cell. */
export const readSheetCells = async (
  bytes: Uint8Array,
): Promise<ReadonlyMap<string, readonly (readonly unknown[])[]>> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-sheets-'))
  const path = join(folder, 'book.xlsx')
  writeFileSync(path, bytes)
  const input = { kind: 'file', path, format: 'xlsx', gzipped: false } as const
  const file = await openLocalFile(input, () => undefined)
  try {
    const archive = await readArchive(file.opened)
    const workbook = await readWorkbook(archive)
    const sheets = new Map<string, readonly unknown[][]>()
    for (const { name, part } of workbook.sheets) {
      const rows: unknown[][] = []
      const chunks = archive.read(part, { bytesMax: 2 ** 28, onBytes: () => undefined })
      for await (const batch of readSheet(chunks, workbook)) {
        for (const { line, cells } of batch) {
          const width = Math.max(-1, ...cells.keys()) + 1
          rows[line - 1] = Array.from({ length: width }, (_, at) => cells.get(at) ?? null)
        }
      }
      // Empty rows are skipped.
      sheets.set(
        name,
        Array.from(rows, (row) => row ?? []),
      )
    }
    return sheets
  } finally {
    await file.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
