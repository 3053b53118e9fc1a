import {
  type CollectionMapping,
  ColumnError,
  columnsOf,
  type JoinedRows,
  madeRowsColumn,
  type OwnRows,
  type PlannedRows,
  planRows,
  RowLimitError,
  type RowPlan,
  textOf,
} from '#mapping'
import { isCorrectionName } from './corrections.ts'
import type { CpuMeter } from './cpu-limit.ts'
import type { FileInput, GivenInput, StreamInput } from './input.ts'
import { openRows } from './open-rows.ts'
import { SourceError } from './row.ts'
import { otherRow, type Source } from './source.ts'
import type { Table, TableRow } from './table.ts'

/** A source whose rows a mapping makes records of. */
export interface MappedSource extends Omit<Source, 'input' | 'mapping'> {
  readonly input: FileInput | StreamInput | GivenInput
  readonly mapping: CollectionMapping
}

/** Rows with the mapping that is compiled for them. */
export interface MappedTable extends Table {
  readonly mapping: CollectionMapping
}

export interface OpenOptions {
  readonly owner: string
  readonly onBytes?: (bytes: number) => void
  readonly meter?: CpuMeter | undefined
}

/** Opens the rows of a mapped source, joined and grouped. */
export const openMapped = async (
  source: MappedSource,
  { owner, onBytes = () => undefined, meter }: OpenOptions,
): Promise<MappedTable> => {
  const { input, mapping } = source
  const plan = planRows(mapping)
  if (input.kind === 'file' && isCorrectionName(input.path)) {
    const own = plan?.mapping ?? mapping
    const columns = [...columnsOf(own), madeRowsColumn]
    return correctedRows(await openRows(input, own, columns, onBytes), mapping, plan)
  }
  if (!plan) {
    return { ...(await openRows(input, mapping, columnsOf(mapping), onBytes)), mapping }
  }
  const planned = plan.begin({
    ...source.context,
    ...{ owner, importedAt: source.importedAt ?? '' },
  })
  for (const join of plan.joins) await readJoined(source, plan, planned, join, meter)
  const table = await openRows(input, mapping, columnsOf(mapping), onBytes)
  try {
    const own = limited(() => planned.own(table.columns, (line) => otherRow(source, line)))
    const rows = madeRows(table.rows, own, mapping, meter)
    return { columns: own.columns, rows, close: table.close, mapping: plan.mapping }
  } catch (error) {
    await table.close()
    throw error
  }
}

/** Errors of a row plan as those of a source. */
export const limited = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (error instanceof ColumnError || error instanceof RowLimitError) {
      throw new SourceError(error.message)
    }
    throw error
  }
}

/** Rows of groups per batch. */
const batchRows = 500

async function* madeRows(
  batches: Table['rows'],
  own: OwnRows,
  { group, collection }: CollectionMapping,
  meter: CpuMeter | undefined,
): Table['rows'] {
  for await (const batch of batches) {
    const endWork = meter?.begin()
    const rows: TableRow[] = []
    for (const row of batch) {
      if ('problem' in row) {
        if (group) throw new SourceError(unreadRow(row, `group the rows of ${collection}`))
        rows.push(row)
        continue
      }
      const cells = limited(() => own.add(row.line, row.cells))
      if (cells) rows.push({ ...row, cells })
    }
    endWork?.()
    yield rows
  }
  let rows: TableRow[] = []
  for (const row of own.end()) {
    rows.push(row)
    if (rows.length < batchRows) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** A row that cannot be read may belong to any other, whose values would be false without it. */
const unreadRow = (
  { line, problem }: Extract<TableRow, { readonly problem: string }>,
  purpose: string,
): string => `cannot be used to ${purpose}: its line ${line} ${problem}`

const readJoined = async (
  { joined = [], mapping }: MappedSource,
  plan: RowPlan,
  planned: PlannedRows,
  join: JoinedRows,
  meter: CpuMeter | undefined,
): Promise<void> => {
  if (join.from.given) return addGiven(mapping, planned, join)
  const input = joined.find(({ name }) => name === join.name)
  if (!input) {
    throw new SourceError(
      `cannot be mapped alone: ${mapping.file}:${join.line} joins the rows of ${join.name} for ${mapping.collection}, and they are not there`,
    )
  }
  for (const file of input.files) {
    try {
      await readFile(file, plan, planned, join, meter)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      throw new SourceError(`needs the rows of ${file.name}, which ${error.message}`)
    }
  }
}

const readFile = async (
  { name, input }: NonNullable<Source['joined']>[number]['files'][number],
  plan: RowPlan,
  planned: PlannedRows,
  join: JoinedRows,
  meter: CpuMeter | undefined,
): Promise<void> => {
  const { file } = plan.mapping
  const table = await openRows(
    input,
    { file, from: join.from },
    plan.columnsOf(join),
    () => undefined,
  )
  try {
    const add = limited(() => planned.join(join, table.columns, (line) => otherRow({ name }, line)))
    for await (const batch of table.rows) {
      const endWork = meter?.begin()
      for (const row of batch) {
        if ('problem' in row) throw new SourceError(unreadRow(row, `join its rows as ${join.name}`))
        limited(() => add(row.line, row.cells))
      }
      endWork?.()
      meter?.check()
    }
  } finally {
    await table.close()
  }
}

/** Joins rows that the mapping has itself. */
export const addGiven = (
  { file }: CollectionMapping,
  planned: PlannedRows,
  join: JoinedRows,
): void => {
  const { columns = [], rows = [] } = join.from.given ?? {}
  limited(() => {
    const add = planned.join(join, columns, (line) => `line ${line} of ${file}`)
    for (const { line, cells } of rows) add(line, cells)
  })
}

/**
 * The rows of a correction file that are rows of this mapping. Joined and grouped rows are corrected
 * as they were made: they have a column that says so, and are not joined again.
 */
const correctedRows = (
  table: Table,
  mapping: CollectionMapping,
  plan: RowPlan | null,
): MappedTable => {
  const { collection } = mapping
  const own = plan?.mapping ?? mapping
  const at = table.columns.indexOf(madeRowsColumn)
  const isOwn = (row: TableRow): boolean => {
    if ('problem' in row) return true
    const madeFor = at < 0 ? null : textOf(row.cells[at])
    if (madeFor === (plan?.mark ?? null)) return true
    if (row.corrects?.some((each) => each.collection === collection)) {
      const before = !plan ? '' : madeFor === null ? 'not ' : 'in another way '
      throw new SourceError(
        `has rows of ${collection} that were made before ${mapping.file} was changed: they were ${before}joined or grouped then. Import the whole file again`,
      )
    }
    return false
  }
  // A plain row does not keep the column, which objects have without a value.
  const keeps = (_: unknown, index: number) => plan !== null || index !== at
  const rows = async function* (): Table['rows'] {
    for await (const batch of table.rows) {
      yield batch
        .filter(isOwn)
        .map((row) => ('cells' in row ? { ...row, cells: row.cells.filter(keeps) } : row))
    }
  }
  // Without rows of this mapping, the file may lack its columns.
  const isOther = plan ? at < 0 : at >= 0
  const columns = isOther && !hasColumns(table, own) ? columnsOf(own) : table.columns.filter(keeps)
  return { columns, rows: rows(), close: table.close, mapping: own }
}

const hasColumns = ({ columns }: Table, mapping: CollectionMapping): boolean => {
  const names = new Set(columns.map((name) => name.trim()))
  return columnsOf(mapping).every((column) => names.has(column.trim()))
}
