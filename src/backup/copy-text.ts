import type { SqlValue } from '#database'
import { damaged } from './backup-error.ts'

/** A table, and the names of the columns that its rows have. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** Some rows of a table as text. Null in place of a cell is SQL's null. */
export interface CopiedRows extends CopiedTable {
  readonly rows: readonly (readonly (string | null)[])[]
}

/** So much text is read at once. A row may be longer. */
const batchCharacters = 1_048_576

/**
 * Reads tables in the format that `pg_dump` writes them in: a line `COPY <table> (<columns>) FROM
 * stdin;`, a line for each row, and `\.`. Ignores everything else. A table without rows is reported
 * too.
 */
export async function* readCopyText(text: AsyncIterable<Uint8Array>): AsyncGenerator<CopiedRows> {
  let table: CopiedTable | null = null
  let rows: (readonly (string | null)[])[] = []
  let characters = 0
  const takeBatch = (of: CopiedTable): CopiedRows => {
    const batch = { ...of, rows }
    rows = []
    characters = 0
    return batch
  }
  for await (const lines of linesOf(text)) {
    for (const line of lines) {
      if (table === null) {
        table = parseHead(line)
      } else if (line === '\\.') {
        yield takeBatch(table)
        table = null
      } else {
        const row = parseRow(line)
        if (row.length !== table.columns.length) {
          throw damaged(`a row of ${table.name} has ${row.length} columns`)
        }
        rows.push(row)
        characters += line.length
        if (characters > batchCharacters) yield takeBatch(table)
      }
    }
  }
  if (table !== null) throw damaged(`the rows of ${table.name} have no end`)
}

const newline = 0x0a

/** Whole lines, as many as arrive together. */
async function* linesOf(text: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: Uint8Array[] = []
  for await (const chunk of text) {
    const end = chunk.lastIndexOf(newline)
    if (end < 0) {
      rest.push(Buffer.from(chunk))
      continue
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)])
    // The sender may reuse its buffer.
    rest = [Buffer.from(chunk.subarray(end + 1))]
    yield decoder.decode(whole).split('\n')
  }
  const last = Buffer.concat(rest)
  if (last.length > 0) yield decoder.decode(last).split('\n')
}

const head =
  /^COPY (?:"?public"?\.)?(?<name>"(?:[^"]|"")+"|[^\s"(]+) \((?<columns>.*)\) FROM stdin;$/
const columnName = /"((?:[^"]|"")+)"|([^\s",]+)/g

const parseHead = (line: string): CopiedTable | null => {
  const { groups } = line.startsWith('COPY ') ? (head.exec(line) ?? {}) : {}
  if (!groups) return null
  const [name = ''] = namesIn(groups['name'] ?? '')
  return { name, columns: namesIn(groups['columns'] ?? '') }
}

const namesIn = (list: string): readonly string[] =>
  [...list.matchAll(columnName)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )

const parseRow = (line: string): readonly (string | null)[] => {
  const cells: (string | null)[] = line.split('\t')
  if (!line.includes('\\')) return cells
  return cells.map((cell) => (cell === '\\N' ? null : unescaped(cell as string)))
}

const unescaped = (cell: string): string =>
  cell.includes('\\')
    ? cell.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character)
    : cell

const escapes: { readonly [character: string]: string } = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The types of columns on PostgreSQL. */
export type ColumnType = 'text' | 'bigint' | 'integer' | 'real' | 'uuid' | 'numeric' | 'bytea'

/** The value of a cell by its type. Identifiers and decimals stay texts (`Session.bulkInsert`). */
export const cellReaders: Readonly<Record<ColumnType, (text: string) => SqlValue>> = {
  text: (text) => text,
  bigint: Number,
  integer: Number,
  real: Number,
  uuid: (text) => text,
  numeric: (text) => text,
  bytea: (text) => Buffer.from(text.slice(2), 'hex'),
}
