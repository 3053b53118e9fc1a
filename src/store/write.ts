import { type Catalog, incomingOf, type Reference, type Resource, referencesOf } from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { type Key, tableAt } from './list.ts'
import { type Merged, mergeStaged } from './merge.ts'
import {
  type Flaw,
  indexStaging,
  leavingName,
  loadStaging,
  openStaging,
  referenceValue,
  type StagedRecord,
  type StoredRecord,
  takeDangling,
  takeDuplicates,
} from './staging.ts'
import { ownerOf, type Table } from './tables.ts'

/** Brings records into one owner's collections, inside one transaction. */
export interface Writer {
  /** Lays records aside. Nothing is compared or seen before `merge`. */
  stage(resource: Resource, records: Iterable<StoredRecord>): Promise<void>
  /** The same, with the place each record came from. */
  stageRows(resource: Resource, records: Iterable<StagedRecord>): Promise<void>
  /** Lays identities aside, to be removed by `merge`. */
  stageRemoval(resource: Resource, keys: Iterable<Key>): Promise<void>
  /** Takes out of what is staged, and tells, rows that are there twice or point at nothing. */
  takeFlaws(resource: Resource, checks?: { readonly references?: boolean }): AsyncIterable<Flaw>
  /** Rows that point at nothing, told without being taken out. */
  dangling(resource: Resource): AsyncIterable<Flaw>
  /**
   * Makes what was staged part of the collection: adds, changes, leaves alone what is the same.
   * With `replace`, removes what was not staged.
   */
  merge(resource: Resource, options?: { readonly replace?: boolean }): Promise<Merged>
  /** Stored records that point at one that this run has removed. */
  orphans(): AsyncIterable<Orphan>
}

/** A stored record whose reference was removed under it. */
export interface Orphan extends Reference {
  readonly key: Key
  readonly value: string
}

export interface WriterParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: string
  readonly change: () => Promise<number>
}

export const openWriter = (parts: WriterParts): Writer => {
  const { session, dialect, catalog, tables, owner } = parts
  /** The next row's number, for each collection that something was staged for. */
  const rows = new Map<string, number>()
  /** Collections whose staged rows have been looked through for identities that are there twice. */
  const distinct = new Set<string>()
  /** Collections that something was removed from. */
  const shrunk = new Set<string>()

  const open = async (resource: Resource): Promise<Table> => {
    const table = tableAt(tables, resource.path)
    if (!rows.has(table.name)) {
      rows.set(table.name, 1)
      await openStaging(session, table, dialect)
    }
    return table
  }

  const stageRows = async (resource: Resource, records: Iterable<StagedRecord>) => {
    const table = await open(resource)
    distinct.delete(table.name)
    rows.set(table.name, await loadStaging(session, table, records, rows.get(table.name) ?? 1))
  }

  /** Keeps the identities that go, so that what points at them can be found at the end. */
  const noteRemoved = (table: Table) => async (leaving: string) => {
    const [key] = table.key
    if (table.key.length !== 1 || !key) return
    const name = removedName(table)
    if (!shrunk.has(table.resource.path)) {
      await session.run({
        text: `create temp table if not exists ${quote(name)} ("id" ${dialect.text} primary key)`,
        values: [],
      })
      await session.run({ text: `delete from ${quote(name)}`, values: [] })
      shrunk.add(table.resource.path)
    }
    await session.run({
      text: `insert into ${quote(name)} ("id") select ${quote(key.name)} from ${quote(leaving)} where true on conflict do nothing`,
      values: [],
    })
  }

  async function* dangling(resource: Resource, take: boolean): AsyncIterable<Flaw> {
    const table = await open(resource)
    await indexStaging(session, table, dialect)
    // Those within the collection last: rows taken out for other reasons may be what they point at.
    const references = referencesOf(resource)
    const within = references.filter(({ to }) => to === resource.path)
    const beyond = references.filter(({ to }) => to !== resource.path)
    for (const reference of [...beyond, ...within]) {
      const target = tableAt(tables, reference.to)
      const search = { session, dialect, table, target, reference, brand: owner, take }
      // A row that is taken out of a collection may leave others of it pointing at nothing.
      const again = take && target.name === table.name
      let found: number
      do {
        found = 0
        for await (const flaw of takeDangling(search)) {
          found += 1
          yield flaw
        }
      } while (again && found > 0)
    }
  }

  return {
    stageRows,
    stage: (resource, records) => stageRows(resource, numbered(records)),
    stageRemoval: async (resource, keys) => {
      const table = await open(resource)
      const names = table.key.map(({ name }) => name)
      await session.load(leavingName(table), names, keys)
    },
    takeFlaws: async function* (resource, { references = true } = {}) {
      const table = await open(resource)
      await indexStaging(session, table, dialect)
      yield* takeDuplicates(session, table)
      distinct.add(table.name)
      if (references) yield* dangling(resource, true)
    },
    dangling: (resource) => dangling(resource, false),
    merge: async (resource, { replace = false } = {}) => {
      const table = await open(resource)
      return mergeStaged({
        ...parts,
        table,
        replace,
        distinct: distinct.has(table.name),
        onRemoving: noteRemoved(table),
      })
    },
    orphans: async function* () {
      for (const path of shrunk) {
        const removed = tableAt(tables, path)
        for (const reference of incomingOf(catalog, path)) {
          const table = tableAt(tables, reference.from)
          const value = referenceValue(table, reference.field, 't', dialect)
          // What is shared may be pointed at by every brand.
          const owners =
            removed.resource.scope === 'shared'
              ? `(select "brand" from "selvedge_collections" where "collection" = ?1)`
              : '(select ?1 as "brand")'
          const found = await session.all({
            text: [
              `select ${table.key.map(({ name }) => `t.${quote(name)}`).join(', ')}, ${value}`,
              `from ${quote(removedName(removed))} as r cross join ${owners} as b`,
              `join ${quote(table.name)} as t on t."brand" = b."brand" and ${value} = r."id"`,
              `where not exists (select 1 from ${quote(removed.name)} as k where k."brand" = ?2 and k.${quote(removed.key[0]?.name ?? 'id')} = r."id")`,
            ].join(' '),
            values: [
              removed.resource.scope === 'shared' ? table.resource.path : owner,
              ownerOf(removed.resource, owner),
            ],
          })
          for (const row of found) {
            yield { ...reference, key: row.slice(0, -1).map(String), value: String(row.at(-1)) }
          }
        }
      }
    },
  }
}

const removedName = (table: Table) => `removed_${table.name}`

function* numbered(records: Iterable<StoredRecord>): Iterable<StagedRecord> {
  let line = 0
  for (const record of records) {
    line += 1
    yield { record, source: 0, line }
  }
}
