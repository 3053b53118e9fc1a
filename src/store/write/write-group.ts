import type { AuditActor, AuditEntry, RecordAudit } from '#audit'
import type { Catalog } from '#contract'
import { type Dialect, type Session, together } from '#database'
import { nameOwner } from '../schema/owners.ts'
import { type Table, tableAt } from '../schema/tables.ts'
import { type SourceChange, type SourceName, updateSource } from '../sources/source-states.ts'
import { type BatchResults, createBatchResults } from './batch-results.ts'
import { createRecorder } from './change-log.ts'
import { createImportLog } from './import-log.ts'
import { countMissingParts } from './missing-parts.ts'
import { freeKeys } from './quarantine-statements.ts'
import { createVersions } from './versions.ts'
import { createWriter } from './write.ts'
import {
  brandEntries,
  type CollectionMerge,
  type WrittenUnit,
  writeEntries,
} from './write-entries.ts'
import type { Writer } from './writer.ts'

/** One transaction for an owner's collections, in parts that succeed or fail independently. */
export interface WriteGroup {
  /** Runs some work of an actor. If it fails, only its own writes are rolled back. */
  attempt<T>(work: (writer: Writer) => Promise<T>, actor?: AuditActor): Promise<T>
  /** Runs some work for any owner, and always rolls it back. */
  rehearse<T>(slug: string, work: (writer: Writer) => Promise<T>): Promise<T>
  /** Changes the state of the records' source in the same transaction. */
  updateSource(source: SourceName, change: SourceChange): Promise<void>
  /** Adds entries to the audit log in the same transaction. */
  recordAudit(...entries: readonly AuditEntry[]): Promise<void>
  /** Results of batches, committed together with their records. */
  readonly batchResults: BatchResults
  /** See `Writer`. */
  change(): number | null
}

export interface WriteGroupParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly slug: string
  readonly recordAudit: RecordAudit
}

/** A group, and the end of its transaction. */
export interface OpenWriteGroup extends WriteGroup {
  /** A writer without a savepoint: its work is rolled back only with the whole transaction. */
  readonly writer: Writer
  /** Tables to which many rows were added. */
  readonly grown: ReadonlySet<string>
  /** Only the commit may follow. */
  finish(): Promise<void>
}

/** The effects of some work, until it is kept or rolled back. */
interface Effects {
  readonly collections: Set<string>
  readonly merges: CollectionMerge[]
  readonly grown: Set<string>
  /** Collections whose rows in quarantine have changed. */
  readonly quarantined: Set<string>
  /** Collections whose rows in quarantine may have keys that are free. */
  readonly keyHeld: Set<string>
  unit: WrittenUnit | null
}

export const openWriteGroup = async (parts: WriteGroupParts): Promise<OpenWriteGroup> => {
  const { session, dialect, catalog, tables, slug, recordAudit } = parts
  const owner = await nameOwner(session, slug)
  const versions = createVersions(session, dialect, owner)
  const imports = createImportLog(session, dialect, owner)
  const grown = new Set<string>()
  const quarantined = new Set<string>()
  const keyHeld = new Set<string>()
  const entries: AuditEntry[] = []
  let change: number | null = null
  let recorder = createRecorder(session, dialect)
  const run = (text: string) => session.run({ text, values: [] })

  const writerFor = (number: number, effects: Effects): Writer =>
    createWriter({
      session,
      dialect,
      catalog,
      tables,
      owner: number,
      versions: { add: (collection) => void effects.collections.add(collection) },
      recorder: {
        record: (...record) => recorder.record(...record),
        note: (...note) => recorder.note(...note),
        noteAll: (...note) => recorder.noteAll(...note),
      },
      onGrown: (table) => void effects.grown.add(table),
      onQuarantined: (collection) => void effects.quarantined.add(collection),
      onKeyHeld: (collection) => void effects.keyHeld.add(collection),
      onMerged: (collection, merged) => void effects.merges.push({ collection, merged }),
      onDescribed: (unit) => {
        effects.unit = unit
      },
      change: () => change,
    })
  const undo = async () => {
    await run(`rollback to savepoint ${savepoint}`)
    await run(`release savepoint ${savepoint}`)
    // On an engine with a single writer, the rollback also undid its change number.
    recorder = createRecorder(session, dialect)
  }
  const keep = (effects: Effects, actor?: AuditActor) => {
    for (const collection of effects.collections) versions.add(collection)
    for (const { merged } of effects.merges) imports.add(merged)
    entries.push(...brandEntries(slug, effects.merges, actor))
    for (const table of effects.grown) grown.add(table)
    for (const collection of effects.quarantined) quarantined.add(collection)
    for (const collection of effects.keyHeld) keyHeld.add(collection)
  }
  const whole = createEffects()

  return {
    grown,
    change: () => change,
    batchResults: createBatchResults(session, dialect, owner),
    updateSource: (source, change) => updateSource(session, owner, source, change),
    recordAudit: (...more) => recordAudit(session, ...more),
    writer: writerFor(owner, whole),
    attempt: async (work, actor) => {
      const effects = createEffects()
      const saved = run(`savepoint ${savepoint}`)
      let done: readonly [Awaited<ReturnType<typeof work>>, unknown]
      try {
        done = await together([work(writerFor(owner, effects)), saved])
      } catch (error) {
        await undo()
        throw error
      }
      await run(`release savepoint ${savepoint}`)
      keep(effects, actor)
      return done[0]
    },
    rehearse: async (other, work) => {
      await run(`savepoint ${savepoint}`)
      try {
        return await work(writerFor(await nameOwner(session, other), createEffects()))
      } finally {
        await undo()
      }
    },
    finish: async () => {
      keep(whole)
      for (const path of keyHeld) await freeKeys(session, dialect, owner, tableAt(tables, path))
      entries.push(...writeEntries(slug, whole.merges, whole.unit))
      const counted = [...quarantined].map((path) => tableAt(tables, path))
      for (const path of await countMissingParts(session, owner, counted)) versions.add(path)
      // Sorted, so that concurrent transactions lock the tables in the same order. Before the
      // versions, whose lock all other writers wait for.
      const gathering = [...grown].sort().flatMap(dialect.gatherStatistics)
      await together([imports.store(), recordAudit(session, ...entries), session.runAll(gathering)])
      change = await versions.assign()
    },
  }
}

const savepoint = '"selvedge_attempt"'

const createEffects = (): Effects => ({
  ...{ collections: new Set(), merges: [], grown: new Set(), quarantined: new Set() },
  ...{ keyHeld: new Set(), unit: null },
})
