/** What is handed to other tools is well-formed, complete, and works against the server. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { basePath, catalog, operationsOf, resourceAt } from '#contract'
import { demoImage } from '#demo'
import { type Component, problemsOf, readStream, resolved } from '../support/airbyte.ts'
import { eachOf, recordsAt, walk } from '../support/model.ts'
import { feedPut, openRelay } from '../support/relay.ts'
import { openTestService, type TestService } from '../support/service.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)

let service: TestService
let key: string
before(async () => {
  service = await openTestService()
  key = await service.key('aldermoor')
  for (const image of recordsAt('images')) {
    const { id, mimeType, fileName } = image as { id: string; mimeType: string; fileName: string }
    await service.images.put({ brand: 'aldermoor', id, mimeType, fileName }, demoImage(image))
  }
})
after(() => service.close())

describe('the Airbyte manifest', () => {
  const written: Component = parse(read('connectors/airbyte.yaml'))
  const manifest = resolved(written) as Component
  const streams = manifest['streams'] as readonly Component[]
  const streamAt = (name: string): Component => {
    const stream = streams.find((each) => each['name'] === name)
    assert.ok(stream, name)
    return stream
  }
  const config = (url = service.url) => ({ url, brand: 'aldermoor', key })

  it('is made of components that there are, each with what it needs and no more', () => {
    assert.deepEqual(problemsOf(manifest), [])
    const broken = structuredClone(manifest) as { streams: { retriever: Component }[] }
    broken.streams[0] = { retriever: { type: 'SimpleRetriever', pager: {} } }
    assert.deepEqual(problemsOf(broken), [
      'manifest.streams[0] is of an unknown type undefined',
      'manifest.streams[0].retriever lacks requester',
      'manifest.streams[0].retriever lacks record_selector',
      'manifest.streams[0].retriever has an unknown pager',
      'manifest.streams[0].retriever.pager is of an unknown type undefined',
    ])
  })

  it('has a stream for each group, with its identity as the key, and one for the feed', () => {
    assert.deepEqual(
      streams.map(({ name }) => name),
      [...catalog.resources.map(({ path }) => path), 'changes'],
    )
    for (const resource of catalog.resources) {
      assert.deepEqual(streamAt(resource.path)['primary_key'], resource.key)
    }
    const { stream_names: checked } = manifest['check'] as { stream_names: readonly string[] }
    for (const name of checked) streamAt(name)
  })

  it('asks for an address, a brand and a key, which is a secret', () => {
    const { connection_specification: schema } = manifest['spec'] as Component
    const validate = ajv.compile(schema as Component)
    assert.ok(validate(config()), JSON.stringify(validate.errors))
    assert.ok(!validate({ ...config(), url: 'https://records.example.com/' }))
    assert.ok(!validate({ url: service.url, brand: 'aldermoor' }))
    const { properties } = schema as { properties: { key: Component } }
    assert.equal(properties.key['airbyte_secret'], true)
  })

  it('reads every stream to its end, as plain HTTP does, and describes each record', async () => {
    let records = 0
    await eachOf(catalog.resources, async ({ path, lookup }) => {
      const stream = streamAt(path)
      const streamed = await readStream(stream, config())
      const expected = lookup
        ? [(await service.get('')).body]
        : (await walk(service, path, { limit: 7 })).items
      assert.deepEqual(streamed, expected, path)
      records += streamed.length
      const { schema } = stream['schema_loader'] as { schema: Component }
      const validate = ajv.compile(schema)
      for (const record of streamed) {
        assert.ok(validate(record), `${path}: ${JSON.stringify(validate.errors)}`)
      }
      const { properties } = schema as { properties: Component }
      const { fields } = resourceAt(catalog, path)
      assert.deepEqual(Object.keys(properties), Object.keys(fields), path)
    })
    assert.ok(records > 800)
  })

  it('waits and continues where the limit is used up', async () => {
    const relay = await openRelay(service.url)
    after(() => relay.close())
    let refused = 0
    relay.intercept = () => {
      refused += 1
      return refused % 2 === 1 ? { status: 429, headers: { 'retry-after': '0' }, body: '{}' } : null
    }
    assert.equal((await readStream(streamAt('countries'), config(relay.url))).length, 249)
    assert.equal(relay.requests.length, 6)
  })

  it('reads the change feed to its end', async () => {
    const relay = await openRelay(service.url)
    after(() => relay.close())
    const countries = recordsAt('countries')
    relay.feed = Array.from({ length: 10 }, () => countries).flatMap((each) =>
      each.map((record) => feedPut('countries', record)),
    )
    const records = await readStream(streamAt('changes'), config(relay.url))
    assert.deepEqual(records, relay.feed)
    assert.equal(relay.requests.length, 3)
  })

  it('reads the real change feed, and the next time only what has changed since', async () => {
    const fed = await openTestService({ CHANGE_FEED: 'on' })
    after(() => fed.close())
    const connection = { url: fed.url, brand: 'aldermoor', key: await fed.key('aldermoor') }
    const records = await readStream(streamAt('changes'), connection)
    const last = (all: readonly Component[]) => Math.max(...all.map(({ number }) => Number(number)))
    const state = last(records)
    assert.deepEqual(await readStream(streamAt('changes'), connection, state), [])
    const [tag] = recordsAt('tags')
    assert.ok(tag)
    await fed.write('aldermoor', { tags: [{ ...tag, name: 'Another name' }] })
    const changed = await readStream(streamAt('changes'), connection, state)
    assert.deepEqual(
      changed.map(({ id }) => id),
      [tag['id']],
    )
    assert.ok(last(changed) > state)
    assert.deepEqual(await readStream(streamAt('changes'), connection, last(changed)), [])
    const tags = records.filter(({ collection }) => collection === 'tags')
    assert.deepEqual(
      tags.map(({ record }) => (record as Component)['id']).sort(),
      recordsAt('tags').map(({ id }) => id),
    )
  })
})

/** The structure of a Postman collection, version 2.1, as far as ours goes. */
const collectionSchema = {
  type: 'object',
  required: ['info', 'item'],
  additionalProperties: false,
  properties: {
    info: {
      type: 'object',
      required: ['name', 'schema'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      },
    },
    auth: {
      type: 'object',
      required: ['type', 'bearer'],
      properties: { type: { const: 'bearer' }, bearer: { $ref: '#/definitions/variables' } },
    },
    variable: { $ref: '#/definitions/variables' },
    item: { type: 'array', items: { $ref: '#/definitions/folder' } },
  },
  definitions: {
    variables: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'value'],
        additionalProperties: false,
        properties: {
          key: { type: 'string' },
          value: { type: 'string' },
          type: { enum: ['string'] },
          description: { type: 'string' },
          disabled: { type: 'boolean' },
        },
      },
    },
    folder: {
      type: 'object',
      required: ['name', 'item'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        item: { type: 'array', minItems: 1, items: { $ref: '#/definitions/item' } },
      },
    },
    item: {
      type: 'object',
      required: ['name', 'request'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', minLength: 1 },
        response: { type: 'array' },
        request: {
          type: 'object',
          required: ['method', 'url'],
          additionalProperties: false,
          properties: {
            method: { const: 'GET' },
            header: { type: 'array', maxItems: 0 },
            description: { type: 'string' },
            url: {
              type: 'object',
              required: ['raw', 'host', 'path'],
              additionalProperties: false,
              properties: {
                raw: { type: 'string' },
                host: { type: 'array', items: { type: 'string' } },
                path: { type: 'array', items: { type: 'string' } },
                query: { $ref: '#/definitions/variables' },
                variable: { $ref: '#/definitions/variables' },
              },
            },
          },
        },
      },
    },
  },
}

