import { basename } from 'node:path'
import type { Command } from 'commander'
import { catalog, formatCount, resourceAt } from '#contract'
import {
  type Difference,
  firstProblem,
  openDifference,
  openReport,
  plainText,
  type Report,
} from '#ingest'
import {
  backoffMs,
  errorText,
  type HeldLease,
  onceFailuresMax,
  openHeldLease,
  type UnitResult,
  type Units,
  unitResult,
} from '#intake'
import type { Mapping } from '#mapping'
import { checkImport, type ImportCheck, readDuration, requireBrand, requireSlug } from '#operator'
import {
  type CheckSchedule,
  openBackgroundChecks,
  type Records,
  readServiceConfig,
  uncheckedRules,
} from '#server'
import {
  hasProcessEnded,
  isDatabaseError,
  processName,
  type SourceChange,
  type SourceName,
  type Store,
} from '#store'
import {
  asideSentence,
  createRoundUnits,
  createSourceDatabase,
  queriesOf,
  type RoundResult,
  type RoundUnits,
  reconcileProblem,
  roundFault,
  runRound,
  type SyncQuery,
} from '#sync'
import { changeLines, printJson } from './dry-run.ts'
import { formatDuration } from './durations.ts'
import { addRowOptions, type RowOptions, requireOneChoice, rowHandling } from './import-options.ts'
import { loadDecidedMapping, noteMapping, requireMappedBrand } from './mapping-file.ts'
import { addOpenOption, type OpenOptions } from './open-option.ts'
import { CommandError, logLine, UsageError } from './output.ts'
import { problemSentence } from './problem-sentence.ts'
import { operatorOf, withRecords } from './records.ts'
import { sourceUrlOf } from './source-url.ts'
import { createStopSignal, type StopSignal } from './stop-signal.ts'
import { withUnits } from './units.ts'
import { writeTokenOf } from './write-token.ts'

interface SyncOptions extends RowOptions, OpenOptions {
  readonly map: string
  readonly sourceUrl?: string
  readonly brand?: string
  readonly name?: string
  readonly every: string
  readonly once?: boolean
  readonly reconcile?: boolean
  readonly dryRun?: boolean
  readonly timeout: string
  readonly report?: string
  readonly check: boolean
  readonly json?: boolean
}

export const addSync = (program: Command): void => {
  const command = program
    .command('sync')
    .description(
      'Read records from a database of PostgreSQL, MySQL or MariaDB, and follow its changes.',
    )
    .requiredOption('--map <file>', 'the mapping file, with a query for each collection (required)')
  addOpenOption(command)
    .option(
      '--source-url <url>',
      'the address of the database, instead of database in the mapping. Other users of the machine can see it',
    )
    .option('--brand <slug>', 'the brand that owns the records, if the mapping does not name it')
    .option('--name <name>', 'the name of the source, instead of the name of the mapping file')
    .option('--every <duration>', 'how often changes are read', '5m')
    .option('--once', 'read changes once, and end')
    .option('--reconcile', 'compare all keys now, in collections that have reconcile')
  addRowOptions(command, 'quarantine')
    .option('--dry-run', 'read and validate once, and report the changes without writing')
    .option(
      '--timeout <duration>',
      'how long a statement of the source, or a batch of its rows, may take',
      '10m',
    )
    .option('--report <file>', 'write the problems of the last round to a file, as NDJSON')
    .option('--no-check', 'do not check the business rules after a round; a running server does')
    .option('--json', 'print JSON, a line for each round')
    .action(syncSource)
}

