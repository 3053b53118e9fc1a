/**
 * How large the contract is: the only place with these numbers. Other tests derive what they expect from
 * the catalog. A group that the specification does not list changes nothing here.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type Filter, operationsOf, referencesOf, relationsOf } from '#contract'
import { specifiedGroups } from '../../src/contract/specification.ts'

const specified = catalog.resources.filter(({ group }) => specifiedGroups.includes(group))

describe('the groups of the specification', () => {
  it('are 93', () => {
    assert.equal(specified.length, 93)
  })

  it('have 172 operations: 92 lists, 78 gets, the brand and the image content', () => {
    const operations = operationsOf(catalog).filter(({ resource }) => specified.includes(resource))
    assert.equal(operations.length, 172)
    const endpoints = operations.map(({ endpoint, resource }) =>
      resource.lookup ? 'brand' : endpoint,
    )
    const count = (of: string) => endpoints.filter((each) => each === of).length
    assert.deepEqual(
      [count('list'), count('get'), count('brand'), count('content')],
      [92, 78, 1, 1],
    )
  })

  it('have 464 filters: 212 by text, 251 by identifier, one by number', () => {
    const filters = specified.flatMap((each) => each.filters)
    const ofKind = (kind: Filter['kind']) => filters.filter((each) => each.kind === kind).length
    assert.equal(filters.length, 464)
    assert.deepEqual([ofKind('string'), ofKind('identifier'), ofKind('integer')], [212, 251, 1])
  })

  it('have 230 references, 229 of which are relations', () => {
    assert.equal(specified.flatMap(referencesOf).length, 230)
    assert.equal(specified.flatMap(relationsOf).length, 229)
  })
})
