/** The business rules are held to their page, to the story, and to records broken on purpose. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { checkRules, rules } from '#check'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import type { DemoSet } from '#demo'
import { createStore, sharedOwner } from '#store'
import { rules as germanRules } from '../../console/src/texts/de/rules/index.ts'
import { ruleDetail } from '../../console/src/texts/rules.ts'
import { brokenCatalog } from '../support/violations/catalog.ts'
import { brokenCodes } from '../support/violations/codes.ts'
import { brokenKeys } from '../support/violations/keys.ts'
import { brokenMoney } from '../support/violations/money.ts'
import { passing } from '../support/violations/passing.ts'
import {
  type Change,
  copy,
  edit,
  type StoryRecord,
  story,
  storyRecord,
} from '../support/violations/story.ts'
import { brokenTrade } from '../support/violations/trade.ts'

const today = '2026-06-01'
const now = Date.parse('2026-06-01T09:00:00.000Z')

const openRecords = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-check-'))
  const database = openDatabase(`sqlite:${join(folder, 'check.db')}`)
  const store = await createStore(catalog, database)
  const write = async (owner: string, records: DemoSet['records']) =>
    store.write(owner, async (writer) => {
      for (const [path, each] of Object.entries(records)) {
        await writer.stage(resourceAt(catalog, path), each)
        await writer.merge(resourceAt(catalog, path))
      }
    })
  after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  await write(sharedOwner, story.shared)
  await write(story.brand, story.records)
  return { database, store, write }
}

const { database, store, write } = await openRecords()

const keyOf = ({ path, record }: StoryRecord): readonly string[] =>
  resourceAt(catalog, path).key.map((name) => String(record[name]))

const ownerOf = (brand: string, [first]: readonly Change[]): string =>
  first && resourceAt(catalog, first.path).scope === 'shared' ? sharedOwner : brand

const change = async (brand: string, changes: readonly Change[]): Promise<void> =>
  store.write(ownerOf(brand, changes), async (writer) => {
    for (const path of new Set(changes.map((each) => each.path))) {
      const resource = resourceAt(catalog, path)
      const here = changes.filter((each) => each.path === path)
      const removals = here.filter(({ removed }) => removed)
      await writer.stageRemoval(resource, removals.map(keyOf))
      await writer.stage(
        resource,
        here.filter((each) => !removals.includes(each)).map(({ record }) => record),
      )
      await writer.merge(resource)
    }
  })

const restore = async (brand: string, changes: readonly Change[]): Promise<void> =>
  store.write(ownerOf(brand, changes), async (writer) => {
    for (const path of new Set(changes.map((each) => each.path))) {
      const records = story.records[path] ?? story.shared[path] ?? []
      await writer.stage(resourceAt(catalog, path), records)
      await writer.merge(resourceAt(catalog, path), { replace: true })
    }
  })

const check = (brand: string, ids: readonly string[] = rules.map(({ id }) => id)) =>
  checkRules({
    database,
    catalog,
    brand,
    today,
    now,
    rules: rules.filter(({ id }) => ids.includes(id)),
  })

/** What the story tells of: 120 indigo M were shipped by sea, and two of them did not arrive. */
const shortDelivery = {
  rule: 'RCV-02',
  collection: 'shipment-items',
  key: ['f153fff3-290f-4e5e-8753-7b991594085a'],
  detail: 'shipped 120, received 118',
}

/** What these rules answer to the story after a change, beside what they answer to it anyway. */
const violationsAfter = async (changes: readonly Change[], ids: readonly string[]) => {
  await change(story.brand, changes)
  const results = await check(story.brand, ids)
  await restore(story.brand, changes)
  assert.equal(results.length, ids.length)
  return results
    .flatMap(({ violations }) => violations)
    .filter(({ rule, key }) => rule !== shortDelivery.rule || key[0] !== shortDelivery.key[0])
}

describe('the business rules', () => {
  it('are all kept by the story, but for the short delivery that it tells of', async () => {
    const results = await check(story.brand)
    assert.equal(results.length, rules.length)
    assert.deepEqual(
      results.flatMap(({ violations }) => violations),
      [shortDelivery],
    )
    assert.equal(
      results.reduce((sum, { count }) => sum + count, 0),
      1,
    )
  })

  it('are kept by a brand without records', async () => {
    const results = await check('nobody')
    assert.deepEqual(
      results.filter(({ count }) => count > 0),
      [],
    )
  })
})

const broken = [...brokenCatalog, ...brokenTrade, ...brokenMoney, ...brokenCodes, ...brokenKeys]

