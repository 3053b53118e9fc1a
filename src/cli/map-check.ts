import { catalog, resourceAt } from '#contract'
import {
  findMappedSources,
  givenSources,
  openReport,
  plainText,
  previewSource,
  type Report,
  type RowProblem,
  readStoredContext,
  type Source,
} from '#ingest'
import {
  type CollectionMapping,
  contextNeeds,
  listOpenValues,
  type Mapping,
  withFirstCandidates,
} from '#mapping'
import { type TriedSource, tryImport } from '#operator'
import { sharedOwner } from '#store'
import { createSourceDatabase, queriesOf, reconcileProblem, withPreviewedQueries } from '#sync'
import { type CheckedMapping, checkText, unusedColumns } from './map-check-text.ts'
import { loadMapping, requireMappedBrand } from './mapping-file.ts'
import type { OpenOptions } from './open-option.ts'
import { createOutput, UsageError } from './output.ts'
import { sourceUrlOf } from './source-url.ts'
import { type TrialStore, withTrialStore } from './trial-store.ts'

export interface CheckOptions extends OpenOptions {
  readonly brand?: string
  readonly sourceUrl?: string
  readonly limit: string
  readonly rows: string
  readonly json?: boolean
}

const rowsMax = 100
const limitMax = 1_000_000
const timeoutMs = 60_000
const bytesMax = 1_024 * 1_024 * 1_024

/** Imports with a mapping for trial, from files or its database, and prints what a run would do. */
export const checkMapping = async (
  file: string,
  paths: readonly string[],
  options: CheckOptions,
): Promise<void> => {
  const samples = wholeNumber(options.rows, '--rows', 0, rowsMax)
  const limit = wholeNumber(options.limit, '--limit', 1, limitMax)
  const mapping = await loadMapping(file)
  requireMappedBrand(mapping, options.brand)
  const owner = ownerOf(mapping, options)
  const report = openReport(undefined)
  const parts = { mapping: withFirstCandidates(mapping), owner, report, samples }
  const tried = await withTrialStore(owner, async (store) => ({
    ...(paths.length > 0
      ? await checkFiles(parts, paths, store)
      : await checkQueries(parts, options, limit, store)),
    isStored: store.isStored,
  }))
  const open = listOpenValues(mapping)
  const brand = options.brand ?? mapping.brand
  const checked = {
    ...{ ...tried, mapping, report, open, brand },
    allowsOpen: Boolean(options.allowOpen),
  }
  createOutput(Boolean(options.json)).result(asJson(checked), () => checkText(checked))
  if (report.errors > 0 || (open.length > 0 && !options.allowOpen)) process.exitCode = 1
}

