/** Tables for people: labels in their language, names instead of identifiers, amounts with currencies. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type JsonValue, labelLanguages, loadLabels, resourceAt } from '#contract'
import { readableTable, referencedBatches, tableFormats } from '#formats'
import { cannotReadWorkbooks, readWorkbook } from '../support/xlsx.ts'

const labels = { en: await loadLabels('en'), de: await loadLabels('de') }

const id = (number: number) => `0000000${number}-0000-4000-8000-000000000000`

/** What is stored of records that others refer to. */
const stored: { readonly [group: string]: { readonly [id: string]: { [field: string]: string } } } =
  {
    suppliers: { [id(1)]: { name: 'Phú Vân' } },
    orders: { [id(2)]: { orderNumber: 'PO-1', currency: 'JPY' } },
    quotes: { [id(3)]: { quoteNumber: 'Q-7' } },
    'quote-revisions': { [id(4)]: { revisionNumber: '2', quoteId: id(3) } },
    skus: { [id(5)]: { code: 'AM-1-M' } },
    'shipment-items': { [id(6)]: { quantity: '48', orderItemId: id(7), shipmentId: id(8) } },
    'order-items': { [id(7)]: { itemDescription: 'Shirt' } },
  }

const tableOf = (
  path: string,
  {
    language = 'en',
    fields = null,
    timezone = 'Asia/Tokyo',
  }: {
    readonly language?: 'en' | 'de'
    readonly fields?: readonly string[] | null
    readonly timezone?: string
  } = {},
) =>
  readableTable(catalog, resourceAt(catalog, path), {
    labels: labels[language],
    fields,
    timezone,
    baseCurrency: 'EUR',
  })

