import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  basePath,
  catalog,
  feedBasePath,
  limits,
  operationsOf,
  patterns,
  queryBasePath,
  queryOperationsOf,
  queryParametersOf,
  type Resource,
  relationsOf,
  resourceAt,
  type Schema,
} from '#contract'
import { buildDocument, buildQueryDocument, shareRepeated } from '#openapi'
import { generatedFiles } from '../../tools/generated-files.ts'
import { recordsAt } from '../support/model.ts'
import { expanded } from '../support/openapi.ts'

const root = new URL('../../', import.meta.url)
const file = new URL('openapi.json', root)
const document = JSON.parse(readFileSync(file, 'utf8'))
const feedFile = new URL('connectors/openapi.feed.json', root)
const feedDocument = JSON.parse(readFileSync(feedFile, 'utf8'))
const ingestFile = new URL('connectors/openapi.ingest.json', root)
const ingestDocument = JSON.parse(readFileSync(ingestFile, 'utf8'))
const queryFile = new URL('connectors/openapi.query.json', root)
const queryDocument = JSON.parse(readFileSync(queryFile, 'utf8'))

interface Described {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: { $ref?: string; name?: string; in?: string; schema?: object; description?: string }[]
  responses: Record<string, { $ref?: string; headers?: object; content?: object }>
  'x-origin': string
}

const relationNamed = (resource: Resource, wanted: string) => {
  const relation = relationsOf(resource).find(({ name }) => name === wanted)
  assert.ok(relation)
  return relation
}

const resolvedPaths = expanded(document)['paths'] as unknown as Record<string, { get: Described }>
const described = Object.entries(document.paths as Record<string, { get: Described }>)

