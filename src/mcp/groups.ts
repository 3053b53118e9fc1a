import {
  type Catalog,
  catalog,
  describeField,
  domains,
  type Fields,
  filteredField,
  formatCount,
  groupingsOf,
  type IncomingList,
  incomingLists,
  incomingOf,
  limits,
  type Resource,
  referencesOf,
  relationsOf,
  summableFields,
} from '#contract'
import { groupArgument, groupAt } from './group.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'

const brandsMax = 50

export const listGroups = tool({
  name: 'list_groups',
  title: 'List the groups',
  description:
    'Lists every group of records with a short description, and the brands you can read. Start here.',
  arguments: {
    area: { kind: 'text', values: domains, meaning: 'only the groups of this business area' },
  },
  results: {
    total: { type: 'integer' },
    brands: { type: 'array', items: { type: 'string' } },
    totalBrands: { type: 'integer' },
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['group', 'area', 'about'],
        properties: {
          group: { type: 'string', description: 'The path, which other tools take as group.' },
          area: { type: 'string' },
          about: { type: 'string' },
        },
      },
    },
  },
  run: async ({ area }, caller) => {
    const readableGroups = catalog.resources.filter(({ path }) => caller.scope.has(path))
    const shown = readableGroups.filter(({ domain }) => !area || domain === area)
    const brands = await caller.brands()
    const named = brands.slice(0, brandsMax)
    const readable =
      brands.length > brandsMax
        ? `You can read ${formatCount(brands.length, 'brand')}, of which ${brandsMax} are listed; brand accepts any of them`
        : `You can read these brands: ${named.join(', ') || 'none'}`
    return {
      summary: `${formatCount(shown.length, 'group')}${area ? ` of ${area}, of ${readableGroups.length} in all` : ''}; nothing is truncated. ${readable}. describe_group shows the fields and filters of a group.`,
      total: shown.length,
      brands: named,
      totalBrands: brands.length,
      groups: shown.map(({ path, domain, summary }) => ({
        group: path,
        area: domain,
        about: summary,
      })),
      next: null,
    }
  },
})

/** The fields, filters and references of a group. */
export const describeGroup = tool({
  name: 'describe_group',
  title: 'Describe a group',
  description:
    'Shows the fields of a group with their kinds and meanings, its filters, what include can add, and the references from and to it.',
  arguments: { group: groupArgument },
  results: {
    group: { type: 'string' },
    title: { type: 'string' },
    about: { type: 'string' },
    area: { type: 'string' },
    identity: { type: 'array', items: { type: 'string' } },
    canList: { type: 'boolean' },
    canGet: { type: 'boolean' },
    total: { type: 'integer', description: 'The number of fields.' },
    fields: { type: 'array', items: { type: 'object' } },
    filters: { type: 'array', items: { type: 'object' } },
    sortable: {
      type: 'array',
      items: { type: 'string' },
      description: 'Fields for sort, and for ranges such as orderDate.gte.',
    },
    views: { type: 'array', items: { type: 'object' } },
    summable: { type: 'array', items: { type: 'string' } },
    groupings: { type: 'array', items: { type: 'string' } },
    includes: { type: 'array', items: { type: 'object' } },
    referencesOut: { type: 'array', items: { type: 'object' } },
    referencesIn: { type: 'array', items: { type: 'object' } },
    read: { ...callSchema, description: 'The call that reads the first records of the group.' },
  },
  run: async ({ group }) => {
    const resource = groupAt(group)
    const { path, endpoints, key } = resource
    const canList = endpoints.includes('list')
    const canGet = endpoints.includes('get')
    const fields = fieldsOf(resource.fields)
    const read = canList
      ? callOf('list_records', { group: path, limit: limits.pageSize.default })
      : callOf('get_record', { group: path })
    return {
      summary: `${resource.summary} ${formatCount(fields.length, 'field')}, ${formatCount(resource.filters.length, 'filter')}; nothing is truncated. ${canGet ? '' : `Records have no id: a record is identified by ${key.join(' and ')}. `}To read records: ${callText(read)}.`,
      group: path,
      title: resource.group,
      about: resource.summary,
      area: resource.domain,
      identity: key,
      canList,
      canGet,
      total: fields.length,
      fields,
      filters: filtersOf(catalog, resource),
      sortable: resource.sortable,
      views: resource.views.map(({ name, summary, parameters }) => ({
        name,
        meaning: summary,
        ...(parameters.length > 0 && { parameters: parameters.map((each) => each.name) }),
      })),
      summable: summableFields(resource),
      groupings: groupingsOf(resource).map(({ name }) => name),
      includes: relationsOf(resource).map(({ name, field, to }) => ({ name, field, group: to })),
      referencesOut: referencesOf(resource).map(({ field, to, nullable }) => ({
        field,
        group: to,
        nullable,
      })),
      referencesIn: referencesIn(catalog, path),
      read,
      // The description is complete: an agent that follows `next` must not end up in the records.
      next: null,
    }
  },
})

const fieldsOf = (fields: Fields, prefix = ''): readonly object[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    {
      name: prefix + name,
      kind: field.kind,
      nullable: field.nullable,
      meaning: describeField(name, field),
    },
    ...fieldsOf(field.fields ?? {}, `${prefix}${name}.`),
  ])

const filtersOf = (from: Catalog, resource: Resource): readonly object[] =>
  resource.filters.map((filter) => {
    const field = filteredField(from, resource, filter)
    return {
      name: filter.name,
      kind: filter.kind,
      ...(field?.to && { group: field.to }),
      ...(field?.values && { knownValues: field.values }),
      ...(filter.through && { through: filter.through.collection }),
    }
  })

/** The references to a group, each with the filter that lists the records; null if none does. */
const referencesIn = (from: Catalog, path: string): readonly object[] => {
  const lists = incomingLists(from, path)
  const direct = incomingOf(from, path).map(({ from: group, field }) => {
    const list = lists.find((each) => each.resource.path === group && each.filter.field === field)
    return { group, field, filter: list?.filter.name ?? null }
  })
  const through = lists
    .filter(({ filter }) => filter.through)
    .map(({ resource, filter }) => ({
      group: resource.path,
      through: filter.through?.collection,
      filter: filter.name,
    }))
  return [...direct, ...through]
}

/** The name of a list of records that refer to another: `order-items.orderId`. */
export const nameOfList = ({ resource, filter }: IncomingList): string =>
  `${resource.path}.${filter.name}`