const wholeNumber = (text: string, option: string, least: number, most: number): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${most.toLocaleString('en')}.`,
  )
}

/** The owner of the records, if neither the mapping nor the command names a brand. */
const unnamedBrand = 'unnamed-brand'

const ownerOf = ({ brand, collections }: Mapping, options: CheckOptions): string => {
  const named = options.brand ?? brand
  if (named) return named
  const isShared = collections.every(
    ({ collection }) => resourceAt(catalog, collection).scope === 'shared',
  )
  return isShared ? sharedOwner : unnamedBrand
}

interface CheckParts {
  readonly mapping: Mapping
  readonly owner: string
  readonly report: Report
  readonly samples: number
}

type Tried = Omit<
  CheckedMapping,
  'mapping' | 'report' | 'open' | 'allowsOpen' | 'brand' | 'isStored'
>

const checkFiles = async (
  parts: CheckParts,
  paths: readonly string[],
  store: TrialStore,
): Promise<Tried> => {
  const { mapping, samples } = parts
  const skipped: string[] = []
  const mapped = await findMappedSources(paths, {
    catalog,
    mapping,
    importedAt: new Date().toISOString(),
    input: process.stdin,
    onSkipped: (path) => skipped.push(plainText(path)),
  })
  const sources = previewed(mapped, samples)
  const missing = missingIn(mapping, sources)
  const incomplete = new Set([...missing, ...unknownIn(sources, store)])
  const trial = await tryImport(store, { ...parts, sources, incomplete, checksRules: true })
  return {
    ...{ ...trial, skipped, isPartial: missing.length > 0 },
    originOf: ({ name }) => name,
    unused: unusedMappings(mapping, sources),
    rowName: 'line',
    extent: null,
    next: 'selvedge import --dry-run',
  }
}

const previewed = (mapped: readonly Source[], samples: number): readonly TriedSource[] =>
  mapped.flatMap((source) =>
    source.mapping
      ? [{ source, previewed: previewSource({ ...source, mapping: source.mapping }, samples) }]
      : [],
  )

const checkQueries = async (
  parts: CheckParts,
  options: CheckOptions,
  limit: number,
  store: TrialStore,
): Promise<Tried> => {
  const { mapping, owner, report, samples } = parts
  const queries = queriesOf(mapping.collections)
  if (queries.length === 0) {
    throw new UsageError(
      `${mapping.file} has no query: name the files to check, as in selvedge map check ${mapping.file} <files>.`,
    )
  }
  const database = createSourceDatabase(sourceUrlOf(mapping, options), { timeoutMs, bytesMax })
  const withoutQuery = mapping.collections.filter(({ from }) => !from.sql && !from.given)
  const others = new Set(withoutQuery.map(({ collection }) => collection))
  const problem = reconcileProblem(queries, others)
  if (problem) report.add(mappingProblem(problem))
  const reading = { catalog, database, queries, owner, report, samples, rowsMax: limit }
  const startedAt = Date.now()
  const importedAt = new Date(startedAt).toISOString()
  const given = givenSources(mapping.collections, { catalog, importedAt })
  const readContext = (own: CollectionMapping, read: readonly Source[]) => {
    const sources = [...given, ...read]
    return readStoredContext(contextNeeds([own]), { catalog, owner, sources }, store.store)
  }
  const previewing = { ...reading, readContext, startedAt }
  return withPreviewedQueries(previewing, async (queried) => {
    const sources = [...previewed(given, samples), ...queried]
    const cut = sources
      .filter(({ previewed }) => previewed.preview().rows >= limit)
      .map(({ source }) => source.resource.path)
    const missing = [...missingIn(mapping, sources), ...cut]
    const incomplete = new Set([...missing, ...unknownIn(sources, store)])
    const checksRules = cut.length === 0
    const trial = await tryImport(store, { ...parts, sources, incomplete, checksRules })
    // Collections from the same rows share their columns.
    const shared = new Map(
      [...Map.groupBy(queries, ({ origin }) => origin.sql).values()].flatMap((all) => {
        const names = all.map(({ name }) => name)
        return names.map((name) => [name, names.join(', ')] as const)
      }),
    )
    return {
      ...{ ...trial, skipped: [], unused: [], isPartial: missing.length > 0 },
      originOf: ({ name }) => shared.get(name) ?? name,
      rowName: 'row',
      extent:
        cut.length > 0
          ? `The first ${limit.toLocaleString('en')} rows of each query were read.`
          : null,
      next: 'selvedge sync --dry-run',
    }
  })
}

/** What is wrong with the mapping as a whole. */
const mappingProblem = (reason: string): RowProblem => ({
  ...{ file: '', line: 0, field: '', value: '', reason, severity: 'error' },
})

/** Collections with a mapping whose rows are not here. */
const missingIn = (
  { collections }: Mapping,
  sources: readonly TriedSource[],
): readonly string[] => {
  const read = new Set(sources.map(({ source }) => source.mapping?.line))
  return collections.filter(({ line }) => !read.has(line)).map(({ collection }) => collection)
}

/** Without stored records, nothing is known of the collections that the mapping does not have. */
const unknownIn = (
  sources: readonly TriedSource[],
  { isStored }: TrialStore,
): readonly string[] => {
  const present = new Set(sources.map(({ source }) => source.resource.path))
  return isStored
    ? []
    : catalog.resources.map(({ path }) => path).filter((path) => !present.has(path))
}

/** Collections without a file. */
const unusedMappings = (
  { collections }: Mapping,
  sources: readonly TriedSource[],
): readonly string[] => {
  const lines = new Set(sources.map(({ source }) => source.mapping?.line))
  return collections
    .filter(({ line, from }) => from.files && !lines.has(line))
    .map(({ collection }) => collection)
}

const asJson = (checked: CheckedMapping) => {
  const { mapping, previews, result, rules, open, report, unused, skipped, isStored } = checked
  return {
    mapping: mapping.file,
    sources: previews,
    collections: result.collections.map(({ seconds: _, ...each }) => each),
    unusedColumns: unusedColumns(checked),
    collectionsWithoutFile: unused,
    skipped,
    open,
    isComparedWithStored: isStored,
    isPartial: checked.isPartial,
    errors: report.errors,
    warnings: report.warnings,
    problems: report.first,
    groups: report.groups,
    rules,
  }
}
