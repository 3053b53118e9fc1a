import { type Dialect, quote, type Session, type SqlValue, together } from '#database'
import { asInteger, quotedColumns } from '../schema/collection-stats.ts'
import { columnsOf, createIndex, type Table } from '../schema/tables.ts'
import type { Recorder } from './change-log.ts'
import { maintainEntries } from './maintain-entries.ts'
import {
  emptyStagingStatements,
  indexKept,
  indexStaging,
  keptName,
  removalsName,
  stagedName,
} from './staging.ts'
import {
  canBeLarge,
  shiftCollectionTotal,
  shiftStoredTotals,
  storedFilters,
  storeLargeTotals,
} from './totals.ts'
import type { Versions } from './versions.ts'

/** What a merge did to a collection. */
export interface Merged {
  /** How many records of the owner were stored before. */
  readonly stored: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Stored records that differ from the staged ones and were not changed, with `onlyMissing`. */
  readonly differing?: number
}

export interface Merge {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
  readonly versions: Pick<Versions, 'add'>
  /** Removes what was not staged. */
  readonly replace: boolean
  /** How many removals were staged. */
  readonly removalCount: number
  /** Whether the table of identities that a replacement keeps is there. */
  readonly hasKept: boolean
  /** Adds what is not stored yet, and changes nothing that is. */
  readonly onlyMissing: boolean
  /** How many rows were staged. */
  readonly stagedRows: number
  /** Whether it is certain that no identity is staged twice. */
  readonly distinct: boolean
  /** Whether any of the stored identities, so many, may be among the staged ones. */
  readonly mayOverlap: (stored: number) => Promise<boolean>
  /** Records the changes once everything staged has been applied. */
  readonly recorder: Recorder
  /** Called when it is known what is to be removed; takes back what is not. */
  readonly onRemovals?: () => Promise<void>
  /** Called with the table of identities that are about to be removed. */
  readonly onRemoving?: (removals: string) => Promise<void>
  /** Called after a good part of the table's rows was inserted, with its indexes in place. */
  readonly onGrown?: () => void
}

/** Where so many times more records are stored than staged, each staged one is looked up by itself. */
const storedPerLookup = 20

/** Applies what was staged to a collection, together with its totals and its change log. */
export const mergeStaged = async (parts: Merge): Promise<Merged> => {
  const { session, dialect, stagedRows, removalCount, replace } = parts
  const before = await countStored(parts)
  const looksUp = !replace && (stagedRows + removalCount) * storedPerLookup < before
  const { begin, end } = looksUp ? dialect.joinsByLookup : { begin: [], end: [] }
  const [, merged] = await together([session.runAll(begin), applyStaged(parts, before, end)])
  return merged
}