describe('openapi.json', () => {
  it('is fresh', async () => {
    for (const { path, text } of await generatedFiles()) {
      assert.equal(readFileSync(new URL(path, root), 'utf8'), text, `${path} is stale`)
    }
  })

  it('is OpenAPI 3.1.0 of the interface 1.3.0, under the base path', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.equal(document.info.version, '1.3.0')
    assert.equal(document.servers[0].url, basePath)
  })

  it('has every operation, all GET', () => {
    assert.equal(described.length, operationsOf(catalog).length)
    for (const [, item] of described) assert.deepEqual(Object.keys(item), ['get'])
  })

  it('gives every operation words, a tag, an origin and every status it can answer', () => {
    const tags = document.tags.map(({ name }: { name: string }) => name)
    assert.deepEqual(
      tags,
      catalog.resources.map(({ group }) => group),
    )
    for (const [path, { get }] of described) {
      assert.ok(get.summary && get.description && get.operationId, path)
      assert.ok(tags.includes(get.tags[0] ?? ''), path)
      assert.match(get['x-origin'], /^(specified|designed)$/)
      const statuses = ['200', '304', '400', '401', '404', '429', '500']
      if (path.endsWith('/content')) statuses.push('503')
      assert.deepEqual(Object.keys(get.responses), statuses)
      for (const parameter of get.parameters) {
        assert.ok(parameter.$ref || (parameter.description && parameter.schema), path)
      }
    }
  })

  it('names the headers: Link, Total-Items, ETag, Retry-After, RateLimit, WWW-Authenticate', () => {
    const { headers, responses } = document.components
    for (const name of [
      'Link',
      'Total-Items',
      'ETag',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]) {
      assert.ok(headers[name], name)
    }
    assert.ok(responses.TooManyRequests.headers['Retry-After'])
    assert.ok(responses.Unauthorized.headers['WWW-Authenticate'])
    for (const [path, { get }] of described) {
      const sent = Object.keys(get.responses['200']?.headers ?? {})
      assert.ok(sent.includes('ETag') && sent.includes('RateLimit'), path)
      for (const name of ['Link', 'Total-Items']) {
        assert.equal(sent.includes(name), get.operationId.startsWith('list'), path)
      }
    }
  })

  it('gives parameters their patterns and lengths', () => {
    const { parameters } = document.components
    assert.deepEqual(parameters.limit.schema, { type: 'integer', ...limits.pageSize })
    const schemaOf = (path: string, name: string) =>
      resolvedPaths[path]?.get.parameters.find((each) => each.name === name)?.schema
    assert.deepEqual(schemaOf('/brands/{brand}/units-of-measure', 'code'), {
      type: 'string',
      minLength: 1,
      maxLength: 255,
    })
    assert.deepEqual(schemaOf('/brands/{brand}/order-items', 'orderId'), {
      type: 'string',
      pattern: patterns.id,
    })
    assert.deepEqual(schemaOf('/brands/{brand}/production-runs', 'runNumber'), {
      type: 'string',
      pattern: '^(0|[1-9]\\d*)$',
      maxLength: 10,
    })
    assert.deepEqual(schemaOf('/brands/{brand}/countries/{id}', 'id'), {
      type: 'string',
      pattern: '^[A-Z]{2}$',
    })
    assert.equal(schemaOf('/brands/{brand}/tags', 'include'), undefined)
  })

  it('gives every record an example that is valid under its own schema', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'openapi', ...document })
    for (const { name } of catalog.resources) {
      const { examples, ...schema } = document.components.schemas[name]
      assert.equal(examples.length, 1, name)
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}`)
      assert.ok(validate?.(examples[0]), `${name}: ${JSON.stringify(validate?.errors)}`)
      assert.equal(schema.additionalProperties, false)
      for (const field of Object.values(schema.properties as Record<string, object>)) {
        assert.ok('description' in field)
      }
    }
  })

  it('nests records one level deep, as responses do: a schema written out stays small', () => {
    const { schemas } = document.components
    const named = (name: string) => `#/components/schemas/${name}`
    /** The schemas there are when each $ref is replaced by what it names, and how deep they nest. */
    const written = (
      node: unknown,
      above: readonly string[] = [],
    ): [count: number, deep: number] => {
      if (typeof node !== 'object' || node === null) return [0, above.length]
      const { $ref } = node as { $ref?: string }
      if ($ref !== undefined) {
        assert.ok(!above.includes($ref), `${[...above, $ref].join(' → ')} is circular`)
        const [count, deep] = written(schemas[$ref.slice(named('').length)], [...above, $ref])
        return [count + 1, deep]
      }
      const parts = Object.values(node).map((each) => written(each, above))
      return [
        parts.reduce((sum, [count]) => sum + count, 0),
        Math.max(above.length, ...parts.map(([, deep]) => deep)),
      ]
    }
    for (const resource of catalog.resources) {
      const [count, deep] = written({ $ref: named(resource.name) })
      assert.equal(count, 1 + relationsOf(resource).length, resource.name)
      assert.ok(deep <= 2, resource.name)
      const page = schemas[`${resource.name}Page`]
      if (page) assert.equal(written(page)[1], deep, resource.name)
      for (const { name } of relationsOf(resource)) {
        const [{ $ref }] = schemas[resource.name].properties[name].anyOf
        const included = schemas[$ref.slice(named('').length)]
        const target = resourceAt(catalog, relationNamed(resource, name).to)
        assert.deepEqual(included.required, Object.keys(target.fields))
        assert.deepEqual(Object.keys(included.properties), Object.keys(target.fields))
        assert.equal(included.additionalProperties, false)
      }
    }
    // The feed's document says that a collection's schema is found by this.
    assert.deepEqual(
      Object.values(schemas as Record<string, { 'x-collection'?: string }>)
        .flatMap((schema) => schema['x-collection'] ?? [])
        .sort(),
      catalog.resources.map(({ path }) => path).sort(),
    )
  })

  it('gives brand and every id an example, and types the details of an error', () => {
    assert.match(document.components.parameters.brand.example, new RegExp(patterns.brand))
    for (const [path, { get }] of Object.entries(resolvedPaths)) {
      const id = get.parameters.find(({ name }) => name === 'id') as
        | { example: string; schema: { pattern: string } }
        | undefined
      assert.equal(id !== undefined, path.includes('{id}'), path)
      if (id) assert.match(id.example, new RegExp(id.schema.pattern), path)
    }
    const [problems, mismatch] = document.components.schemas.Error.properties.details.anyOf
    assert.deepEqual(problems.items.required, ['parameter', 'issue'])
    assert.deepEqual(mismatch.required, ['different'])
  })

  it('writes what several operations have once, and means the same', async () => {
    const samples = { tags: recordsAt('tags')[0] ?? {} }
    for (const whole of [buildDocument(catalog, samples), buildQueryDocument(catalog, samples)]) {
      const shared = shareRepeated(whole)
      assert.deepEqual(expanded(shared)['paths'], expanded(whole)['paths'])
      assert.ok(JSON.stringify(shared).length < 0.9 * JSON.stringify(whole).length)
      const { schemas, securitySchemes, headers } = shared['components'] as Schema
      const { components } = whole as { components: Schema }
      assert.deepEqual(
        { schemas, securitySchemes, headers },
        {
          schemas: components['schemas'],
          securitySchemes: components['securitySchemes'],
          headers: components['headers'],
        },
      )
      const operations = Object.values(
        shared['paths'] as unknown as Record<string, { get: Described }>,
      )
      const texts = operations.flatMap(({ get }) =>
        [...get.parameters, ...Object.values(get.responses)]
          .filter(({ $ref }) => $ref === undefined)
          .map((each) => JSON.stringify(each)),
      )
      assert.equal(new Set(texts).size, texts.length)
    }
  })

  it('says that include may be written with commas or repeated', () => {
    const { parameters } = resolvedPaths['/brands/{brand}/orders']?.get ?? assert.fail()
    const include = parameters.find(({ name }) => name === 'include') as unknown as {
      style: string
      explode: boolean
      description: string
      schema: { type: string }
    }
    assert.deepEqual(
      [include.style, include.explode, include.schema.type],
      ['form', false, 'array'],
    )
    assert.match(include.description, /`include=a,b`.*`include=a&include=b`/)
  })

  it('is clean under redocly lint, and so are those of the other APIs', () => {
    const cli = new URL('node_modules/@redocly/cli/bin/cli.js', root)
    const ran = spawnSync(
      process.execPath,
      [
        ...[cli.pathname, 'lint', file.pathname],
        ...[queryFile.pathname, feedFile.pathname, ingestFile.pathname],
        ...['--config', new URL('test/support/redocly.yaml', root).pathname],
      ],
      { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' } },
    )
    assert.equal(ran.status, 0, ran.stdout + ran.stderr)
    assert.doesNotMatch(ran.stdout + ran.stderr, /warning/i)
  })

  it('is valid under a second, independent validator', async () => {
    for (const each of [document, queryDocument, feedDocument, ingestDocument]) {
      const { valid, errors } = await new Validator().validate(each)
      assert.ok(valid, JSON.stringify(errors))
    }
  })
})

