import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Resource } from '#contract'
import { fileMode, replaceFile } from './replace-file.ts'

/** The content of a folder of record files: an export, or a copy of a brand. */
export interface Manifest<F extends ManifestFile = ManifestFile> {
  readonly contract: string
  readonly brand: string
  readonly format: string
  /** Whether all files are from one state. */
  readonly complete: boolean
  readonly files: readonly F[]
}

export interface ManifestFile {
  readonly collection: string
  /** Relative to the folder. */
  readonly file: string
  readonly records: number
  readonly bytes: number
  readonly sha256: string
}

const manifestName = 'manifest.json'

/** The file of a collection. Collections shared by all brands are in a separate folder. */
export const recordFile = ({ scope, path }: Resource, format: string): string =>
  `${scope === 'shared' ? 'shared/' : ''}${path}.${format}`

/** The entry of a written file. */
export const manifestFile = async (
  folder: string,
  { collection, file, records }: Pick<ManifestFile, 'collection' | 'file' | 'records'>,
): Promise<ManifestFile> => {
  const path = join(folder, file)
  const { size: bytes } = await stat(path)
  return { collection, file, records, bytes, sha256: await sha256Of(path) }
}

/** The hash of a file, by its path or by its descriptor, which stays open. */
export const sha256Of = async (file: string | number): Promise<string> => {
  const hash = createHash('sha256')
  const stream =
    typeof file === 'string'
      ? createReadStream(file)
      : createReadStream('', { fd: file, start: 0, autoClose: false })
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** The manifest of a folder; null if it is missing or unreadable. */
export const readManifest = async <M extends Manifest>(folder: string): Promise<M | null> => {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as M
  } catch {
    return null
  }
}

export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replaceFile(join(folder, manifestName), (draft) =>
    writeFile(draft, `${JSON.stringify(manifest, null, 1)}\n`, { mode: fileMode }),
  )
