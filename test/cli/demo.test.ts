/** The demo story is held to the contract and to its own figures. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import {
  catalog,
  checkRecord,
  type Fields,
  importOrder,
  type JsonValue,
  patterns,
  type Resource,
  referencesOf,
  resourceAt,
} from '#contract'
import { type DemoRecord, demoImage, openStory } from '#demo'

const story = await openStory()
const collections: { readonly [path: string]: readonly DemoRecord[] } = {
  ...story.shared,
  ...story.records,
}
const recordsAt = (path: string): readonly DemoRecord[] => collections[path] ?? []

describe('the demo story', () => {
  it('has a record in every collection, the shared ones apart', () => {
    assert.equal(Object.keys(collections).length, catalog.resources.length)
    for (const { path, scope } of catalog.resources) {
      const part = scope === 'shared' ? story.shared : story.records
      assert.notEqual(part[path]?.length ?? 0, 0, `${path} is empty`)
    }
  })

  it('is of one brand, named by its slug', () => {
    assert.deepEqual(
      recordsAt('brand').map(({ slug }) => slug),
      [story.brand],
    )
    assert.match(story.brand, new RegExp(patterns.brand))
  })

  it('holds only records that the contract accepts', () => {
    const problems = catalog.resources.flatMap((resource) =>
      recordsAt(resource.path).flatMap((record) =>
        checkRecord(resource, record).map((problem) => ({ path: resource.path, ...problem })),
      ),
    )
    assert.deepEqual(problems, [])
  })

  it('uses only the known values of fields that list them', () => {
    for (const resource of catalog.resources) {
      for (const [name, { values }] of Object.entries(resource.fields)) {
        if (!values) continue
        for (const record of recordsAt(resource.path)) {
          const value = record[name]
          if (typeof value === 'string') {
            assert.ok(values.includes(value), `${resource.path}.${name} is ${value}`)
          }
        }
      }
    }
  })

  it('writes the fields of a record in the order of the contract', () => {
    for (const { path, fields } of catalog.resources) {
      for (const record of recordsAt(path)) {
        assert.deepEqual(Object.keys(record), Object.keys(fields), path)
      }
    }
  })

  it('has no identity twice', () => {
    for (const resource of catalog.resources) assertUnique(resource, resource.key)
  })

  it('keeps the unique keys of the contract', () => {
    for (const resource of catalog.resources) {
      for (const key of resource.unique) assertUnique(resource, key)
    }
  })

  it('points at nothing that is not there, and at nothing that comes later', () => {
    const seen = new Map(catalog.resources.map(({ path }) => [path, new Set<JsonValue>()]))
    for (const path of importOrder(catalog).flat()) {
      const resource = resourceAt(catalog, path)
      for (const record of recordsAt(path)) {
        for (const { field, to } of referencesOf(resource)) {
          for (const value of valuesAt(record, field)) {
            assert.ok(
              value === null || seen.get(to)?.has(value),
              `${path}.${field} points at ${value}, which ${to} does not have yet`,
            )
          }
        }
        if (record['id'] !== undefined) seen.get(path)?.add(record['id'])
      }
    }
  })

  it('names only countries that are among the countries', () => {
    const countries = new Set(recordsAt('countries').map(({ code }) => code))
    for (const { path, fields } of catalog.resources) {
      for (const field of countryFieldsOf(fields)) {
        for (const value of recordsAt(path).flatMap((record) => valuesAt(record, field))) {
          assert.ok(value === null || countries.has(value), `${path}.${field} is ${value}`)
        }
      }
    }
  })

  it('lists its collections in import order', () => {
    const order = importOrder(catalog).flat()
    for (const part of [story.records, story.shared]) {
      const paths = Object.keys(part)
      assert.deepEqual(
        paths,
        order.filter((path) => paths.includes(path)),
      )
    }
  })
})

describe('the shared records', () => {
  it('have all 249 countries, by their names in full', () => {
    const names = new Map(recordsAt('countries').map(({ code, name }) => [code, name]))
    assert.equal(names.size, 249)
    for (const [code, name] of [
      ['AX', 'Åland Islands'],
      ['BL', 'Saint Barthélemy'],
      ['CI', "Côte d'Ivoire"],
      ['CW', 'Curaçao'],
      ['RE', 'Réunion'],
      ['TR', 'Türkiye'],
    ]) {
      assert.equal(names.get(code), name)
    }
    for (const code of names.keys()) assert.match(String(code), new RegExp(patterns.country))
  })

  it('have units of measure for several pages, each type with several units', () => {
    const units = recordsAt('units-of-measure')
    assert.ok(units.length >= 40)
    const counts = Map.groupBy(units, ({ type }) => type)
    assert.ok(counts.size >= 6)
    for (const [type, ofType] of counts) assert.ok(ofType.length >= 2, `${type} has one unit`)
  })

  it('have two units of one name, told apart by their codes', () => {
    const pieces = recordsAt('units-of-measure').filter(({ name }) => name === 'piece')
    assert.deepEqual(pieces.map(({ code }) => code).sort(), ['C62', 'H87'])
  })

  it('belong to no brand: they point only at shared records', () => {
    for (const path of Object.keys(story.shared)) {
      for (const { to } of referencesOf(resourceAt(catalog, path))) {
        assert.equal(resourceAt(catalog, to).scope, 'shared')
      }
    }
  })
})

describe('the names to try filters with', () => {
  const tags = recordsAt('tags').map(({ name }) => name)

  it('have a pair that differs only in case', () => {
    assert.ok(tags.includes('Core') && tags.includes('core'))
  })

  it('have punctuation that an address must escape, and letters beyond ASCII', () => {
    for (const name of ['50% off; "sale" & more', 'Größe – été', '🧵 hand-finished', 'a+b=c?']) {
      assert.ok(tags.includes(name), name)
    }
    assert.ok(recordsAt('units-of-measure').some(({ name }) => name === 'foot (12")'))
  })
})

describe('the figures of the story', () => {
  const invoices = recordsAt('invoices').filter(({ currency }) => currency === 'EUR')
  const payments = recordsAt('payments').filter(({ currency }) => currency === 'EUR')

  it('order 640 pieces for 15,872.00', () => {
    const [order] = recordsAt('orders')
    assert.equal(order?.['totalQuantity'], 640)
    assert.equal(order?.['totalAmount'], '15872.00')
    assert.equal(sum('order-items', 'qty'), 640)
  })

  it('make 636 of them in the runs that were not retracted', () => {
    const retracted = new Set(
      recordsAt('production-runs').flatMap(({ id, retractedAt }) =>
        retractedAt === null ? [] : [id],
      ),
    )
    const made = recordsAt('production-run-items').filter(
      ({ productionRunId }) => !retracted.has(productionRunId ?? null),
    )
    assert.equal(retracted.size, 1)
    assert.equal(total(made, 'quantity'), 636)
  })

  it('ship 636, 400 by sea and 236 by air, in 32 cartons', () => {
    const shipped = new Map(
      recordsAt('shipments').map((each) => [each['shipmentNumber'], each['totalQuantity']]),
    )
    assert.equal(shipped.get('S-9001'), 400)
    assert.equal(shipped.get('S-9002'), 236)
    assert.equal(sum('shipment-items', 'quantity'), 636)
    assert.equal(sum('shipment-carton-items', 'quantity'), 636)
    assert.equal(recordsAt('shipment-cartons').length, 32)
  })

  it('receive 634, one of them damaged, and have them on hand', () => {
    assert.equal(sum('goods-receipt-lines', 'receivedQuantity'), 634)
    assert.equal(sum('goods-receipt-lines', 'damagedQuantity'), 1)
    assert.equal(sum('inventory', 'onHandQuantity'), 634)
  })

  it('invoice and pay 634 pieces at 24.80, which is 15,723.20', () => {
    const due = 634 * cents('24.80')
    assert.equal(due, cents('15723.20'))
    assert.deepEqual(
      invoices.map(({ totalAmount }) => totalAmount),
      ['4761.60', '5158.40', '5852.80', '-49.60'],
    )
    assert.equal(total(invoices, 'totalAmount', cents), due)
    assert.deepEqual(
      payments.map(({ amount }) => amount),
      ['4761.60', '10961.60'],
    )
    assert.equal(total(payments, 'amount', cents), due)
  })

  it('settle the milestones with the payments and the 148.80 that was waived', () => {
    const paymentIds = new Set(payments.map(({ id }) => id))
    const settled = recordsAt('payment-settlements').filter(({ paymentId }) =>
      paymentIds.has(paymentId),
    )
    const waived = sum('payment-milestones', 'waivedAmount', cents)
    assert.equal(waived, cents('148.80'))
    assert.equal(sum('payment-milestones', 'amount', cents), cents('15872.00'))
    assert.equal(total(settled, 'amount', cents) + waived, cents('15872.00'))
  })

  it('leave 1,450.00 of the freight open', () => {
    const freight = recordsAt('invoices').find((each) => each['invoiceNumber'] === 'NQ-40117')
    assert.equal(freight?.['totalAmount'], '2270.00')
    assert.equal(freight?.['paidAmount'], '820.00')
    assert.equal(freight?.['balanceAmount'], '1450.00')
  })
})

describe('the pictures', () => {
  for (const image of recordsAt('images')) {
    it(`${image['fileName']} is what its record says`, () => {
      const bytes = demoImage(image)
      assert.equal(image['mimeType'], 'image/png')
      assert.match(String(image['fileName']), /\.png$/)
      assert.equal(image['sizeBytes'], bytes.length)
      assert.equal(image['sha256'], createHash('sha256').update(bytes).digest('hex'))
      const { width, height } = readPng(bytes)
      assert.ok(image['widthPx'] === null || image['widthPx'] === width)
      assert.ok(image['heightPx'] === null || image['heightPx'] === height)
    })
  }

  it('differ from each other, and are the same when asked for again', () => {
    const images = recordsAt('images')
    const digests = new Set(images.map(({ sha256 }) => sha256))
    assert.equal(digests.size, images.length)
    for (const image of images) assert.deepEqual(demoImage(image), demoImage({ ...image }))
  })

  it('follow from the identity and the kind alone', () => {
    const [image] = recordsAt('images')
    const bare: DemoRecord = { id: image?.['id'] ?? null, kind: image?.['kind'] ?? null }
    assert.deepEqual(demoImage(bare), demoImage(image ?? {}))
  })

  it('have one whose extent is not known', () => {
    const unknown = recordsAt('images').filter(({ widthPx }) => widthPx === null)
    assert.deepEqual(
      unknown.map(({ heightPx }) => heightPx),
      [null],
    )
  })
})

/** Null in a key of one field does not count; in a composite one null equals null. */
const assertUnique = ({ path }: Resource, key: readonly string[]): void => {
  const seen = new Set<string>()
  for (const record of recordsAt(path)) {
    const values = key.map((name) => record[name] ?? null)
    if (values.length === 1 && values[0] === null) continue
    const identity = JSON.stringify(values)
    assert.ok(!seen.has(identity), `${path} has ${key} = ${identity} twice`)
    seen.add(identity)
  }
}

