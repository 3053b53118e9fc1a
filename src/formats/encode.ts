import type { CsvDelimiter } from '#contract'
import type { Column } from './column.ts'
import { csvHeader, csvRow, spreadsheetCsv } from './csv.ts'
import type { RecordBatch } from './record-batch.ts'
import { columnWidths, type SheetRows, xlsx, xlsxRow } from './xlsx.ts'

export interface Table {
  /** The name of the sheet. */
  readonly name: string
  readonly columns: readonly Column[]
  /** Whether CSV has a byte order mark. Without it, some programs assume another encoding. */
  readonly hasBom: boolean
  /** The delimiter of CSV. */
  readonly delimiter: CsvDelimiter
}

/** A table format, encoded while records are read. */
export interface TableFormat {
  readonly contentType: string
  readonly encode: (table: Table, batches: AsyncIterable<RecordBatch>) => AsyncIterable<Uint8Array>
}

export type TableFormatName = 'ndjson' | 'csv' | 'xlsx'

const byteOrderMark = '\ufeff'
const newline = Buffer.from('\n')

export const tableFormats: Record<TableFormatName, TableFormat> = {
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    /** The last line has the number of records: without it, the file is incomplete. */
    encode: async function* (_table, batches) {
      let items = 0
      for await (const { bodies } of batches) {
        items += bodies.length
        yield Buffer.concat(bodies.flatMap((body) => [body, newline]))
      }
      yield Buffer.from(`${JSON.stringify({ complete: true, items })}\n`)
    },
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    encode: async function* ({ columns, hasBom, delimiter }, batches) {
      const options = spreadsheetCsv(delimiter)
      yield Buffer.from((hasBom ? byteOrderMark : '') + csvHeader(columns, options))
      for await (const { records, valuesOf } of batches) {
        const rows = records.map((record) => csvRow(columns, options, record, valuesOf))
        yield Buffer.from(rows.join(''))
      }
    },
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    encode: async function* ({ name, columns }, batches) {
      const reader = batches[Symbol.asyncIterator]()
      try {
        const first = await reader.next()
        // Widths are written before the rows: the first ones tell how wide a column is.
        const widths = columnWidths(columns, first.done ? null : first.value)
        yield* xlsx(name, columns, sheetRows(columns, first, reader), widths)
      } finally {
        await reader.return?.()
      }
    },
  },
}

async function* sheetRows(
  columns: readonly Column[],
  first: IteratorResult<RecordBatch>,
  reader: AsyncIterator<RecordBatch>,
): AsyncGenerator<SheetRows> {
  // The header is in row 1.
  let row = 1
  for (let next = first; !next.done; next = await reader.next()) {
    const { records, valuesOf } = next.value
    let text = ''
    for (const record of records) {
      row += 1
      text += xlsxRow(columns, row, record, valuesOf)
    }
    yield { text, count: records.length }
  }
}