describe('openapi.feed.json', () => {
  it('is OpenAPI 3.1.0 of one operation, under a base path of its own', () => {
    assert.equal(feedDocument.openapi, '3.1.0')
    assert.equal(feedDocument.servers[0].url, feedBasePath)
    assert.deepEqual(Object.keys(feedDocument.paths), ['/brands/{brand}/changes'])
    const { get } = feedDocument.paths['/brands/{brand}/changes']
    assert.deepEqual(Object.keys(get.responses), ['200', '304', '400', '401', '404', '429', '500'])
    assert.deepEqual(
      feedDocument.components.schemas.Collection.enum,
      catalog.resources.map(({ path }) => path),
    )
  })
})

describe('openapi.query.json', () => {
  /** A parameter, or the component that it names. */
  const resolved = (parameter: { $ref?: string; name?: string }) =>
    parameter.$ref === undefined
      ? parameter
      : queryDocument.components.parameters[parameter.$ref.slice('#/components/parameters/'.length)]

  it('is OpenAPI 3.1.0 with every list, under a base path of its own', () => {
    assert.equal(queryDocument.openapi, '3.1.0')
    assert.equal(queryDocument.servers[0].url, queryBasePath)
    for (const { path } of queryOperationsOf(catalog)) assert.ok(queryDocument.paths[path], path)
  })

  it('describes exactly the parameters that a list accepts, in their order', () => {
    for (const { path, resource } of queryOperationsOf(catalog)) {
      const names = queryDocument.paths[path].get.parameters.map(
        (each: { $ref?: string; name?: string }) => resolved(each)?.name,
      )
      assert.deepEqual(
        names,
        ['brand', ...queryParametersOf(resource).map(({ name }) => name), 'After-Write'],
        path,
      )
    }
  })

  it('names what a list can be sorted by, its views and the types of its ranges', () => {
    const { parameters } = queryDocument.paths['/brands/{brand}/orders'].get
    const schemaOf = (name: string) =>
      parameters.map(resolved).find((each: { name: string }) => each.name === name)?.schema
    assert.ok(schemaOf('sort').enum.includes('-orderDate'))
    assert.ok(schemaOf('view').enum.includes('late'))
    assert.deepEqual(schemaOf('orderDate.gte'), { type: 'string', format: 'date' })
    assert.equal(schemaOf('totalAmount.gte').pattern, patterns.amount)
    assert.equal(schemaOf('status.in').type, 'array')
  })

  it('requires the format of a download, which the server does', () => {
    for (const { path } of queryOperationsOf(catalog)) {
      const { parameters } = queryDocument.paths[`${path}/download`].get
      const required = parameters
        .map(resolved)
        .filter((each: { required?: boolean }) => each.required)
      assert.deepEqual(
        required.map(({ name }: { name: string }) => name),
        ['brand', 'format'],
        path,
      )
    }
  })

  it('gives every id an example', () => {
    const paths = Object.keys(queryDocument.paths).filter((path) => path.includes('{id}'))
    assert.ok(paths.length > 0)
    for (const path of paths) {
      const { example, schema } = queryDocument.paths[path].get.parameters
        .map(resolved)
        .find(({ name }: { name: string }) => name === 'id')
      assert.match(example, new RegExp(schema.pattern), path)
    }
  })

  it('writes out to few schemas for tools that replace references by what they name', () => {
    const { schemas } = queryDocument.components
    const written = (node: unknown): number => {
      if (typeof node !== 'object' || node === null) return 0
      const { $ref } = node as { $ref?: string }
      if ($ref !== undefined) return 1 + written(schemas[$ref.split('/').at(-1) ?? ''])
      return Object.values(node).reduce((sum, each) => sum + written(each), 0)
    }
    for (const [name, schema] of Object.entries(schemas)) {
      assert.ok(written(schema) < 40, `${name} has ${1 + written(schema)} schemas`)
    }
  })

  it('allows a record with its identity and some fields, and no field of another name', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'query', ...queryDocument })
    const validate = ajv.getSchema('query#/components/schemas/Order')
    const id = '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
    assert.ok(validate?.({ id, orderNumber: 'PO-5512' }), JSON.stringify(validate?.errors))
    assert.equal(validate?.({ orderNumber: 'PO-5512' }), false)
    assert.equal(validate?.({ id, total: 1 }), false)
  })
})
