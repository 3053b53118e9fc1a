import {
  type Database,
  type Dialect,
  literal,
  type Query,
  type Row,
  type Session,
  type SqlValue,
} from '#database'
import { convertQueue, hasQueue } from './convert-queue.ts'
import {
  attemptsMax,
  endedError,
  type FailedUnit,
  type Unit,
  type UnitKind,
  type UnitState,
} from './unit.ts'

/** Units of work of every source, and what is left of them for a while. */
export const unitTable = 'selvedge_units'
/** Bodies apart: marking a unit must not rewrite megabytes. */
export const bodyTable = 'selvedge_unit_bodies'

const indexes = {
  open: `"${unitTable}" ("brand", "kind", "number", "source", "bytes", "length", "received_at")
    where "finished_at" is null`,
  finished: `"${unitTable}" ("finished_at") where "finished_at" is not null`,
  brand: `"${unitTable}" ("brand", "finished_at") where "finished_at" is not null`,
  quarantined: `"${unitTable}" ("brand", "kind", "source", "number", "bytes")
    where "state" = 'quarantined'`,
}

/** `finished_at` is null while a unit waits or is worked on. */
const unitDdl = ({ text, integer }: Dialect) => `create table if not exists "${unitTable}" (
  "number" ${integer} primary key,
  "id" ${text} not null unique,
  "brand" ${text} not null,
  "kind" ${text} not null,
  "source" ${text} not null,
  "position" text,
  "state" ${text} not null,
  "attempts" ${integer} not null,
  "last_error" text,
  "holder" ${text},
  "working_since" ${text},
  "received_at" ${text} not null,
  "finished_at" ${text},
  "written_to" ${integer},
  "key_id" ${text},
  "idempotency_key" ${text},
  "hash" ${text},
  "options" text,
  "bytes" ${integer} not null,
  "length" ${integer} not null,
  "result" text,
  "summary" text,
  unique ("brand", "key_id", "idempotency_key")
)`

/** Creates the tables, and converts the queue of an earlier version. */
export const createUnitTables = async (database: Database): Promise<void> => {
  const tables = await database.tables()
  const isWhole = tables.get(unitTable)?.includes('summary')
  if (isWhole && !hasQueue(tables)) return
  const { dialect } = database
  await database.write(async (session) => {
    // Another process may have changed them while this one waited for the lock.
    const now = await database.tables()
    const hasSummaries = now.get(unitTable)?.includes('summary') ?? true
    for (const ddl of [
      unitDdl(dialect),
      ...(hasSummaries ? [] : [`alter table "${unitTable}" add column "summary" text`]),
      `create table if not exists "${bodyTable}" (
        "number" ${dialect.integer} primary key,
        "body" ${dialect.blob} not null
      )`,
      ...Object.entries(indexes).map(
        ([name, on]) => `create index if not exists "${unitTable}__${name}" on ${on}`,
      ),
    ]) {
      await session.run({ text: ddl, values: [] })
    }
    await convertQueue(session, now)
  })
}

/** The columns that `parseUnit` reads. */
export const unitColumns = [
  'number',
  'id',
  'brand',
  'kind',
  'source',
  'position',
  'state',
  'attempts',
  'last_error',
  'holder',
  'received_at',
  'finished_at',
  'written_to',
  'options',
]

/** The options of a unit that is not a batch, once an operator has accepted it. */
const accepted = 'accepted'

const columns = unitColumns.map((name) => `"${name}"`).join(', ')

export const parseUnit = (row: Row): Unit => ({
  number: Number(row[0]),
  id: String(row[1]),
  brand: String(row[2]),
  kind: row[3] as UnitKind,
  source: String(row[4]),
  position: row[5] as string | null,
  state: row[6] as UnitState,
  attempts: Number(row[7]),
  lastError: row[8] as string | null,
  holder: row[9] as string | null,
  receivedAt: String(row[10]),
  finishedAt: row[11] as string | null,
  writtenTo: row[12] === null ? null : Number(row[12]),
  isAccepted: row[13] === accepted,
})

