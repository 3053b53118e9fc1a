import { canonicalRecord, checkRecord, type JsonValue, leafFields, valueAt } from '#contract'
import { type Cell, type CollectionMapping, columnsOf, planRows } from '#mapping'
import type { Unstored } from './ingest-options.ts'
import { cutValue } from './report.ts'
import type { RowObserver, Source } from './source.ts'
import { cellText } from './table.ts'

/** What becomes of the rows of a mapped source, without storing them. */
export interface SourcePreview {
  readonly name: string
  readonly collection: string
  /** The line of the mapping. */
  readonly mappingLine: number
  readonly rows: number
  readonly leftOut: number
  readonly removals: number
  /** Rows that give the record of another row, which counts once. */
  readonly repeated: number
  /** Rows with a problem. */
  readonly refused: number
  readonly records: number
  /** Columns of the file that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  readonly columns: readonly string[]
  readonly fields: readonly FieldCoverage[]
  readonly samples: readonly SampleRow[]
}

export interface FieldCoverage {
  readonly field: string
  readonly isMapped: boolean
  /** The number of mapped rows in which the field has a value. */
  readonly filled: number
}

/** A row before and after mapping. */
export interface SampleRow {
  readonly line: number
  readonly before: { readonly [column: string]: JsonValue }
  readonly after: JsonValue
}

/**
 * Watches a source while an import reads it, so that a preview cannot differ from the import. The
 * import says which rows become no record.
 */
export interface PreviewedSource {
  readonly observer: RowObserver
  /** The import begins with the rows of the source, perhaps again. */
  restart(): void
  /** The number of rows that the import has read. */
  imported(rows: number): void
  unstored(why: Unstored, rows: number): void
  preview(): SourcePreview
}

export const previewSource = (
  { name, resource, mapping }: Pick<Source, 'name' | 'resource'> & { mapping: CollectionMapping },
  samplesMax: number,
): PreviewedSource => {
  const leaves = leafFields(resource.fields)
  let columns: readonly string[] = []
  let [rows, omitted, imported] = [0, 0, 0]
  let samples: SampleRow[] = []
  let filled = new Map<string, number>()
  let unstored = noneUnstored()
  return {
    observer: {
      begin: (of) => {
        columns = of
        rows = 0
        omitted = 0
        samples = []
        filled = new Map()
      },
      add: (row, mapped) => {
        rows += 1
        if (mapped === null) omitted += 1
        if (mapped === null || !('json' in mapped) || !('cells' in row)) return
        const value: unknown = JSON.parse(mapped.json)
        for (const leaf of leaves) {
          if (valueAt(value, leaf.path) === null) continue
          filled.set(leaf.name, (filled.get(leaf.name) ?? 0) + 1)
        }
        if (samples.length === samplesMax) return
        const after = canonicalRecord(resource, value)
        if (checkRecord(resource, after).length > 0) return
        const before = cellsByColumn(columns, row.cells)
        samples.push({ line: row.line, before, after: after as JsonValue })
      },
    },
    restart: () => {
      unstored = noneUnstored()
    },
    imported: (count) => {
      imported = count
    },
    unstored: (why, count) => {
      unstored[why] += count
    },
    preview: () => {
      const isMapped = new Set(mapping.fields.map(({ field }) => field))
      const made = planRows(mapping)?.mapping.made ?? []
      const cursor = mapping.from.sql?.cursor ?? ''
      const used = new Set([...columnsOf(mapping), ...made, cursor].map((each) => each.trim()))
      const { removal, refused } = unstored
      // Rows that repeat the row before them are not counted by the import.
      const repeated = unstored.repeated + rows - omitted - imported
      const leftOut = omitted + unstored.leftOut
      return {
        ...{ name, collection: resource.path, mappingLine: mapping.line },
        ...{ rows, leftOut, removals: removal, repeated, refused },
        records: rows - leftOut - removal - repeated - refused,
        columns,
        unusedColumns: columns.filter((each) => each !== '' && !used.has(each.trim())),
        fields: leaves.map((leaf) => ({
          field: leaf.name,
          isMapped: isMapped.has(leaf.name),
          filled: filled.get(leaf.name) ?? 0,
        })),
        samples,
      }
    },
  }
}

const noneUnstored = (): Record<Unstored, number> => ({
  ...{ removal: 0, refused: 0, repeated: 0, leftOut: 0 },
})

const cellsByColumn = (
  columns: readonly string[],
  cells: readonly Cell[],
): { readonly [column: string]: JsonValue } =>
  Object.fromEntries(columns.map((column, index) => [column, shownCell(cells[index] ?? null)]))

/** A cell can have 16 MB. */
const shownCharactersMax = 1_000

const shownCell = (cell: Cell): JsonValue => {
  // A mapping treats an empty text as null.
  if (cell === null || cell === '') return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return cell
  const isPlain = typeof cell === 'string' && cell.length <= shownCharactersMax
  return isPlain ? cell : cutValue(cellText(cell))
}
