import {
  catalog,
  describeField,
  errors,
  type Field,
  type Fields,
  type Filter,
  type FilterKind,
  type Kind,
  type Resource,
  relationsOf,
  resourceAt,
} from '#contract'
import { comment, sourceFile } from './source.ts'

/** The types of the client: each record, its filters and its relations. */
export const recordsFile = (): string =>
  sourceFile(
    "import type { JsonValue } from '../error.ts'",
    [
      '/** Every error code of the API. */',
      'export type ServerErrorCode =',
      ...Object.keys(errors).map((code) => `  | '${code}'`),
    ].join('\n'),
    ...catalog.resources.flatMap((resource) => [
      `${comment(resource.summary)}\n${interfaceOf(resource.name, resource.fields)}`,
      ...(resource.content
        ? [
            `${comment(resource.content.summary)}\n${interfaceOf(resource.content.name, resource.content.fields)}`,
          ]
        : []),
      ...(resource.endpoints.includes('list') ? [filtersOf(resource)] : []),
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
