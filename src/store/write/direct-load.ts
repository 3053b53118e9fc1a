import { referencesOf } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { quotedColumns } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { columnDdl, columnsOf, type Table } from '../schema/tables.ts'
import { isSearchable } from '../search-index/search-table.ts'
import type { Recorder } from './change-log.ts'
import { hashIdentity } from './duplicate-filter.ts'
import { createIdentityOrder, hasIdentityOrder } from './identity-order.ts'
import { countStored, createIndexes, dropIndexes, type Merged } from './merge.ts'
import { rowsWorthRebuilding } from './merge-plan.ts'
import { watchedReferences } from './references.ts'
import { type RowBatch, type StagedRows, sliceParts, stagedName, storedCells } from './staging.ts'
import { hasStoredTotals, shiftCollectionTotal, storeLargeTotals } from './totals.ts'
import type { Versions } from './versions.ts'

/**
 * Inserts rows straight into their table, without staging or sorting. The result equals a merge if
 * rows arrive in identity order, as in an export, and none of them is stored yet. Keeps the source
 * and line of each row in memory, in case a merge needs them.
 *
 * Any exception, such as a row out of order or a dangling reference, ends the direct load: it moves
 * its rows to the staging table, and the import continues there.
 */
export interface DirectLoad {
  /** Loads a batch. Returns false and loads nothing if the batch cannot be loaded directly. */
  add(rows: StagedRows): Promise<boolean>
  /** Ends the load and moves its rows to the staging table, as if they had been staged. */
  moveToStaging(): Promise<void>
  /** Ends the load like a merge. */
  finish(): Promise<Merged>
  /** Whether the owner had records before. */
  readonly hasStored: boolean
}

export interface DirectLoadParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
  readonly versions: Pick<Versions, 'add'>
  readonly recorder: Recorder
}

/** Maximum stored records of the owner: every new row is compared with their identities. */
const storedMax = 1_000
/** Maximum records of all owners: new rows update the indexes until they outnumber these records. */
const othersMax = 5 * rowsWorthRebuilding
/** Most imports end before this many rows and need not recreate the indexes. */
const rowsWorthDropping = 2_000
/** Maximum runs of successive lines that are kept to locate rows: about 5 MB. */
const runsMax = 100_000

