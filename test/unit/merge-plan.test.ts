/** What a merge deletes, writes and counts, without a database. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import { countedMax } from '../../src/store/schema/collection-stats.ts'
import { columnsOf, type Table, tablesOf } from '../../src/store/schema/tables.ts'
import { planMerge, planStaging, rowsWorthRebuilding } from '../../src/store/write/merge-plan.ts'

const table = tablesOf(catalog).get('orders') as Table
const staged = { replace: false, removalCount: 0, stagedRows: 10, distinct: true }
const compared = { moving: 10, changed: 10, differing: null, stored: 100, removed: 0 }

describe('the plan for what is staged', () => {
  it('leaves distinct records alone', () => {
    assert.deepEqual(planStaging(staged, 100), {
      looksUp: false,
      indexesStaged: false,
      dropsRepeated: false,
      dropsStagedRemovals: false,
      removesUnstaged: false,
      removes: false,
    })
  })

  it('drops repeated identities, along an index', () => {
    const plan = planStaging({ ...staged, distinct: false }, 100)
    assert.ok(plan.indexesStaged && plan.dropsRepeated)
    assert.ok(!plan.removes)
  })

  it('takes back removals of what is staged', () => {
    const plan = planStaging({ ...staged, removalCount: 1 }, 100)
    assert.ok(plan.indexesStaged && plan.dropsStagedRemovals && plan.removes)
    assert.ok(!plan.removesUnstaged)
  })

  it('removes what a replacement does not stage, if anything is stored', () => {
    const replacement = { ...staged, replace: true }
    assert.ok(planStaging(replacement, 1).removesUnstaged)
    assert.ok(planStaging(replacement, 1).removes)
    assert.ok(!planStaging(replacement, 0).removesUnstaged)
    assert.ok(!planStaging(replacement, 0).removes)
  })

  it('looks few records up by themselves, removals included', () => {
    assert.ok(!planStaging(staged, 200).looksUp)
    assert.ok(planStaging(staged, 201).looksUp)
    assert.ok(!planStaging({ ...staged, removalCount: 1 }, 201).looksUp)
    assert.ok(!planStaging({ ...staged, replace: true }, 201).looksUp)
  })
})

describe('the plan of a merge', () => {
  it('does nothing without staged and removed records', () => {
    const plan = planMerge(table, { ...compared, moving: 0, changed: 0 })
    assert.equal(plan.records, 0)
    assert.deepEqual(plan.upserts, [])
  })

  it('writes nothing if records are only removed', () => {
    const plan = planMerge(table, { ...compared, moving: 0, changed: 0, removed: 3 })
    assert.equal(plan.records, 3)
    assert.deepEqual(plan.upserts, [])
    assert.equal(plan.movedColumns, null)
  })

  it('writes whole records if the columns that differ are not known', () => {
    const { added, upserts } = planMerge(table, { ...compared, changed: 4 })
    assert.equal(added, 6)
    const key = new Set(table.key.map(({ name }) => name))
    const others = columnsOf(table).filter(({ name }) => !key.has(name))
    const assigned = [...others.map(({ name }) => name), 'body']
    assert.deepEqual(upserts, [{ assigned, differing: null, isWhole: true }])
  })

  it('writes only the texts of records, and the columns that differ', () => {
    const differing = new Set(['status'])
    const { upserts, movedColumns } = planMerge(table, { ...compared, differing })
    assert.deepEqual(upserts, [
      { assigned: ['body'], differing: null, isWhole: false },
      { assigned: ['status'], differing: 'status', isWhole: false },
    ])
    assert.deepEqual(movedColumns, differing)
  })

  it('can change all totals if records are added or removed', () => {
    const differing = new Set(['status'])
    const more = { ...compared, differing }
    assert.equal(planMerge(table, { ...more, changed: 9 }).movedColumns, null)
    assert.equal(planMerge(table, { ...more, removed: 1 }).movedColumns, null)
  })

  it('writes many records at once, and of stored ones only the columns that differ', () => {
    const many = { ...compared, differing: new Set(['status']), stored: rowsWorthRebuilding }
    const upsertsOf = (moving: number) =>
      planMerge(table, { ...many, moving, changed: moving }).upserts
    assert.deepEqual(
      upsertsOf(rowsWorthRebuilding - 1).map(({ isWhole }) => isWhole),
      [false, false],
    )
    assert.deepEqual(upsertsOf(rowsWorthRebuilding), [
      { assigned: ['status', 'body'], differing: null, isWhole: true },
    ])
  })

  it('counts large totals only in a collection that can have them', () => {
    const largeTotals = (moving: number, stored: number) =>
      planMerge(table, { ...compared, moving, changed: 0, stored }).largeTotals
    assert.equal(largeTotals(1, countedMax - 1), null)
    assert.equal(largeTotals(1, countedMax), 'touched')
    assert.equal(largeTotals(countedMax, countedMax), 'touched')
    assert.equal(largeTotals(countedMax + 1, countedMax), 'all')
  })
})
