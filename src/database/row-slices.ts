import type { CutRows, Row, SqlValue } from './database.ts'

/** Columns of rows that are cut, in the order in which their values are. */
export const cutColumns = ({ numbered, parts, whole }: CutRows): readonly string[] => [
  ...numbered,
  ...parts.map(({ name }) => name),
  whole,
]

/** Numbers of a row among the places: where it begins and ends, and the same for each part. */
export const cutWidth = ({ parts }: Pick<CutRows, 'parts'>): number => parts.length * 2 + 2

/** Cuts rows out of their bytes, for an engine that cannot do it itself. */
export function* cutOut({ bytes, places, parts, numbersOf }: CutRows): Iterable<Row> {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = cutWidth({ parts })
  const textAt = (at: number) => texts.toString('utf8', places[at], places[at + 1])
  for (let row = 0, at = 0; at < places.length; row += 1, at += width) {
    const cells: SqlValue[] = [...numbersOf(row)]
    for (const [index, { integer }] of parts.entries()) {
      const place = at + 2 + index * 2
      if (places[place] === -1) cells.push(null)
      else cells.push(integer ? Number(textAt(place)) : textAt(place))
    }
    cells.push(textAt(at))
    yield cells
  }
}
