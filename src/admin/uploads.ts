import type { Readable } from 'node:stream'
import { createMutex, type Mutex } from '#concurrency'
import {
  ApiError,
  catalog,
  type OperatorUpload,
  type UploadChoices,
  type UploadedFile,
  type UploadJob,
  type UploadJobKind,
  uploadLimits,
} from '#contract'
import { recogniseName } from '#ingest'
import { OperatorError, type StoredFile } from '#operator'
import type { Session } from './sessions.ts'
import { openUploadFolder } from './upload-folder.ts'
import {
  openUploadThreads,
  type RunningTask,
  type UploadConfig,
  type UploadOutcome,
  type UploadThreads,
} from './upload-thread.ts'

/** Files that operators have uploaded and not imported yet. Each belongs to a session. */
export interface Uploads {
  /** Adds a file to an upload, or to a new one. A file of the same name is replaced. */
  add(session: Session, id: string | null, file: ReceivedFile): Promise<OperatorUpload>
  read(session: Session, id: string): OperatorUpload
  removeFile(session: Session, id: string, file: string): Promise<OperatorUpload>
  /** Starts a job in the background. */
  start(session: Session, id: string, kind: UploadJobKind, choices: UploadChoices): OperatorUpload
  cancel(session: Session, id: string): OperatorUpload
  /** Removes an upload, and ends its job. */
  discard(session: Session, id: string): Promise<void>
  /** Removes all uploads of a session that ends. */
  discardOf(session: Pick<Session, 'id'>): Promise<void>
  close(): Promise<void>
}

export interface ReceivedFile {
  readonly name: string
  /** As far as the sender has said it. */
  readonly bytesExpected: number
  readonly openBody: () => Readable
  readonly signal: AbortSignal
}

export interface UploadsParts {
  readonly config: UploadConfig
  /** The ids of sessions that have not ended. */
  readonly liveSessions: () => Promise<ReadonlySet<string>>
  readonly now: () => number
  readonly newId: () => string
  /** Called with failures that are not mistakes of an operator. */
  readonly onError: (error: unknown) => void
  /** Threads of its own by default. */
  readonly threads?: UploadThreads
}

interface Upload {
  readonly id: string
  readonly session: string
  readonly operator: string
  files: readonly StoredFile[]
  /** Files that arrive now. */
  arriving: number
  usedAt: number
  job: Job | null
  /** Whether its files are stored as records and removed. */
  isImported: boolean
  isDiscarded: boolean
}

interface Job {
  state: UploadJob
  task: RunningTask | null
  isCancelled: boolean
  /** Resolved if it is cancelled while it waits for another job. */
  readonly givenUp: PromiseWithResolvers<UploadOutcome>
  ended: Promise<void>
}

const minuteMs = 60_000
/** A file with more is not a mapping. */
const mappingBytesMax = 1_048_576
/** The first rows of a file are read within this time, or never. */
const previewMs = 120_000

