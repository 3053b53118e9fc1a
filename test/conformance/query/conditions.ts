/** Conditions as SQL select what a plain evaluation in memory selects. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Comparison, type Condition, fieldAt, resourceAt } from '#contract'
import type { Database, SqlValue } from '#database'
import { compileCondition } from '../../../src/store/query/condition-sql.ts'
import { createParams } from '../../../src/store/read/query-template.ts'
import { readText } from '../../../src/store/schema/identifier.ts'
import { ownerNumber, sharedOwner } from '../../../src/store/schema/owners.ts'
import { tablesOf } from '../../../src/store/schema/tables.ts'
import { createStore } from '../../../src/store/store.ts'
import { fulfils } from '../../support/condition-model.ts'
import type { OpenedForStore } from '../store/samples.ts'
import { colours, uuid } from '../store/samples.ts'
import { drawSamples, parcels, queried, type Samples, slots, stops } from './samples.ts'

const comparisons: readonly Comparison[] = ['eq', 'gt', 'gte', 'lt', 'lte']

/** A value to compare each field with: one that records have, among lower and higher ones. */
const compared: { readonly [field: string]: string | number } = {
  pieces: 2,
  balance: 0,
  weight: '1.500',
  price: '-9.990',
  packedOn: '2026-03-01',
  dueOn: '2026-03-02',
  sentAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.001Z',
}

const some = (where: Condition): Condition => ({
  kind: 'some',
  collection: 'stops',
  match: 'parcelId',
  where,
})

const conditions: readonly Condition[] = [
  ...Object.entries(compared).flatMap(([field, value]) =>
    comparisons.map((is): Condition => ({ kind: 'compare', field, is, value })),
  ),
  { kind: 'compare', field: 'code', is: 'eq', value: 'P-3' },
  { kind: 'compare', field: 'name', is: 'eq', value: "O'Brien & Søns" },
  { kind: 'compare', field: 'isFragile', is: 'eq', value: true },
  { kind: 'compare', field: 'isFragile', is: 'eq', value: false },
  { kind: 'compare', field: 'label.state', is: 'eq', value: 'sent' },
  { kind: 'compare', field: 'colourId', is: 'eq', value: uuid(1) },
  { kind: 'in', field: 'code', values: ['P-1', 'P-7', 'P-99'] },
  { kind: 'in', field: 'name', values: ['東京商店', 'a', ''] },
  { kind: 'in', field: 'weight', values: ['1.5000', '9.0'] },
  { kind: 'in', field: 'colourId', values: [uuid(2), 'not an identifier'] },
  { kind: 'in', field: 'id', values: [uuid(7), uuid(14), uuid(15)] },
  { kind: 'in', field: 'dueOn', values: ['2026-03-01', '2027-01-01'] },
  { kind: 'in', field: 'pieces', values: [] },
  ...['name', 'balance', 'price', 'dueOn', 'sentAt', 'colourId', 'label.note'].flatMap((field) =>
    [true, false].map((isNull): Condition => ({ kind: 'null', field, isNull })),
  ),
  // Whole values, beginnings of them, and one that the next value begins after.
  ...['a', 'Unal', 'n', 'LÓDŹ', 'lodz  gmbh', '東', '😀', 'zy', 'zzz'].map(
    (text): Condition => ({ kind: 'startsWith', field: 'name', text }),
  ),
  ...comparisons.flatMap((is): readonly Condition[] => [
    { kind: 'fields', field: 'pieces', is, other: 'balance' },
    { kind: 'fields', field: 'weight', is, other: 'price' },
    { kind: 'fields', field: 'packedOn', is, other: 'dueOn' },
    { kind: 'fields', field: 'sentAt', is, other: 'updatedAt' },
  ]),
  { kind: 'all', of: [] },
  { kind: 'any', of: [] },
  {
    kind: 'all',
    of: [
      { kind: 'compare', field: 'pieces', is: 'gte', value: 1 },
      { kind: 'compare', field: 'price', is: 'gt', value: '0' },
    ],
  },
  {
    kind: 'any',
    of: [
      { kind: 'compare', field: 'balance', is: 'lt', value: 0 },
      { kind: 'null', field: 'dueOn', isNull: true },
    ],
  },
  { kind: 'not', of: { kind: 'compare', field: 'price', is: 'gt', value: '1' } },
  {
    kind: 'not',
    of: { kind: 'not', of: { kind: 'compare', field: 'balance', is: 'eq', value: 1 } },
  },
  {
    kind: 'not',
    of: {
      kind: 'all',
      of: [
        { kind: 'compare', field: 'balance', is: 'gt', value: 0 },
        { kind: 'compare', field: 'pieces', is: 'gt', value: 1 },
      ],
    },
  },
  some({ kind: 'compare', field: 'sequence', is: 'eq', value: 3 }),
  some({ kind: 'compare', field: 'fee', is: 'lt', value: '-1' }),
  some({ kind: 'compare', field: 'carrierId', is: 'eq', value: uuid(2) }),
  { kind: 'not', of: some({ kind: 'all', of: [] }) },
  {
    kind: 'some',
    collection: 'colours',
    match: 'id',
    local: 'colourId',
    where: { kind: 'compare', field: 'name', is: 'eq', value: 'red' },
  },
]

