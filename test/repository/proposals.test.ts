/** The scorer of proposals tells right, wrong, open and missing lines apart. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseMapping } from '#mapping'
import { figuresOf, meetsTargets } from '../../bench/proposals/figures.ts'
import { parseGold, readGold, readUsual } from '../../bench/proposals/gold.ts'
import { errorsOf, type ProposalsResult, pageOf } from '../../bench/proposals/page.ts'
import { type Certainty, type ScoredLine, scoreProposal } from '../../bench/proposals/score.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const schemas = join(root, 'bench/schemas')
const usual = readUsual(schemas)

const gold = `
name: Bücherei
note: Made up.
source: { repository: acme/books, files: [books.sql], commit: '0000' }
brand: { currency: SEK, country: SE, timezone: Europe/Stockholm }
relations: [po_line.po_no = po.po_no]
unjudged: [boms]
collections:
  suppliers:
    from: vendor
    where: is_vendor
    id: vendor_no
    fields:
      partnerId: -> vendor_no
      code: vendor_no
      name: [name, short_name]
      status: { column: state, values: { A: approved, X: [inactive, on_hold] } }
      defaultCurrencyCode: [currency, absent]
  locations:
    - from: depot
      id: depot_no
      fields: { name: name, countryCode: land as country, postalCode: [zip, absent] }
    - from: shop
      optional: true
      id: [shop_no, = * + shop_no]
      fields: { name: name }
  orders:
    from: po
    id: po_no
    fields:
      orderNumber: po_no
      supplierId: -> vendor_no
      status: open
      orderDate: [ordered_on, created_on]
      totalQuantity: sum(po_line.qty)
      totalAmount: [net, sum(po_line.qty * po_line.price)]
`

const texts: { readonly [column: string]: readonly string[] } = {
  'vendor.state': ['A', 'X'],
  'depot.depot_no': ['1', '2'],
  'shop.shop_no': ['2', '3'],
}
const source = {
  relations: [['po.vendor_no', 'vendor.vendor_no']],
  texts: (table: string, column: string) => new Set(texts[`${table}.${column}`]),
} as const

/** The scored lines of a proposal, by collection and name. All lines are certain but for some. */
const score = async (
  collections: string,
  certainties: { readonly [line: string]: Certainty } = {},
  beside = parseGold(gold, usual),
): Promise<ReadonlyMap<string, ScoredLine>> => {
  const text = `version: 1\nbrand: acme\ndatabase: postgres://erp.example.com/erp\ncollections:\n${collections}`
  const mapping = await parseMapping({ file: 'proposal.map.yaml', text })
  const lines = scoreProposal(
    beside,
    mapping.collections.map((each) => ({
      mapping: each,
      certainty: certainties[`${each.collection}.from`] ?? 'certain',
      keyCertainty: certainties[`${each.collection}.id`] ?? 'certain',
      fields: new Map(
        [...each.fields.map(({ field }) => field), ...each.firstSeen, ...each.lastChanged].map(
          (field) => [field, certainties[`${each.collection}.${field}`] ?? 'certain'],
        ),
      ),
    })),
    source,
  )
  return new Map(lines.map((line) => [`${line.collection}.${line.name}`, line]))
}

const times = 'createdAt: first-seen, updatedAt: last-changed'

const suppliers = (fields: string, settings = 'where: { is_vendor: [Y] }') => `
  suppliers:
    from: { sql: select * from vendor }
    ${settings}
    id: { key: [vendor_no] }
    fields: { partnerId: { ref: vendor_no }, kind: { open: [] }, ${times}, ${fields} }
`
const rightSuppliers = suppliers(
  'code: vendor_no, name: name, status: { column: state, values: { A: approved, X: on_hold } }',
)

const locations = (fields: string) => `
  locations:
    from: { sql: 'select * from "public"."depot"' }
    id: { key: [depot_no] }
    fields: { name: name, kind: { open: [] }, ${times}, ${fields} }
`

const outcomesOf = (lines: ReadonlyMap<string, ScoredLine>, collection: string) =>
  Object.fromEntries(
    [...lines.values()]
      .filter((line) => line.collection === collection)
      .map(({ name, outcome }) => [name, outcome]),
  )

