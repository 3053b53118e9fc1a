import type { PostedTask, UploadMessage, UploadOutcome } from '#admin'
import type { UploadProgress } from '#contract'
import { loadUploads, type UploadImport, type WithStore, type WithUnits } from '#operator'

/** The operator has cancelled the task. */
class Cancelled extends Error {}

/** Progress is sent this often. */
const progressMs = 200

/** Previews, checks or imports uploaded files, for the operator page. */
export const runUploadTask = async (
  task: PostedTask,
  onProgress: (progress: UploadProgress) => void,
): Promise<UploadMessage> => {
  let sentAt = 0
  const wanted: UploadImport = {
    files: task.files,
    choices: task.choices,
    onProgress: (progress) => {
      const at = performance.now()
      if (progress.file !== null && at - sentAt < progressMs) return
      sentAt = at
      onProgress(progress)
    },
    requireGoing: () => {
      if (Atomics.load(task.cancelled, 0) === 1) throw new Cancelled()
    },
  }
  try {
    return { outcome: await run(task, wanted) }
  } catch (error) {
    if (error instanceof Cancelled) return { outcome: { is: 'cancelled' } }
    const { errorMessage, isUnexpected } = await import('./error-message.ts')
    const message = errorMessage(error)
    if (isUnexpected(error)) return { unexpected: message }
    const { inPageWords } = await loadUploads()
    return { outcome: { is: 'failed', message: inPageWords(message) } }
  }
}

const run = async (
  { kind, config, operator }: PostedTask,
  wanted: UploadImport,
): Promise<UploadOutcome> => {
  const { previewUpload, importUpload } = await loadUploads()
  // Loaded when it is needed: most previews need no database.
  const open = async () => {
    const { openRecords } = await import('#server')
    return openRecords({ ...config, operator, command: 'admin', creates: false })
  }
  if (kind === 'preview') {
    const withStore: WithStore = async (work) => {
      const records = await open()
      return work(records.store).finally(() => records.close())
    }
    return { is: 'previewed', previews: await previewUpload({ now: Date.now, withStore }, wanted) }
  }
  const { withUnits } = await import('./units.ts')
  const records = await open()
  try {
    const units: WithUnits = (work) => withUnits(records, work, config)
    const parts = { ...records, now: Date.now, withUnits: units }
    return { is: 'imported', result: await importUpload(parts, wanted, kind === 'check') }
  } finally {
    await records.close()
  }
}
