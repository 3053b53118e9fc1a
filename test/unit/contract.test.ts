import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  catalog,
  checkRecord,
  domains,
  exactTextColumn,
  fieldAt,
  id,
  importOrder,
  incomingOf,
  type Kind,
  leafFields,
  listQuerySchema,
  nullable,
  operationsOf,
  type Resource,
  recordSchema,
  ref,
  referencesOf,
  relationsOf,
  resourceAt,
  text,
} from '#contract'
import { openStory } from '#demo'
import { buildDocument } from '#openapi'
import { joinCatalog } from '../../src/contract/catalog.ts'
import { resource } from '../../src/contract/resource.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

const validators = new Map(
  catalog.resources.map((each) => [each.path, ajv.compile(recordSchema(each))]),
)

/** Both the contract's own checker and an independent validator must agree. */
const accepted = (of: Resource, record: unknown): boolean => {
  const own = checkRecord(of, record).length === 0
  const independent = validators.get(of.path)?.(record) === true
  assert.equal(own, independent, `${of.path}: the checker and the schema disagree`)
  return own
}

const story = await openStory()
const stories = { ...story.records, ...story.shared } as Record<string, Record<string, unknown>[]>

describe('the catalog', () => {
  it('gives every reference a collection that exists, and a shared record none of a brand', () => {
    for (const each of catalog.resources) {
      for (const { to } of referencesOf(each)) {
        const target = resourceAt(catalog, to)
        assert.ok(each.scope === 'brand' || target.scope === 'shared', `${each.path} → ${to}`)
      }
    }
  })

  it('gives every key, natural key, title, parent and filter a field', () => {
    for (const each of catalog.resources) {
      const names = [...each.key, ...each.unique.flat(), each.title, each.parent]
      for (const name of names.filter((name) => name !== undefined)) {
        assert.ok(Object.hasOwn(each.fields, name), `${each.path}.${name}`)
      }
      for (const { field, through } of each.filters) {
        if (field) assert.ok(fieldAt(each.fields, field), `${each.path}?${field}`)
        if (through) {
          const { fields } = resourceAt(catalog, through.collection)
          assert.ok(fields[through.match] && fields[through.where] && each.fields[through.local])
        }
      }
    }
  })

  it('never lets an identity be null', () => {
    for (const each of catalog.resources) {
      for (const name of each.key) assert.equal(each.fields[name]?.nullable, false)
    }
  })

  it('has unique paths, record names and operation ids', () => {
    const unique = (names: readonly string[]) => assert.equal(new Set(names).size, names.length)
    unique(catalog.resources.map(({ path }) => path))
    unique(catalog.resources.map(({ name }) => name))
    unique(operationsOf(catalog).map((operation) => operation.id))
  })

  it('never names a relation or a filter like something else of the record', () => {
    for (const each of catalog.resources) {
      for (const { name } of relationsOf(each)) assert.ok(!Object.hasOwn(each.fields, name))
      const names = each.filters.map(({ name }) => name)
      assert.equal(new Set([...names, 'limit', 'cursor', 'include']).size, names.length + 3)
    }
  })

  it('never names a field like the column with the digits of an amount', () => {
    for (const { path, fields } of catalog.resources) {
      const leaves = leafFields(fields)
      const names = new Set(leaves.map(({ name }) => name))
      for (const { name, field } of leaves) {
        if (field.kind === 'amount') assert.ok(!names.has(exactTextColumn(name)), `${path} ${name}`)
      }
    }
  })

  it('uses every domain', () => {
    const used = new Set(catalog.resources.map(({ domain }) => domain))
    assert.deepEqual([...used].sort(), [...domains].sort())
  })

  it('has an import order in which nothing points at a later wave', () => {
    const waves = importOrder(catalog)
    const wave = new Map(waves.flatMap((paths, index) => paths.map((path) => [path, index])))
    assert.equal(wave.size, catalog.resources.length)
    for (const { from, to } of catalog.resources.flatMap(referencesOf)) {
      if (from !== to) assert.ok((wave.get(to) ?? 0) < (wave.get(from) ?? 0), `${from} → ${to}`)
    }
  })

  it('refuses to order collections that refer to each other', () => {
    const definition = (path: string, to: string): Resource =>
      resource({
        group: path,
        path,
        name: path,
        domain: 'orders',
        scope: 'brand',
        origin: 'designed',
        summary: '',
        fields: { id: id(), otherId: ref(to) },
      })
    const circle = joinCatalog([definition('a', 'b'), definition('b', 'a')])
    assert.throws(() => importOrder(circle), /refer to each other: a,b/)
  })

  it('opens and reads nothing when imported', () => {
    const door = new URL('../../src/contract/index.ts', import.meta.url)
    const ran = spawnSync(
      process.execPath,
      [
        '--permission',
        `--allow-fs-read=${new URL('../../src/contract', import.meta.url).pathname}`,
        `--allow-fs-read=${new URL('../../package.json', import.meta.url).pathname}`,
        `--allow-fs-read=${new URL('../../node_modules/iso-3166', import.meta.url).pathname}`,
        '--input-type=module',
        '--eval',
        `await import(${JSON.stringify(door.href)}); process.stdout.write('imported')`,
      ],
      { encoding: 'utf8' },
    )
    assert.equal(ran.stdout, 'imported', ran.stderr)
  })
})

