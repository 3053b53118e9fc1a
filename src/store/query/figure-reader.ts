import { type Catalog, currencyOf, dayIn, daysBetween } from '#contract'
import { type Dialect, quote, type Row, type SqlValue, type Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import type { BrandState } from '../read/brand-state.ts'
import { createParams } from '../read/query-template.ts'
import { createResume, type ScanProgress } from '../read/resumable-scan.ts'
import { formatUuid, readText } from '../schema/identifier.ts'
import { ownerOf } from '../schema/owners.ts'
import { type Key, storedValue, type Table, tableAt } from '../schema/tables.ts'
import {
  compileFigureScan,
  type FigureScan,
  type FigureScanRequest,
  type FigureSums,
  type FirstDate,
  newFigureSums,
  only,
} from './figure-scan.ts'
import type { FigureList, SetFigure } from './figure-set.ts'
import { figuresOf, type GroupSums } from './group-sums.ts'
import { newKeyScan, runKeyScan } from './key-slices.ts'
import type { Figures } from './summary-request.ts'
import { pathText } from './summary-sql.ts'

/** One of the records of a figure with the earliest dates. */
export interface FirstRecord {
  readonly id: string
  /** The value of the resource's title field. */
  readonly title: string | null
  /** The date, or the day of the timestamp in the brand's time zone. */
  readonly date: string
  /** Days before today; negative for a future date. */
  readonly days: number
  readonly amount: { readonly currency: string | null; readonly amount: string } | null
  readonly quantity: number | null
}

/** The age in days of a figure's records. */
export interface FigureDays {
  readonly max: number
  readonly median: number
}

export interface TodayFigure {
  readonly name: string
  readonly figures: Figures
  /** Null if only a snapshot says what it was. */
  readonly weekAgo: Figures | null
  /** Undefined if the figure does not list records. */
  readonly first: readonly FirstRecord[] | undefined
  /** Null without records; undefined if the figure does not report ages. */
  readonly days: FigureDays | null | undefined
  readonly list: FigureList
}

export interface TodaySeries {
  readonly name: string
  readonly parts: readonly {
    readonly name: string
    readonly from: string | null
    readonly to: string | null
    readonly figures: Figures
    readonly list: FigureList
  }[]
}

export interface GroupFigures {
  readonly figures: readonly TodayFigure[]
  readonly series: readonly TodaySeries[]
}

export interface FigureReader {
  /**
   * Reads a group's figures in the snapshot of `steps`, or returns cached figures of the same
   * records. If the steps end early, the next read continues.
   */
  read(steps: Steps, state: BrandState, request: FigureScanRequest): Promise<GroupFigures>
}

export interface FigureReaderParts {
  readonly catalog: Catalog
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
}

/** Cached groups of all brands, about 5 KB each. */
const cachedMax = 1_000

/** The progress of reading a group's figures. */
interface Progress extends ScanProgress<Key> {
  readonly sums: FigureSums
}

export const createFigureReader = (parts: FigureReaderParts): FigureReader => {
  const { catalog, dialect, tables } = parts
  const cached = createBoundedCache<GroupFigures & { readonly version: string }>(cachedMax)
  const resume = createResume<Progress>(cachedMax)

  const advance = (
    steps: Steps,
    scan: FigureScan,
    progress: Progress,
    table: Table,
  ): Promise<void> =>
    runKeyScan(steps, table, progress, {
      endOf: scan.endOf,
      sliceOf: (from, to) => scan.sliceOf(from, to, progress.sums),
      prepare: async (_, { from, to }) => {
        const days: (readonly Row[])[] = []
        for (const each of scan.days) days.push(await steps.all(each.sliceOf(from, to)))
        for (const [at, { figure }] of scan.days.entries()) {
          for (const row of days[at] ?? []) addDays(progress.sums.days[figure], row)
        }
      },
      add: (row) => scan.add(progress.sums, row),
    })

  const readRecords = async (
    steps: Steps,
    { set: { resource, figures }, brand }: FigureScanRequest,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ReadRecord>> => {
    const table = tableAt(tables, resource.path)
    const [key] = table.key
    if (ids.length === 0 || !key) return new Map()
    const values = createParams<SqlValue>(ownerOf(resource, brand))
    const wanted = ids.map((id) => storedValue(key, values.add(id), dialect))
    const amounts = [...new Set(figures.flatMap(({ first }) => first?.amount ?? []))].flatMap(
      (field) => {
        const path = currencyOf(catalog, resource, field)?.currency
        return path ? [{ field, path }] : []
      },
    )
    const scope = { catalog, table, alias: 'r', brand, tables, dialect, values, cells: new Map() }
    const currencies = amounts.map(({ path }) => pathText(path, scope))
    const rows = await steps.all({
      text: [
        `select ${[`r.${quote(key.name)}`, 'r."body"', ...currencies].join(', ')}`,
        `from ${quote(table.name)} as r`,
        `where r."owner" = ?1 and r.${quote(key.name)} in (${wanted.join(', ')})`,
      ].join('\n'),
      values: values.all,
    })
    return new Map(
      rows.map(([id, body, ...codes]: Row) => [
        readText(id ?? null),
        {
          record: JSON.parse(String(body)),
          currencies: new Map(
            amounts.map(({ field }, at) => [field, codes[at] == null ? null : String(codes[at])]),
          ),
        },
      ]),
    )
  }

  return {
    read: async (steps, state, request) => {
      const { set, brand, today, baseCurrency } = request
      const version = state.versionOf(set.collections)
      const { path } = set.resource
      const name = JSON.stringify([path, brand, today, baseCurrency, set.left])
      const earlier = cached.get(name)
      if (earlier?.version === version) return earlier
      const scan = compileFigureScan(parts, request)
      const table = tableAt(tables, path)
      const { sums } = set.left.includes(path)
        ? newProgress(request)
        : await resume(
            name,
            version,
            () => newProgress(request),
            (progress) => advance(steps, scan, progress, table),
          )
      const ids = sums.first.flatMap((each) => each.map(({ key }) => idOf(key)))
      const records = await readRecords(steps, request, [...new Set(ids)])
      const of = (group: GroupSums | undefined, sum: readonly string[]) =>
        figuresOf(group as GroupSums, only(scan.columns, sum), baseCurrency)
      const figures = set.figures.map((figure, at): TodayFigure => {
        const { member, weekAgo, sum, list } = figure
        return {
          name: figure.name,
          figures: of(sums.members[member], sum),
          weekAgo: weekAgo === null ? null : of(sums.members[weekAgo], sum),
          first: figure.first
            ? (sums.first[at] ?? []).map((each) => firstRecord(each, figure, records, request))
            : undefined,
          days: figure.hasDays ? daysOf(sums.days[at] ?? new Map(), today.day) : undefined,
          list,
        }
      })
      const series = set.series.map(
        ({ name: seriesName, parts: all, sum }, at): TodaySeries => ({
          name: seriesName,
          parts: all.map(({ name: part, from, to, list }, place) => ({
            name: part,
            from,
            to,
            figures: of(sums.parts[at]?.[place], sum),
            list,
          })),
        }),
      )
      const result = { version, figures, series }
      cached.set(name, result)
      return result
    },
  }
}

interface ReadRecord {
  readonly record: { readonly [field: string]: unknown }
  /** The currencies of its amounts by field; none for amounts in the base currency. */
  readonly currencies: ReadonlyMap<string, string | null>
}

const noRecord: ReadRecord = { record: {}, currencies: new Map() }

const newProgress = ({ set }: FigureScanRequest): Progress => ({
  ...newKeyScan(),
  sums: newFigureSums(set),
})

const addDays = (days: Map<number, number> | undefined, [date, count]: Row): void => {
  if (date === null || date === undefined) return
  days?.set(Number(date), (days.get(Number(date)) ?? 0) + Number(count))
}

const idOf = (hex: string): string => formatUuid(Buffer.from(hex, 'hex'))

const firstRecord = (
  { date: cell, key }: FirstDate,
  { first, dates }: SetFigure,
  records: ReadonlyMap<string, ReadRecord>,
  { set: { resource }, today, baseCurrency }: FigureScanRequest,
): FirstRecord => {
  const id = idOf(key)
  const { record, currencies } = records.get(id) ?? noRecord
  const title = resource.title === undefined ? null : record[resource.title]
  const isTimestamp = resource.fields[dates[0]?.field ?? '']?.kind === 'timestamp'
  const date = dayOf(cell, isTimestamp, today.timezone)
  const quantity = first?.quantity ? record[first.quantity] : null
  const amount = first?.amount ? record[first.amount] : null
  const currency = currencies.get(first?.amount ?? '')
  return {
    id,
    title: title === null || title === undefined ? null : String(title),
    date,
    days: daysBetween(date, today.day),
    amount:
      typeof amount === 'string'
        ? { currency: currency === undefined ? baseCurrency : currency, amount }
        : null,
    quantity: typeof quantity === 'number' ? quantity : null,
  }
}

/** The day of a date or timestamp, from a column or from JSON text. */
const dayOf = (cell: number | string, isTimestamp: boolean, timezone: string): string => {
  if (typeof cell === 'number') return isTimestamp ? dayIn(timezone, cell) : dateOf(cell)
  return cell.includes('T') ? dayIn(timezone, Date.parse(cell)) : cell
}

/** Formats a date column, which is stored as 20260301. */
const dateOf = (number: number): string => {
  const digits = String(number).padStart(8, '0')
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`
}

/** The maximum and the median age; the lower median for an even count. */
const daysOf = (dates: ReadonlyMap<number, number>, today: string): FigureDays | null => {
  const items = [...dates.values()].reduce((sum, each) => sum + each, 0)
  if (items === 0) return null
  const days = [...dates]
    .map(([date, count]) => ({ days: daysBetween(dateOf(date), today), count }))
    .sort((one, other) => one.days - other.days)
  let before = 0
  const median = days.find(({ count }) => {
    before += count
    return before >= Math.ceil(items / 2)
  })
  return { max: days.at(-1)?.days ?? 0, median: median?.days ?? 0 }
}
