/** The cases that lists are compared with tell apart what is easily confused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Comparison, Condition } from '#contract'
import { drawQueries } from '../conformance/query/cases.ts'
import { kindOf, named } from '../conformance/query/lists.ts'
import { drawSamples, parcels } from '../conformance/query/samples.ts'
import { evaluate, type ModelQuery } from '../support/query-model.ts'

const samples = drawSamples(11, 150)
const others = { stops: samples.stops, colours: named, parcels: samples.parcels }
const queries = drawQueries(5, 150)

const idsOf = (query: ModelQuery) =>
  evaluate(parcels, samples.parcels, others, query, kindOf).map(({ id }) => id)

/** Another condition in place of those of a kind, wherever they are. */
const replaced = (
  condition: Condition,
  replace: (condition: Condition) => Condition,
): Condition => {
  if (condition.kind === 'all' || condition.kind === 'any') {
    return { ...condition, of: condition.of.map((each) => replaced(each, replace)) }
  }
  return replace(condition)
}

const compares = (from: Comparison, to: Comparison) => (condition: Condition) =>
  condition.kind === 'compare' && condition.is === from ? { ...condition, is: to } : condition

const never: Condition = { kind: 'any', of: [] }
const always: Condition = { kind: 'all', of: [] }

const conditionMutants: { readonly [name: string]: (condition: Condition) => Condition } = {
  'gt as gte': compares('gt', 'gte'),
  'gte as gt': compares('gte', 'gt'),
  'lt as lte': compares('lt', 'lte'),
  'lte as lt': compares('lte', 'lt'),
  'gt as lt': compares('gt', 'lt'),
  'eq as gte': compares('eq', 'gte'),
  'in without its last value': (each) =>
    each.kind === 'in' ? { ...each, values: each.values.slice(0, -1) } : each,
  'in of nothing': (each) => (each.kind === 'in' ? never : each),
  'isNull reversed': (each) => (each.kind === 'null' ? { ...each, isNull: !each.isNull } : each),
  'startsWith of a shorter text': (each) =>
    each.kind === 'startsWith' ? { ...each, text: [...each.text].slice(0, -1).join('') } : each,
  'startsWith of everything': (each) => (each.kind === 'startsWith' ? always : each),
  'fields compared the other way': (each) =>
    each.kind === 'fields' ? { ...each, field: each.other, other: each.field } : each,
  'not forgotten': (each) => (each.kind === 'not' ? each.of : each),
  'some of any': (each) => (each.kind === 'some' ? { ...each, where: always } : each),
  'some of none': (each) => (each.kind === 'some' ? never : each),
}

const queryMutants: { readonly [name: string]: (query: ModelQuery) => ModelQuery } = {
  'the first condition forgotten': ({ where = [], ...query }) => ({
    ...query,
    where: where.slice(1),
  }),
  'filters forgotten': ({ filters: _, ...query }) => query,
  'sort forgotten': ({ sort: _, ...query }) => query,
  'sort in the other direction': ({ sort, ...query }) => ({
    ...query,
    ...(sort && { sort: { ...sort, isDescending: !sort.isDescending } }),
  }),
}

describe('a mistake in lists of the query API', () => {
  const isNoticed = (mutate: (query: ModelQuery) => ModelQuery): boolean =>
    queries.some((query) => idsOf(query).join() !== idsOf(mutate(query)).join())

  for (const [name, mutate] of Object.entries(conditionMutants)) {
    it(`is noticed: ${name}`, () => {
      assert.ok(
        isNoticed(({ where = [], ...query }) => ({
          ...query,
          where: where.map((each) => replaced(each, mutate)),
        })),
      )
    })
  }
  for (const [name, mutate] of Object.entries(queryMutants)) {
    it(`is noticed: ${name}`, () => assert.ok(isNoticed(mutate)))
  }
})
