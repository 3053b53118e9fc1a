import {
  canonicalRecord,
  checkRecord,
  compileCodeCheck,
  type JsonValue,
  leafFields,
  valueAt,
} from '#contract'
import {
  type Cell,
  type CollectionMapping,
  columnsOf,
  compileRowNamer,
  type MappedProblem,
} from '#mapping'
import { namedError } from './input.ts'
import { compileSource, openRows } from './mapped-rows.ts'
import { cutField, cutValue, type Report, type RowProblem } from './report.ts'
import type { SeenIdentities } from './seen-identities.ts'
import { placeOf, type Source } from './source.ts'
import { cellText, type Table, type TableRow } from './table.ts'

/** The result of mapping a source's rows, without storing them. */
export interface SourcePreview {
  readonly name: string
  readonly collection: string
  /** The line of the mapping. */
  readonly mappingLine: number
  readonly rows: number
  readonly leftOut: number
  readonly removals: number
  readonly records: number
  /** Rows with a problem. */
  readonly refused: number
  /** Columns of the file that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  readonly columns: readonly string[]
  readonly fields: readonly FieldCoverage[]
  readonly samples: readonly SampleRow[]
}

export interface FieldCoverage {
  readonly field: string
  readonly isMapped: boolean
  /** The number of valid rows in which the field has a value. */
  readonly filled: number
}

/** A row before and after mapping. */
export interface SampleRow {
  readonly line: number
  readonly before: { readonly [column: string]: JsonValue }
  readonly after: JsonValue
}

export interface PreviewOptions {
  readonly owner: string
  readonly report: Report
  /** Number of sample rows. */
  readonly samples: number
  /** The rows of all previews. */
  readonly identities: SeenIdentities
}

/** Maps and validates every row of a mapped file. Problems go to the report. */
export const previewSource = async (
  source: Source,
  options: PreviewOptions,
): Promise<SourcePreview> => {
  const { input, mapping, name } = source
  if (!mapping || input.kind === 'rows') throw new Error('A preview needs a mapped file.')
  try {
    const table = await openRows(input, mapping, () => undefined)
    try {
      return await previewTable({ ...source, mapping }, table, options)
    } finally {
      await table.close()
    }
  } catch (error) {
    throw namedError(name, error)
  }
}

/** The name and the mapping of the previewed rows. */
type PreviewedSource = Omit<Source, 'input' | 'bytes'> & { readonly mapping: CollectionMapping }

/** `previewSource` for an open table. Throws a `SourceError` without the source's name. */
export const previewTable = async (
  source: PreviewedSource,
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
  { owner, report, samples: samplesMax, identities }: PreviewOptions,
): Promise<SourcePreview> => {
  const { mapping, resource, name } = source
  const leaves = leafFields(resource.fields)
  const filled = new Map(leaves.map((leaf) => [leaf.name, 0]))
  const counts = { rows: 0, leftOut: 0, removals: 0, records: 0, refused: 0 }
  const samples: SampleRow[] = []
  const mapper = compileSource(source, mapping, owner, columns)
  const namer = compileRowNamer(mapping, resource.key, columns)
  const findInvalidCodes = compileCodeCheck(resource.fields, 'error')
  const add = (
    row: TableRow,
    { field, value, ...rest }: MappedProblem,
    severity: RowProblem['severity'] = 'error',
  ) => {
    const key = 'cells' in row ? namer.keyOf(row.cells) : null
    report.add({
      ...rest,
      ...placeOf(source, row.line, key),
      ...{ field: cutField(field), value: cutValue(value) },
      ...{ mappingFile: mapping.file, severity },
    })
  }
  const refuse = (row: TableRow, problems: readonly MappedProblem[]) => {
    counts.refused += 1
    for (const problem of problems) add(row, problem)
  }
  for await (const batch of rows) {
    for (const row of batch) {
      counts.rows += 1
      if ('problem' in row) {
        refuse(row, [wholeRow(row.text, row.problem, mapping.line)])
        continue
      }
      const mapped = mapper.map(row.cells)
      if (mapped === null) counts.leftOut += 1
      else if ('removal' in mapped) counts.removals += 1
      else if ('problems' in mapped) refuse(row, mapped.problems)
      else {
        const value = canonicalRecord(resource, mapped.value)
        const problems = checkRecord(resource, value).map(({ pointer, reason, value: wrong }) => ({
          ...{ field: pointer, reason, value: wrong },
          ...mapper.originOf(pointer),
        }))
        if (problems.length > 0) {
          refuse(row, problems)
          continue
        }
        const repeated = identities.add(source, row.line, value as JsonValue)
        const isLeftOut = repeated === 'choice'
        if (repeated && !isLeftOut) {
          const { reason, severity } = repeated
          const origin = mapper.originOf(`/${resource.key[0]}`)
          add(row, { ...origin, field: '', value: '', reason }, severity)
          if (severity === 'error') {
            counts.refused += 1
            continue
          }
        }
        counts[isLeftOut ? 'leftOut' : 'records'] += 1
        for (const { pointer, value: code, reason } of findInvalidCodes(value)) {
          const problem = { ...mapper.originOf(pointer), field: pointer, value: code, reason }
          add(row, problem, 'warning')
        }
        for (const leaf of leaves) {
          if (valueAt(value, leaf.path) === null) continue
          filled.set(leaf.name, (filled.get(leaf.name) ?? 0) + 1)
        }
        if (samples.length < samplesMax) {
          const before = cellsByColumn(columns, row.cells)
          samples.push({ line: row.line, before, after: value as JsonValue })
        }
      }
    }
  }
  const isMapped = new Set(mapping.fields.map(({ field }) => field))
  const used = new Set(columnsOf(mapping).map((each) => each.trim()))
  return {
    ...{ name, collection: resource.path, mappingLine: mapping.line, ...counts },
    columns,
    unusedColumns: columns.filter((each) => each !== '' && !used.has(each.trim())),
    fields: leaves.map((leaf) => ({
      field: leaf.name,
      isMapped: isMapped.has(leaf.name),
      filled: filled.get(leaf.name) ?? 0,
    })),
    samples,
  }
}

const wholeRow = (value: string, reason: string, mappingLine: number): MappedProblem => ({
  field: '',
  column: '',
  mappingLine,
  value,
  reason,
})

const cellsByColumn = (
  columns: readonly string[],
  cells: readonly Cell[],
): { readonly [column: string]: JsonValue } =>
  Object.fromEntries(
    columns.map((column, index) => {
      const cell = cells[index] ?? null
      const isPlain = cell === null || ['string', 'number', 'boolean'].includes(typeof cell)
      return [column, isPlain ? (cell as JsonValue) : cutValue(cellText(cell))]
    }),
  )
