/** The order of a list, the rows that are selected in it, and their exact sums. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupAt } from '../../console/src/contract.ts'
import { columnsFor, usualColumns } from '../../console/src/explorer/column.ts'
import {
  groupFilter,
  groupingFields,
  groupingParameters,
} from '../../console/src/explorer/grouping.ts'
import {
  columnsInView,
  nextSort,
  ordered,
  usualSort,
} from '../../console/src/explorer/list-order.ts'
import { rowsText } from '../../console/src/explorer/list-rows.ts'
import { sortingOf } from '../../console/src/explorer/list-state.ts'
import {
  noSelection,
  type Selection,
  toggled,
  toggledPage,
} from '../../console/src/explorer/selection.ts'
import { summedFields, sumRows } from '../../console/src/explorer/sums.ts'
import { setLocale } from '../../console/src/locale.ts'

const group = (path: string) => {
  const match = groupAt(path)
  assert.ok(match)
  return match
}

const orders = { ...group('orders') }
const withView = { ...orders, sortable: [...new Set([...orders.sortable, 'viewDate'])] }

describe('the order of a list', () => {
  it('is newest first, or that of the date that makes the view', () => {
    assert.equal(usualSort(orders, {}), '-orderDate')
    assert.equal(usualSort(withView, { view: 'late' }), 'viewDate')
    assert.equal(usualSort(group('order-items'), {}), null)
    assert.deepEqual(ordered(orders, { status: 'sent' }), { sort: '-orderDate', status: 'sent' })
    assert.deepEqual(ordered(orders, { sort: 'orderNumber' }), { sort: 'orderNumber' })
  })

  it('is shown at the column of the dates of the view', () => {
    const sortOf = (parameters: { [name: string]: string }) =>
      columnsInView(withView, parameters, usualColumns(withView)).find(({ key }) =>
        key.startsWith('confirmedExFactoryDate'),
      )?.sort
    assert.deepEqual(
      [sortOf({}), sortOf({ view: 'late' }), sortOf({ view: 'deliveryLate' })],
      ['confirmedExFactoryDate', 'viewDate', 'confirmedExFactoryDate'],
    )
  })

  it('changes by clicks: the more useful direction, the other one, the usual order', () => {
    const clicks = (field: string, isDescendingFirst: boolean, usual: string | null) => {
      const orders: (string | null)[] = []
      for (let click = 0; click < 3; click += 1) {
        const sort = orders.at(-1) ?? usual
        const current = sort === null ? null : sortingOf({ sort })
        orders.push(nextSort(current, field, isDescendingFirst, usual))
      }
      return orders
    }
    assert.deepEqual(clicks('totalAmount', true, '-orderDate'), [
      '-totalAmount',
      'totalAmount',
      null,
    ])
    assert.deepEqual(clicks('name', false, null), ['name', '-name', null])
    // Already sorted by it: a click reverses the order, whatever the direction is.
    assert.deepEqual(clicks('orderDate', true, '-orderDate'), ['orderDate', null, 'orderDate'])
    assert.deepEqual(clicks('viewDate', true, 'viewDate'), ['-viewDate', null, '-viewDate'])
    const other = { field: 'totalAmount', isDescending: true }
    assert.equal(nextSort(other, 'orderDate', true, '-orderDate'), null)
  })
})

describe('the selected rows of a list', () => {
  const page = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
  const select = (...clicks: readonly (readonly [at: number, isRange?: boolean])[]) =>
    clicks.reduce<Selection>(
      (selection, [at, isRange = false]) => toggled(orders, selection, page, at, isRange),
      noSelection,
    )
  const keys = ({ rows }: Selection) => [...rows.keys()].sort().join('')

  it('are those that were clicked, and with Shift those between', () => {
    assert.equal(keys(select([1], [3])), 'bd')
    assert.equal(keys(select([1], [3], [1])), 'd')
    assert.equal(keys(select([1], [3, true])), 'bcd')
    assert.equal(keys(select([3], [0, true])), 'abcd')
    assert.equal(keys(select([0], [4, true], [2], [4, true])), 'ab')
    assert.equal(keys(select([2, true])), 'c')
  })

  it('stay on other pages, and can be a whole page or the whole list', () => {
    const first = toggledPage(orders, noSelection, page)
    assert.equal(keys(first), 'abcde')
    const next = [{ id: 'f' }, { id: 'g' }]
    const both = toggled(orders, first, next, 1, false)
    assert.equal(keys(both), 'abcdeg')
    assert.equal(keys(toggledPage(orders, both, page)), 'g')
    // From the whole list, one row less leaves the others of the page.
    const all = { ...noSelection, isAll: true }
    assert.equal(keys(toggled(orders, all, page, 0, false)), 'bcde')
    assert.equal(keys(toggledPage(orders, all, page)), '')
  })

  it('have composite identities as the parameter ids takes them', () => {
    const link = { ...orders, key: ['orderId', 'shipmentId'] }
    const { rows } = toggled(link, noSelection, [{ orderId: 'o', shipmentId: 's' }], 0, false)
    assert.deepEqual([...rows.keys()], ['o:s'])
  })
})

describe('the sums of selected rows', () => {
  const rows = [
    { totalQuantity: 3, totalAmount: '0.10', currency: 'USD', exchangeRate: null },
    { totalQuantity: 4, totalAmount: '0.20', currency: 'USD', exchangeRate: '7' },
    { totalQuantity: null, totalAmount: '99999999999999.99', currency: 'EUR', exchangeRate: '1.1' },
    { totalQuantity: 5, totalAmount: '5.00', currency: 'GBP', exchangeRate: null },
    { totalQuantity: 0, totalAmount: null, currency: 'GBP', exchangeRate: null },
  ]

  it('are exact, by currency and in the base currency, and count what is not converted', () => {
    const fields = summedFields(usualColumns(orders))
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['totalQuantity', 'totalAmount'],
    )
    assert.deepEqual(sumRows(orders, fields, rows, 'USD'), {
      totalQuantity: 12,
      totalAmount: {
        currencies: [
          { currency: 'EUR', amount: '99999999999999.99' },
          { currency: 'GBP', amount: '5' },
          { currency: 'USD', amount: '0.30' },
        ],
        base: { currency: 'USD', amount: '110000000000000.289', withoutRate: 1 },
      },
    })
  })

  it('have no base currency for records that convert by the rates of others', () => {
    const milestones = group('payment-milestones')
    const fields = summedFields(columnsFor(milestones, ['amount']))
    const paymentAgreement = { currency: 'EUR' }
    const sums = sumRows(milestones, fields, [{ amount: '2.50', paymentAgreement }], 'USD')
    assert.deepEqual(sums, { amount: { currencies: [{ currency: 'EUR', amount: '2.50' }] } })
  })

  it('are of pieces and money only', () => {
    const names = (path: string) => summedFields(usualColumns(group(path))).map(({ name }) => name)
    assert.deepEqual(names('suppliers'), [])
    assert.deepEqual(names('invoices'), ['totalAmount', 'balanceAmount'])
    assert.deepEqual(names('inventory').slice(0, 2), ['onHandQuantity', 'availableQuantity'])
  })
})

describe('copied rows', () => {
  it('have the heads and the cells as they are shown, with tabs between them', async () => {
    setLocale('en-GB')
    const columns = columnsFor(orders, [
      'orderNumber',
      'supplierId',
      'status',
      'confirmedExFactoryDate',
      'requestedExFactoryDate',
      'totalQuantity',
      'totalAmount',
      'totalAmount.base',
    ])
    const order = {
      id: 'o',
      orderNumber: 'PO-1',
      supplierId: 's',
      supplier: { id: 's', name: 'Costa\t&\nFilhos' },
      status: 'partially_shipped',
      confirmedExFactoryDate: null,
      requestedExFactoryDate: '2026-11-01',
      totalQuantity: 1_234,
      totalAmount: '1000.00',
      currency: 'EUR',
      exchangeRate: '1.085',
    }
    const unknown = { ...order, supplier: null, totalQuantity: null, exchangeRate: null }
    const context = { api: {} as never, group: orders, baseCurrency: 'USD', markOf: () => null }
    assert.deepEqual((await rowsText(context, columns, [order, unknown])).split('\n'), [
      'Order number\tSupplier\tStatus\tEx-factory\tTotal quantity\tTotal amount\tIn base currency',
      'PO-1\tCosta & Filhos\tpartially shipped\t1 Nov 2026\t1,234\t€1,000.00\tUS$1,085.00',
      'PO-1\ts\tpartially shipped\t1 Nov 2026\t\t€1,000.00\tnot converted',
    ])
  })
})

describe('the groups of a list', () => {
  const fieldOf = (name: string) => {
    const field = groupingFields(orders).find((each) => each.name === name)
    assert.ok(field)
    return field
  }

  it('are those of a status or a reference, each with the filter of its records', () => {
    const supplier = fieldOf('supplierId')
    assert.equal(groupingFields(orders)[0]?.name, 'status')
    assert.ok(!groupingFields(orders).some(({ name }) => name === 'currency'))
    const parameters = { view: 'open', 'supplierId.in': 'a,b', sort: '-orderDate' }
    assert.deepEqual(groupFilter(orders, parameters, supplier, 'a'), {
      view: 'open',
      sort: '-orderDate',
      supplierId: 'a',
    })
    assert.deepEqual(groupFilter(group('invoices'), {}, { ...supplier, name: 'orderId' }, null), {
      'orderId.isNull': 'true',
    })
  })

  it('come from one summary, the greatest amounts first', () => {
    const sums = summedFields(usualColumns(orders))
    const parameters = { view: 'open', sort: '-orderDate', include: 'supplier' }
    assert.deepEqual(groupingParameters(parameters, 'supplierId', sums), {
      view: 'open',
      by: 'supplierId',
      sum: 'totalQuantity,totalAmount',
      sort: '-totalAmount',
      top: '100',
    })
    assert.equal(groupingParameters({}, 'status', [])['sort'], '-items')
  })
})