describe('a proposal beside a gold mapping', () => {
  it('is right line by line if tables, keys, columns and conversions are', async () => {
    const lines = await score(rightSuppliers)
    const names = ['from', 'where', 'id', 'partnerId', 'code', 'name', 'kind', 'status']
    assert.deepEqual(
      outcomesOf(lines, 'suppliers'),
      Object.fromEntries([...names, 'createdAt', 'updatedAt'].map((name) => [name, 'right'])),
    )
  })

  it('is wrong where a column, a value or a constant is', async () => {
    const lines = await score(
      suppliers(
        'code: name, name: { value: Bok }, status: { column: state, values: { A: approved, X: prospect } }, approvedAt: seen',
      ),
    )
    const { code, name, status, approvedAt } = outcomesOf(lines, 'suppliers')
    assert.deepEqual(
      { code, name, status, approvedAt },
      { code: 'wrong', name: 'wrong', status: 'wrong', approvedAt: 'wrong' },
    )
    assert.equal(lines.get('suppliers.code')?.proposed, 'name')
    assert.equal(lines.get('suppliers.name')?.expected, 'name or short_name')
  })

  it('is open where it says so, and right if nothing in the schema gives the field', async () => {
    const lines = await score(
      suppliers('code: vendor_no, name: { open: [{ column: name }] }, status: state', ''),
      { 'suppliers.status': 'open' },
    )
    const { name, kind, status, where } = outcomesOf(lines, 'suppliers')
    assert.deepEqual(
      { name, kind, status, where },
      { name: 'open', kind: 'right', status: 'open', where: 'missing' },
    )
  })

  it('lacks a time that a column has if it takes the time of the import', async () => {
    const timed = parseGold(
      gold.replace('code: vendor_no', 'code: vendor_no\n      createdAt: made_on'),
      usual,
    )
    const lines = await score(rightSuppliers, {}, timed)
    assert.equal(lines.get('suppliers.createdAt')?.outcome, 'missing')
    assert.equal(lines.get('suppliers.updatedAt')?.outcome, 'right')
  })

  it('lacks collections and fields that a person would map', async () => {
    const lines = await score(locations('city: { open: [] }, countryCode: { value: SE }'))
    assert.equal(lines.get('suppliers.from')?.outcome, 'missing')
    assert.equal(lines.get('suppliers.where')?.outcome, 'missing')
    assert.equal(lines.get('suppliers.code')?.outcome, 'missing')
    assert.equal(lines.has('suppliers.defaultCurrencyCode'), false)
    assert.equal(lines.has('locations.postalCode'), false)
    assert.equal(lines.has('locations.city'), false)
  })

  it('needs the conversion that values need', async () => {
    const raw = await score(locations('countryCode: land'))
    assert.equal(raw.get('locations.countryCode')?.outcome, 'wrong')
    const coded = await score(locations('countryCode: { column: land, code: country }'))
    assert.equal(coded.get('locations.countryCode')?.outcome, 'right')
    const listed = await score(locations('countryCode: { column: land, values: { Sverige: SE } }'))
    assert.equal(listed.get('locations.countryCode')?.outcome, 'right')
  })

  it('refers to records as they are identified', async () => {
    const partners = (id: string) => `
  partners:
    from: { sql: select * from vendor }
    id: ${id}
    fields: { slug: name, name: name, relationship.id: { key: [vendor_no] }, relationship.status: { value: active }, ${times} }
${rightSuppliers}`
    const byKey = await score(partners('{ key: [vendor_no] }'))
    assert.equal(byKey.get('suppliers.partnerId')?.outcome, 'right')
    const byName = await score(partners('{ key: [name] }'))
    assert.match(byName.get('suppliers.partnerId')?.proposed ?? '', /is not the key of partners/)
    const asIs = await score(partners('vendor_no'))
    assert.equal(asIs.get('suppliers.partnerId')?.outcome, 'wrong')
  })

  it('has wrong collections with all their lines', async () => {
    const lines = await score(
      `  categories:
    from: { sql: select * from customer }
    id: { key: [no] }
    fields: { kind: { value: product }, code: no, name: name, level: { value: 1 }, sequence: { value: 0 }, ${times} }`,
    )
    assert.deepEqual(new Set(Object.values(outcomesOf(lines, 'categories'))), new Set(['wrong']))
    assert.equal(lines.has('categories.id'), false)
  })

  it('has a wrong key if two tables give a collection the same keys', async () => {
    const shop = (key: string) => `
    - from: { sql: select * from shop }
      id: { key: [${key}] }
      fields: { name: name, kind: { open: [] }, countryCode: { brand: country }, ${times} }`
    const both = (key: string) =>
      `  locations:${shop(key)}
    - from: { sql: select * from depot }
      id: { key: [depot_no] }
      fields: { name: name, kind: { open: [] }, countryCode: { column: land, code: country }, ${times} }`
    assert.equal((await score(both('shop_no'))).get('locations.id')?.outcome, 'wrong')
    const apart = await score(both('{ value: shop }, shop_no'))
    assert.equal(apart.get('locations.id')?.outcome, 'right')
    assert.equal(apart.get('locations.countryCode')?.outcome, 'right')
  })
})

const orders = (fields: string, on = 'po_no: po_no') => `
  orders:
    from: { sql: select * from po }
    join: { name: lines, sql: select * from po_line, on: { ${on} } }
    id: { key: [po_no] }
    fields: { orderNumber: po_no, kind: { open: [] }, status: { open: [] }, revisionNumber: { value: 0 }, currency: { brand: currency }, ${times}, ${fields} }
`

