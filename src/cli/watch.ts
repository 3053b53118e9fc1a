import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { catalog, formatCount, inImportOrder, referencesOf, resourceAt } from '#contract'
import { sha256Of } from '#files'
import {
  correctedName,
  findMappedSources,
  findSources,
  type IngestResult,
  isCorrectionName,
  joinPatterns,
  limitHeap,
  plainText,
  type Report,
  SourceError,
} from '#ingest'
import type { Units } from '#intake'
import { type Mapping, mappingsFor, matchesPattern } from '#mapping'
import { checkImport, readDuration, requireBrand } from '#operator'
import { openBackgroundChecks, type Records, readServiceConfig, uncheckedRules } from '#server'
import { hasProcessEnded, processName, sharedOwner } from '#store'
import {
  bucketInbox,
  type FileOutcome,
  type FileSubject,
  folderInbox,
  type Inbox,
  InboxError,
  stemOf,
  WatchedElsewhereError,
  watch,
} from '#watch'
import { isBucket, openBucketClient } from './bucket.ts'
import {
  addOwnerOptions,
  addRowOptions,
  type FileImportOptions,
  readOwner,
  requireOneChoice,
  rowHandling,
} from './import-options.ts'
import { noteMapping } from './mapping-file.ts'
import { CommandError, logLine, UsageError } from './output.ts'
import { problemSentence } from './problem-sentence.ts'
import { operatorOf, withRecords } from './records.ts'
import { withUnits } from './units.ts'

interface WatchOptions extends FileImportOptions {
  readonly settle: string
  readonly done?: boolean
  readonly allowUnterminated?: boolean
  readonly every: string
  readonly once?: boolean
  readonly ignore?: readonly string[]
  readonly check: boolean
  readonly json?: boolean
}

export const addWatch = (program: Command): void => {
  const command = program
    .command('watch')
    .description(
      'Import every file that is dropped into a folder or a bucket, one after the other, and move it to processed/ or failed/.',
    )
    .argument('<folder>', 'the folder, or s3://bucket/prefix?endpoint=…&region=…')
  addOwnerOptions(command).option(
    '--replace',
    'remove stored records of a collection that are not in its file',
  )
  addRowOptions(command, 'quarantine')
    .option(
      '--settle <duration>',
      'how long a file has to be unchanged; 0s if files are renamed into place. Objects of a bucket are complete when they appear',
      '10s',
    )
    .option('--done', 'take a file only when a file of its name with .done is there')
    .option(
      '--allow-unterminated',
      'take CSV files that end without a line break, as if they were cut off. Others are taken with a marker or after a rename only',
    )
    .option('--every <duration>', 'how often the folder or the bucket is listed', '5s')
    .option('--once', 'end when no complete file is left')
    .option(
      '--ignore <pattern>',
      'leave files alone whose names match, such as *.pdf; can be repeated',
      (pattern: string, before: readonly string[] = []) => [...before, pattern],
    )
    .option('--no-check', 'do not check the business rules after an import; a running server does')
    .option('--json', 'print JSON, a line for each file')
    .action((folder: string, options: WatchOptions) => watchFolder(folder, options))
}

const watchFolder = async (address: string, options: WatchOptions): Promise<void> => {
  const { mapping, brand } = await readOwner(options)
  const mappingHash = options.map === undefined ? '' : await sha256Of(options.map)
  requireOneChoice(options)
  const [settleMs, everyMs] = [options.settle, options.every].map(
    (text) => readDuration(text) * 1_000,
  ) as [number, number]
  if (everyMs < 1_000 || everyMs > everyMsMax) {
    throw new UsageError(`"${options.every}" is not a valid value of --every. Use 1s to 1h.`)
  }
  const { ignore = [] } = options
  const inbox = await openInbox(address, (name) =>
    ignore.some((pattern) => matchesPattern(pattern, name)),
  )
  limitHeap()
  const wanted = { ...options, brand, mapping, mappingHash, settleMs, everyMs }
  try {
    await withRecords(
      (records) => withUnits(records, (units) => run(records, units, inbox, wanted)),
      { creates: Boolean(options.shared) },
    )
  } finally {
    await inbox.close()
  }
}

const everyMsMax = 3_600_000

