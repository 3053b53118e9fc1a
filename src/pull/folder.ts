import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contractVersion } from '#contract'
import {
  fileMode,
  folderMode,
  type Manifest,
  type ManifestFile,
  manifestFile,
  readManifest,
  recordFile,
  replaceFile,
  writeManifest,
} from '#files'
import type { CopyStore } from './copy-store.ts'
import { PullError } from './pull-error.ts'
import type { RowMapping } from './row-mapping.ts'

/** The content of a folder. It is complete if all files are from one pull. */
export interface CopyManifest extends Manifest {
  readonly url: string
  readonly pulledAt: string
}

const format = 'ndjson'

/** The file of a folder with the state for the next pull. */
export const stateName = '.selvedge-pull.db'

/** Creates the folder of a copy. Throws if it exists and holds something else. */
export const prepareFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: folderMode })
  const names = await readdir(folder)
  if (names.length > 0 && !names.some((name) => name.startsWith(stateName))) {
    throw new PullError(
      `${folder} is not empty and is not a copy of a brand. Choose another folder.`,
    )
  }
}

/**
 * Writes the file of every changed collection. Each file is replaced atomically; the manifest is
 * marked incomplete while files are being replaced.
 */
export const publish = async (
  store: CopyStore,
  mappings: readonly RowMapping[],
  folder: string,
  head: Pick<CopyManifest, 'brand' | 'url' | 'pulledAt'>,
): Promise<CopyManifest> => {
  const before = await readManifest<CopyManifest>(folder)
  const files = new Map(before?.files.map((each) => [each.collection, each]))
  const stale: RowMapping[] = []
  for (const mapping of mappings) {
    const isFresh = await isPublished(store, mapping, folder, files.get(mapping.resource.path))
    if (!isFresh) stale.push(mapping)
  }
  const manifestWith = (complete: boolean): CopyManifest => ({
    contract: contractVersion,
    ...head,
    format,
    complete,
    files: mappings.flatMap(({ resource }) => files.get(resource.path) ?? []),
  })
  if (stale.length > 0) await writeManifest(folder, manifestWith(false))
  for (const mapping of stale) {
    files.set(mapping.resource.path, await writeCollection(store, mapping, folder))
  }
  const manifest = manifestWith(true)
  await writeManifest(folder, manifest)
  if (stale.length > 0) await store.markPublished(stale)
  return manifest
}

const isPublished = async (
  store: CopyStore,
  mapping: RowMapping,
  folder: string,
  entry: ManifestFile | undefined,
): Promise<boolean> => {
  const { isUnpublished } = await store.collection(mapping)
  if (isUnpublished || !entry) return false
  const file = await stat(join(folder, entry.file)).catch(() => null)
  return file?.size === entry.bytes
}

const writeCollection = async (
  store: CopyStore,
  mapping: RowMapping,
  folder: string,
): Promise<ManifestFile> => {
  const file = recordFile(mapping.resource, format)
  const records = await replaceFile(join(folder, file), async (draft) => {
    const out = await open(draft, 'w', fileMode)
    let written = 0
    try {
      for await (const bodies of store.bodies(mapping)) {
        await out.writeFile(bodies.map((body) => `${body}\n`).join(''))
        written += bodies.length
      }
    } finally {
      await out.close()
    }
    return written
  })
  return manifestFile(folder, { collection: mapping.resource.path, file, records })
}