describe('records broken on purpose', () => {
  it('are there for every rule', () => {
    assert.deepEqual(
      rules.map(({ id }) => id).filter((id) => !broken.some(({ rule }) => rule === id)),
      [],
    )
  })

  for (const [index, { rule, changes, names }] of broken.entries()) {
    it(`are named by ${rule} (${index + 1}: ${changes.map(({ path }) => path).join(', ')})`, async () => {
      const violations = await violationsAfter(changes, [rule])
      assert.deepEqual(
        violations.map(({ collection, key }) => [collection, ...key]),
        names.map((each) => [each.path, ...keyOf(each)]),
      )
      for (const { detail } of violations) {
        assert.doesNotMatch(detail, /undefined|NaN|\[object/)
        // The console says the same in German.
        assert.equal(ruleDetail(germanRules, rule, detail).lang, undefined, detail)
      }
    })
  }

  for (const { because, rules, changes } of passing) {
    it(`are no more than that: ${because}`, async () => {
      assert.deepEqual(await violationsAfter(changes, rules), [])
    })
  }

  it('leave the story whole again', async () => {
    const results = await check(story.brand)
    assert.deepEqual(
      results.flatMap(({ violations }) => violations),
      [shortDelivery],
    )
  })
})

describe('a check', () => {
  it('never counts the records of another brand', async () => {
    await write('other', story.records)
    await change('other', [edit(storyRecord('orders'), { totalQuantity: 1 })])
    const own = await check(story.brand)
    const other = await check('other')
    assert.deepEqual(
      own.flatMap(({ violations }) => violations),
      [shortDelivery],
    )
    assert.deepEqual(
      other.flatMap(({ violations }) => violations.map(({ rule, key }) => [rule, ...key])),
      [
        ['ORD-01', storyRecord('orders').record['id']],
        ['RCV-02', ...shortDelivery.key],
      ],
    )
  })

  for (const [updatedAt, detail] of [
    // A change five minutes before the check, read with the offset of another zone.
    [
      '2026-06-01T16:55:00.000Z',
      'updatedAt is 2026-06-01T16:55:00.000Z, probably 8 hours too late: times of UTC+08:00 (Asia/Shanghai) taken for UTC, or times of UTC taken for UTC-08:00',
    ],
    [
      '2026-06-01T14:30:00.000Z',
      'updatedAt is 2026-06-01T14:30:00.000Z, probably 5.5 hours too late: times of UTC+05:30 (Asia/Kolkata) taken for UTC, or times of UTC taken for UTC-05:30',
    ],
    ['2026-06-01T16:40:00.000Z', 'updatedAt is 2026-06-01T16:40:00.000Z'],
    ['2026-06-02T16:55:00.000Z', 'updatedAt is 2026-06-02T16:55:00.000Z'],
  ] as const) {
    it(`names the time zone that explains a change at ${updatedAt}, if there is one`, async () => {
      const future = edit(storyRecord('orders'), { updatedAt })
      const [violation] = await violationsAfter([future], ['TIM-01'])
      assert.equal(violation?.detail, detail)
      assert.equal(ruleDetail(germanRules, 'TIM-01', detail).lang, undefined)
    })
  }

  it('says what is wrong with a code, and of which field', async () => {
    const port = edit(storyRecord('locations', { code: 'PTLEI' }), {
      countryCode: 'GERMANY',
      gln: '4012345000000',
    })
    const violations = await violationsAfter([port], ['COD-01', 'COD-05'])
    assert.deepEqual(
      violations.map(({ detail }) => detail),
      [
        'countryCode GERMANY is not an ISO 3166-1 alpha-2 code: use DE',
        'gln 4012345000000 ends with the check digit 0 instead of 9',
      ],
    )
  })

  const many = Array.from({ length: 4_321 }, (_, index) => index + 1)

  it('counts every violation, and lists as many as requested', async () => {
    const canvas = storyRecord('materials', { code: 'CANVAS-340' })
    const table = storyRecord('measurement-tables', { code: 'MT-1042' })
    const graded = storyRecord('measurement-table-skus')
    const composition = [{ fiber: 'wool', percent: '99.99', recycled: false }]
    const uuid = (number: number) => String(copy(canvas, {}, number).record['id'])
    await write('many', {
      materials: many.map((each) => copy(canvas, { composition }, each).record),
      'measurement-tables': [table.record],
      'measurement-table-skus': many.map((each) => ({
        ...graded.record,
        measurementTableId: table.record['id'] ?? null,
        skuId: uuid(each),
        measurements: [],
      })),
      'product-relations': many.map((each) => ({
        ...storyRecord('product-relations').record,
        productId: uuid(each),
        relatedProductId: uuid(each),
      })),
    })
    const heard: string[] = []
    const results = await checkRules({
      database,
      catalog,
      brand: 'many',
      today,
      now,
      rules: rules.filter(({ id }) => ['CAT-10', 'CAT-11', 'CAT-14'].includes(id)),
      listMax: 3,
      onRule: ({ rule, count }) => heard.push(`${rule.id} ${count}`),
    })
    assert.deepEqual(heard, ['CAT-10 4321', 'CAT-11 4321', 'CAT-14 4321'])
    assert.deepEqual(
      results.map(({ violations }) => violations.map(({ key }) => key)),
      [
        [1, 2, 3].map((each) => [uuid(each)]),
        [1, 2, 3].map((each) => [table.record['id'], uuid(each)]),
        [1, 2, 3].map((each) => [uuid(each), uuid(each), 'derived_from']),
      ],
    )
    for (const { seconds } of results) assert.ok(seconds >= 0)
  })

  it('counts without listing', async () => {
    const [result] = await checkRules({
      database,
      catalog,
      brand: 'many',
      today,
      now,
      rules: rules.filter(({ id }) => id === 'CAT-14'),
      listMax: 0,
    })
    assert.equal(result?.count, 4_321)
    assert.deepEqual(result?.violations, [])
  })

  it('finds the circles among lineages, and only those', async () => {
    const lineage = storyRecord('shipment-item-lineages')
    const edges = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['f', 'g'],
      ['g', 'e'],
      ['h', 'e'],
    ]
    const nodeId = (name: string) => String(copy(lineage, {}, name.charCodeAt(0)).record['id'])
    await write('circles', {
      'shipment-item-lineages': edges.map(
        ([from = '', to = ''], index) =>
          copy(
            lineage,
            { sourceShipmentItemId: nodeId(from), targetShipmentItemId: nodeId(to) },
            index,
          ).record,
      ),
    })
    const [result] = await check('circles', ['SHP-13'])
    assert.equal(result?.count, 5)
    assert.deepEqual(
      result?.violations.map(({ key }) => Number(key[0]?.slice(-2))),
      [1, 2, 4, 5, 6],
    )
  })
})
