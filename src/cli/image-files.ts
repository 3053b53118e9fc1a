import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CommandError } from './output.ts'

/** A candidate for the file of an image. */
export interface ImageFile {
  readonly path: string
  readonly bytes: number
}

/** The part of an image record to compare its file with. */
export interface ImageRecord {
  readonly id: string
  readonly fileName: string
  readonly mimeType: string
  readonly sizeBytes: number
  readonly sha256: string | null
}

/** The given files and the files of the given folders, by name. */
export const findImageFiles = async (
  paths: readonly string[],
): Promise<ReadonlyMap<string, ImageFile>> => {
  const files = new Map<string, ImageFile>()
  const add = (path: string, bytes: number) => {
    const name = basename(path)
    const other = files.get(name)
    if (other) throw new CommandError(`${path} has the same name as ${other.path}.`)
    files.set(name, { path, bytes })
  }
  for (const path of paths) {
    const status = await stat(path).catch(() => null)
    if (!status) throw new CommandError(`${path} does not exist or cannot be read.`)
    if (!status.isDirectory()) add(path, status.size)
    else {
      for (const name of (await readdir(path)).sort()) {
        const inside = join(path, name)
        const { size, isFile } = await stat(inside).then((each) => ({
          size: each.size,
          isFile: each.isFile(),
        }))
        if (isFile && !name.startsWith('.')) add(inside, size)
      }
    }
  }
  return files
}

const extensions = ['', '.jpg', '.jpeg', '.png', '.gif', '.webp', '.avif', '.svg', '.tif', '.tiff']

/** The file of a record: by the record's id, otherwise by its `fileName`. */
export const matchRecord = (
  files: ReadonlyMap<string, ImageFile>,
  { id, fileName }: ImageRecord,
): ImageFile | undefined => {
  for (const extension of extensions) {
    const file = files.get(id + extension) ?? files.get(id + extension.toUpperCase())
    if (file) return file
  }
  return files.get(fileName)
}

/** The first bytes of each type, with their offsets. */
const beginnings: { readonly [type: string]: readonly (readonly [at: number, bytes: string])[] } = {
  'image/png': [[0, '\u0089PNG\r\n\u001a\n']],
  'image/jpeg': [[0, '\u00ff\u00d8\u00ff']],
  'image/gif': [[0, 'GIF8']],
  'image/webp': [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
  'image/avif': [[4, 'ftypavi']],
  'image/bmp': [[0, 'BM']],
}

const isOfType = (bytes: Buffer, type: string): boolean =>
  (beginnings[type] ?? []).every(
    ([at, text]) => bytes.toString('latin1', at, at + text.length) === text,
  )

/** A file is held in memory while it is stored. */
const bytesMax = 100 * 1_024 * 1_024

/** The problem with a record's file; undefined if it matches the record. */
export const checkFile = async (
  { path, bytes }: ImageFile,
  { mimeType, sizeBytes, sha256 }: ImageRecord,
): Promise<string | undefined> => {
  const shown = (count: number) => count.toLocaleString('en')
  if (bytes > bytesMax) return `has ${shown(bytes)} bytes; the limit is ${shown(bytesMax)}`
  if (bytes !== sizeBytes) {
    return `has ${shown(bytes)} bytes; its record says ${shown(sizeBytes)} (sizeBytes)`
  }
  const content = await readFile(path)
  if (!isOfType(content, mimeType)) {
    const type = Object.keys(beginnings).find((each) => isOfType(content, each))
    return `is ${type ?? 'of another type'}; its record says ${mimeType} (mimeType)`
  }
  const digest = createHash('sha256').update(content).digest('hex')
  if (sha256 !== null && sha256 !== digest) return 'does not have the sha256 of its record'
  return undefined
}