interface Variable {
  readonly key: string
  readonly value: string
  readonly disabled?: boolean
}

interface PostmanUrl {
  readonly raw: string
  readonly host: readonly string[]
  readonly path: readonly string[]
  readonly query?: readonly Variable[]
  readonly variable?: readonly Variable[]
}

describe('the Postman collection', () => {
  const collection = JSON.parse(read('connectors/postman.json'))
  const requests: readonly { name: string; request: { url: PostmanUrl; description: string } }[] =
    collection.item.flatMap((folder: { item: unknown[] }) => folder.item)

  /** The address of a request as Postman sends it: by its parts, with variables filled in. */
  const addressOf = (
    { host, path, query = [], variable = [] }: PostmanUrl,
    values: ReadonlyMap<string, string>,
  ): string => {
    const fill = (text: string) =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values.get(name) ?? assert.fail(name))
    const segments = path.map((segment) =>
      segment.startsWith(':')
        ? (variable.find((each) => `:${each.key}` === segment)?.value ?? assert.fail(segment))
        : segment,
    )
    const sent = query.filter(({ disabled }) => !disabled)
    const search = sent.map((each) => `${each.key}=${encodeURIComponent(each.value)}`).join('&')
    return fill(`${host.join('.')}/${segments.join('/')}${search && `?${search}`}`)
  }

  it('has the structure of version 2.1', () => {
    const validate = ajv.compile(collectionSchema)
    assert.ok(validate(collection), JSON.stringify(validate.errors?.slice(0, 3)))
    for (const { request } of requests) {
      const { raw, host, path, query = [] } = request.url
      const sent = query.filter(({ disabled }) => !disabled)
      const search = sent.map((each) => `${each.key}=${each.value}`).join('&')
      assert.equal(raw, `${host.join('.')}/${path.join('/')}${search && `?${search}`}`)
    }
  })

  it('has every operation, and sends it with success once the variables are filled', async () => {
    const values = new Map<string, string>(
      collection.variable.map(({ key: name, value }: Variable) => [name, value]),
    )
    values.set('url', service.url).set('key', key)
    assert.equal(collection.auth.bearer[0].value, '{{key}}')
    const operations = operationsOf(catalog)
    const reached = new Set<string>()
    await eachOf(requests, async ({ name, request }) => {
      const url = new URL(addressOf(request.url, values))
      const { status, text } = await service.get(url.pathname + url.search, { key })
      assert.equal(status, 200, `${name} ${url} ${text}`)
      const operation = operations.find(({ path }) =>
        new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url.pathname),
      )
      assert.ok(operation, url.pathname)
      assert.ok(request.description.endsWith(`Operation: ${operation.id}`), name)
      reached.add(operation.id)
    })
    assert.equal(requests.length, operations.length)
    assert.equal(reached.size, operations.length)
  })

  it('offers every parameter that a list takes', () => {
    const listOf = (path: string) =>
      requests.find(({ request }) => request.url.path.at(-1) === path)?.request.url.query ?? []
    for (const { path, filters, endpoints } of catalog.resources) {
      if (!endpoints.includes('list')) continue
      const names = listOf(path).map((each) => each.key)
      for (const { name } of filters) assert.ok(names.includes(name), `${path} ${name}`)
      assert.deepEqual(names.slice(0, 2), ['limit', 'cursor'])
    }
  })
})

