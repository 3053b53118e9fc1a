import { hash } from 'node:crypto'
import { closeSync, writeFileSync } from 'node:fs'
import { sha256Of } from '#files'
import {
  correctedName,
  firstProblem,
  type IngestOptions,
  type IngestResult,
  ingest,
  isCorrectionName,
  isUnterminated,
  keepChanges,
  type NamedFile,
  openReport,
  type Report,
  type RowProblem,
  type Source,
  SourceError,
} from '#ingest'
import { attemptsMax, type KeptResult, type Unit, type Units, unitResult, writeUnit } from '#intake'
import type { SourceName, Store } from '#store'
import { fileFault, isUnreadable } from './file-fault.ts'
import { doneSuffix, problemSuffixes } from './file-name.ts'
import { type FilePlace, filePlace, findFileUnit, findOpenUnit, readPlace } from './file-unit.ts'
import { InboxError } from './held-folder.ts'
import type { DraftFile, Inbox, LocalFile } from './inbox.ts'
import type { JoinedFile } from './joined-files.ts'
import { cursorAfter, HeldFileError, readCounts, requireWholeTable } from './row-counts.ts'

/** What became of a file. */
export interface FileOutcome {
  readonly file: string
  readonly outcome: 'imported' | 'repeated' | 'failed'
  /** Where the file is now, relative to the inbox. */
  readonly movedTo: string
  /** When the same content was imported; of a file that is repeated. */
  readonly importedAt: string | null
  /** What the import did; null where there was none. */
  readonly result: IngestResult | null
  readonly errors: number
  readonly warnings: number
  /** Why the file could not be read at all; null for one that could. */
  readonly problem: string | null
  /** Whether it failed too often or is held, and waits for an operator. */
  readonly isQuarantined?: true
}

