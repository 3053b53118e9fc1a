import {
  type Catalog,
  describeField,
  type LeafField,
  leafFields,
  type Resource,
  type Schema,
} from '#contract'
import { textFunctions } from './functions.ts'
import {
  caseSettings,
  collectionSettings,
  conditionSettings,
  expressionSettings,
  fileSettings,
  formatSettings,
  fromSettings,
  joinSettings,
  lookupSettings,
  type Setting,
  sourceSettings,
  trailerSettings,
} from './syntax.ts'

/** The JSON Schema of mapping files, with the collections and fields of the contract. */
export const mappingSchema = (catalog: Catalog): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Mapping file of Selvedge',
  ...objectOf(fileSettings, ['version', 'collections']),
  $defs: {
    formats: objectOf(formatSettings),
    from: {
      anyOf: [
        { type: 'string', minLength: 1 },
        {
          ...objectOf(fromSettings),
          anyOf: origins,
        },
      ],
    },
    lookup: objectOf(lookupSettings, ['by']),
    join: { ...objectOf(joinSettings, ['name', 'on']), anyOf: origins },
    trailer: objectOf(trailerSettings, ['startsWith']),
    condition: {
      anyOf: [
        scalar,
        { type: 'array', items: scalar, minItems: 1 },
        { ...objectOf(conditionSettings), minProperties: 1 },
      ],
    },
    expression: {
      ...objectOf(expressionSettings),
      oneOf: Object.keys(sourceSettings).map((name) => ({ required: [name] })),
    },
    case: objectOf(caseSettings, ['if', 'then']),
    apply: { anyOf: [functionSchema, { type: 'array', items: functionSchema }] },
    collectionName: { enum: catalog.resources.map(({ path }) => path) },
    collections: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: Object.fromEntries(
        catalog.resources.map((resource) => [
          resource.path,
          {
            description: resource.summary,
            anyOf: [
              { $ref: `#/$defs/records-${resource.path}` },
              { type: 'array', items: { $ref: `#/$defs/records-${resource.path}` }, minItems: 1 },
            ],
          },
        ]),
      ),
    },
    ...Object.fromEntries(
      catalog.resources.map((resource) => [`records-${resource.path}`, collectionSchema(resource)]),
    ),
  },
})

const origins = ['files', 'sql', 'rows', 'given'].map((name) => ({ required: [name] }))

const scalar = { type: ['string', 'number', 'boolean', 'null'] }

const functionSchema = {
  anyOf: [
    {
      enum: Object.entries(textFunctions)
        .filter(([, each]) => each.arguments.length === 0)
        .map(([name]) => name),
    },
    ...Object.entries(textFunctions)
      .filter(([, each]) => each.arguments.length > 0)
      .map(([name, { about }]) => ({
        type: 'object',
        description: about,
        required: [name],
        additionalProperties: false,
        properties: { [name]: {} },
      })),
  ],
}

const objectOf = (
  settings: { readonly [name: string]: Setting },
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 && { required }),
  properties: Object.fromEntries(
    Object.entries(settings).map(([name, { about, schema }]) => [
      name,
      { description: about, ...schema },
    ]),
  ),
})

const collectionSchema = (resource: Resource): Schema => {
  const isSingle = resource.key.length === 1 && resource.key[0] === 'id'
  const { id, ...others } = collectionSettings
  const leaves = leafFields(resource.fields).filter(({ name }) => !(isSingle && name === 'id'))
  const base = objectOf(isSingle ? { id, ...others } : others, [
    'from',
    ...(isSingle ? ['id'] : []),
    'fields',
  ])
  return {
    ...base,
    properties: {
      ...(base['properties'] as object),
      fields: {
        description: others.fields.about,
        type: 'object',
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(leaves.map((leaf) => [leaf.name, fieldSchema(leaf)])),
          ...Object.fromEntries(
            Object.entries(resource.fields)
              .filter(([, { kind }]) => kind === 'object')
              .map(([name]) => [name, { type: 'object' }]),
          ),
        },
      },
    },
  }
}

const fieldSchema = ({ name, field }: LeafField): Schema => {
  const time = field.kind === 'timestamp' ? [{ enum: ['first-seen', 'last-changed'] }] : []
  const allowed = field.values && {
    properties: {
      value: { enum: [...field.values, null] },
      values: { additionalProperties: { enum: [...field.values, null] } },
      otherwise: { enum: [...field.values, null] },
      default: { enum: [...field.values, null] },
    },
  }
  const expression = allowed
    ? { allOf: [{ $ref: '#/$defs/expression' }, allowed] }
    : { $ref: '#/$defs/expression' }
  return {
    description: describeField(name, field),
    anyOf: [...time, { type: 'string', minLength: 1 }, expression],
  }
}
