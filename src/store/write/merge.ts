import { type Dialect, quote, type Session, type SqlValue, together } from '#database'
import { asInteger, quotedColumns } from '../schema/collection-stats.ts'
import { columnsOf, createIndex, type Table } from '../schema/tables.ts'
import type { Recorder } from './change-log.ts'
import { maintainEntries } from './maintain-entries.ts'
import { type OnChange, readChanges } from './merge-changes.ts'
import {
  type Comparison,
  type MergePlan,
  planMerge,
  planStaging,
  rowsWorthRebuilding,
  type StagingPlan,
  type Upsert,
} from './merge-plan.ts'
import { dropRespelled, isAlike } from './respelled.ts'
import {
  emptyStagingStatements,
  indexKept,
  indexStaging,
  keptName,
  removalsName,
  stagedName,
} from './staging.ts'
import {
  shiftCollectionTotal,
  shiftStoredTotals,
  storedFilters,
  storeLargeTotals,
} from './totals.ts'
import type { Versions } from './versions.ts'

/** The result of a merge. */
export interface Merged {
  /** The owner's stored records before the merge. */
  readonly stored: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Stored records that differ from staged ones but were left unchanged because of `onlyMissing`. */
  readonly differing?: number
}

export interface Merge {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
  readonly versions: Pick<Versions, 'add'>
  /** Removes records that were not staged. */
  readonly replace: boolean
  /** The number of staged removals. */
  readonly removalCount: number
  /** Whether the table of identities that a replacement keeps exists. */
  readonly hasKept: boolean
  /** Adds missing records and leaves stored ones unchanged. */
  readonly onlyMissing: boolean
  /** The number of staged rows. */
  readonly stagedRows: number
  /** Whether staged identities are known to be unique. */
  readonly distinct: boolean
  /** Whether any of the `stored` identities may be among the staged ones. */
  readonly mayOverlap: (stored: number) => Promise<boolean>
  /** Records the changes after everything staged has been applied. */
  readonly recorder: Recorder
  /** Removes new and changed rows that may not be stored, and returns how many. */
  readonly rejectRows?: (hasStored: boolean) => Promise<number>
  /** Called with the changes before they are made. Reads their texts, so ordinary merges have none. */
  readonly onChange?: OnChange | undefined
  /** Called once the removals are known. It may take some back. */
  readonly onRemovals?: () => Promise<void>
  /** Called with the table of identities that are about to be removed. */
  readonly onRemoving?: (removals: string) => Promise<void>
  /** Called after an insert that added a large part of the table, with its indexes in place. */
  readonly onGrown?: () => void
}

/** Applies the staged rows to a collection and updates its totals and change log. */
export const mergeStaged = async (parts: Merge): Promise<Merged> => {
  const { session, dialect } = parts
  const stored = await countStored(parts)
  const plan = planStaging(parts, stored)
  const { begin, end } = plan.looksUp ? dialect.joinsByLookup : { begin: [], end: [] }
  const [, merged] = await together([session.runAll(begin), applyStaged(parts, stored, plan)])
  await session.runAll([...emptyStagingStatements(parts.table), ...end])
  return merged
}

const applyStaged = async (parts: Merge, stored: number, staging: StagingPlan): Promise<Merged> => {
  const { table, owner, onlyMissing } = parts
  await reduceStaging(parts, staging)
  const overlaps = stored > 0 && (await parts.mayOverlap(stored))
  const { staged, isStored } = namesIn(table)
  const deleteStored = (where: string) =>
    run(parts, [`delete from ${staged}`, `where exists (${isStored(staged)}${where})`], owner)
  const compare = () => (overlaps ? compareStored(parts) : countStaged(parts))
  const [same, compared, filters] = await together([
    overlaps ? deleteStored(` and t."body" = ${staged}."body"`) : 0,
    compare(),
    storedFilters(parts),
  ])
  const respelled = compared.alike > 0 ? await dropRespelled(parts) : 0
  const differing = overlaps && onlyMissing ? await deleteStored('') : 0
  const moves = compared.moving > respelled + differing
  const rejected = moves ? ((await parts.rejectRows?.(stored > 0)) ?? 0) : 0
  const comparison = respelled + differing + rejected > 0 ? await compare() : compared
  const unchanged = same + respelled
  const removed = staging.removes ? await countRows(parts, removalsName(table)) : 0
  const plan = planMerge(table, { ...comparison, stored, removed })
  if (plan.records > 0 && parts.onChange) await readChanges(parts, parts.onChange)
  if (plan.records > 0) await executeMerge(parts, plan, filters)
  const { added, changed } = plan
  return {
    ...{ stored, added, changed, unchanged, removed },
    ...(onlyMissing && { differing }),
  }
}

