import {
  comparableFields,
  csvDelimiters,
  downloadFormats,
  downloadParametersOf,
  type Field,
  groupItems,
  groupingsMax,
  groupingsOf,
  groupsMax,
  type Kind,
  labelLanguages,
  limits,
  listQuerySchema,
  patterns,
  type QueryOperation,
  type QueryParameter,
  type QueryParameterKind,
  queryLimits,
  queryParametersOf,
  type Resource,
  type Schema,
  scorecardSorts,
  sortsOf,
  summableFields,
  summaryParametersOf,
} from '#contract'
import { afterWriteParameter } from './operations.ts'

/** Parameters of an operation; shared ones by reference. */
export const parametersOf = (
  resource: Resource,
  parameters: readonly QueryParameter[],
  shared: SharedParameters,
): readonly Schema[] => [
  { $ref: '#/components/parameters/brand' },
  ...parameters.map((parameter) => {
    const schema = describeParameter(parameter, resource)
    const component = shared.get(JSON.stringify(schema))
    return component ? { $ref: `#/components/parameters/${component.key}` } : schema
  }),
  afterWriteParameter,
]

/** Parameters that several operations share, by JSON text, each with its name in the document. */
export type SharedParameters = ReadonlyMap<
  string,
  { readonly key: string; readonly schema: Schema }
>

export const sharedParameters = (operations: readonly QueryOperation[]): SharedParameters => {
  const schemas = operations.flatMap(({ resource }) =>
    [queryParametersOf, summaryParametersOf, downloadParametersOf].flatMap((parametersFor) =>
      parametersFor(resource).map((parameter) => describeParameter(parameter, resource)),
    ),
  )
  const uses = Map.groupBy(schemas, (schema) => JSON.stringify(schema))
  const keys = new Map<string, number>()
  return new Map(
    [...uses]
      .filter(([, same]) => same.length > 1)
      .map(([text, [schema = {}]]) => {
        const name = String(schema['name'])
        const number = (keys.get(name) ?? 0) + 1
        keys.set(name, number)
        return [text, { key: number === 1 ? name : `${name}.${number}`, schema }]
      }),
  )
}

const describeParameter = (parameter: QueryParameter, resource: Resource): Schema => ({
  name: parameter.name,
  in: 'query',
  ...(parameter.required && { required: true }),
  description: parameter.description,
  ...(listKinds.has(parameter.kind) && { style: 'form', explode: false }),
  schema: schemasByKind[parameter.kind](parameter, resource),
})

/** The parameters with a comma-separated list. */
const listKinds: ReadonlySet<QueryParameterKind> = new Set([
  ...(['in', 'ids', 'fields', 'include', 'totals', 'sum', 'min', 'max', 'by'] as const),
])

const contractSchema = ({ name }: QueryParameter, resource: Resource): Schema =>
  (listQuerySchema(resource)['properties'] as { readonly [name: string]: Schema })[name] ?? {}

const valueSchema = ({ field }: QueryParameter): Schema =>
  field ? valuesByKind[field.kind](field) : {}

const textValue = (): Schema => ({ type: 'string', ...limits.stringFilter })
const identifierValue = (): Schema => ({ type: 'string', pattern: patterns.id })
const noValue = (): Schema => ({})

const valuesByKind: Record<Kind, (field: Field) => Schema> = {
  id: identifierValue,
  ref: identifierValue,
  person: identifierValue,
  text: textValue,
  integer: () => ({ type: 'integer' }),
  flag: () => ({ type: 'boolean' }),
  amount: () => ({ type: 'string', pattern: patterns.amount, maxLength: queryLimits.amount }),
  date: () => ({ type: 'string', format: 'date' }),
  timestamp: () => ({
    type: 'string',
    anyOf: [{ format: 'date-time' }, { format: 'date' }],
  }),
  any: noValue,
  texts: noValue,
  object: noValue,
  objects: noValue,
}

const schemasByKind: Record<
  QueryParameterKind,
  (parameter: QueryParameter, resource: Resource) => Schema
> = {
  limit: contractSchema,
  cursor: contractSchema,
  filter: contractSchema,
  include: contractSchema,
  range: valueSchema,
  updatedSince: valueSchema,
  in: (parameter) => listOf(valueSchema(parameter), queryLimits.values),
  null: () => ({ type: 'boolean' }),
  prefix: () => ({ type: 'string', minLength: 1, maxLength: queryLimits.prefix }),
  ids: () => listOf({ type: 'string', minLength: 1 }, queryLimits.ids),
  view: (_, { views }) => ({ type: 'string', enum: views.map(({ name }) => name) }),
  viewParameter: ({ name }, { views }) => {
    const all = views.flatMap(({ parameters }) => parameters.filter((each) => each.name === name))
    return {
      type: 'integer',
      minimum: Math.min(...all.map(({ minimum }) => minimum)),
      maximum: Math.max(...all.map(({ maximum }) => maximum)),
    }
  },
  asOf: () => ({ type: 'string', format: 'date' }),
  sort: (_, resource) => ({
    type: 'string',
    enum: sortsOf(resource).flatMap((name) => [name, `-${name}`]),
  }),
  format: () => ({ type: 'string', enum: downloadFormats }),
  bom: () => ({ type: 'boolean' }),
  labels: () => ({ type: 'string', enum: labelLanguages }),
  delimiter: () => ({ type: 'string', enum: csvDelimiters }),
  fields: (_, { fields }) => listOf({ type: 'string', enum: Object.keys(fields) }),
  totals: (_, resource) => listOf({ type: 'string', enum: summableFields(resource) }),
  sum: (_, resource) => listOf({ type: 'string', enum: summableFields(resource) }),
  min: (_, resource) => listOf({ type: 'string', enum: comparableFields(resource) }),
  max: (_, resource) => listOf({ type: 'string', enum: comparableFields(resource) }),
  order: (_, resource) => ({
    type: 'string',
    enum: [groupItems, ...summableFields(resource)].flatMap((name) => [name, `-${name}`]),
  }),
  scorecardSort: () => ({
    type: 'string',
    enum: Object.keys(scorecardSorts).flatMap((name) => [name, `-${name}`]),
  }),
  top: () => ({ type: 'integer', minimum: 1, maximum: groupsMax }),
  by: (_, resource) =>
    listOf({ type: 'string', enum: groupingsOf(resource).map(({ name }) => name) }, groupingsMax),
}

export const listOf = (items: Schema, maxItems?: number): Schema => ({
  type: 'array',
  minItems: 1,
  ...(maxItems !== undefined && { maxItems }),
  items,
})
