import type { Dialect, Session } from '#database'
import type { StoreTable } from '../schema/collection-stats.ts'

/**
 * Results of batches, each committed in the transaction that applies the batch. After a crash, a
 * program can find out whether a batch was applied.
 */
export const batchesTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: tableName,
  rows: 'none',
  ddl: `create table "${tableName}" (
  "owner" ${integer} not null,
  "id" ${text} not null,
  "finished_at" ${text} not null,
  "result" text not null,
  primary key ("owner", "id")
)${tableOptions}`,
})

const tableName = 'selvedge_batches'

export interface BatchResults {
  /** The stored results of some batches, by id. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  store(id: string, finishedAt: string, result: string): Promise<void>
  /** Deletes results of batches finished before a time. */
  prune(before: string): Promise<void>
}

export const createBatchResults = (
  session: Session,
  dialect: Dialect,
  owner: number,
): BatchResults => ({
  find: async (ids) => {
    const rows = await session.all({
      text: [
        'select "id", "result"',
        `from "${tableName}"`,
        `where "owner" = ?1 and "id" in (select v."value" from ${dialect.textsIn('?2', 'v')})`,
      ].join('\n'),
      values: [owner, JSON.stringify(ids)],
    })
    return new Map(rows.map(([id, result]) => [String(id), String(result)]))
  },
  store: async (id, finishedAt, result) => {
    await session.run({
      text: [
        `insert into "${tableName}" ("owner", "id", "finished_at", "result")`,
        'values (?1, ?2, ?3, ?4)',
      ].join('\n'),
      values: [owner, id, finishedAt, result],
    })
  },
  prune: async (before) => {
    await session.run({
      text: [`delete from "${tableName}"`, 'where "owner" = ?1 and "finished_at" < ?2'].join('\n'),
      values: [owner, before],
    })
  },
})
