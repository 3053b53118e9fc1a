import { formatCount } from '#contract'
import {
  type Database,
  type Dialect,
  type Query,
  quote,
  type Row,
  type Session,
  type SqlValue,
} from '#database'
import type { StoreTable } from '../schema/collection-stats.ts'
import { nameOwner, ownerNumber } from '../schema/owners.ts'

/** How records of a source arrive: files of a folder, rows of a database, or requests. */
export type SourceKind = 'watch' | 'sync' | 'ingest'

/** A source of one owner's records. */
export interface SourceName {
  readonly kind: SourceKind
  readonly name: string
}

/** The state of a source. Timestamps are in UTC: `2026-11-16T06:12:00.000Z`. */
export interface SourceState extends SourceName {
  /** The slug of the brand, or `sharedOwner`. */
  readonly brand: string
  /** `failing`: the last attempt failed and will be retried. */
  readonly state: 'idle' | 'working' | 'failing'
  /** Where to continue; its format depends on the kind of source. */
  readonly cursor: string | null
  /** The last start, the last success and the last failure. */
  readonly startedAt: string | null
  readonly succeededAt: string | null
  readonly failedAt: string | null
  /** Why the last attempt failed, or why a row is in quarantine; null if all is stored. */
  readonly error: string | null
  /** Waiting files, rows or batches. */
  readonly waiting: number
  /** Since when data may be waiting to be stored; null if none is. Determines the lag. */
  readonly behindSince: string | null
  /** Files, rows or batches accepted or rejected since the source was first seen. */
  readonly processed: number
  readonly failed: number
  /** Rows of the source in quarantine, with those that wait for a record. */
  readonly quarantinedRows: number
}

/** A partial update of a source. `processed` and `failed` are added to the stored counts. */
export type SourceChange = Partial<
  Omit<SourceState, 'brand' | 'quarantinedRows' | keyof SourceName>
>

/** The states of sources. Importers write them, and the server shows them. */
export interface SourceStates {
  /** All sources, or those of one brand, ordered by brand, kind and name; at most a thousand. */
  list(brand?: string): Promise<readonly SourceState[]>
  find(brand: string, source: SourceName): Promise<SourceState | null>
  /**
   * Changes the state in a separate transaction. Waits for a running import on SQLite, which has a
   * single writer, but not on PostgreSQL. To change it together with records, use `updateSource` of
   * a writer.
   */
  update(brand: string, source: SourceName, change: SourceChange): Promise<void>
  /** Removes a source. Returns whether it existed. */
  remove(brand: string, source: SourceName): Promise<boolean>
}

const table = 'selvedge_sources'

/** The server reads all of them every few seconds. */
const sourcesMax = 1_000

/** People read these errors, and a source may send long ones. */
const errorCharactersMax = 500

export const sourcesTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: table,
  // Errors are for operators. The server reads the rest of a brand's states for its requests.
  rows: 'none',
  ddl: `create table "${table}" (
  "owner" ${integer} not null,
  "kind" ${text} not null,
  "name" ${text} not null,
  "state" ${text} not null,
  "cursor" text,
  "started_at" ${text},
  "succeeded_at" ${text},
  "failed_at" ${text},
  "error" text,
  "waiting" ${integer} not null,
  "behind_since" ${text},
  "processed" ${integer} not null,
  "failed" ${integer} not null,
  primary key ("owner", "kind", "name")
)${tableOptions}`,
})

export const createSourceStates = (database: Database): SourceStates => ({
  list: async (brand) => {
    const [rows = []] = await database.read([
      brand === undefined
        ? listQuery([], [])
        : listQuery(['where s."owner" = ?1'], [ownerNumber(brand)]),
    ])
    return rows.map(parseSource)
  },
  find: async (brand, { kind, name }) => {
    const [rows = []] = await database.read([
      listQuery(
        ['where s."owner" = ?1 and s."kind" = ?2 and s."name" = ?3'],
        [ownerNumber(brand), kind, name],
      ),
    ])
    return rows[0] ? parseSource(rows[0]) : null
  },
  update: (brand, source, change) =>
    database.write(
      async (session) => updateSource(session, await nameOwner(session, brand), source, change),
      'states',
    ),
  remove: async (brand, { kind, name }) =>
    (await database.write(
      (session) =>
        session.run({
          text: [
            `delete from "${table}"`,
            'where "owner" = ?1 and "kind" = ?2 and "name" = ?3',
          ].join('\n'),
          values: [ownerNumber(brand), kind, name],
        }),
      'states',
    )) > 0,
})