describe('llms.txt', () => {
  const text = read('connectors/llms.txt')

  it('is served as it is, to everybody', async () => {
    const served = await service.get('/llms.txt', { key: null })
    assert.equal(served.status, 200)
    assert.equal(served.text, text)
    assert.equal(served.headers.get('content-type'), 'text/plain; charset=utf-8')
    const tag = served.headers.get('etag') ?? ''
    const again = await service.get('/llms.txt', { key: null, headers: { 'if-none-match': tag } })
    assert.equal(again.status, 304)
    assert.equal((await service.get('/llms.txt', { method: 'POST' })).status, 405)
  })

  it('begins as such files do, and names every group with its filters', async () => {
    assert.match(text, /^# Selvedge\n\n> .+\n\n/)
    for (const { path, lookup, filters, summary } of catalog.resources) {
      const line = text
        .split('\n')
        .find((each) => each.startsWith(`- \`${lookup ? '/brands/{brand}' : path}\`:`))
      assert.ok(line?.includes(summary), path)
      for (const { name } of filters) assert.ok(line?.includes(name), `${path} ${name}`)
    }
    for (const [, target = ''] of text.matchAll(/\]\((\/[^)]*)\)/g)) {
      if (target === '/docs') continue
      assert.equal((await service.get(target, { key: null })).status, 200, target)
    }
  })
})
