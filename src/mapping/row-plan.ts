import { hash } from 'node:crypto'
import { type Binding, type BindingOptions, createBinding, type Read } from './binding.ts'
import { type Cell, keyPartOf, textOf } from './cell.ts'
import { allColumns, joinOf } from './compile.ts'
import { compileConditions } from './compile-conditions.ts'
import { columnsIn, partsOf, withParts } from './expression-parts.ts'
import type { CollectionMapping, Expression, JoinedRows, ValueSource } from './mapping.ts'
import { FormatError } from './number-format.ts'
import { plainFormats } from './parse-formats.ts'
import { checkedCell, problemCell, problemIn, valuePrefix } from './problem-cell.ts'
import { type Accumulator, compileAccumulator } from './row-accumulator.ts'
import { createRowWork } from './row-work.ts'

/*
 * Joined and grouped rows, before a mapping is compiled: `compileMapping` sees a plain table with
 * more columns. A column of a joined row is named `vendor.CITY`. A value over rows has a column of
 * its own. What is wrong with such a cell, as two rows with one key, is a problem of its row.
 */

type RowsSource = Extract<ValueSource, { readonly kind: 'rows' }>

/** What is to be made of the rows of a mapping. */
export interface RowPlan {
  /** The mapping for the rows that are made. */
  readonly mapping: CollectionMapping
  readonly joins: readonly JoinedRows[]
  /** The cell of `madeRowsColumn`: rows of another one were joined or grouped in another way. */
  readonly mark: string
  /** The columns that are used of the rows of a join. */
  readonly columnsOf: (join: JoinedRows) => readonly string[]
  begin(options: PlanOptions): PlannedRows
}

export type PlanOptions = Omit<BindingOptions, 'columns'>

/** Reads rows: first all that are joined, then the own ones. Throws `RowLimitError`. */
export interface PlannedRows {
  /** Adds rows of a join. Throws `ColumnError`. `placeOf` names a row by its line. */
  readonly join: (
    join: JoinedRows,
    columns: readonly string[],
    placeOf: (line: number) => string,
  ) => (line: number, cells: readonly Cell[]) => void
  /** Begins the own rows. Throws `ColumnError`. */
  readonly own: (columns: readonly string[], placeOf: (line: number) => string) => OwnRows
}

export interface OwnRows {
  /** The columns of the rows that are made. */
  readonly columns: readonly string[]
  /** The cells of the row that is made; null if a group takes it, or if it is left out. */
  readonly add: (line: number, cells: readonly Cell[]) => readonly Cell[] | null
  /** The rows of groups, after the last row. */
  readonly end: () => Iterable<{ readonly line: number; readonly cells: readonly Cell[] }>
}

/** The rows to be joined or grouped do not fit into memory. */
export class RowLimitError extends Error {}

/** Limits of rows that are held. Values over rows hold one row for each key. */
const rowsMax = 5_000_000
const bytesMax = 512 * 1_024 * 1_024

/** About what a row needs besides its texts. */
const [rowBytes, cellBytes] = [150, 40]

/** The column that marks made rows in quarantine. */
export const madeRowsColumn = 'selvedge_rows'

