import { randomInt } from 'node:crypto'
import { type Dialect, type Query, quote, type Session } from '#database'
import { changesTable, isRecording, storeNumber } from './change-tables.ts'
import { lastChange } from './collection-stats.ts'
import { sharedNumber } from './owners.ts'

/*
 * A restored database continues from the last change of its backup. Changes that were committed after
 * the backup are lost, and other changes follow. A number of a lost change must never be taken for a
 * position of the restored database. So each restore leaves a gap in the numbers that is wider than
 * those that were lost, and stores where the gap begins and ends. A number in a gap is lost.
 *
 * A number of the feed is taken before its transaction commits, so one below the gap may be lost too.
 * Within the feed of a brand, numbers are in commit order (`change-tables.ts`). So each restore also
 * stores the last number in the feed of each owner, as a row among the states of its collections.
 */

/** A gap in the numbers of changes. */
export interface Restore {
  /** The last change of the backup. */
  readonly after: number
  /** The first number after the restore, which belongs to no change. */
  readonly first: number
}

/** The restores of a database. */
export interface History {
  /** Whether the database contains a committed write with this number. */
  contains(write: number): boolean
  /** The restores since a number was given, which may have lost it. */
  since(change: number): readonly Restore[]
}

/** The setting with all restores, oldest first. */
export const restoresSetting = 'restores'

export const parseHistory = (setting: string | undefined): History => {
  const restores = setting === undefined ? [] : (JSON.parse(setting) as readonly Restore[])
  return {
    contains: (write) => !restores.some(({ after, first }) => write > after && write < first),
    since: (change) => restores.filter(({ first }) => change < first),
  }
}

/** The row with the last number in the feed of an owner before a restore. No collection has its name. */
const markOf = ({ first }: Restore): string => `-restored ${first}`

/** The last number in the feed of an owner, and of shared records, before each of some restores. */
export const lastNumbersQuery = (owner: number, restores: readonly Restore[]): Query => ({
  text: [
    'select',
    restores
      .map((_, index) =>
        [
          '(select coalesce(max("version"), 0) from "selvedge_collections"',
          `where "owner" in (?1, ${sharedNumber}) and "collection" = ?${index + 2})`,
        ].join('\n'),
      )
      .join(',\n'),
  ].join('\n'),
  values: [owner, ...restores.map(markOf)],
})

/** Two million writes on average. */
const gap = 1e12
const randomMax = 1e9

/**
 * Leaves the gap, in the transaction that restores a database or before others see it. `newest` is
 * the last number of the database that it replaces, if that is known.
 */
export const recordRestore = async (
  session: Session,
  dialect: Dialect,
  newest: number,
): Promise<void> => {
  const [row] = await session.all({
    text: [
      `select ${lastChange(dialect)},`,
      `(select "value" from "selvedge_settings" where "name" = '${restoresSetting}')`,
    ].join('\n'),
    values: [],
  })
  const after = Number(row?.[0] ?? 0)
  const earlier = JSON.parse(String(row?.[1] ?? '[]')) as readonly Restore[]
  const restore = { after, first: Math.max(after, newest) + gap + randomInt(randomMax) }
  await storeSetting(session, restoresSetting, JSON.stringify([...earlier, restore]))
  await storeSetting(session, 'change', String(restore.first))
  if (!(await isRecording((query) => session.all(query)))) return
  await session.run(storeNumber(restore.first))
  await session.run({
    text: [
      'insert into "selvedge_collections" ("owner", "collection", "version", "total")',
      'select "owner", ?1, max("change"), 0',
      `from ${quote(changesTable)}`,
      'where "owner" >= 0',
      'group by "owner"',
    ].join('\n'),
    values: [markOf(restore)],
  })
}

const storeSetting = (session: Session, name: string, value: string): Promise<number> =>
  session.run({
    text: [
      'insert into "selvedge_settings" ("name", "value")',
      'values (?1, ?2)',
      'on conflict ("name") do update set "value" = excluded."value"',
    ].join('\n'),
    values: [name, value],
  })
