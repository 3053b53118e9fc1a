import { setFlagsFromString } from 'node:v8'
import { type Command, Option } from 'commander'
import { catalog, patterns } from '#contract'
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
import { requireBrand } from './brand.ts'
import { asTable, CommandError, counted, createOutput, UsageError } from './output.ts'
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
const shownPassedOver = 20

export const addImport = (program: Command): void => {
  program
    .command('import')
    .description('Bring records in from files, all or nothing.')
    .argument(
      '<path...>',
      'files or folders; a file is named after its collection: orders.ndjson, orders.json, orders.csv, orders.tsv, each also .gz; - reads standard input',
    )
    .option('--brand <slug>', 'the brand that the records belong to')
    .option('--shared', 'the records are shared by all brands')
    .option('--collection <path>', 'the collection, instead of what the file is named after')
    .addOption(
      new Option(
        '--format <format>',
        'the format, instead of what the file is named after',
      ).choices(['ndjson', 'json', 'csv']),
    )
    .option('--replace', 'remove what is stored of the given collections and not in the files')
    .option(
      '--allow-removals',
      'let --replace remove more than half of the records that a collection has',
    )
    .option('--dry-run', 'check and report, write nothing')
    .option('--allow-dangling', 'references that point nowhere are warnings')
    .option('--skip-invalid', 'load the good rows although there are bad ones')
    .option('--report <file>', 'write every problem to a file, as NDJSON')
    .option('--json', 'print JSON')
    .action((paths: string[], options: ImportOptions) => importPaths(paths, options))
}

const importPaths = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  if (Boolean(options.brand) === Boolean(options.shared)) {
    throw new UsageError(
      'Say whose records these are: --brand <slug>, or --shared. One of the two.',
    )
  }
  const owner = options.brand ?? sharedOwner
  const { collection, format } = options
  const passedOver: string[] = []
  const sources = await findSources(paths, {
    catalog,
    collection,
    format,
    input: process.stdin,
    onSkipped: (path) => passedOver.push(plainText(path)),
  })
  // What an import makes is gone with its batch; room for it that grows is memory for nothing.
  setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=20')
  const bringsBrand = sources.some(({ resource }) => resource.lookup !== undefined)
  const work = async ({ store }: Records) => {
    if (options.brand && bringsBrand && !new RegExp(patterns.brand).test(options.brand)) {
      throw new CommandError(
        `"${options.brand}" is not a valid slug: 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end.`,
      )
    }
    if (options.brand && !bringsBrand) await requireBrand(store, options.brand)
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
    tell(result, report, passedOver, options)
    if (result.refused) process.exitCode = 1
  }
  // Without its brand, records can go only where the brand is.
  await withRecords(work, { creates: Boolean(options.shared) || bringsBrand })
}

const openReportFile = (file: string | undefined): Report => {
  try {
    return openReport(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandError(`The report cannot be written to ${file}: ${code}.`)
  }
}

const tell = (
  result: IngestResult,
  report: Report,
  passedOver: readonly string[],
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
    passedOver,
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
  if (passedOver.length > 0) process.stderr.write(`${passedOverSentence(passedOver)}\n`)
  if (report.first.length === 0) return
  const shown = report.groups.slice(0, shownProblems)
  process.stderr.write(`${shown.map(sentenceOf).join('\n')}\n`)
  const told = shown.reduce((sum, { problems }) => sum + problems, 0)
  const more = report.errors + report.warnings - told
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
  const warned = warnings > 0 ? ` ${counted(warnings, 'warning')}.` : ''
  const problems = counted(errors, 'problem')
  if (!written && dryRun) {
    return errors === 0
      ? `Everything is in order. This was a dry run: nothing was written.${warned}`
      : `${problems} in ${counted(refused, 'row')}. This was a dry run: nothing was written.${warned}`
  }
  if (!written) return `Nothing was written: ${problems}.${warned}`
  if (refused > 0) return `Imported, without ${counted(refused, 'row')} that had problems.${warned}`
  return `Imported.${warned}`
}

const passedOverSentence = (paths: readonly string[]): string => {
  const more = paths.length - shownPassedOver
  const named = paths.slice(0, shownPassedOver).join(', ')
  return `passed over: ${named}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}

/** One problem with its place; of several that are alike the first place, and how many there are. */
const sentenceOf = (group: ProblemGroup): string => {
  const { file, line, field, value, reason, severity, problems, rows } = group
  const found = value && `(${value})`
  const place = line > 0 ? `${file}:${line}` : file
  const parts =
    problems === 1
      ? [place, field, found, reason]
      : rows === 0
        ? [file, field, found, `${reason}; ${counted(problems, 'such problem')} in all`]
        : [file, field, `${reason}: ${counted(rows, 'row')}, first at line ${line}`, found]
  return plainText(`${severity}: ${parts.filter(Boolean).join(' ')}`)
}
