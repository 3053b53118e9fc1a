/** The OpenAPI 3.0 document for generators: valid, without what 3.0 does not have, and as strict. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { catalog, isJsonObject, type JsonValue, operationsOf, type Schema } from '#contract'
import { openApi30 } from '../../tools/connectors/openapi-3.0.ts'
import { recordsAt } from '../support/model.ts'

const document = JSON.parse(
  readFileSync(new URL('../../connectors/openapi-3.0.json', import.meta.url), 'utf8'),
)

/** Every schema of a document: those of components, and those of parameters, headers and bodies. */
const schemasIn = (value: JsonValue, name = ''): readonly Schema[] => {
  if (Array.isArray(value)) return value.flatMap((each) => schemasIn(each, name))
  if (!isJsonObject(value) || name === 'example' || name === 'examples') return []
  const own = name === 'schema' ? subschemas(value) : []
  return [...own, ...Object.entries(value).flatMap(([key, each]) => schemasIn(each, key))]
}

const subschemas = (schema: Schema): readonly Schema[] => {
  const inner = [
    ...Object.values((schema['properties'] ?? {}) as Schema),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => (schema[name] ?? []) as JsonValue[]),
    ...(schema['items'] === undefined ? [] : [schema['items']]),
  ]
  return [schema, ...inner.flatMap((each) => subschemas(each as Schema))]
}

/** The keywords of a schema in OpenAPI 3.0 that the document uses, beside extensions. */
const keywords = new Set(
  [
    'type nullable format pattern description enum example minimum maximum minLength maxLength',
    'items minItems maxItems uniqueItems properties required additionalProperties default',
    'allOf anyOf oneOf $ref',
  ]
    .join(' ')
    .split(' '),
)

describe('the OpenAPI 3.0 document', () => {
  it('is valid, and has every operation of the API', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors))
    assert.equal(validator.version, '3.0')
    const ids = Object.values(document.paths as { [path: string]: { get: Schema } })
    assert.deepEqual(
      ids.map(({ get }) => get['operationId']),
      operationsOf(catalog).map(({ id }) => id),
    )
  })

  it('has no keyword and no type of 3.1', () => {
    const { schemas, ...others } = document.components
    const all = [
      ...Object.values(schemas as Schema).flatMap((each) => subschemas(each as Schema)),
      ...schemasIn(others),
      ...schemasIn(document.paths),
    ]
    assert.ok(all.length > 3_500, String(all.length))
    for (const schema of all) {
      for (const name of Object.keys(schema)) {
        assert.ok(
          keywords.has(name) || name.startsWith('x-'),
          `${name} in ${JSON.stringify(schema)}`,
        )
      }
      assert.ok(!('type' in schema) || typeof schema['type'] === 'string', JSON.stringify(schema))
      assert.notEqual(schema['type'], 'null')
      if ('nullable' in schema) assert.ok('type' in schema, JSON.stringify(schema))
      if ('$ref' in schema) assert.deepEqual(Object.keys(schema), ['$ref'])
    }
  })

  it('accepts the records, and refuses null and missing fields where the contract does', () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ ...document, $id: 'openapi' })
    for (const { path, name, fields } of catalog.resources) {
      const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
      const [record] = recordsAt(path)
      assert.ok(validate(record), `${path}: ${JSON.stringify(validate.errors)}`)
      for (const [field, { kind, nullable }] of Object.entries(fields)) {
        const { [field]: _, ...without } = record as { [name: string]: JsonValue }
        assert.ok(!validate(without), `${path} without ${field}`)
        const isAccepted = nullable || kind === 'any'
        assert.equal(validate({ ...record, [field]: null }), isAccepted, `${path}.${field}`)
      }
    }
  })

  it('turns what 3.0 does not have into what it has', () => {
    const schema = (value: Schema) =>
      (
        openApi30({ info: {}, paths: {}, components: { schemas: { S: value } } }) as {
          components: { schemas: { S: Schema } }
        }
      ).components.schemas.S
    assert.deepEqual(schema({ const: 'put' }), { enum: ['put'] })
    assert.deepEqual(schema({ type: ['integer', 'null'] }), { type: 'integer', nullable: true })
    assert.deepEqual(schema({ $ref: '#/a', description: 'b' }), {
      description: 'b',
      allOf: [{ $ref: '#/a' }],
    })
    assert.deepEqual(schema({ anyOf: [{ $ref: '#/a' }, { type: 'null' }] }), {
      type: 'object',
      nullable: true,
      allOf: [{ $ref: '#/a' }],
    })
    assert.deepEqual(schema({ type: 'string', examples: ['a', 'b'] }), {
      type: 'string',
      example: 'a',
    })
  })
})