describe('sums, joins and references of a proposal', () => {
  const sums =
    'totalQuantity: { rows: sum, in: lines, of: qty }, totalAmount: { rows: sum, in: lines, of: { product: [qty, price] } }'

  it('are right if they take the columns of the right table by its key', async () => {
    const lines = await score(
      `${rightSuppliers}${orders(`supplierId: { ref: vendor_no }, orderDate: { first: [ordered_on, created_on] }, ${sums}`)}`,
    )
    assert.deepEqual(
      new Set(Object.values(outcomesOf(lines, 'orders'))),
      new Set(['right']),
      JSON.stringify([...lines.values()].filter(({ outcome }) => outcome !== 'right')),
    )
  })

  it('are wrong if rows are joined by other columns', async () => {
    const lines = await score(
      orders(`supplierId: { ref: vendor_no }, orderDate: ordered_on, ${sums}`, 'po_no: line_no'),
    )
    assert.equal(lines.get('orders.totalQuantity')?.outcome, 'wrong')
    assert.match(lines.get('orders.totalAmount')?.proposed ?? '', /joined by po_no = line_no/)
  })

  it('are wrong if they take another function, another column or another key', async () => {
    const other = rightSuppliers.replace('key: [vendor_no]', 'key: [name]')
    const lines = await score(
      `${other}${orders('supplierId: { ref: vendor_no }, orderDate: due_on, totalQuantity: { rows: count, in: lines }, totalAmount: { rows: sum, in: lines, of: price }')}`,
    )
    const { supplierId, orderDate, totalQuantity, totalAmount } = outcomesOf(lines, 'orders')
    assert.deepEqual(
      [supplierId, orderDate, totalQuantity, totalAmount],
      ['wrong', 'wrong', 'wrong', 'wrong'],
    )
    assert.equal(lines.get('suppliers.id')?.outcome, 'wrong')
  })
})

describe('the figures of proposals', () => {
  it('count fields, certain lines and keys', async () => {
    const lines = [
      ...(
        await score(suppliers('code: name, name: name, status: state'), {
          'suppliers.name': 'likely',
          'suppliers.status': 'open',
        })
      ).values(),
    ].filter(({ collection }) => collection === 'suppliers')
    const figures = figuresOf(lines)
    assert.equal(figures.fields, 8)
    assert.deepEqual([figures.right, figures.wrong, figures.open, figures.missing], [6, 1, 1, 0])
    assert.equal(figures.rightPercent, 75)
    assert.deepEqual([figures.lines, figures.certain, figures.wrongCertain], [9, 7, 1])
    assert.deepEqual([figures.keys, figures.wrongKeys], [1, 0])
    assert.equal(meetsTargets(figures), false)
    assert.equal(meetsTargets({ ...figures, wrongCertain: 0 }), true)
    assert.equal(meetsTargets({ ...figures, wrongCertain: 0, wrongKeys: 1 }), false)
  })
})

describe('the schemas of proposals', () => {
  it('have gold mappings that name fields of the catalog, and where they come from', () => {
    for (const name of readdirSync(schemas, { withFileTypes: true })) {
      if (!name.isDirectory() || name.name === 'held-out') continue
      const { source: from, entries } = readGold(join(schemas, name.name), usual)
      assert.match(from.commit, /^[0-9a-f]{40}$/)
      assert.ok(entries.length > 5, name.name)
    }
  })
})

describe('the published page of proposals', () => {
  it('has the figures and the missing collections; the result lists what is not right', async () => {
    const lines = [...(await score(suppliers('code: name, name: name, status: state'))).values()]
    const errors = errorsOf(lines)
    const names = errors.map(({ collection, name, outcome }) => `${collection} ${name} ${outcome}`)
    assert.deepEqual(names, [
      'suppliers code wrong',
      'suppliers status wrong',
      'locations from missing',
      'orders from missing',
    ])
    const figures = figuresOf(lines)
    const { name, note, source: from } = parseGold(gold, usual)
    const schema = { name, note, source: from, isHeldOut: true, figures, errors }
    const page = pageOf({ all: figures, heldOut: figures, schemas: [schema] })
    assert.match(page, /\| Bücherei \(held out\) \| \d+ \|/)
    assert.match(page, /^\| of those, none wrong \| 2 \| missed \|$/m)
    assert.match(page, /^- Bücherei: `locations` from depot, `orders` from po\.$/m)
  })

  it('has the figures of the last result', () => {
    const results = join(root, 'bench/results')
    const last = readdirSync(results)
      .filter((file) => /-proposals-\d+\.json$/.test(file))
      .sort(new Intl.Collator('en', { numeric: true }).compare)
      .at(-1)
    const result = JSON.parse(readFileSync(join(results, last ?? ''), 'utf8')) as ProposalsResult
    assert.equal(readFileSync(join(root, 'docs/explanation/proposals.md'), 'utf8'), pageOf(result))
  })
})
