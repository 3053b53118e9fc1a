import { type Condition, firstMax, startOfDay, type Today } from '#contract'
import { type Query, quote, type Row } from '#database'
import { type Key, tableAt } from '../schema/tables.ts'
import { comparedDates } from './compared-dates.ts'
import { compileCondition } from './condition-sql.ts'
import type { DateSource, FigureSet, SetSeries } from './figure-set.ts'
import { addRow, type GroupSums, newGroupSums } from './group-sums.ts'
import { compileKeyEnd, keyColumns, keyRange } from './key-slices.ts'
import { operandOf } from './operand.ts'
import {
  cellsAlias,
  openScope,
  type SummaryColumns,
  type SummaryParts,
  type SummaryScope,
  summaryColumns,
} from './summary-sql.ts'

export interface FigureScanRequest {
  readonly set: FigureSet
  readonly brand: string
  readonly today: Today
  readonly baseCurrency: string
}

/** A candidate for the first records, with its date as the statement returns it. */
export interface FirstDate {
  /** The column's value; the JSON text if the date fields have columns of different kinds. */
  readonly date: number | string
  /** The identity in hexadecimal. */
  readonly key: string
}

/** The counts and sums so far, by member, by part of each series, and by date. */
export interface FigureSums {
  readonly members: readonly GroupSums[]
  readonly parts: readonly (readonly GroupSums[])[]
  /** For each figure: the number of records per date; empty if the figure does not need it. */
  readonly days: readonly Map<number, number>[]
  readonly first: readonly FirstDate[][]
}

export const newFigureSums = ({ members, series, figures }: FigureSet): FigureSums => ({
  members: members.map(() => newGroupSums([])),
  parts: series.map(({ parts }) => parts.map(() => newGroupSums([]))),
  days: figures.map(() => new Map()),
  first: figures.map(() => []),
})

/**
 * The statements that read a set of figures in slices. Each record is read once: the statement
 * tests it against the conditions of all figures and groups rows by the set of conditions that
 * hold.
 */
export interface FigureScan {
  readonly columns: SummaryColumns
  /** The identity `rows` rows further; no row if fewer are left. */
  endOf(from: Key | null, rows: number): Query
  /** The records of a slice. Returns only first records that can still displace one already read. */
  sliceOf(from: Key | null, to: Key | null, sums: FigureSums): Query
  add(sums: FigureSums, row: Row): void
  /** For each figure that reports ages: the number of records of a slice per date. */
  readonly days: readonly DaysScan[]
}

export interface DaysScan {
  /** The index of the figure. */
  readonly figure: number
  /** Returns rows of a date and a number of records. */
  sliceOf(from: Key | null, to: Key | null): Query
}

export const compileFigureScan = (parts: SummaryParts, request: FigureScanRequest): FigureScan => {
  const { set, brand } = request
  const { tables, dialect } = parts
  const table = tableAt(tables, set.resource.path)
  const key = keyColumns(table)
  const scopeOf = () => openScope(parts, set.resource, brand)
  const columns = sumColumns(request, scopeOf())
  const width = columns.grouped.length + columns.aggregates.length
  const places = placesOf(set, width)
  const memberColumns = set.members.map(({ sum }) => only(columns, sum))

  const daysSlice = (
    member: number,
    dates: readonly DateSource[],
    from: Key | null,
    to: Key | null,
  ): Query => {
    const scope = scopeOf()
    const where = [
      't."owner" = ?1',
      ...keyRange(table, dialect, scope.values, from, to),
      `(${compileCondition(set.members[member]?.where as Condition, scope)}) is true`,
    ]
    const text = [
      `select ${dateText(dates, scope)}, count(*)`,
      `from ${quote(table.name)} as t`,
      `where ${where.join('\nand ')}`,
      'group by 1',
    ].join('\n')
    return { text, values: scope.values.all }
  }

  return {
    columns,
    endOf: (from, rows) => {
      const scope = scopeOf()
      const where = ['t."owner" = ?1', ...keyRange(table, dialect, scope.values, from, null)]
      return compileKeyEnd(table, scope, `${quote(table.name)} as t`, where, rows)
    },
    days: set.figures.flatMap(({ hasDays, member, dates }, figure) =>
      hasDays ? [{ figure, sliceOf: (from, to) => daysSlice(member, dates, from, to) }] : [],
    ),
    sliceOf: (from, to, sums) => {
      const scope = scopeOf()
      const { grouped, aggregates } = sumColumns(request, scope)
      const isAny = set.members.map(({ where }) => compileCondition(where, scope))
      const bits = set.members.map(
        ({ where }, at) => `case when ${compileCondition(where, scope)} then ${2 ** at} else 0 end`,
      )
      const dates = set.figures.flatMap((figure, at) =>
        figure.first ? [`${dateText(figure.dates, scope)} as ${quote(`d${at}`)}`] : [],
      )
      const seriesValues = set.series.map(
        ({ field }, at) => `${operandOf(field, scope).text} as ${quote(`s${at}`)}`,
      )
      const buckets = set.series.map((each, at) => {
        const part = partText(each, `${cellsAlias}.${quote(`s${at}`)}`, request, scope)
        return `case when ${isMember(each.member)} then ${part} end`
      })
      const firsts = set.figures.flatMap(({ first, member }, at) =>
        first
          ? [firstText(member, `${cellsAlias}.${quote(`d${at}`)}`, sums.first[at] ?? [], scope)]
          : [],
      )
      const cells = [...scope.cells].map(([text, name]) => `${text} as ${quote(name)}`)
      const where = [
        't."owner" = ?1',
        ...keyRange(table, dialect, scope.values, from, to),
        // One boolean expression, so that the planner does not use the index of a single condition.
        `(${isAny.join('\nor ')}) is true`,
      ]
      const groups = [
        ...grouped.map((_, at) => at + 1),
        ...Array.from({ length: 1 + buckets.length }, (_, at) => width + at + 1),
      ]
      const text = [
        `select ${[...grouped, ...aggregates, `${cellsAlias}."m"`, ...buckets, ...firsts].join(',\n')}`,
        `from (select ${[...cells, ...dates, ...seriesValues, `${key[0]} as "k"`, `${bits.join('\n+ ')} as "m"`].join(',\n')}`,
        `from ${quote(table.name)} as t`,
        `where ${where.join('\nand ')}`,
        `${dialect.onceForEachRow}) as ${cellsAlias}`,
        `group by ${groups.join(', ')}`,
      ].join('\n')
      return { text, values: scope.values.all }
    },
    add: (sums, row) => {
      const mask = Number(row[places.mask])
      const isIn = (member: number) => Math.floor(mask / 2 ** member) % 2 === 1
      for (const at of set.members.keys()) {
        if (!isIn(at)) continue
        addRow(sums.members[at] as GroupSums, row, memberColumns[at] as SummaryColumns)
      }
      for (const [at, { member, parts, isByValue }] of set.series.entries()) {
        const cell = row[places.series[at] ?? 0] ?? null
        if (!isIn(member) || cell === null) continue
        const part = isByValue ? parts.findIndex(({ name }) => name === cell) : Number(cell)
        const group = sums.parts[at]?.[part]
        if (group) addRow(group, row, memberColumns[member] as SummaryColumns)
      }
      for (const [at, { member }] of set.figures.entries()) {
        if (!isIn(member)) continue
        const first = places.first[at]
        if (first != null && row[first] != null) {
          addFirst(sums.first[at] as FirstDate[], String(row[first]))
        }
      }
    },
  }
}

