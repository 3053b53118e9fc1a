import {
  comparableFields,
  formatCount,
  groupingsOf,
  isJsonObject,
  type Resource,
  summableFields,
  valueAt,
} from '#contract'
import { brandArgument, checkNames, groupArgument, groupAt } from './group.ts'
import { leftOutSentences } from './left-out.ts'
import type { JsonRecord } from './reader.ts'
import { checkFilters, filtersArgument, queryArguments } from './records.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { resultMax, sizeOf } from './truncate.ts'

/** Counts, sums and extremes of a group's records. */
export const summarize = tool({
  name: 'summarize',
  title: 'Summarize records',
  description:
    'Counts the records of a group that match, and adds up their fields exactly: altogether, and by up to two groupings such as status, supplierId or dueDate:month. One call instead of reading pages. Amounts of money are summed by currency, and in the base currency of the brand.',
  arguments: {
    group: groupArgument,
    filters: filtersArgument,
    ...queryArguments,
    sum: { kind: 'texts', meaning: 'fields to add up; describe_group lists them as summable' },
    min: { kind: 'texts', meaning: 'fields of which the least value is wanted' },
    max: { kind: 'texts', meaning: 'fields of which the greatest value is wanted' },
    by: {
      kind: 'texts',
      meaning:
        'up to two groupings: fields with few values, or dates by month, week or ageing, such as dueDate:ageing',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'How many records match.' },
    asOf: { type: 'string', description: 'The day that a view or ageing took for today.' },
    figures: { type: 'object', description: 'Sums, least and greatest values of all of them.' },
    groups: { type: 'array', items: { type: 'object' } },
    records: { ...callSchema, description: 'The call that lists the records behind the figures.' },
  },
  optional: ['asOf', 'groups'],
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const { filters = {}, view, asOf, sum = [], min = [], max = [], by = [] } = args
    checkFilters(resource, filters)
    checkFields(resource, { sum, min, max, by })
    const reader = await caller.open(args.brand)
    const listed = (names: readonly string[]) => (names.length > 0 ? names.join(',') : undefined)
    const result = await reader.summary(resource, {
      ...filters,
      ...{ view, asOf },
      ...{ sum: listed(sum), min: listed(min), max: listed(max), by: listed(by) },
    })
    const total = Number(result['totalItems'])
    const all = Array.isArray(result['groups']) ? result['groups'].filter(isJsonObject) : undefined
    const groups = all && truncateGroups(all)
    const day = typeof result['asOf'] === 'string' ? result['asOf'] : undefined
    const records = callOf('list_records', {
      ...{ brand: reader.brand, group: args.group, filters: args.filters, view },
      asOf: view === undefined ? undefined : (day ?? asOf),
    })
    const hidden = all && groups ? all.length - groups.length : 0
    return {
      summary: [
        `${formatCount(total, 'record')} of ${resource.path} match${total === 1 ? 'es' : ''}${day ? ` as of ${day}` : ''}.`,
        ...(all ? [`${formatCount(all.length, 'group')} by ${by.join(' and ')}.`] : []),
        hidden > 0 ? `${hidden} of them do not fit: narrow the filters.` : 'Nothing is truncated.',
        ...leftOutSentences(valueAt(result, 'total.sum')),
        `The records behind it: ${callText(records)}.`,
      ].join(' '),
      brand: reader.brand,
      group: resource.path,
      total,
      ...(day !== undefined && { asOf: day }),
      figures: isJsonObject(result['total']) ? result['total'] : {},
      ...(groups && { groups }),
      records,
      next: null,
    }
  },
})

/** As many groups as fit, at least one. */
const truncateGroups = (groups: readonly JsonRecord[]): readonly JsonRecord[] => {
  let room = groupsMax
  const end = groups.findIndex((group, index) => {
    room -= sizeOf(group) + 1
    return room < 0 && index > 0
  })
  return end === -1 ? groups : groups.slice(0, end)
}

/** Maximum length of all groups. The rest of a result is for the sums of all records. */
const groupsMax = resultMax - 6_000

interface Requested {
  readonly sum: readonly string[]
  readonly min: readonly string[]
  readonly max: readonly string[]
  readonly by: readonly string[]
}

const checkFields = (resource: Resource, { sum, min, max, by }: Requested): void => {
  const groupings = groupingsOf(resource).map(({ name }) => name)
  checkNames('sum', sum, summableFields(resource), 'summable field')
  checkNames('min', min, comparableFields(resource), 'comparable field')
  checkNames('max', max, comparableFields(resource), 'comparable field')
  checkNames('by', by, groupings, 'grouping')
}

/** The figures of the day. */
export const showToday = tool({
  name: 'today',
  title: 'Show the figures of the day',
  description:
    'Shows what a morning needs, exactly: late orders, orders due this week, shipments on their way and delayed, receipts with missing or damaged pieces, cash that is due, stock at risk, and what changed since yesterday.',
  arguments: {
    asOf: queryArguments.asOf,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    asOf: { type: 'string' },
    timezone: { type: 'string' },
    baseCurrency: { type: 'string' },
    figures: {
      type: 'object',
      description: 'Each figure with its number of records and the path of the list behind it.',
    },
    series: {
      type: 'object',
      description: 'Open orders by status, arrivals by week, unpaid invoices by age.',
    },
    changed: { type: 'object' },
    records: { type: 'object', description: 'When records last changed, and the last import.' },
  },
  run: async ({ asOf, brand }, caller) => {
    const reader = await caller.open(brand)
    const today = await reader.today({ asOf })
    const { asOf: day, timezone, baseCurrency, figures, series, changed, records } = today
    const all = Object.entries(isJsonObject(figures) ? figures : {})
    return {
      summary: [
        `${formatCount(all.length, 'figure')} as of ${day}; nothing is truncated. The url of a figure names its list: call list_records with its view and filters.`,
        ...all.flatMap(([name, figure]) => leftOutSentences(valueAt(figure, 'sum'), `${name}.`)),
      ].join(' '),
      brand: reader.brand,
      ...{ asOf: day, timezone, baseCurrency, figures, series, changed, records },
      next: null,
    }
  },
})
