import { type Query, quote } from '#database'
import { tableByIndex } from '../read/list.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { compileCondition } from './condition-sql.ts'
import { conjunctsOf } from './conjuncts.ts'
import type { GroupedPart } from './group-scan.ts'
import { compileKeyEnd, keyRange } from './key-slices.ts'
import { compareText } from './sort-order.ts'
import { conditionTexts, type Span, stretchText } from './stretch-sql.ts'
import type { SummaryRequest } from './summary-request.ts'
import {
  cellsAlias,
  openScope,
  type SummaryColumns,
  type SummaryParts,
  type SummaryScope,
  summaryColumns,
} from './summary-sql.ts'
import type { ZoneOffset } from './zone-offsets.ts'

/** Maximum rows per slice: one per group and currency. */
export const rowsMax = 5_000

export interface SummaryStatements {
  readonly table: Table
  readonly columns: SummaryColumns
  /** Slices in identity order. */
  endOf(from: Key | null, rows: number): Query
  sliceOf(from: Key | null, to: Key | null): Query
  /** Slices along the index of a grouping. */
  groupedEndOf(part: GroupedPart, span: Span, rows: number): Query
  groupedSliceOf(part: GroupedPart, span: Span): Query
}

export const compileSummary = (
  parts: SummaryParts,
  request: SummaryRequest,
  offsets: readonly ZoneOffset[],
): SummaryStatements => {
  const { resource, brand } = request
  const { tables, dialect } = parts
  const table = tableAt(tables, resource.path)
  const conjuncts = conjunctsOf(request)
  const { ids } = request
  /** Only the records with these identities. */
  const isWanted = (scope: SummaryScope): readonly string[] =>
    ids ? [`(${ids.map((key) => compareText(table.key, '=', key, scope)).join(' or ')})`] : []
  const driver = conjuncts.find(
    (each) => each.kind === 'compare' && each.is === 'eq' && indexOn(table, each.field),
  )
  const index = driver?.kind === 'compare' ? indexOn(table, driver.field) : undefined
  const source = tableByIndex(dialect, table.name, 't', index)
  const scopeOf = () => openScope(parts, resource, brand, offsets)
  const columns = summaryColumns(request, scopeOf())

  const range = ({ values }: SummaryScope, from: Key | null, to: Key | null) =>
    keyRange(table, dialect, values, from, to)

  const endOf = (from: Key | null, rows: number) => {
    const scope = scopeOf()
    const where = [
      't."owner" = ?1',
      ...(driver ? [compileCondition(driver, scope)] : []),
      ...isWanted(scope),
      ...range(scope, from, null),
    ]
    return compileKeyEnd(table, scope, source, where, rows)
  }

  const aggregateOf = (scope: SummaryScope, records: string, where: readonly string[]) => {
    const { grouped, aggregates } = summaryColumns(request, scope)
    const cells = [...scope.cells].map(([text, name]) => `${text} as ${quote(name)}`)
    const all = [
      ...where,
      ...isWanted(scope),
      ...conjuncts.map((each) => compileCondition(each, scope)),
    ]
    const text = [
      `select ${[...grouped, ...aggregates].join(',\n')}`,
      `from (select ${cells.length > 0 ? cells.join(',\n') : '1'}`,
      `from ${records}`,
      `where ${[...all, ...dialect.inTime].join('\nand ')}`,
      `${dialect.onceForEachRow}) as ${cellsAlias}`,
      ...(grouped.length > 0 ? [`group by ${grouped.map((_, at) => at + 1).join(', ')}`] : []),
      `limit ${rowsMax + 1}`,
    ].join('\n')
    return { text, values: scope.values.all }
  }

  const sliceOf = (from: Key | null, to: Key | null) => {
    const scope = scopeOf()
    return aggregateOf(scope, source, ['t."owner" = ?1', ...range(scope, from, to)])
  }

  /** The records of a slice along the index of a grouping. */
  const groupedText = ({ stretch, where }: GroupedPart, span: Span, scope: SummaryScope) => {
    const text = stretchText(stretch, span, false, scope)
    return { ...text, where: [...text.where, ...conditionTexts(where, scope)] }
  }
  const groupedEndOf = (part: GroupedPart, span: Span, rows: number) => {
    const scope = scopeOf()
    const { from, where, order } = groupedText(part, span, scope)
    const text = [
      `select ${order}\nfrom ${from}`,
      `where ${where.join('\nand ')}`,
      `order by ${order}\nlimit 1 offset ${dialect.limit(scope.values.add(rows - 1))}`,
    ].join('\n')
    return { text, values: scope.values.all }
  }
  const groupedSliceOf = (part: GroupedPart, span: Span) => {
    const scope = scopeOf()
    const { from, where } = groupedText(part, span, scope)
    return aggregateOf(scope, from, where)
  }
  return { columns, endOf, sliceOf, groupedEndOf, groupedSliceOf, table }
}

const indexOn = (table: Table, field: string): string | undefined => {
  const column = table.lookups.find(({ path }) => path.join('.') === field)
  return table.indexes.find(({ columns }) => columns[0] === column?.name)?.name
}
