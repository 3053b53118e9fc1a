import {
  ApiError,
  type Catalog,
  conditionCollections,
  currencyCollections,
  fieldAt,
  groupsMax,
} from '#contract'
import type { Database, Row, Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { createResume, readRepeatedly, type ScanProgress } from '../read/resumable-scan.ts'
import {
  type Dependency,
  dependenciesOn,
  readState,
  readStates,
  type State,
} from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Key, Table } from '../schema/tables.ts'
import { conjunctsOf } from './conjuncts.ts'
import { compareRanks, insertRanked, type RankedGroup, rankValue } from './group-order.ts'
import {
  type GroupedAccess,
  type GroupedProgress,
  groupedAccesses,
  newGroupedScan,
  runGroupedScan,
} from './group-scan.ts'
import { addRow, figuresOf, type GroupSums, groupValueOf, newGroupSums } from './group-sums.ts'
import { newKeyScan, runKeyScan } from './key-slices.ts'
import type { Summary, SummaryFigures, SummaryGroup, SummaryRequest } from './summary-request.ts'
import { needsOffsets, type SummaryColumns } from './summary-sql.ts'
import { compileSummary, rowsMax, type SummaryStatements } from './summary-statements.ts'
import { zoneOffsets } from './zone-offsets.ts'

export interface SummariesParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

export interface Summaries {
  /** Aggregates the records of a selection. Reads them in slices, never on the event loop. */
  read(request: SummaryRequest): Promise<Summary>
  /** The same in the snapshot of `steps`, and within their time. */
  readIn(steps: Steps, request: SummaryRequest): Promise<SummaryFigures>
  /** The same with the state of the snapshot. */
  stateIn(
    steps: Steps,
    request: SummaryRequest,
  ): Promise<{ readonly state: State; readonly figures: SummaryFigures }>
  /** The collections that a summary depends on. */
  dependencies(request: SummaryRequest): readonly Dependency[]
}

/** Cached summaries, and the maximum number of groups of one. */
const cachedMax = 500
const cachedGroupsMax = 100

interface Totals {
  readonly total: GroupSums
  readonly groups: Map<string, GroupSums>
}

interface Progress extends ScanProgress<Key>, Totals {}

interface TopProgress extends GroupedProgress, Totals {
  readonly ranked: RankedGroup<SummaryGroup>[]
  count: number
}

/** Runs a scan: `advance` continues its progress to the end. */
type Run<Of> = (advance: (progress: Of) => Promise<void>) => Promise<Of>

interface Runs {
  readonly all: Run<Progress>
  readonly top: (
    at: number,
    advance: (progress: TopProgress) => Promise<void>,
  ) => Promise<TopProgress>
  /** How many ways of reading had more groups than they keep. */
  tooWide: number
}

interface Reading {
  readonly steps: Steps
  readonly request: SummaryRequest
  readonly statements: SummaryStatements
  readonly runs: Runs
}

/** The aggregated records, with the first groups of the order. */
type Aggregated = Pick<TopProgress, 'total' | 'ranked' | 'count'>