describe('a record', () => {
  it('of the story is valid under its schema, each of them', () => {
    for (const each of catalog.resources) {
      const records = stories[each.path] ?? []
      assert.ok(records.length > 0, `${each.path} has no record`)
      for (const record of records) assert.ok(accepted(each, record), each.path)
    }
  })

  it('with a field missing, added, null where not allowed or of the wrong kind is not', () => {
    for (const each of catalog.resources) {
      const [record = {}] = stories[each.path] ?? []
      assert.ok(!accepted(each, { ...record, surplus: 1 }), `${each.path} with one more`)
      for (const [name, field] of Object.entries(each.fields)) {
        const { [name]: _, ...without } = record
        assert.ok(!accepted(each, without), `${each.path} without ${name}`)
        if (field.kind === 'any') continue
        assert.equal(accepted(each, { ...record, [name]: null }), field.nullable, name)
        for (const wrong of wrongByKind[field.kind]) {
          assert.ok(!accepted(each, { ...record, [name]: wrong }), `${each.path}.${name}: ${wrong}`)
        }
      }
    }
  })

  it('names the place, the reason and the value of each problem', () => {
    const [record = {}] = stories['partners'] ?? []
    const relationship = { ...(record['relationship'] as object), status: 7 }
    const problems = checkRecord(resourceAt(catalog, 'partners'), {
      ...record,
      relationship,
      certifications: ['GOTS', 3],
    })
    assert.deepEqual(problems, [
      { pointer: '/certifications/1', reason: 'must be a string', value: 3 },
      { pointer: '/relationship/status', reason: 'must be a string', value: 7 },
    ])
  })

  it('holds no NUL, no half characters, no day that is not in the calendar', () => {
    const tags = resourceAt(catalog, 'tags')
    const [tag = {}] = stories['tags'] ?? []
    const reasons = (changed: object) =>
      checkRecord(tags, { ...tag, ...changed }).map(({ reason }) => reason)
    assert.deepEqual(reasons({ name: 'a\u0000b' }), ['must not contain a NUL character'])
    assert.deepEqual(reasons({ name: 'a\ud800b' }), [
      'must not contain half a character (a lone surrogate)',
    ])
    assert.deepEqual(reasons({ createdAt: '2026-02-29T00:00:00.000Z' }), [
      'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z',
    ])
    assert.deepEqual(reasons({ createdAt: '2028-02-29T00:00:00.000Z' }), [])
  })

  it('may hold any JSON value where the contract says any, within reason', () => {
    const sections = resourceAt(catalog, 'bom-sections')
    const [section = {}] = stories['bom-sections'] ?? []
    const reasons = (relevantFieldKeys: unknown) =>
      checkRecord(sections, { ...section, relevantFieldKeys }).map(({ reason }) => reason)
    for (const value of [null, true, 1.5, 'x', [], { a: [{ b: null }] }]) {
      assert.deepEqual(reasons(value), [])
    }
    let deep: unknown = 1
    for (let level = 0; level < 100; level += 1) deep = [deep]
    assert.deepEqual(reasons(deep), ['is nested deeper than 64 levels'])
    assert.deepEqual(reasons(JSON.parse('{"__proto__": 1}')), ['is not a name a field may have'])
    assert.deepEqual(reasons({ a: 'x\u0000' }), ['must not contain a NUL character'])
    assert.deepEqual(reasons(Number.NaN), ['must be a finite number'])
    assert.deepEqual(reasons([2 ** 53]), [
      'is a whole number too large to be kept digit for digit; write it as a string',
    ])
  })
})

