import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseBusyError } from '../errors.ts'
import { guarded, isBusy } from './errors.ts'

/*
 * A restore replaces the files of an installation together. It builds the new ones in a folder, and
 * the rename of that folder decides: until then a killed restore leaves the old files, and from then
 * on every process that opens the database moves the new files into place first.
 */

/** The files of an installation by the names that they have in the folder. */
export interface ReplacedFiles {
  readonly [name: string]: string
}

const folderOf = (records: string): string => `${records}.restored`

/** The name of the file in the folder that processes lock, so that one of them moves the files. */
const lockName = 'lock'
const lockWaitMs = 30_000

/** Moves new files into place that a restore has left, if it has. `records` is the records' file. */
export const finishReplacement = (records: string, files: () => ReplacedFiles): void => {
  const folder = folderOf(records)
  if (!existsSync(folder)) return
  try {
    guarded(() => {
      const lock = new DatabaseSync(join(folder, lockName), { timeout: lockWaitMs })
      try {
        // Released by the system if the process dies.
        lock.exec('begin exclusive')
        moveFiles(folder, files())
      } finally {
        lock.close()
      }
    })
  } catch (error) {
    // Otherwise another process has moved the files, and has removed the folder meanwhile.
    if (existsSync(folder)) throw error
    return
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  flushFolder(dirname(records))
}

const moveFiles = (folder: string, files: ReplacedFiles): void => {
  for (const [name, file] of Object.entries(files)) {
    const next = join(folder, name)
    // Another process may have moved it already, and use it.
    if (!existsSync(next)) continue
    for (const beside of ['-wal', '-shm', '-journal']) rmSync(`${file}${beside}`, { force: true })
    renameSync(next, file)
  }
  flushFolder(folder)
}

/** Decides a restore: the files in a folder are complete. Then moves them into place. */
export const replaceFiles = (folder: string, records: string, files: ReplacedFiles): void => {
  for (const [name, file] of Object.entries(files)) {
    const next = join(folder, name)
    takeRights(next, file)
    flush(next)
  }
  flushFolder(folder)
  renameSync(folder, folderOf(records))
  flushFolder(dirname(records))
  finishReplacement(records, () => files)
}

/** A new file gets the mode of the old one, and its owner if this user may set it. */
const takeRights = (next: string, file: string): void => {
  if (!existsSync(file)) return
  const { mode, uid, gid } = statSync(file)
  chmodSync(next, mode & 0o777)
  if (process.getuid?.() === 0) chownSync(next, uid, gid)
}

const flush = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Windows cannot open a folder. */
const flushFolder = (path: string): void => {
  if (process.platform !== 'win32') flush(path)
}

/**
 * Locks files of SQLite against everybody, and creates missing ones for that: a server that is started
 * meanwhile waits. Returns the function that ends it. Throws `DatabaseBusyError` if a process has one
 * of them open.
 */
export const lockSqliteFiles = (files: readonly string[]): (() => void) => {
  const locked: DatabaseSync[] = []
  const opened: LockedFile[] = []
  const release = () => {
    for (const each of opened) leaveFile(each)
    for (const connection of locked) connection.close()
    // Not earlier: the system would end the locks of this process with them.
    for (const { descriptor } of opened) closeSync(descriptor)
  }
  for (const file of files) {
    try {
      opened.push(openFile(file))
      const connection = new DatabaseSync(file, { timeout: 1_000 })
      locked.push(connection)
      // With a write-ahead log, readers and a writer could still come.
      connection.exec('pragma journal_mode = delete; begin exclusive')
    } catch (error) {
      // A damaged file can be replaced as well.
      if (!isBusy(error)) continue
      release()
      throw new DatabaseBusyError(`A server or a command uses ${file}.`, { cause: error })
    }
  }
  return release
}

interface LockedFile {
  readonly file: string
  readonly descriptor: number
  readonly isCreated: boolean
}

const openFile = (file: string): LockedFile => {
  try {
    return { file, descriptor: openSync(file, 'wx+', 0o600), isCreated: true }
  } catch {
    return { file, descriptor: openSync(file, 'r+'), isCreated: false }
  }
}

/**
 * Makes a locked file useless that no longer has a name. A process that waits for the lock has it
 * open, and would use it with the write-ahead log of the file that has its name now.
 */
const leaveFile = ({ file, descriptor, isCreated }: LockedFile): void => {
  const isInPlace = statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino
  if (isInPlace && isCreated) rmSync(file)
  // Somebody may keep the old file under another name.
  if (fstatSync(descriptor).nlink === 0) writeSync(descriptor, replacedHeader, 0, null, 0)
}

/** In place of the header of a file. SQLite refuses it. */
const replacedHeader = Buffer.alloc(512, 'This database was replaced by a restore. ')