const fileOf = async (
  format: 'csv' | 'xlsx',
  table: ReturnType<typeof tableOf>,
  records: readonly JsonValue[],
): Promise<Buffer> => {
  const bodies = async function* () {
    yield records.map((record) => Buffer.from(JSON.stringify(record)))
  }
  const batches = referencedBatches(bodies(), table.references, async (group, ids, fields) => {
    const existing = ids.filter((each) => stored[group]?.[each])
    return new Map(
      existing.map((each) => [each, fields.map((field) => stored[group]?.[each]?.[field] ?? null)]),
    )
  })
  const pieces: Uint8Array[] = []
  const options = { hasBom: false, delimiter: 'comma' } as const
  for await (const piece of tableFormats[format].encode({ ...table, ...options }, batches)) {
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const linesOf = async (
  ...parts: Parameters<typeof fileOf> extends [unknown, ...infer R] ? R : never
) => (await fileOf('csv', ...parts)).toString().trimEnd().split('\r\n')

const order = {
  id: id(9),
  orderNumber: 'PO-9',
  supplierId: id(1),
  quoteRevisionId: id(4),
  status: 'partially_shipped',
  currency: 'USD',
  totalAmount: '12345678901234567.5',
  orderDate: '2026-03-01',
  createdAt: '2026-03-01T15:30:00.000Z',
}

describe('a table for people', () => {
  it('has labels and statuses in their language, and names instead of identifiers', async () => {
    const fields = Object.keys(order)
    assert.deepEqual(await linesOf(tableOf('orders', { fields }), [order]), [
      'Order number,Supplier,Quote revision,Status,Order date,Total amount,Currency,Created at',
      'PO-9,Phú Vân,Q-7 · 2,partially shipped,2026-03-01,12345678901234567.5,USD,2026-03-02 00:30:00',
    ])
    const [head = '', row = ''] = await linesOf(tableOf('orders', { fields, language: 'de' }), [
      order,
    ])
    assert.ok(head.startsWith('Bestellnummer,Lieferant,'), head)
    assert.ok(row.includes(',teilweise versandt,'), row)
    assert.equal(tableOf('orders', { language: 'de' }).name, 'Bestellungen')
  })

  it('has the currency of a record that it refers to, and that of the brand', async () => {
    const fields = ['orderId', 'unitPrice', 'duty']
    const record = { id: id(7), orderId: id(2), unitPrice: '1200', duty: '3.5' }
    assert.deepEqual(await linesOf(tableOf('order-items', { fields }), [record]), [
      'Order,Unit price,Currency,Duty,Base currency code',
      'PO-1,1200,JPY,3.5,EUR',
    ])
  })

  it('calls a line after what it is about, and a record without a name by its identity', async () => {
    const fields = ['shipmentItemId']
    const records = [id(6), id(1)].map((shipmentItemId) => ({ shipmentItemId }))
    assert.deepEqual(await linesOf(tableOf('leg-items', { fields }), records), [
      'Shipment item',
      'Shirt × 48',
      '00000001',
    ])
  })

  it('writes values of any shape in words', async () => {
    const record = {
      certifications: ['GOTS', 'OEKO-TEX'],
      composition: [{ fibre: 'cotton', percent: '95' }],
      customFields: { careLabel: { isWashable: true }, none: null },
    }
    const fields = Object.keys(record)
    const [, row = ''] = await linesOf(tableOf('materials', { fields }), [record])
    for (const words of ['"GOTS, OEKO-TEX"', 'Fibre: cotton', 'Is washable: true', 'None: –']) {
      assert.ok(row.includes(words), row)
    }
  })

  it('has columns with different labels in every group and language, and none of identifiers', () => {
    for (const language of labelLanguages) {
      for (const { path } of catalog.resources) {
        const names = tableOf(path, { language }).columns.map(({ name }) => name)
        assert.ok(names.length > 0, path)
        assert.equal(new Set(names).size, names.length, `${language} ${path} ${names}`)
        assert.ok(!names.includes('ID'), path)
      }
    }
  })

  it('reads the fields that its currencies are in, and keeps an identifier that is asked for alone', () => {
    assert.deepEqual(tableOf('orders', { fields: ['totalAmount'] }).fields, [
      'totalAmount',
      'currency',
    ])
    const names = tableOf('orders', { fields: ['id'] }).columns.map(({ name }) => name)
    assert.deepEqual(names, ['ID'])
  })
})

describe('a workbook for people', { skip: cannotReadWorkbooks }, () => {
  it('has numbers with the digits of their currency, local dates, widths and a filter', async () => {
    const fields = [...Object.keys(order), 'totalQuantity']
    const rows = [
      { ...order, totalAmount: '1234.5', totalQuantity: 12 },
      { ...order, totalAmount: '1234', currency: 'JPY', orderNumber: 'x'.repeat(100) },
      { ...order, totalAmount: '0.12345', status: '=1+1' },
      order,
    ]
    const table = tableOf('orders', { fields, language: 'de' })
    const book = readWorkbook(await fileOf('xlsx', table, rows))
    assert.equal(book.sheet, 'Bestellungen')
    assert.equal(book.frozenRows, '1')
    assert.equal(book.filter, 'A1:I5')
    const amounts = book.rows.slice(1).map(({ G }) => G)
    assert.deepEqual(amounts, [
      ['n', '1234.5', '#,##0.00'],
      ['n', '1234', '#,##0'],
      ['n', '0.12345', '#,##0.00000'],
      ['inlineStr', '12345678901234567.5', ''],
    ])
    const [, first] = book.rows
    assert.deepEqual(first?.['H'], ['inlineStr', 'USD', ''])
    assert.deepEqual(first?.['E'], ['n', '46082', '14'])
    assert.deepEqual(first?.['I'], ['n', '46083.020833333336', '22'])
    assert.deepEqual(book.rows[3]?.['D'], ['inlineStr', '=1+1', ''])
    assert.equal(book.widths[0], '60')
    assert.ok(Number(book.widths[1]) < 20, String(book.widths))
  })
})
