/** Cursors: what they are bound to, what they survive, and that no other one is taken. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError, catalog, resourceAt } from '#contract'
import { openStory } from '#demo'
import { sharedOwner } from '#store'
import { createCursors } from '../../src/cursors/cursor.ts'
import { brandRecord, eachOf, idOf, lists, recordsAt, walk } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
const everywhere = await service.key()
const [tag] = recordsAt('tags')
const tags = Array.from({ length: 12 }, (_, index) => ({
  ...tag,
  id: idOf(index + 1),
  name: index % 2 === 0 ? 'Core' : 'core',
  code: 'same',
}))
for (const [index, brand] of ['first', 'second'].entries()) {
  await service.write(brand, { brand: [brandRecord(brand, index + 1)], tags })
}
after(() => service.close())

const at = (brand: string, rest: string) => `/api/public/v1/brands/${brand}/${rest}`
const ask = (rest: string, brand = 'first') => service.get(at(brand, rest), { key: everywhere })

/** The cursor of the second page. */
const cursorOf = async (rest: string, brand = 'first'): Promise<string> => {
  const { body, text } = await ask(rest, brand)
  assert.ok(body.nextCursor, text.slice(0, 200))
  return body.nextCursor
}

describe('a cursor', () => {
  const filtered = 'tags?limit=2&name=Core'

  it('is opaque, URL-safe and not long', async () => {
    const cursor = await cursorOf(filtered)
    assert.match(cursor, /^[A-Za-z0-9_-]+$/)
    assert.ok(cursor.length < 200)
    assert.ok(!Buffer.from(cursor, 'base64url').toString('latin1').includes('Core'))
  })

  it('continues where the page ended', async () => {
    const cursor = await cursorOf(filtered)
    const { body } = await ask(`${filtered}&cursor=${cursor}`)
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [idOf(5), idOf(7)],
    )
  })

  it('gives the same page each time it is used', async () => {
    const cursor = await cursorOf(filtered)
    const first = await ask(`${filtered}&cursor=${cursor}`)
    for (let times = 0; times < 3; times += 1) {
      const again = await ask(`${filtered}&cursor=${cursor}`)
      assert.equal(again.text, first.text)
      assert.equal(again.headers.get('etag'), first.headers.get('etag'))
    }
    assert.equal(await cursorOf(filtered), cursor)
  })

  for (const [difference, rest, brand, different] of [
    ['another filter', 'tags?code=same', 'first', ['filters']],
    ['no filter', 'tags?limit=2', 'first', ['filters']],
    ['a filter more', 'tags?name=Core&code=same', 'first', ['filters']],
    ['another value', 'tags?name=Other', 'first', ['filters']],
    ['a value in another case', 'tags?name=core', 'first', ['filters']],
    ['a value with a space more', 'tags?name=Core%20', 'first', ['filters']],
    ['another brand', 'tags?name=Core', 'second', ['brand']],
    ['another collection', 'colors?name=Core', 'first', ['collection']],
    ['another collection and filter', 'options?limit=2', 'first', ['collection', 'filters']],
    ['everything else', 'options?limit=2', 'second', ['brand', 'collection', 'filters']],
    ['another brand and filter', 'tags?limit=2', 'second', ['brand', 'filters']],
  ] as const) {
    it(`used with ${difference} is refused, saying so`, async () => {
      const cursor = await cursorOf(filtered)
      const { status, body, text } = await ask(`${rest}&cursor=${cursor}`, brand)
      assert.equal(status, 400, text.slice(0, 200))
      assert.equal(body.errorCode, 'cursor_mismatch')
      assert.deepEqual(body.details, { different })
      for (const part of different) assert.match(body.error, new RegExp(`other ${part}`))
    })
  }

  it('of a walk without filters is refused with one', async () => {
    const cursor = await cursorOf('tags?limit=2')
    const { body } = await ask(`tags?name=Core&cursor=${cursor}`)
    assert.deepEqual(
      [body.errorCode, body.details],
      ['cursor_mismatch', { different: ['filters'] }],
    )
  })

  it('is refused in each of the other lists', async () => {
    const cursor = await cursorOf('tags?limit=2')
    await eachOf(lists, async ({ path }) => {
      const { status, body } = await ask(`${path}?cursor=${cursor}`)
      if (path === 'tags') assert.equal(status, 200)
      else assert.deepEqual(body.details, { different: ['collection'] }, path)
    })
  })

  it('of a shared collection is still the brand’s own', async () => {
    const cursor = await cursorOf('countries?limit=2')
    const { body } = await ask(`countries?limit=2&cursor=${cursor}`, 'second')
    assert.deepEqual([body.errorCode, body.details], ['cursor_mismatch', { different: ['brand'] }])
  })

  it('of a number is not that of the same digits as text', async () => {
    const walkOf = (value: string | number) => ({
      brand: 'first',
      collection: 'production-runs',
      filters: new Map([['runNumber', value]]),
    })
    const cursors = createCursors('secret')
    const cursor = cursors.seal(walkOf(1), [idOf(1)])
    assert.throws(() => cursors.open(walkOf('1'), cursor), { code: 'cursor_mismatch' })
    assert.deepEqual(cursors.open(walkOf(1), cursor), [idOf(1)])
  })

  for (const [sameness, first, then] of [
    [
      'the filters in another order',
      'tags?limit=2&name=Core&code=same',
      'tags?code=same&name=Core&limit=2',
    ],
    ['another percent-encoding', 'tags?limit=2&name=Core', 'tags?limit=2&n%61me=%43%6F%72e'],
    ['another limit', 'tags?limit=2&name=Core', 'tags?limit=3&name=Core'],
    ['no limit', 'tags?limit=2&name=Core', 'tags?name=Core'],
  ] as const) {
    it(`is good with ${sameness}`, async () => {
      const cursor = await cursorOf(first)
      const { status, body, text } = await ask(`${then}&cursor=${cursor}`)
      assert.equal(status, 200, text)
      assert.equal(body.items[0].id, idOf(5))
      assert.equal((await ask(`cursor=${cursor}&`.replace(/^/, `${then}&`))).status, 200)
    })
  }

  it('is good with another include, or none', async () => {
    const { body } = await service.get('order-items?limit=2&include=order')
    const cursor = body.nextCursor
    const expected = recordsAt('order-items')[2]?.['id']
    for (const rest of ['', '&include=sku', '&include=order,sku', '&include=order']) {
      const next = await service.get(`order-items?limit=2&cursor=${cursor}${rest}`)
      assert.equal(next.status, 200, next.text)
      assert.equal(next.body.items[0].id, expected)
    }
  })

  it('reads on after the record it points at is gone', async () => {
    const brand = 'thinning'
    await service.write(brand, { brand: [brandRecord(brand, 3)], tags })
    const cursor = await cursorOf('tags?limit=4', brand)
    const resource = resourceAt(catalog, 'tags')
    await service.records.store.write(brand, async (writer) => {
      await writer.stageRemoval(resource, [[idOf(4)], [idOf(5)], [idOf(1)]])
      await writer.merge(resource)
    })
    const { body } = await ask(`tags?limit=4&cursor=${cursor}`, brand)
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [6, 7, 8, 9].map(idOf),
    )
    assert.equal(body.totalItems, 9)
  })

  it('at the end of what is left gives an empty last page', async () => {
    const brand = 'emptying'
    await service.write(brand, { brand: [brandRecord(brand, 4)], tags })
    const cursor = await cursorOf('tags?limit=4', brand)
    const resource = resourceAt(catalog, 'tags')
    await service.records.store.write(brand, async (writer) => {
      await writer.stage(resource, tags.slice(0, 2))
      await writer.merge(resource, { replace: true })
    })
    const { text } = await ask(`tags?limit=4&cursor=${cursor}`, brand)
    assert.equal(text, '{"items":[],"nextCursor":null,"totalItems":2}')
  })

  it('survives a restart of the service, and serves another node of the same database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-'))
    try {
      const before = await openTestService({}, { story: false, folder })
      const { brand, records, shared } = await openStory()
      await before.write(sharedOwner, shared)
      await before.write(brand, records)
      const key = await before.key(brand)
      const first = await before.get('countries?limit=100', { key })
      const cursor = first.body.nextCursor
      const second = await before.get(`countries?limit=100&cursor=${cursor}`, { key })
      const other = await openTestService({}, { story: false, folder })
      const beside = await other.get(`countries?limit=100&cursor=${cursor}`, { key })
      assert.equal(beside.text, second.text)
      await other.close()
      await before.close()
      const reopened = await openTestService({}, { story: false, folder })
      const again = await reopened.get(`countries?limit=100&cursor=${cursor}`, { key })
      assert.equal(again.status, 200, again.text)
      assert.equal(again.text, second.text)
      assert.equal((await reopened.get('countries?limit=100', { key })).text, first.text)
      await reopened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('of another database is not one of ours', async () => {
    const other = createCursors('another secret').seal(
      { brand: 'first', collection: 'tags', filters: new Map() },
      [idOf(2)],
    )
    const { body } = await ask(`tags?cursor=${other}`)
    assert.equal(body.errorCode, 'invalid_cursor')
  })

  it('walks identities of long texts to their end', async () => {
    const brand = 'wordy'
    const [price] = recordsAt('product-option-prices')
    // As long as a text can be that a filter finds.
    const long = (first: string) => first + '🧵'.repeat(254)
    const prices = ['a', 'b', 'c'].map((each) => ({
      ...price,
      kind: long(each),
      currency: long(each),
    }))
    await service.write(brand, {
      brand: [brandRecord(brand, 5)],
      'product-option-prices': prices,
    })
    const path = at(brand, 'product-option-prices')
    const { items } = await walk(service, path, { limit: 1 }, { key: everywhere })
    assert.deepEqual(items, prices)
  })
})

