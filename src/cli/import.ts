import { type Command, InvalidArgumentError, Option } from 'commander'
import { catalog, formatCount } from '#contract'
import {
  type CollectionResult,
  type Difference,
  type Encoding,
  encodings,
  type Format,
  findMappedSources,
  findSources,
  formats,
  type IngestResult,
  limitHeap,
  openDifference,
  openReport,
  plainText,
  type Report,
} from '#ingest'
import { checkImport, hasBrandRecord, type ImportCheck, importFiles } from '#operator'
import type { Records } from '#server'
import { sharedOwner } from '#store'
import { changeLines, printJson } from './dry-run.ts'
import {
  addOwnerOptions,
  addRowOptions,
  type FileImportOptions,
  readOwner,
  requireOneChoice,
  rowHandling,
} from './import-options.ts'
import { asTable, CommandError, UsageError } from './output.ts'
import { problemSentence } from './problem-sentence.ts'
import { createProgress } from './progress.ts'
import { operatorOf, withRecords } from './records.ts'
import { withUnits } from './units.ts'
import { writeTokenOf } from './write-token.ts'

interface ImportOptions extends FileImportOptions {
  readonly format?: Format
  readonly encoding?: Encoding
  readonly delimiter?: keyof typeof delimitersByName
  readonly sheet?: string
  readonly headerRow?: number
  readonly remove?: boolean
  readonly asBrand?: string
  readonly dryRun?: boolean
  readonly report?: string
  readonly check: boolean
  readonly json?: boolean
}

const delimitersByName = { comma: ',', semicolon: ';', tab: '\t', bar: '|' } as const

const shownProblems = 20
const shownSkipped = 20

export const addImport = (program: Command): void => {
  const command = program
    .command('import')
    .description('Import records from files, all or nothing.')
    .argument(
      '<path...>',
      'files or folders; files are named after their collection: orders.ndjson, orders.json, orders.csv, orders.tsv, orders.xlsx or orders.parquet, each also with .gz; - reads standard input',
    )
  addOwnerOptions(command)
    .option(
      '--as-brand <slug>',
      'the brand that takes the export of another brand, instead of --brand; created with its record if it does not exist',
    )
    .addOption(
      new Option('--format <format>', 'the format, instead of the file extension').choices(formats),
    )
    .addOption(
      new Option('--encoding <encoding>', 'the encoding of CSV files (default: utf-8)').choices(
        encodings,
      ),
    )
    .addOption(
      new Option(
        '--delimiter <delimiter>',
        'what separates the cells of CSV files, instead of what the header has most of',
      ).choices(Object.keys(delimitersByName)),
    )
    .option('--sheet <name>', 'the sheet of Excel workbooks, instead of the first')
    .addOption(
      new Option(
        '--header-row <number>',
        'the row that names the columns of CSV files and Excel workbooks',
      ).argParser(rowNumber),
    )
    .option('--replace', 'remove stored records of these collections that are not in the files')
    .option('--remove', 'remove the records that the files name, instead of importing them')
  addRowOptions(command, 'refuse')
    .option('--dry-run', 'validate, and report the changes without writing')
    .option('--report <file>', 'write all problems to a file, as NDJSON')
    .option('--no-check', 'do not check the business rules after the import; a running server does')
    .option('--json', 'print JSON')
    .action((paths: string[], options: ImportOptions) => importPaths(paths, options))
}

const importPaths = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const { mapping, brand } = await readOwner(
    options.asBrand === undefined ? options : asBrandOptions(options, options.asBrand),
  )
  requireOneChoice(options)
  if (options.remove && (mapping || options.replace)) {
    throw new UsageError(
      '--remove takes neither --replace nor --map: its files name records by their identity.',
    )
  }
  const owner = brand ?? sharedOwner
  const { collection, format, encoding, sheet, headerRow } = options
  const delimiter = options.delimiter && delimitersByName[options.delimiter]
  const skipped: string[] = []
  const find = {
    catalog,
    collection,
    format,
    table: { encoding, delimiter, sheet, headerRow },
    input: process.stdin,
    onSkipped: (path: string) => skipped.push(plainText(path)),
  }
  const sources = mapping
    ? await findMappedSources(paths, { ...find, mapping, importedAt: new Date().toISOString() })
    : (await findSources(paths, find)).map((source) => ({
        ...source,
        removes: Boolean(options.remove),
      }))
  limitHeap()
  const work = async (records: Records) => {
    const parts = operatorOf(records)
    const report = openReportFile(options.report)
    const progress = createProgress()
    const difference = options.dryRun ? openDifference({ keepsAll: Boolean(options.json) }) : null
    const result = await importFiles(
      { ...parts, withUnits: (run) => withUnits(records, run) },
      {
        ...{ sources, names: paths, brand, report },
        isAdopted: options.asBrand !== undefined,
        mapping: mapping && { mapping, name: mapping.file, path: mapping.file },
        replace: Boolean(options.replace),
        allowRemovals: Boolean(options.allowRemovals),
        dryRun: Boolean(options.dryRun),
        allowDangling: Boolean(options.allowDangling),
        ...rowHandling(options, 'refuse'),
        changes: difference ?? undefined,
        onProgress: ({ source, bytes, rows, done }) => {
          if (done) {
            if (!options.json) progress.end(source.name, rows, 'rows')
          } else if (!options.json) {
            progress.show(source.name, rows, 'rows', source.bytes ? bytes / source.bytes : null)
          }
        },
      },
    ).finally(() => report.close())
    const writeToken = writeTokenOf(records, owner, result.change)
    const printed = { ...options, ...(brand && { brand }) }
    const print = (rules: ImportCheck['rules']) =>
      printResult({ ...result, writeToken, rules, difference }, report, skipped, printed)
    if (!options.json) await print(null)
    if (result.refused) process.exitCode = 1
    const check = result.written && options.check && brand ? await checkImport(parts, brand) : null
    if (options.json) await print(check?.rules ?? null)
    else if (check?.sentence) process.stderr.write(`${check.sentence}\n`)
    difference?.close()
  }
  // Without a brand record, the database must already have the brand.
  await withRecords(work, { creates: Boolean(options.shared) || hasBrandRecord(sources) })
}

