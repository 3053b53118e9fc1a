import { rowBytesMax, SourceError } from './row.ts'

/** Some whole rows of a CSV file, which can be parsed without what is before or after them. */
export interface CsvBatch {
  readonly bytes: Buffer
  readonly rows: readonly CsvRow[]
}

/** Where a row is, without the end of its line. It is never empty. */
export interface CsvRow {
  readonly from: number
  readonly end: number
  /** The line of the file that it begins in. */
  readonly line: number
  /** Whether it has quotes: only then a delimiter or the end of a line can be part of a cell. */
  readonly isQuoted: boolean
}

/** Whatever comes first ends a batch: many rows, or few that are long. */
const batchRows = 250
const batchBytes = 256 * 1_024

const [newline, carriageReturn, quote] = [0x0a, 0x0d, 0x22]

/**
 * Cuts a file into batches of rows, at places that depend on nothing but its content. Lines end with LF,
 * CRLF or CR. The end of a line ends a row too if the quotes before it come in pairs, as they do in
 * CSV. From the first row on whose quotes do not, rows may be cut wrongly: the parser refuses that row,
 * so that none after it is used.
 */
export async function* cutRows(
  blocks: AsyncIterable<Buffer>,
  firstLine: number,
): AsyncIterable<CsvBatch> {
  /** Of the batch that is being collected: its bytes and what follows, and its rows. */
  let bytes: Buffer = Buffer.alloc(0)
  let rows: CsvRow[] = []
  /** Where the row that is looked at begins, and up to where it was looked at. */
  let [from, at] = [0, 0]
  let [line, rowLine] = [firstLine, firstLine]
  let isInQuotes = false
  let isQuoted = false

  const endRow = (end: number): void => {
    if (end > from) rows.push({ from, end, line: rowLine, isQuoted })
    isQuoted = false
  }

  /** Looks for the end of the batch; false if it comes later. */
  const findEnd = (isLast: boolean): boolean => {
    // A CR at the end may be the first half of a CRLF.
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

  /** Drops what comes before the row that is looked at. */
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
