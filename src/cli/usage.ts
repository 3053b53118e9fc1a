import type { Command } from 'commander'
import type { KeyRecord } from '#keys'
import {
  createUsageLog,
  otherUsage,
  type UsageFilter,
  type UsagePart,
  type UsageTotal,
  usageParts,
} from '#usage'
import { readDuration } from './durations.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface UsageOptions {
  readonly by: string
  readonly since: string
  readonly until?: string
  readonly key?: string
  readonly brand?: string
  readonly csv?: boolean
  readonly json?: boolean
}

export const addUsage = (program: Command): void => {
  program
    .command('usage')
    .description('Show which keys read how much, per day in UTC.')
    .option(
      '--by <parts>',
      `what to add up by: ${usageParts.join(', ')}; several separated by commas`,
      'key',
    )
    .option('--since <day>', 'the first day, or a duration up to today such as 30d', '30d')
    .option('--until <day>', 'the last day; today by default')
    .option('--key <id>', 'only requests with this key')
    .option('--brand <slug>', 'only requests for this brand')
    .option('--csv', 'print CSV')
    .option('--json', 'print JSON')
    .action((options: UsageOptions) => show(options))
}

const show = async (options: UsageOptions): Promise<void> => {
  if (options.csv && options.json) throw new UsageError('Use either --csv or --json.')
  const by = readParts(options.by)
  const filter = readFilter(options, Date.now())
  await withRecords(
    async ({ keyDatabase, keys }) => {
      const all = await keys.list()
      const { key, brand } = options
      const totals = await createUsageLog(keyDatabase).totals(by, filter)
      // Usage may outlive its key and its brand, so only a filter without usage is doubted.
      if (totals.length === 0 && key !== undefined && !all.some(({ id }) => id === key)) {
        throw new CommandError(`Key ${key} does not exist. See: selvedge keys list`)
      }
      if (options.csv) {
        process.stdout.write(csvOf(by, totals))
        return
      }
      const named = totals.map((total) => jsonOf(by, total, all))
      const span = { since: filter.since, until: filter.until }
      createOutput(Boolean(options.json)).result({ ...span, by, items: named }, () =>
        totals.length === 0
          ? `No usage from ${filter.since} to ${filter.until}${key || brand ? ' of these requests' : ''}.`
          : tableOf(by, totals, all),
      )
    },
    // Reads only, and waits for no import.
    { repairsSecurity: false },
  )
}

const readParts = (text: string): readonly UsagePart[] => {
  const parts = [...new Set(text.split(',').map((part) => part.trim()))]
  const unknown = parts.find((part) => !usageParts.includes(part as UsagePart))
  if (unknown === undefined) return parts as readonly UsagePart[]
  throw new CommandError(`--by: "${unknown}" is not one of ${usageParts.join(', ')}.`)
}

const readFilter = ({ since, until, key, brand }: UsageOptions, now: number): UsageFilter => {
  const today = new Date(now).toISOString().slice(0, 10)
  const last = until === undefined ? today : readDay('--until', until)
  const first = /^\d+[smhdw]$/.test(since)
    ? new Date(now - readDuration(since) * 1_000).toISOString().slice(0, 10)
    : readDay('--since', since)
  if (first > last) throw new CommandError(`--since: ${first} is after the last day, ${last}.`)
  return { since: first, until: last, keyId: key ?? null, brand: brand ?? null }
}

const readDay = (option: string, text: string): string => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse reads 30 February as 2 March.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new CommandError(`${option}: "${text}" is not a day. Use a date such as 2026-01-31.`)
}

const refusedOf = ({ refusals }: UsageTotal): number =>
  Object.values(refusals).reduce((sum, count) => sum + count, 0)

/** How an empty part is shown. */
const nothing: Readonly<Record<UsagePart, string>> = {
  key: 'no key',
  brand: '-',
  group: '-',
  operation: '-',
  day: '-',
}

const tableOf = (
  by: readonly UsagePart[],
  totals: readonly UsageTotal[],
  keys: readonly KeyRecord[],
): string => {
  const number = (value: number) => value.toLocaleString('en')
  const figures = (requests: number, refused: number, records: number, bytes: number) =>
    [requests, refused, records, bytes].map(number)
  const rows = totals.map((total) => [
    ...by.flatMap((part, index) => {
      const value = total.parts[index] ?? ''
      const shown = value === '' ? nothing[part] : value
      return part === 'key' ? [shown, nameOf(value, keys) ?? ''] : [shown]
    }),
    ...figures(total.requests, refusedOf(total), total.records, total.bytes),
    total.firstAt.slice(0, 16),
    total.lastAt.slice(0, 16),
    addressesOf(total),
  ])
  const sum = (read: (total: UsageTotal) => number) =>
    totals.reduce((before, total) => before + read(total), 0)
  const head = [
    ...by.flatMap((part) => (part === 'key' ? ['key', 'name'] : [part])),
    ...['requests', 'refused', 'records', 'bytes', 'first', 'last', 'addresses'],
  ]
  const last = [
    ...head.slice(0, -7).map((_, index) => (index === 0 ? 'total' : '')),
    ...figures(
      sum(({ requests }) => requests),
      sum(refusedOf),
      sum(({ records }) => records),
      sum(({ bytes }) => bytes),
    ),
  ]
  return asTable(head, [...rows, last])
}

/** The address, or how many there are. */
const addressesOf = ({ addresses, otherAddresses }: UsageTotal): string => {
  const listed = Object.keys(addresses)
  if (otherAddresses > 0) return `more than ${listed.length} addresses`
  return listed.length === 1 ? (listed[0] ?? '') : `${listed.length} addresses`
}

const nameOf = (keyId: string, keys: readonly KeyRecord[]): string | null =>
  keyId === otherUsage ? null : (keys.find(({ id }) => id === keyId)?.name ?? null)

const jsonOf = (
  by: readonly UsagePart[],
  { parts, groups: _, ...sums }: UsageTotal,
  keys: readonly KeyRecord[],
) => ({
  ...Object.fromEntries(by.map((part, index) => [part, parts[index] || null])),
  ...(by.includes('key') && { name: nameOf(parts[by.indexOf('key')] ?? '', keys) }),
  ...sums,
})

const csvOf = (by: readonly UsagePart[], totals: readonly UsageTotal[]): string =>
  [
    [
      ...by,
      ...['requests', 'refused', 'records', 'bytes', 'firstAt', 'lastAt', 'refusals', 'addresses'],
      'otherAddresses',
    ],
    ...totals.map((total) => [
      ...total.parts,
      ...[total.requests, refusedOf(total), total.records, total.bytes],
      ...[total.firstAt, total.lastAt],
      ...[total.refusals, total.addresses].map((counts) =>
        Object.entries(counts)
          .map(([name, count]) => `${name}=${count}`)
          .join(' '),
      ),
      total.otherAddresses,
    ]),
  ]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')

/** A proxy may put any text into the place of an address. */
const csvCell = (cell: string | number): string =>
  /^[=+@\t-]|[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell)