/** Begins a direct load; null if the collection does not allow it. */
export const beginDirectLoad = async (parts: DirectLoadParts): Promise<DirectLoad | null> => {
  const { session, dialect, table, owner } = parts
  // Unindexed references and search entries are read from the staging table.
  const areWatched = watchedReferences(table).length === referencesOf(table.resource).length
  const needsStaging = !areWatched || isSearchable(table)
  if (!dialect.rebuildsIndexes || needsStaging || !hasIdentityOrder(table)) return null
  const [ofOwner, ofAll] = [await countStored(parts), await countOfAll(parts)]
  if (ofOwner > storedMax || ofAll > othersMax || (await hasStoredTotals(parts))) return null

  const t = quote(table.name)
  const storedBefore = quote(`stored_before_${table.name}`)
  const names = table.key.map(({ name }) => quote(name))
  const run = (clauses: readonly string[], ...values: SqlValue[]) =>
    session.run({ text: clauses.join('\n'), values })
  /** The rows of the owner that this load has added. */
  const added = [
    `${t} as t`,
    'where t."owner" = ?1 and not exists (',
    `select 1 from ${storedBefore} as k`,
    `where ${names.map((name) => `k.${name} = t.${name}`).join(' and ')})`,
  ].join('\n')

  const key = table.key.map((column) => columnDdl(column, dialect))
  await run([
    `create temp table if not exists ${storedBefore}`,
    `(${key.join(', ')}, primary key (${names.join(', ')}))${dialect.tableOptions}`,
  ])
  await run([`delete from ${storedBefore}`])
  await run(
    [
      `insert into ${storedBefore}`,
      `select ${names.join(', ')}`,
      `from ${t}`,
      'where "owner" = ?1',
    ],
    owner,
  )
  const stored = await session.all({
    text: `select ${names.join(', ')} from ${storedBefore}`,
    values: [],
  })
  const storedHashes = new Set(stored.map((identity) => hashIdentity(identity.map(readText))))

  const order = createIdentityOrder(table)
  const runs = createLineRuns()
  let rowCount = 0
  let hasIndexes = true

  return {
    hasStored: stored.length > 0,
    add: async (rows) => {
      const mayBeStored =
        storedHashes.size > 0 && rows.digest.hashes.some((hash) => storedHashes.has(hash))
      if (mayBeStored || runs.count > runsMax || !order.continues(rows)) return false
      await load(parts, rows)
      runs.add(rows.source, rows.lines)
      rowCount += rows.lines.length
      if (hasIndexes && rowCount >= Math.max(rowsWorthDropping, ofAll)) {
        await dropIndexes(session, table)
        hasIndexes = false
      }
      return true
    },
    moveToStaging: async () => {
      const s = quote(stagedName(table))
      const columns = [...quotedColumns(table), '"body"']
      const number = `row_number() over (order by ${names.map((name) => `t.${name}`).join(', ')})`
      await run(
        [
          `insert into ${s} ("staged_row", "staged_source", "staged_line", ${columns.join(', ')})`,
          `select ${number}, 0, 0, ${columns.map((column) => `t.${column}`).join(', ')}`,
          `from ${added}`,
        ],
        owner,
      )
      for (const { source, line, row, count } of runs.all()) {
        await run(
          [
            `update ${s}`,
            'set "staged_source" = ?1, "staged_line" = "staged_row" + ?2',
            'where "staged_row" >= ?3 and "staged_row" < ?4',
          ],
          ...[source, line - row, row, row + count],
        )
      }
      await run(
        [
          `delete from ${t}`,
          'where "owner" = ?1 and not exists (',
          `select 1 from ${storedBefore} as k`,
          `where ${names.map((name) => `k.${name} = ${t}.${name}`).join(' and ')})`,
        ],
        owner,
      )
      if (!hasIndexes) await createIndexes(session, table)
    },
    finish: async () => {
      if (!hasIndexes) await createIndexes(session, table)
      if (rowCount > 0) {
        await parts.recorder.record(table, owner, added)
        await shiftCollectionTotal(parts, rowCount)
        parts.versions.add(table.resource.path)
        await storeLargeTotals(parts, 'all')
      }
      return { stored: ofOwner, added: rowCount, changed: 0, unchanged: 0, removed: 0 }
    },
  }
}

const countOfAll = async ({ session, table }: DirectLoadParts): Promise<number> => {
  const text = 'select sum("total") from "selvedge_collections" where "collection" = ?1'
  const [row] = await session.all({ text, values: [table.resource.path] })
  return Number(row?.[0] ?? 0)
}

/** Inserts the rows of a batch in order. */
const load = async ({ session, table, owner }: DirectLoadParts, rows: RowBatch): Promise<void> => {
  const columns = columnsOf(table)
  const { canonical, others, cells } = rows
  const width = columns.length * 2 + 2
  const all = [
    { name: 'owner', kind: 'integer' },
    ...columns,
    { name: 'body', kind: 'text' },
  ] as const
  let canonicalRow = 0
  const loadCanonical = async (count: number) => {
    if (!canonical || count === 0) return
    const from = canonicalRow * width
    canonicalRow += count
    await session.bulkInsertSlices(table.name, {
      bytes: canonical.bytes,
      offsets: canonical.offsets.subarray(from, from + count * width),
      parts: sliceParts(table),
      whole: 'body',
      numbered: ['owner'],
      numbersOf: () => [owner],
    })
  }
  for (const [index, row] of others.entries()) {
    await loadCanonical(row - index - canonicalRow)
    await session.bulkInsert(table.name, all, [[owner, ...storedCells(table, cells, index)]])
  }
  await loadCanonical(rows.lines.length - others.length - canonicalRow)
}

interface LineRun {
  readonly source: number
  readonly line: number
  /** The number of its first row, counted from 1. */
  readonly row: number
  count: number
}

/** The source and line of each row, as runs of successive lines. */
const createLineRuns = () => {
  const runs: LineRun[] = []
  let nextRow = 1
  return {
    get count() {
      return runs.length
    },
    add: (source: number, lines: readonly number[]) => {
      for (const line of lines) {
        const last = runs.at(-1)
        if (last && last.source === source && last.line + last.count === line) last.count += 1
        else runs.push({ source, line, row: nextRow, count: 1 })
        nextRow += 1
      }
    },
    all: (): readonly LineRun[] => runs,
  }
}
