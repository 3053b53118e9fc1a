/** The starter mapping of ERPNext, over rows in its tables on a real MariaDB. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { openSandbox } from '../support/command.ts'
import { findMariadb, type Mariadb, openMariadb } from '../support/mariadb.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { starterMapping, statementsOf } from '../support/starter.ts'

const program = await findMariadb()
if ('missing' in program) throw new Error(program.missing)

describe('the starter mapping of ERPNext', () => {
  const place = openSandbox()
  let source: Mariadb
  let service: TestService | undefined
  let key = ''
  before(async () => {
    source = await openMariadb(program)
    await source.run(...statementsOf('erpnext'))
    const added = await place.run([
      ...['brands', 'add', 'kestrel', '--name', 'Kestrel Studio'],
      ...['--country', 'PT', '--currency', 'EUR', '--timezone', 'Europe/Lisbon'],
    ])
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await service?.close()
    await source.close()
    place.close()
  })

  const run = (...args: readonly string[]) => place.run(args, '', { ERP_URL: source.url })
  const sync = (...options: readonly string[]) =>
    run('sync', '--map', starterMapping('erpnext'), '--once', ...options)
  // biome-ignore lint/suspicious/noExplicitAny: responses are read freely
  const get = async (collection: string, ...parts: readonly string[]): Promise<any> => {
    service ??= await openTestService({}, { story: false, folder: place.folder })
    key ||= await service.key('kestrel')
    const id = naturalId('kestrel', collection, parts)
    const path = `/api/public/v1/brands/kestrel/${collection}/${id}`
    const { status, body } = await service.get(path, { key })
    return status === 200 ? body : status
  }

  it('is checked without a problem', async () => {
    const { code, stdout, stderr } = await run('map', 'check', starterMapping('erpnext'))
    assert.equal(code, 0, stdout + stderr)
  })

  it('takes purchases in, leaves sales out, and keeps all business rules', async () => {
    const { code, stdout, stderr } = await sync()
    assert.equal(code, 0, stderr)
    for (const part of [
      ...['partners 4 new', 'contacts 3 new', 'suppliers 4 new', 'categories 4 new'],
      ...['parent-products 3 new', 'product-options 4 new', 'skus 5 new'],
      ...['dimension-values 3 new', 'product-option-prices 2 new', 'locations 2 new'],
      ...['orders 5 new', 'order-items 6 new', 'goods-receipts 2 new', 'goods-receipt-lines 3 new'],
      ...['inventory 3 new', 'invoices 3 new', 'invoice-lines 6 new', 'payments 2 new'],
    ]) {
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    }
    const check = await place.run(['check', '--brand', 'kestrel'])
    assert.equal(check.code, 0, check.stdout)
    assert.match(check.stdout, /^All \d+ rules pass for kestrel\.\n$/)
  })

  it('serves an order in pieces, with the totals of its lines', async () => {
    const order = await get('orders', 'PUR-ORD-2026-00001')
    assert.deepEqual(
      [order.status, order.totalQuantity, order.totalAmount, order.incotermCode],
      ['received', 900, '10260.00', 'FCA'],
    )
    assert.equal(
      order.supplierId,
      naturalId('kestrel', 'suppliers', ['Têxteis Conceição & Filhos, Lda.']),
    )
    const item = await get('order-items', 'poi-1')
    assert.deepEqual([item.qty, item.unitPrice], [300, '11.4'])
    const states = ['00002', '00003', '00004', '00005'].map(
      async (number) => (await get('orders', `PUR-ORD-2026-${number}`)).status,
    )
    assert.deepEqual(await Promise.all(states), ['confirmed', 'sent', 'draft', 'cancelled'])
  })

  it('serves countries by their codes, and weights in kilograms', async () => {
    const partner = await get('partners', '江苏华纺织有限公司')
    assert.deepEqual([partner.name, partner.countryCode], ['江苏华纺织有限公司', 'CN'])
    assert.equal((await get('partners', "Zipper 'n' Thread Ltd.")).countryCode, 'GB')
    const tee = await get('skus', 'TEE-100-NVY-S')
    assert.deepEqual(
      [tee.netWeightKg, tee.gtin, tee.productOptionId],
      ['0.165', '4006381333931', naturalId('kestrel', 'product-options', ['TEE-100', 'Navy'])],
    )
    assert.equal((await get('skus', 'TEE-100-ECR-M')).netWeightKg, '0.172')
    const scarf = await get('skus', 'SCARF-1')
    assert.equal(scarf.productOptionId, naturalId('kestrel', 'product-options', ['SCARF-1']))
    assert.equal((await get('locations', 'Porto - KS')).countryCode, 'PT')
  })

  it('serves stock, receipts and invoices with what was reserved, rejected and paid', async () => {
    const stock = await get('inventory', 'TEE-100-NVY-S', 'Porto - KS')
    assert.deepEqual(
      [stock.onHandQuantity, stock.availableQuantity, stock.reservedQuantity],
      [280, 260, 20],
    )
    const line = await get('goods-receipt-lines', 'pri-2')
    assert.deepEqual(
      [line.receivedQuantity, line.rejectedQuantity, line.discrepancyReason],
      [480, 24, 'quality'],
    )
    assert.equal(
      (await get('goods-receipts', 'MAT-PRE-2026-00002')).locationId,
      naturalId('kestrel', 'locations', ['Porto - KS']),
    )
    const invoice = await get('invoices', 'ACC-PINV-2026-00001')
    assert.deepEqual(
      [invoice.invoiceNumber, invoice.status, invoice.paidAmount, invoice.balanceAmount],
      ['FT 2026/1077', 'partially_paid', '5000.00', '5937.16'],
    )
    assert.equal(invoice.orderId, naturalId('kestrel', 'orders', ['PUR-ORD-2026-00001']))
    assert.equal(await get('invoices', 'ACC-PINV-2026-00003'), 404)
  })

  it('is read again without a change, and follows what changes', async () => {
    assert.match((await sync()).stdout, /: no changes\.\n$/)
    await source.run(
      "update `tabPurchase Order Item` set stock_qty = 72 where name = 'poi-4'",
      "update `tabSupplier` set on_hold = 0, modified = now() where name = 'O''Malley Knitwear'",
      "update `tabPurchase Invoice` set docstatus = 2, status = 'Cancelled', modified = now() where name = 'ACC-PINV-2026-00002'",
      "update `tabPurchase Invoice Item` set docstatus = 2 where parent = 'ACC-PINV-2026-00002'",
      "update `tabPurchase Taxes and Charges` set docstatus = 2 where parent = 'ACC-PINV-2026-00002'",
    )
    const { code, stdout, stderr } = await sync()
    assert.equal(code, 0, stderr)
    for (const part of [
      ...['partners 1 changed', 'suppliers 1 changed', 'orders 1 changed'],
      ...['order-items 1 changed', 'invoices 1 removed', 'invoice-lines 2 removed'],
    ]) {
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    }
    const order = await get('orders', 'PUR-ORD-2026-00003')
    assert.deepEqual([order.totalQuantity, order.totalAmount], [72, '3492.00'])
  })
})
