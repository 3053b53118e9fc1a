import { type Dialect, type Session, together } from '#database'
import { lastChange, nextChange } from '../schema/collection-stats.ts'

/**
 * The collections that a transaction has changed, and their version. It is assigned by the last
 * statements before the commit: the row that counts the changes is locked from then on, so that
 * versions are committed in their order while transactions of several owners run at the same time.
 * A reader of the count therefore sees every version up to it, which change trackers rely on.
 */
export interface Versions {
  /** Adds a collection that has changed. */
  add(collection: string): void
  /** Gives the changed collections a new version. Nothing may follow it but the commit. */
  assign(): Promise<void>
}

export const createVersions = (session: Session, dialect: Dialect, owner: number): Versions => {
  const changed = new Set<string>()
  return {
    add: (collection) => {
      changed.add(collection)
    },
    assign: async () => {
      if (changed.size === 0) return
      await together([
        nextChange(session, dialect),
        session.run({
          text: [
            'update "selvedge_collections"',
            `set "version" = ${lastChange(dialect)}`,
            `where "owner" = ?1 and "collection" in (select "value" from ${dialect.textsIn('?2', 'c')})`,
          ].join('\n'),
          values: [owner, JSON.stringify([...changed])],
        }),
      ])
    },
  }
}
