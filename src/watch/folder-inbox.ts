import { isUtf8 } from 'node:buffer'
import { closeSync, constants, type Dirent, openSync, type Stats } from 'node:fs'
import { lstat, open, opendir, rename, rm, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileMode } from '#files'
import { SourceError } from '#ingest'
import { doneSuffix, isIgnored, nameParts, problemSuffixes, shortName } from './file-name.ts'
import { foldersBelow, hasCode, hasDescriptorPaths, requireFolder } from './held-folder.ts'
import { type DroppedFile, type Inbox, type Listing, listedMax, refusedMax } from './inbox.ts'

export interface FolderOptions {
  /** Whether a file stays where it is, by its name. */
  readonly ignores?: (name: string) => boolean
  readonly byDescriptor?: boolean
}

/** The folders that the files of an inbox are moved to. */
const ownFolders = ['working', 'processed', 'failed'] as const

/**
 * Files that are dropped into a folder of this machine, or of a share. A sender can write to
 * every folder below it, so that none of its entries is trusted: links are not followed, and a
 * file is read through the descriptor that was checked.
 */
export const folderInbox = (
  folder: string,
  { ignores = () => false, byDescriptor = hasDescriptorPaths }: FolderOptions = {},
): Inbox => {
  const root = resolve(folder)
  const withFolder = foldersBelow(root, byDescriptor)
  const withWorking = <T>(work: (from: string, working: string) => Promise<T>): Promise<T> =>
    withFolder('', (from) => withFolder('working', (working) => work(from, working)))
  /** Files that were seen under the name of a file that is still being written. */
  let unfinished: ReadonlySet<number> = new Set()

  return {
    name: root,
    appearsWhole: false,
    list: async (): Promise<Listing> => {
      for (const each of ownFolders) {
        const stats = await statsOf(join(root, each))
        if (stats) requireFolder(join(root, each), stats)
      }
      const isLeft = (name: string) => isIgnored(name) || ignores(name)
      const all = await withFolder('', (path) => filesIn(path, isLeft))
      const names = new Set(all.ignored.map(({ name }) => name))
      const files: DroppedFile[] = []
      const seen = new Set(all.ignored.map(({ stats }) => stats.ino))
      for (const { name, stats } of all.files) {
        const isComplete = names.has(`${name}${doneSuffix}`) || unfinished.has(stats.ino)
        if (isComplete) seen.add(stats.ino)
        files.push({ ...droppedFile(name, stats), isComplete })
      }
      unfinished = seen
      const second = all.hardLinks.map(({ name }) => ({
        name,
        reason: `${linked}. It is taken once that is deleted`,
      }))
      return { files, hasMore: all.hasMore, refused: [...all.refused, ...second] }
    },
    listWorking: async () => {
      if (!(await statsOf(join(root, 'working')))) return []
      return withWorking(async (from, working) => {
        const left: DroppedFile[] = []
        const { files, ignored, hardLinks } = await filesIn(working, isIgnored)
        const all = [...files, ...ignored, ...hardLinks]
        const drafts = new Set(all.flatMap(({ name }) => draftNames(name)))
        for (const { name, stats } of all) {
          if (drafts.has(name)) {
            await rm(join(working, name), { force: true })
            continue
          }
          left.push(droppedFile(name, stats))
          // The marker of a file that has come since under the same name stays.
          if (!(await statsOf(join(from, name)))) await removeMarker(from, name)
        }
        return left
      })
    },
    claim: ({ name, version }) =>
      withWorking(async (from, working) => {
        try {
          const { version: current } = droppedFile(name, await lstat(join(from, name)))
          if (current !== version) return false
          await rename(join(from, name), join(working, name))
        } catch (error) {
          if (isMissing(error)) return false
          throw error
        }
        await removeMarker(from, name)
        return true
      }),
    open: (name, from = 'working') =>
      withFolder(
        from,
        async (path) => {
          const file = await openRegular(join(path, name), name)
          if (!file) return null
          const { handle, stats } = file
          const version = versionOf(stats)
          return {
            descriptor: handle.fd,
            bytes: stats.size,
            takenMs: stats.ctimeMs,
            isUnchanged: async () => {
              const entry = await withFolder(from, (current) => statsOf(join(current, name)))
              const current = [await handle.stat(), entry]
              return current.every((each) => each !== null && versionOf(each) === version)
            },
            close: () => handle.close(),
          }
        },
        async (file) => file?.close(),
      ),
    finish: (name, to, reports) =>
      withFolder(to, async (place) =>
        withFolder('working', async (working) => {
          const free = await freeName(place, name)
          for (const { suffix, location } of reports) {
            await rename(join(working, location), join(place, `${free}${suffix}`))
          }
          try {
            await rename(join(working, name), join(place, free))
          } catch (error) {
            if (!isMissing(error)) throw error
          }
          return join(to, free)
        }),
      ),
    failedNames: (name) =>
      withFolder('failed', async (failed) => {
        const names: string[] = []
        for (const each of numberedNames(name)) {
          if (!(await statsOf(join(failed, each)))) return names
          names.push(each)
        }
        return names
      }),
    clearProblems: (failedName) =>
      withFolder('failed', (failed) => removeProblems(failed, failedName)),
    takeBack: (failedName, name) =>
      withFolder('failed', async (failed) =>
        withFolder('working', async (working) => {
          await rename(join(failed, failedName), join(working, name))
          await removeProblems(failed, failedName)
        }),
      ),
    draft: (name, suffix) =>
      withFolder(
        'working',
        async (working) => {
          const location = draftName(name, suffix)
          await rm(join(working, location), { force: true })
          // Exclusive: a link that somebody has put there is not followed.
          const descriptor = openSync(join(working, location), 'wx', fileMode)
          const discard = () =>
            withFolder('working', (path) => rm(join(path, location), { force: true }))
          return { suffix, location, descriptor, discard }
        },
        async ({ descriptor }) => closeSync(descriptor),
      ),
    close: async () => undefined,
  }
}

