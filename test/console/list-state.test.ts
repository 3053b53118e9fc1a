/** What the URL of a list means: its parameters, columns, chips, marks and saved views. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, queryParametersOf } from '#contract'
import { groupAt, groups } from '../../console/src/contract.ts'
import { type Chip, chipsOf } from '../../console/src/explorer/chip.ts'
import { filterFieldsOf } from '../../console/src/explorer/filter-field.ts'
import {
  changed,
  readListState,
  selectionOf,
  withParameters,
  writeListState,
} from '../../console/src/explorer/list-state.ts'
import { dayAfter, resolveDays } from '../../console/src/explorer/relative-day.ts'
import { parseViews, savedViewLink, viewShown } from '../../console/src/explorer/saved-view.ts'
import { typedNumber } from '../../console/src/explorer/typed-number.ts'
import { setLocale } from '../../console/src/locale.ts'
import { loadTexts } from '../../console/src/texts/index.ts'

const group = (path: string) => {
  const match = groupAt(path)
  assert.ok(match)
  return match
}

const today = '2026-11-16'
const nameOfRecord = (_: string, id: string) => (id === 'a' ? 'Costa & Filhos' : null)
const wordsOf = (path: string, search: string): readonly string[] => {
  setLocale('en-GB')
  const { parameters } = readListState(search)
  const words = ({ label, text }: Chip) => `${label}: ${text}`
  return chipsOf(parameters, { group: group(path), today, nameOfRecord }).map(words)
}

describe('the state of a list', () => {
  it('is in the URL, with the names of the query API, and survives', () => {
    const url =
      '?status.in=sent%2Cconfirmed&orderDate.gte=2026-01-01&sort=-totalAmount&view=late&asOf=2026-11-01&fields=orderNumber%2Cstatus&limit=25&cursor=abc&before=25&saved=Mine&by=supplierId&nonsense=1'
    const state = readListState(url)
    assert.deepEqual(state, {
      parameters: {
        'status.in': 'sent,confirmed',
        'orderDate.gte': '2026-01-01',
        sort: '-totalAmount',
        view: 'late',
        asOf: '2026-11-01',
        nonsense: '1',
      },
      fields: ['orderNumber', 'status'],
      limit: 25,
      cursor: 'abc',
      before: 25,
      saved: 'Mine',
      by: 'supplierId',
    })
    const again = new URLSearchParams(writeListState(state))
    assert.deepEqual([...again].sort(), [...new URLSearchParams(url)].sort())
    assert.deepEqual(Object.keys(selectionOf(state)).sort(), [
      'asOf',
      'by',
      'fields',
      'nonsense',
      'orderDate.gte',
      'sort',
      'status.in',
      'view',
    ])
  })

  it('has a name from its link, unless it has characters that are not seen or is too long', () => {
    assert.equal(readListState('?saved=+Mine%0A').saved, 'Mine')
    for (const name of ['', 'a\u0000b', 'a\nb', 'a\u202eb', 'x'.repeat(61), '\ufeff']) {
      assert.equal(readListState(`?${new URLSearchParams({ saved: name })}`).saved, null)
    }
  })

  it('is that of a view, whatever the order of parameters', () => {
    const late = { name: 'Late', group: 'orders', query: 'sort=-orderDate&view=late' }
    const others = [
      { ...late, query: 'view=late' },
      { ...late, group: 'invoices' },
      { ...late, name: 'Other' },
    ]
    const state = readListState('?view=late&sort=-orderDate&saved=Late&limit=25&cursor=x')
    assert.equal(viewShown([...others, late], 'orders', state), late)
    assert.equal(viewShown(others, 'orders', state), others[0])
    assert.equal(viewShown(others, 'orders', { ...state, saved: null }), undefined)
  })

  it('takes any page size of the API, repeated values, and a cursor whose place is not known', () => {
    assert.deepEqual(readListState('?status.in=a&status.in=b').parameters, { 'status.in': 'a,b' })
    assert.equal(readListState('?limit=7').limit, 7)
    for (const limit of ['0', '101', 'x', '']) {
      assert.equal(readListState(`?limit=${limit}`).limit, 50)
    }
    assert.equal(readListState('?cursor=c').before, null)
    assert.equal(readListState('').before, 0)
  })

  it('is changed to its first page, and loses parameters that are emptied', () => {
    const state = readListState('?status=sent&cursor=c&before=50&saved=Mine')
    const parameters = withParameters(state.parameters, { status: null, view: 'late', kind: '' })
    assert.deepEqual(writeListState(changed(state, { parameters })), {
      view: 'late',
      saved: 'Mine',
    })
  })

  it('has days that move with the calendar, and the server gets dates', () => {
    const sent = resolveDays(
      {
        'orderDate.gte': 'monday',
        'orderDate.lte': 'monday+6',
        'updatedAt.lt': 'today+1',
        asOf: 'today-7',
        orderNumber: 'today',
      },
      today,
    )
    assert.deepEqual(sent, {
      'orderDate.gte': '2026-11-16',
      'orderDate.lte': '2026-11-22',
      'updatedAt.lt': '2026-11-17',
      asOf: '2026-11-09',
      orderNumber: 'today',
    })
    assert.deepEqual(['today', 'today-1', '2026-02-28', 'monday+6'].map(dayAfter), [
      'today+1',
      'today',
      '2026-03-01',
      'monday+7',
    ])
  })
})

describe('the chips of a list', () => {
  it('say every kind of condition in words', () => {
    const cases: readonly (readonly [path: string, search: string, chip: string])[] = [
      ['orders', '?status=partially_shipped', 'Status: partially shipped'],
      ['orders', '?status.in=sent,confirmed', 'Status: sent or confirmed'],
      ['orders', '?status.in=a,b,c,d,e', 'Status: a, b, c or 2 more'],
      ['orders', '?supplierId=a', 'Supplier: Costa & Filhos'],
      [
        'orders',
        '?orderDate.gte=2026-01-01&orderDate.lte=2026-01-31',
        'Order date: 1 Jan 2026 – 31 Jan 2026',
      ],
      ['orders', '?orderDate.gte=today-29&orderDate.lte=today', 'Order date: last 30 days'],
      ['orders', '?orderDate.gte=2026-01-01', 'Order date: from 1 Jan 2026'],
      ['orders', '?orderDate.lt=2026-01-01', 'Order date: before 1 Jan 2026'],
      [
        'shipments',
        '?estimatedArrivalAt.gte=monday&estimatedArrivalAt.lt=monday%2B7',
        'Estimated arrival at: this week',
      ],
      ['orders', '?totalAmount.gte=1500.5&totalAmount.lte=20000', 'Total amount: 1,500.5 – 20,000'],
      ['orders', '?totalQuantity.gt=1000', 'Total quantity: more than 1,000'],
      [
        'orders',
        '?totalQuantity.gte=5&totalQuantity.lt=9',
        'Total quantity: at least 5, less than 9',
      ],
      ['orders', '?confirmedExFactoryDate.isNull=true', 'Confirmed ex-factory date: has no value'],
      ['orders', '?confirmedExFactoryDate.isNull=false', 'Confirmed ex-factory date: has a value'],
      ['orders', '?deletedAt.isNull=true', 'Deleted at: left out'],
      ['orders', '?deletedAt.isNull=false', 'Deleted at: only'],
      ['orders', '?orderNumber.startsWith=PO', 'Order number: starts with “PO”'],
      ['orders', '?ids=x,y', 'Orders: 2 selected'],
      ['orders', '?updatedSince=2026-11-01', 'Changed since: 1 Nov 2026'],
      ['orders', '?asOf=2026-11-01', 'As of: 1 Nov 2026'],
      ['invoices', '?view=dueWithin&days=1', 'Within: 1 day'],
      ['orders', '?nonsense=1', 'nonsense: 1'],
    ]
    for (const [path, search, chip] of cases) assert.deepEqual(wordsOf(path, search), [chip])
    assert.deepEqual(wordsOf('orders', '?view=late&sort=-orderDate'), [])
    assert.deepEqual(wordsOf('orders', '?view=unknown'), ['view: unknown'])
  })

  it('exist for every parameter that the query API has, in every group', () => {
    const elsewhere = new Set(['limit', 'cursor', 'sort', 'fields', 'view'])
    let parameters = 0
    for (const each of groups.filter(({ hasList }) => hasList)) {
      const resource = catalog.byPath.get(each.path)
      assert.ok(resource)
      for (const { name } of queryParametersOf(resource)) {
        if (elsewhere.has(name)) continue
        const [chip, ...others] = wordsOf(each.path, `?${name}=x`)
        assert.ok(chip && others.length === 0, `${each.path} ${name}`)
        parameters += 1
      }
      for (const { can, name } of filterFieldsOf(each)) assert.ok(can.size > 0, name)
    }
    assert.ok(parameters > 1_500, String(parameters))
  })

  it('are translated', async () => {
    await loadTexts('de')
    setLocale('de-DE')
    const { parameters } = readListState(
      '?totalAmount.gte=1500.50&orderDate.gte=today-29&orderDate.lte=today',
    )
    const words = chipsOf(parameters, { group: group('orders'), today, nameOfRecord }).map(
      ({ text }) => text,
    )
    await loadTexts('en')
    assert.deepEqual(words, ['mindestens 1.500,50', 'letzte 30 Tage'])
  })
})

describe('a typed number', () => {
  it('is read in the form of the locale', () => {
    setLocale('en-GB')
    assert.deepEqual(['1,500.50', '007', '-3', '', 'x', '1.2.3'].map(typedNumber), [
      '1500.50',
      '7',
      '-3',
      '',
      null,
      null,
    ])
    setLocale('de-DE')
    assert.deepEqual(['1.500,50', '1 500'].map(typedNumber), ['1500.50', '1500'])
  })
})

describe('a saved view', () => {
  const view = {
    id: '1',
    name: 'Big & late',
    group: 'orders',
    query: 'view=late&sort=-totalAmount',
    isPinned: true,
  }

  it('is a link that holds all of it', () => {
    assert.equal(
      savedViewLink('acme', view),
      '/brands/acme/orders?view=late&sort=-totalAmount&saved=Big+%26+late',
    )
  })

  it('is read back; what is not one is ignored', () => {
    assert.deepEqual(parseViews(JSON.stringify([view, null, { ...view, name: 1 }, 'x'])), [view])
    for (const text of [null, '{', '{}', '[1]']) assert.deepEqual(parseViews(text), [])
  })
})
