import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PullError } from './pull-error.ts'

/**
 * Acquires the lock of a copy for one process, and returns a function that releases it. Takes over
 * the lock of a killed process.
 */
export const acquireLock = async (file: string, own: number): Promise<() => Promise<void>> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const content = `${own}\n`
  const draft = `${file}.${own}`
  // Written completely before it is linked, so that no process reads a partial file.
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
      // Removes only the lock that was read: another process may have taken it since.
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
