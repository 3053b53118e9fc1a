import { createWriteStream } from 'node:fs'
import { access, mkdir, rename, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { plainText } from '#ingest'
import { type CorrectionFile, type Remedy, type RowsRequest, readCorrections } from '#operator'
import type { Store } from '#store'
import { CommandError } from './output.ts'

/** A file that was written. */
export interface WrittenFile {
  readonly file: string
  readonly rows: number
  readonly remedy: Remedy
}

/** Writes quarantined rows as they were received. A path without an extension is a folder. */
export const writeCorrections = async (
  store: Pick<Store, 'quarantine'>,
  request: RowsRequest,
  path: string,
): Promise<{ readonly files: readonly WrittenFile[]; readonly unreadable: number }> => {
  const { files, unreadable } = await readCorrections(store, request)
  const written: WrittenFile[] = []
  for (const [{ rows, remedy, pieces }, file] of await placesOf(files, path)) {
    // Under a name that watch does not take, until it is complete.
    const part = `${file}.part`
    await pipeline(Readable.from(pieces()), createWriteStream(part))
    await rename(part, file)
    written.push({ file, rows, remedy })
  }
  return { files: written, unreadable }
}

/** The file of each layout. */
const placesOf = async (
  files: readonly CorrectionFile[],
  path: string,
): Promise<readonly (readonly [CorrectionFile, string])[]> => {
  const extension = extname(path).slice(1).toLowerCase()
  const isFolder = extension === ''
  if (isFolder) await makeFolder(path)
  const [first] = files
  if (!isFolder && files.length > 1) {
    throw new CommandError(
      `The rows came in ${files.length} layouts, which need a file each. Name a folder: --write ${join(dirname(path), 'corrections')}`,
    )
  }
  if (!isFolder && first && extension !== first.format) {
    throw new CommandError(
      `The rows came in a form that is corrected in a .${first.format} file. Use --write ${path.slice(0, -extension.length)}${first.format}`,
    )
  }
  const places = files.map((each) => [each, isFolder ? join(path, each.name) : path] as const)
  for (const [, file] of places) {
    const exists = await access(file).then(
      () => true,
      () => false,
    )
    if (exists) throw new CommandError(`${file} exists. Move it away, or choose another path.`)
  }
  return places
}

/**
 * Makes a folder and those above it. Where none can be made, as in /proc, a recursive `mkdir` of
 * Node.js does not return.
 */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    const above = dirname(path)
    const hasAbove = await access(above).then(
      () => true,
      () => false,
    )
    if (code !== 'ENOENT' || hasAbove) {
      throw new CommandError(`The folder ${plainText(path)} cannot be made (${code}).`)
    }
    await makeFolder(above)
    await mkdir(path)
  }
}
