import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Condition,
  catalog,
  conditionCollections,
  fieldAt,
  type Resource,
  resolveView,
  resourceAt,
} from '#contract'

const views = catalog.resources.flatMap((resource) =>
  resource.views.map((view) => ({ resource, view })),
)

const viewOf = (path: string, name: string) => {
  const resource = resourceAt(catalog, path)
  const view = resource.views.find((each) => each.name === name)
  assert.ok(view, `${path} ${name}`)
  return { resource, view }
}

const resolved = (
  path: string,
  name: string,
  day: string,
  timezone = 'Europe/Berlin',
  values: ReadonlyMap<string, number> = new Map(),
): Condition => {
  const { resource, view } = viewOf(path, name)
  return resolveView(view, { day, timezone }, values, (field, collection) =>
    fieldAt(resourceAt(catalog, collection ?? resource.path).fields, field),
  )
}

/** Every comparison of a condition, with the collection that it is about. */
const comparisons = (
  condition: Condition,
  path: string,
): readonly { path: string; field: string; value?: unknown }[] => {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap((each) => comparisons(each, path))
    case 'not':
      return comparisons(condition.of, path)
    case 'some':
      return [
        { path, field: condition.local ?? 'id' },
        { path: condition.collection, field: condition.match },
        ...comparisons(condition.where, condition.collection),
      ]
    case 'in':
      return condition.values.map((value) => ({ path, field: condition.field, value }))
    case 'compare':
      return [{ path, field: condition.field, value: condition.value }]
    case 'fields':
      return [
        { path, field: condition.field },
        { path, field: condition.other },
      ]
    default:
      return [{ path, field: condition.field }]
  }
}

const formats: { readonly [kind: string]: RegExp } = {
  date: /^\d{4}-\d\d-\d\d$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  amount: /^-?\d+(\.\d+)?$/,
  integer: /^-?\d+$/,
}

test('every view compares fields that exist with values of their kind', () => {
  assert.ok(views.length >= 20)
  for (const { resource, view } of views) {
    const where = resolved(resource.path, view.name, '2026-11-16')
    for (const { path, field, value } of comparisons(where, resource.path)) {
      const declared = fieldAt(resourceAt(catalog, path).fields, field)
      const label = `${resource.path} ${view.name}: ${path}.${field}`
      assert.ok(declared, label)
      if (value === undefined) continue
      assert.equal(typeof value, declared.kind === 'integer' ? 'number' : 'string', label)
      const format = formats[declared.kind]
      if (format) assert.match(String(value), format, label)
      else assert.ok(declared.values?.includes(String(value)), `${label} = ${value}`)
    }
  }
})

test('every view says what it means in a sentence that names the fields it compares', () => {
  for (const { resource, view } of views) {
    const label = `${resource.path} ${view.name}`
    assert.match(view.name, /^[a-z][A-Za-z]+$/, label)
    assert.match(view.summary, /^[A-Z].*\.$/, label)
    const where = resolved(resource.path, view.name, '2026-11-16')
    for (const { path, field, value } of comparisons(where, resource.path)) {
      if (path !== resource.path || /^(deletedAt|id|.*Id)$/.test(field)) continue
      const isNamed = view.summary.includes(field) || view.summary.includes(String(value))
      assert.ok(isNamed || isImplied(field, view.summary), `${label} does not name ${field}`)
    }
    for (const field of view.dates) assert.ok(fieldAt(resource.fields, field), label)
  }
})

/** What a sentence says in other words. */
const isImplied = (field: string, summary: string): boolean =>
  (field === 'retractedAt' && summary.includes('not retracted')) ||
  (field === 'actualDepartureAt' && summary.includes('have not departed')) ||
  (field === 'actualArrivalAt' && summary.includes('have not arrived')) ||
  (field === 'direction' && summary.startsWith('Outgoing')) ||
  (field === 'status' && /proposed or accepted|Completed|completed/.test(summary))

test('a view about due dates begins with the earliest, one about events with the latest', () => {
  const sorts = views.map(({ resource, view }) => [`${resource.path} ${view.name}`, view.sort])
  const newest = sorts.filter(([, sort]) => sort === '-viewDate').map(([name]) => name)
  assert.deepEqual(newest, [
    'shipments hasArrived',
    'goods-receipts short',
    'goods-receipts damaged',
    'goods-receipts rejected',
  ])
  for (const { view } of views) assert.equal(view.sort === null, view.dates.length === 0)
})

test('a record that was deleted is in no view', () => {
  const excludesDeleted = (condition: Condition): boolean => {
    if (condition.kind === 'all') return condition.of.some(excludesDeleted)
    return condition.kind === 'null' && condition.field === 'deletedAt' && condition.isNull
  }
  for (const { resource, view } of views) {
    if (!('deletedAt' in resource.fields)) continue
    const where = resolved(resource.path, view.name, '2026-11-16')
    assert.ok(excludesDeleted(where), `${resource.path} ${view.name}`)
  }
})

test('a record with an end outside of its lifecycle is in no view', () => {
  const ends = ['cancelled', 'void', 'retracted', 'rejected', 'withdrawn', 'failed', 'waived']
  const statuses = (resource: Resource) =>
    views
      .filter((each) => each.resource === resource)
      .flatMap(({ view }) => comparisons(resolved(resource.path, view.name, '2026-11-16'), ''))
      .map(({ value }) => String(value))
  for (const { resource } of views) {
    for (const end of ends) assert.ok(!statuses(resource).includes(end), `${resource.path} ${end}`)
  }
})

test('today is a date for dates and the beginning of the day in the zone for timestamps', () => {
  const arriving = (timezone: string) =>
    comparisons(resolved('shipments', 'arrivingThisWeek', '2026-11-18', timezone), 'shipments')
      .filter(({ field }) => field === 'estimatedArrivalAt')
      .map(({ value }) => value)
  assert.deepEqual(arriving('Pacific/Auckland'), [
    '2026-11-17T11:00:00.000Z',
    '2026-11-22T11:00:00.000Z',
  ])
  assert.deepEqual(arriving('America/Los_Angeles'), [
    '2026-11-18T08:00:00.000Z',
    '2026-11-23T08:00:00.000Z',
  ])
  const due = comparisons(resolved('invoices', 'dueThisWeek', '2026-11-22'), 'invoices')
    .filter(({ field }) => field === 'dueDate')
    .map(({ value }) => value)
  assert.deepEqual(due, ['2026-11-22', '2026-11-23'])
})

test('a parameter sets how many days a view looks ahead', () => {
  const until = (values: ReadonlyMap<string, number>) =>
    comparisons(resolved('invoices', 'dueWithin', '2026-11-16', 'UTC', values), 'invoices')
      .filter(({ field }) => field === 'dueDate')
      .at(-1)?.value
  assert.equal(until(new Map()), '2026-11-24')
  assert.equal(until(new Map([['days', 0]])), '2026-11-17')
  assert.equal(until(new Map([['days', 30]])), '2026-12-17')
})

test('a view that looks into other collections names them', () => {
  const runs = resolved('production-runs', 'behindPlan', '2026-11-16')
  assert.deepEqual(conditionCollections(runs), ['orders'])
  assert.deepEqual(conditionCollections(resolved('goods-receipts', 'short', '2026-11-16')), [
    'goods-receipt-lines',
  ])
})
