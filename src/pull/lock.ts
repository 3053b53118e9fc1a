import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PullError } from './pull-error.ts'

/**
 * Takes the lock of a copy for one process. The result releases it. The lock of a process that was
 * killed is taken over.
 */
export const acquireLock = async (file: string, own: number): Promise<() => Promise<void>> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const content = `${own}\n`
  const draft = `${file}.${own}`
  // Written completely before it gets its name, so that no process reads half of it.
  await writeFile(draft, content)
  try {
    for (;;) {
      try {
        await link(draft, file)
        return async () => {
          if ((await textOf(file)) === content) await rm(file, { force: true })
        }
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
      }
      const text = await textOf(file)
      const holder = Number(text.trim())
      if (holder !== own && isRunning(holder)) {
        throw new PullError(
          `Another pull (process ${holder}) is writing to this copy. If that process is not a pull, delete ${file}.`,
        )
      }
      // Only the lock that was read is removed: another process may have taken it since.
      if ((await textOf(file)) === text) await rm(file, { force: true })
    }
  } finally {
    await rm(draft, { force: true })
  }
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

const isRunning = (id: number): boolean => {
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