const syncSource = async (options: SyncOptions): Promise<void> => {
  requireOneChoice(options)
  const everyMs = readDuration(options.every) * 1_000
  const timeoutMs = readDuration(options.timeout) * 1_000
  if (everyMs < 1_000 || timeoutMs < 1_000)
    throw new CommandError('--every and --timeout must be 1s or longer.')
  const mapping = await loadDecidedMapping(options.map, options)
  const queries = queriesOf(mapping.collections)
  if (queries.length === 0) {
    throw new CommandError(
      `${mapping.file} has no query: add from: { sql: … } to the collections that are read from the database.`,
    )
  }
  const withoutQuery = mapping.collections.filter(({ from }) => !from.sql && !from.given)
  const problem = reconcileProblem(
    queries,
    new Set(withoutQuery.map(({ collection }) => collection)),
  )
  if (problem) throw new CommandError(problem)
  const brand = brandOf(mapping, options)
  const hasBrandRecord = queries.some(
    ({ mapping: { collection } }) => resourceAt(catalog, collection).lookup !== undefined,
  )
  const database = createSourceDatabase(sourceUrlOf(mapping, options), { timeoutMs })
  const source: SourceName = {
    kind: 'sync',
    name: options.name ?? basename(mapping.file).replace(/(\.map)?\.ya?ml$/, ''),
  }
  const stop = createStopSignal()
  const difference = options.dryRun ? openDifference({ keepsAll: Boolean(options.json) }) : null
  try {
    await withRecords(
      async (records) => {
        if (hasBrandRecord) requireSlug(brand)
        else await requireBrand(records.store, brand)
        if (!options.dryRun) await noteMapping(records, brand, options.map)
        const round: RunRound = async (some, write) => {
          const report = openReport(options.report)
          difference?.clear()
          try {
            const result = await runRound({
              store: records.store,
              database,
              brand,
              source,
              queries: some,
              mappedQueries: queries,
              given: mapping.collections.filter(({ from }) => from.given),
              report,
              changes: difference ?? undefined,
              now: Date.now,
              write,
              signal: stop.abort,
              options: {
                allowRemovals: Boolean(options.allowRemovals),
                allowDangling: Boolean(options.allowDangling),
                ...rowHandling(options, 'quarantine'),
                dryRun: Boolean(options.dryRun),
                reconcile: Boolean(options.reconcile),
              },
            })
            return { result, report, difference }
          } finally {
            report.close()
          }
        }
        const checks = openBackgroundChecks({
          config: readServiceConfig(),
          onError: (error) => process.stderr.write(`${uncheckedRules} ${errorText(error)}\n`),
        })
        const shared = { records, brand, source, options, everyMs, stop, round, checks, queries }
        try {
          if (options.dryRun) await repeat({ ...shared, writing: null })
          else await repeatWriting(shared)
        } finally {
          await checks.close()
        }
      },
      { creates: hasBrandRecord, repairsSecurity: false },
    )
  } finally {
    stop.close()
    difference?.close()
  }
}

const brandOf = (mapping: Mapping, options: SyncOptions): string => {
  const brand = options.brand ?? mapping.brand
  if (!brand) throw new UsageError('Name the brand of the records: use --brand <slug>.')
  requireMappedBrand(mapping, brand)
  return brand
}

interface RoundOutcome {
  readonly result: RoundResult
  readonly report: Report
  /** Of a dry run. */
  readonly difference: Difference | null
}

type RunRound = (queries: readonly SyncQuery[], write: Store['write']) => Promise<RoundOutcome>

interface RepeatedRounds {
  readonly records: Records
  readonly brand: string
  readonly source: SourceName
  readonly options: SyncOptions
  readonly everyMs: number
  readonly stop: StopSignal
  readonly queries: readonly SyncQuery[]
  readonly round: RunRound
  /** Null for a dry run, which writes nothing. */
  readonly writing: { readonly units: Units; readonly lease: HeldLease } | null
  readonly checks: CheckSchedule
}

/** Runs rounds that write. Only one process at a time does so for a source. */
const repeatWriting = async (parts: Omit<RepeatedRounds, 'writing'>): Promise<void> => {
  const { records, brand, source } = parts
  const lease = openHeldLease({
    ...{ leases: records.store.leases, owner: brand, work: `sync ${source.name}` },
    ...{ holder: processName(), hasEnded: hasProcessEnded, now: Date.now },
  })
  try {
    await withUnits(records, (units) => repeat({ ...parts, writing: { units, lease } }))
  } finally {
    await lease.close()
  }
}

