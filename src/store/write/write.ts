import { type Catalog, incomingOf, type Reference, type Resource } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { type Key, tableAt } from '../read/list.ts'
import { asInteger } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { ownerAmong } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import type { Recorder } from './change-log.ts'
import { beginDirectLoad, type DirectLoad } from './direct-load.ts'
import { createDuplicateFilter, type DuplicateFilter, hashIdentity } from './duplicate-filter.ts'
import { countStored, type Merged, mergeStaged } from './merge.ts'
import type { StoredRecord } from './record-body.ts'
import { createReferenceChecker, type ReferenceChecker, referencesInOrder } from './references.ts'
import {
  findDangling,
  type RejectedRow,
  referenceValue,
  rejectDuplicates,
} from './rejected-rows.ts'
import { createRowDigester, type RowDigester } from './row-digest.ts'
import {
  createPacker,
  createStaging,
  indexStaging,
  loadStaging,
  removalsName,
  type StagedRows,
} from './staging.ts'
import type { Versions } from './versions.ts'

/** Writes records to one owner's collections, inside one transaction. */
export interface Writer {
  /** Stages records. Nothing is compared or visible before `merge`. */
  stage(resource: Resource, records: Iterable<StoredRecord>): Promise<void>
  /** The same for records that are rows already, with the lines they came from. */
  stageRows(resource: Resource, rows: StagedRows): Promise<void>
  /** Stages identities that `merge` removes. */
  stageRemoval(resource: Resource, keys: Iterable<Key>): Promise<void>
  /** Removes duplicates and rows with dangling references from what is staged, and returns them. */
  rejectInvalid(
    resource: Resource,
    checks?: { readonly references?: boolean },
  ): AsyncIterable<RejectedRow>
  /** Rows with dangling references. They stay staged. */
  dangling(resource: Resource): AsyncIterable<RejectedRow>
  /** How many records are stored. */
  count(resource: Resource): Promise<number>
  /**
   * Applies what was staged to the collection: adds and changes records, and leaves those alone that
   * are the same. With `replace`, removes what was not staged. With `onlyMissing`, only adds.
   */
  merge(resource: Resource, options?: MergeOptions): Promise<Merged>
  /** Stored records that refer to a record that this transaction has removed, by their reference. */
  orphans(): AsyncIterable<Orphans>
}

export interface MergeOptions {
  readonly replace?: boolean
  readonly onlyMissing?: boolean
}

/** Stored records that refer to a removed record. */
export interface Orphans extends Reference {
  /** Some of them, with what they refer to. */
  readonly first: readonly Orphan[]
  /** How many there are. */
  readonly count: number
}

export interface Orphan {
  readonly key: Key
  readonly value: string
}

export interface WriterParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
  readonly versions: Versions
  readonly recorder: Recorder
  /** Called with a table that many rows were added to. */
  readonly onGrown: (table: string) => void
}

/** What has been staged of a collection so far. */
interface Staged {
  readonly table: Table
  nextRow: number
  readonly digester: RowDigester
  readonly duplicates: DuplicateFilter
  readonly references: ReferenceChecker
  /** Whether duplicates have been removed from the staged rows. */
  isDistinct: boolean
  /** The load that takes the rows instead of the staging table; undefined before the first row. */
  direct: DirectLoad | null | undefined
}

