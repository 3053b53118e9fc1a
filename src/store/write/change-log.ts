import { type Database, type Dialect, quote, type Session, together } from '#database'
import {
  changeIndexes,
  changesTable,
  everyIdentity,
  identityList,
  identityOf,
  isRecording,
  numbersTable,
  recordingMark,
  storeNumber,
} from '../schema/change-tables.ts'
import {
  asInteger,
  fieldsTable,
  nextChange,
  removalMark,
  rewriteMark,
} from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import { holdsRewrites } from './rewrites.ts'
import { removalsName, stagedName } from './staging.ts'

/** Records which records a transaction changes. */
export interface Recorder {
  /**
   * Call after all staged rows are stored and all staged removals are deleted. For rows stored
   * without staging, `added` selects them: a table with conditions, in which ?1 is the owner.
   */
  record(table: Table, owner: number, added?: string): Promise<void>
  /**
   * Call with rows that are about to be dropped because they change nothing: a unit that is retried
   * later must not change their records either. `rows` is a table with conditions, as `added`.
   */
  note(table: Table, owner: number, rows: string): Promise<void>
  /** Notes the same for every record of a collection that is replaced, including those not stored. */
  noteAll(table: Table, owner: number): Promise<void>
}

export const createRecorder = (session: Session, dialect: Dialect): Recorder => {
  /** The change number of this transaction; null if its changes are not recorded. */
  let number: Promise<number | null> | undefined
  let holds: Promise<boolean> | undefined

  const isHeld = (owner: number): Promise<boolean> => {
    holds ??= holdsRewrites(session, owner)
    return holds
  }

  const begin = async (owner: number): Promise<number | null> => {
    const [isForFeed, isForRetries] = await together([
      isRecording((query) => session.all(query)),
      isHeld(owner),
    ])
    if (!isForFeed && !isForRetries) return null
    // Committed at once, so that writers of other owners do not wait for this transaction.
    return session.autonomous(async (autonomous) => {
      const own = await nextChange(autonomous, dialect)
      if (isForFeed) await autonomous.run(storeNumber(own))
      return own
    })
  }

  const noteFrom = async (table: Table, owner: number, identity: string, rows: string) => {
    if (!(await isHeld(owner))) return
    number ??= begin(owner)
    await session.run({
      text: [
        insertInto,
        `select -${asInteger('?1', dialect)}, ?2, ${identity}, ${asInteger('?3', dialect)}, 0`,
        rows,
        `on conflict ("owner", "collection", ${identityList}) do update`,
        'set "change" = excluded."change"',
      ].join('\n'),
      values: [owner, table.resource.path, await number],
    })
  }

  return {
    note: (table, owner, rows) =>
      noteFrom(table, owner, identityOf(table, dialect), `from ${rows}`),
    noteAll: (table, owner) => noteFrom(table, owner, everyIdentity(dialect), 'where true'),
    record: async (table, owner, added = `${quote(stagedName(table))}\nwhere true`) => {
      number ??= begin(owner)
      const own = await number
      if (own === null) return
      for (const [source, removed] of [
        [added, 0],
        [`${quote(removalsName(table))}\nwhere true`, 1],
      ] as const) {
        await session.run({
          text: [
            insertInto,
            `select ${asInteger('?1', dialect)}, ?2, ${identityOf(table, dialect)},`,
            `${asInteger('?3', dialect)}, ${removed}`,
            `from ${source}`,
            `order by ${table.key.map(({ name }) => dialect.orderKey(quote(name))).join(', ')}`,
            `on conflict ("owner", "collection", ${identityList}) do update`,
            'set "change" = excluded."change", "removed" = excluded."removed"',
          ].join('\n'),
          values: [owner, table.resource.path, own],
        })
      }
    },
  }
}

/** Makes a database record changes, starting with every stored record. Idempotent. */
export const beginRecording = async (
  database: Database,
  tables: ReadonlyMap<string, Table>,
  log: (sentence: string) => void,
): Promise<void> => {
  const { dialect } = database
  if (await isRecording(async (query) => (await database.read([query]))[0] ?? [])) return
  await database.write(async (session) => {
    // Another process may have begun while this one waited for the write lock.
    if (await isRecording((query) => session.all(query))) return
    log('The change feed is being created: every record is added to it once.')
    const run = (text: string) => session.run({ text, values: [] })
    const number = await nextChange(session, dialect)
    await session.run(storeNumber(number))
    // Nothing reads the log yet, and building an index over existing rows is faster.
    for (const { name } of Object.values(changeIndexes)) await run(`drop index ${quote(name)}`)
    // Units to be retried need the rows that were logged for them, with their numbers.
    await run(
      `insert into "${numbersTable}" ("change")
      select distinct "change" from "${changesTable}" where true on conflict do nothing`,
    )
    let records = 0
    for (const table of tables.values()) {
      records += await session.run({
        text: [
          insertInto,
          `select "owner", ?1, ${identityOf(table, dialect)}, ${asInteger('?2', dialect)}, 0`,
          `from ${quote(table.name)}`,
          'where true',
          'on conflict do nothing',
        ].join('\n'),
        values: [table.resource.path, number],
      })
    }
    await antedateHeld(session, number)
    for (const { ddl } of Object.values(changeIndexes)) await run(ddl)
    await session.run({
      text: [
        `insert into "${fieldsTable}" ("collection", "fields")`,
        'values (?1, ?2)',
        'on conflict do nothing',
      ].join('\n'),
      values: [recordingMark, '[]'],
    })
    log(`The change feed has begun with ${records.toLocaleString('en')} records.`)
  })
}

/**
 * Gives records of brands with units to be retried, except logged ones, a number from before these
 * units: the records have not changed since. The first number after a removal of the brand is one.
 */
const antedateHeld = async (session: Session, number: number): Promise<void> => {
  const held = await session.all({
    text: [
      'select h."owner", coalesce(r."version", 0) + 1',
      'from "selvedge_collections" as h',
      'left join "selvedge_collections" as r on r."owner" = h."owner" and r."collection" = ?2',
      'where h."collection" = ?1',
    ].join('\n'),
    values: [rewriteMark, removalMark],
  })
  for (const [owner, first] of held) {
    await session.run(storeNumber(Number(first)))
    await session.run({
      text: `update "${changesTable}" set "change" = ?3 where "owner" = ?1 and "change" = ?2`,
      values: [Number(owner), number, Number(first)],
    })
  }
}

const insertInto = `insert into "${changesTable}" ("owner", "collection", ${identityList}, "change", "removed")`
