import {
  type Catalog,
  catalog as contract,
  type GroupScope,
  type Resource,
  referencesOf,
  resourceAt,
  wholeScope,
} from '#contract'
import type { Database } from '#database'
import {
  decodeBody,
  type FoundRecord,
  type Store,
  type StoredFinding,
  type StoredQuality,
} from '#store'
import { checkRules, type RuleResult } from './check.ts'
import type { Rule, Violation } from './rule.ts'
import { rules as allRules } from './rules/index.ts'

export interface QualityParts {
  readonly store: Store
  readonly database: Database
  readonly catalog: Catalog
  readonly brand: string
  /** The date on which certificates must be valid. */
  readonly today: string
  /** The time of the check, as a timestamp. */
  readonly checkedAt: string
  /** No further rule is checked once this is true. */
  readonly isOver: () => boolean
}

/** Maximum number of stored records per rule. */
export const keptRecords = 20

/** Finds the rules that were never checked, or whose records have changed since. */
export const findOutdated = async ({
  store,
  brand,
  today,
}: Pick<QualityParts, 'store' | 'brand' | 'today'>): Promise<{
  readonly stored: StoredQuality
  readonly outdated: readonly Rule[]
}> => {
  const stored = await store.quality.read(brand)
  const byRule = new Map(stored.findings.map((finding) => [finding.rule, finding]))
  const outdated = allRules
    .filter(({ id }) => {
      const finding = byRule.get(id)
      const isOfToday = finding?.day === null || finding?.day === today
      return !finding || !isOfToday || !isCurrent(finding, stored)
    })
    // Oldest check first, so that each rule gets its turn even if time is short.
    .sort((one, other) => {
      const [a = '', b = ''] = [one, other].map(({ id }) => byRule.get(id)?.checkedAt)
      return a < b ? -1 : a > b ? 1 : 0
    })
  return { stored, outdated }
}

/**
 * Checks the rules that are outdated, and stores the findings. A rule that is not reached in time
 * keeps its result, and is checked the next time.
 */
export const checkChanged = async (
  parts: QualityParts,
): Promise<{ readonly results: readonly RuleResult[]; readonly left: number }> => {
  const { stored, outdated } = await findOutdated(parts)
  if (outdated.length === 0) return { results: [], left: 0 }
  const now = Date.parse(parts.checkedAt)
  const results = await checkRules({ ...parts, now, rules: outdated, listMax: keptRecords })
  await storeResults(parts, stored, results)
  return { results, left: outdated.length - results.length }
}

/** Stores the results of a check that has read the records at this state or a later one. */
export const storeResults = async (
  parts: Omit<QualityParts, 'isOver'>,
  state: StoredQuality,
  results: readonly RuleResult[],
): Promise<void> => {
  const { store, brand, today, checkedAt } = parts
  const findings: StoredFinding[] = []
  for (const { rule, count, violations, reads, usesToday } of results) {
    const records: FoundRecord[] = []
    for (const violation of violations.slice(0, keptRecords)) {
      records.push(await describeViolation(parts, violation))
    }
    const version = state.versionOf(reads)
    const day = usesToday ? today : null
    findings.push({ rule: rule.id, reads, version, day, checkedAt, count, records })
  }
  const current = state.findings.filter((finding) => isCurrent(finding, state))
  const checked = new Set([...current, ...findings].map(({ rule }) => rule))
  const isComplete = allRules.every(({ id }) => checked.has(id))
  await store.quality.store(brand, findings, isComplete)
}

/**
 * Whether the records that a rule reads are unchanged since its check. Earlier versions did not store
 * what some rules read.
 */
const isCurrent = (finding: StoredFinding, { versionOf }: Pick<StoredQuality, 'versionOf'>) =>
  finding.reads.length > 0 && finding.version === versionOf(finding.reads)

/** A violation with the display name of its record. */
export const describeViolation = async (
  { store, catalog, brand }: Pick<QualityParts, 'store' | 'catalog' | 'brand'>,
  { collection, key, detail }: Violation,
): Promise<FoundRecord> => {
  const read = async (resource: Resource, id: readonly string[]): Promise<Fields | null> => {
    const record = await store.get({ resource, brand, key: id, include: [] })
    return record && JSON.parse(decodeBody(record.body))
  }
  const resource = resourceAt(catalog, collection)
  const record = await read(resource, key)
  const title = record && (await titleOf(catalog, resource, record, read))
  return { group: collection, id: key.join(':'), title, detail }
}

interface Fields {
  readonly [name: string]: unknown
}

type ReadRecord = (resource: Resource, key: readonly string[]) => Promise<Fields | null>

/**
 * The display name of a record: its number or name; for a line its SKU and quantity; otherwise the
 * name of the first record that it refers to.
 */
