import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { ApiError, groupScopeOf, limits, wholeScope } from '#contract'
import { createCursors } from '../../src/cursors/cursor.ts'
import { createFeedCursors } from '../../src/cursors/feed-cursor.ts'

const walk = { brand: 'first', collection: 'orders', filters: new Map([['status', 'open']]) }
const after = ['5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01']
const invalid = {
  code: 'invalid_cursor',
  message:
    'The cursor is not one that this server issued. Use nextCursor as it was given, or leave it out.',
  details: [{ parameter: 'cursor', issue: 'is not one that this server issued' }],
}

/** A cursor made by hand, from the words of the format and Node's own HMAC. */
const byHand = (secret: string, canonical: string, payload: string, version = 1): string => {
  const digest = (text: string) => createHash('sha256').update(text).digest().subarray(0, 8)
  const key = createHash('sha256').update(`cursor ${secret}`).digest()
  const bytes = Buffer.concat([
    Buffer.of(version),
    ...[walk.brand, walk.collection, canonical].map(digest),
    Buffer.from(payload),
  ])
  const mac = createHmac('sha256', key).update(bytes).digest().subarray(0, 16)
  return Buffer.concat([bytes, mac]).toString('base64url')
}

const canonical = '[["status","open"]]'

describe('a cursor', () => {
  it('a cursor opens to the key that it was sealed with', () => {
    const cursors = createCursors('a secret')
    assert.deepEqual(cursors.open(walk, cursors.seal(walk, after)), after)
    assert.deepEqual(createCursors('a secret').open(walk, cursors.seal(walk, after)), after)
  })

  it('its bytes are version, digests of the walk, key and HMAC-SHA-256', () => {
    const cursors = createCursors('a secret')
    const made = byHand('a secret', canonical, JSON.stringify(after))
    assert.equal(cursors.seal(walk, after), made)
    assert.equal(cursors.seal(walk, after), made, 'the second time too')
    assert.deepEqual(cursors.open(walk, made), after)
    const bare = { ...walk, filters: new Map() }
    assert.equal(cursors.seal(bare, after), byHand('a secret', '[]', JSON.stringify(after)))
  })

  it('another version is refused, though its code is right', () => {
    for (const version of [0, 2]) {
      const made = byHand('a secret', canonical, JSON.stringify(after), version)
      assert.throws(() => createCursors('a secret').open(walk, made), invalid)
    }
  })

  it('a cursor without a key in it is refused, and the shortest key is taken', () => {
    const cursors = createCursors('a secret')
    assert.throws(() => cursors.open(walk, byHand('a secret', canonical, '')), invalid)
    assert.equal(cursors.open(walk, byHand('a secret', canonical, '7')), 7)
  })

  it('the order of filters does not matter, their values do', () => {
    const cursors = createCursors('a secret')
    const two = (...entries: [string, string | number][]) => ({
      ...walk,
      filters: new Map<string, string | number>(entries),
    })
    const sealed = cursors.seal(two(['b', 1], ['a', 'x'], ['c', 2]), after)
    const sorted = '[["a","x"],["b",1],["c",2]]'
    assert.equal(sealed, byHand('a secret', sorted, JSON.stringify(after)))
    assert.deepEqual(cursors.open(two(['a', 'x'], ['c', 2], ['b', 1]), sealed), after)
    assert.deepEqual(cursors.open(two(['c', 2], ['b', 1], ['a', 'x']), sealed), after)
    assert.throws(() => cursors.open(two(['a', 'x'], ['b', '1'], ['c', 2]), sealed), {
      code: 'cursor_mismatch',
    })
  })

  it('a cursor of another walk is refused with what differs', () => {
    const cursors = createCursors('a secret')
    const sealed = cursors.seal(walk, after)
    const tries = [
      [{ ...walk, brand: 'second' }, ['brand'], 'another brand'],
      [{ ...walk, collection: 'tags' }, ['collection'], 'another collection'],
      [{ ...walk, filters: new Map() }, ['filters'], 'other filters'],
      [
        { brand: 'second', collection: 'tags', filters: new Map() },
        ['brand', 'collection', 'filters'],
        'another brand and another collection and other filters',
      ],
    ] as const
    for (const [other, different, words] of tries) {
      assert.throws(
        () => cursors.open(other, sealed),
        (error) => {
          assert.ok(error instanceof ApiError)
          assert.equal(error.code, 'cursor_mismatch')
          assert.deepEqual(error.details, { different })
          assert.equal(
            error.message,
            `The cursor was issued for ${words}. Use it with the same path and filters as the page it came from, or leave it out.`,
          )
          return true
        },
      )
    }
  })

  it('another secret, a changed byte, another alphabet and padding are refused', () => {
    const cursors = createCursors('a secret')
    const sealed = cursors.seal(walk, after)
    assert.throws(() => createCursors('another').open(walk, sealed), invalid)
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      assert.throws(() => cursors.open(walk, changed), invalid)
    }
    for (const odd of ['', 'A', `${sealed}=`, `${sealed}!`, ` ${sealed}`, `${sealed}A`, 'null'])
      assert.throws(() => cursors.open(walk, odd), invalid)
    for (let bytes = 0; bytes < 45; bytes += 1) {
      const short = Buffer.alloc(bytes, 1).toString('base64url')
      assert.throws(() => cursors.open(walk, short), invalid)
    }
  })

  it('a cursor as long as the limit is looked at, a longer one is not', () => {
    const cursors = createCursors('a secret')
    // 41 bytes beside the payload: 6144 bytes are 8192 characters.
    const payload = (length: number) => JSON.stringify(['x'.repeat(length - 41 - 4)])
    const longest = byHand('a secret', canonical, payload(6_144))
    assert.equal(longest.length, limits.cursor.maxLength)
    assert.equal(cursors.open(walk, longest).length, 1)
    const longer = byHand('a secret', canonical, payload(6_145))
    assert.throws(() => cursors.open(walk, longer), invalid)
  })

  it('thousands of walks are told apart', () => {
    const cursors = createCursors('a secret')
    const brands = Array.from({ length: 2_500 }, (_, index) => ({ ...walk, brand: `b${index}` }))
    const sealed = brands.map((each) => cursors.seal(each, after))
    assert.equal(new Set(sealed).size, brands.length)
    for (const index of [0, 999, 1_000, 2_499]) {
      assert.deepEqual(cursors.open(brands[index] ?? walk, sealed[index] ?? ''), after)
    }
  })

  it('a last character with bits beyond the last byte is refused', () => {
    const cursors = createCursors('a secret')
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const rests = new Set<number>()
    for (let length = 1; length <= 200; length += 1) {
      const made = cursors.seal(walk, ['x'.repeat(length)])
      assert.deepEqual(cursors.open(walk, made), ['x'.repeat(length)])
      rests.add(made.length % 4)
      for (const digit of digits) {
        const changed = made.slice(0, -1) + digit
        if (changed !== made) assert.throws(() => cursors.open(walk, changed), invalid)
      }
    }
    assert.deepEqual([...rests].sort(), [0, 2, 3])
  })

  it('where one part of a walk ends and the next begins matters', () => {
    const cursors = createCursors('a secret')
    const sealed = cursors.seal({ ...walk, brand: 'a', collection: 'bc' }, after)
    assert.throws(() => cursors.open({ ...walk, brand: 'ab', collection: 'c' }, sealed), {
      code: 'cursor_mismatch',
    })
  })
})

