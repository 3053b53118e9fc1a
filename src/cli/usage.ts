import type { Command } from 'commander'
import type { KeyRecord } from '#keys'
import { describeUsage, keyNamesOf, readUsage } from '#operator'
import { type UsagePart, type UsageTotal, usageParts } from '#usage'
import { asTable, createOutput, UsageError } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

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
  await withRecords(
    async (records) => {
      const report = await readUsage(operatorOf(records), options)
      const { by, filter, totals, keys } = report
      const { key, brand } = options
      if (options.csv) {
        process.stdout.write(csvOf(by, totals))
        return
      }
      const { isCut: _, ...json } = describeUsage(report)
      createOutput(Boolean(options.json)).result(json, () =>
        totals.length === 0
          ? `No usage from ${filter.since} to ${filter.until}${key || brand ? ' of these requests' : ''}.`
          : tableOf(by, totals, keys),
      )
    },
    // Reads only, and waits for no import.
    { repairsSecurity: false },
  )
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
  const names = keyNamesOf(keys)
  const number = (value: number) => value.toLocaleString('en')
  const figures = (requests: number, refused: number, records: number, bytes: number) =>
    [requests, refused, records, bytes].map(number)
  const rows = totals.map((total) => [
    ...by.flatMap((part, index) => {
      const value = total.parts[index] ?? ''
      const shown = value === '' ? nothing[part] : value
      return part === 'key' ? [shown, names.get(value) ?? ''] : [shown]
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
