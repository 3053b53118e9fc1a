import type { Reference } from '#contract'
import { type Dialect, literal, quote, type Session } from '#database'
import { keyToBytes } from '../schema/identifier.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import type { Table } from '../schema/tables.ts'
import { forgetFiles } from '../sources/imported-files.ts'
import {
  compileDescribe,
  compileDropEarlier,
  compileHold,
  compileRejected,
  describedBytes,
  type HeldRow,
  type HeldSource,
  heldValues,
  QuarantineFullError,
  type RowDescription,
} from './held-rows.ts'
import { compileDropRemoved } from './placed-rows.ts'
import { isQuarantined } from './quarantine-identity.ts'
import {
  compileCandidates,
  compileCounts,
  compileDropSuperseded,
  compileHasCandidate,
  compileIdentities,
  compilePark,
  compileRetain,
  compileRetried,
  compileSettle,
  compileSize,
  compileWaitingAmong,
  compileWriting,
  fitting,
  recordOf,
  rowNumbers,
  rowWithId,
  type Writing,
} from './quarantine-statements.ts'
import { quarantineBytesMax, quarantineMax, quarantineTable } from './quarantine-table.ts'
import { referencesInOrder } from './references.ts'
import type { RepeatedRows } from './repeated-rows.ts'
import { indexKept, indexStaging, unstageRows } from './staging.ts'

/*
 * Every import stages the quarantined rows of its owner again whose missing record exists by then,
 * in the order in which collections reference each other. So the arrival of the first record
 * releases a whole chain.
 */

/** The source number of staged rows that were in quarantine. Sources of an import count from 0. */
export const releasedSource = -1

/**
 * The source number of staged rows that were in quarantine because of a key or a code. Those with a key
 * are tried when the record that has the key is written; all of them after a change of the brand's
 * checks, and once a day. Nothing is said if that fails again.
 */
export const retriedSource = -2

/** A new version may accept what this one refuses. */
const retryMs = 86_400_000

/** A staged row with a missing reference. */
export interface DanglingRow {
  readonly row: number
  readonly source: number
}

/** A row that was tried and refused again. */
export interface RetriedRow {
  readonly id: string
  /** The identity of the record that has its key; null if a code was refused. */
  readonly holder: string | null
}

/** The quarantined rows of one owner, inside one transaction. */
export interface Quarantine {
  /** Quarantined rows per collection. */
  counts(): Promise<ReadonlyMap<string, number>>
  has(table: Table): Promise<boolean>
  /** Tells the rows of this import from others. */
  writing(): Promise<number>
  /** Whether a row waits for a record that exists now. */
  hasCandidates(table: Table): Promise<boolean>
  /**
   * Yields batches of waiting records whose missing record is now stored or staged, until none are
   * left. The caller stages each batch before it takes the next. Skips identities that are staged
   * already or staged for removal.
   */
  candidates(table: Table): AsyncIterable<readonly StoredRecord[]>
  /** Yields records whose key or code was refused and may be accepted now; see `candidates`. */
  retried(table: Table): AsyncIterable<readonly StoredRecord[]>
  /**
   * Lets staged rows with a missing reference wait, up to the limit, and returns their numbers. Rows
   * that waited before always fit; others need `sources`.
   */
  park(
    table: Table,
    reference: Reference,
    rows: readonly DanglingRow[],
    sources: readonly HeldSource[] | undefined,
  ): Promise<ReadonlySet<number>>
  /** Puts rows in quarantine, and replaces those of the same identity. Throws `QuarantineFullError`. */
  hold(table: Table, rows: readonly HeldRow[]): Promise<void>
  /** Deletes rows by their ids, except those that this import put in quarantine. */
  drop(table: Table, ids: readonly string[]): Promise<void>
  /** Notes rows that were tried and refused again, by the identity, with the record that has the key. */
  noteRetried(table: Table, rows: readonly RetriedRow[]): Promise<void>
  /** Deletes rows that this import put in quarantine if a removal counts; see `dropRepeated`. */
  dropRemoved(repeated: RepeatedRows): Promise<void>
  /** Deletes rows that are there since before a time. Returns how many. */
  expire(before: string): Promise<number>
  /** Deletes rows that this import put in quarantine if their records changed after a number. */
  dropSuperseded(table: Table, after: number): Promise<void>
  /** Adds to rejected rows that this import put in quarantine. */
  describe(table: Table, rows: readonly RowDescription[]): Promise<void>
  /**
   * Deletes rows of earlier imports that no longer wait: those whose identity is staged or staged for
   * removal. A replacement also deletes those that the import neither contained nor, with `hasKept`,
   * keeps.
   */
  settle(table: Table, replaces: boolean, hasKept: boolean): Promise<void>
  /** Keeps stored records that a quarantined row may change. */
  retain(table: Table): Promise<void>
  /** A condition: a replacement by this import keeps the stored record `t` because of its row. */
  retains(table: Table): Promise<string>
}