/** Applies what was staged, of which so many records were stored before, and runs what ends the merge. */
const applyStaged = async (
  parts: Merge,
  before: number,
  end: readonly string[],
): Promise<Merged> => {
  const { session, dialect, table, owner, replace } = parts
  const hasRemovals = parts.removalCount > 0
  const run = (clauses: readonly string[], ...values: SqlValue[]) =>
    session.run({ text: clauses.join('\n'), values })
  const count = async (clauses: readonly string[], ...values: SqlValue[]) =>
    Number((await session.all({ text: clauses.join('\n'), values }))[0]?.[0] ?? 0)
  const t = quote(table.name)
  const s = quote(stagedName(table))
  const r = quote(removalsName(table))
  const names = table.key.map(({ name }) => quote(name))
  const keys = names.join(', ')
  const isSame = (one: string, other: string) =>
    names.map((name) => `${one}.${name} = ${other}.${name}`).join(' and ')
  /** A stored record with the identity of a row in another table. */
  const stored = (alias: string) =>
    `select 1 from ${t} as t where t."owner" = ?1 and ${isSame('t', alias)}`

  const replaces = replace && before > 0
  if (!parts.distinct || replaces || hasRemovals) await indexStaging(session, table, dialect)
  if (!parts.distinct) {
    // Of an identity that was staged twice, the last one counts.
    await run([
      `delete from ${s}`,
      `where exists (select 1 from ${s} as d`,
      `where ${isSame('d', s)} and d."staged_row" > ${s}."staged_row")`,
    ])
  }
  // What is staged is not removed, also where its removal was staged too.
  if (hasRemovals) {
    await run([
      `delete from ${r}`,
      `where exists (select 1 from ${s} as s where ${isSame('s', r)})`,
    ])
  }
  if (replaces) {
    if (parts.hasKept) await indexKept(session, table, dialect)
    const k = quote(keptName(table))
    await run(
      [
        `insert into ${r} (${keys})`,
        `select ${keys}`,
        `from ${t} as t`,
        `where t."owner" = ?1 and not exists (select 1 from ${s} as s where ${isSame('s', 't')})`,
        ...(parts.hasKept
          ? [`and not exists (select 1 from ${k} as k where ${isSame('k', 't')})`]
          : []),
        'on conflict do nothing',
      ],
      owner,
    )
  }
  if (replaces || hasRemovals) {
    await parts.onRemovals?.()
    await run([`delete from ${r}`, `where not exists (${stored(r)})`], owner)
  }
  const overlaps = before > 0 && (await parts.mayOverlap(before))
  const deleteStored = (where: string) =>
    run([`delete from ${s}`, `where exists (${stored(s)}${where})`], owner)
  const [unchanged, differing, comparison, filters] = await together([
    overlaps ? deleteStored(` and t."body" = ${s}."body"`) : 0,
    overlaps && parts.onlyMissing ? deleteStored('') : 0,
    overlaps ? compareStored(parts) : countStaged(parts),
    storedFilters(parts),
  ])
  const { moving, changed, differing: columnsThatDiffer } = comparison
  const added = moving - changed
  const removed = replaces || hasRemovals ? await count([`select count(*) from ${r}`]) : 0
  const moves = (column: string) => added + removed > 0 || (columnsThatDiffer?.has(column) ?? true)
  const after = before + added - removed
  const isMostOfIt = moving * 2 > after
  if (moving + removed > 0) {
    await shiftStoredTotals(parts, filters, {
      ...{ moves, records: moving + removed, removes: removed > 0 },
      countsTouched: canBeLarge(after) && !isMostOfIt,
    })
    await maintainEntries({ ...parts, overlaps: changed > 0, removes: removed > 0 })
    if (removed > 0) {
      await parts.onRemoving?.(removalsName(table))
      await run(
        [
          `delete from ${t}`,
          `where "owner" = ?1 and exists (select 1 from ${r} as r where ${isSame('r', t)})`,
        ],
        owner,
      )
    }
    const columns = [...quotedColumns(table), '"body"']
    const upsert = (where: string, assigned: readonly string[]) =>
      run(
        [
          `insert into ${t} ("owner", ${columns.join(', ')})`,
          `select ${asInteger('?1', dialect)}, ${columns.join(', ')}`,
          `from ${s} as s`,
          `where ${where}`,
          // Sorting whole rows is faster than following the index of what is staged back and forth.
          `order by ${names.map(dialect.orderKey).join(', ')}`,
          `on conflict ("owner", ${keys}) do update`,
          `set ${assigned.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        ],
        owner,
      )
    if (columnsThatDiffer && moving < rowsWorthRebuilding) {
      await upsert('true', ['"body"'])
      for (const name of [...columnsThatDiffer].map(quote)) {
        const old = `select t.${name} from ${t} as t where t."owner" = ?1 and ${isSame('t', 's')}`
        await upsert(`(${old}) is not s.${name}`, [name])
      }
    } else {
      await withIndexesDropped(parts, moving, () => upsert('true', columns.slice(names.length)))
    }
    parts.versions.add(table.resource.path)
    await together([
      parts.recorder.record(table, owner),
      shiftCollectionTotal(parts, added - removed),
      canBeLarge(after) && storeLargeTotals(parts, isMostOfIt ? 'all' : 'touched', moves),
    ])
  }
  await session.runAll([...emptyStagingStatements(table), ...end])
  return {
    stored: before,
    added,
    changed,
    unchanged,
    removed,
    ...(parts.onlyMissing && { differing }),
  }
}

interface Comparison {
  /** How many records are staged. */
  readonly moving: number
  /** How many stored records are staged too. */
  readonly changed: number
  /** The columns beside the key in which any of them differs; null where that makes no difference. */
  readonly differing: ReadonlySet<string> | null
}

/** Where nothing that is staged is stored. */
const countStaged = async ({ session, table }: Merge): Promise<Comparison> => {
  const text = `select count(*) from ${quote(stagedName(table))}`
  const [row] = await session.all({ text, values: [] })
  return { moving: Number(row?.[0] ?? 0), changed: 0, differing: null }
}

/**
 * Compares what is staged with what is stored. Columns beside the key are those of indexes, and most
 * changes of a record leave nearly all of them alone.
 */
const compareStored = async (parts: Merge): Promise<Comparison> => {
  const { session, dialect, table, owner } = parts
  const s = quote(stagedName(table))
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const columns = dialect.rewritesIndexEntries ? columnsOf(table).slice(table.key.length) : []
  const differ = columns.map(({ name }) => `max(t.${quote(name)} is not s.${quote(name)})`)
  const [row = []] = await session.all({
    text: [
      `select ${[`(select count(*) from ${s})`, 'count(*)', ...differ].join(', ')}`,
      `from ${s} as s`,
      `${dialect.joinsInOrder ? 'cross join' : 'join'} ${quote(table.name)} as t`,
      `on t."owner" = ?1 and ${isSame}`,
    ].join('\n'),
    values: [owner],
  })
  const [moving = 0, changed = 0] = row.slice(0, 2).map(Number)
  if (changed === 0 || !dialect.rewritesIndexEntries) return { moving, changed, differing: null }
  const differing = columns.filter((_, index) => Number(row[index + 2]) > 0)
  return { moving, changed, differing: new Set(differing.map(({ name }) => name)) }
}

/** Below this, adding rows to an index takes less time than creating it again. */
export const rowsWorthRebuilding = 20_000

/** Below this, what an index could lose in room is not worth creating it again. */
const rowsWorthCompacting = 500
/** The part of the stored rows from which on their indexes are created again after the import. */
const grownPart = 0.25

/** Runs a large insert without the indexes, where creating them again afterwards is less work. */
const withIndexesDropped = async (
  { session, dialect, table, onGrown }: Merge,
  moving: number,
  insert: () => Promise<number>,
): Promise<void> => {
  if (moving < rowsWorthCompacting) {
    await insert()
    return
  }
  const [row] = await session.all({
    text: 'select sum("total") from "selvedge_collections" where "collection" = ?1',
    values: [table.resource.path],
  })
  const stored = Number(row?.[0] ?? 0)
  if (!dialect.rebuildsIndexes || moving < rowsWorthRebuilding || moving <= stored) {
    await insert()
    if (moving >= stored * grownPart) onGrown?.()
    return
  }
  await dropIndexes(session, table)
  await insert()
  await createIndexes(session, table)
}

export const dropIndexes = async (session: Session, { indexes }: Table): Promise<void> => {
  for (const { name } of indexes)
    await session.run({ text: `drop index ${quote(name)}`, values: [] })
}

export const createIndexes = async (session: Session, table: Table): Promise<void> => {
  for (const index of table.indexes) {
    await session.run({ text: createIndex(table, index), values: [] })
  }
}

/** How many records an owner has in a collection. */
export const countStored = async ({
  session,
  table,
  owner,
}: Pick<Merge, 'session' | 'table' | 'owner'>): Promise<number> => {
  const [row] = await session.all({
    text: [
      'select "total"',
      'from "selvedge_collections"',
      'where "owner" = ?1 and "collection" = ?2',
    ].join('\n'),
    values: [owner, table.resource.path],
  })
  return Number(row?.[0] ?? 0)
}
