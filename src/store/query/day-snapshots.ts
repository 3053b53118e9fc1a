import { addDays } from '#contract'
import type { Database, Dialect, Query, Row, Session } from '#database'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { ChangedRecords } from './change-counts.ts'
import type { TodayFigure, TodaySeries } from './figure-reader.ts'

/** The part of a figure that a snapshot keeps. */
export type KeptFigure = Pick<TodayFigure, 'figures' | 'first' | 'days'>
export type KeptPart = Omit<TodaySeries['parts'][number], 'list'>

/** The figures of a brand at the end of a day. */
export interface DaySnapshot {
  /** The day in the brand's time zone. */
  readonly day: string
  readonly takenAt: string
  readonly figures: ReadonlyMap<string, KeptFigure>
  readonly series: ReadonlyMap<string, readonly KeptPart[]>
  readonly changed: ChangedRecords | null
}

/** The snapshots of the figures of past days. `serve` takes them, and the query API reads them. */
export interface DaySnapshots {
  has(brand: string, day: string): Promise<boolean>
  /** Stores a snapshot unless there is one of the day, and deletes those that are too old. */
  add(brand: string, snapshot: DaySnapshot): Promise<void>
  /** Stores snapshots instead of all that the brand has. */
  replaceAll(brand: string, snapshots: readonly DaySnapshot[]): Promise<void>
}

/** A year, and a month to compare with it. Older snapshots are deleted. */
const daysMax = 400

const table = 'selvedge_day_snapshots'
/** The name of the changed records among the names of figures and series. */
const changedName = 'changed'

export const daySnapshotsTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: table,
  rows: 'owner',
  ddl: `create table "${table}" (
  "owner" ${integer} not null,
  "day" ${text} not null,
  "figure" ${text} not null,
  "taken_at" ${text} not null,
  "body" text not null,
  primary key ("owner", "day", "figure")
)${tableOptions}`,
})

export const createDaySnapshots = (database: Database): DaySnapshots => {
  const { dialect } = database
  const write = (brand: string, work: (session: Session, owner: number) => Promise<void>) =>
    // Does not take the lock of the brand's records, which an import may hold for long.
    database.write((session) => work(session, ownerNumber(brand)), 'states')
  return {
    has: async (brand, day) => {
      const [rows = []] = await database.read([compileTaken(brand, [day])], ownerNumber(brand))
      return rows.length > 0
    },
    add: (brand, snapshot) =>
      write(brand, async (session, owner) => {
        await session.run(insert(owner, snapshot, dialect))
        await session.run({
          text: `delete from "${table}"\nwhere "owner" = ?1 and "day" <= ?2`,
          values: [owner, addDays(snapshot.day, -daysMax)],
        })
      }),
    replaceAll: (brand, snapshots) =>
      write(brand, async (session, owner) => {
        await session.run({ text: `delete from "${table}"\nwhere "owner" = ?1`, values: [owner] })
        for (const each of snapshots) await session.run(insert(owner, each, dialect))
      }),
  }
}

/** Inserts nothing for a brand that was removed meanwhile. */
const insert = (
  owner: number,
  { day, takenAt, figures, series, changed }: DaySnapshot,
  dialect: Dialect,
): Query => {
  const bodies = [...figures, ...series, ...(changed ? [[changedName, changed] as const] : [])]
  const rows = bodies.map(([figure, body]) => JSON.stringify({ figure, body: encode(body) }))
  const cellOf = (name: string) => dialect.jsonText('g."value"', [name])
  return {
    text: [
      `insert into "${table}" ("owner", "day", "figure", "taken_at", "body")`,
      `select ${asInteger('?1', dialect)}, ?2, ${cellOf('figure')}, ?3, ${cellOf('body')}`,
      `from ${dialect.textsIn('?4', 'g')}`,
      'where exists (select 1 from "selvedge_collections" where "owner" = ?1 and "total" > 0)',
      'on conflict do nothing',
    ].join('\n'),
    values: [owner, day, takenAt, JSON.stringify(rows)],
  }
}

/** Finds out which of some days have a snapshot, and when it was taken. */
export const compileTaken = (brand: string, days: readonly string[]): Query => ({
  text: [
    'select "day", min("taken_at")',
    `from "${table}"`,
    `where ${whereDays(days)}`,
    'group by "day"',
    'order by "day"',
  ].join('\n'),
  values: [ownerNumber(brand), ...days],
})

/** Changes when a snapshot of one of the days is taken. Parses the result of `compileTaken`. */
export const takenVersion = (rows: readonly Row[] = []): string =>
  rows.map((row) => row.join(' ')).join('.')

export const compileDaySnapshots = (brand: string, days: readonly string[]): Query => ({
  text: [
    'select "day", "figure", "taken_at", "body"',
    `from "${table}"`,
    `where ${whereDays(days)}`,
    'order by "day", "figure"',
  ].join('\n'),
  values: [ownerNumber(brand), ...days],
})

/** Some figures of the snapshots of a range of days. Parsed by `parseDaySnapshots`. */
export const compileSnapshotFigures = (
  brand: string,
  { from, to }: { readonly from: string; readonly to: string },
  figures: readonly string[],
): Query => ({
  text: [
    'select "day", "figure", "taken_at", "body"',
    `from "${table}"`,
    'where "owner" = ?1 and "day" >= ?2 and "day" <= ?3',
    `  and "figure" in (${figures.map((_, at) => `?${at + 4}`).join(', ')})`,
    'order by "day", "figure"',
  ].join('\n'),
  values: [ownerNumber(brand), from, to, ...figures],
})

const whereDays = (days: readonly string[]): string =>
  `"owner" = ?1 and "day" in (${days.map((_, at) => `?${at + 2}`).join(', ')})`

/** Parses the rows of snapshots: the snapshots by day. */
export const parseDaySnapshots = (rows: readonly Row[]): ReadonlyMap<string, DaySnapshot> =>
  new Map(
    [...Map.groupBy(rows, ([day]) => String(day))].map(([day, all]) => {
      const bodies = all.map(([, name, , body]) => [String(name), decode(String(body))] as const)
      const figures = new Map<string, KeptFigure>()
      const series = new Map<string, readonly KeptPart[]>()
      let changed: ChangedRecords | null = null
      for (const [name, body] of bodies) {
        if (name === changedName) changed = body as ChangedRecords
        else if (Array.isArray(body)) series.set(name, body)
        else figures.set(name, body as KeptFigure)
      }
      return [day, { day, takenAt: String(all[0]?.[2]), figures, series, changed }]
    }),
  )

/** JSON, in which whole numbers of any size keep all their digits. */
const encode = (body: KeptFigure | readonly KeptPart[] | ChangedRecords): string =>
  JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? { whole: String(value) } : value))

const decode = (text: string): unknown =>
  JSON.parse(text, (_, value) => (typeof value?.whole === 'string' ? BigInt(value.whole) : value))
