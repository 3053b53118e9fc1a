import type { Part, Row, RowSlices, SqlValue } from './database.ts'

/** The name of an insert column. */
export const nameOf = (column: string | Part): string =>
  typeof column === 'string' ? column : column.name

/** The columns of sliced rows, in the order of their values. */
export const sliceColumns = ({ numbered, parts, whole }: RowSlices): readonly string[] => [
  ...numbered,
  ...parts.map(({ name }) => name),
  whole,
]

/** Number of offsets per row: the start and end of the row and of each part. */
export const sliceWidth = ({ parts }: Pick<RowSlices, 'parts'>): number => parts.length * 2 + 2

/** Decodes rows, for an engine that cannot insert slices. */
export function* decodeSlices({ bytes, offsets, parts, numbersOf }: RowSlices): Iterable<Row> {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = sliceWidth({ parts })
  const textAt = (at: number) => texts.toString('utf8', offsets[at], offsets[at + 1])
  for (let row = 0, at = 0; at < offsets.length; row += 1, at += width) {
    const cells: SqlValue[] = [...numbersOf(row)]
    for (const [index, { kind, read }] of parts.entries()) {
      const part = at + 2 + index * 2
      const from = offsets[part] as number
      if (from < 0) cells.push(null)
      else if (read) cells.push(read(texts, from, offsets[part + 1] as number))
      else cells.push(kind === 'integer' ? Number(textAt(part)) : textAt(part))
    }
    cells.push(textAt(at))
    yield cells
  }
}
