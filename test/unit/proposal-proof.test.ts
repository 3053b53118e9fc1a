/** What a proposal calls certain: keys and values show it, and names alone do not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMapping, type SampleTable } from '#mapping'
import { databaseTable, proposalOf } from '../support/sample-tables.ts'

type Table = Parameters<typeof databaseTable>[1]
type Rows = NonNullable<Table['rows']>

const proposalFor = async (tables: { readonly [name: string]: Table }): Promise<string> => {
  const text = proposalOf(
    Object.entries(tables).map(([name, table]) => databaseTable(name, table)),
    `\${ERP_URL}`,
  )
  await parseMapping({ file: 'proposed', text })
  return text
}

const rows = (count: number, row: (n: number) => Rows[number]): Rows =>
  Array.from({ length: count }, (_, at) => row(at + 1))

/** The lines of a collection of a proposal. */
const linesOf = (text: string, collection: string): string => {
  const [, lines = ''] = new RegExp(`^(  ${collection}:.*\\n(?: {4}.*\\n)*)`, 'm').exec(text) ?? []
  return lines
}
const isCertain = (text: string, collection: string) =>
  new RegExp(`^  ${collection}:  # certain`, 'm').test(text)

const places = ['Göttingen', 'Łódź', 'Porto', 'Āgra', '東京', "L'Aquila"]
const named = (n: number) => `${places[n % places.length]} ${n}`

const vendors: Table = {
  columns: { id: 'whole', name: 'text', vendor_no: 'text', created_at: 'time', updated_at: 'time' },
  key: ['id'],
  rows: rows(6, (n) => [n, named(n), `V-${n}`, `2026-01-0${n} 08:00:00`, `2026-02-0${n} 08:00:00`]),
}
const items: Table = {
  columns: { id: 'whole', item_no: 'text', name: 'text' },
  key: ['id'],
  rows: rows(6, (n) => [n, `A-${n}`, `Hemd ${named(n)}`]),
}
const purchases: Table = {
  columns: { id: 'whole', order_no: 'text', vendor_id: 'whole', order_date: 'date' },
  key: ['id'],
  to: { vendor_id: 'vendors.id' },
  rows: rows(6, (n) => [n, `PO-${n}`, n, `2026-03-0${n}`]),
}
const purchaseLines: Table = {
  columns: { id: 'whole', order_id: 'whole', item_id: 'whole', quantity: 'whole' },
  key: ['id'],
  to: { order_id: 'purchase_orders.id', item_id: 'items.id' },
  rows: rows(8, (n) => [n, 1 + (n % 6), 1 + (n % 5), n * 3]),
}
const erp = {
  vendors,
  items,
  purchase_orders: purchases,
  purchase_order_lines: purchaseLines,
}

