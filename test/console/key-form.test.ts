/** What the operator page offers for a key, and what the form of a key sends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OperatorKey } from '#contract'
import { keyActions } from '../../console/src/admin/keys/key-actions.ts'
import { changesOf, formOf } from '../../console/src/admin/keys/key-form.ts'

const key: OperatorKey = {
  ...{ id: 'k1', name: 'Portal', kind: 'read', brands: ['aldermoor', 'birkholm'], global: false },
  ...{ onlyGroups: null, withoutGroups: null, addresses: ['10.0.0.0/8'], collections: null },
  ...{ webhook: false, perSecond: 5, burst: null, expiresAt: '2031-05-04T00:00:00.000Z' },
  ...{ createdAt: '2026-03-01T00:00:00.000Z', lastUsedAt: null, revokedAt: null },
  ...{ successorId: null, state: 'good', findings: [] },
}

describe('a changed key', () => {
  it('keeps what the operator did not change', () => {
    const form = { ...formOf(key), name: ' Portal 2 ' }
    assert.deepEqual(changesOf(key, form), { name: 'Portal 2' })
  })

  it('sends what was changed or removed', () => {
    const form = { ...formOf(key), addresses: '', burst: '7', brands: ['aldermoor'] }
    const sent = { name: 'Portal', addresses: null, burst: 7, brands: ['aldermoor'] }
    assert.deepEqual(changesOf(key, form), sent)
    assert.deepEqual(changesOf(key, { ...formOf(key), isGlobal: true }), {
      ...{ name: 'Portal', global: true },
    })
    assert.deepEqual(changesOf(key, { ...formOf(key), expiry: 'never' }), {
      ...{ name: 'Portal', expires: null },
    })
  })

  it('gains no groups if it has both limits', () => {
    const limits = { onlyGroups: ['domain:sourcing'], withoutGroups: ['vendors'] }
    const both: OperatorKey = { ...key, ...limits }
    assert.deepEqual(changesOf(both, formOf(both)), { name: 'Portal' })
    assert.deepEqual(changesOf(both, { ...formOf(both), groups: ['orders'] }), {
      ...{ name: 'Portal', onlyGroups: ['orders'] },
    })
    assert.deepEqual(changesOf(both, { ...formOf(both), groupLimit: 'all' }), {
      ...{ name: 'Portal', onlyGroups: null, withoutGroups: null },
    })
    const without = { ...formOf(both), groupLimit: 'without', groups: ['orders'] } as const
    assert.deepEqual(changesOf(both, without), {
      ...{ name: 'Portal', onlyGroups: null, withoutGroups: ['orders'] },
    })
  })
})

describe('the actions of a key', () => {
  it('rotate a valid key only: a successor expires when the key does', () => {
    assert.deepEqual(keyActions({ state: 'good' }), ['update', 'rotate', 'revoke'])
    assert.deepEqual(keyActions({ state: 'expired' }), ['update', 'revoke'])
    assert.deepEqual(keyActions({ state: 'replaced' }), ['update', 'revoke'])
    assert.deepEqual(keyActions({ state: 'revoked' }), [])
  })
})
