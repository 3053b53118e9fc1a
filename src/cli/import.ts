import { setFlagsFromString } from 'node:v8'
import { type Command, Option } from 'commander'
import { catalog, formatCount } from '#contract'
import {
  type CollectionResult,
  type Format,
  findSources,
  type IngestResult,
  ingest,
  openReport,
  type ProblemGroup,
  plainText,
  type Report,
} from '#ingest'
import type { Records } from '#server'
import { sharedOwner } from '#store'
import { requireBrand, requireSlug } from './brand.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { createProgress } from './progress.ts'
import { withRecords } from './records.ts'

interface ImportOptions {
  readonly brand?: string
  readonly shared?: boolean
  readonly collection?: string
  readonly format?: Format
  readonly replace?: boolean
  readonly allowRemovals?: boolean
  readonly dryRun?: boolean
  readonly allowDangling?: boolean
  readonly skipInvalid?: boolean
  readonly report?: string
  readonly json?: boolean
}

const shownProblems = 20
const shownSkipped = 20

export const addImport = (program: Command): void => {
  program
    .command('import')
    .description('Import records from files, all or nothing.')
    .argument(
      '<path...>',
      'files or folders; files are named after their collection: orders.ndjson, orders.json, orders.csv or orders.tsv, each also with .gz; - reads standard input',
    )
    .option('--brand <slug>', 'the brand that owns the records')
    .option('--shared', 'the records are shared by all brands')
    .option('--collection <path>', 'the collection, instead of the one in the file name')
    .addOption(
      new Option('--format <format>', 'the format, instead of the file extension').choices([
        'ndjson',
        'json',
        'csv',
      ]),
    )
    .option('--replace', 'remove stored records of these collections that are not in the files')
    .option('--allow-removals', 'allow --replace to remove more than half of a collection')
    .option('--dry-run', 'validate and report without writing')
    .option('--allow-dangling', 'report references to missing records as warnings')
    .option('--skip-invalid', 'import the valid rows even if others are invalid')
    .option('--report <file>', 'write all problems to a file, as NDJSON')
    .option('--json', 'print JSON')
    .action((paths: string[], options: ImportOptions) => importPaths(paths, options))
}

const importPaths = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  if (Boolean(options.brand) === Boolean(options.shared)) {
    throw new UsageError('Name the owner of the records: use either --brand <slug> or --shared.')
  }
  const owner = options.brand ?? sharedOwner
  const { collection, format } = options
  const skipped: string[] = []
  const sources = await findSources(paths, {
    catalog,
    collection,
    format,
    input: process.stdin,
    onSkipped: (path) => skipped.push(plainText(path)),
  })
  // What an import allocates is garbage after its batch; a growing heap would only use memory.
  setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=20')
  const hasBrandRecord = sources.some(({ resource }) => resource.lookup !== undefined)
  const work = async ({ store }: Records) => {
    if (options.brand && hasBrandRecord) requireSlug(options.brand)
    else if (options.brand) await requireBrand(store, options.brand)
    const report = openReportFile(options.report)
    const progress = createProgress()
    const result = await ingest({
      store,
      sources,
      owner,
      replace: Boolean(options.replace),
      allowRemovals: Boolean(options.allowRemovals),
      dryRun: Boolean(options.dryRun),
      allowDangling: Boolean(options.allowDangling),
      skipInvalid: Boolean(options.skipInvalid),
      report,
      now: () => performance.now(),
      onProgress: ({ source, bytes, rows, done }) => {
        if (done) {
          if (!options.json) progress.end(source.name, rows, 'rows')
        } else if (!options.json) {
          progress.show(source.name, rows, 'rows', source.bytes ? bytes / source.bytes : null)
        }
      },
    }).finally(() => report.close())
    printResult(result, report, skipped, options)
    if (result.refused) process.exitCode = 1
  }
  // Records without their brand's own need a database that has the brand.
  await withRecords(work, { creates: Boolean(options.shared) || hasBrandRecord })
}

const openReportFile = (file: string | undefined): Report => {
  try {
    return openReport(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandError(
      `The report cannot be written to ${file}: ${code}. Choose another path for --report.`,
    )
  }
}

const printResult = (
  result: IngestResult,
  report: Report,
  skipped: readonly string[],
  options: ImportOptions,
): void => {
  const { collections, written } = result
  const refused = collections.reduce((sum, each) => sum + each.refused, 0)
  const value = {
    written,
    dryRun: Boolean(options.dryRun),
    collections,
    errors: report.errors,
    warnings: report.warnings,
    problems: report.first,
    groups: report.groups,
    passedOver: skipped,
  }
  createOutput(Boolean(options.json)).result(value, () =>
    [
      asTable(
        ['collection', 'read', 'new', 'changed', 'unchanged', 'removed', 'refused', 'seconds'],
        collections.map(rowOf),
      ),
      '',
      outcome(written, refused, report, options),
      ...collections
        .filter(({ keptMissing }) => keptMissing)
        .map(
          ({ collection }) =>
            `Nothing was removed from ${collection}, because some of its rows were refused.`,
        ),
    ].join('\n'),
  )
  if (options.json) return
  if (skipped.length > 0) process.stderr.write(`${skippedSentence(skipped)}\n`)
  if (report.first.length === 0) return
  const shown = report.groups.slice(0, shownProblems)
  process.stderr.write(`${shown.map(sentenceOf).join('\n')}\n`)
  const listed = shown.reduce((sum, { problems }) => sum + problems, 0)
  const more = report.errors + report.warnings - listed
  if (more > 0) {
    process.stderr.write(
      `… and ${more.toLocaleString('en')} more; ${options.report ? `all are in ${options.report}` : '--report <file> writes all of them'}.\n`,
    )
  }
}

const rowOf = (each: CollectionResult): readonly string[] => [
  each.collection,
  ...[each.read, each.added, each.changed, each.unchanged, each.removed, each.refused].map(String),
  each.seconds.toFixed(1),
]

const outcome = (
  written: boolean,
  refused: number,
  { errors, warnings }: Report,
  { dryRun }: ImportOptions,
): string => {
  const warned = warnings > 0 ? ` ${formatCount(warnings, 'warning')}.` : ''
  const problems = formatCount(errors, 'problem')
  if (!written && dryRun) {
    return errors === 0
      ? `Everything is in order. This was a dry run: nothing was written.${warned}`
      : `${problems} in ${formatCount(refused, 'row')}. This was a dry run: nothing was written.${warned}`
  }
  if (!written) return `Nothing was written: ${problems}.${warned}`
  if (refused > 0)
    return `Imported, without ${formatCount(refused, 'row')} that had problems.${warned}`
  return `Imported.${warned}`
}

const skippedSentence = (paths: readonly string[]): string => {
  const more = paths.length - shownSkipped
  const named = paths.slice(0, shownSkipped).join(', ')
  return `skipped, because no collection has such a name: ${named}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}

/** One problem with its place; for several alike, the first place and how many there are. */
const sentenceOf = (group: ProblemGroup): string => {
  const { file, line, field, value, reason, severity, problems, rows } = group
  const shownValue = value && `(${value})`
  const place = line > 0 ? `${file}:${line}` : file
  const parts =
    problems === 1
      ? [place, field, shownValue, reason]
      : rows === 0
        ? [file, field, shownValue, `${reason}; ${formatCount(problems, 'such problem')} in all`]
        : [file, field, `${reason}: ${formatCount(rows, 'row')}, first at line ${line}`, shownValue]
  return plainText(`${severity}: ${parts.filter(Boolean).join(' ')}`)
}
