import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PullRefused } from './refusal.ts'

/** Takes a place for one process. Whoever was killed there leaves it to the next. */
export const takeLock = async (file: string, own: number): Promise<() => Promise<void>> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${own}\n`
  const draft = `${file}.${own}`
  // Written whole before it is named, so that nobody reads half of it.
  await writeFile(draft, mine)
  try {
    for (;;) {
      try {
        await link(draft, file)
        return async () => {
          if ((await textOf(file)) === mine) await rm(file, { force: true })
        }
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
      }
      const text = await textOf(file)
      const holder = Number(text.trim())
      if (holder !== own && isRunning(holder)) {
        throw new PullRefused(
          `Another pull (process ${holder}) is making this copy. If there is none, remove ${file}.`,
        )
      }
      // Only what was looked at goes: somebody else may have taken the place since.
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