const unmatchedAdvice =
  '. Add a pattern to a collection, or leave such files alone with --ignore <pattern>'

/** Opens the folder or the bucket, and checks that it can be reached. */
const openInbox = async (address: string, ignores: (name: string) => boolean): Promise<Inbox> => {
  if (isBucket(address)) return openBucket(address, ignores)
  const isFolder = await stat(address).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new CommandError(`${address} is not a folder. Create it first.`)
  const inbox = folderInbox(address, { ignores })
  try {
    await inbox.list()
  } catch (error) {
    throw error instanceof InboxError ? new CommandError(error.message) : error
  }
  return inbox
}

const openBucket = async (address: string, ignores: (name: string) => boolean): Promise<Inbox> => {
  const inbox = bucketInbox({ ...openBucketClient(address), temporaryFolder: tmpdir(), ignores })
  await inbox.list()
  return inbox
}

interface RunOptions extends Omit<WatchOptions, 'brand'> {
  readonly brand: string | undefined
  readonly mapping: Mapping | null
  /** SHA-256 of the mapping file; empty without one. */
  readonly mappingHash: string
  readonly settleMs: number
  readonly everyMs: number
}

const run = async (
  records: Records,
  units: Units,
  inbox: Inbox,
  options: RunOptions,
): Promise<void> => {
  const { store } = records
  const { mapping } = options
  if (options.brand) await requireBrand(store, options.brand)
  await noteMapping(records, options.brand ?? sharedOwner, options.map)
  const stopping = new AbortController()
  const stop = () => {
    if (stopping.signal.aborted) return
    log('Stopping after the current file.')
    stopping.abort()
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, stop)
  if (!options.once) log(`Watching ${inbox.name}. Ctrl+C stops.`)
  const { mappingHash } = options
  const sayChange = changeNotice(options.map, mappingHash)
  const checks = openBackgroundChecks({
    config: readServiceConfig(),
    onError: (error) => log(`${uncheckedRules} ${(error as Error).message}`),
  })
  try {
    const { failed } = await watch({
      settleMs: options.settleMs,
      everyMs: options.everyMs,
      store,
      units,
      owner: options.brand ?? sharedOwner,
      inbox,
      mapping: mappingHash,
      findSources: async (file, otherFiles) => {
        const find = { catalog, collection: options.collection, input: process.stdin }
        if (!mapping) {
          const collection = find.collection ?? collectionOf(file.name)
          return findSources([file], { ...find, collection })
        }
        await sayChange()
        const importedAt = new Date().toISOString()
        return findMappedSources([file], {
          ...{ ...find, mapping, importedAt, unmatchedAdvice, otherFiles },
        })
      },
      options: {
        replace: Boolean(options.replace),
        allowRemovals: Boolean(options.allowRemovals),
        allowDangling: Boolean(options.allowDangling),
        ...rowHandling(options, 'quarantine'),
        mappings: mapping?.collections,
      },
      allowsUnterminated: Boolean(options.allowUnterminated),
      describe,
      needsMarker: Boolean(options.done),
      once: Boolean(options.once),
      subjectOf: (name) => subjectOf(name, options),
      joinedTo: (name) =>
        mapping && !isCorrectionName(name)
          ? mappingsFor(mapping, name).flatMap(joinPatterns).map(matchesOne)
          : [],
      holder: processName(),
      hasEnded: hasProcessEnded,
      signal: stopping.signal,
      wait: (ms) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined),
      now: Date.now,
      onFile: async (outcome) => {
        print(outcome, Boolean(options.json))
        if (outcome.outcome !== 'imported' || !options.check || !options.brand) return
        const { sentence, isUnfinished } = await checkImport(operatorOf(records), options.brand)
        if (sentence) log(sentence)
        if (isUnfinished && !options.once) checks.changed(options.brand)
      },
      onEvent: log,
    })
    if (options.once && failed > 0) process.exitCode = 1
  } catch (error) {
    const isExplained = error instanceof WatchedElsewhereError || error instanceof InboxError
    throw isExplained ? new CommandError(error.message) : error
  } finally {
    for (const signal of signals) process.off(signal, stop)
    await checks.close()
  }
}

