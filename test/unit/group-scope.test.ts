import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { catalog, domains } from '#contract'
import {
  groupNameOf,
  groupNames,
  groupScopeOf,
  groupsOf,
  wholeScope,
} from '../../src/contract/group-scope.ts'

const none = { onlyGroups: null, withoutGroups: null }

describe('the groups of a key', () => {
  it('are all groups without limits', () => {
    assert.equal(groupScopeOf(none), wholeScope)
    assert.equal(wholeScope.isWhole, true)
    assert.ok(catalog.resources.every(({ path }) => wholeScope.has(path)))
  })

  it('are those of the first limit without those of the second, and the brand', () => {
    const limits = { onlyGroups: ['orders', 'domain:finance'], withoutGroups: ['payments'] }
    const scope = groupScopeOf(limits)
    const expected = catalog.resources
      .filter(({ path, domain }) => path === 'orders' || domain === 'finance')
      .map(({ path }) => path)
      .filter((path) => path !== 'payments')
    assert.deepEqual(groupsOf(limits), expected)
    assert.deepEqual(
      catalog.resources.map(({ path }) => path).filter((path) => scope.has(path)),
      ['brand', ...expected],
    )
    assert.equal(scope.isWhole, false)
  })

  it('of equal sets are one object, and of different sets differ in their id', () => {
    const finance = catalog.resources.filter(({ domain }) => domain === 'finance')
    const byDomain = groupScopeOf({ ...none, onlyGroups: ['domain:finance'] })
    const byPath = groupScopeOf({ ...none, onlyGroups: finance.map(({ path }) => path).reverse() })
    assert.equal(byDomain, byPath)
    const ids = catalog.resources.map(
      ({ path }) => groupScopeOf({ ...none, withoutGroups: [path] }).id,
    )
    assert.equal(new Set([...ids, byDomain.id, wholeScope.id]).size, catalog.resources.length + 2)
  })

  it('are named by their path, or together by their domain', () => {
    assert.equal(groupNameOf('orders'), 'orders')
    assert.equal(groupNameOf('domain:orders'), 'domain:orders')
    assert.equal(groupNameOf('finance'), 'domain:finance')
    for (const domain of domains) assert.ok(groupNameOf(domain))
    assert.equal(new Set(groupNames).size, catalog.resources.length + 2 * domains.length - 2)
    for (const name of groupNames) assert.ok(groupNameOf(name))
    for (const text of ['', 'order', 'Orders', 'domain:', 'domain:order-items']) {
      assert.equal(groupNameOf(text), undefined)
    }
  })

  it('that carry prices are those that the guide keeps from a key', () => {
    const guide = readFileSync(new URL('../../docs/how-to/manage-keys.md', import.meta.url), 'utf8')
    const [, names = ''] = /--name "Studio" --without (\S+)/.exec(guide) ?? []
    const withoutGroups = names.split(',').map((name) => groupNameOf(name) ?? '')
    const readable = groupsOf({ onlyGroups: null, withoutGroups })
    const hasMoney = (path: string) =>
      /"measure":"(money|unitPrice)"/.test(JSON.stringify(catalog.byPath.get(path)?.fields))
    assert.deepEqual(readable.filter(hasMoney), [])
    const excluded = catalog.resources.filter(({ path }) => !readable.includes(path))
    assert.ok(excluded.every(({ path, domain }) => hasMoney(path) || domain === 'finance'))
  })
})
