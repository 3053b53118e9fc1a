import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, catalog, fieldAt, resolveView, resourceAt } from '#contract'
import { fulfils } from '../support/condition-model.ts'
import { type ViewContext, viewModel } from '../support/view-model.ts'
import { drawViewRecords } from '../support/view-records.ts'

const views = catalog.resources.flatMap((resource) =>
  resource.views.map((view) => ({ resource, view })),
)

const days = [
  { today: '2026-11-16', timezone: 'Europe/Berlin' },
  { today: '2026-11-22', timezone: 'Pacific/Auckland' },
  // The days on which clocks are changed.
  { today: '2026-11-01', timezone: 'America/Los_Angeles' },
  { today: '2026-03-08', timezone: 'America/Los_Angeles' },
  { today: '2026-09-27', timezone: 'Pacific/Auckland' },
  { today: '2028-02-29', timezone: 'Asia/Kolkata' },
]

const kindOf = (path: string) => (field: string, collection: string | null) => {
  const declared = fieldAt(resourceAt(catalog, collection ?? path).fields, field)
  assert.ok(declared, `${collection ?? path}.${field}`)
  return declared.kind
}

interface Day {
  readonly today: string
  readonly timezone: string
}

const conditionOf = (
  path: string,
  name: string,
  { today, timezone }: Day,
  limit: number | null,
) => {
  const resource = resourceAt(catalog, path)
  const view = resource.views.find((each) => each.name === name)
  assert.ok(view)
  const values = new Map(limit === null ? [] : [['days', limit]])
  return resolveView(view, { day: today, timezone }, values, (field, collection) =>
    fieldAt(resourceAt(catalog, collection ?? path).fields, field),
  )
}

const samples = days.map((day, seed) => {
  const records = drawViewRecords(seed + 1, day.today, day.timezone)
  const byId = new Map(
    Object.entries(records).map(([path, each]) => [path, new Map(each.map((r) => [r['id'], r]))]),
  )
  const context = (limit: number | null): ViewContext => ({
    ...day,
    days: limit,
    find: (path, id) => byId.get(path)?.get(id),
    all: (path) => records[path] ?? [],
  })
  return { day, records, context }
})

/** The records that a condition selects, and those that the plain function of a view does. */
const selectedBy = (path: string, condition: Condition, sample: (typeof samples)[number]) =>
  (sample.records[path] ?? [])
    .filter((record) => fulfils(record, condition, kindOf(path), sample.records))
    .map(({ id }) => id)

const expectedOf = (path: string, name: string, sample: (typeof samples)[number]) =>
  (sample.records[path] ?? [])
    .filter((record) => viewModel[path]?.[name]?.(record, sample.context(null)))
    .map(({ id }) => id)

test('every view has a plain function that says what it means', () => {
  for (const { resource, view } of views) {
    assert.ok(viewModel[resource.path]?.[view.name], `${resource.path} ${view.name}`)
  }
})

for (const { resource, view } of views) {
  const { path } = resource
  test(`${path} ${view.name} selects what its sentence says`, () => {
    let size = 0
    for (const sample of samples) {
      const expected = expectedOf(path, view.name, sample)
      const condition = conditionOf(path, view.name, sample.day, null)
      assert.deepEqual(selectedBy(path, condition, sample), expected, JSON.stringify(sample.day))
      size += expected.length
    }
    assert.ok(size > 0, 'no sample is in the view')
  })
}

test('the parameter of a view changes what it selects as its sentence says', () => {
  for (const [path, name] of [
    ['invoices', 'dueWithin'],
    ['documents', 'expiringWithin'],
  ] as const) {
    for (const limit of [0, 1, 6, 29, 30]) {
      for (const sample of samples) {
        const expected = (sample.records[path] ?? [])
          .filter((record) => viewModel[path]?.[name]?.(record, sample.context(limit)))
          .map(({ id }) => id)
        const condition = conditionOf(path, name, sample.day, limit)
        assert.deepEqual(selectedBy(path, condition, sample), expected, `${name} ${limit}`)
      }
    }
  }
})

const swapped = {
  eq: ['gt', 'lt'],
  gt: ['gte', 'lte'],
  gte: ['gt'],
  lt: ['lte', 'gte'],
  lte: ['lt'],
} as const

/** Every condition that differs from this one in one place. */
const mutants = (condition: Condition): readonly Condition[] => {
  switch (condition.kind) {
    case 'compare':
    case 'fields':
      return swapped[condition.is].map((is) => ({ ...condition, is }))
    case 'in':
      return condition.values.map((value) => ({
        ...condition,
        values: condition.values.filter((each) => each !== value),
      }))
    case 'null':
      return [{ ...condition, isNull: !condition.isNull }]
    case 'all':
    case 'any': {
      const { of } = condition
      return [
        ...of.flatMap((each, at) =>
          mutants(each).map((other) => ({ ...condition, of: of.with(at, other) })),
        ),
        // Without one of its parts.
        ...(of.length > 1 ? of.map((_, at) => ({ ...condition, of: of.toSpliced(at, 1) })) : []),
      ]
    }
    case 'not':
      return [condition.of, ...mutants(condition.of).map((of) => ({ ...condition, of }))]
    case 'some':
      return mutants(condition.where).map((where) => ({ ...condition, where }))
    default:
      return []
  }
}

test('a view with any comparison changed selects other records', () => {
  let count = 0
  for (const { resource, view } of views) {
    const conditions = samples.map(({ day }) => conditionOf(resource.path, view.name, day, null))
    const variants = conditions.map(mutants)
    for (const [at] of (variants[0] ?? []).entries()) {
      count += 1
      const isNoticed = samples.some((sample, index) => {
        const mutant = variants[index]?.[at]
        assert.ok(mutant)
        const selected = selectedBy(resource.path, mutant, sample)
        return (
          JSON.stringify(selected) !== JSON.stringify(expectedOf(resource.path, view.name, sample))
        )
      })
      const mutant = JSON.stringify(variants[0]?.[at])
      assert.ok(isNoticed, `${resource.path} ${view.name}: no sample tells ${mutant} apart`)
    }
  }
  assert.ok(count > 100)
})