describe('a table is certain', () => {
  it('if keys link it with what belongs to it', async () => {
    const text = await proposalFor(erp)
    for (const collection of ['suppliers', 'orders', 'order-items', 'skus'])
      assert.ok(isCertain(text, collection), linesOf(text, collection))
    assert.match(linesOf(text, 'orders'), /supplierId: .*# certain: foreign key/)
    assert.match(linesOf(text, 'suppliers'), /createdAt: +created_at {2}# certain/)
  })

  it('not by its name alone', async () => {
    const text = await proposalFor({ vendors, categories: { ...items, to: {} } })
    assert.ok(!isCertain(text, 'suppliers') && !isCertain(text, 'categories'), text)
    const purchased = await proposalFor({
      ...erp,
      purchase_orders: { ...purchases, to: {}, columns: { ...purchases.columns }, rows: [] },
    })
    assert.ok(!isCertain(purchased, 'orders') && !isCertain(purchased, 'order-items'), purchased)
  })

  it('not if customers can be in it too', async () => {
    const orders = (name: string): Table => ({
      columns: { id: 'whole', number: 'text', party: 'whole', date: 'date' },
      key: ['id'],
      to: { party: 'party_party.id' },
      rows: rows(6, (n) => [n, `${name}-${n}`, n, `2026-03-0${n}`]),
    })
    const text = await proposalFor({
      party_party: { ...vendors, columns: { ...vendors.columns } },
      items,
      purchase_order: orders('PO'),
      sale_order: orders('SO'),
      purchase_order_line: {
        ...purchaseLines,
        to: { order_id: 'purchase_order.id', item_id: 'items.id' },
      },
    })
    assert.match(text, /^ {2}suppliers: {2}# likely: .*sale_order refers to it too/m)
    assert.match(linesOf(text, 'orders'), /key: \[party\].*# likely/)
  })

  it('not if another table of the same name has its keys as well', async () => {
    const text = await proposalFor({
      ...erp,
      vendors_new: vendors,
      items_suppliers: {
        columns: { id: 'whole', vendor_id: 'whole', item_id: 'whole', label: 'text' },
        key: ['id'],
        to: { vendor_id: 'vendors_new.id', item_id: 'items.id' },
        rows: rows(4, (n) => [n, n, n, `x ${n}`]),
      },
      invoices: {
        columns: { id: 'whole', invoice_no: 'text', vendor_id: 'whole', invoice_date: 'date' },
        key: ['id'],
        to: { vendor_id: 'vendors_new.id' },
        rows: rows(4, (n) => [n, `R-${n}`, n, `2026-03-0${n}`]),
      },
    })
    assert.match(text, /^ {2}suppliers: {2}# likely: .*or vendors/m)
  })
})

describe('items and their variants', () => {
  const variants: Table = {
    columns: { id: 'whole', template: 'whole', code: 'text' },
    key: ['id'],
    to: { template: 'product_template.id' },
    rows: rows(6, (n) => [n, 1 + (n % 3), `SH-${n}`]),
  }
  const templates: Table = {
    columns: { id: 'whole', name: 'text', code: 'text' },
    key: ['id'],
    rows: rows(3, (n) => [n, `Kleid ${named(n)}`, `SH${n}`]),
  }
  const lines = {
    ...purchaseLines,
    to: { order_id: 'purchase_orders.id', item_id: 'product_product.id' },
  }

  it('are styles and SKUs by the key between them', async () => {
    const { items: _, ...rest } = erp
    const text = await proposalFor({
      ...rest,
      product_product: variants,
      product_template: templates,
      purchase_order_lines: lines,
    })
    assert.match(text, /^ {2}parent-products: {2}# \w+: from product_template:/m)
    assert.match(text, /^ {2}skus: {2}# \w+: from product_product:/m)
    assert.match(linesOf(text, 'skus'), /productId: .*key: \[template\]/)
  })

  it('are open to doubt if lines refer to a table between', async () => {
    const text = await proposalFor({
      ...erp,
      item_combinations: {
        columns: { id: 'whole', item_id: 'whole', label: 'text' },
        key: ['id'],
        to: { item_id: 'items.id' },
        rows: rows(6, (n) => [n, 1 + (n % 5), `${n} cm`]),
      },
      purchase_order_lines: {
        columns: { ...purchaseLines.columns, combination_id: 'whole' },
        key: ['id'],
        to: { ...purchaseLines.to, combination_id: 'item_combinations.id' },
        rows: (purchaseLines.rows ?? []).map((row, at) => [...row, 1 + (at % 6)]),
      },
    })
    assert.ok(!isCertain(text, 'skus'), linesOf(text, 'skus'))
  })
})

describe('documents of purchasing and sales in one table', () => {
  const shared = (columns: Table['columns'], row: (n: number) => Rows[number]): Table => ({
    columns: {
      id: 'whole',
      ordnumber: 'text',
      transdate: 'date',
      vendor_id: 'whole',
      customer_id: 'whole',
      ...columns,
    },
    key: ['id'],
    to: { vendor_id: 'vendors.id', customer_id: 'customers.id' },
    rows: rows(8, (n) => [
      n,
      `N-${n}`,
      `2026-03-0${n}`,
      n % 2 ? 1 + (n % 5) : null,
      n % 2 ? null : 1,
      ...row(n),
    ]),
  })
  const lines: Table = {
    columns: { id: 'whole', trans_id: 'whole', item_id: 'whole', qty: 'whole', ordnumber: 'text' },
    key: ['id'],
    to: { trans_id: 'oe.id', item_id: 'items.id' },
    rows: rows(8, (n) => [n, n, 1 + (n % 5), n, null]),
  }
  const customers: Table = {
    ...vendors,
    columns: {
      id: 'whole',
      name: 'text',
      customer_no: 'text',
      created_at: 'time',
      updated_at: 'time',
    },
  }
  const base = { vendors, customers, items, orderitems: lines }

  it('are found by their lines, and chosen by the kind of document', async () => {
    const text = await proposalFor({
      ...base,
      oe: shared({ kind: 'text' }, (n) => [n % 2 ? 'purchase_order' : 'sales_order']),
    })
    const orders = linesOf(text, 'orders')
    assert.match(orders, /from oe/)
    assert.match(orders, /where: \{ kind: purchase_order \}/)
    assert.match(orders, /supplierId: .*key: \[vendor_id\]/)
    assert.match(linesOf(text, 'order-items'), /where: \{ oe\.kind: purchase_order \}/)
    assert.match(linesOf(text, 'order-items'), /orderId: .*key: \[trans_id\]/)
  })

  it('are chosen by the party that is filled, and are not certain then', async () => {
    const text = await proposalFor({ ...base, oe: shared({}, () => []) })
    assert.match(linesOf(text, 'orders'), /where: \{ vendor_id: \{ empty: false \} \}/)
    assert.ok(!isCertain(text, 'orders') && !isCertain(text, 'order-items'))
  })

  it('are chosen by a flag of sales', async () => {
    const text = await proposalFor({
      ...base,
      oe: shared({ issotrx: 'text' }, (n) => [n % 2 ? 'N' : 'Y']),
    })
    assert.match(linesOf(text, 'orders'), /where: \{ issotrx: '?N'? \}/)
  })
})

describe('a column is certain', () => {
  const withColumns = (columns: Table['columns'], row: (n: number) => Rows[number]) =>
    proposalFor({
      ...erp,
      vendors: {
        columns: { ...vendors.columns, ...columns },
        key: ['id'],
        rows: (vendors.rows ?? []).map((each, at) => [...each, ...row(at + 1)]),
      },
    })

  it('unless another one could be meant', async () => {
    const plain = linesOf(await proposalFor(erp), 'suppliers')
    assert.match(plain, /code: +vendor_no {2}# certain/)
    assert.match(plain, / name: +name {2}# certain/)
    const numbers = linesOf(
      await withColumns({ external_no: 'text' }, (n) => [`X${n}`]),
      'suppliers',
    )
    assert.match(numbers, /code: +vendor_no {2}# likely/)
    const names = linesOf(
      await withColumns({ legal_name: 'text' }, (n) => [`${n} GmbH`]),
      'suppliers',
    )
    assert.match(names, / name: +name {2}# likely/)
    const currencies = await withColumns({ currency: 'text', tax_currency: 'text' }, (n) => [
      n % 2 ? 'EUR' : 'PLN',
      n % 2 ? 'USD' : 'EUR',
    ])
    assert.match(linesOf(currencies, 'suppliers'), /defaultCurrencyCode: +currency {2}# likely/)
  })

  it('unless rows contradict it: changed before they were created', async () => {
    const text = await proposalFor({
      ...erp,
      vendors: {
        ...vendors,
        rows: (vendors.rows ?? []).map((row, at) =>
          at === 2 ? [...row.slice(0, 3), row[4] ?? null, row[3] ?? null] : row,
        ),
      },
    })
    assert.match(linesOf(text, 'suppliers'), /createdAt: +created_at {2}# likely/)
  })

  it('if arithmetic shows a price, and not by its name', async () => {
    const priced = (amount: boolean): Table => ({
      columns: {
        ...purchaseLines.columns,
        unit_price: 'decimal',
        ...(amount && { line_amount: 'decimal' as const }),
      },
      key: ['id'],
      to: purchaseLines.to ?? {},
      rows: (purchaseLines.rows ?? []).map((row, at) => [
        ...row,
        `${at + 1}.25`,
        ...(amount ? [String(Number(row[3]) * (at + 1.25))] : []),
      ]),
    })
    const text = (table: Table) => proposalFor({ ...erp, purchase_order_lines: table })
    assert.match(
      linesOf(await text(priced(true)), 'order-items'),
      /unitPrice: +unit_price {2}# certain/,
    )
    assert.match(
      linesOf(await text(priced(false)), 'order-items'),
      /unitPrice: +unit_price {2}# likely/,
    )
  })
})

it('times of rows are recognised by their order in most tables', async () => {
  const timed = (table: Table): Table => ({
    ...table,
    columns: { ...table.columns, itime: 'time', mtime: 'time' },
    rows: (table.rows ?? []).map((row, at) => [
      ...row,
      `2026-01-0${1 + (at % 8)} 10:00:00`,
      `2026-04-0${1 + (at % 8)} 10:00:00`,
    ]),
  })
  const { created_at: _, updated_at: __, ...columns } = vendors.columns
  const plain = { ...vendors, columns, rows: (vendors.rows ?? []).map((row) => row.slice(0, 3)) }
  const tables = { ...erp, vendors: plain }
  const text = await proposalFor(
    Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, timed(table)])),
  )
  assert.match(linesOf(text, 'orders'), /createdAt: +itime/)
  assert.match(linesOf(text, 'orders'), /updatedAt: +mtime/)
})

it('lines that are comments are left out by their kind', async () => {
  const text = await proposalFor({
    ...erp,
    purchase_order_lines: {
      ...purchaseLines,
      columns: { ...purchaseLines.columns, type: 'text' },
      rows: (purchaseLines.rows ?? []).map((row, at) =>
        at === 3 ? [row[0] ?? null, row[1] ?? null, null, null, 'comment'] : [...row, 'line'],
      ),
    },
  })
  assert.match(linesOf(text, 'order-items'), /where: \{ type: line \}/)
})

it('an order needs a number in a row', async () => {
  const lines: SampleTable = databaseTable('orderitems', {
    columns: { id: 'whole', item_id: 'whole', qty: 'whole', order_no: 'text' },
    key: ['id'],
    to: { item_id: 'items.id' },
    rows: rows(4, (n) => [n, n, n, null]),
  })
  assert.doesNotMatch(
    proposalOf([databaseTable('items', items), lines], `\${ERP_URL}`),
    /^ {2}orders:/m,
  )
})
