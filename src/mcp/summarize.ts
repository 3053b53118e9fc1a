import {
  catalog,
  comparableFields,
  fieldAt,
  formatCount,
  groupingsOf,
  isJsonObject,
  limits,
  type Resource,
  resourceAt,
  summableFields,
  valueAt,
} from '#contract'
import { rejectProblems } from '#request'
import { filtersArgument, readFilters } from './filters.ts'
import { brandArgument, checkNames, groupArgument, groupAt } from './group.ts'
import { leftOutFigures } from './left-out.ts'
import { titlesOf } from './named-record.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { queryArguments } from './records.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { resultMax, sizeOf } from './truncate.ts'

/** Counts, sums and extremes of a group's records. */
export const summarize = tool({
  name: 'summarize',
  title: 'Summarize records',
  description:
    'Counts the records of a group that match, and adds up their fields exactly: altogether, and by up to two groupings such as status, supplierId or dueDate:month. One call instead of reading pages: sort and limit show the largest groups, and groups by a reference have its name. Amounts of money are summed by currency, and in the base currency of the brand.',
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
    sort: {
      kind: 'text',
      meaning:
        'the order of the groups: items, or a field of sum (money in the base currency); descending with - before it, such as -totalAmount',
    },
    limit: {
      kind: 'whole',
      minimum: limits.pageSize.minimum,
      maximum: limits.pageSize.maximum,
      meaning: 'groups to show; by default as many as fit',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'How many records match.' },
    asOf: { type: 'string', description: 'The day that a view or ageing took for today.' },
    figures: {
      type: 'object',
      description:
        'Sums, least and greatest values of all of them. Whole numbers above 2^53 are strings.',
    },
    groups: {
      type: 'array',
      description: 'Each with its values, the names of references among them, and its figures.',
      items: { type: 'object' },
    },
    records: { ...callSchema, description: 'The call that lists the records behind the figures.' },
  },
  optional: ['asOf', 'groups'],
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const { view, asOf, sum = [], min = [], max = [], by = [], sort, limit } = args
    const filters = readFilters(resource, args.filters)
    checkFields(resource, { sum, min, max, by, sort, limit })
    const reader = await caller.open(args.brand)
    const listed = (names: readonly string[]) => (names.length > 0 ? names.join(',') : undefined)
    const result = await reader.summary(resource, {
      ...filters,
      ...{ view, asOf },
      ...{ sum: listed(sum), min: listed(min), max: listed(max), by: listed(by) },
      ...{ sort, top: limit },
    })
    const total = Number(result['totalItems'])
    const wanted = Array.isArray(result['groups'])
      ? result['groups'].filter(isJsonObject)
      : undefined
    const groupCount = Number(result['totalGroups'] ?? wanted?.length ?? 0)
    const groups = wanted && (await nameGroups(reader, resource, by, wanted))
    const day = typeof result['asOf'] === 'string' ? result['asOf'] : undefined
    const records = callOf('list_records', {
      ...{ brand: reader.brand, group: args.group, view },
      filters: args.filters && filters,
      asOf: view === undefined ? undefined : (day ?? asOf),
    })
    const hidden = wanted && groups ? wanted.length - groups.length : 0
    return {
      summary: [
        `${formatCount(total, 'record')} of ${resource.path} match${total === 1 ? 'es' : ''}${day ? ` as of ${day}` : ''}.`,
        ...(wanted ? [groupsText(groupCount, wanted.length, by, sort)] : []),
        hidden > 0
          ? `${hidden} of them do not fit: narrow the filters, or use sort and limit.`
          : 'Nothing is truncated.',
        ...leftOutFigures(valueAt(result, 'total')),
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

const groupsText = (
  all: number,
  wanted: number,
  by: readonly string[],
  sort: string | undefined,
): string => {
  const shown = wanted < all ? `, of which ${wanted} were requested` : ''
  const order = sort === undefined ? '' : `, in the order of ${sort}`
  return `${formatCount(all, 'group')} by ${by.join(' and ')}${shown}${order}.`
}

/** As many groups as fit, each with the names of the records that its values refer to. */
const nameGroups = async (
  reader: Reader,
  resource: Resource,
  by: readonly string[],
  groups: readonly JsonRecord[],
): Promise<readonly JsonRecord[]> => {
  let named = truncateGroups(groups)
  for (const name of by) {
    const { to } = fieldAt(resource.fields, name) ?? {}
    if (to === undefined || !resourceAt(catalog, to).endpoints.includes('list')) continue
    const idIn = ({ by: values }: JsonRecord) => (isJsonObject(values) ? values[name] : null)
    const titles = await titlesOf(reader, to, named.map(idIn))
    named = named.map(({ by: values = null, names, ...figures }) => ({
      by: values,
      names: {
        ...(isJsonObject(names) && names),
        [name]: titles.get(idIn({ by: values })) ?? null,
      },
      ...figures,
    }))
  }
  return truncateGroups(named)
}

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
  readonly sort: string | undefined
  readonly limit: number | undefined
}

const checkFields = (resource: Resource, requested: Requested): void => {
  const { sum, min, max, by, sort, limit } = requested
  const groupings = groupingsOf(resource).map(({ name }) => name)
  checkNames('sum', sum, summableFields(resource), 'summable field')
  checkNames('min', min, comparableFields(resource), 'comparable field')
  checkNames('max', max, comparableFields(resource), 'comparable field')
  checkNames('by', by, groupings, 'grouping')
  const unused = Object.entries({ sort, limit }).filter(([, value]) => value !== undefined)
  if (by.length === 0) {
    rejectProblems(unused.map(([parameter]) => ({ parameter, issue: 'can only be used with by' })))
  }
  if (sort !== undefined) {
    checkNames('sort', [sort.replace(/^-/, '')], ['items', ...sum], 'figure of the groups')
  }
}
