import { catalog, formatCount, type JsonValue, leafFields, resourceAt, valueAt } from '#contract'
import {
  createSeenIdentities,
  findMappedSources,
  openReport,
  type PreviewOptions,
  plainText,
  previewSource,
  type Report,
  type RowProblem,
  type SourcePreview,
} from '#ingest'
import { fieldOrigin, type Mapping } from '#mapping'
import { sharedOwner } from '#store'
import { createSourceDatabase, previewQueries, queriesOf, reconcileProblem } from '#sync'
import { loadMapping } from './mapping-file.ts'
import { createOutput, UsageError } from './output.ts'
import { problemSentence } from './problem-sentence.ts'
import { sourceUrlOf } from './source-url.ts'

export interface CheckOptions {
  readonly brand?: string
  readonly sourceUrl?: string
  readonly limit: string
  readonly rows: string
  readonly json?: boolean
}

const shownProblems = 20
const rowsMax = 100
const limitMax = 1_000_000
const timeoutMs = 60_000
const bytesMax = 1_024 * 1_024 * 1_024

/** The sources of a mapping check, and the results. */
interface CheckedMapping {
  readonly mapping: Mapping
  readonly previews: readonly SourcePreview[]
  readonly report: Report
  /** The origin of a preview: several collections may use the same columns. */
  readonly originOf: (preview: SourcePreview) => string
  /** Collections without a file, and files without a collection. */
  readonly unused: readonly string[]
  readonly skipped: readonly string[]
  /** The noun for counting rows. */
  readonly rowName: string
  /** The rows that were read, if not all. */
  readonly extent: string | null
  /** The command for a complete check. */
  readonly next: string
}

/** Runs a mapping over files or its database and prints the results. Stores nothing. */
export const checkMapping = async (
  file: string,
  paths: readonly string[],
  options: CheckOptions,
): Promise<void> => {
  const samples = wholeNumber(options.rows, '--rows', 0, rowsMax)
  const limit = wholeNumber(options.limit, '--limit', 1, limitMax)
  const mapping = await loadMapping(file)
  const parts = {
    owner: options.brand ?? mapping.brand ?? sharedOwner,
    report: openReport(undefined),
    samples,
    identities: createSeenIdentities(),
  }
  const checked =
    paths.length > 0
      ? await checkFiles(mapping, paths, parts)
      : await checkQueries(mapping, options, limit, parts)
  const { previews, unused, skipped, report } = checked
  createOutput(Boolean(options.json)).result(
    {
      mapping: mapping.file,
      sources: previews,
      unusedColumns: unusedColumns(checked),
      collectionsWithoutFile: unused,
      skipped,
      errors: report.errors,
      problems: report.first,
      groups: report.groups,
    },
    () => textOf(checked),
  )
  if (report.errors > 0) process.exitCode = 1
}