/** Leaves one staged row per identity, and only removals of stored records. */
const reduceStaging = async (parts: Merge, plan: StagingPlan): Promise<void> => {
  const { session, dialect, table, owner, hasKept } = parts
  const { stored, staged, removals, keptTable, keys, isSame, isStored } = namesIn(table)
  if (plan.indexesStaged) await indexStaging(session, table, dialect)
  if (plan.dropsRepeated) {
    // The last staged row of an identity wins.
    await run(parts, [
      `delete from ${staged}`,
      `where exists (select 1 from ${staged} as d`,
      `where ${isSame('d', staged)} and d."staged_row" > ${staged}."staged_row")`,
    ])
  }
  if (plan.dropsStagedRemovals) {
    await run(parts, [
      `delete from ${removals}`,
      `where exists (select 1 from ${staged} as s where ${isSame('s', removals)})`,
    ])
  }
  if (plan.removesUnstaged) {
    if (hasKept) await indexKept(session, table, dialect)
    await run(
      parts,
      [
        `insert into ${removals} (${keys})`,
        `select ${keys}`,
        `from ${stored} as t`,
        `where t."owner" = ?1 and not exists (select 1 from ${staged} as s where ${isSame('s', 't')})`,
        ...(hasKept
          ? [`and not exists (select 1 from ${keptTable} as k where ${isSame('k', 't')})`]
          : []),
        'on conflict do nothing',
      ],
      owner,
    )
  }
  if (plan.removes) await parts.onRemovals?.()
  await noteUnchanged(parts, plan)
  if (plan.removes) {
    await run(parts, [`delete from ${removals}`, `where not exists (${isStored(removals)})`], owner)
  }
}

/** Notes rows that are equal to stored ones, and removals of what is not stored. */
const noteUnchanged = async (parts: Merge, { removes }: StagingPlan): Promise<void> => {
  const { table, owner, recorder, stagedRows } = parts
  const { staged, removals, isStored } = namesIn(table)
  const isEqual = ['t."body" = s."body"', isAlike(table) ?? 'false'].join(' or ')
  if (stagedRows > 0) {
    const rows = `${staged} as s where exists (${isStored('s')} and (${isEqual}))`
    await recorder.note(table, owner, rows)
  }
  if (!removes) return
  await recorder.note(table, owner, `${removals} as r where not exists (${isStored('r')})`)
}

/** Changes the records and everything derived from them. */
const executeMerge = async (
  parts: Merge,
  plan: MergePlan,
  filters: readonly string[],
): Promise<void> => {
  const { table, owner } = parts
  const { changed, removed, records, largeTotals } = plan
  const moves = (column: string) => plan.movedColumns?.has(column) ?? true
  const removes = removed > 0
  await shiftStoredTotals(parts, filters, {
    ...{ moves, records, removes },
    countsTouched: largeTotals === 'touched',
  })
  await maintainEntries({ ...parts, overlaps: changed > 0, removes })
  if (removes) await deleteRemovals(parts)
  await executeUpserts(parts, plan)
  parts.versions.add(table.resource.path)
  await together([
    parts.recorder.record(table, owner),
    shiftCollectionTotal(parts, plan.added - removed),
    largeTotals && storeLargeTotals(parts, largeTotals, moves),
  ])
}

const deleteRemovals = async (parts: Merge): Promise<void> => {
  const { table, owner, onRemoving } = parts
  const { stored, removals, isSame } = namesIn(table)
  await onRemoving?.(removalsName(table))
  await run(
    parts,
    [
      `delete from ${stored}`,
      `where "owner" = ?1 and exists (select 1 from ${removals} as r where ${isSame('r', stored)})`,
    ],
    owner,
  )
}

const executeUpserts = async (
  parts: Merge,
  { added, changed, upserts }: MergePlan,
): Promise<void> => {
  for (const upsert of upserts) {
    const execute = () => run(parts, compileUpsert(parts, upsert), parts.owner)
    if (upsert.isWhole) await withIndexesDropped(parts, { added, moving: added + changed }, execute)
    else await execute()
  }
}