/** The cells of a row that hold the mask, the parts of series and the first records. */
const placesOf = ({ series, figures }: FigureSet, width: number) => {
  let next = width + 1
  const take = (isTaken: boolean): number | null => {
    if (!isTaken) return null
    next += 1
    return next - 1
  }
  return {
    mask: width,
    series: series.map(() => take(true) as number),
    first: figures.map(({ first }) => take(first !== null)),
  }
}

const sumColumns = (
  { set, brand, today, baseCurrency }: FigureScanRequest,
  scope: SummaryScope,
): SummaryColumns =>
  summaryColumns(
    {
      resource: set.resource,
      brand,
      filters: new Map(),
      where: [],
      ids: null,
      sum: set.sum,
      min: [],
      max: [],
      by: [],
      today,
      baseCurrency,
    },
    scope,
  )

/** The summary columns, restricted to some sums. */
export const only = (columns: SummaryColumns, sum: readonly string[]): SummaryColumns => ({
  ...columns,
  sums: sum.flatMap((name) => columns.sums.find(({ field }) => field === name) ?? []),
})

/** The date of a record as an expression that sorts by date. */
const dateText = (sources: readonly DateSource[], scope: SummaryScope): string => {
  const { texts } = comparedDates(
    sources.map(({ field }) => field),
    scope,
  )
  const cases = sources.map(({ where }, at) => {
    const isThis = where ? compileCondition(where, scope) : `${texts[at]} is not null`
    return `when ${isThis} then ${texts[at]}`
  })
  return `case ${cases.join(' ')} end`
}

const isMember = (member: number): string => `(${cellsAlias}."m" & ${2 ** member}) <> 0`

/** Selects the first records of a member. Skips records later than the last one kept so far. */
const firstText = (
  member: number,
  date: string,
  earlier: readonly FirstDate[],
  { dialect, values }: SummaryScope,
): string => {
  const last = earlier.length < firstMax ? undefined : earlier.at(-1)
  const where = [
    isMember(member),
    `${date} is not null`,
    ...(last ? [`${date} <= ${values.add(last.date)}`] : []),
  ]
  const key = dialect.uuidHex(`${cellsAlias}."k"`)
  return dialect.least(date, key, firstMax, where.join(' and '))
}

/** The part of a series that a value belongs to: the value itself, or the index of its range. */
const partText = (
  { parts, field, isByValue }: SetSeries,
  text: string,
  { today }: FigureScanRequest,
  scope: SummaryScope,
): string => {
  if (isByValue) return text
  const { bind } = operandOf(field, scope)
  const isTimestamp = scope.table.resource.fields[field]?.kind === 'timestamp'
  const bound = (day: string) =>
    bind(isTimestamp ? new Date(startOfDay(today.timezone, day)).toISOString() : day)
  const cases = parts.map(({ name, parameters }, at) => {
    if (name === 'none') return `when ${text} is null then ${at}`
    const ranges = parameters.map(
      ([parameter, day]) => `${text} ${parameter.endsWith('.gte') ? '>=' : '<'} ${bound(day)}`,
    )
    return `when ${ranges.join(' and ')} then ${at}`
  })
  return `case ${cases.join('\n')} end`
}

/** Merges the first records of a slice: pairs of date and identity, separated by commas. */
const addFirst = (first: FirstDate[], text: string): void => {
  for (const each of text.split(',')) {
    const [date = '', key = ''] = each.split(' ')
    first.push({ date: /^-?\d+$/.test(date) ? Number(date) : date, key })
  }
  first.sort((one, other) => compare(one.date, other.date) || compare(one.key, other.key))
  first.splice(firstMax)
}

const compare = <Value extends number | string>(one: Value, other: Value): number =>
  one === other ? 0 : one < other ? -1 : 1
