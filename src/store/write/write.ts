import type { Catalog, Resource } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { readFieldValues } from '../schema/field-values.ts'
import { readText } from '../schema/identifier.ts'
import { ownerAmong } from '../schema/owners.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { recordFile } from '../sources/imported-files.ts'
import { updateSource } from '../sources/source-states.ts'
import type { Recorder } from './change-log.ts'
import { findCurrent, findNewer, unstageOlder } from './corrected-rows.ts'
import { beginDirectLoad, type DirectLoad } from './direct-load.ts'
import { createDuplicateFilter, type DuplicateFilter, hashIdentity } from './duplicate-filter.ts'
import type { HeldSource } from './held-rows.ts'
import { countStored, type Merged, mergeStaged } from './merge.ts'
import { createPlaces, dropRemoved, loadPlaces } from './placed-rows.ts'
import { createQuarantine, type DanglingRow, releasedSource, retriedSource } from './quarantine.ts'
import { findReceived, yieldStaged } from './received-rows.ts'
import { createReferenceChecker, type ReferenceChecker, referencesInOrder } from './references.ts'
import { loadUnlessRefused, rejectRefused } from './refused-rows.ts'
import { findDangling, type RejectedRow, rejectDuplicates } from './rejected-rows.ts'
import { findReleasedCodes, type ReleasedCode } from './released-codes.ts'
import { createRemovedRecords } from './removed-records.ts'
import { createRanks, dropRepeated, loadRanks } from './repeated-rows.ts'
import { dropSuperseded } from './rewrites.ts'
import { type BrokenKey, createRowChecks } from './row-checks.ts'
import { createRowDigester, type RowDigester } from './row-digest.ts'
import { existingTexts, keepSeenTimes, type SeenTimes } from './seen-times.ts'
import {
  createKept,
  createPacker,
  createRejected,
  createStaging,
  indexStaging,
  keptName,
  loadStaging,
  removalsName,
  type StagedRows,
  stageRemovalOnce,
} from './staging.ts'
import type { Versions } from './versions.ts'
import type { WrittenUnit } from './write-entries.ts'
import type { Writer } from './writer.ts'

export interface WriterParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
  readonly versions: Pick<Versions, 'add'>
  readonly recorder: Recorder
  /** Called with a table to which many rows were added. */
  readonly onGrown: (table: string) => void
  /** Called with a collection whose rows in quarantine may have changed. */
  readonly onQuarantined: (collection: string) => void
  /** Called with a collection whose rows in quarantine may have keys that are free at the end. */
  readonly onKeyHeld: (collection: string) => void
  /** Called with the result of each merge. */
  readonly onMerged: (collection: string, merged: Merged) => void
  readonly onDescribed: (unit: WrittenUnit) => void
  /** The number of the write; null before its commit. */
  readonly change: () => number | null
}

/** The staging state of a collection. */
interface Staged {
  readonly table: Table
  nextRow: number
  readonly digester: RowDigester
  readonly duplicates: DuplicateFilter
  readonly references: ReferenceChecker
  /** The identities whose removal is staged. */
  readonly removals: DuplicateFilter
  /** The number of staged removals. */
  removalCount: number
  /** Whether identities to keep have been staged. */
  hasKept: boolean
  /** Whether rows with ranks have been staged. */
  hasRanks: boolean
  /** Whether places of removals and bad rows have been staged. */
  hasPlaces: boolean
  /** Whether quarantined rows have been staged. */
  hasReleased: boolean
  /** The invalid codes of these rows, by their numbers. */
  readonly releasedCodes: ReleasedCode[]
  /** Whether duplicates have been removed from the staged rows. */
  isDistinct: boolean
  /** Whether records were stored or quarantined before the first row; undefined until needed. */
  hasExisting: boolean | undefined
  /** Rows that the database refused to stage. */
  readonly refused: RejectedRow[]
  /** The load that takes the rows; null if they are staged instead, undefined before the first row. */
  direct: DirectLoad | null | undefined
}

