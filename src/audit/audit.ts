import { createMutex } from '#concurrency'
import { type Database, DatabaseBusyError } from '#database'
import {
  appendEntries,
  type ChainedEntry,
  type ChainHead,
  chainedQuery,
  createChainTable,
  type EntryFilter,
  hashQuery,
  headQuery,
  listQuery,
  parseChained,
  parseHead,
} from './chain-table.ts'
import {
  type AuditDetails,
  type AuditEntry,
  entryText,
  type ReadEntry,
  type RecordAudit,
} from './entry.ts'
import {
  createAuditOutbox,
  createAuditRecorder,
  parseWaiting,
  type RecorderParts,
  removeWaiting,
  type WaitingEntry,
  waitingQuery,
} from './outbox.ts'
import { type Verified, type VerifyOptions, verifyChain } from './verify.ts'

/** The audit log of an installation. */
export interface Audit {
  /** See `RecordAudit`. The entries reach the chain after a second, or with `flush`. */
  readonly record: RecordAudit
  /** Records entries about something that is not in a database. */
  note(...entries: readonly AuditEntry[]): Promise<void>
  /** Records that a mapping is used, unless it is the same as the last time. */
  noteMapping(mapping: UsedMapping): Promise<void>
  /** Also takes entries from another file, until the returned function is called. */
  addOutbox(database: Database): Promise<() => void>
  /** Moves entries that wait to the chain. Throws if the chain cannot be written. */
  chain(): Promise<void>
  /** The last entries that match, in order. */
  list(filter: EntryFilter): Promise<readonly ChainedEntry[]>
  verify(options?: VerifyOptions): Promise<Verified>
  /** Moves entries of this process to the chain at once, if that is possible now. */
  flush(): Promise<void>
}

/** A mapping file that records are read with. */
export interface UsedMapping {
  /** The brand that it is used for; null for mappings that senders name. */
  readonly brand: string | null
  readonly name: string
  readonly sha256: string
}

/** What the last process that wrote to the chain has seen, kept outside of the database. */
export interface AuditMemory extends ChainHead {
  /** The installation, since another database may take the place of this one. */
  readonly installation: string
  /** The number of the last change of records. */
  readonly change: number
}

export interface AuditParts extends Omit<RecorderParts, 'dialect'> {
  /** The database of the keys, which has the chain. */
  readonly database: Database
  /** On SQLite, further files with an outbox: the records. */
  readonly outboxes: readonly Database[]
  readonly memory: {
    readonly installation: string
    /** Null if nothing is known. */
    read(): Promise<AuditMemory | null>
    write(memory: AuditMemory): Promise<void>
    /** The number of the last change of records. */
    lastChange(): Promise<number>
  } | null
  /** What the first entry says of an installation that is older than its log. */
  readonly describe: () => Promise<AuditDetails>
  /** Called with what fails and is tried again later. */
  readonly onError: (error: unknown) => void
}

/** A database with entries that may not be in the chain yet. */
interface FullOutbox {
  readonly outbox: Database
  readonly waiting: readonly WaitingEntry[]
}

/** How many of the last versions of mappings are compared with one. */
const mappingsMax = 500
/** Maximum number of entries in one transaction. */
const entriesMax = 200
/** The time from an entry to its place in the chain: entries of many commits are written together. */
const chainMs = 1_000
/**
 * The last of further looks for an entry, each after four times as long: its transaction may take
 * longer to commit, or the chain could not be written.
 */
const lastLookMs = 64_000