/** Takes the lease and returns null; waits and returns the process that has it. */
const takeTurn = async (
  { writing, source, options, everyMs, stop }: RepeatedRounds,
  waitsFor: string | null,
): Promise<string | null> => {
  const other = (await writing?.lease.take()) ?? null
  if (other === null) return null
  if (options.once) {
    throw new CommandError(
      `Another process reads the source ${source.name}: ${other}. Stop that process, or let it continue.`,
    )
  }
  if (other !== waitsFor) {
    process.stderr.write(`Waiting: ${other} reads the source ${plainText(source.name)}.\n`)
  }
  await stop.wait(everyMs)
  return other
}

/** Runs rounds until the process is asked to stop, or once. */
const repeat = async (parts: RepeatedRounds): Promise<void> => {
  const { records, brand, source, options, everyMs, stop, round, queries, writing } = parts
  const isOnce = Boolean(options.once || options.dryRun)
  const before = await records.store.sources.find(brand, source)
  let hasSucceeded = before?.succeededAt != null
  let behindSince = before?.behindSince ?? null
  let failures = 0
  let waitsFor: string | null = null
  const onRound = async (outcome: RoundOutcome) => {
    await printRound(parts, outcome)
    hasSucceeded = true
    if (!outcome.result.refused) return
    process.exitCode = isOnce ? 1 : 0
    const refused = outcome.result.collections.reduce((sum, each) => sum + each.refused, 0)
    await updateState(parts, { ...failureOf(refusalOf(outcome)), failed: refused })
  }
  const rounds =
    writing &&
    createRoundUnits({
      ...{ units: writing.units, store: records.store, brand, source, queries, round, onRound },
      endOf: ({ result, report }) => ({
        isWritten: !result.refused,
        problem: firstProblem(report),
        effect: effectOf(result, report),
      }),
      onEvent: (sentence) => void process.stderr.write(`${logLine(sentence)}\n`),
      signal: stop.abort,
    })
  while (!stop.isStopping) {
    const began = performance.now()
    const startedAt = new Date().toISOString()
    try {
      waitsFor = await takeTurn(parts, waitsFor)
      if (waitsFor !== null) continue
      behindSince ??= startedAt
      await updateState(parts, { state: 'working', startedAt, behindSince })
      if (rounds) await rounds.run()
      else await onRound(await round(queries, records.store.write))
      failures = 0
      behindSince = rounds ? await reportAside(parts, rounds, startedAt) : null
      if (isOnce) return
      await stop.wait(Math.max(0, everyMs - (performance.now() - began)))
    } catch (error) {
      if (stop.abort.aborted) break
      if (error instanceof CommandError) throw error
      failures += 1
      const message = errorText(error)
      await updateState(parts, failureOf(message))
      const fault = roundFault(error)
      const isLast = isOnce && (fault === 'refused' || failures >= onceFailuresMax)
      if (isLast || (fault === 'refused' && !hasSucceeded)) throw error
      // Nothing but a change of the source or the mapping helps, so the next round has its time.
      const delayMs = fault === 'refused' ? everyMs : backoffMs(failures, fault)
      process.stderr.write(`${logLine(message)} Trying again in ${formatDuration(delayMs)}.\n`)
      await stop.wait(delayMs)
    }
  }
  if (waitsFor === null) await updateState(parts, { state: 'idle' })
  if (!options.json) process.stderr.write('Stopped.\n')
}

/** What a round did. Records that are gone from the source are removed after its rows are written. */
const effectOf = (
  { collections, reconciled, refused }: RoundResult,
  report: Report,
): UnitResult => {
  const removedLater = new Map(reconciled?.map((each) => [each.collection, each.removed]))
  const all = collections.map((each) => ({
    ...each,
    removed: each.removed + (removedLater.get(each.collection) ?? 0),
  }))
  return unitResult(all, report, !refused)
}