export const createWriter = (parts: WriterParts): Writer => {
  const { session, dialect, tables, owner } = parts
  /** The collections with staged rows. */
  const staged = new Map<string, Staged>()
  const removed = createRemovedRecords(parts)
  let searchesRefused = false
  let keepsRejected = false
  const keeping = {
    ...parts,
    keepsRejected: () => keepsRejected,
    onChanged: parts.onQuarantined,
    onKeyHeld: parts.onKeyHeld,
  }
  const quarantine = createQuarantine(keeping)
  const checks = createRowChecks(keeping)

  const open = async (resource: Resource): Promise<Staged> => {
    const current = staged.get(resource.path)
    if (current) return current
    // Checks of another collection must not see rows that may still be rejected.
    for (const each of staged.values()) await endDirectLoad(each)
    const table = tableAt(tables, resource.path)
    await createStaging(session, table, dialect)
    if (keepsRejected) await createRejected(session, table, dialect)
    const fresh = {
      table,
      nextRow: 1,
      digester: createRowDigester(table),
      duplicates: createDuplicateFilter(),
      references: createReferenceChecker(parts, table),
      removals: createDuplicateFilter(),
      removalCount: 0,
      hasKept: false,
      hasRanks: false,
      hasPlaces: false,
      hasReleased: false,
      releasedCodes: [],
      isDistinct: false,
      hasExisting: undefined,
      refused: [],
      // Quarantined rows are compared with staged ones, so they rule out a direct load.
      direct: searchesRefused || (await quarantine.has(table)) ? null : undefined,
    }
    staged.set(resource.path, fresh)
    return fresh
  }

  /** After this, all rows of the collection are in its staging table. */
  const endDirectLoad = async (current: Staged) => {
    const { direct } = current
    current.direct = null
    await direct?.moveToStaging()
  }

  const withSeenTimes = async (current: Staged, rows: StagedRows, times: SeenTimes) => {
    const { table } = current
    const hasQuarantined = await quarantine.has(table)
    current.hasExisting ??= hasQuarantined || (await countStored({ ...parts, table })) > 0
    return current.hasExisting
      ? keepSeenTimes({ ...parts, hasQuarantined }, table, rows, times)
      : rows
  }

  const load = async ({ table, nextRow, refused }: Staged, rows: StagedRows) => {
    if (!searchesRefused) return loadStaging(session, table, rows, nextRow)
    refused.push(...(await loadUnlessRefused(session, table, rows, nextRow)))
  }

  const stageRows = async (resource: Resource, incoming: StagedRows, times?: SeenTimes) => {
    const current = await open(resource)
    const { table, duplicates, references, nextRow } = current
    const rows = times ? await withSeenTimes(current, incoming, times) : incoming
    const { codeProblems = [] } = incoming
    // A direct load cannot take single rows back.
    if (codeProblems.length > 0) await endDirectLoad(current)
    for (const hash of rows.digest.hashes) duplicates.add(hash)
    await references.add(rows.digest.referenced)
    if (current.direct === undefined) current.direct = await beginDirectLoad({ ...parts, table })
    if (!(await current.direct?.add(rows))) {
      await endDirectLoad(current)
      await load(current, rows)
    }
    if (incoming.ranks) {
      if (!current.hasRanks) await createRanks(session, table, dialect)
      current.hasRanks = true
      await loadRanks(session, table, incoming.ranks, nextRow)
    }
    current.isDistinct = false
    current.nextRow += rows.lines.length
    return checks.judgeCodes(table, codeProblems, nextRow)
  }

  const stage = async (resource: Resource, records: Iterable<StoredRecord>, source = 0) => {
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
    await stageRows(resource, { source, lines, canonical: null, others, cells, digest })
  }

  async function* dangling(
    resource: Resource,
    remove: boolean,
    isWanted: (to: string) => boolean,
    sources?: readonly HeldSource[],
  ): AsyncIterable<RejectedRow> {
    const current = await open(resource)
    const { table, references } = current
    for (const reference of referencesInOrder(resource)) {
      if (!isWanted(reference.to)) continue
      if (!removed.isFrom(reference.to) && (await references.allExist(reference.field))) continue
      await endDirectLoad(current)
      const target = tableAt(tables, reference.to)
      const isWithin = target.name === table.name
      if (isWithin) await indexStaging(session, table, dialect)
      const park = (rows: readonly DanglingRow[]) =>
        quarantine.park(table, reference, rows, sources)
      const keeps = keepsRejected
      const search = { session, dialect, table, target, reference, owner, remove, keeps }
      const parks = remove && (sources !== undefined || (await quarantine.has(table)))
      let rejected: number
      do {
        rejected = 0
        for await (const row of findDangling({ ...search, ...(parks && { park }) })) {
          rejected += 1
          yield row
        }
        // Rejecting a row may leave other rows of its collection with a dangling reference.
      } while (remove && isWithin && rejected > 0)
    }
  }

  /**
   * Removes rows whose key another record has, and yields them if rejected rows are kept. Otherwise,
   * yields those that stay in quarantine.
   */
  async function* rejectKeys(
    current: Staged,
    replaces: boolean,
    onBroken: (broken: BrokenKey) => void,
  ): AsyncIterable<RejectedRow> {
    const { table } = current
    if (current.direct && !(await checks.mayRepeatKeys(table))) return
    await endDirectLoad(current)
    const held: BrokenKey[] = []
    const stays = replaces ? await quarantine.retains(table) : undefined
    await checks.rejectKeys(table, stays, (broken) => {
      onBroken(broken)
      if (broken.isQuarantined || keepsRejected) held.push(broken)
    })
    const retried = held.filter(({ source }) => source === retriedSource)
    const notes = retried.map(({ id, other }) => ({ id, holder: other.id }))
    await quarantine.noteRetried(table, notes)
    for (const each of held) {
      const none = { reference: null, first: null, refusal: null }
      yield {
        ...each,
        value: each.id,
        ...none,
        ...(!each.isQuarantined && { hasKeyProblem: true }),
      }
    }
  }

  return {
    searchRefused: () => {
      searchesRefused = true
    },
    keepRejected: () => {
      keepsRejected = true
    },
    quarantine: async (resource, rows) => {
      const table = tableAt(tables, resource.path)
      const current = staged.get(resource.path)
      // Rows in quarantine are compared with staged ones.
      if (current) await endDirectLoad(current)
      await quarantine.hold(table, rows)
    },
    received: async function* (resource, source, tried) {
      const table = tableAt(tables, resource.path)
      if (!(await quarantine.has(table))) return
      const isStaged = staged.has(resource.path)
      if (isStaged) await indexStaging(session, table, dialect)
      yield* findReceived({ ...parts, table, source, tried, isStaged })
    },
    dropQuarantined: (resource, ids) => quarantine.drop(tableAt(tables, resource.path), ids),
    currentRows: (resource, ids) =>
      findCurrent({ ...parts, table: tableAt(tables, resource.path) }, ids),
    newerAmong: (resource, keys, corrections) =>
      findNewer({ ...parts, table: tableAt(tables, resource.path) }, keys, corrections),
    unstageOlder: async (resource, source, lines, corrections) => {
      const current = await open(resource)
      await endDirectLoad(current)
      return unstageOlder({ ...parts, table: current.table }, source, lines, corrections)
    },
    yieldStaged: async (resource, { source, ids, ownSources }) => {
      const current = await open(resource)
      await endDirectLoad(current)
      await indexStaging(session, current.table, dialect)
      const writing = await quarantine.writing()
      return yieldStaged({ ...parts, table: current.table, writing, ownSources }, source, ids)
    },
    describeQuarantined: (resource, rows) =>
      quarantine.describe(tableAt(tables, resource.path), rows),
    stageRows,
    stage: (resource, records) => stage(resource, records),
    quarantined: quarantine.counts,
    expireQuarantined: quarantine.expire,
    stageReleased: async (resource) => {
      const table = tableAt(tables, resource.path)
      if (!(await quarantine.has(table))) return 0
      const isWritten = staged.has(resource.path)
      if (!isWritten && !(await quarantine.hasCandidates(table))) return 0
      const current = await open(resource)
      let count = 0
      const release = async (records: readonly StoredRecord[], source: number) => {
        const first = { firstRow: current.nextRow, source }
        current.releasedCodes.push(...findReleasedCodes(current.table, records, first))
        await stage(resource, records, source)
        count += records.length
      }
      for await (const records of quarantine.candidates(table)) {
        await release(records, releasedSource)
      }
      if (isWritten) {
        for await (const records of quarantine.retried(table)) await release(records, retriedSource)
      }
      current.hasReleased = count > 0
      return count
    },
    dropRepeated: async (resource, choice, sources) => {
      const { direct, duplicates, table, hasRanks, hasPlaces } = await open(resource)
      if (direct || !(duplicates.mayHaveDuplicates || hasPlaces)) return 0
      await indexStaging(session, table, dialect)
      const repeated = { session, dialect, table, choice, sources, hasRanks }
      const dropped = await dropRepeated(repeated)
      if (!hasPlaces) return dropped
      const removed = await dropRemoved(repeated)
      if (keepsRejected) await quarantine.dropRemoved(repeated)
      return dropped + removed
    },
    stagePlaces: async (resource, source, rows) => {
      const current = await open(resource)
      await endDirectLoad(current)
      if (!current.hasPlaces) await createPlaces(session, current.table, dialect)
      current.hasPlaces = true
      await loadPlaces(session, current.table, source, rows, current.nextRow)
    },
    dropSuperseded: async (resource, after) => {
      const current = await open(resource)
      await endDirectLoad(current)
      await quarantine.dropSuperseded(current.table, after)
      return dropSuperseded(session, dialect, current.table, owner, after)
    },
    stageRemoval: async (resource, keys) => {
      const current = await open(resource)
      await endDirectLoad(current)
      const { table, removals } = current
      const repeated: Key[] = []
      const fresh = function* (): Iterable<Key> {
        for (const key of keys) {
          current.removalCount += 1
          const hash = hashIdentity(key)
          if (removals.mayContain(hash)) repeated.push(key)
          else {
            removals.add(hash)
            yield key
          }
        }
      }
      await session.bulkInsert(removalsName(table), table.key, fresh())
      for (const key of repeated) await stageRemovalOnce(session, dialect, table, key)
    },
    stageKept: async (resource, keys) => {
      const current = await open(resource)
      await endDirectLoad(current)
      const { table } = current
      if (!current.hasKept) await createKept(session, table, dialect)
      current.hasKept = true
      await session.bulkInsert(keptName(table), table.key, keys)
    },
    rejectInvalid: async function* (resource, options = {}) {
      const {
        references = () => true,
        park,
        onBroken,
        onHeldCode,
        replaces = () => false,
      } = options
      const current = await open(resource)
      if (!current.direct && current.duplicates.mayHaveDuplicates) {
        await indexStaging(session, current.table, dialect)
        yield* rejectDuplicates(session, current.table, dialect, keepsRejected)
      }
      current.isDistinct = true
      const judged = await checks.judgeCodes(current.table, current.releasedCodes.splice(0), 0)
      const heldCodes = judged.filter(({ severity }) => severity === 'error')
      for (const held of heldCodes) onHeldCode?.(held)
      const retried = heldCodes.filter(({ source }) => source === retriedSource)
      const notes = retried.map(({ id }) => ({ id, holder: null }))
      await quarantine.noteRetried(current.table, notes)
      for (const held of new Map(heldCodes.map((each) => [each.row, each])).values()) {
        yield heldRow(held)
      }
      if (searchesRefused) {
        yield* current.refused.splice(0)
        const { table, nextRow } = current
        const search = { ...parts, table, lastRow: nextRow - 1, keeps: keepsRejected }
        yield* await rejectRefused(search)
      }
      const judges = onBroken && (replaces() || current.hasReleased || refersToItself(resource))
      let isComplete: boolean
      do {
        isComplete = true
        const replaced = replaces()
        for await (const row of judges ? rejectKeys(current, replaced, onBroken) : []) {
          // What stays in quarantine keeps the keys of its stored record.
          if (row.hasKeyProblem && replaced) isComplete = false
          yield row
        }
        for await (const row of dangling(resource, true, references, park)) {
          // Its record keeps the keys that it had.
          isComplete = !judges
          yield row
        }
        // What stays because of a rejected row keeps its keys too.
        if (judges && replaced !== replaces()) isComplete = false
      } while (!isComplete)
    },
    dangling: (resource, isWanted = () => true) => dangling(resource, false, isWanted),
    read: session.all,
    count: (resource) => countStored({ ...parts, table: tableAt(tables, resource.path) }),
    version: async (resource) => {
      const [row] = await session.all({
        text: 'select "version" from "selvedge_collections" where "owner" = ?1 and "collection" = ?2',
        values: [ownerAmong(resource, owner), resource.path],
      })
      return Number(row?.[0] ?? 0)
    },
    values: (resource, paths) =>
      readFieldValues(
        {
          ...{ all: (query) => session.all(query), dialect },
          ...{ table: tableAt(tables, resource.path), owner: ownerAmong(resource, owner) },
        },
        paths,
      ),
    lastTexts: async (resource, keys) => {
      const table = tableAt(tables, resource.path)
      const hasQuarantined = await quarantine.has(table)
      return existingTexts({ ...parts, hasQuarantined }, table, keys, 'waiting')
    },
    merge: async (resource, options = {}) => {
      const { replace = false, onlyMissing = false, onBroken, onChange, mayMissChanges } = options
      const current = await open(resource)
      const { table, isDistinct, duplicates, nextRow, direct } = current
      if (replace) await parts.recorder.noteAll(table, owner)
      const canFinish = direct && (!onChange || mayMissChanges) && !(replace && direct.hasStored)
      if (canFinish && !(onBroken && (await checks.mayRepeatKeys(table)))) {
        staged.delete(resource.path)
        const loaded = await direct.finish()
        parts.onMerged(resource.path, loaded)
        return { ...loaded, ...(onlyMissing && { differing: 0 }) }
      }
      await endDirectLoad(current)
      await quarantine.settle(table, replace, current.hasKept)
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
        removalCount: current.removalCount,
        hasKept: current.hasKept,
        onlyMissing,
        stagedRows: nextRow - 1,
        distinct: isDistinct || !duplicates.mayHaveDuplicates,
        mayOverlap,
        ...(onBroken && {
          rejectRows: (hasStored: boolean) => checks.judgeKeys(table, hasStored, onBroken),
        }),
        onChange,
        onRemovals: () => quarantine.retain(table),
        onRemoving: (removals) => removed.add(table, removals),
        onGrown: () => parts.onGrown(table.name),
      })
      staged.delete(resource.path)
      parts.onMerged(resource.path, merged)
      if (merged.removed > 0 && (await quarantine.has(table))) parts.onKeyHeld(resource.path)
      return merged
    },
    describe: parts.onDescribed,
    updateSource: (source, change) => updateSource(session, owner, source, change),
    recordFile: (file) => recordFile(session, dialect, owner, file),
    orphans: removed.orphans,
    referenced: removed.referenced,
    change: parts.change,
  }
}

const refersToItself = (resource: Resource): boolean =>
  referencesInOrder(resource).some(({ to }) => to === resource.path)

/**
 * If at least this many times fewer records are stored than staged, each stored identity is looked
 * up in the duplicate filter. Otherwise comparing in SQL is faster.
 */
const lookupFactor = 20

/** A row that stays in quarantine for another reason than a reference. */
const heldRow = ({ row, source }: ReleasedCode): RejectedRow => ({
  ...{ row, source, line: row, value: '', isQuarantined: true },
  ...{ reference: null, first: null, refusal: null },
})
