import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Only the owner can read records. An existing folder keeps its mode. */
export const [folderMode, fileMode] = [0o700, 0o600]

/**
 * Writes a draft and renames it, so that neither a reader nor a crash ever sees a partial file. The
 * draft is in the same folder by default; another one must be on the same file system.
 */
export const replaceFile = async <T>(
  path: string,
  write: (draft: string) => Promise<T>,
  draft = `${path}.part`,
): Promise<T> => {
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  // A draft of an interrupted run would keep its mode.
  await rm(draft, { force: true })
  const result = await write(draft)
  await rename(draft, path)
  return result
}