/** Says which collections are set aside. Returns since when data may be waiting. */
const reportAside = async (
  parts: RepeatedRounds,
  rounds: RoundUnits,
  startedAt: string,
): Promise<string> => {
  const aside = await rounds.aside()
  if (aside.length === 0) return startedAt
  const behindSince = aside.map(({ unit }) => unit.receivedAt).sort()[0] ?? startedAt
  const failure = failureOf(aside.map(asideSentence).join(' '))
  await updateState(parts, { ...failure, behindSince })
  return behindSince
}

const updateState = async (
  { records, brand, source, options }: RepeatedRounds,
  change: SourceChange,
): Promise<void> => {
  if (options.dryRun) return
  try {
    await records.store.sources.update(brand, source, change)
  } catch (error) {
    // The state is for operators. On SQLite it cannot be stored while another import writes.
    if (!isDatabaseError(error)) throw error
  }
}

const failureOf = (error: string): SourceChange => ({
  state: 'failing',
  failedAt: new Date().toISOString(),
  error,
})

const refusalOf = ({ report }: RoundOutcome): string =>
  `Nothing was written: ${firstProblem(report) ?? ''}`

const printRound = async (
  { records, brand, source, options, checks }: RepeatedRounds,
  { result, report, difference }: RoundOutcome,
): Promise<void> => {
  const { collections, reconciled, written } = result
  const at = new Date().toISOString()
  const isChanged = collections.some(({ added, changed, removed }) => added + changed + removed > 0)
  const check = async (): Promise<ImportCheck | null> => {
    if (!written || !options.check || !isChanged) return null
    const result = await checkImport(operatorOf(records), brand)
    if (result.isUnfinished && !options.once) checks.changed(brand)
    return result
  }
  const checked = options.json ? await check() : null
  const value = {
    at,
    source: source.name,
    written,
    collections,
    reconciled,
    errors: report.errors,
    warnings: report.warnings,
    problems: report.first.slice(0, shownProblems),
    writeToken: writeTokenOf(records, brand, result.change),
    rules: checked?.rules ?? null,
  }
  if (options.json) return printJson(value, difference)
  const compared = (reconciled ?? []).map(({ removed }) => ({ added: 0, changed: 0, removed }))
  const changes = difference ? changeLines(difference, [...collections, ...compared]) : []
  const outcome = `${at} ${source.name}: ${outcomeOf(result, report, options)}`
  process.stdout.write(`${[...changes, outcome].join('\n')}\n`)
  for (const problem of report.groups.slice(0, shownProblems)) {
    process.stderr.write(`${problemSentence(problem)}\n`)
  }
  const sentence = (await check())?.sentence
  if (sentence) process.stderr.write(`${sentence}\n`)
}

const shownProblems = 20

const outcomeOf = (
  { collections, reconciled, written }: RoundResult,
  { errors }: Report,
  { dryRun }: SyncOptions,
): string => {
  if (!written && !dryRun) return `nothing was written, ${formatCount(errors, 'problem')}.`
  const removedLater = new Map(reconciled?.map((each) => [each.collection, each.removed]))
  const changes = collections.flatMap(
    ({ collection, added, changed, removed, parked, quarantined, refused }) => {
      const counts: readonly (readonly [number, string])[] = [
        [added, 'new'],
        [changed, 'changed'],
        [removed + (removedLater.get(collection) ?? 0), 'removed'],
        [parked, 'parked'],
        [quarantined, 'in quarantine'],
        [refused - quarantined, 'refused'],
      ]
      const words = counts.flatMap(([count, word]) =>
        count === 0 ? [] : [`${count.toLocaleString('en')} ${word}`],
      )
      return words.length === 0 ? [] : [`${collection} ${words.join(', ')}`]
    },
  )
  const outcome = changes.length === 0 ? 'no changes' : changes.join('; ')
  return dryRun ? `${outcome}. This was a dry run: nothing was written.` : `${outcome}.`
}
