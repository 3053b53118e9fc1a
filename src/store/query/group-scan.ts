import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Condition, fieldAt, type Grouping } from '#contract'
import type { Dialect, Query, Row, Steps } from '#database'
import { runScan, type ScanProgress } from '../read/resumable-scan.ts'
import { comparable, isCut } from '../schema/comparable.ts'
import { indexFor, type Table } from '../schema/tables.ts'
import type { Stretch } from './access.ts'
import type { GroupSums } from './group-sums.ts'
import type { PlainValue } from './request.ts'
import { readPlain } from './sort-order.ts'
import { type Span, stretchColumns } from './stretch-sql.ts'
import type { GroupValue } from './summary-request.ts'

/*
 * A scan along the index of a grouping: the records of a group are side by side, so a group is
 * complete when the scan has passed its value. Only the groups of one slice are in memory.
 */

/** The grouping to scan along, and its parts: the records with a value, then those without. */
export interface GroupedAccess {
  /** The place of the grouping in `by`. */
  readonly at: number
  readonly parts: readonly GroupedPart[]
}

export interface GroupedPart {
  readonly stretch: Stretch
  readonly where: readonly Condition[]
  /** Whether its records have no value, and are one group. */
  readonly isNull: boolean
}

/** The groupings with an index that has the records of a group side by side. */
export const groupedAccesses = (
  table: Table,
  by: readonly Grouping[],
): readonly GroupedAccess[] => {
  const columns = by.flatMap(({ field, dates }, at) => {
    const column = [...table.key, ...table.lookups].find(({ path }) => path.join('.') === field)
    return column && dates === null ? [{ at, field, column }] : []
  })
  return columns.flatMap(({ at, field, column }): readonly GroupedAccess[] => {
    if (column.name === table.key[0]?.name) {
      return [{ at, parts: [{ stretch: { kind: 'identity' }, where: [], isNull: false }] }]
    }
    if (!indexFor(table, column.name)) return []
    const isNull = (is: boolean): Condition => ({ kind: 'null', field, isNull: is })
    const present: GroupedPart = {
      stretch: { kind: 'range', column, low: null, high: null },
      where: [isNull(false)],
      isNull: false,
    }
    // The index has no records without a value.
    const absent: GroupedPart = {
      stretch: { kind: 'identity' },
      where: [isNull(true)],
      isNull: true,
    }
    const isNullable = fieldAt(table.resource.fields, field)?.nullable === true
    return [{ at, parts: isNullable ? [present, absent] : [present] }]
  })
}

interface GroupedPosition {
  readonly part: number
  readonly after: readonly PlainValue[] | null
}

export interface GroupedProgress extends ScanProgress<GroupedPosition> {
  /** The groups of the value that the scan has reached. */
  readonly groups: Map<string, GroupSums>
}

/** Every record of a slice may be a group of its own. */
const rowBounds = { min: 500, max: 5_000 }
const firstRows = 2_000
/** Rows and groups that are added before the event loop gets a turn. */
const addedRows = 100

export const newGroupedScan = (): GroupedProgress => ({
  position: null,
  isDone: false,
  rows: firstRows,
  groups: new Map(),
})

export interface GroupedScan {
  endOf(part: GroupedPart, span: Span, rows: number): Query
  sliceOf(part: GroupedPart, span: Span): Query
  add(row: Row): void
  /** Takes a group that is complete. */
  close(group: GroupSums): void
  /** Checks the groups that are still open after a slice. */
  check(groups: ReadonlyMap<string, GroupSums>): void
}

export const runGroupedScan = (
  steps: Steps,
  { table, dialect }: { readonly table: Table; readonly dialect: Dialect },
  { at, parts }: GroupedAccess,
  progress: GroupedProgress,
  { endOf, sliceOf, add, close, check }: GroupedScan,
): Promise<void> => {
  const { groups } = progress
  const partAt = (position: GroupedPosition | null) => parts[position?.part ?? 0] as GroupedPart
  return runScan<GroupedPosition, readonly Row[]>(steps, progress, {
    rowBounds,
    endOf: async (from, rows) => {
      const part = partAt(from)
      const [row] = await steps.all(endOf(part, { from: from?.after ?? null, to: null }, rows))
      const index = from?.part ?? 0
      if (!row) return index + 1 < parts.length ? { part: index + 1, after: null } : null
      const after = stretchColumns(table, part.stretch).map((column, place) =>
        readPlain(column, row[place] ?? null, dialect),
      )
      return { part: index, after }
    },
    read: ({ from, to }) =>
      steps.all(sliceOf(partAt(from), { from: from?.after ?? null, to: to?.after ?? null })),
    add: async (rows, { to }) => {
      await inTurns(rows, add)
      const reached = to?.after ? (partAt(to).isNull ? null : to.after[0]) : undefined
      const complete = [...groups].filter(([, { by }]) => !isReached(by[at] ?? null, reached))
      await inTurns(complete, ([name, group]) => {
        groups.delete(name)
        close(group)
      })
      check(groups)
      return false
    },
  })
}

/** Whether records of a group may follow: also those of texts whose columns begin alike. */
const isReached = (value: GroupValue, reached: PlainValue | undefined): boolean =>
  reached !== undefined &&
  (value === reached ||
    (typeof value === 'string' &&
      isCut(value) &&
      comparable('prefix', value) === comparable('prefix', reached)))

const inTurns = async <Each>(all: readonly Each[], run: (each: Each) => void): Promise<void> => {
  for (let at = 0; at < all.length; at += addedRows) {
    if (at > 0) await nextTurn()
    all.slice(at, at + addedRows).forEach(run)
  }
}
