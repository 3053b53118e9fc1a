import type { Dirent, Stats } from 'node:fs'
import { lstat, mkdir, opendir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SourceError } from '#ingest'
import { doneSuffix, isIgnored, isProblemFile, nameParts, shortName } from './file-name.ts'
import { type DroppedFile, type Inbox, type Listing, listedMax } from './inbox.ts'

/** Files that are dropped into a folder of this machine, or of a share. */
export const folderInbox = (folder: string): Inbox => {
  const root = resolve(folder)
  const working = join(root, 'working')
  /** Files that were seen under the name of a file that is still being written. */
  let unfinished: ReadonlySet<number> = new Set()

  const removeMarker = (name: string) => rm(join(root, `${name}${doneSuffix}`), { force: true })

  return {
    name: root,
    appearsWhole: false,
    list: async (): Promise<Listing> => {
      const all = await filesIn(root)
      const names = new Set(all.files.map(({ name }) => name))
      const files: DroppedFile[] = []
      const seen = new Set<number>()
      for (const { name, stats } of all.files) {
        if (isIgnored(name)) {
          seen.add(stats.ino)
          continue
        }
        const isComplete = names.has(`${name}${doneSuffix}`) || unfinished.has(stats.ino)
        if (isComplete) seen.add(stats.ino)
        files.push({ ...droppedFile(name, stats), isComplete })
      }
      unfinished = seen
      return { files, hasMore: all.hasMore, refused: all.refused }
    },
    listWorking: async () => {
      const { files } = await filesIn(working)
      const left: DroppedFile[] = []
      for (const { name, stats } of files) {
        if (isProblemFile(name)) {
          await rm(join(working, name), { force: true })
          continue
        }
        left.push(droppedFile(name, stats))
        // The marker of a file that has come since under the same name stays.
        if (!(await statsOf(join(root, name)))) await removeMarker(name)
      }
      return left
    },
    claim: async ({ name, version }) => {
      await mkdir(working, { recursive: true })
      try {
        const { version: current } = droppedFile(name, await lstat(join(root, name)))
        if (current !== version) return false
        await rename(join(root, name), join(working, name))
      } catch (error) {
        if (isMissing(error)) return false
        throw error
      }
      await removeMarker(name)
      return true
    },
    open: async (name) => {
      const path = join(working, name)
      const stats = await statsOf(path)
      if (!stats) return null
      if (!stats.isFile()) throw new SourceError(`${name} is not a file`)
      const version = versionOf(stats)
      return {
        path,
        takenMs: stats.ctimeMs,
        isUnchanged: async () => {
          const current = await statsOf(path)
          return current !== null && versionOf(current) === version
        },
        close: async () => undefined,
      }
    },
    finish: async (name, to, beside) => {
      const place = join(root, to)
      await mkdir(place, { recursive: true })
      const free = await freeName(place, name)
      for (const { suffix, path } of beside) await rename(path, join(place, `${free}${suffix}`))
      try {
        await rename(join(working, name), join(place, free))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
      return join(to, free)
    },
    draft: async (name, suffix) => {
      await mkdir(working, { recursive: true })
      return join(working, `${shortName(name)}${suffix}`)
    },
    close: async () => undefined,
  }
}

interface FoundFile {
  readonly name: string
  readonly stats: Stats
}

interface Found extends Omit<Listing, 'files'> {
  readonly files: readonly FoundFile[]
}

const filesIn = async (folder: string): Promise<Found> => {
  const files: FoundFile[] = []
  const refused: { name: string; reason: string }[] = []
  let directory: Awaited<ReturnType<typeof opendir>>
  try {
    directory = await opendir(folder)
  } catch (error) {
    if (isMissing(error) && folder.endsWith('working')) return { files, hasMore: false, refused }
    throw error
  }
  for await (const entry of directory) {
    if (files.length + refused.length === listedMax) return { files, hasMore: true, refused }
    const reason = refusalOf(entry)
    if (reason) refused.push({ name: entry.name, reason })
    if (!entry.isFile()) continue
    const stats = await statsOf(join(folder, entry.name))
    // One without was moved away meanwhile.
    if (stats) files.push({ name: entry.name, stats })
  }
  return { files, hasMore: false, refused }
}

/** A link leads to a file that is not in the folder: what was moved would not be what was imported. */
const refusalOf = (entry: Dirent): string | null => {
  if (isIgnored(entry.name) || entry.isFile() || entry.isDirectory()) return null
  return entry.isSymbolicLink()
    ? 'is a symbolic link, which is not followed. Copy the file itself into the folder'
    : 'is not a file'
}

const droppedFile = (name: string, stats: Stats): DroppedFile => ({
  name,
  bytes: stats.size,
  modifiedMs: stats.mtimeMs,
  version: versionOf(stats),
  isComplete: false,
  touchedMs: stats.ctimeMs,
})

const versionOf = ({ size, mtimeMs, ino }: Stats): string => [size, mtimeMs, ino].join(' ')

/** A name that no file of the folder has: `orders.csv`, `orders-2.csv`. */
const freeName = async (folder: string, name: string): Promise<string> => {
  const { stem, extensions } = nameParts(name)
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? shortName(name) : `${stem}-${number}${extensions}`
    if (!(await statsOf(join(folder, free)))) return free
  }
}

/** Of the entry itself, not of what a link leads to; null if it is missing. */
const statsOf = async (path: string): Promise<Stats | null> => {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
