import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contractVersion } from '#contract'
import type { Shelf } from './copy-store.ts'
import { PullRefused } from './refusal.ts'
import type { Form } from './row-mapping.ts'

/** What a folder holds. It says `complete` when its files are of one pull. */
export interface CopyManifest {
  readonly contract: string
  readonly brand: string
  readonly url: string
  readonly format: 'ndjson'
  readonly pulledAt: string
  readonly complete: boolean
  readonly files: readonly CopyFile[]
}

export interface CopyFile {
  readonly collection: string
  /** Relative to the folder. */
  readonly file: string
  readonly records: number
  readonly bytes: number
  readonly sha256: string
}

/** Records are their owner's alone. A folder that is there already keeps its mode. */
const [folderMode, fileMode] = [0o700, 0o600]

const manifestName = 'manifest.json'
/** Where a folder keeps what the next pull needs. */
export const stateName = '.selvedge-pull.db'

/** Makes the folder of a copy, and refuses one that is something else. */
export const prepareFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: folderMode })
  const names = await readdir(folder)
  if (names.length > 0 && !names.some((name) => name.startsWith(stateName))) {
    throw new PullRefused(`${folder} is not empty and no copy of a brand. Choose another folder.`)
  }
}

/**
 * Writes the file of every collection that has changed. A file is replaced as a whole; between the
 * first and the last of them the manifest says that the folder is not complete.
 */
export const publish = async (
  shelf: Shelf,
  forms: Iterable<Form>,
  folder: string,
  head: Pick<CopyManifest, 'brand' | 'url' | 'pulledAt'>,
): Promise<CopyManifest> => {
  const before = await readManifest(folder)
  const known = new Map(before?.files.map((each) => [each.collection, each]))
  const stale: Form[] = []
  for (const form of forms) {
    if (!(await isFresh(shelf, form, folder, known.get(form.resource.path)))) stale.push(form)
  }
  const manifestOf = (complete: boolean): CopyManifest => ({
    contract: contractVersion,
    ...head,
    format: 'ndjson',
    complete,
    files: [...forms].flatMap(({ resource }) => known.get(resource.path) ?? []),
  })
  if (stale.length > 0) await writeManifest(folder, manifestOf(false))
  for (const form of stale) {
    known.set(form.resource.path, await writeCollection(shelf, form, folder))
  }
  const manifest = manifestOf(true)
  await writeManifest(folder, manifest)
  if (stale.length > 0) await shelf.published(stale)
  return manifest
}

const fileOf = ({ resource }: Form): string =>
  `${resource.scope === 'shared' ? 'shared/' : ''}${resource.path}.ndjson`

const isFresh = async (
  shelf: Shelf,
  form: Form,
  folder: string,
  known: CopyFile | undefined,
): Promise<boolean> => {
  const { isUnpublished } = await shelf.collection(form)
  if (isUnpublished || !known) return false
  const there = await stat(join(folder, known.file)).catch(() => null)
  return there?.size === known.bytes
}

const writeCollection = async (shelf: Shelf, form: Form, folder: string): Promise<CopyFile> => {
  const file = fileOf(form)
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  // What an interrupted pull has left would keep its mode.
  await rm(`${path}.part`, { force: true })
  const out = await open(`${path}.part`, 'w', fileMode)
  const hash = createHash('sha256')
  let [records, bytes] = [0, 0]
  try {
    for await (const bodies of shelf.bodies(form)) {
      const chunk = Buffer.from(bodies.map((body) => `${body}\n`).join(''))
      await out.writeFile(chunk)
      hash.update(chunk)
      records += bodies.length
      bytes += chunk.length
    }
  } finally {
    await out.close()
  }
  await rename(`${path}.part`, path)
  return { collection: form.resource.path, file, records, bytes, sha256: hash.digest('hex') }
}

const readManifest = async (folder: string): Promise<CopyManifest | null> => {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as CopyManifest
  } catch {
    return null
  }
}

const writeManifest = async (folder: string, manifest: CopyManifest): Promise<void> => {
  const path = join(folder, manifestName)
  await rm(`${path}.part`, { force: true })
  await writeFile(`${path}.part`, `${JSON.stringify(manifest, null, 1)}\n`, { mode: fileMode })
  await rename(`${path}.part`, path)
}
