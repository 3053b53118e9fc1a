import { backoffMs, onceFailuresMax, openHeldLease } from '#intake'
import type { SourceChange, SourceName } from '#store'
import {
  type Completeness,
  createCompleteness,
  type ObservedFile,
  takeable,
} from './completeness.ts'
import { createDeferredFiles } from './deferred-files.ts'
import { watchFault } from './file-fault.ts'
import { type FileOrder, inFileOrder, inSets } from './file-order.ts'
import { endLostFiles, takeBackRetried } from './file-unit.ts'
import { InboxError } from './held-folder.ts'
import type { DroppedFile, Listing } from './inbox.ts'
import { createJoinedFiles, type JoinedFilesParts } from './joined-files.ts'
import {
  AttemptError,
  type FileArrival,
  type FileOutcome,
  type TakeFileParts,
  takeFile,
} from './take-file.ts'

export interface WatchParts extends Omit<TakeFileParts, 'source'> {
  /** How long a file has to be unchanged before it is taken. */
  readonly settleMs: number
  /** Whether only files with a marker are taken. */
  readonly needsMarker: boolean
  /** The time between two listings. */
  readonly everyMs: number
  /** Whether to end when no complete file is left. */
  readonly once: boolean
  /** What the name of a file says of its records: a set of files is taken in the order of references. */
  readonly subjectOf: FileOrder['subjectOf']
  /** The files whose rows are joined to those of a file; none by default. */
  readonly joinedTo?: JoinedFilesParts['joinedTo']
  /** This process, and whether another one has ended. */
  readonly holder: string
  readonly hasEnded: (holder: string) => boolean
  /** Ends the work after the current file. */
  readonly signal: AbortSignal
  /** Resolves after this time, or when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>
  readonly onFile: (outcome: FileOutcome) => Promise<void>
  /** Something that is worth a line in the log. */
  readonly onEvent: (sentence: string) => void
}

/**
 * Takes files one after the other until it is stopped. Only one process at a time does so for an
 * owner: a lease in the database decides which, and the others wait for it.
 */
export const watch = async (parts: WatchParts): Promise<{ readonly failed: number }> => {
  const { store, owner, signal, wait, everyMs } = parts
  const source: SourceName = { kind: 'watch', name: parts.inbox.name }
  const watcher = createWatcher(parts, source)
  const lease = openHeldLease({ ...parts, leases: store.leases, work: 'watch' })
  let waitsFor: string | null = null
  let failures = 0
  try {
    while (!signal.aborted) {
      try {
        const other = await lease.take()
        if (other !== null) {
          if (parts.once) throw new WatchedElsewhereError(owner, other)
          if (waitsFor !== other) parts.onEvent(`Waiting: ${other} takes the files of ${owner}.`)
          waitsFor = other
          await wait(everyMs)
          continue
        }
        waitsFor = null
        const step = await watcher.step(() => lease.isHeld && !signal.aborted)
        failures = 0
        if (step === 'took') continue
        if (step === 'done' && parts.once) break
        await wait(everyMs)
      } catch (error) {
        const fault = watchFault(error)
        if (error instanceof InboxError) await watcher.interrupt(error.message)
        if (fault === 'unit' && !(error instanceof AttemptError)) throw error
        failures += 1
        const delayMs = backoffMs(failures, fault)
        const { message } = error as Error
        parts.onEvent(`${message.replace(/\.?$/, '.')} Trying again in ${delayMs / 1_000} s.`)
        await watcher.interrupt(message)
        if (parts.once && fault !== 'unit' && failures >= onceFailuresMax) throw error
        await wait(delayMs)
      }
    }
  } finally {
    await lease.close()
  }
  return { failed: watcher.failed }
}

/** How long a file waits for those whose rows are joined to its rows. */
const joinMs = 600_000

/** How long a file is left alone that could not be moved. */
const heldBackMs = 60_000

/** Another process takes the files of the owner. */
export class WatchedElsewhereError extends Error {
  constructor(owner: string, holder: string) {
    super(`Another process takes the files of ${owner}: ${holder}. Stop it, or leave it to it.`)
  }
}

