import { type FileHandle, open, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  catalog,
  type FilePreview,
  type UploadChoices,
  type UploadedFile,
  type UploadProgress,
  type UploadResult,
  uploadLimits,
} from '#contract'
import {
  findMappedSources,
  findSources,
  type NamedFile,
  openableFile,
  openDifference,
  openReport,
  type ProblemGroup,
  previewFile,
  type Report,
  readStoredContext,
  type Source,
  SourceError,
  unreadPreview,
} from '#ingest'
import {
  type CollectionMapping,
  type ContextNeeds,
  contextNeeds,
  type MappingContext,
  needsContext,
  parseMapping,
  requireDecided,
} from '#mapping'
import { type Store, sharedOwner } from '#store'
import { checkImport } from './check-import.ts'
import { OperatorError } from './error.ts'
import { type ImportParts, importFiles, type MappingFile } from './import-files.ts'
import type { OperatorParts } from './parts.ts'

/** An uploaded file, with the path that the server has given it. */
export interface StoredFile extends UploadedFile {
  readonly path: string
}

/** Files, and how they become records. */
export interface UploadImport {
  readonly files: readonly StoredFile[]
  readonly choices: UploadChoices
  readonly onProgress: (progress: UploadProgress) => void
  /** Throws once the work is to end. Called often, and right before the commit. */
  readonly requireGoing: () => void
}

/** Lends the records of the database. */
export type WithStore = <T>(work: (store: Pick<Store, 'snapshot'>) => Promise<T>) => Promise<T>

/**
 * The columns and the first rows of each file, and what an import would say of them. Opens the records
 * only if the mapping uses some.
 */
export const previewUpload = async (
  { now, withStore }: Pick<OperatorParts, 'now'> & { readonly withStore: WithStore },
  { files, choices }: Pick<UploadImport, 'files' | 'choices'>,
): Promise<readonly FilePreview[]> => {
  const mapping = await readMapping(files, choices)
  const contexts = createContexts(withStore, recordFiles(files), choices, mapping, now())
  const previews: FilePreview[] = []
  for (const file of recordFiles(files)) {
    const options = {
      ...{ catalog, owner: choices.brand ?? sharedOwner, now: now() },
      ...{ shownRows: uploadLimits.shownRows, checkedRows: uploadLimits.previewRows },
      problemsMax: uploadLimits.problems,
    }
    const own = await withOpen(recordFiles(files), async (all) => {
      const sources = await findFile(file, all, choices, mapping, now())
      const each: Omit<FilePreview, 'file'>[] = []
      for (const source of sources) {
        if (source.input.kind !== 'file') continue
        const context = await contexts(source.mapping)
        each.push(await previewFile({ ...source, context }, options))
      }
      if (each.length > 0) return each
      // Its rows are only joined to those of others.
      const alone = await openableFile(namedIn(all, file), {})
      return [await previewFile({ ...alone, resource: null }, options)]
    }).catch((error: unknown) => {
      if (!(error instanceof SourceError)) throw error
      return [unreadPreview(collectionOf(file, choices), error.message)]
    })
    previews.push(...own.map((preview) => forPage(file.id, preview)))
  }
  return previews
}

/** What mappings take from stored records and from those of all files, read once. */
const createContexts = (
  withStore: WithStore,
  files: readonly StoredFile[],
  choices: UploadChoices,
  mapping: MappingFile | null,
  now: number,
): ((of: CollectionMapping | undefined) => Promise<MappingContext | undefined>) => {
  const contexts = new Map<CollectionMapping, Promise<MappingContext>>()
  const read = (needs: ContextNeeds) =>
    withOpen(files, async (named) => {
      const sources: Source[] = []
      for (const file of files) {
        const own = await findFile(file, named, choices, mapping, now)
        for (const source of own) sources.push(requireCollection(source))
      }
      const parts = { catalog, owner: choices.brand ?? sharedOwner, sources }
      return withStore((store) => readStoredContext(needs, parts, store))
    })
  return async (of) => {
    if (!of) return undefined
    const needs = contextNeeds([of])
    if (!needsContext(needs)) return undefined
    const context = contexts.get(of) ?? read(needs)
    contexts.set(of, context)
    return context
  }
}

/** Imports uploaded files in one transaction, or only says what that would change. */
export const importUpload = async (
  parts: ImportParts & Pick<OperatorParts, 'database'>,
  { files, choices, onProgress, requireGoing }: UploadImport,
  dryRun: boolean,
): Promise<UploadResult> => {
  const mapping = await readMapping(files, choices)
  const records = recordFiles(files)
  return withOpen(records, async (named) => {
    const sources: Source[] = []
    for (const file of records) {
      const own = await findFile(file, named, choices, mapping, parts.now())
      // Rows that the mapping has itself are there once for each file.
      const isNew = ({ input, mapping: of }: (typeof own)[number]) =>
        input.kind !== 'given' || sources.every((source) => source.mapping !== of)
      for (const source of own.filter(isNew)) sources.push(requireCollection(source))
    }
    requireScope(sources, choices.brand)
    const report = openReport(undefined)
    const difference = dryRun ? openDifference({ keepsAll: false }) : null
    const result = await importFiles(parts, {
      ...{ sources, names: records.map(({ name }) => name), mapping, dryRun, report },
      ...{ brand: choices.brand ?? undefined, isAdopted: false },
      ...{ replace: choices.replace, allowRemovals: choices.allowRemovals },
      ...{ allowDangling: false, onError: choices.onError },
      changes: difference ?? undefined,
      onProgress: progressOf(sources, records, (progress) => {
        requireGoing()
        onProgress(progress)
      }),
      beforeCommit: requireGoing,
    })
    const broken =
      result.written && choices.brand !== null
        ? ((await checkImport(parts, choices.brand)).rules?.broken ?? null)
        : null
    return {
      ...{ isWritten: result.written, isRefused: result.refused },
      collections: result.collections,
      ...{ errors: report.errors, warnings: report.warnings },
      problems: firstProblems(report),
      changes: difference?.first ?? [],
      waitingRows: result.waiting.reduce((sum, { rows }) => sum + rows, 0),
      brokenRules: broken,
    }
  })
}