export const openUploads = async (parts: UploadsParts): Promise<Uploads> => {
  const { config, now, newId, onError, threads = openUploadThreads() } = parts
  const folder = await openUploadFolder()
  const uploads = new Map<string, Upload>()
  /** Only one job writes at a time; a dry run writes too, and takes it back. */
  const lanes: Readonly<Record<UploadJobKind, Mutex>> = (() => {
    const writes = createMutex()
    return { preview: createMutex(), check: writes, import: writes }
  })()
  let totalBytes = 0

  const find = (session: Session, id: string): Upload => {
    const upload = uploads.get(id)
    if (!upload || upload.session !== session.id) {
      throw new ApiError(
        'not_found',
        'There is no such upload. It was removed: upload the files again.',
      )
    }
    upload.usedAt = now()
    return upload
  }

  const findIdle = (session: Session, id: string): Upload => {
    const upload = find(session, id)
    if (isActive(upload.job)) {
      throw new OperatorError('conflict', 'The files are being read. Wait, or cancel that.')
    }
    if (upload.isImported) {
      throw new OperatorError('conflict', 'These files are imported. Begin another upload.')
    }
    return upload
  }

  const create = (session: Session): Upload => {
    // Their operator has seen the result, and continues.
    for (const { id: old, ...upload } of uploads.values()) {
      if (upload.isImported && upload.session === session.id) uploads.delete(old)
    }
    if (uploads.size >= uploadLimits.uploads) {
      throw new OperatorError(
        'conflict',
        `There are ${uploads.size} uploads that are not imported. Discard one, or wait: each is removed after ${uploadLimits.idleMinutes} minutes without use.`,
      )
    }
    const { id, operator } = session
    const upload: Upload = {
      ...{ id: newId(), session: id, operator, files: [], arriving: 0, usedAt: now(), job: null },
      ...{ isImported: false, isDiscarded: false },
    }
    uploads.set(upload.id, upload)
    return upload
  }

  const addBytes = (bytes: number) => {
    totalBytes += bytes
    if (totalBytes <= uploadLimits.totalBytes) return
    throw new OperatorError(
      'conflict',
      `The uploads have more than ${uploadLimits.totalBytes.toLocaleString('en')} bytes together. Import or discard one first.`,
    )
  }

  const removeFiles = async (files: readonly StoredFile[]): Promise<void> => {
    for (const { id, bytes } of files) {
      await folder.remove(id)
      totalBytes -= bytes
    }
  }

  const receive = async (upload: Upload, file: ReceivedFile): Promise<StoredFile> => {
    const about = describeFile(file.name)
    const id = newId()
    let received = 0
    try {
      const bytes = await folder.receive(id, file.openBody(), {
        bytesExpected: file.bytesExpected,
        signal: AbortSignal.any([
          file.signal,
          AbortSignal.timeout(uploadLimits.fileMinutes * minuteMs),
        ]),
        onBytes: (more) => {
          received += more
          addBytes(more)
          upload.usedAt = now()
          if (about.kind === 'mapping' && received > mappingBytesMax) {
            throw new OperatorError('invalid', `${file.name} is too large for a mapping file.`)
          }
        },
      })
      return { id, name: file.name, bytes, ...about, path: folder.pathOf(id) }
    } catch (error) {
      totalBytes -= received
      throw error
    }
  }

  const discard = async (upload: Upload): Promise<void> => {
    if (upload.isDiscarded) return
    upload.isDiscarded = true
    uploads.delete(upload.id)
    cancelJob(upload.job)
    const remove = async (): Promise<void> => {
      await upload.job?.ended
      // Those that are imported were removed before, and their bytes were free since.
      if (!upload.isImported) await removeFiles(upload.files)
    }
    // A commit takes its time; an operator who discards or signs out does not wait for it.
    if (isActive(upload.job)) void remove().catch(onError)
    else await remove()
  }

  const run = async (upload: Upload, job: Job): Promise<void> => {
    const { kind, choices } = job.state
    const set = (more: Partial<UploadJob>) => {
      job.state = { ...job.state, ...more }
      upload.usedAt = now()
    }
    const work = async (): Promise<UploadOutcome> => {
      if (job.isCancelled) return { is: 'cancelled' }
      set({ state: 'running' })
      const { files, operator } = upload
      const task = threads.start({ kind, files, choices, operator, config }, (progress) =>
        set({ progress }),
      )
      job.task = task
      const late = kind === 'preview' ? setTimeout(() => void task.stop(), previewMs) : undefined
      try {
        return await task.outcome
      } finally {
        clearTimeout(late)
        job.task = null
      }
    }
    try {
      const outcome = await Promise.race([lanes[kind](work), job.givenUp.promise])
      if (outcome.is === 'imported' && outcome.result.isWritten) {
        upload.isImported = true
        await removeFiles(upload.files)
      }
      set(endOf(outcome))
    } catch (error) {
      if (!(error instanceof OperatorError)) onError(error)
      const message = error instanceof OperatorError ? error.message : unexpected
      set(endOf({ is: 'failed', message }))
    }
  }

  const sweep = async (): Promise<void> => {
    // Before the sessions: those of uploads that begin meanwhile may be newer.
    const all = [...uploads.values()]
    const live = all.length > 0 ? await parts.liveSessions() : new Set<string>()
    for (const upload of all) {
      const isIdle = now() - upload.usedAt > uploadLimits.idleMinutes * minuteMs
      const isUsed = isActive(upload.job) || upload.arriving > 0
      if ((isIdle && !isUsed) || !live.has(upload.session)) await discard(upload)
    }
  }
  const timer = setInterval(() => void sweep().catch(onError), minuteMs)
  timer.unref()

  return {
    add: async (session, id, file) => {
      describeFile(file.name)
      const upload = id === null ? create(session) : findIdle(session, id)
      const isFull = upload.files.length + upload.arriving >= uploadLimits.files
      if (isFull && !upload.files.some(({ name }) => name === file.name)) {
        throw new OperatorError('conflict', `An upload has at most ${uploadLimits.files} files.`)
      }
      upload.arriving += 1
      try {
        const stored = await receive(upload, file)
        if (upload.isDiscarded) {
          await removeFiles([stored])
          throw new ApiError('not_found', 'The upload was discarded.')
        }
        const replaced = upload.files.filter(({ name }) => name === file.name)
        // Before anything is awaited: other files arrive at the same time.
        upload.files = [...upload.files.filter(({ name }) => name !== file.name), stored]
        await removeFiles(replaced)
        return viewOf(upload)
      } catch (error) {
        if (id === null) uploads.delete(upload.id)
        throw error
      } finally {
        upload.arriving -= 1
      }
    },
    read: (session, id) => viewOf(find(session, id)),
    removeFile: async (session, id, file) => {
      const upload = findIdle(session, id)
      const removed = upload.files.filter((each) => each.id === file)
      if (removed.length === 0) throw new ApiError('not_found', 'There is no such file.')
      upload.files = upload.files.filter((each) => each.id !== file)
      await removeFiles(removed)
      return viewOf(upload)
    },
    start: (session, id, kind, choices) => {
      const upload = findIdle(session, id)
      if (upload.arriving > 0) {
        throw new OperatorError('conflict', 'A file is still arriving. Wait for it.')
      }
      const job: Job = {
        state: {
          ...{ kind, state: 'waiting', choices, progress: noProgress(upload.files) },
          ...{ error: null, previews: null, result: null },
        },
        task: null,
        isCancelled: false,
        givenUp: Promise.withResolvers(),
        ended: Promise.resolve(),
      }
      upload.job = job
      job.ended = run(upload, job)
      return viewOf(upload)
    },
    cancel: (session, id) => {
      const upload = find(session, id)
      cancelJob(upload.job)
      return viewOf(upload)
    },
    discard: (session, id) => discard(find(session, id)),
    discardOf: async (session) => {
      for (const upload of uploads.values()) {
        if (upload.session === session.id) await discard(upload)
      }
    },
    close: async () => {
      clearInterval(timer)
      for (const { job } of uploads.values()) {
        cancelJob(job)
        await job?.task?.stop()
      }
      await threads.close()
      await folder.close()
    },
  }
}