const titleOf = async (
  catalog: Catalog,
  resource: Resource,
  record: Fields,
  read: ReadRecord,
): Promise<string | null> => {
  const field = resource.title === undefined ? undefined : resource.fields[resource.title]
  const value = resource.title === undefined ? null : record[resource.title]
  if (field?.kind === 'text' && typeof value === 'string') return value
  const isQuantity = typeof value === 'number' && /qty|quantity/i.test(resource.title ?? '')
  const references = Object.entries(resource.fields).flatMap(([name, { kind, to }]) =>
    kind === 'ref' && to !== undefined && typeof record[name] === 'string'
      ? [{ to, id: String(record[name]) }]
      : [],
  )
  const ordered = [
    ...references.filter(({ to }) => to === 'skus'),
    ...references.filter(({ to }) => to !== 'skus'),
  ]
  for (const { to, id } of ordered) {
    const target = resourceAt(catalog, to)
    if (target.title === undefined || target.fields[target.title]?.kind !== 'text') continue
    const other = await read(target, [id])
    const name = other?.[target.title]
    if (typeof name !== 'string') continue
    return isQuantity ? `${name} × ${value}` : name
  }
  return null
}

/**
 * What the scope of a key leaves of the stored findings: those of rules that read nothing outside it,
 * without titles that may come from another record.
 */
const qualityWithin = (scope: GroupScope, { findings, checks, versionOf }: StoredQuality) => {
  if (scope.isWhole) return { rules: allRules, findings, checks, versionOf }
  const byRule = new Map(findings.map((finding) => [finding.rule, finding]))
  const rules = allRules.filter(({ id, collections }) => {
    const reads = byRule.get(id)?.reads
    // Earlier versions did not store what some rules read.
    const isKnown = reads === undefined || reads.length > 0
    return isKnown && [...collections, ...(reads ?? [])].every((each) => scope.has(each))
  })
  const ids = new Set(rules.map(({ id }) => id))
  return {
    rules,
    findings: findings
      .filter(({ rule }) => ids.has(rule))
      .map((finding) => ({
        ...finding,
        records: finding.records.map((record) =>
          hasOwnTitle(scope, record.group) ? record : { ...record, title: null },
        ),
      })),
    checks: checks.map(({ checkedAt, counts }) => ({
      checkedAt,
      counts: Object.fromEntries(Object.entries(counts).filter(([rule]) => ids.has(rule))),
    })),
    versionOf,
  }
}

/** Whether the title of a group's records comes from no record outside the scope: see `titleOf`. */
const hasOwnTitle = (scope: GroupScope, group: string): boolean => {
  const resource = resourceAt(contract, group)
  const field = resource.title === undefined ? undefined : resource.fields[resource.title]
  return (
    (field?.kind === 'text' && !field.nullable) ||
    referencesOf(resource).every(({ to }) => scope.has(to))
  )
}

/** The stored findings of a brand, as JSON of the query API, for a key with a scope. */
export const qualityJson = (all: StoredQuality, scope: GroupScope = wholeScope) => {
  const stored = qualityWithin(scope, all)
  const { rules, findings, checks } = stored
  const current = new Set(
    findings.filter((finding) => isCurrent(finding, stored)).map(({ rule }) => rule),
  )
  const broken = rules.flatMap((rule) => {
    const finding = findings.find((each) => each.rule === rule.id)
    return finding && finding.count > 0 ? [{ rule, finding }] : []
  })
  const checkedIds = new Set(findings.map(({ rule }) => rule))
  const [checked = [], unchecked = []] = [true, false].map((isChecked) =>
    rules.filter(({ id }) => checkedIds.has(id) === isChecked),
  )
  const severityOf = new Map(rules.map(({ id, severity }) => [id, severity]))
  const sumOf = (counts: { readonly [rule: string]: number }, severity: string): number =>
    Object.entries(counts).reduce(
      (sum, [rule, count]) => sum + (severityOf.get(rule) === severity ? count : 0),
      0,
    )
  return {
    checkedAt:
      findings
        .map(({ checkedAt }) => checkedAt)
        .sort()
        .at(-1) ?? null,
    isCurrent: rules.every(({ id }) => current.has(id)),
    rules: {
      total: rules.length,
      passed: checked.length - broken.length,
      broken: broken.length,
      unchecked: unchecked.length,
      outdated: checked.filter(({ id }) => !current.has(id)).length,
    },
    unchecked: unchecked.map(({ id }) => id),
    findings: ['error', 'warning'].flatMap((severity) =>
      broken
        .filter(({ rule }) => rule.severity === severity)
        .map(({ rule, finding }) => ({
          rule: rule.id,
          severity: rule.severity,
          sentence: rule.sentence,
          remedy: rule.remedy,
          groups: rule.collections,
          count: finding.count,
          checkedAt: finding.checkedAt,
          isCurrent: current.has(rule.id),
          records: finding.records,
        })),
    ),
    history: checks.map(({ checkedAt, counts }) => ({
      checkedAt,
      errors: sumOf(counts, 'error'),
      warnings: sumOf(counts, 'warning'),
      counts,
    })),
  }
}
