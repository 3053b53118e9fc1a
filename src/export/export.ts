import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { contractVersion, inImportOrder, type Resource } from '#contract'
import {
  folderMode,
  type Manifest,
  type ManifestFile,
  manifestFile,
  readManifest,
  recordFile,
  replaceFile,
  sha256Of,
  writeManifest,
} from '#files'
import type { FeedPosition, SnapshotReader, Store } from '#store'
import { type ExportFormat, layoutsByFormat, openFile } from './formats.ts'

export interface ExportOptions {
  readonly store: Store
  readonly brand: string
  readonly folder: string
  readonly format: ExportFormat
  /** Identifies the database. */
  readonly database: string
  /** Creates the cursor of the change feed after a position. */
  readonly feedCursor: (position: FeedPosition) => string
  readonly now: () => number
  readonly onProgress?: (progress: ExportProgress) => void
}

export interface ExportProgress {
  readonly collection: string
  readonly records: number
  readonly total: number
  readonly done: boolean
  /** Whether the file of an interrupted export was reused: it is complete and of the same state. */
  readonly reused: boolean
}

/** The content of an export. It is marked complete last, so that a complete folder is whole. */
export interface ExportManifest extends Manifest<ExportedFile> {
  readonly format: ExportFormat
  /** The layout of the files; absent in manifests of earlier releases, whose layout is 1. */
  readonly layout?: number
  /** Identifies the database, so that states of two databases are never confused. */
  readonly database: string
  readonly snapshotAt: string
  /** The cursor of the change feed after this state; null if changes are not recorded. */
  readonly feedCursor: string | null
}

export interface ExportedFile extends ManifestFile {
  /** The number of the collection's last change. */
  readonly version: number
}

/**
 * Writes every collection of a brand to a file, all from one snapshot. Collections shared by all
 * brands are in `shared`. Resumes an interrupted export: keeps files with the right checksum whose
 * collection has not changed.
 */
export const exportBrand = async (options: ExportOptions): Promise<ExportManifest> => {
  const { store, brand, folder, format, database } = options
  await mkdir(join(folder, 'shared'), { recursive: true, mode: folderMode })
  const before = await readManifest<ExportManifest>(folder)
  const layout = layoutsByFormat[format]
  const isSameKind =
    before?.brand === brand &&
    before.format === format &&
    (before.layout ?? 1) === layout &&
    before.database === database
  const earlier = isSameKind ? before.files : []
  return store.snapshot(brand, async (reader) => {
    const position = await reader.feedPosition()
    const head = {
      contract: contractVersion,
      brand,
      format,
      layout,
      database,
      snapshotAt: new Date(options.now()).toISOString(),
      feedCursor: position && options.feedCursor(position),
    }
    const files: ExportedFile[] = []
    for (const resource of inImportOrder(store.catalog)) {
      files.push(await exportCollection(options, reader, resource, earlier))
      await writeManifest(folder, { ...head, complete: false, files })
    }
    const manifest = { ...head, complete: true, files }
    await writeManifest(folder, manifest)
    return manifest
  })
}

const exportCollection = async (
  options: ExportOptions,
  reader: SnapshotReader,
  resource: Resource,
  earlier: readonly ExportedFile[],
): Promise<ExportedFile> => {
  const { folder, format, onProgress } = options
  const { version, total } = await reader.state(resource)
  const collection = resource.path
  const report = (records: number, done: boolean, reused = false) =>
    onProgress?.({ collection, records, total, done, reused })
  const file = recordFile(resource, format)
  const path = join(folder, file)

  const finished = earlier.find((each) => each.file === file && each.version === version)
  if (finished && (await sha256Of(path).catch(() => null)) === finished.sha256) {
    report(finished.records, true, true)
    return finished
  }
  const records = await replaceFile(path, async (draft) => {
    const writer = await openFile(format, resource, draft)
    let written = 0
    for await (const bodies of reader.bodies(resource)) {
      await writer.write(bodies)
      written += bodies.length
      report(written, false)
    }
    await writer.close()
    return written
  })
  report(records, true)
  return { ...(await manifestFile(folder, { collection, file, records })), version }
}