export interface TakeFileParts {
  readonly store: Store
  readonly owner: string
  readonly inbox: Inbox
  readonly source: SourceName
  readonly units: Units
  /** SHA-256 of the mapping; empty without one. */
  readonly mapping: string
  /**
   * The sources of a file, with the files whose rows are joined to its rows. Throws `SourceError` for one
   * that cannot be imported.
   */
  readonly findSources: (
    file: NamedFile,
    joined: readonly NamedFile[],
  ) => Promise<readonly Source[]>
  readonly options: Pick<
    IngestOptions,
    | 'replace'
    | 'allowRemovals'
    | 'allowDangling'
    | 'onError'
    | 'badRowsPercentMax'
    | 'mappings'
    | 'cpuMs'
  >
  /** Whether CSV files may end without a line break, however they came. */
  readonly allowsUnterminated: boolean
  /** Problems as people read them. */
  readonly describe: (report: Report, result: IngestResult) => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How a file came to `working`. */
export interface FileArrival {
  /** Whether it was dropped now, rather than left by an earlier run. */
  readonly isNew: boolean
  /** Whether it is complete for certain, as `DroppedFile` says. */
  readonly isComplete: boolean
  /** Whether it stays in `working` if its rows are refused, to be tried again after other files. */
  readonly mayDefer: boolean
  /** The files whose rows are joined to its rows. */
  readonly joined?: readonly JoinedFile[]
}

/** An attempt at a file failed, and counts. The file is tried again. */
export class AttemptError extends Error {
  constructor(name: string, { lastError, attempts }: Unit, cause: unknown) {
    const reason = (lastError ?? '').replace(/\.$/, '')
    super(`${name}: ${reason}. This was attempt ${attempts} of ${attemptsMax}.`, { cause })
  }
}

/**
 * Imports a file that is in `working`, and moves it away; null if it is gone. The list of imported files is
 * written in the transaction of the records. So a program that ends at any moment leaves a file in
 * `working` of which that list says whether its records are stored. Every attempt is counted before it
 * begins: a file that fails, or ends the program, too often is moved to `failed`. Throws
 * `AttemptError` before that.
 */
export const takeFile = async (
  parts: TakeFileParts,
  name: string,
  arrival: FileArrival,
): Promise<FileOutcome | 'deferred' | null> => {
  const { inbox } = parts
  let local: LocalFile | null
  try {
    local = await inbox.open(name)
  } catch (error) {
    return failUnread(parts, name, error)
  }
  if (!local) return null
  const joined: OpenedFile[] = []
  try {
    for (const each of arrival.joined ?? []) {
      const file = await inbox.open(each.nameThere, each.folder)
      // Without some of the joined rows, values over them would be false.
      if (!file) throw new SourceError(`needs ${each.name}, which is gone: drop both again`)
      joined.push({ name: each.name, local: file })
    }
    return await takeLocal(parts, name, { local, joined }, arrival)
  } catch (error) {
    if (error instanceof SourceError) return await refuseFile(parts, name, error.message)
    throw error
  } finally {
    for (const file of joined) await file.local.close()
    await local.close()
  }
}

interface OpenedFile {
  readonly name: string
  readonly local: LocalFile
}

/** A file with those whose rows are joined to its rows. */
interface OpenedFiles {
  readonly local: LocalFile
  readonly joined: readonly OpenedFile[]
}

/** With other joined rows, the same file gives other records: both count as what it is mapped by. */
const mappedBy = async (mapping: string, joined: readonly OpenedFile[]): Promise<string> => {
  if (joined.length === 0) return mapping
  const contents = [mapping]
  for (const { local } of joined) contents.push(await sha256Of(local.descriptor))
  return hash('sha256', contents.join(' '), 'hex')
}

const takeLocal = async (
  parts: TakeFileParts,
  name: string,
  { local, joined }: OpenedFiles,
  arrival: FileArrival,
): Promise<FileOutcome | 'deferred'> => {
  const { store, owner, inbox, units } = parts
  let sha256: string
  let mapping: string
  try {
    sha256 = await sha256Of(local.descriptor)
    mapping = await mappedBy(parts.mapping, joined)
  } catch (error) {
    return failUnread(parts, name, error)
  }
  const file = { name, sha256, mapping }
  const importedAt = await store.files.findImport(owner, file)
  // A move that was interrupted is ended on another day, but to the same place.
  const processed = `processed/${new Date(local.takenMs).toISOString().slice(0, 10)}`
  const unread = filePlace(owner, inbox, { name, sha256: null })
  const place = await readPlace(units, filePlace(owner, inbox, file), unread)
  if (importedAt !== null) {
    const open = await findOpenUnit(units, place)
    if (open) await units.finish(open, 'done')
    const movedTo = await inbox.finish(name, processed, [])
    return { ...nothing, file: name, outcome: 'repeated', movedTo, importedAt }
  }
  const before = await findFileUnit(units, place, 'quarantined')
  if (before && !arrival.isNew) return quarantineFile(parts, name, before)
  if (before) await units.retry(before.id)
  const cutOff = await cutOffReason(parts, name, local, arrival, place)
  const unit = await units.begin(place)
  if (unit.state === 'quarantined') return quarantineFile(parts, name, unit)
  if (cutOff !== null) {
    await units.finish(unit, 'refused', cutOff)
    return refuseFile(parts, name, cutOff)
  }
  const draft = await inbox.draft(name, problemSuffixes.rows)
  const opened = { local, joined }
  const attempt = await importFile(parts, opened, file, draft, unit).catch((error: unknown) =>
    failAttempt(parts, name, unit, error),
  )
  if ('state' in attempt) return quarantineFile(parts, name, attempt)
  const { result, errors, warnings, problem, text } = attempt
  const outcome = result?.written ? 'imported' : 'failed'
  const reason = problem ?? `${errors.toLocaleString('en')} problems`
  if (arrival.mayDefer && result?.refused) {
    await draft.discard()
    await units.fail(unit, reason, 'unavailable')
    return 'deferred'
  }
  if (outcome === 'imported') await units.finish(unit, 'done', undefined, attempt.effect)
  else await units.finish(unit, 'refused', reason, attempt.effect)
  const reports = await writeReports(inbox, name, draft, text)
  const movedTo = await inbox.finish(name, outcome === 'imported' ? processed : 'failed', reports)
  if (outcome === 'imported') await clearEarlierProblems(inbox, name)
  return { ...nothing, file: name, outcome, movedTo, result, errors, warnings, problem }
}

/**
 * Why a file may have been cut off; null if it was not. A file with an open unit was found to be
 * complete before its unit began.
 */
const cutOffReason = async (
  { units, allowsUnterminated }: TakeFileParts,
  name: string,
  { descriptor, bytes }: LocalFile,
  { isNew, isComplete }: FileArrival,
  place: FilePlace,
): Promise<string | null> => {
  if (allowsUnterminated || isComplete) return null
  if (!isNew && (await findOpenUnit(units, place))) return null
  if (!(await isUnterminated({ name, opened: { descriptor, bytes } }))) return null
  return `ends without a line break, as if it were cut off: drop it again when it is complete, together with ${name}${doneSuffix}. If its source never writes one, start the command with --allow-unterminated`
}

/** Deletes the problems of earlier files of this name, or of the name that it corrects. */
const clearEarlierProblems = async (inbox: Inbox, name: string): Promise<void> => {
  for (const each of new Set([name, correctedName(name)])) {
    for (const failed of await inbox.failedNames(each)) await inbox.clearProblems(failed)
  }
}

/** Ends a failed attempt. Returns the unit once it is in quarantine. */
const failAttempt = async (
  { units }: TakeFileParts,
  name: string,
  unit: Unit,
  error: unknown,
): Promise<Unit> => {
  if (error instanceof HeldFileError) return units.hold(unit, error)
  const fault = isUnreadable(error) ? 'unit' : fileFault(error)
  if (error instanceof InboxError || fault !== 'unit') {
    // A database that is away cannot store it. The attempt then continues.
    await units.fail(unit, error, 'unavailable').catch(() => undefined)
    throw error
  }
  const failed = await units.fail(unit, error, fault)
  if (failed.state === 'quarantined') return failed
  throw new AttemptError(name, failed, error)
}

/** Ends an attempt at a file that cannot be read. */
const failUnread = async (
  parts: TakeFileParts,
  name: string,
  error: unknown,
): Promise<FileOutcome> => {
  const { units, owner, inbox } = parts
  if (!isUnreadable(error)) return refuseFile(parts, name, unreadableReason(error))
  const unit = await units.begin(filePlace(owner, inbox, { name, sha256: null }))
  const failed = unit.state === 'quarantined' ? unit : await failAttempt(parts, name, unit, error)
  return quarantineFile(parts, name, failed)
}

/** Moves a file away that failed too often, or is held. */
const quarantineFile = async (
  parts: TakeFileParts,
  name: string,
  unit: Unit,
): Promise<FileOutcome> => {
  const { attempts, lastError, id } = unit
  const reason = (lastError ?? '').replace(/\.$/, '')
  const times = attempts === 1 ? 'once' : `${attempts} times`
  const outcome = await refuseFile(
    parts,
    name,
    `${reason}. It was tried ${times}, and other files continue. To try it again, drop it again, or: selvedge intake retry ${id}`,
  )
  return { ...outcome, isQuarantined: true }
}

/** Moves a file away that cannot be read. */
const refuseFile = async (
  { inbox }: TakeFileParts,
  name: string,
  problem: string,
): Promise<FileOutcome> => {
  const draft = await inbox.draft(name, problemSuffixes.rows)
  const report = openReport(draft.descriptor)
  report.add(fileProblem(name, problem))
  report.close()
  const reports = await writeReports(inbox, name, draft, `${problem}\n`)
  const movedTo = await inbox.finish(name, 'failed', reports)
  return { ...nothing, file: name, outcome: 'failed', movedTo, errors: 1, problem }
}

/** The files beside a file: none if there is nothing to say of it. */
const writeReports = async (
  inbox: Inbox,
  name: string,
  rows: DraftFile,
  text: string,
): Promise<readonly DraftFile[]> => {
  if (text === '') {
    await rows.discard()
    return []
  }
  const draft = await inbox.draft(name, problemSuffixes.text)
  try {
    writeFileSync(draft.descriptor, text)
  } finally {
    closeSync(draft.descriptor)
  }
  return [rows, draft]
}

/** Why a file cannot be read, now or later. Other errors may pass, and are thrown. */
const unreadableReason = (error: unknown): string => {
  if (error instanceof SourceError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['EACCES', 'EPERM'].includes(code)) {
    return `this process is not allowed to read it (${code}): change its permissions and drop it again`
  }
  throw error
}

const fileProblem = (file: string, reason: string): RowProblem => ({
  file,
  line: 0,
  field: '',
  value: '',
  reason,
  severity: 'error',
})

const nothing = { importedAt: null, result: null, errors: 0, warnings: 0, problem: null }

interface ImportedFile {
  readonly result: IngestResult | null
  readonly errors: number
  readonly warnings: number
  readonly problem: string | null
  /** What is wrong with the file, for people; empty if nothing is. */
  readonly text: string
  readonly effect: KeptResult
}

const namedFile = ({ name, local: { descriptor, bytes } }: OpenedFile): NamedFile => ({
  name,
  opened: { descriptor, bytes },
})

const importFile = async (
  parts: TakeFileParts,
  { local, joined }: OpenedFiles,
  file: { readonly name: string; readonly sha256: string; readonly mapping: string },
  draft: DraftFile,
  unit: Unit,
): Promise<ImportedFile> => {
  const { store, owner, source, options, describe, findSources, units, now } = parts
  const report = openReport(draft.descriptor)
  const changes = keepChanges()
  try {
    const sources = await findSources(namedFile({ name: file.name, local }), joined.map(namedFile))
    // Only a source that sends the whole table has them.
    const counts =
      options.replace && !isCorrectionName(file.name)
        ? readCounts((await store.sources.find(owner, source))?.cursor)
        : null
    const paths = new Set(sources.map(({ resource }) => resource.path))
    // Others have rows that waited for records of this file.
    const inFile = (collections: IngestResult['collections']) =>
      collections.filter(({ collection }) => paths.has(collection))
    const requireWhole = (collections: IngestResult['collections']) => {
      if (counts && !unit.isAccepted) requireWholeTable(counts, inFile(collections))
    }
    const result = await ingest({
      ...options,
      allowRemovals: options.allowRemovals || unit.isAccepted,
      store,
      sources,
      source,
      owner,
      dryRun: false,
      supersededAfter: unit.writtenTo,
      write: writeUnit(units, unit, store.write),
      report,
      changes,
      now,
      beforeCommit: async (writer, collections) => {
        for (const each of [{ name: file.name, local }, ...joined]) {
          if (await each.local.isUnchanged()) continue
          const which = each.local === local ? 'was' : `needs ${each.name}, which was`
          throw new SourceError(
            `${which} changed while it was imported: drop it again when it is complete`,
          )
        }
        requireWhole(collections)
        await writer.recordFile(file)
        await writer.updateSource(source, {
          succeededAt: new Date(now()).toISOString(),
          error: firstProblem(report),
          processed: 1,
          ...(counts && { cursor: cursorAfter(counts, file.name, inFile(collections)) }),
        })
      },
    })
    const { errors, warnings } = report
    if (result.collections.some(({ removesTooMany }) => removesTooMany)) {
      requireWhole(result.collections)
    }
    const text = errors + warnings > 0 ? describe(report, result) : ''
    const effect = unitResult(result.collections, report, result.written, changes.first)
    return { result, errors, warnings, problem: null, text, effect }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const problem = error.message
    report.add(fileProblem(file.name, problem))
    const effect = unitResult([], report, false)
    return { result: null, errors: 1, warnings: 0, problem, text: `${problem}\n`, effect }
  } finally {
    report.close()
  }
}
