import { type Catalog, incomingOf, type Reference } from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { asInteger } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { ownerAmong } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { bodyText, referenceValue, shortBody } from './rejected-rows.ts'

/** The records that a transaction has removed. */
export interface RemovedRecords {
  /** Whether records of a collection were removed. */
  isFrom(collection: string): boolean
  /** Stores removed identities, so that references to them can be found at the end. */
  add(table: Table, removals: string): Promise<void>
  /** Stored records that reference a removed record, grouped by reference. */
  orphans(): AsyncIterable<Orphans>
  /** The identifiers of removed records that stored ones reference, up to a limit for each reference. */
  referenced(): AsyncIterable<{ readonly to: string; readonly ids: readonly string[] }>
}

export interface Orphans extends Reference {
  /** Some of them, with the value of their reference. */
  readonly first: readonly Orphan[]
  /** The number of all orphans. */
  readonly count: number
}

export interface Orphan {
  readonly key: Key
  readonly value: string
  /** The JSON text of the record; null if it is too long. */
  readonly body: string | null
}

interface RemovedRecordsParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
}

/** Orphans reported per reference; further ones are only counted. */
const orphansMax = 1_000
/** Removed records that are named per reference. */
const referencedMax = 100_000

export const createRemovedRecords = ({
  session,
  dialect,
  catalog,
  tables,
  owner,
}: RemovedRecordsParts): RemovedRecords => {
  /** The collections that lost records. */
  const shrunk = new Set<string>()
  /** How stored records are found that reference removed ones, for each reference. */
  function* searches() {
    for (const path of shrunk) {
      const removed = tableAt(tables, path)
      for (const reference of incomingOf(catalog, path)) {
        const table = tableAt(tables, reference.from)
        const value = referenceValue(table, reference.field, 't', dialect)
        // Records of any brand may reference a shared record.
        const owners =
          removed.resource.scope === 'shared'
            ? '(select "owner" from "selvedge_collections" where "collection" = ?1)'
            : `(select ${asInteger('?1', dialect)} as "owner")`
        const referring = [
          `from ${quote(removedName(removed))} as r`,
          `cross join ${owners} as o`,
          `join ${quote(table.name)} as t on t."owner" = o."owner" and ${value} = r."id"`,
          `where not exists (select 1 from ${quote(removed.name)} as k`,
          `where k."owner" = ?2 and k.${quote(removed.key[0]?.name ?? 'id')} = r."id")`,
        ].join('\n')
        const values = [
          removed.resource.scope === 'shared' ? table.resource.path : owner,
          ownerAmong(removed.resource, owner),
        ]
        yield { reference, table, value, referring, values }
      }
    }
  }
  return {
    isFrom: (collection) => shrunk.has(collection),
    add: async (table, removals) => {
      const [key] = table.key
      if (table.key.length !== 1 || !key) return
      const name = removedName(table)
      if (!shrunk.has(table.resource.path)) {
        await session.run({
          text: `create temp table if not exists ${quote(name)} ("id" ${dialect.types[key.kind]} primary key)`,
          values: [],
        })
        await session.run({ text: `delete from ${quote(name)}`, values: [] })
        shrunk.add(table.resource.path)
      }
      await session.run({
        text: [
          `insert into ${quote(name)} ("id")`,
          `select ${quote(key.name)}`,
          `from ${quote(removals)}`,
          'where true',
          'on conflict do nothing',
        ].join('\n'),
        values: [],
      })
    },
    orphans: async function* () {
      for (const { reference, table, value, referring, values } of searches()) {
        const key = table.key.map(({ name }) => `t.${quote(name)}`).join(', ')
        const text = `select ${shortBody('t')}, ${value}, ${key}\n${referring}\nlimit ${orphansMax}`
        const rows = await session.all({ text, values })
        const first = rows.map(([body, wanted = null, ...identity]) => ({
          key: identity.map(readText),
          value: readText(wanted),
          body: bodyText(body),
        }))
        if (first.length === 0) continue
        const counting = { text: `select count(*)\n${referring}`, values }
        const count =
          first.length < orphansMax
            ? first.length
            : Number((await session.all(counting))[0]?.[0] ?? first.length)
        yield { ...reference, first, count }
      }
    },
    referenced: async function* () {
      for (const { reference, referring, values } of searches()) {
        const text = `select distinct r."id"\n${referring}\nlimit ${referencedMax}`
        const rows = await session.all({ text, values })
        const ids = rows.map(([id = null]) => readText(id))
        if (ids.length > 0) yield { to: reference.to, ids }
      }
    },
  }
}

const removedName = (table: Table) => `removed_${table.name}`