/** Writers of the queue exclude each other, so that numbers are committed in their order. */
export const nextNumber = `(select coalesce(max("number"), 0) + 1 from "${unitTable}")`

/** What a source says of a new unit. */
export type NewUnit = Pick<Unit, 'id' | 'brand' | 'kind' | 'source' | 'position' | 'receivedAt'>

/** The open unit of a place in a source; inserts one if there is none. */
export const openUnit = async (session: Session, unit: NewUnit): Promise<Unit> => {
  const { id, brand, kind, source, position, receivedAt } = unit
  const [open] = await session.all({
    text: [
      `select ${columns}`,
      `from "${unitTable}"`,
      'where "brand" = ?1 and "kind" = ?2 and "source" = ?3 and "finished_at" is null',
      'and ("position" = ?4 or ("position" is null and ?4 is null))',
    ].join('\n'),
    values: [brand, kind, source, position],
  })
  if (open) return parseUnit(open)
  const [inserted] = await session.all({
    text: [
      `insert into "${unitTable}" ("number", "id", "brand", "kind", "source", "position", "state",`,
      '"attempts", "received_at", "bytes", "length")',
      `values (${nextNumber}, ?1, ?2, ?3, ?4, ?5, 'waiting', 0, ?6, 0, 0)`,
      `returning ${columns}`,
    ].join('\n'),
    values: [id, brand, kind, source, position, receivedAt],
  })
  return parseUnit(inserted as Row)
}

/** Opens a unit again that is done; null if it is not. */
export const reopenUnit = async (
  session: Session,
  id: string,
  receivedAt: string,
): Promise<Unit | null> => {
  const [row] = await session.all({
    text: [
      `update "${unitTable}"`,
      `set "state" = 'waiting', "attempts" = 0, "finished_at" = null, "received_at" = ?2`,
      `where "id" = ?1 and "state" = 'done'`,
      `returning ${columns}`,
    ].join('\n'),
    values: [id, receivedAt],
  })
  return row ? parseUnit(row) : null
}

export interface Claim {
  readonly holder: string
  readonly at: string
  /** A claim that was not renewed since is free. */
  readonly expiredBefore: string
  /** Processes that are known to have ended. */
  readonly ended: readonly string[]
}

/**
 * Claims units for a process, and counts an attempt of each: one that dies has made it. Returns the
 * attempts of those that it got. A unit that it holds already is still in the same attempt.
 */
export const claimUnits = async (
  session: Session,
  dialect: Dialect,
  numbers: readonly number[],
  { holder, at, expiredBefore, ended }: Claim,
): Promise<ReadonlyMap<number, number>> => {
  const isOwn = `"state" = 'working' and "holder" = ?1`
  const rows = await session.all({
    text: [
      `update "${unitTable}"`,
      `set "state" = 'working', "holder" = ?1, "working_since" = ?2,`,
      `"attempts" = "attempts" + case when ${isOwn} then 0 else 1 end,`,
      `"last_error" = case when "state" = 'working' and "holder" <> ?1 then ?6 else "last_error" end`,
      `where "number" in (select cast(n."value" as ${dialect.integer})`,
      `from ${dialect.textsIn('?3', 'n')})`,
      'and "finished_at" is null',
      `and ("state" = 'waiting' or "holder" = ?1 or "working_since" < ?4`,
      `or "holder" in (select h."value" from ${dialect.textsIn('?5', 'h')}))`,
      'returning "number", "attempts"',
    ].join('\n'),
    values: [
      ...[holder, at, JSON.stringify(numbers.map(String)), expiredBefore],
      ...[JSON.stringify(ended), endedError],
    ],
  })
  return new Map(rows.map(([number, attempts]) => [Number(number), Number(attempts)]))
}

