import { hash } from 'node:crypto'
import type { Database, Dialect, Query, Row, Session } from '#database'
import type { ReadEntry } from './entry.ts'

export const chainName = 'selvedge_audit'

/** An entry in its place in the chain. */
export interface ChainedEntry {
  /** From 1, without gaps. */
  readonly number: number
  /** The text that is hashed. */
  readonly text: string
  /** The hash of the entry before it. */
  readonly previous: string
  readonly hash: string
}

/** A place in the chain: the number and the hash of its entry. */
export type ChainHead = Pick<ChainedEntry, 'number' | 'hash'>

/** Before the first entry. */
export const emptyHead: ChainHead = { number: 0, hash: '0'.repeat(64) }

/** SHA-256 of the hash of the entry before it, its number and its text, each on a line. */
export const hashOfEntry = ({ previous, number, text }: Omit<ChainedEntry, 'hash'>): string =>
  hash('sha256', `${previous}\n${number}\n${text}`, 'hex')

const refusal = 'the audit log is append-only'

/** The columns beside the text are copies of what is in it, to look entries up by. */
const tableDdl = ({ text, integer }: Dialect): readonly string[] => [
  `create table if not exists "${chainName}" (
  "number" ${integer} primary key,
  "id" ${text} not null unique,
  "at" ${text} not null,
  "action" ${text} not null,
  "brand" ${text},
  "entry" text not null,
  "previous" ${text} not null,
  "hash" ${text} not null
)`,
  `create index if not exists "${chainName}__action" on "${chainName}" ("action", "number")`,
]

const triggers: Record<Dialect['name'], readonly string[]> = {
  sqlite: ['update', 'delete'].map(
    (event) => `create trigger if not exists "${chainName}_${event}"
  before ${event} on "${chainName}"
  begin select raise(abort, '${refusal}'); end`,
  ),
  postgres: [
    `create or replace function "${chainName}_refuse"() returns trigger
  language plpgsql as 'begin raise exception ''${refusal}''; end'`,
    `create trigger "${chainName}_refuse"
  before update or delete or truncate on "${chainName}"
  for each statement execute function "${chainName}_refuse"()`,
  ],
}

/**
 * Creates the chain, and returns whether there was none. Nothing but the removal of its triggers lets
 * an entry be changed or deleted.
 */
export const createChainTable = async (database: Database): Promise<boolean> => {
  if ((await database.tables()).has(chainName)) return false
  const { dialect } = database
  return database.write(async (session) => {
    // Another process may have created it while this one waited for the lock.
    if ((await database.tables()).has(chainName)) return false
    for (const text of [...tableDdl(dialect), ...triggers[dialect.name]]) {
      await session.run({ text, values: [] })
    }
    return true
  })
}

export const headQuery: Query = {
  text: `select "number", "hash" from "${chainName}" order by "number" desc limit 1`,
  values: [],
}

export const parseHead = (row: Row | undefined): ChainHead =>
  row ? { number: Number(row[0]), hash: String(row[1]) } : emptyHead

/** The hash of an entry; no row if there is none. */
export const hashQuery = (number: number): Query => ({
  text: `select "hash" from "${chainName}" where "number" = ?1`,
  values: [number],
})

/** Appends the texts of entries, and returns the new head. The caller holds the lock of the chain. */
export const appendEntries = async (
  session: Session,
  head: ChainHead,
  texts: readonly string[],
): Promise<ChainHead> => {
  let last = head
  for (const text of texts) {
    const { id, at, action, brand } = JSON.parse(text) as ReadEntry
    const place = { number: last.number + 1, previous: last.hash, text }
    last = { number: place.number, hash: hashOfEntry(place) }
    await session.run({
      text: [
        `insert into "${chainName}"`,
        '("number", "id", "at", "action", "brand", "entry", "previous", "hash")',
        'values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)',
      ].join('\n'),
      values: [place.number, id, at, action, brand, text, place.previous, last.hash],
    })
  }
  return last
}

/** Those of some ids that are in the chain. */
export const chainedQuery = (ids: readonly string[], dialect: Dialect): Query => ({
  text: [
    'select "id"',
    `from "${chainName}"`,
    `where "id" in (select v."value" from ${dialect.textsIn('?1', 'v')})`,
  ].join('\n'),
  values: [JSON.stringify(ids)],
})

export interface EntryFilter {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly brand?: string | undefined
  readonly action?: string | undefined
  /** Only entries with lower numbers. */
  readonly before?: number | undefined
  /** Only entries with higher numbers, and the first of them instead of the last. */
  readonly after?: number | undefined
  readonly limit: number
}

const columns = '"number", "entry", "previous", "hash"'

/** The last entries that match, in order. */
export const listQuery = ({ limit, ...filter }: EntryFilter): Query => {
  const { since, until, brand, action, before, after } = filter
  const wanted = [
    ['"at" >=', since],
    ['"at" <', until],
    ['"brand" =', brand],
    ['"action" =', action],
    ['"number" <', before],
    ['"number" >', after],
  ].filter(([, value]) => value !== undefined)
  const conditions = wanted.map(([condition], index) => `${condition} ?${index + 1}`)
  return {
    text: [
      `select ${columns} from (select ${columns}`,
      `from "${chainName}"`,
      ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
      `order by "number"${after === undefined ? ' desc' : ''}`,
      `limit ${limit}) as e`,
      'order by "number"',
    ].join('\n'),
    values: wanted.map(([, value]) => value as string | number),
  }
}

/** The next entries from a number on, with the columns that copy what is in their texts. */
export const walkQuery = (from: number, limit: number): Query => ({
  text: [
    `select ${columns}, "id", "at", "action", "brand"`,
    `from "${chainName}"`,
    'where "number" >= ?1',
    'order by "number"',
    `limit ${limit}`,
  ].join('\n'),
  values: [from],
})

export const parseChained = ([number, text, previous, own]: Row): ChainedEntry => ({
  number: Number(number),
  text: String(text),
  previous: String(previous),
  hash: String(own),
})
