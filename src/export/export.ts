import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Catalog, contractVersion, importOrder, type Resource, resourceAt } from '#contract'
import type { FeedPosition, SnapshotReader, Store } from '#store'
import { type ExportFormat, fileMode, openFile } from './formats.ts'

export interface ExportOptions {
  readonly store: Store
  readonly brand: string
  readonly folder: string
  readonly format: ExportFormat
  /** Names the database. */
  readonly database: string
  /** Makes the cursor of the change feed that begins after a position. */
  readonly feedCursor: (position: FeedPosition) => string
  readonly now: () => number
  readonly onProgress?: (progress: ExportProgress) => void
}

export interface ExportProgress {
  readonly collection: string
  readonly records: number
  readonly total: number
  readonly done: boolean
  /** The file was there from an earlier run, whole and of the same state. */
  readonly kept: boolean
}

/** What an export holds. It is written last, so that a folder with one is whole. */
export interface Manifest {
  readonly contract: string
  readonly brand: string
  readonly format: ExportFormat
  /** Names the database, so that states of two are never taken for the same. */
  readonly database: string
  readonly snapshotAt: string
  /** Where the change feed goes on from this state; null where changes are not recorded. */
  readonly feedCursor: string | null
  readonly complete: boolean
  readonly files: readonly ManifestFile[]
}

export interface ManifestFile {
  readonly collection: string
  /** Relative to the folder. */
  readonly file: string
  readonly records: number
  readonly bytes: number
  readonly sha256: string
  /** The number of the collection's last change. */
  readonly version: number
}

export const manifestName = 'manifest.json'

/** Records are their owner's alone. A folder that is there already keeps its mode. */
const folderMode = 0o700

/**
 * Writes every collection of a brand, from one state, as a file each; those shared by all brands
 * under `shared`. A run that was interrupted is taken up again: finished files whose checksum is
 * right and whose collection has not changed are kept.
 */
export const exportBrand = async (options: ExportOptions): Promise<Manifest> => {
  const { store, brand, folder, format, database } = options
  await mkdir(join(folder, 'shared'), { recursive: true, mode: folderMode })
  const before = await readManifest(folder)
  const earlier =
    before?.brand === brand && before.format === format && before.database === database
      ? before.files
      : []
  return store.snapshot(brand, async (reader) => {
    const position = await reader.feedPosition()
    const head = {
      contract: contractVersion,
      brand,
      format,
      database,
      snapshotAt: new Date(options.now()).toISOString(),
      feedCursor: position && options.feedCursor(position),
    }
    const files: ManifestFile[] = []
    for (const resource of inOrder(store.catalog)) {
      files.push(await exportCollection(options, reader, resource, earlier))
      await writeManifest(folder, { ...head, complete: false, files })
    }
    const manifest = { ...head, complete: true, files }
    await writeManifest(folder, manifest)
    return manifest
  })
}

const inOrder = (catalog: Catalog): readonly Resource[] =>
  importOrder(catalog)
    .flat()
    .map((path) => resourceAt(catalog, path))

const exportCollection = async (
  options: ExportOptions,
  reader: SnapshotReader,
  resource: Resource,
  earlier: readonly ManifestFile[],
): Promise<ManifestFile> => {
  const { folder, format, onProgress } = options
  const { version, total } = await reader.state(resource)
  const collection = resource.path
  const tell = (records: number, done: boolean, kept = false) =>
    onProgress?.({ collection, records, total, done, kept })
  const file = `${resource.scope === 'shared' ? 'shared/' : ''}${collection}.${format}`
  const path = join(folder, file)

  const known = earlier.find((each) => each.file === file && each.version === version)
  if (known && (await digestOf(path).catch(() => null)) === known.sha256) {
    tell(known.records, true, true)
    return known
  }
  const unfinished = `${path}.part`
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  // What an interrupted run has left would keep its mode.
  await rm(unfinished, { force: true })
  const writer = await openFile(format, resource, unfinished)
  let records = 0
  for await (const bodies of reader.bodies(resource)) {
    await writer.write(bodies)
    records += bodies.length
    tell(records, false)
  }
  await writer.close()
  await rename(unfinished, path)
  tell(records, true)
  const { size: bytes } = await stat(path)
  return { collection, file, records, bytes, sha256: await digestOf(path), version }
}

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const readManifest = async (folder: string): Promise<Manifest | null> => {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest
  } catch {
    return null
  }
}

const writeManifest = async (folder: string, manifest: Manifest): Promise<void> => {
  const path = join(folder, manifestName)
  await rm(`${path}.part`, { force: true })
  await writeFile(`${path}.part`, `${JSON.stringify(manifest, null, 1)}\n`, { mode: fileMode })
  await rename(`${path}.part`, path)
}
