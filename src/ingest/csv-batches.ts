import { requireRows, rowBytesMax, SourceError } from './row.ts'

/** Whole rows of a CSV file, which can be parsed independently of the rest. */
export interface CsvBatch {
  readonly bytes: Buffer
  readonly rows: readonly CsvRow[]
}

/** The position of a row, without its line ending. A row is never empty. */
export interface CsvRow {
  readonly from: number
  readonly end: number
  /** The line of the file on which the row begins. */
  readonly line: number
  /** Whether the row contains quotes: only then can a cell contain a delimiter or a line ending. */
  readonly isQuoted: boolean
}

/** A batch ends at whichever limit it reaches first. */
const batchRows = 250
const batchBytes = 256 * 1_024

const [newline, carriageReturn, quote] = [0x0a, 0x0d, 0x22]

/**
 * Splits a file into batches of rows, at positions that depend only on its content. Lines end with
 * LF, CRLF or CR. A line ending also ends the row if the number of quotes before it is even. After
 * a row with unbalanced quotes, splits may be wrong; the parser rejects that row, so that no later
 * row is used.
 */
export async function* cutRows(
  blocks: AsyncIterable<Buffer>,
  firstLine: number,
): AsyncIterable<CsvBatch> {
  /** The bytes from the start of the current batch, and its rows. */
  let bytes: Buffer = Buffer.alloc(0)
  let rows: CsvRow[] = []
  /** The start of the current row, and the scan position. */
  let [from, at] = [0, 0]
  let [line, rowLine] = [firstLine, firstLine]
  let isInQuotes = false
  let isQuoted = false
  let [rowCount, emptyLines] = [0, 0]

  const endRow = (end: number): void => {
    if (end > from) {
      rowCount += 1
      rows.push({ from, end, line: rowLine, isQuoted })
    } else {
      emptyLines += 1
      requireRows(emptyLines, rowCount)
    }
    isQuoted = false
  }

  /** Looks for the end of the batch; false if it needs more bytes. */
  const findEnd = (isLast: boolean): boolean => {
    // A trailing CR may be the first half of a CRLF.
    const end = bytes.at(-1) === carriageReturn && !isLast ? bytes.length - 1 : bytes.length
    while (at < end) {
      const byte = bytes[at] as number
      at += 1
      if (byte === quote) {
        isInQuotes = !isInQuotes
        isQuoted = true
      } else if (byte === newline || byte === carriageReturn) {
        const rowEnd = at - 1
        if (byte === carriageReturn && bytes[at] === newline) at += 1
        line += 1
        if (isInQuotes) continue
        endRow(rowEnd)
        from = at
        rowLine = line
        const [first] = rows
        if (rows.length >= batchRows || (first && at - first.from >= batchBytes)) return true
      }
    }
    return false
  }

  /** Drops the bytes before the current row. */
  const forget = (): void => {
    bytes = bytes.subarray(from)
    at -= from
    from = 0
  }

  const take = (): CsvBatch => {
    const batch = { bytes: bytes.subarray(0, from), rows }
    rows = []
    forget()
    return batch
  }

  for await (const block of withoutByteOrderMark(blocks)) {
    if (bytes.length - from > rowBytesMax) {
      throw new SourceError(
        `has a row of more than ${rowBytesMax.toLocaleString('en')} bytes in line ${rowLine}: a quote may not be closed`,
      )
    }
    if (rows.length === 0) forget()
    bytes = bytes.length > 0 ? Buffer.concat([bytes, block]) : block
    while (findEnd(false)) yield take()
  }
  while (findEnd(true)) yield take()
  endRow(bytes.length)
  from = bytes.length
  if (rows.length > 0) yield take()
}

const byteOrderMark = Buffer.from('\ufeff')

async function* withoutByteOrderMark(blocks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let isFirst = true
  for await (const block of blocks) {
    const hasMark = isFirst && block.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    isFirst = false
    yield hasMark ? block.subarray(byteOrderMark.length) : block
  }
}
