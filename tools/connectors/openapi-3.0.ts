import { isJsonObject, type JsonValue, type Schema } from '#contract'

/**
 * Converts the API document to OpenAPI 3.0.3, for generators that do not support 3.1. A value that
 * may be null becomes `nullable`, a constant an enum of one value, and examples one example.
 */
export const openApi30 = (document: Schema): Schema => {
  const { openapi: _, info, paths, components, ...rest } = document
  const { summary: __, license: ___, ...about } = info as Schema
  return {
    openapi: '3.0.3',
    info: {
      ...about,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    ...rest,
    paths: withSchemas(paths as JsonValue),
    components: componentsOf(components as Schema),
  }
}

const componentsOf = ({ schemas, ...others }: Schema): Schema => ({
  ...(withSchemas(others) as Schema),
  schemas: mapValues(schemas as Schema, schemaOf),
})

/** Parameters, headers and responses are the same in both versions, except for their schemas. */
const withSchemas = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(withSchemas)
  if (!isJsonObject(value)) return value
  return mapValues(value, (each, name) =>
    name === 'schema' ? schemaOf(each) : name === 'examples' ? each : withSchemas(each),
  )
}

const mapValues = (object: Schema, change: (value: JsonValue, name: string) => JsonValue): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))

const schemaOf = (value: JsonValue): JsonValue => {
  if (!isJsonObject(value)) return value
  const { $ref, type, anyOf, oneOf, examples, items, properties, const: constant, ...rest } = value
  const keywords = {
    ...rest,
    ...(items !== undefined && { items: schemaOf(items) }),
    ...(properties !== undefined && { properties: mapValues(properties as Schema, schemaOf) }),
    ...(constant !== undefined && { enum: [constant] }),
    ...(Array.isArray(examples) && examples.length > 0 && { example: examples[0] as JsonValue }),
  }
  // OpenAPI 3.0 ignores keywords next to a reference.
  if (typeof $ref === 'string') {
    return Object.keys(keywords).length === 0 ? { $ref } : { ...keywords, allOf: [{ $ref }] }
  }
  return { ...typeOf(type), ...keywords, ...choiceOf('anyOf', anyOf), ...choiceOf('oneOf', oneOf) }
}

/**
 * `["string", "null"]` becomes a nullable string. A schema without a type allows anything,
 * including null.
 */
const typeOf = (type: JsonValue | undefined): Schema => {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const [only, ...others] = type.filter((each) => each !== 'null')
  const isNullable = type.includes('null') && { nullable: true }
  return only === undefined || others.length > 0 ? { ...isNullable } : { type: only, ...isNullable }
}

/**
 * A choice between a record and null becomes a nullable record, as generators expect. `nullable`
 * works only next to a type.
 */
const choiceOf = (name: 'anyOf' | 'oneOf', choice: JsonValue | undefined): Schema => {
  if (!Array.isArray(choice)) return {}
  const schemas = choice.filter((each) => !isNull(each)).map(schemaOf)
  if (schemas.length === choice.length) return { [name]: schemas }
  return { type: 'object', nullable: true, [schemas.length === 1 ? 'allOf' : name]: schemas }
}

const isNull = (schema: JsonValue): boolean => isJsonObject(schema) && schema['type'] === 'null'
