import { isJsonObject } from '#contract'
import { type Cell, cellsOf } from '#mapping'
import { firstObjects, firstRows } from './first-rows.ts'
import { type FileInput, namedError } from './input.ts'
import { openLocalFile } from './local-file.ts'
import { openTable } from './open-table.ts'
import { SourceError } from './row.ts'
import { openableFile } from './source.ts'
import type { Encoding, Table, TableOptions } from './table.ts'

/** The columns and the first rows of a file, or of a sheet of a workbook. */
export interface FileSample {
  /** The name of the sheet, if others of its workbook have rows too or it is not the one read by default. */
  readonly sheet: string | null
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The encoding of a text file, if it is not UTF-8. */
  readonly encoding: Encoding | null
}

/** Reads the first rows of a file in any supported encoding, of a workbook those of each sheet. */
export const sampleFile = async (
  path: string,
  rowsMax: number,
): Promise<readonly [FileSample, ...FileSample[]]> => {
  const { input } = await openableFile(path, {})
  try {
    if (input.format === 'json' || input.format === 'ndjson') {
      return [await sampleObjects(input, rowsMax)]
    }
    if (input.format === 'xlsx') return await sampleSheets(input, rowsMax)
    try {
      return [await sampleTable(input, rowsMax, {})]
    } catch (error) {
      const isOther = error instanceof SourceError && /is not valid UTF-8/.test(error.message)
      if (!isOther) throw error
      return [await sampleTable(input, rowsMax, { encoding: 'windows-1252' })]
    }
  } catch (error) {
    throw namedError(path, error)
  }
}

/** Maximum number of sheets of a workbook that are looked at. */
const sheetsMax = 50

/** The visible sheets with rows; if there are none, the one that is read by default. */
const sampleSheets = async (
  input: FileInput,
  rowsMax: number,
): Promise<readonly [FileSample, ...FileSample[]]> => {
  const { readSheets } = await import('./xlsx/read-xlsx.ts')
  const file = await openLocalFile(input, () => undefined)
  try {
    const { names, table } = await readSheets(file.opened)
    const samples: FileSample[] = []
    for (const sheet of names.slice(0, sheetsMax)) {
      try {
        const sample = await sampleOf(await table({ sheet }, () => undefined), rowsMax, { sheet })
        if (sample.rows.length > 0 && sample.columns.length > 1) samples.push(sample)
      } catch (error) {
        // Such as an empty sheet; others may have rows.
        if (!(error instanceof SourceError)) throw error
      }
    }
    const [first, ...others] = samples
    if (!first) return [await sampleOf(await table({}, () => undefined), rowsMax, {})]
    const isDefault = others.length === 0 && first.sheet === names[0]
    return [isDefault ? { ...first, sheet: null } : first, ...others]
  } finally {
    await file.close()
  }
}

type SampleOptions = Pick<TableOptions, 'sheet' | 'encoding'>

const sampleTable = async (
  input: FileInput,
  rowsMax: number,
  options: SampleOptions,
): Promise<FileSample> => sampleOf(await openTable({ ...input, table: options }), rowsMax, options)

const sampleOf = async (
  table: Table,
  rowsMax: number,
  { sheet, encoding }: SampleOptions,
): Promise<FileSample> => {
  try {
    const rows = await firstRows(table.rows, rowsMax)
    return {
      sheet: sheet ?? null,
      encoding: encoding ?? null,
      columns: table.columns,
      rows: rows.flatMap((row) => ('cells' in row ? [row.cells] : [])),
    }
  } finally {
    await table.close()
  }
}

const sampleObjects = async (input: FileInput, rowsMax: number): Promise<FileSample> => {
  const rows = await firstObjects(input, rowsMax)
  const objects = rows.flatMap((row) =>
    'value' in row && isJsonObject(row.value) ? [row.value] : [],
  )
  const columns = [...new Set(objects.flatMap((each) => Object.keys(each)))]
  return {
    ...{ sheet: null, encoding: null, columns },
    rows: objects.map((each) => cellsOf(each, columns)),
  }
}