/** The plan for the rows of a mapping; null for one that takes them as they are. */
export const planRows = (mapping: CollectionMapping): RowPlan | null => {
  const { join: joins = [], group } = mapping
  if (joins.length === 0 && !group) return null
  const sources = new Map<string, RowsSource>()
  const fields = mapping.fields.map((field) => ({
    ...field,
    value: withoutRows(field.value, sources),
  }))
  const { join: _, group: __, ...plain } = mapping
  const planned = { ...plain, fields, ...(group && { where: [] }) }
  /** The columns of the one row of a join that has the key. */
  const joined = new Set(
    [
      ...allColumns(planned),
      ...mapping.where.map(({ column }) => column),
      ...(group ?? []),
      ...joins.flatMap(({ on }) => on.map(({ column }) => column)),
      ...[...sources.values()].flatMap((source) =>
        source.in === null ? columnsIn(partsOf(source)) : [],
      ),
    ].filter((column) => joinOf(mapping, column)),
  )
  const plainColumns = group ? columnsKept(mapping, planned) : []
  const made = [...new Set([...joined, ...plainColumns, ...sources.keys(), madeRowsColumn])]
  const ownName = (join: JoinedRows, column: string) => column.slice(join.name.length + 1)
  const joinedColumns = (join: JoinedRows) =>
    [...joined].filter((column) => joinOf(mapping, column) === join)
  const plan: RowPlan = {
    mapping: { ...planned, made },
    joins,
    mark: markOf(mapping),
    columnsOf: (join) => [
      ...new Set([
        ...join.on.map(({ other }) => other),
        ...joinedColumns(join).map((column) => ownName(join, column)),
        ...[...sources.values()].flatMap((each) =>
          each.in === join.name ? columnsIn(partsOf(each)) : [],
        ),
      ]),
    ],
    begin: (options) => {
      const limit = createLimit(mapping)
      const sets = new Map(
        joins.map((join) => {
          const columns = joinedColumns(join)
          const names = columns.map((column) => ownName(join, column))
          const values = [...sources].filter(([, { in: name }]) => name === join.name)
          return [join, createJoinSet({ mapping, options, limit, join, columns, names, values })]
        }),
      )
      return {
        join: (join, columns, placeOf) => (sets.get(join) as JoinSet).begin(columns, placeOf),
        own: (columns, placeOf) => {
          const parts = { mapping, options, limit, columns, placeOf, sets: [...sets.values()] }
          return group ? groupedRows(parts, group, plainColumns, sources) : plainRows(parts)
        },
      }
    },
  }
  return plan
}

/** Tells the rows of a mapping from those of an earlier one, whose values may be false now. */
const markOf = ({ collection, join, group, where }: CollectionMapping): string =>
  `${collection} ${digestOf({ join, group, where: group && where })}`

/** A short hash of a part of a mapping, without its place in the file. */
const digestOf = (part: object): string => {
  const text = JSON.stringify(part, (name, value) => (name === 'line' ? undefined : value))
  return `#${hash('sha256', text, 'hex').slice(0, 6)}`
}

/** The columns that a row of a group has, besides values over rows. */
const columnsKept = (mapping: CollectionMapping, planned: CollectionMapping): readonly string[] => {
  const own = new Set([
    ...(mapping.group ?? []),
    ...allColumns(planned),
    ...(mapping.join ?? []).flatMap(({ on }) => on.map(({ column }) => column)),
  ])
  return [...own].filter((column) => !column.startsWith(valuePrefix))
}

/** Puts a column in the place of each value over rows, and collects them. */
const withoutRows = (expression: Expression, sources: Map<string, RowsSource>): Expression => {
  const { source, unit } = expression
  const change = unit && { unit: { ...unit, from: withoutRows(unit.from, sources) } }
  if (source.kind !== 'rows') {
    const parts = partsOf(source).map((part) => withoutRows(part, sources))
    return parts.length > 0 || change
      ? { ...expression, ...change, source: withParts(source, parts) }
      : expression
  }
  const column = columnFor(source)
  sources.set(column, source)
  const { timezone, multiply } = expression.formats
  return {
    ...expression,
    ...change,
    source: { kind: 'column', column, optional: false },
    // The values are numbers and times as records have them; the factor applies to the result.
    formats: { ...plainFormats, timezone, multiply },
  }
}

/** The name tells values apart, also those of an earlier mapping. */
const columnFor = (source: RowsSource): string => {
  const places = columnsIn(partsOf(source)).map((column) =>
    source.in === null ? column : `${source.in}.${column}`,
  )
  const of = places.length > 0 ? places.join(', ') : (source.in ?? 'the group')
  return `${valuePrefix}${source.function} of ${of} ${digestOf(source)}`
}