const wholeNumber = (text: string, option: string, least: number, most: number): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${most.toLocaleString('en')}.`,
  )
}

const checkFiles = async (
  mapping: Mapping,
  paths: readonly string[],
  parts: PreviewOptions,
): Promise<CheckedMapping> => {
  const skipped: string[] = []
  const sources = await findMappedSources(paths, {
    catalog,
    mapping,
    importedAt: new Date().toISOString(),
    input: process.stdin,
    onSkipped: (path) => skipped.push(plainText(path)),
  })
  const previews: SourcePreview[] = []
  for (const source of sources) previews.push(await previewSource(source, parts))
  return {
    ...{ mapping, previews, report: parts.report, skipped },
    originOf: ({ name }) => name,
    unused: unusedMappings(mapping, previews),
    rowName: 'line',
    extent: null,
    next: 'selvedge import --dry-run',
  }
}

const checkQueries = async (
  mapping: Mapping,
  options: CheckOptions,
  limit: number,
  parts: PreviewOptions,
): Promise<CheckedMapping> => {
  const queries = queriesOf(mapping.collections)
  if (queries.length === 0) {
    throw new UsageError(
      `${mapping.file} has no query: name the files to check, as in selvedge map check ${mapping.file} <files>.`,
    )
  }
  const database = createSourceDatabase(sourceUrlOf(mapping, options), {
    timeoutMs,
    bytesMax,
  })
  const withoutQuery = mapping.collections.filter(({ from }) => !from.sql)
  const others = new Set(withoutQuery.map(({ collection }) => collection))
  const problem = reconcileProblem(queries, others)
  if (problem) parts.report.add(mappingProblem(problem))
  const startedAt = Date.now()
  const previews = await previewQueries({
    ...{ ...parts, catalog, database, queries, rowsMax: limit, startedAt },
  })
  // Collections from the same rows share their columns.
  const shared = new Map(
    [...Map.groupBy(queries, ({ origin }) => origin.sql).values()].flatMap((all) => {
      const names = all.map(({ name }) => name)
      return names.map((name) => [name, names.join(', ')] as const)
    }),
  )
  const isCut = previews.some(({ rows }) => rows >= limit)
  return {
    ...{ mapping, previews, report: parts.report, skipped: [], unused: [] },
    originOf: ({ name }) => shared.get(name) ?? name,
    rowName: 'row',
    extent: isCut ? `The first ${limit.toLocaleString('en')} rows of each query were read.` : null,
    next: 'selvedge sync --dry-run',
  }
}

/** What is wrong with the mapping as a whole. */
const mappingProblem = (reason: string): RowProblem => ({
  ...{ file: '', line: 0, field: '', value: '', reason, severity: 'error' },
})

/** Collections without a file. */
const unusedMappings = (
  { collections }: Mapping,
  previews: readonly SourcePreview[],
): readonly string[] => {
  const lines = new Set(previews.map(({ mappingLine }) => mappingLine))
  return collections
    .filter(({ line, from }) => from.files && !lines.has(line))
    .map(({ collection }) => collection)
}

/** Columns of each file or query that no collection uses. */
const unusedColumns = ({
  previews,
  originOf,
}: CheckedMapping): { readonly [origin: string]: readonly string[] } =>
  Object.fromEntries(
    [...Map.groupBy(previews, originOf)].map(([origin, all]) => [
      origin,
      (all[0]?.columns ?? []).filter((column) =>
        all.every((each) => each.unusedColumns.includes(column)),
      ),
    ]),
  )

const textOf = (checked: CheckedMapping): string => {
  const { previews, unused, skipped, report, extent, next } = checked
  const groups = report.groups.slice(0, shownProblems)
  const listed = groups.reduce((sum, { problems }) => sum + problems, 0)
  const more = report.errors + report.warnings - listed
  return plainLines([
    ...previews.flatMap((preview) => [...previewLines(checked, preview), '']),
    ...Object.entries(unusedColumns(checked)).flatMap(([name, columns]) =>
      columns.length > 0 ? [`${name}: no collection uses the columns ${columns.join(', ')}`] : [],
    ),
    ...(skipped.length > 0 ? [`skipped, because no pattern matches: ${skipped.join(', ')}`] : []),
    ...unused.map((collection) => `${collection}: no file matches its pattern`),
    ...groups.map(problemSentence),
    ...(more > 0 ? [`… and ${more.toLocaleString('en')} more problems`] : []),
    ...(extent ? [extent] : []),
    report.errors > 0
      ? `${formatCount(report.errors, 'problem')} in ${formatCount(
          previews.reduce((sum, { refused }) => sum + refused, 0),
          'row',
        )}.`
      : `Every row becomes a record. Keys and references are checked by ${next}.`,
  ])
}

const plainLines = (lines: readonly string[]): string => lines.map(plainText).join('\n')

const previewLines = (checked: CheckedMapping, preview: SourcePreview): readonly string[] => {
  const { name, collection, mappingLine, rows, leftOut, removals, records, fields } = preview
  const counts = [
    formatCount(records, 'record'),
    ...(leftOut > 0 ? [`${leftOut.toLocaleString('en')} left out`] : []),
    ...(removals > 0 ? [formatCount(removals, 'removal')] : []),
    ...(preview.refused > 0 ? [`${preview.refused.toLocaleString('en')} with problems`] : []),
  ]
  const mapped = fields.filter(({ isMapped }) => isMapped)
  const empty = mapped.filter(({ filled }) => filled === 0 && records > 0)
  const missing = fields.filter(({ isMapped, field }) => !isMapped && field !== 'id')
  return [
    `${name} → ${collection} (${checked.mapping.file}:${mappingLine})`,
    `  ${formatCount(rows, 'row')}: ${counts.join(', ')}`,
    `  ${mapped.length} of ${fields.length} fields are mapped${empty.length > 0 ? `; always empty: ${empty.map(({ field }) => field).join(', ')}` : ''}`,
    ...(missing.length > 0 ? [`  null: ${missing.map(({ field }) => field).join(', ')}`] : []),
    ...preview.samples.flatMap((sample) => sampleLines(checked, preview, sample)),
  ]
}

/** A record, with each value beside its source cells. */
const sampleLines = (
  { mapping, rowName }: CheckedMapping,
  { collection, mappingLine }: SourcePreview,
  { line, before, after }: SourcePreview['samples'][number],
): readonly string[] => {
  const own = mapping.collections.find((each) => each.line === mappingLine)
  const leaves = leafFields(resourceAt(catalog, collection).fields)
  const shown = leaves
    .map((leaf) => ({
      name: leaf.name,
      pointer: `/${leaf.path.join('/')}`,
      value: valueAt(after, leaf.path),
    }))
    .filter(({ value }) => value !== null)
  const nameWidth = Math.max(0, ...shown.map(({ name }) => name.length))
  const texts = shown.map(({ value }) => shortText(value))
  const valueWidth = Math.max(0, ...texts.map((text) => text.length))
  return [
    `  ${rowName} ${line}:`,
    ...shown.map(({ name, pointer }, index) => {
      const { column } = own ? fieldOrigin(own, pointer) : { column: '' }
      const cells = column
        .split(', ')
        .filter((each) => Object.hasOwn(before, each))
        .map((each) => `${each} ${shortText(before[each] ?? null) || '(empty)'}`)
      const origin = cells.length > 0 ? `← ${cells.join(', ')}` : ''
      return `    ${name.padEnd(nameWidth)}  ${(texts[index] ?? '').padEnd(valueWidth)}  ${origin}`.trimEnd()
    }),
  ]
}

const textLengthMax = 40

const shortText = (value: JsonValue): string => {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text
}
