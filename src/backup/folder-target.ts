import { constants, createReadStream } from 'node:fs'
import { access, type FileHandle, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileMode } from '#files'
import { looksLikeBackup } from './archive-reader.ts'
import { BackupError } from './backup-error.ts'
import { type BackupDraft, type BackupTarget, backupName, ownBackups } from './target.ts'
import { isLeftOver, ownName } from './temporary-folder.ts'

/** A folder that gets a file for each backup, or one file that each backup replaces. */
export const openFolderTarget = async (address: string): Promise<BackupTarget> => {
  const path = resolve(address)
  const stats = await stat(path).catch(() => null)
  const isFolder = stats?.isDirectory() ?? /[/\\]$/.test(address)
  const folder = isFolder ? path : dirname(path)
  if (!(await stat(folder).catch(() => null))?.isDirectory()) {
    throw new BackupError(`${folder} is not a folder. Create it first.`)
  }
  await explained(folder, access(folder, constants.W_OK))
  if (!isFolder && stats !== null && !looksLikeBackup(await startOf(path))) {
    throw new BackupError(
      `${path} exists and is not a backup, so it is not replaced. Choose another name.`,
    )
  }

  return {
    name: path,
    isOneFile: !isFolder,
    create: async (begun) => {
      await removeLeftOvers(folder, begun.at)
      const name = isFolder ? backupName(begun) : basename(path)
      return openDraft(folder, name)
    },
    list: async (installation) => (isFolder ? ownBackups(await readdir(folder), installation) : []),
    remove: (name) => explained(folder, unlink(join(folder, name))),
  }
}

const partForm = /^\..+\.([\w-]+)\.backup-part$/

/** Removes the drafts of killed processes. */
const removeLeftOvers = async (folder: string, now: number): Promise<void> => {
  for (const name of await explained(folder, readdir(folder))) {
    const [, owner] = partForm.exec(name) ?? []
    const path = join(folder, name)
    if (owner && (await isLeftOver(path, owner, now).catch(() => false))) {
      await rm(path, { force: true }).catch(() => undefined)
    }
  }
}

const openDraft = async (folder: string, name: string): Promise<BackupDraft> => {
  const part = join(folder, `.${name}.${ownName()}.backup-part`)
  const file: FileHandle = await explained(folder, open(part, 'w', fileMode))
  let isOpen = true
  const close = async () => {
    if (isOpen) await file.close()
    isOpen = false
  }
  let isPublished = false
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await explained(folder, file.write(bytes, at))
        at += bytesWritten
      }
    },
    finish: async () => {
      await explained(folder, file.sync())
      await close()
    },
    read: () => createReadStream(part, { highWaterMark: 1_048_576 }) as AsyncIterable<Uint8Array>,
    publish: async () => {
      const path = join(folder, name)
      await explained(folder, rename(part, path))
      isPublished = true
      await syncFolder(folder)
      return path
    },
    abort: async () => {
      await close()
      if (!isPublished) await rm(part, { force: true }).catch(() => undefined)
    },
  }
}

/** Makes a new name durable. Some file systems have no such function and need none. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

const startOf = async (path: string): Promise<Uint8Array> => {
  const file = await explained(path, open(path, 'r'))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const reasons: { readonly [code: string]: string } = {
  ENOSPC: 'its disk is full. Free some space, or choose another target.',
  EDQUOT: 'its quota is used up. Free some space, or choose another target.',
  EACCES: 'this user may not write there. Change its owner or its mode, or choose another target.',
  EPERM: 'this user may not write there. Change its owner or its mode, or choose another target.',
  EROFS: 'its file system is read-only. Choose another target.',
}

/** Says what an operator can do about a failure of the file system. */
const explained = async <T>(place: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new BackupError(`The backup cannot be written to ${place}: ${reasons[code] ?? message}`, {
      cause: error,
    })
  }
}
