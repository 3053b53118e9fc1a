import type { Command } from 'commander'
import {
  checkRules,
  describeViolation,
  keptRecords,
  type RuleResult,
  rules,
  storeResults,
  type Violation,
} from '#check'
import { catalog, formatCount, referencesOf, resourceAt } from '#contract'
import { plainText } from '#ingest'
import { requireBrand } from '#operator'
import { isDatabaseError, type QuarantineCount, type Store } from '#store'
import { asTable, CommandError, createOutput } from './output.ts'
import { withRecords } from './records.ts'

interface CheckOptions {
  readonly brand: string
  readonly rule?: readonly string[]
  readonly today?: string
  readonly list: string
  readonly json?: boolean
}

export const addCheck = (program: Command): void => {
  program
    .command('check')
    .description(`Check a brand's records against the ${rules.length} business rules.`)
    .requiredOption('--brand <slug>', 'the brand (required)')
    .option(
      '--rule <id>',
      'check only this rule; repeat for several',
      (id, before: string[] = []) => [...before, id],
    )
    .option('--today <date>', 'the date on which certificates must be valid; today by default')
    .option('--list <n>', 'how many records to list for each rule', '10')
    .option('--json', 'print JSON')
    .action((options: CheckOptions) => checkBrand(options))
}

const checkBrand = (options: CheckOptions): Promise<void> => {
  const chosen = chooseRules(options.rule)
  const today = options.today ?? new Date().toISOString().slice(0, 10)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(today))
    throw new CommandError('--today is not a date. Use YYYY-MM-DD, for example 2026-06-01.')
  if (!/^\d{1,6}$/.test(options.list))
    throw new CommandError('--list is not a whole number. Use a number from 0 to 999999.')
  return withRecords(async ({ database, store }) => {
    await requireBrand(store, options.brand)
    const state = await store.quality.read(options.brand)
    const listMax = Number(options.list)
    const showsProgress = process.stderr.isTTY && !options.json
    let done = 0
    const results = await checkRules({
      database,
      catalog,
      brand: options.brand,
      today,
      now: Date.now(),
      rules: chosen,
      listMax: Math.max(listMax, keptRecords),
      onRule: ({ rule }) => {
        done += 1
        if (showsProgress) process.stderr.write(`\r\u001b[K${done} of ${chosen.length}: ${rule.id}`)
      },
    })
    if (showsProgress) process.stderr.write('\r\u001b[K')
    // The query API shows today's findings, so those for another day are not stored.
    if (options.today === undefined) {
      const parts = { store, database, catalog, brand: options.brand, today }
      const checkedAt = new Date().toISOString()
      await storeResults({ ...parts, checkedAt }, state, results).catch(reportUnstored)
    }
    const listed = await nameRecords(store, options.brand, results, listMax)
    const broken = listed.filter(({ count }) => count > 0)
    const errors = broken.filter(({ rule }) => rule.severity === 'error')
    const quarantined = await store.quarantine.counts(options.brand)
    const output = { ...asJson(options.brand, listed), quarantined }
    createOutput(Boolean(options.json)).result(output, () =>
      [
        asWords(options.brand, listed, broken),
        ...quarantineSentences(options.brand, quarantined),
      ].join('\n\n'),
    )
    if (errors.length > 0) process.exitCode = 1
  })
}

/** Rows in quarantine are checked by no rule. */
const quarantineSentences = (
  brand: string,
  counts: readonly QuarantineCount[],
): readonly string[] => {
  const byCollection = Map.groupBy(counts, ({ collection }) => collection)
  if (byCollection.size === 0) return []
  const words = [...byCollection].map(([path, own]) => {
    const { parent } = resourceAt(catalog, path)
    const of = referencesOf(resourceAt(catalog, path)).find(({ field }) => field === parent)
    const rows = own.reduce((sum, each) => sum + each.rows, 0).toLocaleString('en')
    return `${rows} of ${path}${of ? ` (parts of ${of.to})` : ''}`
  })
  return [
    `Rows in quarantine, which are not checked: ${words.join(', ')}. See: selvedge intake rows --brand ${brand}`,
  ]
}

const chooseRules = (ids: readonly string[] | undefined) => {
  if (!ids) return rules
  return ids.map((id) => {
    const chosen = rules.find((rule) => rule.id === id)
    if (chosen) return chosen
    throw new CommandError(`There is no rule ${id}. Rules have ids such as ${rules[0]?.id}.`)
  })
}

/** The result of a check is useful even if it cannot be stored. */
const reportUnstored = (error: unknown): void => {
  if (!isDatabaseError(error)) throw error
  process.stderr.write(`The result was not stored: ${(error as Error).message}\n`)
}

/** A violation with what people call its record. */
interface NamedViolation extends Violation {
  readonly name: string | null
}

type ListedResult = Omit<RuleResult, 'violations'> & {
  readonly violations: readonly NamedViolation[]
}

/** The results with the violations that are listed. */
const nameRecords = async (
  store: Store,
  brand: string,
  results: readonly RuleResult[],
  listMax: number,
): Promise<readonly ListedResult[]> => {
  const listed: ListedResult[] = []
  for (const result of results) {
    const violations: NamedViolation[] = []
    for (const each of result.violations.slice(0, listMax)) {
      const { title } = await describeViolation({ store, catalog, brand }, each)
      violations.push({ ...each, name: title })
    }
    listed.push({ ...result, violations })
  }
  return listed
}

const asJson = (brand: string, results: readonly ListedResult[]) => ({
  brand,
  rules: results.map(({ rule, count, violations, seconds }) => ({
    id: rule.id,
    severity: rule.severity,
    sentence: rule.sentence,
    collections: rule.collections,
    count,
    breaches: violations.map(({ collection, key, name, detail }) => ({
      collection,
      key,
      name,
      detail,
    })),
    seconds,
  })),
})

const asWords = (
  brand: string,
  results: readonly ListedResult[],
  broken: readonly ListedResult[],
): string => {
  const [first] = results
  const left = rules.length - results.length
  const rest =
    left === 0 ? '' : ` ${formatCount(left, 'rule')} ${left === 1 ? 'was' : 'were'} not checked.`
  if (broken.length === 0) {
    const outcome =
      results.length === 1 && first
        ? `Rule ${first.rule.id} passes for ${brand}.`
        : `All ${results.length} ${left === 0 ? 'rules' : 'checked rules'} pass for ${brand}.`
    return `${outcome}${rest}`
  }
  const lines = broken.flatMap(({ rule, count, violations }) => [
    '',
    `${rule.id} ${rule.severity}: ${rule.sentence} (${count.toLocaleString('en')})`,
    asTable(
      ['collection', 'record', 'name', 'detail'],
      violations.map(({ collection, key, name, detail }) => [
        collection,
        key.join(' '),
        plainText(name ?? ''),
        detail,
      ]),
    ),
  ])
  const count = (severity: string) =>
    broken.filter((each) => each.rule.severity === severity).length
  return [
    `${results.length - broken.length} of ${formatCount(results.length, 'rule')} pass for ${brand}: ${formatCount(count('error'), 'error')} and ${formatCount(count('warning'), 'warning')}.${rest}`,
    ...lines,
  ].join('\n')
}
