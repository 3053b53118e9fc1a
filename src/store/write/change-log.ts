import { type Database, type Dialect, quote, type Session, together } from '#database'
import {
  changeIndexes,
  changesTable,
  identityList,
  identityOf,
  isRecording,
  recordingMark,
  storeNumber,
} from '../schema/change-tables.ts'
import { asInteger, fieldsTable, nextChange } from '../schema/collection-stats.ts'
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
}

export const createRecorder = (session: Session, dialect: Dialect): Recorder => {
  /** The change number of this transaction; null if its changes are not recorded. */
  let number: Promise<number | null> | undefined

  const begin = async (owner: number): Promise<number | null> => {
    const [isForFeed, isForRetries] = await together([
      isRecording((query) => session.all(query)),
      holdsRewrites(session, owner),
    ])
    if (!isForFeed && !isForRetries) return null
    // Committed at once, so that writers of other owners do not wait for this transaction.
    return session.autonomous(async (autonomous) => {
      const own = await nextChange(autonomous, dialect)
      if (isForFeed) await autonomous.run(storeNumber(own))
      return own
    })
  }

  return {
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
    // Rows that were logged for units to be retried.
    await run(`delete from "${changesTable}"`)
    let records = 0
    for (const table of tables.values()) {
      records += await session.run({
        text: [
          insertInto,
          `select "owner", ?1, ${identityOf(table, dialect)}, ${asInteger('?2', dialect)}, 0`,
          `from ${quote(table.name)}`,
        ].join('\n'),
        values: [table.resource.path, number],
      })
    }
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

const insertInto = `insert into "${changesTable}" ("owner", "collection", ${identityList}, "change", "removed")`