/** Says that a process still works on its units. */
export const renewClaims = async (session: Session, holder: string, at: string): Promise<void> => {
  await session.run({
    text: [
      `update "${unitTable}"`,
      'set "working_since" = ?2',
      `where "finished_at" is null and "state" = 'working' and "holder" = ?1`,
    ].join('\n'),
    values: [holder, at],
  })
}

/** The attempts without the current one, which may have been taken back already. */
const fewerAttempts = '"attempts" - case when "attempts" > 0 then 1 else 0 end'

/** Gives units back whose attempt does not count. The error says why they wait; null keeps the last. */
export const releaseUnits = async (
  session: Session,
  dialect: Dialect,
  numbers: readonly number[],
  { holder, lastError }: { readonly holder: string; readonly lastError: string | null },
): Promise<void> => {
  await session.run({
    text: [
      `update "${unitTable}"`,
      `set "state" = 'waiting', "attempts" = ${fewerAttempts}, "holder" = null,`,
      '"last_error" = coalesce(?3, "last_error")',
      ...whereWorking(dialect),
    ].join('\n'),
    values: [JSON.stringify(numbers.map(String)), holder, lastError],
  })
}

/**
 * Makes all units wait that are worked on, and takes their attempts back: no process of a restored
 * database has begun them, and those of the original have not failed.
 */
export const forgetClaims = async (database: Database): Promise<void> => {
  await database.write((session) =>
    session.run({
      text: [
        `update "${unitTable}"`,
        `set "state" = 'waiting', "attempts" = ${fewerAttempts}, "holder" = null`,
        `where "state" = 'working' and "finished_at" is null`,
      ].join('\n'),
      values: [],
    }),
  )
}

/** Takes the current attempt of units back, or counts it again. */
export const countAttempt = async (
  session: Session,
  dialect: Dialect,
  numbers: readonly number[],
  { holder, isCounted }: { readonly holder: string; readonly isCounted: boolean },
): Promise<void> => {
  await session.run({
    text: [
      `update "${unitTable}"`,
      `set "attempts" = ${isCounted ? '"attempts" + 1' : fewerAttempts}`,
      ...whereWorking(dialect),
    ].join('\n'),
    values: [JSON.stringify(numbers.map(String)), holder],
  })
}

/** The units with some numbers (?1) that a process (?2) works on. */
const whereWorking = (dialect: Dialect): readonly string[] => [
  `where "number" in (select cast(n."value" as ${dialect.integer})`,
  `from ${dialect.textsIn('?1', 'n')})`,
  `and "state" = 'working' and "holder" = ?2 and "finished_at" is null`,
]

export type UnitFailure = FailedUnit &
  Pick<Unit, 'writtenTo' | 'finishedAt'> & { readonly lastError: string }

/** Ends a failed attempt. A unit that another process has finished meanwhile stays as it is. */
export const failUnit = async (
  session: Session,
  number: number,
  holder: string,
  { state, attempts, lastError, finishedAt, writtenTo }: UnitFailure,
): Promise<boolean> => {
  const changed = await session.run({
    text: [
      `update "${unitTable}"`,
      'set "state" = ?3, "attempts" = ?4, "last_error" = ?5, "holder" = null,',
      '"finished_at" = ?6, "written_to" = ?7',
      'where "number" = ?1 and "holder" = ?2 and "finished_at" is null',
    ].join('\n'),
    values: [number, holder, state, attempts, lastError, finishedAt, writtenTo],
  })
  return changed > 0
}

export interface UnitEnd {
  readonly state: 'done' | 'refused'
  readonly at: string
  readonly lastError: string | null
  readonly result: string | null
  /** What lists of units show of the result, which can have megabytes. */
  readonly summary: string | null
}

/** Of a unit that did nothing. */
export const noResult = { result: null, summary: null } as const

