/** The records of a season: their form, references, order and variety. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  addDays,
  catalog,
  checkRecord,
  daysBetween,
  type JsonValue,
  type RecordAt,
  type Reference,
  type Resource,
  referencesOf,
  resourceAt,
} from '#contract'
import { type DemoRecord, demoImage, type SeasonOptions, season } from '#demo'
import { asOf, SeasonRecords, sorted, story, today } from '../support/season-records.ts'

const digestOf = (options: SeasonOptions): string => {
  const hash = createHash('sha256')
  for (const item of season(options)) hash.update(JSON.stringify(item))
  return hash.digest('hex')
}

const sizes = [0, 5, 200]
const held = new Map(
  sizes.map((orders) => [
    orders,
    new SeasonRecords([...season({ brand: 'aldermoor', orders, seed: 7 })]),
  ]),
)
const heldAt = (orders: number): SeasonRecords => held.get(orders) ?? assert.fail()

describe('a season', () => {
  it('is the same for the same seed, and another for another seed or brand', () => {
    const options = { brand: 'aldermoor', orders: 30, seed: 1 }
    assert.equal(digestOf(options), digestOf({ ...options }))
    assert.notEqual(digestOf(options), digestOf({ ...options, seed: 2 }))
    assert.notEqual(digestOf(options), digestOf({ ...options, brand: 'fenwick' }))
  })

  it('has no change on its last day, which may just have begun', () => {
    for (const item of season({ brand: 'aldermoor', orders: 200, seed: 7 })) {
      const { createdAt, updatedAt } = item.record
      for (const time of [createdAt, updatedAt]) {
        assert.ok(typeof time !== 'string' || time < today, `${item.path} ${time}`)
      }
    }
  })

  it('is adapted to a stored brand: its record, currency and hours', () => {
    const options = { brand: 'tokara', orders: 5, seed: 1, asOf: '2026-11-17' }
    const stored = {
      ...(story.records['brand']?.[0] as RecordAt<'brand'>),
      id: '00000000-0000-4000-8000-000000000001',
      slug: 'tokara',
      baseCurrencyCode: 'EUR',
      timezone: 'Pacific/Auckland',
    }
    const plain = [...season(options)]
    const adapted = [...season({ ...options, stored })]
    const of = (items: typeof plain, path: string) =>
      items.filter((item) => item.path === path).map(({ record }) => record)
    assert.deepEqual(of(adapted, 'brand'), [stored])
    assert.ok(of(adapted, 'brand-locations').every(({ brandId }) => brandId === stored.id))
    const swapped = { USD: 'EUR', EUR: 'USD' }
    for (const [index, order] of of(plain, 'orders').entries()) {
      const other = of(adapted, 'orders')[index]
      const currency = String(order['currency'])
      assert.equal(other?.['currency'], swapped[currency as 'USD'] ?? currency)
      assert.equal(other?.['exchangeRate'], order['exchangeRate'])
      // Ten in the morning in New York is 15:00 UTC that day; in Auckland it is 21:00 UTC the day before.
      const hours =
        Date.parse(String(other?.['createdAt'])) - Date.parse(String(order['createdAt']))
      assert.equal(hours, -18 * 3_600_000)
    }
    assert.ok(of(adapted, 'orders').some(({ currency }) => currency === 'EUR'))
  })

  it('is the same on another day, with all of its days moved by as many', () => {
    const options = { brand: 'aldermoor', orders: 12, seed: 1 }
    const days = daysBetween(today, '2027-03-14')
    const moved = [...season({ ...options, asOf: '2027-03-14' })]
    // Texts that name a month or a season.
    const others = new Set([
      'customFields',
      'data',
      'choices',
      'season',
      'name',
      'title',
      'code',
      'description',
    ])
    let count = 0
    for (const [index, { path, record }] of [...season(options)].entries()) {
      assert.equal(moved[index]?.path, path)
      const { fields } = resourceAt(catalog, path)
      for (const [name, value] of Object.entries(record)) {
        const other: JsonValue | undefined = moved[index]?.record[name]
        const kind = fields[name]?.kind
        if (typeof value === 'string' && (kind === 'date' || kind === 'timestamp')) {
          assert.equal(other, addDays(value.slice(0, 10), days) + value.slice(10))
          count += 1
        } else if (!others.has(name)) assert.deepEqual(other, value, `${path}.${name}`)
      }
    }
    assert.ok(count > 1_000, `${count} days`)
  })

  it('names its seasons and months after the day it is moved to', () => {
    const records = new SeasonRecords([
      ...season({ brand: 'aldermoor', orders: 0, seed: 1, asOf: '2026-11-30' }),
    ])
    const codes = records.all('collections').map(({ code }) => code)
    assert.ok(codes.includes('SS27-WORK') && codes.includes('FW26-FIELD'), `${codes}`)
    assert.equal(records.all('launch-windows')[0]?.['code'], 'SS27-1')
    const [order] = records.all('orders')
    assert.deepEqual(order?.['customFields'], { buyMonth: '2026-08' })
  })

  it('begins with the story, and is made for any brand', () => {
    const items = Object.entries(story.records).flatMap(([path, records]) =>
      records.map((record) => ({ path, record })),
    )
    assert.deepEqual(heldAt(5).items.slice(0, items.length), items)
    const other = new SeasonRecords([...season({ brand: 'salt-and-loom', orders: 0, seed: 1 })])
    const [brand, ...more] = other.all('brand')
    assert.deepEqual(more, [])
    assert.equal(brand?.['slug'], 'salt-and-loom')
    assert.equal(brand?.['name'], 'Salt And Loom')
  })

  it('grows by its orders, with about ten items each', () => {
    for (const orders of sizes) assert.equal(heldAt(orders).all('orders').length, 1 + orders)
    const items = heldAt(200).all('order-items').length
    assert.ok(items > 1800 && items < 2400, `${items} items`)
  })

  it('keeps its pictures few', () => {
    const pictures = heldAt(200).all('images').length
    assert.ok(pictures < 40, `${pictures} pictures`)
  })
})

for (const orders of sizes) {
  const set = heldAt(orders)

  describe(`a season of ${orders} orders`, () => {
    it('has a record in every collection of a brand, and none in a shared one', () => {
      for (const { path, scope } of catalog.resources) {
        const hasRecord = set.items.some((item) => item.path === path)
        assert.equal(hasRecord, scope === 'brand', path)
      }
    })

    it('holds only what the contract accepts, in the order of its fields', () => {
      for (const { path, record } of set.items) {
        const resource = resourceAt(catalog, path)
        assert.deepEqual(checkRecord(resource, record), [], path)
        assert.deepEqual(Object.keys(record), Object.keys(resource.fields), path)
        for (const [name, { values }] of Object.entries(resource.fields)) {
          const value = record[name]
          if (values && typeof value === 'string') {
            assert.ok(values.includes(value), `${path}.${name} is ${value}`)
          }
        }
      }
    })

    it('has no identity and no unique key twice', () => {
      for (const resource of catalog.resources) {
        for (const key of [resource.key, ...resource.unique]) assertUnique(set, resource, key)
      }
    })

    it('points only at what came before it', () => {
      const seen = new Map(catalog.resources.map(({ path }) => [path, new Set<JsonValue>()]))
      for (const [path, records] of Object.entries(story.shared)) {
        for (const record of records) seen.get(path)?.add(record['id'] ?? null)
      }
      const references = new Map<string, readonly Reference[]>(
        catalog.resources.map((resource) => [resource.path, referencesOf(resource)]),
      )
      for (const { path, record } of set.items) {
        for (const { field, to } of references.get(path) ?? []) {
          const value = field
            .split('.')
            .reduce<JsonValue>((at, name) => (at as DemoRecord | null)?.[name] ?? null, record)
          assert.ok(value === null || seen.get(to)?.has(value), `${path}.${field} is ${value}`)
        }
        if (record['id'] !== undefined) seen.get(path)?.add(record['id'])
      }
    })

    it('was all written down before the day it is seen from', () => {
      for (const { path, record } of set.items) {
        const { createdAt, updatedAt, deletedAt } = record
        if (typeof createdAt !== 'string') continue
        const last = String(updatedAt ?? createdAt)
        assert.ok(createdAt <= last && last <= asOf, `${path}: ${createdAt}, ${last}`)
        assert.ok(!deletedAt || (deletedAt >= createdAt && deletedAt <= asOf), path)
      }
    })

    it('has pictures that are what their records say', () => {
      for (const image of set.all('images')) {
        const bytes = demoImage(image)
        assert.equal(image['sizeBytes'], bytes.length)
        assert.equal(image['sha256'], createHash('sha256').update(bytes).digest('hex'))
        const owners = referencesOf(resourceAt(catalog, 'images')).map(({ field }) => image[field])
        assert.ok(image['kind'] === 'logo' || owners.some((owner) => owner !== null))
      }
    })

    it('gives its numbers the right check digits', () => {
      const numbers = [
        ...set.all('skus').map((sku) => sku['gtin']),
        ...set.all('locations').map((location) => location['gln']),
        ...set.all('shipment-cartons').map((carton) => carton['sscc']),
      ].filter((each) => each !== null)
      for (const number of numbers) {
        const digits = [...String(number)].reverse().map(Number)
        const sum = digits.reduce((so, digit, place) => so + digit * (place % 2 === 0 ? 1 : 3), 0)
        assert.equal(sum % 10, 0, String(number))
      }
    })
  })
}

describe('the variety of a season', () => {
  for (const orders of [5, 200]) {
    const set = heldAt(orders)
    const some = (path: string, is: (record: DemoRecord) => boolean) => () => {
      assert.ok(set.all(path).some(is), `${path} at ${orders} orders`)
    }
    const currencyOf = (id: JsonValue | undefined) => set.get('invoices', id)['currency']
    const kinds: readonly (readonly [string, () => void])[] = [
      [
        'an order of goods sized by waist and inseam',
        some(
          'order-items',
          ({ skuId }) => set.of('sku-dimension-values', 'skuId', skuId).length === 2,
        ),
      ],
      [
        'a shipment that was forwarded from a hub',
        some('shipment-item-lineages', (r) => r['kind'] === 'forward'),
      ],
      ['an invoice in dispute', some('invoices', ({ status }) => status === 'disputed')],
      [
        'a settlement that was reversed',
        some('payment-settlements', (r) => r['reversedAt'] !== null),
      ],
      [
        'a payment in another currency than its invoice',
        some(
          'payment-settlements',
          (r) => set.get('payments', r['paymentId'])['currency'] !== currencyOf(r['invoiceId']),
        ),
      ],
      ['an order in Turkish lira', some('orders', ({ currency }) => currency === 'TRY')],
      ['an order in rupees', some('orders', ({ currency }) => currency === 'INR')],
      ['a retracted run', some('production-runs', ({ retractedAt }) => retractedAt !== null)],
      ['a deleted note', some('notes', ({ deletedAt }) => deletedAt !== null)],
      ['a deleted contact', some('contacts', ({ deletedAt }) => deletedAt !== null)],
      ['a deleted product', some('parent-products', ({ deletedAt }) => deletedAt !== null)],
      [
        'a certificate that expired',
        some('documents', (r) => r['status'] === 'expired' && String(r['expiryDate']) < today),
      ],
    ]
    for (const [what, assertion] of kinds) it(`has ${what}, at ${orders} orders`, assertion)
  }

  it('has orders in every status from twenty on, in six currencies', () => {
    const twenty = new SeasonRecords([...season({ brand: 'aldermoor', orders: 20, seed: 3 })])
    const { status } = resourceAt(catalog, 'orders').fields
    const statuses = new Set(twenty.all('orders').map((order) => order['status']))
    assert.deepEqual(sorted([...statuses]), sorted(status?.values ?? []))
    const currencies = new Set(
      heldAt(200)
        .all('orders')
        .map((order) => order['currency']),
    )
    assert.ok(currencies.size >= 6, `${[...currencies]}`)
  })
})

describe('the texts of a season', () => {
  const records = (path: string) => heldAt(200).all(path)

  it('have a letter beyond Latin-1 on nearly every page of 25', () => {
    for (const path of ['order-items', 'orders', 'notes', 'contacts', 'locations']) {
      const share = shareOfPages(records(path), /[^\u0000-\u00ff]/)
      assert.ok(share >= 0.95, `${path}: ${share}`)
    }
  })

  it('are in several scripts, with accents, typographic apostrophes and emoji', () => {
    const text = JSON.stringify(heldAt(200).items.map(({ record }) => record))
    for (const kind of [
      /\p{Script=Han}/u,
      /\p{Script=Bengali}/u,
      /[éüãçğı]/,
      /’/,
      /\p{RGI_Emoji}/v,
    ]) {
      assert.match(text, kind)
    }
  })

  it('are null in most records, a sentence in some and a letter in a few', () => {
    const memos = records('order-items').map(({ memo }) => memo)
    const share = (is: (memo: JsonValue | undefined) => boolean) =>
      memos.filter(is).length / memos.length
    const nulls = share((memo) => memo === null)
    const long = share((memo) => String(memo).length > 250)
    assert.ok(nulls > 0.6 && nulls < 0.8, `${nulls} are null`)
    assert.ok(long > 0.01 && long < 0.1, `${long} are long`)
  })
})

/** The share of pages of 25 records whose text has a match. */
const shareOfPages = (records: readonly DemoRecord[], pattern: RegExp): number => {
  const pages = Array.from({ length: Math.floor(records.length / 25) }, (_, page) =>
    JSON.stringify(records.slice(25 * page, 25 * (page + 1))),
  )
  return pages.filter((page) => pattern.test(page)).length / pages.length
}

/** Null in a key of one field does not count; in a composite one null equals null. */
function assertUnique(set: SeasonRecords, { path }: Resource, key: readonly string[]): void {
  const seen = new Set<string>()
  for (const record of set.items.flatMap((item) => (item.path === path ? [item.record] : []))) {
    const values = key.map((name) => record[name] ?? null)
    if (values.length === 1 && values[0] === null) continue
    const identity = JSON.stringify(values)
    assert.ok(!seen.has(identity), `${path} has ${key} = ${identity} twice`)
    seen.add(identity)
  }
}
