import { type CollectionMapping, columnsOf, planRows } from '#mapping'
import { nearest } from '#request'
import type { ColumnKind, SourceColumn } from './source-database.ts'
import type { SyncQuery } from './sync-state.ts'

/** The columns of a query, with their kinds. */
export type QueryColumns = { readonly [name: string]: ColumnKind }

/** The columns that a query of a mapping has itself. */
export const queryColumns = (
  { origin }: SyncQuery,
  columns: readonly SourceColumn[],
): QueryColumns => {
  // The last one is the text of the cursor.
  const own = origin.cursor === null ? columns : columns.slice(0, -1)
  return Object.fromEntries(own.map(({ name, kind }) => [name, kind]))
}

/**
 * Says which columns that a mapping uses are gone or hold another kind of values than in the last
 * round that succeeded; null if none is. Without the comparison, a missing column would become
 * nulls, and one of another kind other values.
 */
export const columnChange = (
  { mapping, origin }: SyncQuery,
  before: QueryColumns,
  now: QueryColumns,
): string | null => {
  const used = new Set([
    ...usedColumns(mapping),
    ...(origin.cursor === null ? [] : [origin.cursor]),
  ])
  const changed = [...used].filter(
    (name) => Object.hasOwn(before, name) && kindIn(before, name) !== kindIn(now, name),
  )
  if (changed.length === 0) return null
  const added = Object.keys(now).filter((name) => !Object.hasOwn(before, name))
  const changes = changed.map((name) => {
    const kind = kindIn(before, name) as ColumnKind
    const current = kindIn(now, name)
    if (current) return `column ${shown(name)} was ${kindNames[kind]} and is ${kindNames[current]}`
    const renamed = nearest(name, added) ?? onlyOne(added.filter((each) => now[each] === kind))
    const hint = renamed === undefined ? '' : ` (renamed to ${shown(renamed)}, which is new?)`
    return `column ${shown(name)}, ${kindNames[kind]}, is gone${hint}`
  })
  return `has other columns than in the last round that succeeded: ${changes.join('; ')}. Nothing was written. Correct the query or the mapping (${mapping.file}:${origin.line}); all rows are then read again.`
}

/** The columns that a mapping uses, also those of joined rows: `lines.QTY`. */
export const usedColumns = (mapping: CollectionMapping): readonly string[] => {
  const plan = planRows(mapping)
  const joined = plan?.joins.flatMap((join) =>
    plan.columnsOf(join).map((column) => `${join.name}.${column}`),
  )
  return [...columnsOf(mapping), ...(joined ?? [])]
}

/** The first of some columns, with their kinds. */
export const describeColumns = (columns: QueryColumns, names: readonly string[]): string => {
  const own = names.filter((name) => Object.hasOwn(columns, name))
  const first = own.slice(0, describedMax).map((name) => {
    const kind = kindIn(columns, name)
    return `${shown(name)} (${kind && kindNames[kind]})`
  })
  return [...first, ...(own.length > first.length ? ['…'] : [])].join(', ')
}

const describedMax = 20

const kindIn = (columns: QueryColumns, name: string): ColumnKind | undefined =>
  Object.hasOwn(columns, name) ? columns[name] : undefined

const onlyOne = (names: readonly string[]): string | undefined =>
  names.length === 1 ? names[0] : undefined

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))

const kindNames: Record<ColumnKind, string> = {
  instant: 'a time with a time zone',
  civil: 'a date or a time without a time zone',
  number: 'a number',
  flag: 'a boolean',
  json: 'JSON',
  text: 'a text',
}
