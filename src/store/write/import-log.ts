import type { Dialect, Query, Session } from '#database'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import type { Merged } from './merge.ts'

/** When an owner's records were last written, and how many of them that changed. */
export interface LastImport {
  readonly at: string
  /** Records that were added, changed or removed. */
  readonly changed: number
}

/** How fresh an owner's records are. */
export interface Freshness {
  /** When a record was last added, changed or removed; null where that is not known. */
  readonly changedAt: string | null
  /** Null where nothing was written since this is recorded. */
  readonly lastImport: LastImport | null
}

/** One row for each owner: its last import, and the last one that changed something. */
export const importsTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: 'selvedge_imports',
  rows: 'owner',
  ddl: `create table "selvedge_imports" (
  "owner" ${integer} primary key,
  "at" ${text} not null,
  "changed" ${integer} not null,
  "changed_at" ${text}
)${tableOptions}`,
})

/** Counts what a transaction changes, and stores that when it ends. */
export interface ImportLog {
  add(merged: Merged): void
  store(): Promise<void>
}

export const createImportLog = (session: Session, dialect: Dialect, owner: number): ImportLog => {
  let changed: number | null = null
  return {
    add: (merged) => {
      changed = (changed ?? 0) + merged.added + merged.changed + merged.removed
    },
    store: async () => {
      if (changed === null) return
      await session.run({
        text: [
          'insert into "selvedge_imports" ("owner", "at", "changed", "changed_at")',
          `select ${asInteger('?1', dialect)}, n."at", ${asInteger('?2', dialect)},`,
          `case when ${asInteger('?2', dialect)} > 0 then n."at" end`,
          `from (select ${dialect.now} as "at") as n`,
          'where true',
          'on conflict ("owner") do update',
          'set "at" = excluded."at", "changed" = excluded."changed",',
          '"changed_at" = coalesce(excluded."changed_at", "selvedge_imports"."changed_at")',
        ].join('\n'),
        values: [owner, changed],
      })
    },
  }
}

/** A row with the freshness of an owner's records; none where it is not known. */
export const freshnessQuery = (owner: number): Query => ({
  text: [
    'select "at", "changed", "changed_at"',
    'from "selvedge_imports"',
    'where "owner" = ?1',
  ].join('\n'),
  values: [owner],
})

export const parseFreshness = (
  row: readonly (string | number | null | Uint8Array)[] | undefined,
): Freshness => {
  if (!row) return { changedAt: null, lastImport: null }
  const [at, changed, changedAt] = row
  return {
    changedAt: changedAt === null ? null : String(changedAt),
    lastImport: { at: String(at), changed: Number(changed) },
  }
}