export const createWriter = (parts: WriterParts): Writer => {
  const { session, dialect, catalog, tables, owner } = parts
  /** The collections that something was staged for. */
  const staged = new Map<string, Staged>()
  /** Collections that records were removed from. */
  const shrunk = new Set<string>()

  const open = async (resource: Resource): Promise<Staged> => {
    const current = staged.get(resource.path)
    if (current) return current
    // What is checked for another collection must not see rows that may still be rejected.
    for (const each of staged.values()) await endDirectLoad(each)
    const table = tableAt(tables, resource.path)
    await createStaging(session, table, dialect)
    const fresh = {
      table,
      nextRow: 1,
      digester: createRowDigester(table),
      duplicates: createDuplicateFilter(),
      references: createReferenceChecker(parts, table),
      isDistinct: false,
      direct: undefined,
    }
    staged.set(resource.path, fresh)
    return fresh
  }

  /** From here on, everything of a collection is in its staging table. */
  const endDirectLoad = async (current: Staged) => {
    const { direct } = current
    current.direct = null
    await direct?.moveToStaging()
  }

  const stageRows = async (resource: Resource, rows: StagedRows) => {
    const current = await open(resource)
    const { table, duplicates, references } = current
    for (const hash of rows.digest.hashes) duplicates.add(hash)
    await references.add(rows.digest.referenced)
    if (current.direct === undefined) current.direct = await beginDirectLoad({ ...parts, table })
    if (!(await current.direct?.add(rows))) {
      await endDirectLoad(current)
      await loadStaging(session, table, rows, current.nextRow)
    }
    current.isDistinct = false
    current.nextRow += rows.lines.length
  }

  const stage = async (resource: Resource, records: Iterable<StoredRecord>) => {
    const { table, digester } = await open(resource)
    const pack = createPacker(table)
    const others: number[] = []
    const cells: SqlValue[] = []
    for (const record of records) {
      const first = cells.length
      pack(record, cells)
      digester.addCells(cells, first)
      others.push(others.length)
    }
    const lines = others.map((row) => row + 1)
    const digest = digester.take()
    await stageRows(resource, { source: 0, lines, canonical: null, others, cells, digest })
  }

  /** Stores the identities that are removed, so that what refers to them can be found at the end. */
  const storeRemoved = (table: Table) => async (removals: string) => {
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
  }

  async function* dangling(resource: Resource, remove: boolean): AsyncIterable<RejectedRow> {
    const current = await open(resource)
    const { table, references } = current
    for (const reference of referencesInOrder(resource)) {
      if (!shrunk.has(reference.to) && (await references.allExist(reference.field))) continue
      await endDirectLoad(current)
      const target = tableAt(tables, reference.to)
      const isWithin = target.name === table.name
      if (isWithin) await indexStaging(session, table, dialect)
      const search = { session, dialect, table, target, reference, owner, remove }
      let rejected: number
      do {
        rejected = 0
        for await (const row of findDangling(search)) {
          rejected += 1
          yield row
        }
        // A row that is removed from a collection may leave others of it with a dangling reference.
      } while (remove && isWithin && rejected > 0)
    }
  }

  return {
    stageRows,
    stage,
    stageRemoval: async (resource, keys) => {
      const current = await open(resource)
      await endDirectLoad(current)
      await session.bulkInsert(removalsName(current.table), current.table.key, keys)
    },
    rejectInvalid: async function* (resource, { references = true } = {}) {
      const current = await open(resource)
      if (!current.direct && current.duplicates.mayHaveDuplicates) {
        await indexStaging(session, current.table, dialect)
        yield* rejectDuplicates(session, current.table, dialect)
      }
      current.isDistinct = true
      if (references) yield* dangling(resource, true)
    },
    dangling: (resource) => dangling(resource, false),
    count: (resource) => countStored({ ...parts, table: tableAt(tables, resource.path) }),
    merge: async (resource, { replace = false, onlyMissing = false } = {}) => {
      const current = await open(resource)
      const { table, isDistinct, duplicates, nextRow, direct } = current
      if (direct && !(replace && direct.hasStored)) {
        staged.delete(resource.path)
        return { ...(await direct.finish()), ...(onlyMissing && { differing: 0 }) }
      }
      await endDirectLoad(current)
      const mayOverlap = async (count: number): Promise<boolean> => {
        if (duplicates.mayHaveDuplicates || count * lookupFactor > nextRow) return true
        const keys = table.key.map(({ name }) => quote(name)).join(', ')
        const text = `select ${keys} from ${quote(table.name)} where "owner" = ?1`
        const stored = await session.all({ text, values: [owner] })
        return stored.some((identity) =>
          duplicates.mayContain(hashIdentity(identity.map(readText))),
        )
      }
      const merged = await mergeStaged({
        ...parts,
        table,
        replace,
        onlyMissing,
        distinct: isDistinct || !duplicates.mayHaveDuplicates,
        mayOverlap,
        onRemoving: storeRemoved(table),
        onGrown: () => parts.onGrown(table.name),
      })
      staged.delete(resource.path)
      return merged
    },
    orphans: async function* () {
      for (const path of shrunk) {
        const removed = tableAt(tables, path)
        for (const reference of incomingOf(catalog, path)) {
          const table = tableAt(tables, reference.from)
          const value = referenceValue(table, reference.field, 't', dialect)
          // A shared record may be referred to by every brand.
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
          const key = table.key.map(({ name }) => `t.${quote(name)}`).join(', ')
          const text = `select ${key}, ${value}\n${referring}\nlimit ${orphansMax}`
          const first = (await session.all({ text, values })).map((row) => ({
            key: row.slice(0, -1).map(readText),
            value: readText(row.at(-1) ?? null),
          }))
          if (first.length === 0) continue
          const counting = { text: `select count(*)\n${referring}`, values }
          const count =
            first.length < orphansMax
              ? first.length
              : Number((await session.all(counting))[0]?.[0] ?? first.length)
          yield { ...reference, first, count }
        }
      }
    },
  }
}

/**
 * Where so many times fewer records are stored than staged, each stored identity is looked up in the
 * duplicate filter. Otherwise comparing in SQL is faster.
 */
const lookupFactor = 20

/** Orphans that are reported of each reference; the others are counted. */
const orphansMax = 1_000

const removedName = (table: Table) => `removed_${table.name}`
