import type { Reference } from '#contract'
import { type Dialect, literal, type Query, quote, type Row, type Session } from '#database'
import {
  changesTable,
  everyIdentity,
  identityColumns,
  identityOf,
} from '../schema/change-tables.ts'
import { asInteger, asText } from '../schema/collection-stats.ts'
import { keyToBytes } from '../schema/identifier.ts'
import { ownerAmong } from '../schema/owners.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import { storedValue, type Table, tableAt } from '../schema/tables.ts'
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
import { isQuarantined, isSame, isUnstaged, parentOf } from './quarantine-identity.ts'
import {
  quarantineBytesMax,
  quarantineId,
  quarantineMax,
  quarantineTable,
} from './quarantine-table.ts'
import { referencesInOrder } from './references.ts'
import { referenceValue } from './rejected-rows.ts'
import type { RepeatedRows } from './repeated-rows.ts'
import {
  indexKept,
  indexStaging,
  isAmong,
  keptName,
  removalsName,
  stagedName,
  unstageRows,
} from './staging.ts'

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

/** Rows per batch of candidates. */
const batchRows = 1_000

const q = quote(quarantineTable)
const keyColumns = identityColumns.map(quote).join(', ')

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

/** One import into an owner's collections, alone or as a part of a transaction. */
interface Writing {
  /** Its time. */
  readonly at: string
  /** Differs from that of every row that was quarantined before. A time may not. */
  readonly number: number
}

const compileWriting = ({ dialect, owner }: QuarantineParts): Query => ({
  text: [
    `select ${dialect.now}, coalesce(max("writing"), 0) + 1`,
    `from ${q}`,
    'where "owner" = ?1',
  ].join('\n'),
  values: [owner],
})

const rowNumbers = (rows: readonly DanglingRow[]): readonly number[] => rows.map(({ row }) => row)

/** As many rows as fit. Rows that are in quarantine already need no room. */
export const fitting = (
  rows: readonly DanglingRow[],
  waiting: ReadonlySet<number>,
  room: number,
): readonly DanglingRow[] => {
  let left = room
  return rows.filter(({ row }) => {
    if (waiting.has(row)) return true
    left -= 1
    return left >= 0
  })
}

const compileCounts = ({ owner }: QuarantineParts): Query => ({
  text: [
    'select "collection", count(*)',
    `from ${q}`,
    'where "owner" = ?1',
    'group by "collection"',
  ].join('\n'),
  values: [owner],
})

const compileHasCandidate = (
  parts: QuarantineParts,
  table: Table,
  reference: Reference,
): Query => ({
  text: `select 1\n${candidatesOf(parts, table, reference, false)}\nlimit 1`,
  values: candidateValues(parts, table, reference),
})

