/** The worked example: an ERP on PostgreSQL, synchronised, checked and served. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { openSandbox } from '../support/command.ts'
import { type Erp, erpMapping, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('the example of an ERP', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let erp: Erp
  let service: TestService | undefined
  let key = ''
  before(async () => {
    postgres = await openPostgresDatabases()
    erp = await openErp(postgres, 'erp')
  })
  after(async () => {
    await service?.close()
    await postgres.close()
    place.close()
  })

  const sync = async (...options: readonly string[]) => {
    const map = fileURLToPath(erpMapping)
    return place.run(['sync', '--map', map, '--once', ...options], '', { ERP_URL: erp.url })
  }
  // biome-ignore lint/suspicious/noExplicitAny: responses are read freely
  const get = async (path: string, headers = {}): Promise<any> => {
    service ??= await openTestService({}, { story: false, folder: place.folder })
    key ||= await service.key('nordvik')
    const url = `/api/public/v1/brands/nordvik/${path}`
    const response = await service.get(url, { key, headers })
    return response.status === 200 ? response.body : response.status
  }
  const order = naturalId('nordvik', 'orders', ['PO-5513'])
  const items = async () => (await get(`order-items?orderId=${order}`)).totalItems

  it('is taken in as a whole, and keeps all business rules', async () => {
    const { code, stdout, stderr } = await sync()
    assert.equal(code, 0, stderr)
    assert.match(stdout, /orders 6 new; order-items 8 new/)
    assert.doesNotMatch(stderr, /business rule/)
    const check = await place.run(['check', '--brand', 'nordvik'])
    assert.equal(check.code, 0, check.stdout)
  })

  it('is served with its own numbers, names and sums', async () => {
    const record = await get(`orders/${order}`)
    assert.deepEqual(
      [record.orderNumber, record.currency, record.totalQuantity, record.totalAmount],
      ['PO-5513', 'USD', 1_200, '14850'],
    )
    assert.equal(record.supplierId, naturalId('nordvik', 'suppliers', ['V0107']))
    assert.equal((await get(`suppliers/${record.supplierId}`)).name, '江苏华纺织有限公司')
    const jacket = await get(`skus/${naturalId('nordvik', 'skus', ['FJ-100-NVY-S'])}`)
    assert.deepEqual([jacket.name, jacket.netWeightKg], ['Fjällräv Jacket, Navy, S', '0.8125'])
    assert.equal(await items(), 2)
    // A cancelled line is not an item.
    assert.equal(
      await get(`order-items/${naturalId('nordvik', 'order-items', ['PO-5512', '30'])}`),
      404,
    )
  })

  it('is read again without changing anything, with a token of the same state', async () => {
    const { stdout } = await sync('--json')
    const { written, collections, writeToken } = JSON.parse(stdout)
    assert.equal(written, true)
    for (const { added, changed, removed } of collections) {
      assert.equal(added + changed + removed, 0)
    }
    assert.equal((await get(`orders/${order}`, { 'after-write': writeToken })).id, order)
  })

  it('is followed: a changed row, a cancelled line, a deleted line and a deleted vendor', async () => {
    await erp.run(
      "update vendors set name = 'O''Malley & Daughters' where vendor_no = 'V0108'",
      "update po_lines set cancelled = true where po_no = 'PO-5513' and line_no = 20",
      "delete from po_lines where po_no = 'PO-5516' and line_no = 20",
      "delete from po_lines where po_no = 'PO-5516' and line_no = 10",
      "delete from vendors where vendor_no = 'V0301'",
    )
    const dry = await sync('--dry-run', '--reconcile')
    assert.match(dry.stdout, /^removed suppliers .+$/m)
    assert.match(dry.stdout, /partners 1 changed, 1 removed.* This was a dry run/)
    assert.match(dry.stdout, /^changed suppliers O'Malley & Daughters .*\n {2}\/name ".+" → "O'M/m)
    assert.match(dry.stdout, /^removed order-items /m)
    const { changes, written } = JSON.parse((await sync('--dry-run', '--json')).stdout)
    assert.deepEqual([changes[0].operation, written], ['changed', false])
    const { code, stdout, stderr } = await sync('--reconcile')
    assert.equal(code, 0, stderr)
    const supplier = await get(`suppliers/${naturalId('nordvik', 'suppliers', ['V0108'])}`)
    assert.equal(supplier.name, "O'Malley & Daughters")
    assert.ok(supplier.updatedAt > supplier.createdAt)
    assert.equal(await items(), 1)
    assert.deepEqual((await get(`orders/${order}`)).totalAmount, '7425')
    const deleted = naturalId('nordvik', 'order-items', ['PO-5516', '10'])
    assert.equal(await get(`order-items/${deleted}`), 404)
    assert.equal(await get(`suppliers/${naturalId('nordvik', 'suppliers', ['V0301'])}`), 404)
    assert.match(stdout, /partners 1 changed, 1 removed/)
    const { stdout: sources } = await place.run(['sources', '--json'])
    const [source] = JSON.parse(sources)
    assert.deepEqual([source.name, source.state, source.error], ['brand', 'idle', null])
  })
})
