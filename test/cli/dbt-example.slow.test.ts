/** The dbt project of the examples, run over an export of the demo. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalog, exactTextColumn, leafFields, resourceAt, sumAmounts } from '#contract'
import { exportBrand } from '#export'
import { type DbtProject, openDbtProject } from '../support/dbt.ts'
import { type DuckDb, openDuckDb } from '../support/duckdb.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const folder = fileURLToPath(new URL('../../examples/dbt-duckdb', import.meta.url))

describe('the dbt project of the examples', () => {
  let service: TestService
  let duckdb: DuckDb
  let project: DbtProject
  before(async () => {
    service = await openTestService()
    const out = join(service.folder, 'parquet')
    await exportBrand({
      store: service.records.store,
      brand: 'aldermoor',
      folder: out,
      format: 'parquet',
      database: 'this one',
      feedCursor: () => '',
      now: () => Date.UTC(2026, 5, 1),
    })
    duckdb = await openDuckDb()
    project = openDbtProject(folder, duckdb, { SELVEDGE_EXPORT: out })
  })
  after(async () => {
    duckdb.close()
    await service.close()
  })

  it('has a source for each group, with the columns of its file and a description of each', () => {
    assert.deepEqual(
      project.sourceTables.map(({ name }) => name),
      catalog.resources.map(({ path }) => path.replaceAll('-', '_')),
    )
    for (const { name, columns } of project.sourceTables) {
      const { fields } = resourceAt(catalog, name.replaceAll('_', '-'))
      assert.deepEqual(
        columns.map((column) => column.name),
        leafFields(fields).flatMap((leaf) =>
          leaf.field.kind === 'amount' ? [leaf.name, exactTextColumn(leaf.name)] : [leaf.name],
        ),
      )
      assert.ok(columns.every(({ description }) => description))
    }
  })

  it('builds its models, whose figures are those of the records', async () => {
    const built = await project.build()
    assert.equal(built.length, 6)
    const orders = recordsAt('orders').filter(({ deletedAt }) => deletedAt === null)
    const [months] = await duckdb.query(`
      select sum(orders) as orders, sum(quantity) as quantity, sum(amount) as amount
      from supplier_months`)
    assert.equal(Number(months?.['orders']), orders.length)
    assert.equal(
      Number(months?.['quantity']),
      orders.reduce((sum, { totalQuantity }) => sum + Number(totalQuantity), 0),
    )
    const total = Number(sumAmounts(orders.map(({ totalAmount }) => String(totalAmount))))
    assert.ok(Math.abs(Number(months?.['amount']) - total) < 0.005)

    const today = new Date().toISOString().slice(0, 10)
    const isLate = (order: (typeof orders)[number]) => {
      const date = order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate']
      return (
        ['sent', 'confirmed', 'in_production', 'partially_shipped'].includes(
          String(order['status']),
        ) &&
        date !== null &&
        String(date) < today
      )
    }
    assert.deepEqual(
      (await duckdb.query('select order_number from late_orders order by order_number')).map(
        (row) => row['order_number'],
      ),
      orders
        .filter(isLate)
        .map(({ orderNumber }) => orderNumber)
        .toSorted(),
    )
    const lines = await duckdb.query(
      'select count(*) as lines, sum(quantity) as pieces from order_lines',
    )
    const ids = new Set(orders.map(({ id }) => id))
    const items = recordsAt('order-items').filter(({ orderId }) => ids.has(orderId as string))
    assert.deepEqual(
      [Number(lines[0]?.['lines']), Number(lines[0]?.['pieces'])],
      [items.length, items.reduce((sum, { qty }) => sum + Number(qty), 0)],
    )
  })

  it('passes every test of its identities and references, and notices what breaks them', async () => {
    const { count, failed } = await project.test()
    assert.deepEqual(failed, [])
    assert.ok(count > 900, String(count))
    await duckdb.query('insert into order_lines select * from order_lines limit 1')
    assert.deepEqual((await project.test()).failed, ['order_lines order_item_id unique'])
  })
})
