import { createWriteStream } from 'node:fs'
import { lstat, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '#contract'
import { OperatorError } from '#operator'

/** A private temporary folder for uploaded files, under names that the server gives them. */
export interface UploadFolder {
  pathOf(name: string): string
  /** Stores a body and returns its size. `onBytes` may throw. A body that fails leaves nothing. */
  receive(name: string, body: Readable, options: ReceiveOptions): Promise<number>
  remove(name: string): Promise<void>
  /** Removes the folder. */
  close(): Promise<void>
}

export interface ReceiveOptions {
  /** As far as the sender has said it. */
  readonly bytesExpected: number
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Left free for the databases, which may be on the same disk. */
const reservedBytes = 536_870_912
/** The free space is looked at again after this many bytes. */
const lookBytes = 67_108_864

/** Folders of this process. */
const opened = new Set<string>()

/** Creates the folder, and removes those of processes that were killed. */
export const openUploadFolder = async (): Promise<UploadFolder> => {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), `${prefix()}${process.pid}-`))
  opened.add(folder)
  const pathOf = (name: string) => join(folder, name)
  const remove = (name: string) => rm(pathOf(name), { force: true })

  const requireSpace = async (bytes: number): Promise<void> => {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize - reservedBytes >= bytes) return
    throw new OperatorError(
      'conflict',
      `There is no space for the file in the temporary folder of the server, ${tmpdir()}. Free space there, or name another folder in TMPDIR and start the server again.`,
    )
  }

  return {
    pathOf,
    receive: async (name, body, { bytesExpected, onBytes, signal }) => {
      await requireSpace(bytesExpected)
      let [bytes, lookedAt] = [0, 0]
      const watched = async function* (): AsyncIterable<Buffer> {
        // A pipeline alone would wait for the next chunk, which never comes.
        for await (const chunk of addAbortSignal(signal, body)) {
          bytes += (chunk as Buffer).length
          onBytes((chunk as Buffer).length)
          if (bytes - lookedAt > lookBytes) {
            await requireSpace(lookBytes)
            lookedAt = bytes
          }
          yield chunk as Buffer
        }
      }
      try {
        const out = createWriteStream(pathOf(name), { flags: 'wx', mode: 0o600 })
        await pipeline(watched, out, { signal })
        return bytes
      } catch (error) {
        await remove(name)
        if (signal.aborted)
          throw new ApiError('request_timeout', 'The file did not arrive in time.')
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
          await requireSpace(Number.MAX_SAFE_INTEGER)
        }
        throw error
      }
    },
    remove,
    close: async () => {
      await rm(folder, { recursive: true, force: true })
      opened.delete(folder)
    },
  }
}

/** Folders of several machines may be in one place; the numbers of processes are of one machine. */
const prefix = (): string => `selvedge-uploads-${hostname().replace(/[^\w.-]/g, '_')}-`

const removeAbandoned = async (): Promise<void> => {
  const begin = prefix()
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name)
    const pid = /^(\d+)-\w+$/.exec(name.startsWith(begin) ? name.slice(begin.length) : '')?.[1]
    if (pid === undefined || opened.has(folder) || isRunning(Number(pid))) continue
    const stats = await lstat(folder).catch(() => null)
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue
    await rm(folder, { recursive: true, force: true })
  }
}

/** This process is not the one before it that had its number. */
const isRunning = (pid: number): boolean => {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
