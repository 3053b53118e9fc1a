import type { Dialect, Query, Session } from '#database'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import type { Merged } from './merge.ts'

/** The last write of an owner's records, and how many records it changed. */
export interface LastImport {
  readonly at: string
  /** Records added, changed or removed. */
  readonly changed: number
}

export interface Freshness {
  /** The last time a record was added, changed or removed; null if unknown. */
  readonly changedAt: string | null
  /** Null if nothing was written since this log exists. */
  readonly lastImport: LastImport | null
}

/** One row per owner: its last import, and the last import that changed something. */
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

/** Counts the changes of a transaction and stores the number at its end. */
export interface ImportLog {
  add(merged: Pick<Merged, 'added' | 'changed' | 'removed'>): void
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

/** Reads the freshness of an owner's records; no row if unknown. */
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
