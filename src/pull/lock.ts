import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PullRefused } from './refusal.ts'

/** Takes a place for one process. Whoever was killed there leaves it to the next. */
export const takeLock = async (file: string, own: number): Promise<() => Promise<void>> => {
  await mkdir(dirname(file), { recursive: true })
  for (;;) {
    try {
      await writeFile(file, `${own}\n`, { flag: 'wx' })
      return () => rm(file, { force: true })
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
    }
    const holder = Number((await readFile(file, 'utf8').catch(() => '')).trim())
    if (holder !== own && isRunning(holder)) {
      throw new PullRefused(
        `Another pull (process ${holder}) is making this copy. If there is none, remove ${file}.`,
      )
    }
    await rm(file, { force: true })
  }
}

const isRunning = (id: number): boolean => {
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