const recordFiles = (files: readonly StoredFile[]): readonly StoredFile[] => {
  const records = files.filter(({ kind }) => kind === 'records')
  if (records.length > 0) return records
  throw new OperatorError('usage', 'There is no file with records: add one.')
}

const readMapping = async (
  files: readonly StoredFile[],
  { brand }: UploadChoices,
): Promise<MappingFile | null> => {
  const [file, second] = files.filter(({ kind }) => kind === 'mapping')
  if (!file) return null
  if (second) {
    throw new OperatorError(
      'usage',
      `${file.name} and ${second.name} are mapping files: an import takes one. Remove the other.`,
    )
  }
  const { name, path } = file
  const mapping = await parseMapping({ file: name, text: await readFile(path, 'utf8') })
  requireDecided(mapping)
  if (mapping.brand !== null && mapping.brand !== brand) {
    throw new OperatorError(
      'invalid',
      `${name} is for the brand ${mapping.brand}. Choose that brand, or remove brand from the file.`,
    )
  }
  return { mapping, name, path }
}

/** Opens files by their paths. Their names are those that the sender has given them. */
const withOpen = async <T>(
  files: readonly StoredFile[],
  work: (named: readonly NamedFile[]) => Promise<T>,
): Promise<T> => {
  const handles: FileHandle[] = []
  try {
    for (const { path } of files) handles.push(await open(path))
    return await work(
      files.map(({ name, bytes }, at) => ({
        name,
        opened: { descriptor: handles[at]?.fd ?? -1, bytes },
      })),
    )
  } finally {
    for (const handle of handles) await handle.close()
  }
}

/** The opened file of an upload, which no other one has the name of. */
const namedIn = (all: readonly NamedFile[], { name }: StoredFile): NamedFile =>
  all.find((each) => each.name === name) as NamedFile

const collectionOf = ({ id, collection }: StoredFile, { collections }: UploadChoices) =>
  collections[id] ?? collection

/** The sources of a file: one for each collection that a mapping makes of it. */
const findFile = async (
  file: StoredFile,
  all: readonly NamedFile[],
  choices: UploadChoices,
  mapping: MappingFile | null,
  now: number,
): Promise<readonly (Omit<Source, 'resource'> & { resource: Source['resource'] | null })[]> => {
  const options = { catalog, input: Readable.from([]) }
  const named = namedIn(all, file)
  if (mapping) {
    return findMappedSources([named], {
      ...options,
      otherFiles: all.filter((each) => each !== named),
      ...{ mapping: mapping.mapping, collection: choices.collections[file.id] },
      importedAt: new Date(now).toISOString(),
    })
  }
  const collection = collectionOf(file, choices)
  return collection === null
    ? [{ ...(await openableFile(named, {})), resource: null }]
    : findSources([named], { ...options, collection })
}

const requireCollection = ({
  resource,
  ...source
}: Awaited<ReturnType<typeof findFile>>[number]): Source => {
  if (resource) return { ...source, resource }
  throw new OperatorError('usage', `Choose the collection of the records in ${source.name}.`)
}

/** A brand's records and shared ones are written separately. */
const requireScope = (sources: readonly Source[], brand: string | null): void => {
  const wanted = brand === null ? 'shared' : 'brand'
  const other = sources.find(({ resource }) => resource.scope !== wanted)
  if (!other) return
  const { name, resource } = other
  throw new OperatorError(
    'invalid',
    brand === null
      ? `${name}: the records of ${resource.path} belong to a brand. Choose the brand, or remove the file.`
      : `${name}: the records of ${resource.path} are shared by all brands. Import the file alone, as shared records.`,
  )
}

/** Adds up the progress of all sources. */
const progressOf = (
  sources: readonly Source[],
  files: readonly StoredFile[],
  onProgress: UploadImport['onProgress'],
): NonNullable<Parameters<typeof importFiles>[1]['onProgress']> => {
  const bytesTotal = sources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  let [bytesBefore, rowsBefore] = [0, 0]
  return ({ source, bytes, rows, done }) => {
    const file = done ? null : (files.find(({ name }) => name === source.name)?.id ?? null)
    const read = done ? (source.bytes ?? 0) : bytes
    onProgress({ file, bytes: bytesBefore + read, bytesTotal, rows: rowsBefore + rows })
    if (!done) return
    bytesBefore += read
    rowsBefore += rows
  }
}

const firstProblems = ({ groups }: Report): readonly ProblemGroup[] =>
  groups.slice(0, uploadLimits.problems).map(withoutOptions)

/** Leaves out advice about options of the command line: the page has choices of its own. */
export const inPageWords = (text: string): string => text.replaceAll(optionAdvice, '')

const optionAdvice = /,? or [^,;:]*--[a-z][^,;:]*/g

const withoutOptions = <T extends { readonly reason: string }>(problem: T): T => ({
  ...problem,
  reason: inPageWords(problem.reason),
})

const forPage = (file: string, preview: Omit<FilePreview, 'file'>): FilePreview => ({
  file,
  ...preview,
  problems: preview.problems.map(withoutOptions),
  error: preview.error === null ? null : inPageWords(preview.error),
})