/** The options with the adopting brand as the owner. */
const asBrandOptions = (options: ImportOptions, brand: string): ImportOptions => {
  if (options.brand || options.shared || options.map || options.remove) {
    throw new UsageError(
      '--as-brand takes the export of another brand, without --brand, --shared, --map and --remove.',
    )
  }
  return { ...options, brand }
}

const rowNumber = (text: string): number => {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (number > 0) return number
  throw new InvalidArgumentError('A row is named by its number, from 1 on.')
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

interface PrintedResult extends IngestResult, Pick<ImportCheck, 'rules'> {
  readonly writeToken: string | null
  /** Of a dry run. */
  readonly difference: Difference | null
}

const printResult = async (
  result: PrintedResult,
  report: Report,
  skipped: readonly string[],
  options: ImportOptions,
): Promise<void> => {
  const { collections, waiting, written, writeToken, rules, difference } = result
  const refused = collections.reduce((sum, each) => sum + each.refused, 0)
  const value = {
    written,
    dryRun: Boolean(options.dryRun),
    collections,
    waiting,
    errors: report.errors,
    warnings: report.warnings,
    problems: report.first,
    groups: report.groups,
    passedOver: skipped,
    writeToken,
    rules,
  }
  if (options.json) return printJson(value, difference)
  const changes = difference ? changeLines(difference, collections) : []
  const lines = [
    asTable(columns, collections.map(rowOf)),
    '',
    ...changes,
    ...(changes.length > 0 ? [''] : []),
    outcome(written, refused, report, options),
    ...collections
      .filter(({ keptMissing }) => keptMissing)
      .map(
        ({ collection }) =>
          `Nothing was removed from ${collection}, because some of its rows were refused.`,
      ),
    ...parkedSentences(result, options),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (skipped.length > 0) process.stderr.write(`${skippedSentence(skipped, options.map)}\n`)
  if (report.first.length === 0) return
  const shown = report.groups.slice(0, shownProblems)
  process.stderr.write(`${shown.map(problemSentence).join('\n')}\n`)
  const listed = shown.reduce((sum, { problems }) => sum + problems, 0)
  const more = report.errors + report.warnings - listed
  if (more > 0) {
    process.stderr.write(
      `… and ${more.toLocaleString('en')} more; ${options.report ? `all are in ${options.report}` : '--report <file> writes all of them'}.\n`,
    )
  }
}

const columns = [
  ...['collection', 'read', 'new', 'changed', 'unchanged', 'removed'],
  ...['parked', 'refused', 'seconds'],
]

const rowOf = (each: CollectionResult): readonly string[] => [
  each.collection,
  ...[each.read, each.added, each.changed, each.unchanged, each.removed].map(String),
  ...[each.parked, each.refused].map(String),
  each.seconds.toFixed(1),
]

/** The number of rows in quarantine, and of those that were stored now. */
const parkedSentences = (
  { collections, waiting }: IngestResult,
  { brand, dryRun }: ImportOptions,
): readonly string[] => {
  const unparked = collections.reduce((sum, each) => sum + each.unparked, 0)
  const left = waiting.reduce((sum, { rows }) => sum + rows, 0)
  const owner = brand ? `--brand ${brand}` : '--shared'
  const would = dryRun ? 'would ' : ''
  return [
    ...(unparked > 0
      ? [`${formatCount(unparked, 'quarantined row')} ${dryRun ? 'would come' : 'came'} in.`]
      : []),
    ...(left > 0
      ? [
          `${formatCount(left, 'row')} ${would ? 'would be' : left > 1 ? 'are' : 'is'} in quarantine: selvedge intake rows ${owner}`,
        ]
      : []),
  ]
}

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
    return `Imported, without ${formatCount(refused, 'row')} that ${refused > 1 ? 'have' : 'has'} problems.${warned}`
  return `Imported.${warned}`
}

const skippedSentence = (paths: readonly string[], map: string | undefined): string => {
  const more = paths.length - shownSkipped
  const named = paths.slice(0, shownSkipped).join(', ')
  return `skipped, because no ${map ? `pattern of ${map} matches` : 'collection has such a name'}: ${named}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}
