/** The starter mapping of Odoo, over rows in its tables on a real PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { openSandbox } from '../support/command.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { starterMapping, statementsOf } from '../support/starter.ts'

describe('the starter mapping of Odoo', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let url = ''
  let service: TestService | undefined
  let key = ''
  const change = async (...statements: readonly string[]) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('odoo')
    await change(...statementsOf('odoo'))
    const added = await place.run([
      ...['brands', 'add', 'fjordline', '--name', 'Fjordline'],
      ...['--country', 'DE', '--currency', 'EUR', '--timezone', 'Europe/Berlin'],
    ])
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await service?.close()
    await postgres.close()
    place.close()
  })

  const run = (...args: readonly string[]) => place.run(args, '', { ERP_URL: url })
  const sync = (...options: readonly string[]) =>
    run('sync', '--map', starterMapping('odoo'), '--once', ...options)
  // biome-ignore lint/suspicious/noExplicitAny: responses are read freely
  const get = async (collection: string, ...parts: readonly string[]): Promise<any> => {
    service ??= await openTestService({}, { story: false, folder: place.folder })
    key ||= await service.key('fjordline')
    const id = naturalId('fjordline', collection, parts)
    const path = `/api/public/v1/brands/fjordline/${collection}/${id}`
    const { status, body } = await service.get(path, { key })
    return status === 200 ? body : status
  }

  it('is checked without a problem', async () => {
    const { code, stdout, stderr } = await run('map', 'check', starterMapping('odoo'))
    assert.equal(code, 0, stdout + stderr)
  })

  it('takes purchases in, leaves sales out, and keeps all business rules', async () => {
    const { code, stdout, stderr } = await sync()
    assert.equal(code, 0, stderr)
    for (const part of [
      ...['partners 3 new', 'contacts 1 new', 'suppliers 3 new', 'categories 4 new'],
      ...['parent-products 3 new', 'product-options 4 new', 'skus 5 new'],
      ...['dimension-values 3 new', 'product-option-prices 4 new', 'locations 2 new'],
      ...['orders 4 new', 'order-items 5 new', 'goods-receipts 3 new', 'goods-receipt-lines 3 new'],
      ...['inventory 2 new', 'invoices 3 new', 'invoice-lines 4 new', 'payments 2 new'],
    ]) {
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    }
    const check = await place.run(['check', '--brand', 'fjordline'])
    assert.equal(check.code, 0, check.stdout)
    assert.match(check.stdout, /^All \d+ rules pass for fjordline\.\n$/)
  })

  it('serves an order of a person under its vendor, in pieces', async () => {
    const order = await get('orders', '1')
    assert.deepEqual(
      [order.orderNumber, order.status, order.totalQuantity, order.totalAmount, order.currency],
      ['P00001', 'received', 900, '10260.00', 'EUR'],
    )
    assert.equal(order.supplierId, naturalId('fjordline', 'suppliers', ['10']))
    const tees = await get('order-items', '2')
    assert.deepEqual([tees.qty, tees.unitPrice], [300, '11.4000'])
    // With its discount of 5 percent.
    assert.equal((await get('order-items', '4')).unitPrice, '10.2600')
    // A line with the title of a section.
    assert.equal(await get('order-items', '1'), 404)
  })

  it('serves variants as options and SKUs, also without a colour', async () => {
    const tee = await get('skus', '1')
    assert.deepEqual([tee.code, tee.name], ['TEE-100-NVY-S', "Crew neck tee 'Été', Navy, S"])
    assert.equal(tee.productOptionId, naturalId('fjordline', 'product-options', ['1', '1']))
    const sweater = await get('skus', '4')
    assert.deepEqual([sweater.code, sweater.name], ['4', 'Aran Sweater, M'])
    assert.equal(sweater.productOptionId, naturalId('fjordline', 'product-options', ['2']))
    assert.equal(await get('skus', '6'), 404)
    const { countryCode, city } = await get('locations', '1')
    assert.deepEqual([countryCode, city], ['DE', 'Hamburg'])
    // A warehouse without an address is in the country of the brand.
    assert.equal((await get('locations', '2')).countryCode, 'DE')
    assert.equal((await get('partners', '11')).countryCode, 'CN')
  })

  it('adds up the shelves of a warehouse, and the payments of a bill', async () => {
    const stock = await get('inventory', '1', '1')
    assert.deepEqual(
      [stock.onHandQuantity, stock.availableQuantity, stock.reservedQuantity],
      [280, 260, 20],
    )
    const bill = await get('invoices', '1')
    assert.deepEqual(
      [bill.invoiceNumber, bill.status, bill.paidAmount, bill.balanceAmount],
      ['FT 2026/1077', 'partially_paid', '5000.00', '5937.16'],
    )
    assert.equal((await get('invoice-lines', '1')).taxAmount, '786.60')
    assert.equal(await get('invoices', '5'), 404)
  })

  it('is read again without a change, and follows what changes', async () => {
    assert.match((await sync()).stdout, /: no changes\.\n$/)
    await change(
      'update purchase_order_line set product_uom_qty = 72, price_subtotal = 3492 where id = 5',
      'update purchase_order set amount_untaxed = 3492 where id = 3',
      'update stock_quant set quantity = 90 where id = 2',
    )
    const { code, stdout, stderr } = await sync()
    assert.equal(code, 0, stderr)
    for (const part of ['orders 1 changed', 'order-items 1 changed', 'inventory 1 changed']) {
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    }
    assert.equal((await get('orders', '3')).totalQuantity, 72)
    assert.equal((await get('inventory', '1', '1')).onHandQuantity, 270)
  })
})