interface Limit {
  /** Counts a row with texts of this size. */
  add(bytes: number): void
  /** Counts a value that a row has got. */
  grow(bytes: number): void
}

const createLimit = ({ file, line, collection }: CollectionMapping): Limit => {
  let [rows, bytes] = [0, 0]
  const check = () => {
    if (rows <= rowsMax && bytes <= bytesMax) return
    throw new RowLimitError(
      `has too many rows to join or group for ${collection} (${file}:${line}): at most ${rowsMax.toLocaleString('en')} keys and ${bytesMax / 1_048_576} MiB are held. Import it in parts, or make the record in the query`,
    )
  }
  return {
    add: (more) => {
      rows += 1
      bytes += more + rowBytes
      check()
    },
    grow: (more) => {
      bytes += more
      check()
    },
  }
}

/** The text that rows with equal cells share; null if a part is empty. Throws what a read throws. */
const compileKey = (reads: readonly Read[]): ((cells: readonly Cell[]) => string | null) => {
  const [only] = reads
  if (only && reads.length === 1) return (cells) => keyPartOf(only(cells))
  return (cells) => {
    const parts = reads.map((read) => keyPartOf(read(cells)))
    return parts.includes(null) ? null : JSON.stringify(parts)
  }
}

interface JoinParts {
  readonly mapping: CollectionMapping
  readonly options: PlanOptions
  readonly limit: Limit
  readonly join: JoinedRows
  /** The columns of the one row, and their names in the joined table. */
  readonly columns: readonly string[]
  readonly names: readonly string[]
  readonly values: readonly (readonly [column: string, source: RowsSource])[]
}

interface JoinedRow {
  rows: number
  readonly first: string
  second: string
  readonly cells: readonly Cell[]
  readonly accumulators: readonly Accumulator[]
}

interface JoinSet {
  readonly join: JoinedRows
  readonly columns: readonly string[]
  readonly values: readonly string[]
  begin(
    columns: readonly string[],
    placeOf: (line: number) => string,
  ): (line: number, cells: readonly Cell[]) => void
  /** The cells of the one row, or a problem in each of them. */
  cellsAt(key: string | null): readonly Cell[]
  valuesAt(key: string | null): readonly Cell[]
}

/** The rows of a join by key. */
const createJoinSet = (parts: JoinParts): JoinSet => {
  const { mapping, options, limit, join, columns, names, values } = parts
  const rows = new Map<string, JoinedRow>()
  const nothing = columns.map(() => null)
  const empty = values.map(
    ([, source]) => compileAccumulator(source, noBinding, join.line, limit.grow).empty,
  )
  return {
    join,
    columns,
    values: values.map(([column]) => column),
    begin: (own, placeOf) => {
      const binding = createBinding(mapping, { ...options, columns: own })
      const keyOf = compileKey(join.on.map(({ other, line }) => binding.cell(other, line, false)))
      const reads = names.map((name) => binding.cell(name, join.line, false))
      const accumulators = values.map(([, source]) =>
        compileAccumulator(source, binding, join.line, limit.grow),
      )
      binding.check()
      return (line, cells) => {
        binding.work.start()
        const key = keyOf(cells)
        if (key === null) return
        let row = rows.get(key)
        if (!row) {
          const joinedCells = reads.map((read) => read(cells))
          row = {
            ...{ rows: 0, second: '', cells: joinedCells },
            first: columns.length > 0 ? placeOf(line) : '',
            accumulators: accumulators.map((accumulator) => accumulator.create()),
          }
          rows.set(key, row)
          limit.add(key.length * 2 + sizeOf(joinedCells) + accumulators.length * cellBytes)
        } else if (row.rows === 1 && columns.length > 0) row.second = placeOf(line)
        row.rows += 1
        for (const [index, accumulator] of accumulators.entries()) {
          accumulator.add(row.accumulators[index] as Accumulator, cells, () => placeOf(line))
        }
      }
    },
    cellsAt: (key) => {
      const row = key === null ? undefined : rows.get(key)
      if (!row) return nothing
      if (row.rows === 1) return row.cells
      const problem = problemCell(
        `has ${row.rows.toLocaleString('en')} rows in ${join.name}: ${row.first} and ${row.second}${row.rows > 2 ? ' and others' : ''}. One is expected; use rows: first, or on: with more columns`,
      )
      return columns.map(() => problem)
    },
    valuesAt: (key) => {
      const row = key === null ? undefined : rows.get(key)
      return row ? row.accumulators.map((accumulator) => accumulator.value()) : empty
    },
  }
}