export interface QuarantineParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
  /** Whether rejected rows are kept; see `unstageRows`. */
  readonly keepsRejected: () => boolean
  /** Called with a collection whose rows may have changed. */
  readonly onChanged: (collection: string) => void
  /** Called with a collection in which a key may be free at the end; see `freeKeys`. */
  readonly onKeyHeld: (collection: string) => void
}

const q = quote(quarantineTable)

export const createQuarantine = (parts: QuarantineParts): Quarantine => {
  const { session, dialect } = parts
  let counted: Promise<ReadonlyMap<string, number>> | undefined
  let held: Promise<number> | undefined
  let writing: Promise<Writing> | undefined
  /** Rows of this import by identity: several rows can claim one. */
  const partsOf = new Map<string, number>()
  const nextPart = (identity: string): number => {
    const part = partsOf.get(identity) ?? 0
    partsOf.set(identity, part + 1)
    return part
  }

  const counts = () => {
    counted ??= session
      .all(compileCounts(parts))
      .then((rows) => new Map(rows.map(([path, count]) => [String(path), Number(count)])))
    return counted
  }
  const forget = ({ resource }: Table) => {
    counted = undefined
    parts.onChanged(resource.path)
  }
  const heldBytes = () => {
    held ??= session
      .all({
        text: `select coalesce(sum("bytes"), 0) from ${q} where "owner" = ?1`,
        values: [parts.owner],
      })
      .then(([row]) => Number(row?.[0] ?? 0))
    return held
  }
  const has = async ({ resource }: Table) => ((await counts()).get(resource.path) ?? 0) > 0

  const thisWriting = () => {
    writing ??= session
      .all(compileWriting(parts))
      .then(([row]) => ({ at: String(row?.[0]), number: Number(row?.[1]) }))
    return writing
  }

  /** Counts bytes that were written. What they replaced counts too, until that would be too much. */
  const addBytes = async (bytes: number): Promise<void> => {
    let total = (await heldBytes()) + bytes
    if (total > quarantineBytesMax) {
      held = undefined
      total = await heldBytes()
    }
    if (total > quarantineBytesMax) throw new QuarantineFullError()
    held = Promise.resolve(total)
  }
  const hasRoom = async (bytes: number): Promise<boolean> => {
    if ((await heldBytes()) + bytes <= quarantineBytesMax) return true
    held = undefined
    return (await heldBytes()) + bytes <= quarantineBytesMax
  }

  /** The staged rows that there is room for. */
  const withRoom = async (table: Table, rows: readonly DanglingRow[]) => {
    if (rows.length === 0) return rows
    const total = [...(await counts()).values()].reduce((sum, each) => sum + each, 0)
    const room = quarantineMax - total
    const [size] = await session.all(compileSize(parts, table, rowNumbers(rows)))
    if (rows.length <= room && (await hasRoom(Number(size?.[0] ?? 0)))) return rows
    const waiting = await session.all(compileWaitingAmong(parts, table, rowNumbers(rows)))
    const isWaiting = new Set(waiting.map(([row]) => Number(row)))
    const fresh = rows.filter(({ row }) => !isWaiting.has(row))
    const [more] = await session.all(compileSize(parts, table, rowNumbers(fresh)))
    const hasBytes = await hasRoom(Number(more?.[0] ?? 0))
    return fitting(rows, isWaiting, hasBytes ? room : 0)
  }

  return {
    counts,
    has,
    writing: async () => (await thisWriting()).number,
    hasCandidates: async (table) => {
      for (const reference of referencesInOrder(table.resource)) {
        const rows = await session.all(compileHasCandidate(parts, table, reference))
        if (rows.length > 0) return true
      }
      return false
    },
    candidates: async function* (table) {
      await indexStaging(session, table, dialect)
      for (let isComplete = false; !isComplete; ) {
        isComplete = true
        for (const reference of referencesInOrder(table.resource)) {
          const rows = await session.all(compileCandidates(parts, table, reference))
          if (rows.length === 0) continue
          // Other rows of the collection may wait for the rows staged here.
          isComplete = false
          yield rows.map((row) => recordOf(table, row))
        }
      }
    },
    retried: async function* (table) {
      await indexStaging(session, table, dialect)
      for (;;) {
        const { at } = await thisWriting()
        const before = new Date(Date.parse(at) - retryMs).toISOString()
        let count = 0
        for (const query of compileRetried(parts, table, before)) {
          const rows = await session.all(query)
          count += rows.length
          if (rows.length > 0) yield rows.map((row) => recordOf(table, row))
        }
        if (count === 0) return
      }
    },
    park: async (table, reference, rows, sources) => {
      const earlier = rows.filter(({ source }) => source < 0)
      const others = sources ? rows.filter(({ source }) => source >= 0) : []
      const parked = [...earlier, ...(await withRoom(table, others))]
      if (parked.length === 0) return new Set()
      for (const [source, own] of Map.groupBy(parked, (each) => each.source)) {
        const from = source < 0 ? null : (sources?.[source] ?? { file: '' })
        const place = { reference, from, ...(await thisWriting()) }
        const rows = await session.all(compileIdentities(parts, table, rowNumbers(own)))
        await session.run(compilePark(parts, table, rows.map(rowWithId(table)), place))
      }
      held = undefined
      forget(table)
      const numbers = rowNumbers(parked)
      await unstageRows(session, { table, dialect, keeps: parts.keepsRejected() }, numbers)
      return new Set(numbers)
    },
    hold: async (table, rows) => {
      const [{ at, number }, before] = [await thisWriting(), await counts()]
      const total = [...before.values()].reduce((sum, each) => sum + each, 0)
      const isStaged = rows.some(({ row }) => row !== null)
      const rejected = isStaged ? await session.all(compileRejected(parts, table, rows)) : []
      const staged = new Map(rejected.map((row) => [Number(row[0]), row.slice(1)]))
      for (const row of rows) {
        const values = heldValues(table, row, staged.get(row.row ?? 0), nextPart)
        await session.run(
          compileHold(parts, { ...values, since: at, tried_at: at, writing: number }),
        )
        await session.run(compileDropEarlier(parts, values, number))
        await addBytes(values.bytes)
      }
      forget(table)
      if (rows.some(({ holder }) => holder)) parts.onKeyHeld(table.resource.path)
      if (total + rows.length <= quarantineMax) return
      const after = [...(await counts()).values()].reduce((sum, each) => sum + each, 0)
      if (after > quarantineMax) throw new QuarantineFullError()
    },
    drop: async (table, ids) => {
      if (ids.length === 0) return
      const { number } = await thisWriting()
      await session.run({
        text: [
          `delete from ${q}`,
          'where "owner" = ?1 and "collection" = ?2 and "writing" <> ?4',
          `and "id" in (select i."value" from ${dialect.textsIn('?3', 'i')})`,
        ].join('\n'),
        values: [parts.owner, table.resource.path, JSON.stringify(ids), number],
      })
      forget(table)
    },
    noteRetried: async (table, rows) => {
      const [key, ...others] = table.key
      if (!key || others.length > 0) return
      const { at } = await thisWriting()
      for (const { id, holder } of rows) {
        await session.run({
          text: [
            `update ${q}`,
            'set "tried_at" = ?4, "value" = ?5',
            `where "owner" = ?1 and "collection" = ?2 and "key1" = ?3`,
            `and "reason" in ('key', 'code')`,
          ].join('\n'),
          values: [parts.owner, table.resource.path, keyToBytes(key.kind, id), at, holder],
        })
      }
      if (rows.some(({ holder }) => holder)) parts.onKeyHeld(table.resource.path)
    },
    dropRemoved: async (repeated) => {
      if (!(await has(repeated.table))) return
      const { number } = await thisWriting()
      await session.run(compileDropRemoved(repeated, parts.owner, number))
      forget(repeated.table)
    },
    expire: async (before) => {
      const tables = [...(await counts()).keys()].flatMap((path) => parts.tables.get(path) ?? [])
      const where = `from ${q}\nwhere "owner" = ?1 and "since" < ?2`
      const values = [parts.owner, before]
      await session.run(forgetFiles({ text: `select "file" ${where}`, values }))
      const deleted = await session.run({ text: `delete ${where}`, values })
      if (deleted > 0) for (const table of tables) forget(table)
      return deleted
    },
    dropSuperseded: async (table, after) => {
      if (!(await has(table))) return
      const { number } = await thisWriting()
      await session.run(compileDropSuperseded(parts, table, number, after))
      forget(table)
    },
    describe: async (table, rows) => {
      if (rows.length === 0) return
      const { number } = await thisWriting()
      for (const query of compileDescribe(parts, table, rows, number)) await session.run(query)
      await addBytes(rows.reduce((sum, each) => sum + describedBytes(each), 0))
    },
    settle: async (table, replaces, hasKept) => {
      if (!(await has(table))) return
      await indexStaging(session, table, dialect)
      if (hasKept) await indexKept(session, table, dialect)
      const writing = await thisWriting()
      for (const query of compileSettle(parts, table, { replaces, hasKept, ...writing })) {
        await session.run(query)
      }
      forget(table)
    },
    retain: async (table) => {
      if (await has(table)) await session.run(compileRetain(parts, table))
    },
    retains: async (table) => {
      if (!(await has(table))) return 'false'
      const { number } = await thisWriting()
      return [
        `exists (select 1 from ${q} as q`,
        `where q."owner" = ?1 and q."collection" = ${literal(table.resource.path)}`,
        `and q."writing" = ${number} and ${isQuarantined(table, 't', dialect)})`,
      ].join('\n')
    },
  }
}