/** Opens the audit log, and creates it if there is none. */
export const openAudit = async (parts: AuditParts): Promise<Audit> => {
  const { database, memory, origin, now, newId } = parts
  const { dialect } = database
  await createAuditOutbox(database)
  const isNew = await createChainTable(database)
  const isOneDatabase = dialect.name === 'postgres'
  const outboxes = new Set(isOneDatabase ? [] : parts.outboxes)
  const mutex = createMutex()
  const recordEntries = createAuditRecorder({ ...parts, dialect })
  let timer: NodeJS.Timeout | undefined
  let timerMs = 0
  /** Since the last flush. */
  let hasRecorded = false
  let running: Promise<void> = Promise.resolve()

  const textOf = (entry: AuditEntry) =>
    entryText(entry, origin, { id: newId(), at: new Date(now()).toISOString() })

  /** The entries of the databases that are not the chain's. They are removed there later. */
  const readOthers = async (): Promise<readonly FullOutbox[]> => {
    const all: FullOutbox[] = []
    for (const outbox of outboxes) {
      const [rows = []] = await outbox.read([waitingQuery(entriesMax)])
      if (rows.length > 0) all.push({ outbox, waiting: rows.map(parseWaiting) })
    }
    return all
  }

  /** During an import, they stay. Entries that are in the chain are not added to it again. */
  const removeOthers = async (others: readonly FullOutbox[]): Promise<boolean> => {
    try {
      for (const { outbox, waiting } of others) {
        const ids = waiting.map(({ id }) => id)
        await outbox.write((session) => session.run(removeWaiting(ids, dialect)))
      }
      return true
    } catch (error) {
      if (!(error instanceof DatabaseBusyError)) throw error
      return false
    }
  }

  /** Says that the chain or the records are older than what was seen before. */
  const restoredEntry = (
    before: AuditMemory,
    { head, hash, change }: { head: ChainHead; hash: string | undefined; change: number },
  ): readonly AuditEntry[] => {
    const isOlder = hash !== before.hash
    if (!isOlder && change >= before.change) return []
    const details = {
      ...(isOlder && { expected: formatHead(before), actual: formatHead(head) }),
      ...(change < before.change && { expectedChange: before.change, actualChange: change }),
    }
    return [{ action: 'database.restored', details }]
  }

  /** Moves some entries. Returns whether there may be more. */
  const chainSome = async (): Promise<boolean> => {
    const others = await readOthers()
    const [own = [], last = []] = await database.read([waitingQuery(1), headQuery])
    const isBegun = last.length > 0
    if (isBegun && others.length === 0 && own.length === 0) return false
    // Read before the chain and the records, which only grow.
    const before = (await memory?.read()) ?? null
    const change = (await memory?.lastChange()) ?? 0
    const beginning = isBegun ? {} : await parts.describe()
    const { head, isFull } = await database.write(async (session) => {
      const head = parseHead((await session.all(headQuery))[0])
      const earlier = before?.installation === memory?.installation ? before : null
      const [row] = earlier ? await session.all(hashQuery(earlier.number)) : []
      const hash = row ? String(row[0]) : undefined
      const waiting = (await session.all(waitingQuery(entriesMax))).map(parseWaiting)
      const foreign = others.flatMap((each) => each.waiting)
      const ids = foreign.map(({ id }) => id)
      const chained = new Set((await session.all(chainedQuery(ids, dialect))).map(([id]) => id))
      const texts = [
        ...(head.number === 0 && !earlier
          ? [textOf({ action: 'audit.begun', details: beginning })]
          : []),
        ...(earlier ? restoredEntry(earlier, { head, hash, change }).map(textOf) : []),
        ...inOrder([...waiting, ...foreign.filter(({ id }) => !chained.has(id))]),
      ]
      const next = await appendEntries(session, head, texts)
      const own = waiting.map(({ id }) => id)
      await session.run(removeWaiting(own, dialect))
      return { head: next, isFull: waiting.length === entriesMax }
    })
    if (memory) await memory.write({ installation: memory.installation, ...head, change })
    const areRemoved = await removeOthers(others)
    return isFull || (areRemoved && others.some(({ waiting }) => waiting.length === entriesMax))
  }

  const chain = () =>
    mutex(async () => {
      while (await chainSome());
    })

  /** Later, together with what is recorded meanwhile. */
  const chainLater = (ms: number) => {
    if (timer && timerMs <= ms) return
    clearTimeout(timer)
    timerMs = ms
    timer = setTimeout(async () => {
      timer = undefined
      running = chain().catch(parts.onError)
      await running
      if (hasRecorded && ms < lastLookMs) chainLater(4 * ms)
    }, ms)
    timer.unref()
  }

  const record: RecordAudit = async (session, ...entries) => {
    if (entries.length === 0) return
    await recordEntries(session, ...entries)
    hasRecorded = true
    chainLater(chainMs)
  }

  if (isNew) await chain()
  const note: Audit['note'] = async (...entries) => {
    await database.write((session) => record(session, ...entries))
  }
  const list: Audit['list'] = async (filter) => {
    const [rows = []] = await database.read([listQuery(filter)])
    return rows.map(parseChained)
  }

  return {
    record,
    note,
    noteMapping: async ({ brand, name, sha256 }) => {
      const filter = { action: 'mapping.changed', ...(brand !== null && { brand }) } as const
      const earlier = await list({ ...filter, limit: mappingsMax })
      const last = earlier
        .map(({ text }) => JSON.parse(text) as ReadEntry)
        .findLast((entry) => entry.subject === name && entry.brand === brand)
      if (last?.details['sha256'] === sha256) return
      await note({ action: 'mapping.changed', brand, subject: name, details: { sha256 } })
    },
    addOutbox: async (outbox) => {
      if (isOneDatabase) return () => undefined
      await createAuditOutbox(outbox)
      outboxes.add(outbox)
      return () => outboxes.delete(outbox)
    },
    chain,
    list,
    verify: (options) => verifyChain(database, options),
    flush: async () => {
      clearTimeout(timer)
      timer = undefined
      // Also if it was done: that may have been before the commit.
      if (hasRecorded) running = chain().catch(parts.onError)
      hasRecorded = false
      await running
    },
  }
}

/** The texts of entries of several databases, in the order of their times. */
const inOrder = (entries: readonly WaitingEntry[]): readonly string[] =>
  entries
    .toSorted((one, other) => (one.place < other.place ? -1 : Number(one.place > other.place)))
    .map(({ entry }) => entry)

/** A place in the chain, as commands show it and take it. */
export const formatHead = ({ number, hash }: ChainHead): string => `${number}:${hash}`