const createWatcher = (parts: WatchParts, source: SourceName) => {
  const { store, owner, inbox, onEvent } = parts
  const settleMs = inbox.appearsWhole ? 0 : parts.settleMs
  const completeness: Completeness = createCompleteness({ ...parts, settleMs })
  const begun = parts.now()
  let reported = ''
  let saidMore = false
  let failed = 0
  /** What the last file said of the source. */
  let state: 'idle' | 'failing' = 'idle'
  let error: string | null = null
  let isInterrupted = false
  /** Files that cannot be moved, and until when they are left alone. */
  const heldBack = new Map<string, number>()
  let refused: ReadonlySet<string> = new Set()
  const deferred = createDeferredFiles(parts.subjectOf)
  const joinedFiles = createJoinedFiles({ joinedTo: () => [], ...parts })

  /** Stores the state where it has changed. */
  const report = async (changed: SourceChange) => {
    const change = isInterrupted ? { error, ...changed } : changed
    isInterrupted = false
    const text = JSON.stringify(change)
    if (text === reported) return
    await store.sources.update(owner, source, change)
    reported = text
  }

  const fail = async (name: string, reason: string, lag: Partial<ReturnType<typeof lagOf>>) => {
    state = 'failing'
    error = `${name}: ${reason}`
    failed += 1
    const failedAt = new Date(parts.now()).toISOString()
    await report({ state, failedAt, error, failed: 1, ...lag })
  }

  /** Moves a file to `working`. One that cannot be moved does not stop the others. */
  const claim = async (file: DroppedFile): Promise<boolean> => {
    try {
      return await inbox.claim(file)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!['EACCES', 'EPERM', 'EBUSY'].includes(code)) throw error
      const isKnown = heldBack.has(file.name)
      heldBack.set(file.name, parts.now() + heldBackMs)
      if (isKnown) return false
      const reason = `it cannot be moved (${code}): change its permissions and those of its folder`
      onEvent(`${file.name}: ${reason}. Other files are taken.`)
      await fail(file.name, reason, {})
      return false
    }
  }

  /** Says once what is never taken. */
  const sayRefused = (all: Listing['refused']) => {
    for (const { name, reason } of all) {
      if (!refused.has(name)) onEvent(`${name} ${reason}.`)
    }
    refused = new Set(all.map(({ name }) => name))
  }

  /** `othersInSet` returns the other files of its set. */
  const take = async (
    name: string,
    waiting: readonly ObservedFile[],
    arrival: Omit<FileArrival, 'mayDefer'>,
    othersInSet: () => readonly string[],
  ) => {
    const at = new Date(parts.now()).toISOString()
    // The file that is taken is a unit, which counts itself.
    const others = waiting.filter(({ file }) => file.name !== name)
    const lag = { ...lagOf(waiting), waiting: others.length }
    await report({ state: 'working', startedAt: at, ...lag })
    const after = deferred.afterWhich(name, parts.options.replace ? othersInSet() : [])
    deferred.forget(name)
    const mayDefer = after.size > 0
    const outcome = await takeFile({ ...parts, source }, name, { ...arrival, mayDefer })
    if (outcome === 'deferred') {
      deferred.defer(name, after)
      onEvent(`${name}: refused for now. It is tried again after the other files of its set.`)
    }
    if (!outcome || outcome === 'deferred') return
    const observed = waiting.find(({ file }) => file.name === name)
    if (observed && outcome.outcome !== 'failed') joinedFiles.moved(observed, outcome.movedTo)
    state = outcome.outcome === 'failed' ? 'failing' : 'idle'
    error = null
    if (state === 'failing') {
      const reason = outcome.problem ?? `${outcome.errors.toLocaleString('en')} problems`
      await fail(name, reason, lagOf(others))
    }
    if (outcome.isQuarantined) {
      // As long as the unit is in quarantine, it says that the source is failing.
      state = 'idle'
      error = null
      await report({ state, error })
    }
    await parts.onFile(outcome)
  }

  /** Files in `working`, with those that an operator retries, in their order. */
  const listLeft = async (): Promise<readonly ObservedFile[]> => {
    const left = await inbox.listWorking()
    const onLost = async (name: string, reason: string) => {
      onEvent(`${name}: ${reason}.`)
      await fail(name, reason, {})
    }
    const working = new Set(left.map(({ name }) => name))
    const isMoved = await takeBackRetried(parts, working, onLost)
    const all = isMoved ? await inbox.listWorking() : left
    await endLostFiles(parts, new Set(all.map(({ name }) => name)))
    return inFileOrder(all.map(takenBefore), parts)
  }

  return {
    get failed() {
      return failed
    },
    /** Stores why no file can be taken. */
    interrupt: async (reason: string): Promise<void> => {
      isInterrupted = true
      reported = ''
      const failedAt = new Date(parts.now()).toISOString()
      const change: SourceChange = { state: 'failing', failedAt, error: reason }
      // It may be the database that cannot be reached.
      await store.sources.update(owner, source, change).catch(() => undefined)
    },
    /**
     * Takes the files of one listing that are complete, as long as it is this process that does so and
     * the listing is not too old. `done`: nothing is left that may become complete soon.
     */
    step: async (mayContinue: () => boolean): Promise<'took' | 'waits' | 'done'> => {
      const left = await listLeft()
      const { files, hasMore, refused } = await inbox.list()
      sayRefused(refused)
      if (hasMore && !saidMore) {
        onEvent(
          `${inbox.name} has more than ${files.length.toLocaleString('en')} files. Their order is that of their times only among those that are listed.`,
        )
      }
      saidMore = hasMore
      const now = parts.now()
      const observed = completeness.observe(files, now)
      const names = new Set(files.map(({ name }) => name))
      for (const name of heldBack.keys()) if (!names.has(name)) heldBack.delete(name)
      const sets = inSets(observed, parts)
      const working = new Set(left.map(({ file }) => file.name))
      const all = takeable(sets.flat(), now).filter(
        // In `working`, a file must not take the place of another one of its name.
        ({ name }) => now >= (heldBack.get(name) ?? 0) && !working.has(name),
      )
      // What an earlier run has left comes first: it was before everything that waits now.
      const there = new Set([...working, ...all.map(({ name }) => name)])
      const first = left.find(({ file }) => !deferred.waits(file.name, there))
      if (first) {
        const { name } = first.file
        const { files: joined } = joinedFiles.find(first, observed, left)
        const arrival = { isNew: false, isComplete: false, joined }
        const others = () => [...working, ...namesOf(sets[0])].filter((each) => there.has(each))
        await take(name, [...left, ...observed], arrival, others)
        return 'took'
      }
      const ready = left.length > 0 ? all.filter(({ name }) => deferred.isAwaited(name)) : all
      let takenCount = 0
      const waiting = new Map(observed.map((each) => [each.file.name, each]))
      for (const file of ready) {
        if (!mayContinue() || (takenCount > 0 && parts.now() - now >= parts.everyMs)) break
        // Deferred files come before those of the next set.
        if (!deferred.isEmpty && !deferred.isAwaited(file.name)) break
        const own = waiting.get(file.name) as ObservedFile
        const joined = joinedFiles.find(own, [...waiting.values()], left)
        const mayCome = joined.isMissing && !parts.once && now - own.firstSeen < joinMs
        if (joined.isIncomplete || mayCome) continue
        if (!(await claim(file))) continue
        const arrival = { isNew: true, isComplete: file.isComplete, joined: joined.files }
        const set = () => sets.find((each) => namesOf(each).includes(file.name))
        const others = () => namesOf(set()).filter((each) => waiting.has(each) && there.has(each))
        await take(file.name, [...waiting.values()], arrival, others)
        waiting.delete(file.name)
        takenCount += 1
      }
      if (takenCount > 0) return 'took'
      const isSettling = observed.length > 0 && now - begun <= settleMs + parts.everyMs
      await report({ state, ...lagOf(observed) })
      const isWaiting = (isSettling && !parts.needsMarker) || left.length > 0
      return isWaiting ? 'waits' : 'done'
    },
  }
}

const namesOf = (set: readonly ObservedFile[] = []): readonly string[] =>
  set.map(({ file }) => file.name)

/** A file in `working` waits since it was moved there. */
const takenBefore = (file: DroppedFile): ObservedFile => {
  const since = file.touchedMs ?? file.modifiedMs
  return { file, completeSince: since, firstSeen: since }
}

/** How many files wait, and since when the oldest does. */
const lagOf = (observed: readonly ObservedFile[]) => {
  const since = Math.min(
    ...observed.map(({ file, firstSeen }) => Math.min(file.touchedMs ?? firstSeen, firstSeen)),
  )
  return {
    waiting: observed.length,
    behindSince: observed.length > 0 ? new Date(since).toISOString() : null,
  }
}
