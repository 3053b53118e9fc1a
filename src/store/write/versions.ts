import { type Dialect, type Session, together } from '#database'
import { lastChange, nextChange } from '../schema/collection-stats.ts'
import { lastWrite, logWrite } from './write-log.ts'

/**
 * The collections that a transaction has changed, and their version. The last statements before the
 * commit assign it. They lock the row that counts changes, so that concurrent transactions commit
 * versions in order. A reader of the count therefore sees every version up to it, which change
 * trackers rely on.
 */
export interface Versions {
  add(collection: string): void
  /**
   * Assigns a new version to the changed collections. Only the commit may follow. Returns the number
   * of the write: the new version, or that of the owner's last write if nothing has changed. Fails
   * with `DatabaseBusyError` if others hold the count for too long.
   */
  assign(): Promise<number>
}

/** Others hold the lock only for their commit. */
const counterWaitMs = 10_000

export const createVersions = (session: Session, dialect: Dialect, owner: number): Versions => {
  const changed = new Set<string>()
  return {
    add: (collection) => {
      changed.add(collection)
    },
    assign: async () => {
      const last = changed.size === 0 ? await lastWrite(session, owner) : null
      if (last !== null) return last
      const [, change] = await together([
        session.runAll(dialect.lockTimeout(counterWaitMs)),
        nextChange(session, dialect),
        session.run({
          text: [
            'update "selvedge_collections"',
            `set "version" = ${lastChange(dialect)}`,
            `where "owner" = ?1 and "collection" in (select "value" from ${dialect.textsIn('?2', 'c')})`,
          ].join('\n'),
          values: [owner, JSON.stringify([...changed])],
        }),
        ...logWrite(session, dialect, owner),
      ])
      return change
    },
  }
}
