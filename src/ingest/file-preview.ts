import {
  type Catalog,
  type FilePreview,
  isJsonObject,
  leafFields,
  type PreviewColumn,
  type PreviewRow,
  type Resource,
} from '#contract'
import { type Cell, type CollectionMapping, cellsOf, columnsOf } from '#mapping'
import { correctionColumns } from './corrections.ts'
import { cpuLimitMs, createCpuMeter } from './cpu-limit.ts'
import { fieldsOfColumns } from './field-rows.ts'
import { firstObjects, firstRows } from './first-rows.ts'
import { type FileInput, namedError } from './input.ts'
import { openRows } from './open-rows.ts'
import { openTable } from './open-table.ts'
import { cutField, cutValue, openReport, plainText, type Report } from './report.ts'
import { SourceError } from './row.ts'
import { originOf, placeOf, type Source } from './source.ts'
import { cellText, type TableRow } from './table.ts'
import { type ValidatedBatch, validateSource } from './validate.ts'

export interface FilePreviewOptions {
  readonly catalog: Catalog
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  readonly now: number
  /** Rows to show, and rows to check at least. */
  readonly shownRows: number
  readonly checkedRows: number
  readonly problemsMax: number
}

/**
 * The columns and the first rows of a file, and what the import would say of them, if its collection
 * is known. Nothing is compared with stored records: a dry run does that.
 */
export const previewFile = async (
  { resource, ...file }: Omit<Source, 'resource'> & { readonly resource: Resource | null },
  options: FilePreviewOptions,
): Promise<Omit<FilePreview, 'file'>> => {
  const { input, mapping, name } = file
  if (input.kind !== 'file') throw new Error('A preview needs a file.')
  let preview = unreadPreview(resource?.path ?? null, null)
  try {
    const { names, rows } = await readHead(mapping, input, options.shownRows).catch((error) => {
      throw namedError(name, error)
    })
    if (!resource) return { ...preview, columns: names.map((each) => column(each, true)), rows }
    const source = { ...file, resource }
    preview = { ...preview, ...recognise(source, names), rows }
    return { ...preview, ...(await checkHead(source, options)) }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { ...preview, error: error.message }
  }
}

/** Of a file that cannot be read, or of which nothing is known yet. */
export const unreadPreview = (
  collection: string | null,
  error: string | null,
): Omit<FilePreview, 'file'> => ({
  ...{ collection, columns: [], missing: [], rows: [], problems: [] },
  ...{ checkedRows: 0, isWhole: false, error },
})

/** The columns and the first rows of a file as its sender wrote them. */
interface Head {
  readonly names: readonly string[]
  readonly rows: readonly PreviewRow[]
}

const readHead = async (
  mapping: CollectionMapping | undefined,
  input: FileInput,
  rowsMax: number,
): Promise<Head> => {
  const isJson = input.format === 'json' || input.format === 'ndjson'
  if (isJson && !mapping) return readObjects(input, rowsMax)
  const table = await (mapping
    ? openRows(input, mapping, columnsOf(mapping), () => undefined)
    : openTable(input))
  try {
    const rows = await firstRows(table.rows, rowsMax)
    return { names: table.columns.slice(0, columnsMax), rows: rows.map(shownRow) }
  } finally {
    await table.close()
  }
}

/** The members of objects as columns. */
const readObjects = async (input: FileInput, rowsMax: number): Promise<Head> => {
  const rows = await firstObjects(input, rowsMax)
  const objects = rows.map((row) => ('value' in row && isJsonObject(row.value) ? row.value : {}))
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))].slice(0, columnsMax)
  const cellsAt = (at: number) => cellsOf(objects[at] ?? {}, names).map(shownCell)
  return { names, rows: rows.map(({ line }, at) => ({ line, cells: cellsAt(at) })) }
}

/** Which columns become values, and which values no column has. */
const recognise = (
  { resource, mapping, input }: Pick<Source, 'mapping' | 'input'> & { resource: Resource },
  names: readonly string[],
): Pick<FilePreview, 'columns' | 'missing'> => {
  if (mapping) {
    const used = new Set(columnsOf(mapping).map((each) => each.trim()))
    const present = new Set(names.map((each) => each.trim()))
    return {
      columns: names.map((name) => column(name, used.has(name.trim()))),
      missing: [...used].filter((name) => !present.has(name)).map(plainText),
    }
  }
  const isJson = input.kind === 'file' && (input.format === 'json' || input.format === 'ndjson')
  const leaves = isJson
    ? Object.entries(resource.fields).map(([name, field]) => ({ name, field }))
    : leafFields(resource.fields)
  const fields = isJson ? names : fieldsOfColumns(resource, names)
  const fieldNames = new Set([
    ...leaves.map(({ name }) => name),
    ...Object.values(correctionColumns),
  ])
  return {
    // A column without a field has its value in another one.
    columns: names.map((name, at) =>
      column(name, fieldNames.has(fields[at] ?? leaves[0]?.name ?? '')),
    ),
    missing: leaves
      .filter(({ name, field }) => !field.nullable && !fields.includes(name))
      .map(({ name }) => name),
  }
}

/** Columns that a preview shows: a file can have any number of them. */
const columnsMax = 500

const column = (name: string, isUsed: boolean): PreviewColumn => ({ name: cutValue(name), isUsed })

const shownRow = (row: TableRow): PreviewRow => ({
  line: row.line,
  cells: 'cells' in row ? row.cells.map(shownCell) : (row.uneven ?? [row.text]).map(shownCell),
})

const shownCell = (cell: Cell): string => (cell === null ? '' : cutValue(cellText(cell)))

/** Validates the first rows as an import does. */
const checkHead = async (
  source: Source,
  { catalog, owner, now, checkedRows: rowsMax, problemsMax }: FilePreviewOptions,
): Promise<Pick<FilePreview, 'checkedRows' | 'isWhole' | 'problems'>> => {
  const report = openReport(undefined)
  const meter = createCpuMeter(cpuLimitMs, source.bytes)
  let checkedRows = 0
  let isWhole = true
  for await (const batch of validateSource({
    ...{ catalog, source, owner, now, meter, validBefore: 0 },
  })) {
    for (const problem of batch.problems) report.add(problem)
    addCodeProblems(source, batch, report)
    checkedRows += batch.rows
    if (checkedRows < rowsMax) continue
    isWhole = false
    break
  }
  return { checkedRows, isWhole, problems: report.groups.slice(0, problemsMax) }
}

/** The settings of the brand decide whether these refuse their rows. */
const addCodeProblems = (
  source: Source,
  { lines, codeProblems }: Pick<ValidatedBatch, 'lines' | 'codeProblems'>,
  report: Report,
): void => {
  for (const { row, pointer, value, reason, key } of codeProblems) {
    report.add({
      ...placeOf(source, lines[row] ?? 0, key),
      ...originOf(source, pointer),
      ...{ field: cutField(pointer), value: cutValue(value), reason, severity: 'warning' },
    })
  }
}