/** Reads a batch of candidates whose identity is neither staged nor staged for removal. */
const compileCandidates = (parts: QuarantineParts, table: Table, reference: Reference): Query => {
  const { dialect } = parts
  return {
    text: [
      'select q."body"',
      candidatesOf(parts, table, reference, true),
      ...isUnstaged(table, dialect),
      `order by ${identityColumns.map((name) => `q.${quote(name)}`).join(', ')}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: candidateValues(parts, table, reference),
  }
}

/** The rows that wait for a reference whose record is stored or, if `staged` is set, staged. */
const candidatesOf = (
  { dialect, tables }: QuarantineParts,
  table: Table,
  reference: Reference,
  staged: boolean,
): string => {
  const target = tableAt(tables, reference.to)
  const [key] = target.key
  if (!key) throw new RangeError(`${target.name} has no identity.`)
  const wanted = storedValue(key, 'q."value"', dialect)
  const isStored = [
    `exists (select 1 from ${quote(target.name)} as t`,
    `where t."owner" = ?3 and t.${quote(key.name)} = ${wanted})`,
  ].join('\n')
  const isStaged = [
    `exists (select 1 from ${quote(stagedName(table))} as o`,
    `where o.${quote(key.name)} = ${wanted})`,
  ].join('\n')
  const isWithin = target.name === table.name
  return [
    `from ${q} as q`,
    `where q."owner" = ?1 and q."collection" = ?2 and q."field" = ${literal(reference.field)}`,
    `and (${staged && isWithin ? `${isStored} or ${isStaged}` : isStored})`,
  ].join('\n')
}

const candidateValues = (
  { tables, owner }: QuarantineParts,
  table: Table,
  reference: Reference,
): Query['values'] => [
  owner,
  table.resource.path,
  ownerAmong(tableAt(tables, reference.to).resource, owner),
]

/** The numbers of staged rows, and their identities as bytes. */
const compileIdentities = (
  { dialect }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    `select "staged_row", ${identityOf(table, dialect)}`,
    `from ${quote(stagedName(table))}`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows)],
})

/** The bytes of staged records. */
const compileSize = (
  { dialect }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    'select coalesce(sum(octet_length("body")), 0)',
    `from ${quote(stagedName(table))}`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows)],
})

/** The number of a staged row and its id in quarantine, as JSON. */
const rowWithId =
  ({ resource }: Table) =>
  ([row, ...identity]: Row): string =>
    JSON.stringify({ row, id: quarantineId(resource.path, identity as Uint8Array[], 0) })

interface WaitingPlace extends Writing {
  readonly reference: Reference
  /** Null for rows that waited before, which keep their source and line. */
  readonly from: HeldSource | null
}

/** Puts staged rows in quarantine that wait for a record; `rows` are texts of `rowWithId`. */
const compilePark = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  rows: readonly string[],
  { reference, from, at, number }: WaitingPlace,
): Query => {
  const value = referenceValue(table, reference.field, 's', dialect)
  const replaced = [
    ...['reason', 'field', 'value', 'parent', 'problems', 'tried_at', 'bytes', 'body', 'writing'],
    ...(from ? ['file', 'line', 'source_kind', 'source_name', 'mapping', 'row'] : []),
  ]
  const row = asInteger(dialect.jsonText('n."value"', ['row']), dialect)
  return {
    text: [
      `insert into ${q} ("owner", "collection", ${keyColumns}, "part", "id", "is_identified",`,
      '"reason", "field", "value", "parent", "file", "line", "since", "tried_at", "writing",',
      '"bytes", "problems", "source_kind", "source_name", "mapping", "row", "body")',
      `select ${asInteger('?1', dialect)}, ?2, ${identityOf(table, dialect, 's')}, 0,`,
      `${dialect.jsonText('n."value"', ['id'])}, 1,`,
      `'reference', ${literal(reference.field)}, ${asText(value, 'uuid', dialect)},`,
      `${parentOf(table, 's', dialect)}, ?3, s."staged_line", ?4, ?4, ${asInteger('?5', dialect)},`,
      // The list of problems has two characters.
      `${asInteger('octet_length(s."body") + 2', dialect)}, '[]',`,
      `${['?7', '?8', '?9'].map((each) => `cast(${each} as text)`).join(', ')},`,
      'cast(null as text), s."body"',
      `from ${dialect.textsIn('?6', 'n')}`,
      `join ${quote(stagedName(table))} as s on s."staged_row" = ${row}`,
      // An upsert from a select needs a condition in SQLite.
      'where true',
      `on conflict ("owner", "collection", ${keyColumns}, "part") do update`,
      `set ${replaced.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
    ].join('\n'),
    values: [
      ...[owner, table.resource.path, from?.file ?? '', at, number, JSON.stringify(rows)],
      ...[from?.source?.kind ?? null, from?.source?.name ?? null, from?.mapping ?? null],
    ],
  }
}

/** The staged rows that are in quarantine already. */
const compileWaitingAmong = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    'select s."staged_row"',
    `from ${quote(stagedName(table))} as s`,
    `join ${q} as q on ${isQuarantined(table, 's', dialect)}`,
    'where q."owner" = ?1 and q."collection" = ?2',
    `and ${isAmong('s."staged_row"', '?3', dialect)}`,
  ].join('\n'),
  values: [owner, table.resource.path, JSON.stringify(rows)],
})

/**
 * Reads batches of records whose key or code was refused and whose identity is not staged: those that
 * were tried before a time, and those whose key a record has that is written now.
 */