describe('what is not a cursor', () => {
  const refused = async (cursor: string, why: string) => {
    const { status, body } = await ask(`tags?limit=2&cursor=${cursor}`)
    assert.equal(status, 400, why)
    assert.equal(body.errorCode, 'invalid_cursor', why)
    const issue = 'is not one that this server issued'
    assert.deepEqual(body.details, [{ parameter: 'cursor', issue }], why)
  }

  for (const garbage of [
    'null',
    'undefined',
    '0',
    'a',
    '-',
    '_'.repeat(59),
    'AAAA',
    'e30',
    'bnVsbA',
    '../../etc/passwd',
    '%22%22',
    '%7B%7D',
    '%20',
    '日本'.replaceAll(/./gu, (each) => encodeURIComponent(each)),
    '%E2%80%8B',
    '__proto__',
    'a'.repeat(2_048),
    'a'.repeat(2_049),
    'a'.repeat(10_000),
    idOf(1),
  ]) {
    it(`is refused: ${garbage.slice(0, 40)}`, () => refused(garbage, garbage.slice(0, 40)))
  }

  it('is refused when it is 64 KiB long, as a request too large', async () => {
    const response = await fetch(
      `${service.url}${at('first', 'tags')}?cursor=${'A'.repeat(65_536)}`,
    )
    const { errorCode } = (await response.json()) as { errorCode: string }
    assert.deepEqual([response.status, errorCode], [431, 'headers_too_large'])
  })

  it('is an invalid parameter when it is empty', async () => {
    for (const query of ['cursor=', 'cursor']) {
      const { body } = await ask(`tags?${query}`)
      assert.equal(body.errorCode, 'invalid_parameter')
      assert.equal(body.details[0].parameter, 'cursor')
    }
  })

  it('is every cursor with one bit flipped', async () => {
    const bytes = Buffer.from(await cursorOf('tags?limit=2'), 'base64url')
    const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return copy.toString('base64url')
    })
    assert.equal(new Set(flipped).size, bytes.length * 8)
    await eachOf(flipped, (cursor) => refused(cursor, cursor))
  })

  it('is every cursor cut short at either end', async () => {
    const cursor = await cursorOf('tags?limit=2')
    const cuts = Array.from(cursor.slice(1), (_, index) => [
      cursor.slice(0, index + 1),
      cursor.slice(index + 1),
    ]).flat()
    await eachOf(cuts, (each) => refused(each, each))
  })

  it('is every cursor with a character more, fewer or other', async () => {
    const cursor = await cursorOf('tags?limit=2')
    const characters = 'ABab01-_'
    const changed = [
      ...Array.from(characters, (each) => cursor + each),
      ...Array.from(characters, (each) => each + cursor),
      ...Array.from(cursor, (_, index) => cursor.slice(0, index) + cursor.slice(index + 1)),
      ...Array.from(cursor, (each, index) =>
        [...characters]
          .filter((other) => other !== each)
          .map((other) => cursor.slice(0, index) + other + cursor.slice(index + 1)),
      ).flat(),
      cursor + cursor,
      [...cursor].reverse().join(''),
    ]
    await eachOf(changed, (each) => refused(each, each))
  })

  it('is a cursor written in another base64', async () => {
    // A cursor with both of the characters that the alphabets differ in.
    let cursor = ''
    for (let limit = 1; limit < 12 && !(cursor.includes('-') && cursor.includes('_')); limit += 1) {
      cursor = await cursorOf(`tags?limit=${limit}`)
    }
    const plain = cursor.replaceAll('-', '+').replaceAll('_', '/')
    const escaped = (text: string) => encodeURIComponent(text)
    for (const variant of [
      `${cursor}=`,
      `${cursor}==`,
      `${cursor}%3D`,
      ...(plain === cursor ? [] : [escaped(plain), plain]),
      `${cursor}%0A`,
      `%20${cursor}`,
      `${cursor}!!`,
      `${cursor}.`,
      `${cursor.slice(0, 9)}%0A${cursor.slice(9)}`,
      cursor.toLowerCase(),
      encodeURIComponent(`"${cursor}"`),
    ]) {
      await refused(variant, variant)
    }
  })

  it('is a cursor whose unused last bits are set', () => {
    const cursors = createCursors('secret')
    const one = { brand: 'b', collection: 'tags', filters: new Map() }
    for (const text of ['', 'a', 'ab', 'abc']) {
      const cursor = cursors.seal(one, [text])
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      for (const last of alphabet) {
        const other = cursor.slice(0, -1) + last
        if (other === cursor) assert.deepEqual(cursors.open(one, other), [text])
        else assert.throws(() => cursors.open(one, other), { code: 'invalid_cursor' })
      }
    }
  })
})