/** Ends a unit and drops its body. One that is finished already stays as it is. */
export const finishUnit = async (session: Session, id: string, end: UnitEnd): Promise<boolean> =>
  endUnit(session, id, '"finished_at" is null', end)

/** Ends a unit that is not worked on. */
export const discardUnit = async (session: Session, id: string, end: UnitEnd): Promise<boolean> =>
  endUnit(session, id, `"state" in ('waiting', 'quarantined')`, end)

const endUnit = async (
  session: Session,
  id: string,
  where: string,
  { state, at, lastError, result, summary }: UnitEnd,
): Promise<boolean> => {
  await session.run({
    text: [
      `delete from "${bodyTable}"`,
      `where "number" in (select "number" from "${unitTable}" where "id" = ?1 and ${where})`,
    ].join('\n'),
    values: [id],
  })
  const changed = await session.run({
    text: [
      `update "${unitTable}"`,
      'set "state" = ?2, "finished_at" = ?3, "last_error" = ?4, "result" = ?5, "holder" = null,',
      '"summary" = ?6, "bytes" = 0',
      `where "id" = ?1 and ${where}`,
    ].join('\n'),
    values: [id, state, at, lastError, result, summary],
  })
  return changed > 0
}

/** Deletes the units of a brand, with their bodies. Returns how many. */
export const removeUnits = async (session: Session, brand: string): Promise<number> => {
  const numbers = `select "number" from "${unitTable}" where "brand" = ?1`
  await session.run({
    text: `delete from "${bodyTable}" where "number" in (${numbers})`,
    values: [brand],
  })
  return session.run({ text: `delete from "${unitTable}" where "brand" = ?1`, values: [brand] })
}

/** A claim that was not renewed since a time, or whose process is known to have ended, is free. */
export interface FreeClaims {
  readonly expiredBefore: string
  readonly ended: string | null
}

/** Makes a unit wait that a process has left in the middle of its work. */
export const freeUnit = async (
  session: Session,
  id: string,
  { expiredBefore, ended }: FreeClaims,
): Promise<boolean> => {
  const changed = await session.run({
    text: [
      `update "${unitTable}"`,
      `set "state" = 'waiting', "holder" = null, "last_error" = ?4`,
      `where "id" = ?1 and "state" = 'working' and "finished_at" is null`,
      'and ("working_since" < ?2 or "holder" = ?3)',
    ].join('\n'),
    values: [id, expiredBefore, ended, endedError],
  })
  return changed > 0
}

/** Puts a quarantined or freed unit back in its place, with all its attempts. */
export const retryUnit = async (
  session: Session,
  id: string,
  { from, accepts }: { readonly from: 'quarantined' | 'waiting'; readonly accepts: boolean },
): Promise<boolean> => {
  const changed = await session.run({
    text: [
      `update "${unitTable}"`,
      `set "state" = 'waiting', "attempts" = 0, "finished_at" = null`,
      ...(accepts ? [`, "options" = ${literal(accepted)}`] : []),
      'where "id" = ?1 and "state" = ?2',
    ].join('\n'),
    values: [id, from],
  })
  return changed > 0
}