describe('a resource beyond those of the catalog', () => {
  const pallets = resource({
    group: 'Pallets',
    path: 'pallets',
    name: 'Pallet',
    domain: 'logistics',
    scope: 'brand',
    origin: 'designed',
    summary: 'A pallet that cartons are stacked on.',
    title: 'code',
    parent: 'shipmentId',
    fields: { id: id(), shipmentId: ref('shipments'), code: text(), note: nullable(text()) },
    filters: ['shipmentId', 'code'],
  })
  const grown = joinCatalog([...catalog.resources, pallets])

  it('comes last, after the groups of the specification', () => {
    assert.equal(grown.resources.length, catalog.resources.length + 1)
    assert.equal(grown.resources.at(-1), pallets)
  })

  it('has a schema and query parameters', () => {
    const validate = ajv.compile(recordSchema(pallets))
    const record = {
      id: '6bdf1f8f-27cb-4367-8d31-6b0aead239b7',
      shipmentId: '6bdf1f8f-27cb-4367-8d31-6b0aead239b8',
      code: 'P-1',
      note: null,
    }
    assert.ok(validate(record))
    assert.ok(!validate({ ...record, code: null }))
    assert.deepEqual(Object.keys(listQuerySchema(pallets)['properties'] as object), [
      'cursor',
      'limit',
      'include',
      'shipmentId',
      'code',
    ])
  })

  it('is in the graph', () => {
    const waves = importOrder(grown)
    const waveOf = (path: string) => waves.findIndex((paths) => paths.includes(path))
    assert.ok(waveOf('pallets') > waveOf('shipments'))
    assert.ok(incomingOf(grown, 'shipments').some(({ from }) => from === 'pallets'))
    assert.deepEqual(relationsOf(pallets), [
      { name: 'shipment', field: 'shipmentId', to: 'shipments' },
    ])
  })

  it('is in the document', () => {
    const { paths, components, tags } = buildDocument(grown, {}) as Record<string, object>
    const without = buildDocument(catalog, {}) as Record<string, object>
    const added = Object.keys(paths ?? {}).filter((path) => !(path in (without['paths'] ?? {})))
    assert.deepEqual(added, ['/brands/{brand}/pallets', '/brands/{brand}/pallets/{id}'])
    assert.match(JSON.stringify(components), /"PalletPage"/)
    assert.match(JSON.stringify(tags), /"Pallets"/)
  })
})

const notStrings = [1, true, {}, []]

const wrongByKind: Record<Kind, readonly unknown[]> = {
  id: [...notStrings, '', 'x', '6BDF1F8F-27CB-4367-8D31-6B0AEAD239B7'],
  ref: [...notStrings, '', '6bdf1f8f27cb43678d316b0aead239b7'],
  person: [...notStrings, 'somebody'],
  text: notStrings,
  integer: ['1', 1.5, true, 2 ** 53, {}],
  flag: ['true', 0, 1, {}],
  amount: [...notStrings, 12.5, '', '1,5', '+1', '01', '.5', '1.', '1e3', ' 1'],
  date: [...notStrings, '2026-1-1', '2026-13-01', '2026-03-01T00:00:00.000Z', '2026-02-30'],
  timestamp: [...notStrings, '2026-03-01', '2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000+00:00'],
  any: [],
  texts: ['x', [1], {}],
  object: ['x', [], {}, { surplus: 1 }],
  objects: ['x', {}, [1], [{}], [{ surplus: 1 }]],
}
