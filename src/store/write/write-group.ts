import type { Catalog } from '#contract'
import { type Dialect, type Session, together } from '#database'
import { nameOwner } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type SourceChange, type SourceName, updateSource } from '../sources/source-states.ts'
import { type BatchResults, createBatchResults } from './batch-results.ts'
import { createRecorder } from './change-log.ts'
import { createImportLog } from './import-log.ts'
import type { Merged } from './merge.ts'
import { createVersions } from './versions.ts'
import { createWriter, type Writer } from './write.ts'

/** One transaction for an owner's collections, in pieces that succeed or fail apart. */
export interface WriteGroup {
  /** Runs a piece of work. If it fails, what it has written is rolled back, and nothing else. */
  attempt<T>(work: (writer: Writer) => Promise<T>): Promise<T>
  /** Runs a piece of work for any owner, and rolls it back in any case. */
  rehearse<T>(slug: string, work: (writer: Writer) => Promise<T>): Promise<T>
  /** Changes the state of the source that the records come from, in the transaction. */
  updateSource(source: SourceName, change: SourceChange): Promise<void>
  /** The results of batches that were committed together with their records. */
  readonly batchResults: BatchResults
}

export interface WriteGroupParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, Table>
  readonly slug: string
}

/** A group, and what belongs to the end of its transaction. */
export interface OpenWriteGroup extends WriteGroup {
  /** A writer whose work is not rolled back alone. */
  readonly writer: Writer
  /** Tables that many rows were added to. */
  readonly grown: ReadonlySet<string>
  /** Nothing may follow it but the commit. */
  finish(): Promise<void>
}

/** What a piece of work has done, until it is known whether it stays. */
interface Effects {
  readonly collections: Set<string>
  readonly merges: Merged[]
  readonly grown: Set<string>
}

export const openWriteGroup = async (parts: WriteGroupParts): Promise<OpenWriteGroup> => {
  const { session, dialect, catalog, tables, slug } = parts
  const owner = await nameOwner(session, slug)
  const versions = createVersions(session, dialect, owner)
  const imports = createImportLog(session, dialect, owner)
  const grown = new Set<string>()
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
      recorder: { record: (...record) => recorder.record(...record) },
      onGrown: (table) => void effects.grown.add(table),
      onMerged: (merged) => void effects.merges.push(merged),
    })
  const undo = async () => {
    await run(`rollback to savepoint ${savepoint}`)
    await run(`release savepoint ${savepoint}`)
    // On an engine with a single writer, the number of its changes was rolled back too.
    recorder = createRecorder(session, dialect)
  }
  const keep = (effects: Effects) => {
    for (const collection of effects.collections) versions.add(collection)
    for (const merged of effects.merges) imports.add(merged)
    for (const table of effects.grown) grown.add(table)
  }
  const whole = createEffects()

  return {
    grown,
    batchResults: createBatchResults(session, dialect, owner),
    updateSource: (source, change) => updateSource(session, owner, source, change),
    writer: writerFor(owner, whole),
    attempt: async (work) => {
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
      keep(effects)
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
      await together([imports.store(), versions.assign()])
      // In the same order in every transaction: each holds a lock on the tables until it ends.
      await session.runAll([...grown].sort().flatMap(dialect.gatherStatistics))
    },
  }
}

const savepoint = '"selvedge_attempt"'

const createEffects = (): Effects => ({ collections: new Set(), merges: [], grown: new Set() })