/**
 * Logs one notice if the mapping file changes after the start. Does not reload it: a file that is
 * being edited would fail the files that arrive meanwhile.
 */
const changeNotice = (file: string | undefined, hash: string) => {
  let isSaid = false
  return async (): Promise<void> => {
    if (file === undefined || isSaid) return
    if ((await sha256Of(file).catch(() => null)) === hash) return
    isSaid = true
    log(`${file} has changed. Restart the command to use it.`)
  }
}

const log = (sentence: string): void => {
  process.stderr.write(`${logLine(sentence)}\n`)
}

const ranks = new Map(inImportOrder(catalog).map(({ path }, index) => [path, index]))

/** What the name of a file says of its records. */
const subjectOf = (
  name: string,
  { mapping, collection }: Pick<RunOptions, 'mapping' | 'collection'>,
): FileSubject => {
  const parts = mapping
    ? mappingsFor(mapping, correctedName(name))
    : [{ collection: collection ?? stemOf(correctedName(name)), fields: null }]
  const mapped = parts.filter((each) => catalog.byPath.has(each.collection))
  const references = mapped.flatMap(({ collection: path, fields }) => {
    const isMapped = (field: string) =>
      fields?.some((each) => field === each.field || field.startsWith(`${each.field}.`)) ?? true
    return referencesOf(resourceAt(catalog, path)).filter(({ field }) => isMapped(field))
  })
  const collections = [...new Set(mapped.map((each) => each.collection))]
  return {
    collections,
    refersTo: [...new Set(references.filter(({ from, to }) => from !== to).map(({ to }) => to))],
    rank: Math.min(ranks.size, ...collections.map((path) => ranks.get(path) ?? 0)),
  }
}

const matchesOne = (patterns: readonly string[]) => (name: string) =>
  patterns.some((pattern) => matchesPattern(pattern, name))

/** The collection at the start of a name: `orders` of `orders-20260301.csv`. */
const collectionOf = (name: string): string => {
  const stem = stemOf(correctedName(name))
  if (catalog.byPath.has(stem)) return stem
  throw new SourceError(
    `there is no collection ${plainText(stem)}: name the file after one, such as orders.csv or orders-20260301T0930.csv, or use --collection. --ignore leaves other files alone`,
  )
}

const describe = (report: Report, result: IngestResult): string => {
  const heading = result.written
    ? 'The file was imported, with these problems:'
    : 'Nothing of the file was imported:'
  const lines = report.first.map((each) => problemSentence({ ...each, problems: 1, rows: 1 }))
  const more = report.errors + report.warnings - report.first.length
  const rest = more > 0 ? [`… and ${formatCount(more, 'more problem')}`] : []
  return `${[heading, ...lines, ...rest].join('\n')}\n`
}

const print = (outcome: FileOutcome, json: boolean): void => {
  const { result, isQuarantined: _, ...rest } = outcome
  const line = json
    ? JSON.stringify({ ...rest, collections: result?.collections ?? [] })
    : logLine(sentenceOf(outcome))
  process.stdout.write(`${line}\n`)
}

const sentenceOf = ({ file, outcome, movedTo, importedAt, result, ...rest }: FileOutcome) => {
  if (outcome === 'repeated') {
    return `${file}: was imported before, at ${importedAt}. Moved to ${movedTo}.`
  }
  if (outcome === 'failed') {
    const reason = rest.problem ?? formatCount(rest.errors, 'problem')
    return `${file}: not imported: ${reason}. Moved to ${movedTo}.`
  }
  const counts = (result?.collections ?? []).map((each) => {
    const parts = (
      [
        [each.added, 'new'],
        [each.changed, 'changed'],
        [each.unchanged, 'unchanged'],
        [each.removed, 'removed'],
        [each.parked, 'parked'],
        [each.quarantined, 'in quarantine'],
        [each.refused - each.quarantined, 'refused'],
        [each.superseded, 'superseded'],
      ] as const
    )
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count.toLocaleString('en')} ${word}`)
    return `${each.collection} ${parts.join(', ') || 'no rows'}`
  })
  const what =
    counts.length > 0 ? `imported: ${counts.join('; ')}` : 'its rows are joined to others'
  return `${file}: ${what}. Moved to ${movedTo}.`
}