export interface UnitFilter {
  readonly brand?: string | undefined
  readonly kind?: UnitKind
  readonly source?: string
  readonly position?: string
  readonly state?: UnitState | undefined
  /** Only units with lower numbers. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The last units, in the order of acceptance. The partial indexes need a state as a literal. */
export const listUnits = ({ limit, state, before, ...filter }: UnitFilter): Query => {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
  const conditions = [
    ...wanted.map(([name], index) => `"${name}" = ?${index + 1}`),
    ...(state === undefined ? [] : [`"state" = ${literal(state)}`]),
    ...(state === 'waiting' || state === 'working' ? ['"finished_at" is null'] : []),
    ...(before === undefined ? [] : [`"number" < ?${wanted.length + 1}`]),
  ]
  return {
    text: [
      `select ${columns} from (select ${columns}`,
      `from "${unitTable}"`,
      ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
      'order by "number" desc',
      `limit ${limit}) as u`,
      'order by "number"',
    ].join('\n'),
    values: [
      ...wanted.map(([, value]) => value as SqlValue),
      ...(before === undefined ? [] : [before]),
    ],
  }
}

export const findUnit = (id: string): Query => ({
  text: [`select ${columns}`, `from "${unitTable}"`, 'where "id" = ?1'].join('\n'),
  values: [id],
})

/**
 * What waits of each source, and since when; then what is in quarantine, with the oldest unit. Of all
 * brands, or of one.
 */
export const figureQueries = (brand?: string): readonly Query[] => {
  const own = brand === undefined ? '' : ' and "brand" = ?1'
  const values = brand === undefined ? [] : [brand]
  return [
    {
      text: [
        'select "brand", "kind", "source", count(*), min("received_at")',
        `from "${unitTable}"`,
        `where "finished_at" is null${own}`,
        'group by "brand", "kind", "source"',
      ].join('\n'),
      values,
    },
    {
      text: [
        'select u."brand", u."kind", u."source", q."units", null, u."id", u."attempts", u."last_error"',
        'from (select count(*) as "units", min("number") as "oldest"',
        `from "${unitTable}"`,
        `where "state" = 'quarantined'${own}`,
        'group by "brand", "kind", "source") as q',
        `join "${unitTable}" as u on u."number" = q."oldest"`,
      ].join('\n'),
      values,
    },
  ]
}

/** Which units that have ended are read. */
export interface EndedFilter {
  readonly brand?: string | undefined
  /** Only units that come after this one in the order of the list. */
  readonly after?: EndedPlace | undefined
  readonly limit: number
  readonly offset?: number
}

/** A place in the list of units that have ended. */
export interface EndedPlace {
  readonly finishedAt: string
  readonly number: number
}

/** Some of the last units that have ended, the latest first, with what they did. */
export const endedUnitsQuery = (
  dialect: Dialect,
  { brand, after, limit, offset = 0 }: EndedFilter,
): Query => {
  const values: SqlValue[] = []
  const place = (value: SqlValue) => `?${values.push(value)}`
  return {
    text: [
      // Batches of earlier versions have no summary, and short results.
      `select ${columns}, ${dryRunOf(dialect)}, coalesce("summary", "result")`,
      `from "${unitTable}"`,
      'where "finished_at" is not null',
      ...(brand === undefined ? [] : [`and "brand" = ${place(brand)}`]),
      ...(after === undefined
        ? []
        : [`and ("finished_at", "number") < (${place(after.finishedAt)}, ${place(after.number)})`]),
      'order by "finished_at" desc, "number" desc',
      `limit ${limit} offset ${offset}`,
    ].join('\n'),
    values,
  }
}

/** A unit that has ended, with its whole result. */
export const endedUnitQuery = (dialect: Dialect, id: string): Query => ({
  text: [
    `select ${columns}, ${dryRunOf(dialect)}, "result"`,
    `from "${unitTable}"`,
    'where "id" = ?1 and "finished_at" is not null',
  ].join('\n'),
  values: [id],
})

/** The options of units that are not batches are not JSON. */
const dryRunOf = (dialect: Dialect): string =>
  `case when "kind" = 'batch' then ${dialect.jsonText('"options"', ['dryRun'])} end`

/**
 * Finds a unit of a brand that may be applied after later ones. A unit in its last attempt counts:
 * its changes are held before it is quarantined.
 */
export const retryableQuery = (brand: string): Query => ({
  text: [
    'select 1',
    `from "${unitTable}"`,
    'where "brand" = ?1',
    `and (("written_to" is not null and ("state" = 'quarantined' or "finished_at" is null))`,
    `or ("finished_at" is null and "state" = 'working' and "attempts" >= ${attemptsMax}))`,
    'limit 1',
  ].join('\n'),
  values: [brand],
})
