import type { Database, Dialect } from '#database'
import type { StoreTable } from '../schema/collection-stats.ts'
import { nameOwner, ownerNumber } from '../schema/owners.ts'

/** Ensures that only one process at a time does some work for an owner. */
export interface Leases {
  /**
   * Takes or extends the lease and returns null. If another process holds it, returns the name of
   * that process. A lease is free if it has expired or its process no longer exists.
   */
  take(owner: string, request: LeaseRequest): Promise<string | null>
  /** Releases the lease if this process holds it. */
  release(owner: string, request: Pick<LeaseRequest, 'work' | 'holder'>): Promise<void>
  /** The leases that have not expired, with the slugs of their brands. */
  list(now: number): Promise<readonly HeldWork[]>
}

/** Work that a process does for a brand, or for `sharedOwner`. */
export interface HeldWork extends Pick<LeaseRequest, 'work' | 'holder'> {
  readonly brand: string
}

export interface LeaseRequest {
  /** The name of the work, such as `watch`. */
  readonly work: string
  /** The name of this process. */
  readonly holder: string
  /** The current time and the expiry of the lease, in milliseconds. */
  readonly now: number
  readonly until: number
  /** Whether a process is known to have ended. */
  readonly hasEnded: (holder: string) => boolean
}

const table = 'selvedge_leases'

export const leasesTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: table,
  rows: 'none',
  ddl: `create table "${table}" (
  "owner" ${integer} not null,
  "work" ${text} not null,
  "holder" ${text} not null,
  "until" ${integer} not null,
  primary key ("owner", "work")
)${tableOptions}`,
})

export const createLeases = (database: Database): Leases => ({
  list: async (now) => {
    const text = [
      'select o."slug", l."work", l."holder"',
      `from "${table}" as l`,
      'join "selvedge_owners" as o on o."owner" = l."owner"',
      'where l."until" > ?1',
      'order by o."slug", l."work"',
    ].join('\n')
    const [rows = []] = await database.read([{ text, values: [now] }])
    return rows.map(([brand, work, holder]) => ({
      brand: String(brand),
      work: String(work),
      holder: String(holder),
    }))
  },
  take: (owner, { work, holder, now, until, hasEnded }) =>
    database.write(async (session) => {
      const number = await nameOwner(session, owner)
      const current = async () => {
        const [row] = await session.all({
          text: `select "holder" from "${table}" where "owner" = ?1 and "work" = ?2`,
          values: [number, work],
        })
        return row ? String(row[0]) : null
      }
      const before = await current()
      const ended = before !== null && hasEnded(before) ? before : holder
      // A single statement decides, because another process may take the lease at the same time.
      await session.run({
        text: [
          `insert into "${table}" ("owner", "work", "holder", "until")`,
          'values (?1, ?2, ?3, ?4)',
          'on conflict ("owner", "work") do update',
          'set "holder" = excluded."holder", "until" = excluded."until"',
          `where "${table}"."holder" in (?3, ?5) or "${table}"."until" <= ?6`,
        ].join('\n'),
        values: [number, work, holder, until, ended, now],
      })
      const after = await current()
      return after === holder ? null : after
    }, 'states'),
  release: async (owner, { work, holder }) => {
    await database.write(
      (session) =>
        session.run({
          text: [
            `delete from "${table}"`,
            'where "owner" = ?1 and "work" = ?2 and "holder" = ?3',
          ].join('\n'),
          values: [ownerNumber(owner), work, holder],
        }),
      'states',
    )
  },
})