/** The values at a path of names, one for each object of an array on the way. */
const valuesAt = (value: JsonValue, path: string): readonly JsonValue[] => {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => valuesAt(each, path))
  const [first = '', ...rest] = path.split('.')
  const inner = (value as DemoRecord)[first]
  assert.notEqual(inner, undefined, `nothing at ${path}`)
  if (inner === undefined) return []
  return rest.length === 0 ? [inner] : valuesAt(inner, rest.join('.'))
}

const countryFieldsOf = (fields: Fields, prefix = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    ...(field.code === 'country' ? [prefix + name] : []),
    ...(field.fields ? countryFieldsOf(field.fields, `${prefix}${name}.`) : []),
  ])

const cents = (amount: JsonValue | undefined): number => Math.round(Number(amount ?? 0) * 100)

const total = (
  records: readonly DemoRecord[],
  field: string,
  read: (value: JsonValue | undefined) => number = Number,
): number => records.reduce((sum, record) => sum + read(record[field]), 0)

const sum = (
  path: string,
  field: string,
  read?: (value: JsonValue | undefined) => number,
): number => total(recordsAt(path), field, read)

/** The extent of a PNG whose chunks are whole and whose pixels are all there. */
const readPng = (file: Uint8Array): { readonly width: number; readonly height: number } => {
  const bytes = Buffer.from(file)
  assert.equal(bytes.toString('hex', 0, 8), '89504e470d0a1a0a')
  const chunks: { readonly type: string; readonly data: Buffer }[] = []
  for (let at = 8; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at)
    assert.equal(crc32(bytes.subarray(at + 4, end)), bytes.readUInt32BE(end))
    chunks.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      data: bytes.subarray(at + 8, end),
    })
    at = end + 4
  }
  assert.deepEqual(
    chunks.map(({ type }) => type),
    ['IHDR', 'PLTE', 'IDAT', 'IEND'],
  )
  const [header, palette, pixels] = chunks.map(({ data }) => data)
  assert.ok(header && palette && pixels)
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  assert.deepEqual([...header.subarray(8)], [2, 3, 0, 0, 0])
  assert.equal(palette.length, 4 * 3)
  assert.equal(inflateSync(pixels).length, height * (1 + Math.ceil(width / 4)))
  return { width, height }
}