const draftName = (name: string, suffix: string): string => `${shortName(name)}${suffix}`

/** A problem file without its file beside it was dropped itself, and is not a draft. */
const draftNames = (name: string): readonly string[] =>
  Object.values(problemSuffixes).map((suffix) => draftName(name, suffix))

const removeProblems = async (folder: string, name: string): Promise<void> => {
  for (const suffix of Object.values(problemSuffixes)) {
    await rm(join(folder, `${name}${suffix}`), { force: true })
  }
}

/** A folder of that name is not a marker, and stays. */
const removeMarker = (folder: string, name: string): Promise<void> =>
  unlink(join(folder, `${name}${doneSuffix}`)).catch((error: unknown) => {
    if (!hasCode(error, ['ENOENT', 'EISDIR', 'EPERM'])) throw error
  })

/**
 * Opens a file and checks what was opened, since the entry may have been replaced after it was
 * listed. Null if it is gone. Does not wait for the other end of a named pipe.
 */
const openRegular = async (path: string, name: string) => {
  const handle = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: unknown) => {
    if (isMissing(error)) return null
    // A link, and a socket.
    if (hasCode(error, ['ELOOP', 'ENXIO'])) throw new SourceError(`${name} is not a file`)
    throw error
  })
  if (!handle) return null
  const stats = await handle.stat()
  if (stats.isFile() && stats.nlink <= 1) return { handle, stats }
  await handle.close()
  throw new SourceError(
    stats.isFile() ? `${name} ${linked}: drop a copy of it` : `${name} is not a file`,
  )
}

interface FoundFile {
  readonly name: string
  readonly stats: Stats
}

interface Found extends Omit<Listing, 'files'> {
  readonly files: readonly FoundFile[]
  /** Markers, and files that are still being written or stay; at most `listedMax` of them. */
  readonly ignored: readonly FoundFile[]
  /** Files with a second name; at most `refusedMax` of them. */
  readonly hardLinks: readonly FoundFile[]
}

/** `isLeft` says whether a file stays where it is, by its name. */
const filesIn = async (folder: string, isLeft: (name: string) => boolean): Promise<Found> => {
  const files: FoundFile[] = []
  const ignored: FoundFile[] = []
  const hardLinks: FoundFile[] = []
  const refused: { name: string; reason: string }[] = []
  const refuse = (name: string, reason: string) => {
    if (refused.length < refusedMax) refused.push({ name, reason })
  }
  const listing = (hasMore: boolean): Found => ({ files, ignored, hardLinks, hasMore, refused })
  // Names are bytes: decoding them as UTF-8 would give another name for one that is not.
  for await (const entry of await opendir(folder, { encoding: 'latin1' })) {
    const bytes = Buffer.from(entry.name, 'latin1')
    if (!isUtf8(bytes)) {
      refuse(escaped(entry.name), 'has a name that is not UTF-8. Rename it')
      continue
    }
    const name = bytes.toString()
    const staysHere = isLeft(name)
    const reason = staysHere ? null : refusalOf(entry)
    if (reason) refuse(name, reason)
    if (!entry.isFile() || (staysHere && ignored.length === listedMax)) continue
    const stats = await statsOf(join(folder, name))
    // One without was moved away meanwhile.
    if (!stats) continue
    if (staysHere) ignored.push({ name, stats })
    else if (stats.nlink > 1) {
      if (hardLinks.length < refusedMax) hardLinks.push({ name, stats })
    } else if (files.length === listedMax) return listing(true)
    else files.push({ name, stats })
  }
  return listing(false)
}

/** The bytes beyond ASCII as `\xff`. */
const escaped = (latin1: string): string =>
  latin1.replace(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)

/** A second name could be one of a file that the sender may not read. */
const linked = 'has a second name (a hard link)'

/** A link leads to a file that is not in the folder: what was moved would not be what was imported. */
const refusalOf = (entry: Dirent): string | null => {
  if (entry.isFile() || entry.isDirectory()) return null
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
  for (const free of numberedNames(name)) {
    if (!(await statsOf(join(folder, free)))) return free
  }
  return name
}

function* numberedNames(name: string): Iterable<string> {
  yield shortName(name)
  const { stem, extensions } = nameParts(name)
  for (let number = 2; ; number += 1) yield `${stem}-${number}${extensions}`
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

const isMissing = (error: unknown): boolean => hasCode(error, ['ENOENT'])