/** Changes the state of an owner's source, in the caller's transaction. */
export const updateSource = async (
  session: Session,
  owner: number,
  { kind, name }: SourceName,
  change: SourceChange,
): Promise<void> => {
  const changed = Object.entries(change) as [keyof SourceChange, SqlValue | undefined][]
  const set = changed.filter(([, value]) => value !== undefined)
  const values = Object.entries({ ...firstState, ...Object.fromEntries(set) }) as typeof set
  const columns = values.map(([field]) => quote(columnNames[field]))
  const changes = set.map(([field]) => {
    const column = quote(columnNames[field])
    const before = isCounted(field) ? `"${table}".${column} + ` : ''
    return `${column} = ${before}excluded.${column}`
  })
  await session.run({
    text: [
      `insert into "${table}" ("owner", "kind", "name", ${columns.join(', ')})`,
      `values (?1, ?2, ?3, ${columns.map((_, index) => `?${index + 4}`).join(', ')})`,
      'on conflict ("owner", "kind", "name") do',
      changes.length > 0 ? `update set ${changes.join(',\n')}` : 'nothing',
    ].join('\n'),
    values: [
      ...[owner, kind, name],
      ...values.map(([field, value = null]) =>
        field === 'error' ? (textOf(value)?.slice(0, errorCharactersMax) ?? null) : value,
      ),
    ],
  })
}

/** The state of a source before its first change. */
const firstState = { state: 'idle', waiting: 0, processed: 0, failed: 0 } satisfies SourceChange

/** Whether a change is added to the stored value. */
const isCounted = (field: keyof SourceChange): boolean =>
  field === 'processed' || field === 'failed'

const columnNames: Record<keyof SourceChange, string> = {
  state: 'state',
  cursor: 'cursor',
  startedAt: 'started_at',
  succeededAt: 'succeeded_at',
  failedAt: 'failed_at',
  error: 'error',
  waiting: 'waiting',
  behindSince: 'behind_since',
  processed: 'processed',
  failed: 'failed',
}

/** The quarantined rows of a source. */
const ofSource = [
  'from "selvedge_quarantine" as q where q."owner" = s."owner"',
  'and q."source_kind" = s."kind" and q."source_name" = s."name"',
].join(' ')

const listQuery = (where: readonly string[], values: readonly SqlValue[]): Query => ({
  text: [
    'select o."slug", s."kind", s."name", s."state", s."cursor", s."started_at", s."succeeded_at",',
    's."failed_at", s."error", s."waiting", s."behind_since", s."processed", s."failed",',
    `(select count(*) ${ofSource}), (select q."problems" ${ofSource}`,
    'order by q."since", q."id" limit 1)',
    `from "${table}" as s`,
    'join "selvedge_owners" as o on o."owner" = s."owner"',
    ...where,
    'order by o."slug", s."kind", s."name"',
    `limit ${sourcesMax}`,
  ].join('\n'),
  values,
})

const parseSource = (row: Row): SourceState => {
  const [brand, kind, name, state, cursor, startedAt, succeededAt, failedAt, error, ...rest] = row
  const [waiting, behindSince, processed, failed, rows, problems] = rest
  return {
    brand: String(brand),
    kind: kind as SourceKind,
    name: String(name),
    state: state as SourceState['state'],
    cursor: textOf(cursor),
    startedAt: textOf(startedAt),
    succeededAt: textOf(succeededAt),
    failedAt: textOf(failedAt),
    error: textOf(error) ?? quarantineError(Number(rows), textOf(problems)),
    waiting: Number(waiting),
    behindSince: textOf(behindSince),
    processed: Number(processed),
    failed: Number(failed),
    quarantinedRows: Number(rows),
  }
}

/** Says why the first of the quarantined rows is one. */
const quarantineError = (rows: number, problems: string | null): string | null => {
  if (problems === null) return null
  const [first] = JSON.parse(problems) as readonly { readonly reason: string }[]
  return `${formatCount(rows, 'row')} in quarantine${first ? `: ${first.reason}` : ', waiting for records'}. See: selvedge intake rows`
}

/** The watched folders and buckets that a database knows; none if it has no such table yet. */
export const watchedPlaces = async (
  database: Pick<Database, 'tables' | 'read'>,
): Promise<readonly string[]> => {
  if (!(await database.tables()).has(table)) return []
  const text = [
    'select distinct "name"',
    `from "${table}"`,
    `where "kind" = 'watch'`,
    'order by "name"',
    `limit ${sourcesMax}`,
  ].join('\n')
  const [rows = []] = await database.read([{ text, values: [] }])
  return rows.map(([name]) => String(name))
}

const textOf = (value: SqlValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value)
