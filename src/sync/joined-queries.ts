import { addGiven, limited, SourceError } from '#ingest'
import {
  type MappingContext,
  type OwnRows,
  type PlannedRows,
  planRows,
  type RowPlan,
} from '#mapping'
import { type QueryParts, runMappedQuery } from './mapped-query.ts'
import type { QueryColumns } from './source-columns.ts'
import type { SourceDialect, SourceTable } from './source-database.ts'
import { allOf } from './source-query.ts'
import type { SyncQuery } from './sync-state.ts'

interface JoinParts extends QueryParts {
  readonly dialect: SourceDialect
  readonly brand: string
  /** When the round began. */
  readonly startedAt: number
}

/** What is made of the rows of a query, with the rows that are joined to them. */
export interface JoinedQuery {
  readonly plan: RowPlan
  readonly planned: PlannedRows
  /** The columns of joined rows that are used: `lines.QTY`. */
  readonly columns: QueryColumns
}

/**
 * Reads the rows that a mapping joins to those of its query, in the same snapshot and whole: a query
 * with joined rows has no cursor. Null for a query whose rows are mapped as they are.
 */
export const readJoined = async (
  parts: JoinParts,
  query: SyncQuery,
  context: MappingContext,
): Promise<JoinedQuery | null> => {
  const plan = planRows(query.mapping)
  if (!plan) return null
  const importedAt = new Date(parts.startedAt).toISOString()
  const planned = plan.begin({ ...context, owner: parts.brand, importedAt })
  const columns = new Map<string, QueryColumns[string]>()
  for (const join of plan.joins) {
    if (join.from.given) addGiven(query.mapping, planned, join)
    if (!join.from.sql) continue
    const sql = allOf(join.from.sql.sql, parts.dialect)
    const table = await runMappedQuery(parts, sql, { ...query, origin: join.from.sql })
    const used = new Set(plan.columnsOf(join))
    for (const { name, kind } of table.columns) {
      if (used.has(name)) columns.set(`${join.name}.${name}`, kind)
    }
    await addRows(table, join.name, (names, placeOf) => planned.join(join, names, placeOf))
  }
  return { plan, planned, columns: Object.fromEntries(columns) }
}

const addRows = async (
  { columns, batches }: SourceTable,
  name: string,
  begin: (
    names: readonly string[],
    placeOf: () => string,
  ) => (line: number, cells: SourceRow) => void,
): Promise<void> => {
  const names = columns.map((column) => column.name)
  try {
    const add = limited(() => begin(names, () => `a row of ${name}`))
    for await (const batch of batches) for (const cells of batch) limited(() => add(0, cells))
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new SourceError(`needs the rows of ${name}, whose query ${error.message}`)
  }
}

type SourceRow = Parameters<OwnRows['add']>[1]

/** A row of a query. Rows are counted from 1, in the order in which they were read. */
export interface NumberedRow {
  readonly line: number
  readonly cells: SourceRow
}

/** The rows of a query as they are mapped. */
export interface MadeRows {
  readonly columns: readonly string[]
  readonly batches: AsyncIterable<readonly NumberedRow[]>
}

/** Joins and groups the rows of a query. `onRow` receives each as it was read. */
export const madeRows = (
  { columns, batches }: SourceTable,
  joined: JoinedQuery | null,
  onRow: (cells: SourceRow) => void,
): MadeRows => {
  const names = columns.map((column) => column.name)
  const own = joined && limited(() => joined.planned.own(names, () => 'one row'))
  const rows = async function* (): MadeRows['batches'] {
    let line = 0
    for await (const batch of batches) {
      yield batch.flatMap((cells) => {
        line += 1
        onRow(cells)
        const made = own ? limited(() => own.add(line, cells)) : cells
        return made ? [{ line, cells: made }] : []
      })
    }
    let groups: NumberedRow[] = []
    for (const group of own?.end() ?? []) {
      groups.push(group)
      if (groups.length < batchRows) continue
      yield groups
      groups = []
    }
    if (groups.length > 0) yield groups
  }
  return { columns: own?.columns ?? names, batches: rows() }
}

/** Groups per batch. */
const batchRows = 500
