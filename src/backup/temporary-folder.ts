import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasProcessEnded, processName } from '#store'

/*
 * Temporary files and folders have the name of their process in their names, so that the next run
 * can remove those of a process that was killed.
 */
const prefix = 'selvedge-backup-'
/** Without a sign of life for so long, it belongs to a process of another machine that has ended. */
const abandonedMs = 24 * 3_600_000

/** The name of this process, as part of a file name. */
export const ownName = (): string => Buffer.from(processName()).toString('base64url')

/** Whether something with the name of a process is left over. */
export const isLeftOver = async (path: string, name: string, now: number): Promise<boolean> => {
  if (hasProcessEnded(Buffer.from(name, 'base64url').toString())) return true
  const { mtimeMs } = await stat(path)
  return now - mtimeMs > abandonedMs
}

/** Creates a folder for private files, and removes those that killed processes have left. */
export const openTemporaryFolder = async (
  parent: string,
  now: number,
): Promise<{ readonly path: string; close(): Promise<void> }> => {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, owner] = /^selvedge-backup-([\w-]+)\.\w{6}$/.exec(name) ?? []
    const path = join(parent, name)
    if (!owner || !(await isLeftOver(path, owner, now).catch(() => false))) continue
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
  // Only its owner can open it.
  const path = await mkdtemp(join(parent, `${prefix}${ownName()}.`))
  return { path, close: () => rm(path, { recursive: true, force: true }) }
}
