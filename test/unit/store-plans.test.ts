/** How the database would run every list: along an index that begins with the brand, in order. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { catalog, type Filter, type Resource, relationsOf } from '#contract'
import { openDatabase, type Query } from '#database'
import { createStore, ownerNumber } from '#store'
import { sqliteDialect } from '../../src/database/sqlite/dialect.ts'
import {
  compileCollectionState,
  joinState,
  totalText,
} from '../../src/store/read/collection-state.ts'
import { feedStart } from '../../src/store/read/feed.ts'
import { compileChanges, compilePage } from '../../src/store/read/feed-query.ts'
import { compileGet, planGet } from '../../src/store/read/get.ts'
import { compileWithIncluded } from '../../src/store/read/include.ts'
import {
  compileJoined,
  compileList,
  type ListRequest,
  planList,
} from '../../src/store/read/list.ts'
import { bind, type Params } from '../../src/store/read/query-template.ts'
import { ownerOf } from '../../src/store/schema/owners.ts'
import { columnsOf, createTable, type Key, tablesOf } from '../../src/store/schema/tables.ts'
import { existingQueries } from '../../src/store/write/seen-times.ts'
import { compileCount } from '../support/count-template.ts'
import { absentValue, idOf, lists } from '../support/model.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-'))
const database = openDatabase(`sqlite:${join(folder, 'selvedge.db')}`)
await createStore(catalog, database)
const { dialect } = database
const tables = tablesOf(catalog)
const names = [...tables.values()].map(({ name }) => name)

after(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const requestOf = (
  resource: Resource,
  filters: readonly Filter[],
  more: Partial<ListRequest> = {},
): ListRequest => ({
  resource,
  brand: 'aldermoor',
  filters: new Map(
    filters.map((filter) => {
      const value = absentValue(filter)
      return [filter.name, filter.kind === 'integer' ? Number(value) : value] as const
    }),
  ),
  limit: 25,
  after: null,
  include: [],
  ...more,
})

const afterOf = ({ key }: Resource): Key => key.map((_, index) => idOf(index + 1))

/** Tables and the short names that statements give them. */
const isTable = (name: string) => name === 't' || name === 'l' || names.includes(name)

