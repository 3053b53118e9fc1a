import {
  catalog,
  type Domain,
  describeField,
  domains,
  type Field,
  type Fields,
  type Filter,
  incomingOf,
  type Kind,
  operationsOf,
  patterns,
  type Resource,
  relationsOf,
  resourceAt,
} from '#contract'
import { anchorOf, code, page, table } from './markdown.ts'

/** The page that describes the groups of a domain. */
export const domainFile = (domain: Domain): string => `resources/${domain}.md`

/** The groups of one domain, with their endpoints, fields and filters. */
export const domainPage = (domain: Domain): string => {
  const groups = groupsOf(domain)
  return page(
    `# Resources: ${domain}`,
    [
      'Paths are relative to `/api/public/v1`. Every field is always present. The column Null shows',
      'whether it can be null. Every list also accepts `limit` and `cursor`. Sortable fields are stored',
      'with an index in their own order: text without regard to case and accents, amounts as numbers.',
      'Searchable fields hold numbers, codes, names and references.',
    ].join('\n'),
    groups.map(({ group, summary }) => `- [${group}](#${anchorOf(group)}): ${summary}`).join('\n'),
    ...groups.flatMap(describeResource),
  )
}

export const resourcesIndex = (): string =>
  page(
    '# Resources',
    `There are ${catalog.resources.length} resource groups in ${domains.length} domains. Shared groups contain the same records for every brand.`,
    ...domains.flatMap((domain) => [
      `## ${domain}`,
      table(
        ['Group', 'Collection', 'Get by id', 'Description'],
        groupsOf(domain).map((resource) => [
          `[${resource.group}](${domain}.md#${anchorOf(resource.group)})`,
          code(resource.path),
          resource.endpoints.includes('get') ? 'yes' : 'no',
          `${resource.summary}${resource.scope === 'shared' ? ' Shared.' : ''}`,
        ]),
      ),
    ]),
  )

const groupsOf = (domain: Domain): readonly Resource[] =>
  catalog.resources.filter((resource) => resource.domain === domain)

const describeResource = (resource: Resource): readonly string[] => [
  `## ${resource.group}`,
  resource.summary,
  table(['Property', 'Value'], factsOf(resource)),
  table(
    ['Endpoint', 'Operation', 'Defined by'],
    operationsOf(catalog)
      .filter((operation) => operation.resource === resource)
      .map(({ path, id, origin }) => [code(`GET ${path}`), code(id), origins[origin]]),
  ),
  table(['Field', 'Type', 'Null', 'Description'], fieldRows(resource.fields)),
  ...(resource.filters.length > 0
    ? [table(['Filter', 'Kind', 'Matches'], resource.filters.map(filterRow))]
    : [
        resource.lookup === undefined
          ? 'This group has no filters.'
          : 'This group is a single record, not a list.',
      ]),
  includeText(resource),
  ...incomingText(resource),
  ...(resource.content
    ? [
        `### ${resource.content.name}`,
        resource.content.summary,
        table(['Field', 'Type', 'Null', 'Description'], fieldRows(resource.content.fields)),
      ]
    : []),
]

const origins = { specified: 'the specification', designed: 'this project' } as const

const factsOf = (resource: Resource): string[][] => [
  ['Record', code(resource.name)],
  ['Key', resource.key.map(code).join(' + ')],
  ['Scope', resource.scope === 'shared' ? 'shared by all brands' : 'one brand'],
  ['Fields defined by', origins[resource.origin]],
  ...(resource.idPattern && resource.idPattern !== patterns.id
    ? [['Identifier', code(resource.idPattern)]]
    : []),
  ...(resource.unique.length > 0
    ? [
        [
          'Unique within a brand',
          resource.unique.map((names) => names.map(code).join(' + ')).join('; '),
        ],
      ]
    : []),
  ...(resource.parent ? [['Belongs to', code(resource.parent)]] : []),
  ...(resource.sortable.length > 0 ? [['Sortable', resource.sortable.map(code).join(', ')]] : []),
  ...(resource.newestFirst ? [['Newest first by', code(resource.newestFirst)]] : []),
  ...(resource.searchable.length > 0
    ? [['Searchable', resource.searchable.map(code).join(', ')]]
    : []),
]

const types: Record<Kind, string> = {
  id: 'string, UUID',
  ref: 'string, UUID',
  person: 'string, UUID',
  text: 'string',
  integer: 'integer',
  flag: 'boolean',
  amount: 'string, amount',
  date: 'string, date',
  timestamp: 'string, timestamp',
  any: 'any',
  texts: 'array of string',
  object: 'object',
  objects: 'array of object',
}

const fieldRows = (fields: Fields, prefix = ''): string[][] =>
  Object.entries(fields).flatMap(([name, field]) => [
    [code(prefix + name), typeOf(field), field.nullable ? 'yes' : '', meaningOf(name, field)],
    ...(field.fields ? fieldRows(field.fields, `${prefix}${name}.`) : []),
  ])

const typeOf = (field: Field): string =>
  field.kind === 'ref' &&
  field.to !== undefined &&
  resourceAt(catalog, field.to).idPattern !== patterns.id
    ? 'string'
    : types[field.kind]

const meaningOf = (name: string, field: Field): string => {
  const text = describeField(name, field)
  return field.to ? text.replace(`Refers to ${field.to}`, `Refers to ${linkTo(field.to)}`) : text
}

const linkTo = (path: string): string => {
  const { domain, group } = resourceAt(catalog, path)
  return `[${path}](${domain}.md#${anchorOf(group)})`
}

const filterRow = ({ name, kind, field, through }: Filter): string[] => {
  if (through) {
    const { collection, match, where, local } = through
    return [
      code(name),
      kind,
      `records whose ${code(local)} is ${code(match)} in a row of ${linkTo(collection)} with this ${code(where)}`,
    ]
  }
  return [code(name), kind, `records whose ${code(field ?? name)} equals the value`]
}

const includeText = (resource: Resource): string => {
  const relations = relationsOf(resource)
  return relations.length === 0
    ? 'This group has no relations, so `include` is rejected.'
    : `\`include\` accepts: ${relations.map(({ name, to }) => `${code(name)} (${linkTo(to)})`).join(', ')}.`
}

const incomingText = (resource: Resource): readonly string[] => {
  const incoming = incomingOf(catalog, resource.path)
  return incoming.length === 0
    ? []
    : [
        `Referenced by: ${incoming.map(({ from, field }) => `${linkTo(from)} ${code(field)}`).join(', ')}.`,
      ]
}