describe('sealing and opening', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 })
  const filters = fc
    .array(fc.tuple(fc.string({ maxLength: 12 }), fc.oneof(texts, fc.nat())), { maxLength: 5 })
    .map((pairs) => new Map(pairs))
  const walks = fc.record({ brand: texts, collection: texts, filters })
  const keys = fc.array(texts, { minLength: 1, maxLength: 4 })
  const cursors = createCursors('a secret of the database')

  it('gives back the identity, however many parts it has', () => {
    fc.assert(
      fc.property(walks, keys, (one, key) => {
        assert.deepEqual(cursors.open(one, cursors.seal(one, key)), key)
      }),
      { numRuns: 1_000 },
    )
  })

  it('does not care for the order of filters', () => {
    fc.assert(
      fc.property(walks, keys, (one, key) => {
        const turned = { ...one, filters: new Map([...one.filters].reverse()) }
        assert.deepEqual(cursors.open(turned, cursors.seal(one, key)), key)
      }),
      { numRuns: 300 },
    )
  })

  it('gives it back for no other walk', () => {
    const canonical = (one: { brand: string; collection: string; filters: Map<string, unknown> }) =>
      JSON.stringify([one.brand, one.collection, [...one.filters].sort()])
    fc.assert(
      fc.property(walks, walks, keys, (one, other, key) => {
        fc.pre(canonical(one) !== canonical(other))
        assert.throws(
          () => cursors.open(other, cursors.seal(one, key)),
          (error) => error instanceof ApiError && error.code === 'cursor_mismatch',
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives nothing for any other text', () => {
    fc.assert(
      fc.property(walks, fc.string({ maxLength: 200 }), (one, text) => {
        assert.throws(
          () => cursors.open(one, text),
          (error) => error instanceof ApiError && error.code === 'invalid_cursor',
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives nothing for a cursor that was changed anywhere', () => {
    fc.assert(
      fc.property(walks, keys, fc.nat(), fc.integer({ min: 1, max: 255 }), (one, key, at, by) => {
        const bytes = Buffer.from(cursors.seal(one, key), 'base64url')
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by
        assert.throws(() => cursors.open(one, bytes.toString('base64url')), {
          code: 'invalid_cursor',
        })
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives nothing under another secret', () => {
    fc.assert(
      fc.property(walks, keys, fc.string(), (one, key, secret) => {
        fc.pre(secret !== 'a secret of the database')
        assert.throws(() => createCursors(secret).open(one, cursors.seal(one, key)), {
          code: 'invalid_cursor',
        })
      }),
      { numRuns: 200 },
    )
  })
})