/** Every step finds its rows by an index that begins with the brand; nothing is sorted. */
const assertPlan = async (query: Query): Promise<readonly string[]> => {
  const steps = await database.explain(query)
  const said = `${query.text}\n  ${steps.join('\n  ')}`
  assert.ok(steps.length > 0, said)
  for (const step of steps) {
    assert.doesNotMatch(step, /USE TEMP B-TREE/, said)
    assert.doesNotMatch(step, /AUTOMATIC/, said)
    const [, verb, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(step) ?? []
    if (!verb || !isTable(name)) continue
    assert.equal(verb, 'SEARCH', said)
    assert.match(step, /\(owner=\?/, said)
  }
  return steps
}

/** What is asked of a statement is, before anything else, whose records they are. */
const assertOwnerFirst = ({ text }: Query): void => {
  const wheres = [...text.matchAll(/\bwhere (\S+ = \?\d+)/g)].map(([, first]) => first)
  assert.ok(wheres.length > 0, text)
  for (const first of wheres) assert.match(first ?? '', /^([tlc]\.)?"owner" = \?\d+$/, text)
}

/** What is read beside a page or a record: the state of its collection. */
const beside =
  ({ resource }: { readonly resource: Resource }) =>
  <Request extends { readonly brand: string }>(values: Params<Request>) => {
    const owner = ({ brand }: Request) => ownerOf(resource, brand)
    return joinState([{ owner, path: resource.path }], values)
  }

const assertList = async (request: ListRequest): Promise<void> => {
  const plan = planList(request, tables)
  const joined = plan.table.key.length === 1 ? [compileJoined(plan, dialect, beside(request))] : []
  for (const shape of [compileList(plan, dialect), compileCount(plan, dialect), ...joined]) {
    const query = bind(shape, request)
    assertOwnerFirst(query)
    await assertPlan(query)
  }
}

const pairsOf = ({ filters }: Resource): readonly (readonly [Filter, Filter])[] =>
  filters.flatMap((a, index) => filters.slice(index + 1).map((b) => [a, b] as const))

describe('the plan of a list', () => {
  it('without filters goes along the identity, from the start and after a record', async () => {
    for (const resource of catalog.resources) {
      await assertList(requestOf(resource, []))
      await assertList(requestOf(resource, [], { after: afterOf(resource) }))
      const request = requestOf(resource, [], { after: afterOf(resource) })
      const query = bind(compileList(planList(request, tables), dialect), request)
      const [step] = await database.explain(query)
      const place =
        resource.key.length === 1 ? `${resource.key[0]}>?` : `(${resource.key.join(',')})>(?`
      assert.ok(step?.includes(place), `${resource.path}: ${step} does not begin after a record`)
    }
  })

  it('with any one filter goes along its index', async () => {
    for (const resource of lists) {
      for (const filter of resource.filters) {
        await assertList(requestOf(resource, [filter]))
        await assertList(requestOf(resource, [filter], { after: afterOf(resource) }))
      }
    }
  })

  it('with any filter of its own is narrowed by that filter in the index', async () => {
    for (const resource of lists) {
      for (const filter of resource.filters) {
        if (filter.field === undefined) continue
        const request = requestOf(resource, [filter])
        const plan = planList(request, tables)
        for (const shape of [compileList(plan, dialect), compileCount(plan, dialect)]) {
          const query = bind(shape, request)
          const [step] = await database.explain(query)
          const where = new RegExp(`\\(owner=\\? AND ${filter.name}=\\?\\)`)
          assert.match(step ?? '', where, `${resource.path}?${filter.name}`)
        }
      }
    }
  })

  it('with any two filters, of its own or through another collection, sorts and scans nothing', async () => {
    let count = 0
    for (const resource of lists) {
      for (const pair of pairsOf(resource)) {
        await assertList(requestOf(resource, pair))
        await assertList(requestOf(resource, pair, { after: afterOf(resource) }))
        count += 1
      }
    }
    assert.ok(count > 1_000, `${count} pairs`)
  })

  it('with all filters at once sorts and scans nothing', async () => {
    for (const resource of lists) {
      await assertList(requestOf(resource, resource.filters))
      await assertList(
        requestOf(resource, [...resource.filters].reverse(), { after: afterOf(resource) }),
      )
    }
  })

  it('finds the rows of a link collection by what is looked for', async () => {
    let filters = 0
    for (const resource of lists) {
      for (const filter of resource.filters) {
        if (!filter.through) continue
        filters += 1
        const request = requestOf(resource, [filter])
        const plan = planList(request, tables)
        for (const shape of [compileList(plan, dialect), compileCount(plan, dialect)]) {
          const query = bind(shape, request)
          const steps: readonly string[] = await assertPlan(query)
          const where: string = `(owner=? AND ${filter.through.where}=?`
          assert.ok(
            steps.some((step) => step.startsWith('SEARCH l ') && step.includes(where)),
            `${resource.path}?${filter.name}: ${steps.join('; ')}`,
          )
        }
      }
    }
    assert.ok(filters > 0)
  })
})

describe('the plan of what goes with a list', () => {
  it('finds a record by brand and identity', async () => {
    for (const resource of catalog.resources) {
      const request = { resource, brand: 'aldermoor', key: afterOf(resource), include: [] }
      const plan = planGet(request, tables)
      for (const shape of [compileGet(plan, dialect), compileGet(plan, dialect, beside(request))]) {
        const query = bind(shape, request)
        assertOwnerFirst(query)
        const [step] = await assertPlan(query)
        for (const name of resource.key) assert.ok(step?.includes(`${name}=?`), `${step}`)
      }
    }
  })

  it('finds included records by brand and identity, one by one', async () => {
    for (const resource of lists) {
      for (const relation of relationsOf(resource)) {
        for (const filters of [[], resource.filters.slice(0, 1)]) {
          const request = requestOf(resource, filters, { include: [relation] })
          const page = compileList(planList(request, tables), dialect)
          const shape = compileWithIncluded(
            page,
            planList(request, tables).table.key,
            [relation],
            tables,
            dialect,
          )
          const query = bind(shape, request)
          assertOwnerFirst(query)
          const steps = await assertPlan(query)
          const said = `${resource.path}.${relation.name}: ${steps.join('; ')}`
          const searches = steps.filter((step) => step.startsWith('SEARCH t '))
          assert.match(searches.at(-1) ?? '', /\(owner=\? AND \w+=\?\)/, said)
          assert.equal(steps.filter((step) => step.startsWith('MATERIALIZE')).length, 1, said)
          // The page itself is looked for once, the included records once.
          const led = filters.some(({ through }) => through) ? 1 : 0
          assert.ok(searches.length <= 2 + led, said)
        }
      }
    }
  })

  it('seeks the changes after a position, and the records of just those', async () => {
    const seekOf = async (query: Query) => {
      assertOwnerFirst(query)
      return (await database.explain(query)).filter((step) => /^(SCAN|SEARCH) [ct] /.test(step))
    }
    const request = { brand: 'aldermoor', after: feedStart, limit: 10 }
    const all = { ...request, resource: null }
    const after = '(change,collection,key1,key2,key3)>(?,?,?,?,?)'
    const seek = `SEARCH c USING COVERING INDEX selvedge_changes__all (owner=? AND ${after})`
    assert.deepEqual(await seekOf(bind(compileChanges(null, tables, dialect), all)), [seek, seek])
    const record = /^SEARCH t USING INDEX sqlite_autoindex_\w+ \(owner=\? AND \(?\w+(,\w+)*\)?>[?(]/
    const [first, second, ...records] = await seekOf(bind(compilePage(null, tables, dialect), all))
    assert.deepEqual([first, second], [seek, seek])
    assert.equal(records.length, catalog.resources.length)
    for (const step of records) assert.match(step, record)
    for (const resource of catalog.resources) {
      const ask = { ...request, resource }
      assert.match(
        (await assertPlan(bind(compileChanges([resource], tables, dialect), ask))).join(),
        /^SEARCH c USING COVERING INDEX selvedge_changes__collection \(owner=\? AND collection=\? AND \(change,/,
      )
      const query = bind(compilePage([resource], tables, dialect), ask)
      const [changes = '', text = '', ...others] = await seekOf(query)
      assert.match(changes, /selvedge_changes__collection .* AND \(change,key1,key2,key3\)>\(/)
      assert.match(text, record)
      assert.deepEqual(others, [])
    }
    // Of several groups, each by itself: the many changes of others are never read.
    const some = catalog.resources.slice(0, 3)
    const seeks = await seekOf(bind(compileChanges(some, tables, dialect), all))
    assert.equal(seeks.length, some.length)
    for (const step of seeks) assert.match(step, /__collection .* AND \(change,key1,key2,key3\)>\(/)
  })

  it('finds stored totals and collection states by their keys', async () => {
    for (const resource of lists) {
      for (const filter of resource.filters) {
        if (filter.field === undefined) continue
        const request = requestOf(resource, [filter])
        const plan = planList(request, tables)
        const count = bind(compileCount(plan, dialect), request)
        const value = `?${count.values.length + 1}`
        const query = {
          text: `select ${totalText(plan.table, filter.name, value, count.text)}`,
          values: [...count.values, String(request.filters.get(filter.name))],
        }
        assertOwnerFirst(query)
        const steps = await assertPlan(query)
        assert.match(
          steps.find((step) => step.includes('selvedge_totals')) ?? '',
          /owner=\? AND collection=\? AND filter=\? AND value=\?/,
        )
      }
      const query = compileCollectionState(ownerNumber('aldermoor'), resource.path)
      assert.match(query.text, / on c\."owner" = \?1 and c\."collection" = \?2$/)
      const steps = await database.explain(query)
      const step = steps.find((each) => /^SEARCH c /.test(each))
      assert.match(step ?? '', /\(owner=\? AND collection=\?\)/)
    }
  })
})

describe('the statements that create a table', () => {
  const created = (path: string) => {
    const table = tables.get(path)
    assert.ok(table)
    return createTable(table, sqliteDialect)
  }

  it('of tags are these', () => {
    assert.deepEqual(created('tags'), [
      [
        'create table "tags" (',
        '  "owner" integer not null,',
        '  "id" blob not null,',
        '  "name" text,',
        '  "code" text,',
        '  "name__sort" text,',
        '  "updatedAt__sort" integer,',
        '  "body" text not null,',
        '  primary key ("owner", "id")',
        ')',
      ].join('\n'),
      'create index "tags__name" on "tags" ("owner", "name", "id")\nwhere "name" is not null',
      'create index "tags__code" on "tags" ("owner", "code", "id")\nwhere "code" is not null',
      'create index "tags__name__sort" on "tags" ("owner", "name__sort", "id")',
      'create index "tags__updatedAt__sort" on "tags" ("owner", "updatedAt__sort", "id")',
    ])
  })

  it('of product option prices, whose identity has three fields, are these', () => {
    assert.deepEqual(created('product-option-prices'), [
      [
        'create table "product_option_prices" (',
        '  "owner" integer not null,',
        '  "productOptionId" blob not null,',
        '  "kind" text not null,',
        '  "currency" text not null,',
        '  "amount__sort" blob,',
        '  "body" text not null,',
        '  primary key ("owner", "productOptionId", "kind", "currency")',
        ')',
      ].join('\n'),
      'create index "product_option_prices__kind" on "product_option_prices" ("owner", "kind", "productOptionId", "currency")',
      'create index "product_option_prices__currency" on "product_option_prices" ("owner", "currency", "productOptionId", "kind")',
      'create index "product_option_prices__amount__sort" on "product_option_prices" ("owner", "amount__sort", "productOptionId", "kind", "currency")',
    ])
  })

  it('give every table and index the owner first', () => {
    for (const { path } of catalog.resources) {
      const [table = '', ...indexes] = created(path)
      assert.match(table, /\n {2}primary key \("owner", "/, path)
      for (const index of indexes) assert.match(index, / on "\w+" \("owner", "/, index)
    }
  })

  it('keep a whole number as one', () => {
    const [table = ''] = created('production-runs')
    assert.match(table, /"runNumber" integer/)
  })

  it('were run: the database has those tables and indexes', async () => {
    const present = await database.tables()
    const indexes = await database.indexes()
    for (const table of tables.values()) {
      assert.deepEqual(present.get(table.name), [
        'owner',
        ...columnsOf(table).map(({ name }) => name),
        'body',
      ])
      for (const { name } of table.indexes) assert.ok(indexes.has(name), name)
    }
  })
})

describe('the plan of the look-up of records that exist already', () => {
  it('goes from each wanted identity to its record, stored or quarantined', async () => {
    const values = [JSON.stringify([JSON.stringify({ id: idOf(1) })]), ownerNumber('aldermoor')]
    for (const table of tables.values()) {
      const { stored, waiting } = existingQueries(table, dialect)
      for (const text of [stored, waiting]) {
        const [first, second, ...more] = await assertPlan({ text, values })
        assert.match(first ?? '', /^SCAN g /, text)
        assert.match(second ?? '', /^SEARCH t USING (PRIMARY KEY|INDEX)/, text)
        assert.deepEqual(more, [])
      }
      const [, step] = await database.explain({ text: stored, values })
      for (const { name } of table.key) assert.ok(step?.includes(`${name}=?`), `${name}: ${step}`)
    }
  })
})
