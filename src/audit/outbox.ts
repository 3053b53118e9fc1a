import type { Database, Dialect, Query, Row } from '#database'
import { type AuditOrigin, entryText, type RecordAudit } from './entry.ts'

/*
 * The audit log has two steps. A change adds its entries to the outbox, in its own transaction and
 * without any lock, so that no commit waits for another one. A short transaction of its own then
 * moves them to the chain, which has one end and therefore one writer at a time (`audit.ts`). A
 * process that dies in between loses nothing: the next one that writes to the chain finds them.
 *
 * On SQLite, each file has an outbox, and the chain is in the file of the keys: the records are
 * locked during an import. On PostgreSQL, there is one of each.
 */

/** Entries that are committed and not in the chain yet. */
export const outboxName = 'selvedge_audit_outbox'

export const outboxDdl = ({ text }: Pick<Dialect, 'text'>): string =>
  `create table "${outboxName}" (
  "id" ${text} primary key,
  "place" ${text} not null,
  "entry" text not null
)`

/** Creates the outbox of a database whose tables the store does not create. */
export const createAuditOutbox = async (database: Database): Promise<void> => {
  if ((await database.tables()).has(outboxName)) return
  await database.write(async (session) => {
    const text = outboxDdl(database.dialect).replace('table', 'table if not exists')
    await session.run({ text, values: [] })
  })
}

export interface RecorderParts {
  readonly dialect: Dialect
  readonly origin: AuditOrigin
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** Returns UUIDs. */
  readonly newId: () => string
}

/** Records entries in the outbox of the database that their transaction writes to. */
export const createAuditRecorder =
  ({ dialect, origin, now, newId }: RecorderParts): RecordAudit =>
  async (session, ...entries) => {
    if (entries.length === 0) return
    const at = new Date(now()).toISOString()
    const rows = entries.map((entry) => {
      const id = newId()
      recorded += 1
      const place = `${at} ${String(recorded).padStart(10, '0')}`
      return `${id}${place}${entryText(entry, origin, { id, at })}`
    })
    await session.run({
      text: [
        `insert into "${outboxName}" ("id", "place", "entry")`,
        'select substr(e."value", 1, 36), substr(e."value", 37, 35), substr(e."value", 72)',
        `from ${dialect.textsIn('?1', 'e')}`,
      ].join('\n'),
      values: [JSON.stringify(rows)],
    })
  }

/** Entries that this thread has recorded, which orders those of one millisecond. */
let recorded = 0

/** An entry in an outbox. */
export interface WaitingEntry {
  readonly id: string
  /** Orders entries by their times. */
  readonly place: string
  readonly entry: string
}

/** The oldest entries of an outbox. */
export const waitingQuery = (limit: number): Query => ({
  text: [
    'select "id", "place", "entry"',
    `from "${outboxName}"`,
    'order by "place", "id"',
    `limit ${limit}`,
  ].join('\n'),
  values: [],
})

export const parseWaiting = ([id, place, entry]: Row): WaitingEntry => ({
  id: String(id),
  place: String(place),
  entry: String(entry),
})

export const removeWaiting = (ids: readonly string[], dialect: Dialect): Query => ({
  text: [
    `delete from "${outboxName}"`,
    `where "id" in (select v."value" from ${dialect.textsIn('?1', 'v')})`,
  ].join('\n'),
  values: [JSON.stringify(ids)],
})