/** For the value of no rows. */
const noBinding: Binding = {
  owner: '',
  importedAt: '',
  brand: null,
  work: createRowWork(),
  fields: [],
  cell: () => () => null,
  value: () => () => null,
  brandValue: () => null,
  lookup: () => new Map(),
  check: () => undefined,
}

const sizeOf = (cells: readonly Cell[]): number => {
  let size = 0
  for (const cell of cells) {
    size += cellBytes
    if (typeof cell === 'string') size += cell.length * 2
    else if (typeof cell === 'object' && cell !== null) size += (textOf(cell)?.length ?? 0) * 2
  }
  return size
}

interface OwnParts {
  readonly mapping: CollectionMapping
  readonly options: PlanOptions
  readonly limit: Limit
  readonly columns: readonly string[]
  readonly placeOf: (line: number) => string
  readonly sets: readonly JoinSet[]
}

/** Adds the cells of joined rows to a row. Later joins can use those of earlier ones. */
const compileJoined = ({ mapping, options, columns, sets }: OwnParts) => {
  let all = columns
  const steps = sets
    .filter((set) => set.columns.length > 0)
    .map((set) => {
      const keyOf = compileOwnKey(mapping, options, all, set.join)
      all = [...all, ...set.columns]
      return { set, keyOf }
    })
  return {
    columns: all,
    add: (cells: readonly Cell[]): readonly Cell[] => {
      if (steps.length === 0) return cells
      const row = [...cells]
      for (const { set, keyOf } of steps) {
        const key = keyOf(row)
        row.push(...('problem' in key ? set.columns.map(() => key.problem) : set.cellsAt(key.key)))
      }
      return row
    },
  }
}

/** The key of the joined rows of a row, or the problem that a cell of it has. */
const compileOwnKey = (
  mapping: CollectionMapping,
  options: PlanOptions,
  columns: readonly string[],
  { on }: JoinedRows,
) => {
  const binding = createBinding(mapping, { ...options, columns })
  const reads = on.map(({ column, line }) => binding.cell(column, line, false))
  const keyOf = compileKey(reads.map((read) => (cells) => checkedCell(read(cells))))
  binding.check()
  return (cells: readonly Cell[]): { readonly key: string | null } | { readonly problem: Cell } => {
    try {
      return { key: keyOf(cells) }
    } catch (error) {
      if (error instanceof FormatError) return { problem: problemCell(error.message) }
      throw error
    }
  }
}

/** Adds the values over joined rows to a row. */
const compileValues = ({ mapping, options, sets }: OwnParts, columns: readonly string[]) => {
  const steps = sets
    .filter((set) => set.values.length > 0)
    .map((set) => ({ set, keyOf: compileOwnKey(mapping, options, columns, set.join) }))
  return {
    columns: steps.flatMap(({ set }) => set.values),
    valuesOf: (cells: readonly Cell[]): readonly Cell[] =>
      steps.flatMap(({ set, keyOf }) => {
        const key = keyOf(cells)
        return 'problem' in key ? set.values.map(() => key.problem) : set.valuesAt(key.key)
      }),
  }
}

