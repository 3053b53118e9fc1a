import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import type { KeyRecord } from '#keys'
import {
  describeFinding,
  isValid,
  type ReviewParts,
  reviewKey,
} from '../../src/operator/key-review.ts'

const now = Date.parse('2026-11-18T12:00:00.000Z')
const daysFromNow = (days: number) => new Date(now + days * 86_400_000).toISOString()

const key = (changes: Partial<KeyRecord> = {}): KeyRecord => ({
  ...{ id: 'key_1', name: 'One', kind: 'read', brands: ['first'], global: false },
  ...{ collections: null, webhook: false, onlyGroups: ['tags', 'orders'], withoutGroups: null },
  ...{ addresses: null, createdAt: daysFromNow(-200), expiresAt: daysFromNow(100) },
  ...{ revokedAt: null, lastUsedAt: daysFromNow(-1), perSecond: null, burst: null },
  successorId: null,
  ...changes,
})

const use = (brands: readonly string[], groups: readonly string[], hasReadAcross = false) => ({
  ...{ brands: new Set(brands), groups: new Set(groups), hasReadAcross },
  lastDay: '2026-11-17',
})

const everything = use(['first'], ['tags', 'orders'])

const findingsOf = (reviewed: KeyRecord, used: ReturnType<typeof use> | null = everything) => {
  const uses: ReviewParts['uses'] = new Map(used ? [['key_1', used]] : [])
  return reviewKey(reviewed, { now, brands: ['first', 'second'], uses }).map(describeFinding)
}

describe('the review of a key', () => {
  it('has nothing to say about a key that uses all it may, and expires', () => {
    assert.deepEqual(findingsOf(key()), [])
    // One that is new cannot have been used for long.
    const created = key({ createdAt: daysFromNow(-89), lastUsedAt: null })
    assert.deepEqual(findingsOf(created), [])
  })

  it('finds keys that are not used, that never expire, or soon, and global ones', () => {
    assert.deepEqual(findingsOf(key({ lastUsedAt: daysFromNow(-91) }), null), [
      'not used for 90 days, last on 2026-08-19',
    ])
    assert.deepEqual(findingsOf(key({ lastUsedAt: null }), null), [
      'not used for 90 days, never used',
    ])
    assert.deepEqual(findingsOf(key({ expiresAt: null })), ['never expires'])
    assert.deepEqual(findingsOf(key({ expiresAt: daysFromNow(29) })), ['expires on 2026-12-17'])
    assert.deepEqual(findingsOf(key({ expiresAt: daysFromNow(31) })), [])
    assert.deepEqual(
      findingsOf(key({ global: true, brands: [] }), use(['first', 'second'], ['tags', 'orders'])),
      ['can read every brand'],
    )
  })

  it('names the brands and groups that a key did not use', () => {
    assert.deepEqual(findingsOf(key({ brands: ['first', 'third'] }), use(['first'], ['tags'])), [
      'did not use in 90 days: brand third; group orders',
    ])
    const [, wide] = findingsOf(key({ global: true, brands: [] }), use(['second'], ['orders']))
    assert.equal(wide, 'did not use in 90 days: brand first; group tags')
    const finance = catalog.resources.filter(({ domain }) => domain === 'finance')
    const [domain] = findingsOf(
      key({ onlyGroups: ['tags', 'orders', 'domain:finance'] }),
      everything,
    )
    assert.equal(domain, 'did not use in 90 days: group domain:finance')
    const used = use(['first'], ['tags', 'orders', 'payments'])
    const [some] = findingsOf(key({ onlyGroups: ['tags', 'orders', 'domain:finance'] }), used)
    const others = finance.map(({ path }) => path).filter((path) => path !== 'payments')
    assert.equal(some, `did not use in 90 days: groups ${others.join(', ')}`)
  })

  it('does not guess which groups a key needs that reads across them, or sends records', () => {
    assert.deepEqual(findingsOf(key({ onlyGroups: null }), use(['first'], [], true)), [])
    const sender = key({ kind: 'ingest', onlyGroups: null, collections: ['tags'] })
    assert.deepEqual(findingsOf(sender, use(['first'], [])), [])
  })

  it('says so where no usage was recorded', () => {
    assert.deepEqual(findingsOf(key(), null), ['no usage recorded in 90 days'])
  })

  it('leaves out keys that are not valid', () => {
    assert.equal(isValid(key(), now), true)
    assert.equal(isValid(key({ revokedAt: daysFromNow(-1) }), now), false)
    assert.equal(isValid(key({ expiresAt: daysFromNow(0) }), now), false)
  })
})