export const createSummaries = (parts: SummariesParts): Summaries => {
  const { catalog, database, tables } = parts
  const { dialect } = database
  const cached = createBoundedCache<Summary>(cachedMax)
  const resume = createResume<Progress>(cachedMax)
  const resumeTop = createResume<TopProgress>(cachedMax)

  const dependencies = (request: SummaryRequest): readonly Dependency[] => {
    const { resource, sum, min, max } = request
    return dependenciesOn(catalog, [
      resource.path,
      ...conjunctsOf(request).flatMap(conditionCollections),
      ...currencyCollections(catalog, resource, [...sum, ...min, ...max]),
    ])
  }

  const add = (request: SummaryRequest, columns: SummaryColumns, totals: Totals) => {
    const kinds = request.by.map(({ field }) => fieldAt(request.resource.fields, field)?.kind)
    return (row: Row): void => {
      addRow(totals.total, row, columns)
      if (request.by.length === 0) return
      const by = request.by.map((each, at) => groupValueOf(row[at] ?? null, each, kinds[at]))
      const name = JSON.stringify(by)
      const sums = totals.groups.get(name) ?? newGroupSums(by)
      totals.groups.set(name, sums)
      addRow(sums, row, columns)
    }
  }

  const ranked = (request: SummaryRequest, columns: SummaryColumns, sums: GroupSums) => {
    const group = { by: sums.by, ...figuresOf(sums, columns, request.baseCurrency) }
    return { by: sums.by, value: rankValue(group, request.order), group }
  }

  /** Aggregates records in identity order, with all groups in memory. */
  const readAll = async ({ steps, request, statements, runs }: Reading): Promise<Aggregated> => {
    const { columns, table, endOf, sliceOf } = statements
    const { total, groups } = await runs.all((progress) => {
      const addTo = add(request, columns, progress)
      return runKeyScan(steps, table, progress, {
        endOf,
        sliceOf,
        prepare: async ({ length }) => {
          if (length > rowsMax) throw new TooManyGroups(request)
        },
        add: (row) => {
          addTo(row)
          if (progress.groups.size > groupsMax) throw new TooManyGroups(request)
        },
      })
    })
    const all = [...groups.values()].map((each) => ranked(request, columns, each))
    return { total, ranked: all.sort(compareRanks(request.by, request.order)), count: all.length }
  }

  /** Aggregates records group by group, and keeps the first groups of the order. */
  const readTop = (
    { steps, request, statements, runs }: Reading,
    access: GroupedAccess,
  ): Promise<Aggregated> => {
    const { columns, table, groupedEndOf, groupedSliceOf } = statements
    const compare = compareRanks(request.by, request.order)
    return runs.top(access.at, (progress) =>
      runGroupedScan(steps, { table, dialect }, access, progress, {
        endOf: groupedEndOf,
        sliceOf: groupedSliceOf,
        add: add(request, columns, progress),
        close: (sums) => {
          progress.count += 1
          insertRanked(progress.ranked, ranked(request, columns, sums), compare, request.top ?? 0)
        },
        check: ({ size }) => {
          if (size > groupsMax) throw new TooManyGroups(request)
        },
      }),
    )
  }

  const scan = async (
    steps: Steps,
    request: SummaryRequest,
    runs: Runs,
  ): Promise<SummaryFigures> => {
    const offsets = needsOffsets(request) ? await zoneOffsets(request.today.timezone) : []
    const statements = compileSummary({ catalog, tables, dialect }, request, offsets)
    const reading = { steps, request, statements, runs }
    const accesses = request.top ? groupedAccesses(statements.table, request.by) : []
    const aggregate = async (): Promise<Aggregated> => {
      const access = accesses[runs.tooWide - 1]
      try {
        return await (access ? readTop(reading, access) : readAll(reading))
      } catch (error) {
        if (!(error instanceof TooManyGroups) || runs.tooWide >= accesses.length) throw error
        runs.tooWide += 1
        return aggregate()
      }
    }
    const { total, ranked: all, count } = await aggregate()
    return {
      total: figuresOf(total, statements.columns, request.baseCurrency),
      groups: all.slice(0, request.top ?? groupsMax).map(({ group }) => group),
      groupCount: count,
    }
  }

  const readIn = (steps: Steps, request: SummaryRequest): Promise<SummaryFigures> =>
    scan(steps, request, {
      all: (advance) => runOnce(newProgress(), advance),
      top: (_, advance) => runOnce(newTopProgress(), advance),
      tooWide: 0,
    })

  return {
    dependencies,
    readIn,
    stateIn: async (steps, request) => {
      const { state } = await readStates(steps, dependencies(request), request)
      return { state, figures: await readIn(steps, request) }
    },
    read: async (request) => {
      const { brand, isCancelled } = request
      const owner = ownerNumber(brand)
      const depends = dependencies(request)
      const name = nameOf(request)
      const state = await readState(database, depends, brand)
      const earlier = cached.get(name)
      if (earlier?.version === state.version) return { ...earlier, ...state }
      let version = ''
      const runs: Runs = {
        all: (advance) => resume(name, version, newProgress, advance),
        top: (at, advance) => resumeTop(`${at} ${name}`, version, newTopProgress, advance),
        tooWide: 0,
      }
      return readRepeatedly(database, 'Adding up so many records', () =>
        database.readInSteps(owner, isCancelled, async (steps) => {
          const { state: current } = await readStates(steps, depends, request)
          version = current.version
          const figures = await scan(steps, request, runs)
          const summary = { ...current, ...figures }
          if (summary.groups.length <= cachedGroupsMax) cached.set(name, summary)
          return summary
        }),
      )
    },
  }
}

const runOnce = async <Of>(progress: Of, advance: (progress: Of) => Promise<void>): Promise<Of> => {
  await advance(progress)
  return progress
}

const newProgress = (): Progress => ({
  ...newKeyScan(),
  total: newGroupSums([]),
  groups: new Map(),
})

const newTopProgress = (): TopProgress => ({
  ...newGroupedScan(),
  total: newGroupSums([]),
  ranked: [],
  count: 0,
})

/** Cache key: everything that a summary depends on besides the records. */
const nameOf = (request: SummaryRequest): string => {
  const { resource, brand, sum, min, max, by, order, top, today, baseCurrency, ids } = request
  const names = [sum, min, max, by.map((each) => each.name), order, top]
  const where = conjunctsOf(request)
  return JSON.stringify([resource.path, brand, names, where, ids, today, baseCurrency])
}

class TooManyGroups extends ApiError {
  constructor({ by, top, resource: { path } }: SummaryRequest) {
    const names = by.map(({ name }) => name).join(',')
    super(
      'invalid_parameter',
      `Parameter by gives more than ${groupsMax} groups. ${
        !top
          ? 'Ask for the first of them with top (the tools: limit), group by fields with fewer values, or add filters.'
          : `With top, group by a filter of ${path} with more values than the other grouping has, or by one alone.`
      }`,
      { details: [{ parameter: 'by', issue: `${names} has too many values` }] },
    )
  }
}