const plainRows = (parts: OwnParts): OwnRows => {
  const joined = compileJoined(parts)
  const values = compileValues(parts, joined.columns)
  const mark = markOf(parts.mapping)
  return {
    columns: [...joined.columns, ...values.columns, madeRowsColumn],
    add: (_, cells) => {
      // A short row has no cells at its end.
      const whole = cells.length < parts.columns.length ? padded(cells, parts.columns) : cells
      const row = joined.add(whole)
      return [...row, ...values.valuesOf(row), mark]
    },
    end: () => [],
  }
}

const padded = (cells: readonly Cell[], columns: readonly string[]): readonly Cell[] =>
  columns.map((_, index) => cells[index] ?? null)

interface Group {
  readonly line: number
  readonly cells: Cell[]
  readonly accumulators: readonly Accumulator[]
  /** Why its rows are not known. */
  problem: string | null
}

const groupedRows = (
  parts: OwnParts,
  group: readonly string[],
  plainColumns: readonly string[],
  sources: ReadonlyMap<string, RowsSource>,
): OwnRows => {
  const { mapping, options, limit, placeOf } = parts
  const joined = compileJoined(parts)
  const binding = createBinding(
    { ...mapping, made: joined.columns.slice(parts.columns.length) },
    {
      ...options,
      columns: joined.columns,
    },
  )
  const groupReads = group.map((column) => binding.cell(column, mapping.line, false))
  const keptReads = plainColumns.map((column) => binding.cell(column, mapping.line, false))
  const isWanted = compileConditions(mapping.where, binding)
  const own = [...sources].filter(([, source]) => source.in === null)
  const accumulators = own.map(([, source]) =>
    compileAccumulator(source, binding, mapping.line, limit.grow),
  )
  binding.check()
  const values = compileValues(parts, plainColumns)
  const groups = new Map<string, Group>()
  const mark = markOf(mapping)
  return {
    columns: [...plainColumns, ...own.map(([column]) => column), ...values.columns, madeRowsColumn],
    add: (line, cells) => {
      binding.work.start()
      const row = joined.add(padded(cells, parts.columns))
      let problem: string | null = null
      try {
        if (!isWanted(row)) return null
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        problem = `${error.message} (${placeOf(line)})`
      }
      const key = JSON.stringify(groupReads.map((read) => keyPartOf(read(row))))
      let current = groups.get(key)
      if (!current) {
        const first = keptReads.map((read) => read(row))
        current = {
          line,
          cells: first,
          accumulators: accumulators.map((accumulator) => accumulator.create()),
          problem,
        }
        groups.set(key, current)
        limit.add(key.length * 2 + sizeOf(first) + accumulators.length * cellBytes)
      } else {
        for (const [index, read] of keptReads.entries()) {
          const [before, now] = [current.cells[index] ?? null, read(row)]
          if (before === now || textOf(before) === textOf(now)) continue
          if (problemIn(before) !== null || group.includes(plainColumns[index] ?? '')) continue
          current.cells[index] = problemCell(
            `differs within the group: ${shown(before)} in ${placeOf(current.line)}, ${shown(now)} in ${placeOf(line)}. Use rows: first, or add the column to group`,
          )
        }
      }
      current.problem ??= problem
      for (const [index, accumulator] of accumulators.entries()) {
        accumulator.add(current.accumulators[index] as Accumulator, row, () => placeOf(line))
      }
      return null
    },
    end: function* () {
      for (const { line, cells, accumulators: own, problem } of groups.values()) {
        const all = [
          ...cells,
          ...own.map((accumulator) => accumulator.value()),
          ...values.valuesOf(cells),
        ]
        const isKey = (index: number) => group.includes(plainColumns[index] ?? '')
        yield {
          line,
          cells: [
            ...(problem === null
              ? all
              : all.map((cell, index) => (isKey(index) ? cell : problemCell(problem)))),
            mark,
          ],
        }
      }
    },
  }
}

const shown = (cell: Cell): string => {
  const text = textOf(cell)
  return text === null
    ? 'nothing'
    : JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
