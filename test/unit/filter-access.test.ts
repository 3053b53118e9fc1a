/** How lists of the contract with several filters are read, by how many records each matches. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type Resource, resourceAt } from '#contract'
import { planAccess } from '../../src/store/query/filter-access.ts'
import { planList } from '../../src/store/read/list.ts'
import { countedMax } from '../../src/store/schema/collection-stats.ts'
import { tablesOf } from '../../src/store/schema/tables.ts'

const tables = tablesOf(catalog)
const items = resourceAt(catalog, 'order-items')
const many = countedMax + 1

const accessOf = (resource: Resource, sizes: { readonly [filter: string]: number | null }) => {
  const filters = new Map(Object.keys(sizes).map((name) => [name, 'any']))
  const list = { resource, brand: 'aldermoor', filters, limit: 25, after: null, include: [] }
  const stored = Object.entries(sizes).filter(([, size]) => size !== null)
  return planAccess(planList(list, tables), new Map(stored as [string, number][]))
}

describe('a list with filters', () => {
  it('that each match many records is scanned along the one that matches the fewest', () => {
    const { isWide, scannedFilter } = accessOf(items, { category: 3 * many, htsCode: many })
    assert.deepEqual([isWide, scannedFilter], [true, 'htsCode'])
  })

  it('of which one matches few is read along that one', () => {
    const { isWide, drivingIndex } = accessOf(items, { category: many, htsCode: null })
    assert.deepEqual([isWide, drivingIndex], [false, 'htsCode'])
    assert.equal(accessOf(items, { category: null, htsCode: many }).drivingIndex, 'category')
  })

  it('of its own with one value is never wide, because its total is stored', () => {
    const { isWide, drivingIndex } = accessOf(items, { category: 9 * many })
    assert.deepEqual([isWide, drivingIndex], [false, 'category'])
  })

  it('through a collection that names many of its records is wide', () => {
    const invoices = resourceAt(catalog, 'invoices')
    assert.equal(accessOf(invoices, { paymentId: null }).isWide, false)
    const { isWide, scannedFilter } = accessOf(invoices, { paymentId: many })
    assert.deepEqual([isWide, scannedFilter], [true, 'paymentId'])
  })
})
