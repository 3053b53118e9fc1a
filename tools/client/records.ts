import {
  catalog,
  comparableFields,
  describeField,
  errors,
  type Field,
  type Fields,
  type Filter,
  type FilterKind,
  groupItems,
  groupingsOf,
  type Kind,
  type QueryParameter,
  type QueryParameterKind,
  queryParametersOf,
  type Resource,
  relationsOf,
  resourceAt,
  sortsOf,
  summableFields,
  summaryParametersOf,
} from '#contract'
import { comment, literals, sourceFile } from './source.ts'

/** The types of the client: each record, its filters and its relations. */
export const recordsFile = (): string =>
  sourceFile(
    "import type { JsonValue } from '../error.ts'",
    [
      '/** Every error code of the API. */',
      'export type ServerErrorCode =',
      ...Object.entries(errors)
        .filter(([, each]) => !('part' in each))
        .map(([code]) => `  | '${code}'`),
    ].join('\n'),
    ...catalog.resources.flatMap((resource) => [
      `${comment(resource.summary)}\n${interfaceOf(resource.name, resource.fields)}`,
      ...(resource.content
        ? [
            `${comment(resource.content.summary)}\n${interfaceOf(resource.content.name, resource.content.fields)}`,
          ]
        : []),
      ...(resource.endpoints.includes('list')
        ? [filtersOf(resource), queryOf(resource), summaryOf(resource)]
        : []),
      ...(resource.lookup === undefined ? [relationsTypeOf(resource)] : []),
    ]),
  )

const interfaceOf = (name: string, fields: Fields): string =>
  `export interface ${name} ${body(fields, '')}`

const body = (fields: Fields, indent: string): string =>
  [
    '{',
    ...Object.entries(fields).flatMap(([name, field]) => [
      comment(describeField(name, field), `${indent}  `),
      `${indent}  readonly ${name}: ${typeOf(field, indent)}`,
    ]),
    `${indent}}`,
  ].join('\n')

const typeOf = (field: Field, indent: string): string => {
  const type = types[field.kind](field, `${indent}  `)
  // The type any already includes null.
  return field.nullable && field.kind !== 'any' ? `${type} | null` : type
}

const text = () => 'string'
const types: Record<Kind, (field: Field, indent: string) => string> = {
  id: text,
  ref: text,
  person: text,
  text,
  integer: () => 'number',
  flag: () => 'boolean',
  amount: text,
  date: text,
  timestamp: text,
  any: () => 'JsonValue',
  texts: () => 'readonly string[]',
  object: ({ fields = {} }, indent) => body(fields, indent),
  objects: ({ fields = {} }, indent) => `readonly (${body(fields, indent)})[]`,
}

const filterTypes: Record<FilterKind, string> = {
  identifier: 'string',
  string: 'string',
  integer: 'number',
}

const filtersOf = ({ name, group, filters }: Resource): string =>
  [
    `/** Filters for lists of ${group}. All filters are optional and combine. */`,
    `export interface ${name}Filters {`,
    ...filters.flatMap((filter) => [
      comment(meaningOf(filter), '  '),
      `  readonly ${filter.name}?: ${filterTypes[filter.kind]} | undefined`,
    ]),
    '}',
  ].join('\n')

/** Parameters of every group, whose types the client declares. */
const commonKinds: ReadonlySet<QueryParameterKind> = new Set([
  ...(['limit', 'cursor', 'fields', 'include', 'filter'] as const),
])

const queryOf = (resource: Resource): string =>
  [
    `/** Parameters for queries of ${resource.group}, beside its filters. All are optional and combine. */`,
    `export interface ${resource.name}Query extends ${resource.name}Filters {`,
    ...queryParametersOf(resource)
      .filter(({ kind }) => !commonKinds.has(kind))
      .flatMap((parameter) => [
        ...(parameter.field ? [] : [comment(parameter.description, '  ')]),
        `  readonly ${propertyName(parameter.name)}?: ${parameterTypes[parameter.kind](parameter, resource)} | undefined`,
      ]),
    '}',
  ].join('\n')

const summaryKinds: ReadonlySet<QueryParameterKind> = new Set([
  ...(['sum', 'min', 'max', 'by', 'order', 'top'] as const),
])

const summaryOf = (resource: Resource): string => {
  const { name, group } = resource
  const parameters = summaryParametersOf(resource)
  const others = queryParametersOf(resource).filter(
    ({ name: each, kind }) => !parameters.some((own) => own.name === each && own.kind === kind),
  )
  const own = others.filter(({ kind }) => !commonKinds.has(kind)).map((each) => each.name)
  const base = own.length > 0 ? `Omit<${name}Query, ${literals(own)}>` : `${name}Query`
  return [
    `/** Parameters for summaries of ${group}: those of its queries, and what to add up. */`,
    `export interface ${name}Summary extends ${base} {`,
    ...parameters
      .filter(
        ({ kind, name: each }) =>
          summaryKinds.has(kind) || (each === 'asOf' && resource.views.length === 0),
      )
      .flatMap((parameter) => [
        comment(parameter.description, '  '),
        `  readonly ${parameter.name}?: ${parameterTypes[parameter.kind](parameter, resource)} | undefined`,
      ]),
    '}',
  ].join('\n')
}

const propertyName = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)

/** Dates, timestamps and amounts are strings: a number could not hold every amount exactly. */
const valueType = ({ field }: QueryParameter): string =>
  field?.kind === 'integer' ? 'number' : 'string'

const parameterTypes: Record<
  QueryParameterKind,
  (parameter: QueryParameter, resource: Resource) => string
> = {
  limit: () => 'number',
  cursor: text,
  filter: valueType,
  range: valueType,
  updatedSince: text,
  in: (parameter) => `readonly ${valueType(parameter)}[]`,
  null: () => 'boolean',
  prefix: text,
  ids: () => 'readonly string[]',
  view: (_, { views }) => literals(views.map(({ name }) => name)),
  viewParameter: () => 'number',
  asOf: text,
  sort: (_, resource) => literals(sortsOf(resource).flatMap((name) => [name, `-${name}`])),
  fields: () => 'readonly string[]',
  include: () => 'readonly string[]',
  scorecardSort: text,
  format: text,
  bom: () => 'boolean',
  delimiter: text,
  labels: text,
  totals: (_, resource) => `readonly (${literals(summableFields(resource))})[]`,
  sum: (_, resource) => `readonly (${literals(summableFields(resource))})[]`,
  min: (_, resource) => `readonly (${literals(comparableFields(resource))})[]`,
  max: (_, resource) => `readonly (${literals(comparableFields(resource))})[]`,
  order: (_, resource) =>
    literals([groupItems, ...summableFields(resource)].flatMap((name) => [name, `-${name}`])),
  top: () => 'number',
  by: (_, resource) => `readonly (${literals(groupingsOf(resource).map(({ name }) => name))})[]`,
}

const meaningOf = ({ name, field, through }: Filter): string =>
  through
    ? `Records whose \`${through.local}\` is \`${through.match}\` in a row of ${through.collection} with this \`${through.where}\`.`
    : `Records whose \`${field ?? name}\` equals the value.`

const relationsTypeOf = (resource: Resource): string =>
  [
    `/** Related records that \`include\` adds to a record of ${resource.group}, by name. */`,
    `export interface ${resource.name}Relations {`,
    ...relationsOf(resource).map(
      ({ name, to }) => `  readonly ${name}: ${resourceAt(catalog, to).name}`,
    ),
    '}',
  ].join('\n')