export const compileRetried = (
  { dialect, owner }: Pick<QuarantineParts, 'dialect' | 'owner'>,
  table: Table,
  before: string,
): readonly Query[] => {
  const [key, ...others] = table.key
  const isSingle = key !== undefined && others.length === 0
  const written = [stagedName(table), removalsName(table)].map(
    (name) =>
      `select ${asText(`w.${quote(key?.name ?? '')}`, key?.kind ?? 'text', dialect)} from ${quote(name)} as w`,
  )
  const conditions = isSingle
    ? [
        [`and q."reason" in ('key', 'code') and q."tried_at" < ?3`],
        [`and q."field" is null and q."value" in (${written.join(' union all ')})`],
      ]
    : [[`and q."reason" in ('key', 'code') and ?3 <> ''`]]
  return conditions.map((condition) => ({
    text: [
      'select q."body"',
      `from ${q} as q`,
      'where q."owner" = ?1 and q."collection" = ?2 and q."body" is not null',
      ...condition,
      ...isUnstaged(table, dialect),
      `order by ${identityColumns.map((name) => `q.${quote(name)}`).join(', ')}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: [owner, table.resource.path, ...(condition[0]?.includes('?3') ? [before] : [])],
  }))
}

/** Lets rows be tried again whose key belongs to no stored record, at the end of a transaction. */
export const freeKeys = async (
  session: Session,
  dialect: Dialect,
  owner: number,
  table: Table,
): Promise<void> => {
  const [key, ...others] = table.key
  if (!key || others.length > 0) return
  await session.run({
    text: [
      `update ${q}`,
      `set "tried_at" = ''`,
      `where "owner" = ?1 and "collection" = ?2 and "reason" = 'key' and "tried_at" > ''`,
      `and not exists (select 1 from ${quote(table.name)} as t`,
      `where t."owner" = ?1 and t.${quote(key.name)} = ${storedValue(key, `${q}."value"`, dialect)})`,
    ].join('\n'),
    values: [owner, table.resource.path],
  })
}

/** Lets all rows of an owner be tried again whose key or code was refused. */
export const retryAll = (owner: number): Query => ({
  text: `update ${q}\nset "tried_at" = ''\nwhere "owner" = ?1 and "reason" in ('key', 'code')`,
  values: [owner],
})

const compileDropSuperseded = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  number: number,
  after: number,
): Query => {
  const own = identityColumns.map((name) => `c.${quote(name)} = ${q}.${quote(name)}`).join(' and ')
  const any = `(c."${identityColumns.join('", c."')}") = (${everyIdentity(dialect)})`
  const of = asInteger('?1', dialect)
  return {
    text: [
      `delete from ${q}`,
      `where "owner" = ${of} and "collection" = ?2 and "writing" = ?3`,
      `and exists (select 1 from "${changesTable}" as c`,
      `where c."owner" in (${of}, -${of}) and c."collection" = ?2 and c."change" > ?4`,
      `and (${own} or ${any}))`,
    ].join('\n'),
    values: [owner, table.resource.path, number, after],
  }
}

interface Settled extends Writing {
  readonly replaces: boolean
  readonly hasKept: boolean
}

const compileSettle = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  { replaces, hasKept, number }: Settled,
): readonly Query[] => {
  const of = [`delete from ${q}`, `where ${q}."owner" = ?1 and ${q}."collection" = ?2`]
  const values = [owner, table.resource.path]
  const isIn = (name: string) =>
    `exists (select 1 from ${quote(name)} as s where ${isSame(table, 's', q, dialect)})`
  // A row that this import quarantined takes precedence over the removal of its identity.
  const isMissing = replaces
    ? hasKept
      ? [`and not ${isIn(keptName(table))}`]
      : []
    : [`and ${isIn(removalsName(table))}`]
  const isStaged = `and ${isIn(stagedName(table))}`
  const isEarlier = `and ${q}."writing" <> ?3`
  // A row beside a good one of this import stays to be seen, and is not tried again: which of both is
  // right is not known.
  const beside = [
    `update ${q}`,
    `set "reason" = 'duplicate', "mapping" = case when "mapping" is null then null else '' end`,
    ...of.slice(1),
    `and ${q}."writing" = ?3`,
  ]
  return [
    [...of, isEarlier, isStaged],
    [...beside, isStaged],
    [...of, isEarlier, ...isMissing],
  ].map((lines) => ({ text: lines.join('\n'), values: [...values, number] }))
}

const compileRetain = ({ dialect, owner }: QuarantineParts, table: Table): Query => {
  const r = quote(removalsName(table))
  return {
    text: [
      `delete from ${r}`,
      `where exists (select 1 from ${q} as q`,
      `where q."owner" = ?1 and q."collection" = ?2 and ${isQuarantined(table, r, dialect)})`,
    ].join('\n'),
    values: [owner, table.resource.path],
  }
}

/** The record of a waiting row. Fields added to the contract since then are null. */
const recordOf = ({ resource }: Table, [body]: Row): StoredRecord => ({
  ...Object.fromEntries(Object.keys(resource.fields).map((name) => [name, null])),
  ...(JSON.parse(String(body)) as StoredRecord),
})
