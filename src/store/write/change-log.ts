import { type Database, type Dialect, type Query, quote, type Session } from '#database'
import { nextChange, type StoreTable } from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import { removalsName, stagedName } from './staging.ts'

/**
 * What is kept so that changes can be followed: for each record, also one that is gone, the number
 * of its last change; and every number that a change was given. A record has one row however often
 * it changes. Rows move in the transaction that changes the records, and only in a database that
 * records: one in which the first number has been written down.
 */
export const changesTable = 'selvedge_changes'
export const numbersTable = 'selvedge_change_numbers'

/** An identity as it is kept here, whichever collection it is of: what it lacks is empty. */
export const identityColumns = ['key1', 'key2', 'key3'] as const

const key = identityColumns.map(quote).join(', ')

export const changeTables = (dialect: Dialect): readonly StoreTable[] => [
  {
    name: changesTable,
    rows: 'brand',
    ddl: `create table "${changesTable}" ("brand" ${dialect.text} not null, "collection" ${dialect.text} not null, ${identityColumns.map((name) => `"${name}" ${dialect.text} not null`).join(', ')}, "change" ${dialect.integer} not null, "removed" ${dialect.integer} not null, primary key ("brand", "collection", ${key}))${dialect.tableOptions}`,
  },
  {
    name: numbersTable,
    rows: 'all',
    ddl: `create table "${numbersTable}" ("change" ${dialect.integer} primary key)`,
  },
]

/** What finds the changes after one, of all collections and of one. */
export const changeIndexes = {
  all: {
    name: `${changesTable}__all`,
    ddl: `create index "${changesTable}__all" on "${changesTable}" ("brand", "change", "collection", ${key}, "removed")`,
  },
  collection: {
    name: `${changesTable}__collection`,
    ddl: `create index "${changesTable}__collection" on "${changesTable}" ("brand", "collection", "change", ${key}, "removed")`,
  },
} as const

/** The newest number that was written down; null in a database that does not record. */
export const newestNumber: Query = {
  text: `select max("change") from "${numbersTable}"`,
  values: [],
}

/**
 * Stands among the shapes of a database that records: an older program, which would change records
 * without writing it down, finds what it does not know and refuses the database.
 */
export const recordingMark = 'changes'

/** Writes down which records a transaction changes. */
export interface Recorder {
  /** Everything that is staged has come into the table, everything that leaves has left it. */
  record(table: Table, owner: string): Promise<void>
}

export interface RecorderParts {
  readonly session: Session
  readonly dialect: Dialect
  /** The number of this transaction. */
  readonly change: () => Promise<number>
}

export const createRecorder = ({ session, dialect, change }: RecorderParts): Recorder => {
  /** The number that changes are written down under; null where nothing is written down. */
  let number: Promise<number | null> | undefined

  const begin = async (): Promise<number | null> => {
    if (!(await isRecording((query) => session.all(query)))) return null
    const mine = await change()
    await session.run(noteNumber(mine))
    return mine
  }

  return {
    record: async (table, owner) => {
      number ??= begin()
      const mine = await number
      if (mine === null) return
      for (const [source, removed] of [
        [stagedName(table), 0],
        [removalsName(table), 1],
      ] as const) {
        const sorted = table.key.map(({ name }) => dialect.orderKey(quote(name))).join(', ')
        await session.run({
          text: [
            insertInto,
            `select ?1, ?2, ${identityOf(table)}, ${asInteger('?3', dialect)}, ${removed}`,
            `from ${quote(source)} where true order by ${sorted}`,
            `on conflict ("brand", "collection", ${key})`,
            'do update set "change" = excluded."change", "removed" = excluded."removed"',
          ].join(' '),
          values: [owner, table.resource.path, mine],
        })
      }
    },
  }
}

/** Makes a database record, beginning with all that is there. Does nothing where it does already. */
export const beginRecording = async (
  database: Database,
  tables: ReadonlyMap<string, Table>,
  say: (sentence: string) => void,
): Promise<void> => {
  const { dialect } = database
  if (await isRecording(async (query) => (await database.read([query]))[0] ?? [])) return
  await database.write(async (session) => {
    // Another process may have begun while this one waited for its turn.
    if (await isRecording((query) => session.all(query))) return
    say('The change feed begins: every record is written down once.')
    const run = (text: string) => session.run({ text, values: [] })
    const number = await nextChange(session, dialect)
    await session.run(noteNumber(number))
    // Nobody reads what is not there yet, and an index made in one go is made faster.
    for (const { name } of Object.values(changeIndexes)) await run(`drop index ${quote(name)}`)
    let records = 0
    for (const table of tables.values()) {
      records += await session.run({
        text: `${insertInto} select "brand", ?1, ${identityOf(table)}, ${asInteger('?2', dialect)}, 0 from ${quote(table.name)}`,
        values: [table.resource.path, number],
      })
    }
    for (const { ddl } of Object.values(changeIndexes)) await run(ddl)
    await session.run({
      text: 'insert into "selvedge_shapes" ("collection", "fields") values (?1, ?2) on conflict do nothing',
      values: [recordingMark, '[]'],
    })
    say(`The change feed has begun with ${records.toLocaleString('en')} records.`)
  })
}

/** Writes down that every record of a collection, whosever it is, was written anew. */
export const recordRewritten = async (
  session: Session,
  collection: string,
  number: number,
): Promise<void> => {
  if (!(await isRecording((query) => session.all(query)))) return
  await session.run(noteNumber(number))
  await session.run({
    text: `update "${changesTable}" set "change" = ?2 where "collection" = ?1 and "removed" = 0`,
    values: [collection, number],
  })
}

const insertInto = `insert into "${changesTable}" ("brand", "collection", ${key}, "change", "removed")`

const isRecording = async (
  all: (query: Query) => Promise<readonly (readonly unknown[])[]>,
): Promise<boolean> => {
  const [row] = await all(newestNumber)
  return (row?.[0] ?? null) !== null
}

const noteNumber = (number: number): Query => ({
  text: `insert into "${numbersTable}" ("change") values (?1) on conflict do nothing`,
  values: [number],
})

/** An identity's columns, filled up with empty texts. */
const identityOf = ({ resource, key: columns }: Table): string => {
  if (columns.length > identityColumns.length) {
    throw new RangeError(`${resource.path} is identified by more fields than changes can keep.`)
  }
  return identityColumns
    .map((_, index) => (columns[index] ? quote(columns[index].name) : "''"))
    .join(', ')
}

/** PostgreSQL takes a parameter that is merely selected for a text. */
const asInteger = (parameter: string, { integer }: Dialect): string =>
  `cast(${parameter} as ${integer})`