describe('a cursor of the change feed', () => {
  const cursors = createFeedCursors('a secret')
  const position = { change: 7, collection: 'orders', key: after }
  const limited = (...onlyGroups: string[]) => groupScopeOf({ onlyGroups, withoutGroups: null })
  const feed = { brand: 'first', collection: null, scope: limited('orders') }

  it('of a key without limits, or of one collection, has the bytes of version 0.2.0', () => {
    const payload = JSON.stringify(['7', 'orders', ...after])
    for (const scope of [wholeScope, limited('orders')]) {
      const sealed = cursors.seal({ ...feed, collection: 'orders', scope }, position)
      assert.equal(sealed, byHand('feed a secret', '[]', payload))
    }
    const whole = { ...feed, scope: wholeScope }
    const before = createCursors('feed a secret').seal(
      { brand: 'first', collection: '', filters: new Map() },
      ['7', 'orders', ...after],
    )
    assert.deepEqual(cursors.open(whole, before), position)
  })

  it('says that the groups of its key have changed', () => {
    const sealed = cursors.seal(feed, position)
    assert.deepEqual(cursors.open(feed, sealed), position)
    for (const scope of [wholeScope, limited('orders', 'tags')]) {
      assert.throws(() => cursors.open({ ...feed, scope }, sealed), {
        code: 'cursor_mismatch',
        message:
          'The cursor was issued for a key with other groups. Use it with the same path, collection and groups as the page it came from, or leave it out.',
        details: { different: ['groups'] },
      })
    }
  })
})