export const conditionConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`conditions on ${name}`, () => {
    let opened: OpenedForStore
    let database: Database
    const samples = drawSamples(1, 120)
    const strangers = drawSamples(2, 40)
    const tables = tablesOf(queried)
    const named = [
      { id: uuid(1), name: 'red' },
      { id: uuid(2), name: 'blue' },
    ]

    before(async () => {
      opened = await open()
      database = opened.database
      const store = await createStore(queried, database)
      const put = (owner: string, records: Partial<Samples> & { colours?: typeof named }) =>
        store.write(owner, async (writer) => {
          for (const resource of [colours, parcels, stops, slots]) {
            const own = (records as { [path: string]: readonly object[] })[resource.path]
            if (!own) continue
            await writer.stage(resource, own as never)
            await writer.merge(resource)
          }
        })
      await put(sharedOwner, { colours: named })
      await put('acme', samples)
      // The stops of another brand name the same parcels.
      await put('other', { ...strangers, stops: samples.stops.map(moved) })
    })
    after(() => opened.close())

    /** The same stop with values that the brand's own do not have. */
    const moved = (stop: object) => ({ ...stop, sequence: 9, fee: '-777', carrierId: uuid(9) })

    const select = async (condition: Condition, brand = 'acme'): Promise<readonly string[]> => {
      const table = tables.get('parcels')
      assert.ok(table)
      const values = createParams<SqlValue>(ownerNumber(brand))
      const { dialect } = database
      const scope = { table, alias: 't', brand, tables, dialect, values }
      const text = [
        'select t."id"',
        'from "parcels" as t',
        `where t."owner" = ?1 and ${compileCondition(condition, scope)}`,
        'order by t."id"',
      ].join('\n')
      const [rows = []] = await database.read([{ text, values: values.all }], ownerNumber(brand))
      return rows.map(([id]) => readText(id ?? null))
    }

    const kindOf = (field: string, collection: string | null) =>
      fieldAt(resourceAt(queried, collection ?? 'parcels').fields, field)?.kind ?? 'any'

    for (const condition of conditions) {
      it(`select the same records as in memory: ${JSON.stringify(condition)}`, async () => {
        const others = { stops: samples.stops, colours: named }
        const expected = samples.parcels
          .filter((record) => fulfils(record, condition, kindOf, others))
          .map(({ id }) => id)
        assert.deepEqual(await select(condition), expected)
      })
    }

    it('look at the records of their own brand alone', async () => {
      const strange: Condition = { kind: 'compare', field: 'sequence', is: 'eq', value: 9 }
      assert.deepEqual(await select(some(strange)), [])
      assert.equal((await select(some(strange), 'other')).length > 0, true)
    })

    it('refuse a field that cannot be compared, and a reference without an index', async () => {
      const on = (field: string): Condition => ({ kind: 'null', field, isNull: true })
      await assert.rejects(select(on('label')), /parcels has no field label that can be compared/)
      await assert.rejects(select(on('nothing')), /parcels has no field nothing/)
      const unlike: Condition = { kind: 'fields', field: 'pieces', is: 'eq', other: 'dueOn' }
      await assert.rejects(select(unlike), /parcels cannot compare pieces with dueOn/)
      const unindexed = { ...some({ kind: 'all', of: [] }), match: 'sequence' } as Condition
      await assert.rejects(select(unindexed), /has no index on sequence/)
    })
  })
}
