import { constants, existsSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder of an inbox is not what it should be. Watching ends until somebody has corrected it. */
export class InboxError extends Error {}

/**
 * Linux reaches the entries of an open folder through its descriptor, so that no link can take its
 * place. Elsewhere a folder is compared before and after its use: a link that is there only
 * in between is followed once, and then ends the watch.
 */
export const hasDescriptorPaths = existsSync('/proc/self/fd')

/**
 * Uses a folder below another one through the path that `work` receives. `release` frees the result
 * where it is not returned because the folder was replaced.
 */
export type WithFolder = <T>(
  below: string,
  work: (path: string) => Promise<T>,
  release?: (result: T) => Promise<void>,
) => Promise<T>

/**
 * Opens folders below a root, part by part and without following links, and creates missing ones.
 * The root may be a link: the operator has named it.
 */
export const foldersBelow =
  (root: string, byDescriptor: boolean): WithFolder =>
  async (below, work, release) => {
    const held: HeldFolder[] = []
    let current: HeldFolder | undefined
    try {
      current = await hold({ path: root, name: root, byDescriptor, mayBeLink: true })
      held.push(current)
      for (const part of below === '' ? [] : below.split('/')) {
        current = await holdBelow(current, part, byDescriptor)
        held.push(current)
      }
      const result = await work(current.path)
      if (byDescriptor) return result
      try {
        for (const each of held.slice(1)) await requireSame(each)
      } catch (error) {
        await release?.(result)
        throw error
      }
      return result
    } catch (error) {
      // The path through a descriptor does not say where the error is.
      if (error instanceof Error && current) {
        error.message = error.message.replaceAll(current.path, current.name)
      }
      throw error
    } finally {
      for (const { handle } of held) await handle?.close()
    }
  }

interface HeldFolder {
  /** As messages show it. */
  readonly name: string
  /** Where its entries are reached. */
  readonly path: string
  /** Null where entries are reached by the name. */
  readonly handle: FileHandle | null
  readonly stats: Stats
}

const holdBelow = async (
  parent: HeldFolder,
  part: string,
  byDescriptor: boolean,
): Promise<HeldFolder> => {
  const path = join(parent.path, part)
  const isMissing = await lstat(path).then(
    () => false,
    (error) => hasCode(error, ['ENOENT']),
  )
  if (isMissing) await mkdir(path)
  return hold({ path, name: join(parent.name, part), byDescriptor, mayBeLink: false })
}

interface HoldOptions {
  readonly path: string
  readonly name: string
  readonly byDescriptor: boolean
  readonly mayBeLink: boolean
}

const hold = async ({ path, name, byDescriptor, mayBeLink }: HoldOptions): Promise<HeldFolder> => {
  const stats = await lstat(path)
  if (!mayBeLink) requireFolder(name, stats)
  if (!byDescriptor) return { name, path, handle: null, stats }
  const flags = constants.O_RDONLY | constants.O_DIRECTORY
  try {
    const handle = await open(path, mayBeLink ? flags : flags | constants.O_NOFOLLOW)
    return { name, path: `/proc/self/fd/${handle.fd}`, handle, stats }
  } catch (error) {
    // What was a folder a moment ago has become something else.
    if (!mayBeLink && hasCode(error, ['ELOOP', 'ENOTDIR'])) throw unusable(name, 'was replaced')
    throw error
  }
}

const requireSame = async ({ name, path, stats }: HeldFolder): Promise<void> => {
  const current = await lstat(path)
  if (current.ino !== stats.ino || current.dev !== stats.dev) throw unusable(name, 'was replaced')
}

/** Throws `InboxError` for what is in the place of a folder. */
export const requireFolder = (name: string, stats: Stats): void => {
  if (stats.isDirectory()) return
  throw unusable(name, stats.isSymbolicLink() ? 'is a symbolic link' : 'is not a folder')
}

const unusable = (name: string, what: string): InboxError =>
  new InboxError(
    `${name} ${what}. Files are moved only to a folder, never through a link, which could lead to those of another brand. Replace it with a folder, and start the command again.`,
  )

export const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