const unexpected =
  'The files could not be read because of an error in the server. Its log has the reason.'

const isActive = (job: Job | null): boolean =>
  job?.state.state === 'waiting' || job?.state.state === 'running'

const cancelJob = (job: Job | null): void => {
  if (!job) return
  job.isCancelled = true
  job.task?.cancel()
  if (job.state.state === 'waiting') job.givenUp.resolve({ is: 'cancelled' })
}

const noProgress = (files: readonly StoredFile[]): UploadJob['progress'] => {
  const bytesTotal = files.reduce(
    (sum, { kind, bytes }) => sum + (kind === 'records' ? bytes : 0),
    0,
  )
  return { file: null, bytes: 0, bytesTotal, rows: 0 }
}

const endOf = (outcome: UploadOutcome): Partial<UploadJob> => {
  if (outcome.is === 'previewed') return { state: 'done', previews: outcome.previews }
  if (outcome.is === 'imported') return { state: 'done', result: outcome.result }
  if (outcome.is === 'cancelled') return { state: 'cancelled' }
  return { state: 'failed', error: outcome.message }
}

const viewOf = ({ id, files, job }: Upload): OperatorUpload => ({
  id,
  files: files.map(({ path: _path, ...file }) => file),
  job: job?.state ?? null,
})

/** What the name of a file says; throws for one that cannot be read. */
const describeFile = (name: string): Pick<UploadedFile, 'kind' | 'collection'> => {
  if (/\.ya?ml$/i.test(name)) return { kind: 'mapping', collection: null }
  const { collection, problem } = recogniseName(catalog, name)
  if (problem !== null) throw new OperatorError('invalid', `${name}: ${problem}.`)
  return { kind: 'records', collection }
}
