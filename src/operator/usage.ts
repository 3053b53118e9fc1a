import type { OperatorUsage, OperatorUsageItem } from '#contract'
import type { KeyRecord } from '#keys'
import {
  createUsageLog,
  otherUsage,
  type UsageFilter,
  type UsagePart,
  type UsageTotal,
  usageParts,
} from '#usage'
import { OperatorError } from './error.ts'
import { readDuration } from './moments.ts'
import type { OperatorParts } from './parts.ts'

export interface UsageRequest {
  /** The parts to add up by, separated by commas; `key` by default. */
  readonly by?: string | undefined
  /** The first day, or a duration up to today; `30d` by default. */
  readonly since?: string | undefined
  /** The last day; today by default. */
  readonly until?: string | undefined
  readonly key?: string | undefined
  readonly brand?: string | undefined
}

/** Usage, with the keys that it may name. */
export interface UsageReport {
  readonly by: readonly UsagePart[]
  readonly filter: UsageFilter
  readonly totals: readonly UsageTotal[]
  readonly keys: readonly KeyRecord[]
}

export const readUsage = async (
  { keyDatabase, keys, now }: Pick<OperatorParts, 'keyDatabase' | 'keys' | 'now'>,
  request: UsageRequest,
): Promise<UsageReport> => {
  const by = readParts(request.by ?? 'key')
  const filter = readFilter(request, now())
  const all = await keys.list()
  const { key } = request
  const totals = await createUsageLog(keyDatabase).totals(by, filter)
  // Usage may outlive its key and its brand, so only a filter without usage is doubted.
  if (totals.length === 0 && key !== undefined && !all.some(({ id }) => id === key)) {
    throw new OperatorError('missing', `Key ${key} does not exist. See: selvedge keys list`)
  }
  return { by, filter, totals, keys: all }
}

/** Usage as JSON; items beyond a number are cut. */
export const describeUsage = (
  { by, filter, totals, keys }: UsageReport,
  most = Number.POSITIVE_INFINITY,
): OperatorUsage => {
  const names = keyNamesOf(keys)
  return {
    since: filter.since,
    until: filter.until,
    by,
    items: totals.slice(0, most).map((total) => itemOf(by, total, names)),
    isCut: totals.length > most,
  }
}

const itemOf = (
  by: readonly UsagePart[],
  { parts, groups: _, ...sums }: UsageTotal,
  names: ReadonlyMap<string, string>,
): OperatorUsageItem => ({
  ...Object.fromEntries(by.map((part, index) => [part, parts[index] || null])),
  ...(by.includes('key') && { name: names.get(parts[by.indexOf('key')] ?? '') ?? null }),
  ...sums,
})

/** The names of keys by their ids. Usage of keys that do not exist has none. */
export const keyNamesOf = (keys: readonly KeyRecord[]): ReadonlyMap<string, string> =>
  new Map(keys.filter(({ id }) => id !== otherUsage).map(({ id, name }) => [id, name]))

const readParts = (text: string): readonly UsagePart[] => {
  const parts = [...new Set(text.split(',').map((part) => part.trim()))]
  const unknown = parts.find((part) => !usageParts.includes(part as UsagePart))
  if (unknown === undefined) return parts as readonly UsagePart[]
  throw new OperatorError('invalid', `--by: "${unknown}" is not one of ${usageParts.join(', ')}.`)
}

const readFilter = (
  { since = '30d', until, key, brand }: UsageRequest,
  now: number,
): UsageFilter => {
  const today = new Date(now).toISOString().slice(0, 10)
  const last = until === undefined ? today : readDay('--until', until)
  const first = /^\d+[smhdw]$/.test(since)
    ? new Date(now - readDuration(since) * 1_000).toISOString().slice(0, 10)
    : readDay('--since', since)
  if (first > last) {
    throw new OperatorError('invalid', `--since: ${first} is after the last day, ${last}.`)
  }
  return { since: first, until: last, keyId: key ?? null, brand: brand ?? null }
}

const readDay = (option: string, text: string): string => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse reads 30 February as 2 March.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new OperatorError(
    'invalid',
    `${option}: "${text}" is not a day. Use a date such as 2026-01-31.`,
  )
}