const compileUpsert = (
  { dialect, table }: Merge,
  { assigned, differing }: Upsert,
): readonly string[] => {
  const { stored, staged, names, keys, isSame } = namesIn(table)
  const columns = [...quotedColumns(table), '"body"'].join(', ')
  const old = (name: string) =>
    `select t.${name} from ${stored} as t where t."owner" = ?1 and ${isSame('t', 's')}`
  const differs = (name: string) => `(${old(name)}) is not s.${name}`
  return [
    `insert into ${stored} ("owner", ${columns})`,
    `select ${asInteger('?1', dialect)}, ${columns}`,
    `from ${staged} as s`,
    `where ${differing === null ? 'true' : differs(quote(differing))}`,
    // Sorting whole rows is faster than random access through the index of the staging table.
    `order by ${names.map(dialect.orderKey).join(', ')}`,
    `on conflict ("owner", ${keys}) do update`,
    `set ${assigned.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
  ]
}

/** The quoted names of a collection's tables and columns in merge statements. */
const namesIn = (table: Table) => {
  const names = table.key.map(({ name }) => quote(name))
  const stored = quote(table.name)
  const isSame = (one: string, other: string) =>
    names.map((name) => `${one}.${name} = ${other}.${name}`).join(' and ')
  return {
    stored,
    staged: quote(stagedName(table)),
    removals: quote(removalsName(table)),
    keptTable: quote(keptName(table)),
    names,
    keys: names.join(', '),
    isSame,
    /** Selects the stored record with the identity of a row in another table. */
    isStored: (alias: string) =>
      `select 1 from ${stored} as t where t."owner" = ?1 and ${isSame('t', alias)}`,
  }
}

const run = ({ session }: Merge, clauses: readonly string[], ...values: SqlValue[]) =>
  session.run({ text: clauses.join('\n'), values })

const countRows = async ({ session }: Merge, name: string): Promise<number> => {
  const [row] = await session.all({ text: `select count(*) from ${quote(name)}`, values: [] })
  return Number(row?.[0] ?? 0)
}

/** The comparison if no staged record is stored. */
const countStaged = async (parts: Merge): Promise<Comparison> => ({
  moving: await countRows(parts, stagedName(parts.table)),
  changed: 0,
  alike: 0,
  differing: null,
})

/**
 * Compares staged records with stored ones. The non-key columns exist for indexes, and most changes
 * of a record touch few of them.
 */
const compareStored = async (parts: Merge): Promise<Comparison> => {
  const { session, dialect, table, owner } = parts
  const s = quote(stagedName(table))
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const columns = dialect.rewritesIndexEntries ? columnsOf(table).slice(table.key.length) : []
  const differ = columns.map(({ name }) => `max(t.${quote(name)} is not s.${quote(name)})`)
  const alikeRows = `sum(case when ${isAlike(table) ?? 'false'} then 1 else 0 end)`
  const [row = []] = await session.all({
    text: [
      `select ${[`(select count(*) from ${s})`, 'count(*)', alikeRows, ...differ].join(', ')}`,
      `from ${s} as s`,
      `${dialect.joinsInOrder ? 'cross join' : 'join'} ${quote(table.name)} as t`,
      `on t."owner" = ?1 and ${isSame}`,
    ].join('\n'),
    values: [owner],
  })
  const [moving = 0, changed = 0, alike = 0] = row.slice(0, 3).map(Number)
  if (changed === 0 || !dialect.rewritesIndexEntries) {
    return { moving, changed, alike, differing: null }
  }
  const differing = columns.filter((_, index) => Number(row[index + 3]) > 0)
  return { moving, changed, alike, differing: new Set(differing.map(({ name }) => name)) }
}

/** Below this, the space that compacting the indexes could save is not worth the work. */
const rowsWorthCompacting = 500
/** The share of new rows from which the indexes are compacted after the import. */
const grownPart = 0.25

/** Runs a large insert without the indexes if rebuilding them afterwards is less work. */
const withIndexesDropped = async (
  { session, dialect, table, onGrown }: Merge,
  { added, moving }: { readonly added: number; readonly moving: number },
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
    // Rebuilding indexes keeps all other writers of the table waiting, and changes leave little space.
    if (added >= rowsWorthCompacting && added >= stored * grownPart) onGrown?.()
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

/** The number of an owner's records in a collection. */
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
