/** The columns of lists, what is marked in them, and the tones of statuses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import { groupAt, groups } from '../../console/src/contract.ts'
import {
  columnNames,
  columnsFor,
  columnsOf,
  fieldNames,
  usualColumns,
} from '../../console/src/explorer/column.ts'
import { defaultColumns } from '../../console/src/explorer/default-columns.ts'
import { derivedColumnsOf } from '../../console/src/explorer/derived-column.ts'
import { columnsIn, sharedFields } from '../../console/src/explorer/list-columns.ts'
import { marksOn } from '../../console/src/explorer/mark.ts'
import { setLocale } from '../../console/src/locale.ts'
import { german } from '../../console/src/texts/de/index.ts'
import { english } from '../../console/src/texts/en/index.ts'
import { toneOf } from '../../console/src/values.ts'

const group = (path: string) => {
  const match = groupAt(path)
  assert.ok(match)
  return match
}

describe('the columns of a list', () => {
  it('are declared for the groups that people open, with fields that exist', () => {
    assert.ok(Object.keys(defaultColumns).length >= 25)
    for (const [path, definitions] of Object.entries(defaultColumns)) {
      assert.equal(usualColumns(group(path)).length, definitions.length, path)
      for (const definition of definitions) {
        const names = typeof definition === 'string' ? [definition] : definition.fields
        const fields = [...group(path).fields, ...derivedColumnsOf(group(path))]
        for (const name of names) {
          assert.ok(
            fields.some((each) => each.name === name),
            `${path} ${name}`,
          )
        }
      }
    }
  })

  it('begin with what names the record, in every group that has a name', () => {
    for (const each of groups.filter(({ hasList }) => hasList)) {
      const columns = usualColumns(each)
      assert.ok(columns.length > 0 && columns.length <= 8, each.path)
      const lead = columns.find(({ show }) => show !== 'picture')
      if (each.titleField !== null) assert.match(lead?.show ?? '', /name|subject/, each.path)
      assert.equal(new Set(columns.map(({ key }) => key)).size, columns.length, each.path)
    }
  })

  it('come from the URL, from a saved view or from this browser', () => {
    const orders = group('orders')
    const [usual, stored] = [usualColumns(orders), columnsFor(orders, ['status'])]
    const named = columnsFor(orders, ['orderNumber'])
    assert.ok(named.length > 0 && stored.length > 0)
    assert.deepEqual(columnsIn(orders, { fields: null, saved: null }, stored), stored)
    assert.deepEqual(columnsIn(orders, { fields: null, saved: 'Late' }, stored), usual)
    assert.deepEqual(columnsIn(orders, { fields: ['orderNumber'], saved: 'Late' }, stored), named)
    assert.deepEqual(columnsIn(orders, { fields: ['unknown'], saved: null }, stored), stored)
  })

  it('are named in a link to a saved view, unless they are the usual ones', () => {
    const orders = group('orders')
    const chosen = columnsFor(orders, ['status'])
    assert.deepEqual(sharedFields(orders, { fields: null }, chosen), ['status'])
    assert.equal(sharedFields(orders, { fields: null }, usualColumns(orders)), null)
    assert.deepEqual(sharedFields(orders, { fields: ['orderDate'] }, chosen), ['orderDate'])
  })

  it('are those of the order, the shipment and the invoice that people look for', () => {
    const labels = (path: string) => usualColumns(group(path)).map(({ label }) => label)
    assert.deepEqual(labels('orders'), [
      'Order number',
      'Supplier',
      'Status',
      'Order date',
      'Ex-factory',
      'Total quantity',
      'Total amount',
      'In base currency',
    ])
    assert.deepEqual(labels('shipments').slice(1, 6), ['Route', 'Mode', 'Status', 'ETD', 'ETA'])
    assert.deepEqual(labels('images').slice(0, 2), ['Picture', 'File name'])
    assert.deepEqual(labels('inventory').slice(0, 4), ['SKU', 'Style', 'Colour', 'Size'])
    assert.ok(labels('inventory').includes('On hand quantity'))
    assert.deepEqual(labels('suppliers').slice(3, 7), [
      'On time',
      'Short',
      'Disputed',
      'Open value',
    ])
  })

  it('are named in a URL by the fields of the API, and read back in their order', () => {
    for (const each of groups.filter(({ hasList }) => hasList)) {
      const columns = usualColumns(each).toReversed()
      const again = columnsFor(each, columnNames(columns))
      assert.deepEqual(
        again.map(({ key }) => key),
        columns.map(({ key }) => key),
        each.path,
      )
    }
    const some = columnsFor(group('orders'), ['status', 'nonsense', 'orderNumber', 'status'])
    assert.deepEqual(
      some.map(({ key }) => key),
      ['status', 'orderNumber'],
    )
  })

  it('can be sorted by where the query API can', () => {
    for (const each of groups.filter(({ hasList }) => hasList)) {
      for (const { sort, fields, derived } of columnsOf(each)) {
        if (derived !== null) continue
        const [first] = fields
        assert.equal(sort, each.sortable.includes(first?.name ?? '') ? first?.name : null)
      }
    }
    const sorts = (path: string) => usualColumns(group(path)).flatMap(({ sort }) => sort ?? [])
    assert.ok(sorts('orders').includes('status') && sorts('orders').includes('totalAmount.base'))
    assert.ok(sorts('invoices').includes('totalAmount.base'))
    assert.ok(sorts('payments').includes('amount.base'))
  })
})

describe('a derived column', () => {
  const orders = group('orders')
  const base = columnsFor(orders, ['totalAmount.base'])[0]
  const derivedOf = (
    row: { [name: string]: unknown },
    path = 'orders',
    name = 'totalAmount.base',
  ) =>
    columnsFor(group(path), [name])[0]?.derived?.value(row, {
      brand: 'aldermoor',
      baseCurrency: 'USD',
      response: undefined,
    })

  it('has a name that no field has, in every group', () => {
    const derived = groups.flatMap((each) => derivedColumnsOf(each).map((one) => ({ each, one })))
    assert.ok(derived.length >= 4)
    for (const { each, one } of derived) {
      assert.ok(!each.fields.some(({ name }) => name === one.name), one.name)
      const missing = one.fields.filter((name) => !each.fields.some((own) => own.name === name))
      assert.deepEqual(missing, [], one.name)
    }
  })

  it('is named in the URL, and asks the API for the fields that it depends on', () => {
    const columns = columnsFor(orders, ['orderNumber', 'totalAmount.base', 'nonsense'])
    assert.deepEqual(columnNames(columns), ['orderNumber', 'totalAmount.base'])
    assert.deepEqual(fieldNames(columns), [
      'orderNumber',
      'totalAmount',
      'currency',
      'exchangeRate',
    ])
    assert.equal(base?.isRight, true)
  })

  it('has the exact amount in the base currency, by the own rate of the record', () => {
    setLocale('en-US')
    const order = { totalAmount: '421632.10', currency: 'TRY', exchangeRate: '0.0283070001' }
    assert.deepEqual(derivedOf(order), { text: '$11,935.14', title: '11935.13989686321' })
    assert.equal(derivedOf({ ...order, currency: 'USD' })?.title, '421632.10')
    const huge = { ...order, totalAmount: '90071992547409931.01', exchangeRate: '3' }
    assert.equal(derivedOf(huge)?.title, '270215977642229793.03')
    assert.deepEqual(derivedOf({ ...order, exchangeRate: null }), {
      text: 'not converted',
      isQuiet: true,
    })
    assert.equal(derivedOf({ ...order, totalAmount: null }), null)
    const payment = { amount: '10.00', currency: 'EUR', exchangeRate: '2', baseAmount: '20.50' }
    assert.equal(derivedOf(payment, 'payments', 'amount.base')?.title, '20.50')
    assert.equal(
      derivedOf({ ...payment, baseAmount: null }, 'payments', 'amount.base')?.title,
      '20',
    )
  })
})

describe('a column of goods or of a scorecard', () => {
  const valueIn = (
    path: string,
    name: string,
    row: { [name: string]: unknown },
    response: unknown,
  ) =>
    columnsFor(group(path), [name])[0]?.derived?.value(row, {
      ...{ brand: 'acme', baseCurrency: 'EUR', response },
    })

  it('names the style, the colour and the sizes of a SKU, as far as a key may read them', () => {
    const goods = {
      styles: new Map([['p', { id: 'p', name: 'Chore jacket' }]]),
      options: new Map([['o', { id: 'o', name: 'Blue', color: { name: 'Indigo' } }]]),
      sizes: new Map([['s', ['M', 'Long']]]),
    }
    const level = { skuId: 's', sku: { productId: 'p', productOptionId: 'o' } }
    const value = (name: string) => valueIn('inventory', name, level, goods)
    assert.deepEqual(value('style'), {
      text: 'Chore jacket',
      link: '/brands/acme/parent-products/p',
    })
    assert.deepEqual([value('colour')?.text, value('size')?.text], ['Indigo', 'M · Long'])
    const none = { styles: new Map(), options: new Map(), sizes: new Map() }
    assert.equal(valueIn('inventory', 'style', { skuId: 's' }, none), null)
  })

  it('has the figures of the scorecard, sorts by them and leads to it', () => {
    setLocale('en-GB')
    const total = (items: number, amount: string, withoutRate = 0) => ({
      ...{ items, pieces: 0, amounts: [{ currency: 'TRY', amount: '90.5', items }] },
      base: { currency: 'EUR', amount, withoutRate, leftOut: [] },
    })
    const scorecard = {
      ...{ onTime: 29, late: 18, receiptLines: 0, shortLines: 0, shortPieces: 0 },
      openOrders: total(3, '1250.456', 1),
      disputedBalance: total(0, '0'),
    }
    const value = (name: string, changes = {}) =>
      valueIn('suppliers', name, { id: 'x' }, new Map([['x', { ...scorecard, ...changes }]]))
    const link = '/brands/acme/suppliers/x'
    assert.deepEqual(value('onTime'), { text: '62%', title: '29 of 47 orders', link })
    assert.equal(value('short'), null)
    assert.equal(value('disputedBalance'), null)
    assert.equal(value('openOrders')?.text, '€1,250.46')
    assert.match(value('openOrders')?.title ?? '', /1 not converted$/)
    assert.equal(value('openOrders', { openOrders: total(1, '0', 1) })?.text, 'TRY\u00a090.50')
    assert.deepEqual(
      derivedColumnsOf(group('suppliers')).map(({ sort }) => sort),
      ['onTime', 'short', 'disputedBalance', 'openOrders'],
    )
  })
})

describe('what is marked in a list', () => {
  const today = { day: '2026-11-16', timezone: 'Europe/Lisbon' }
  const markOf = (path: string, row: { [name: string]: unknown }, field: string) => {
    const fields = group(path).fields.filter(({ name }) => name === field)
    return marksOn(path, today)(row, fields)
  }
  const order = {
    status: 'confirmed',
    deletedAt: null,
    confirmedExFactoryDate: '2026-11-08',
    requestedExFactoryDate: '2026-10-01',
  }

  it('is a late order, by the date that counts', () => {
    assert.deepEqual(markOf('orders', order, 'confirmedExFactoryDate'), { kind: 'late', days: 8 })
    const unconfirmed = { ...order, confirmedExFactoryDate: null }
    assert.equal(markOf('orders', unconfirmed, 'confirmedExFactoryDate')?.days, 46)
    for (const other of [
      { ...order, status: 'closed' },
      { ...order, deletedAt: '2026-11-01T00:00:00.000Z' },
      { ...order, confirmedExFactoryDate: '2026-11-16' },
    ]) {
      assert.equal(markOf('orders', other, 'confirmedExFactoryDate'), null)
    }
    assert.equal(markOf('orders', order, 'orderDate'), null)
  })

  it('is an overdue invoice only while something is left to pay', () => {
    const invoice = {
      status: 'approved',
      deletedAt: null,
      balanceAmount: '0.01',
      dueDate: '2026-11-15',
    }
    assert.deepEqual(markOf('invoices', invoice, 'dueDate'), { kind: 'overdue', days: 1 })
    assert.equal(markOf('invoices', { ...invoice, balanceAmount: '0.00' }, 'dueDate'), null)
    assert.equal(markOf('invoices', { ...invoice, status: 'paid' }, 'dueDate'), null)
  })

  it('is the date of a delayed shipment that nothing happened on, in days of the zone', () => {
    const shipment = {
      status: 'in_transit',
      deletedAt: null,
      estimatedDepartureAt: '2026-10-01T08:00:00.000Z',
      actualDepartureAt: '2026-10-02T08:00:00.000Z',
      estimatedArrivalAt: '2026-11-13T23:59:00.000Z',
      actualArrivalAt: null,
    }
    assert.equal(markOf('shipments', shipment, 'estimatedDepartureAt'), null)
    assert.deepEqual(markOf('shipments', shipment, 'estimatedArrivalAt'), { kind: 'late', days: 3 })
  })

  it('is stock that is out', () => {
    assert.deepEqual(markOf('inventory', { availableQuantity: 0 }, 'availableQuantity'), {
      kind: 'out',
      days: null,
    })
    assert.equal(markOf('inventory', { availableQuantity: 1 }, 'availableQuantity'), null)
  })
})

describe('the views of the contract', () => {
  it('have a short title and a sentence in every language, and no other views have', () => {
    const views = catalog.resources.flatMap(({ path, views: own }) =>
      own.map(({ name }) => `${path}.${name}`),
    )
    for (const { explorer } of [english, german]) {
      assert.deepEqual(Object.keys(explorer.viewTexts).sort(), [...views].sort())
      for (const [title, sentence] of Object.values(explorer.viewTexts)) {
        assert.ok(title.length > 2 && title.length < 26 && /[.:]$/.test(sentence), title)
      }
    }
  })
})

describe('the tone of a status', () => {
  it('has one meaning in every list', () => {
    const tone = (path: string, value: string) => {
      const status = group(path).fields.find(({ name }) => name === 'status')
      return toneOf(value, status?.lifecycle)
    }
    assert.deepEqual(
      [
        'draft',
        'confirmed',
        'in_production',
        'partially_shipped',
        'received',
        'closed',
        'cancelled',
      ].map((each) => tone('orders', each)),
      ['quiet', 'plain', 'plain', 'warn', 'good', 'good', 'quiet'],
    )
    assert.deepEqual(
      ['received', 'approved', 'partially_paid', 'paid', 'disputed', 'void'].map((each) =>
        tone('invoices', each),
      ),
      ['plain', 'plain', 'warn', 'good', 'warn', 'quiet'],
    )
    assert.deepEqual(
      ['in_transit', 'arrived', 'delivered', 'received'].map((each) => tone('shipments', each)),
      ['plain', 'plain', 'good', 'good'],
    )
    assert.deepEqual([tone('suppliers', 'approved'), tone('payments', 'failed')], ['good', 'bad'])
    assert.equal(toneOf('unheard_of'), 'plain')
  })
})
