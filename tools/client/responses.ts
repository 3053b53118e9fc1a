import { catalog } from '#contract'
import { buildQueryDocument } from '#openapi'
import { comment, literals, sourceFile } from './source.ts'

/** The types of responses other than records, from the schemas of the query API. */
export const responsesFile = (): string => {
  const declared = new Map<string, string>()
  const { schemas } = buildQueryDocument(catalog, {})['components'] as unknown as Components
  const declare = (name: string, schema = schemas[name]): string => {
    if (!schema) throw new Error(`The query API has no schema ${name}.`)
    if (declared.has(name)) return name
    // Reserves the name first, since a schema may refer to itself.
    declared.set(name, '')
    const kind = schema.properties ? `interface ${name} ` : `type ${name} = `
    const type = schema.properties
      ? body(schema, name, '', declare)
      : typeOf(schema, name, '', declare)
    declared.set(name, `${comment(schema.description ?? name)}\nexport ${kind}${type}`)
    return name
  }
  for (const name of roots) declare(name)
  return sourceFile(...declared.values())
}

/** Schemas of responses. Referenced schemas are added automatically. */
const roots = [
  ...[
    'Summary',
    'Totals',
    'Today',
    'Trend',
    'Calendar',
    'Quality',
    'SearchResults',
    'Lineage',
    'RecordGrid',
  ],
  ...['Sources', 'SourceUnits', 'SourceRows', 'PublishedViews'],
  ...['DocumentDeadline', 'DocumentStage', 'Goods', 'Picture', 'ScorecardPage'],
]

/** Parts of schemas with a name in the client, by path. */
const namedParts: { readonly [path: string]: readonly [name: string, summary: string] } = {
  'Summary.total': [
    'Figures',
    'What was added up and compared. What was not requested is missing.',
  ],
  'Summary.groups': ['SummaryGroup', 'Figures of one group.'],
  'Figure.first': ['FirstRecord', 'A record of a figure, and its date.'],
  'Goods.style': ['NamedPart', 'A style, an option or a SKU.'],
  'Goods.sku': ['NamedPart', 'A style, an option or a SKU.'],
  'Grid.style': ['NamedPart', 'A style, an option or a SKU.'],
  'GridLine.style': ['NamedPart', 'A style, an option or a SKU.'],
  'GridLine.sku': ['NamedPart', 'A style, an option or a SKU.'],
  'GridRow.option': ['GridOption', 'A colour of a style.'],
  'GridLine.option': ['GridOption', 'A colour of a style.'],
  'LineageRecord.reachedBy': ['LineageRelation', 'A relation of a record of a lineage.'],
  'Lineage.followed': ['LineageRelation', 'A relation of a record of a lineage.'],
}

/**
 * An enumeration with at least this many values, such as the paths of all groups, becomes a string.
 */
const manyValues = 10

/** The keywords of JSON Schema that these schemas use. */
interface ResponseSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly ResponseSchema[]
  readonly allOf?: readonly [ResponseSchema]
  readonly items?: ResponseSchema
  readonly properties?: { readonly [name: string]: ResponseSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: ResponseSchema | false
}

interface Components {
  readonly schemas: { readonly [name: string]: ResponseSchema }
}

/** Declares a type and returns its name. */
type Declare = (name: string, schema?: ResponseSchema) => string

const body = (schema: ResponseSchema, path: string, indent: string, declare: Declare): string =>
  [
    '{',
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(property.description ? [comment(firstLine(property.description), `${indent}  `)] : []),
      `${indent}  readonly ${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(property, `${path}.${name}`, `${indent}  `, declare)}`,
    ]),
    `${indent}}`,
  ].join('\n')

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

const typeOf = (schema: ResponseSchema, path: string, indent: string, declare: Declare): string => {
  const of = (each: ResponseSchema) => typeOf(each, path, indent, declare)
  const { $ref, allOf, anyOf, items, properties = {}, additionalProperties } = schema
  const named = namedParts[path]
  const [first] = Object.values(properties)
  if ($ref) return declare($ref.slice($ref.lastIndexOf('/') + 1))
  if (allOf) return of(allOf[0])
  if (anyOf) return anyOf.map(of).join(' | ')
  if (items) return `readonly ${itemType(of(items))}[]`
  if (schema.enum && schema.enum.length < manyValues) return literals(schema.enum)
  if (first && named) return declare(named[0], { ...schema, description: named[1] })
  if (first) return body(schema, path, indent, declare)
  if (additionalProperties) return dictionary('name', of(additionalProperties))
  return [schema.type ?? 'object']
    .flat()
    .map((type) => types[type])
    .join(' | ')
}

const dictionary = (key: string, values: string): string =>
  `{ readonly [${key}: string]: ${values} }`

const itemType = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`)

const types: { readonly [type: string]: string } = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: dictionary('field', 'unknown'),
}
