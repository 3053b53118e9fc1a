import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { id, nullable, type Resource, ref, text } from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { inlineBytesMax } from '../../../src/store/read/list.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import { NewerDatabaseError } from '../../../src/store/schema/schema-version.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { assertIndex, namesOf, searchModel } from '../../support/search-model.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const mills = resource({
  ...described,
  group: 'Mills',
  path: 'mills',
  name: 'Mill',
  scope: 'brand',
  fields: { id: id(), code: text(), name: nullable(text()), reference: nullable(text()) },
  filters: ['code'],
  searchable: ['code', 'name', 'reference'],
})

const bales = resource({
  ...described,
  group: 'Bales',
  path: 'bales',
  name: 'Bale',
  scope: 'brand',
  key: ['millId', 'number'],
  fields: { millId: ref('mills'), number: text(), label: nullable(text()) },
  filters: ['label'],
  searchable: ['number', 'label'],
})

const ports = resource({
  ...described,
  group: 'Ports',
  path: 'ports',
  name: 'Port',
  scope: 'shared',
  key: ['code'],
  idPattern: '^[A-Z]{2}$',
  fields: { code: text(), name: text() },
  searchable: ['code', 'name'],
})

const catalog = joinCatalog([brand, mills, bales, ports])

const mill = (n: number, changed: object = {}) => ({
  id: uuid(n),
  code: `M-${n}`,
  name: null,
  reference: null,
  ...changed,
})

/** The same numbers each time, so that a failure can be looked into. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % below
  }
}

const pieces = [
  'PO',
  '55',
  '5512',
  'Costa',
  'costas',
  'Filhos',
  'Łódź',
  "O'Neill",
  '宁波',
  '波港',
  'MSKU1234565',
  '1Z',
  '999',
  'a',
  'Oxford',
  'shirt',
  'Öx',
  '-',
  '/',
  '&',
  '7',
  'x1',
  '𠀀',
  'ß',
]

/** What search promises, on every engine. */
export const searchConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`search on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
    })
    after(() => opened.close())

    const put = (owner: string, into: Resource, records: object[], replace = false) =>
      store.write(owner, async (writer) => {
        await writer.stage(into, records as never)
        return writer.merge(into, { replace })
      })
    const find = (
      of: string,
      query: string,
      groups: readonly Resource[] | null = null,
      limit = 50,
    ) => store.search.find({ brand: of, query, limit, groups })
    const foundBy = async (...ask: Parameters<typeof find>) => namesOf(await find(...ask))
    const millName = (n: number) => `mills ${uuid(n)}`

    it('finds a number however it is written, the exact one first', async () => {
      await put('one', mills, [mill(1, { code: 'PO-5512' }), mill(2, { code: 'PO-55123' })])
      for (const query of ['PO-5512', 'po5512', 'po 5512', ' Po – 5512 ']) {
        assert.deepEqual(await foundBy('one', query), [millName(1), millName(2)], query)
      }
      assert.deepEqual(await foundBy('one', '5512'), [millName(1), millName(2)])
      assert.deepEqual(await foundBy('one', '512'), [])
    })

    it('says by which value a record was found', async () => {
      await put('value', mills, [mill(1, { name: 'Costa & Filhos', reference: 'REF-77' })])
      const [byName] = (await find('value', 'filhos')).results
      assert.equal(byName?.field, 'name')
      assert.equal(byName?.value, 'Costa & Filhos')
      assert.equal(byName?.match.kind, 'word')
      assert.equal(JSON.parse(decodeBody(byName?.body ?? Buffer.of())).reference, 'REF-77')
      const [byReference] = (await find('value', 'ref 77')).results
      assert.deepEqual([byReference?.field, byReference?.match.kind], ['reference', 'exact'])
    })

    it('finds shared records, and those of the brand alone', async () => {
      await put(sharedOwner, ports, [{ code: 'NB', name: 'Ningbo 宁波港' }])
      await put('mine', mills, [mill(1, { name: 'Ningbo mill' })])
      await put('theirs', mills, [mill(2, { name: 'Ningbo mill' })])
      assert.deepEqual(await foundBy('mine', 'ningbo'), [millName(1), 'ports NB'])
      assert.deepEqual(await foundBy('theirs', 'ningbo'), [millName(2), 'ports NB'])
      assert.deepEqual(await foundBy('neither', 'ningbo'), ['ports NB'])
      assert.deepEqual(await foundBy('mine', '波港'), ['ports NB'])
    })

    it('has the record of the brand before a shorter name that all share, but not before the exact one', async () => {
      await put(sharedOwner, ports, [{ code: 'CR', name: 'Costa Rica' }])
      await put('costa', mills, [mill(1, { name: 'Costa & Filhos, Lda.' })])
      assert.deepEqual(await foundBy('costa', 'costa'), [millName(1), 'ports CR'])
      const exact = await find('costa', 'costa rica')
      assert.deepEqual([namesOf(exact), exact.results[0]?.match.kind], [['ports CR'], 'exact'])
      await put('costa', mills, [mill(2, { name: 'Costa Rica mill' })])
      assert.deepEqual(await foundBy('costa', 'costa rica'), ['ports CR', millName(2)])
    })

    it('has the record first whose whole value is the query, of any length', async () => {
      const shirt = 'Orchard band-collar shirt, Navy 藍'
      const sizes = ['M', 'L', 'S', 'XXL', 'XS', 'XL', 'Sm']
      await put(
        'whole',
        mills,
        sizes.map((size, n) => mill(n + 1, { name: `${shirt}, ${size}`, reference: `R${n}00` })),
      )
      for (const [n, size] of sizes.entries()) {
        const { results } = await find('whole', `${shirt}, ${size}`, null, 3)
        assert.deepEqual(results[0]?.identity, [uuid(n + 1)], size)
        assert.equal(results[0]?.match.kind, 'exact')
        assert.notEqual(results[1]?.match.kind, 'exact')
      }
      // Then those that continue like the query.
      const { results } = await find('whole', `${shirt}, X`)
      const names = results.map(({ value }) => value.slice(shirt.length + 2))
      assert.deepEqual(new Set(names.slice(0, 3)), new Set(['XXL', 'XS', 'XL']))
      assert.equal(names.length, sizes.length)
      await put('whole', mills, [mill(20, { code: 'A-B-1' }), mill(21, { name: 'a_b' })])
      assert.deepEqual(await foundBy('whole', 'a b'), [millName(21), millName(20)])
    })

    it('has its results in the order of their kinds, also where entries are left unread', async () => {
      // The names come first in the index, so that not every number is read there.
      const cloths = Array.from({ length: 6 }, (_, n) =>
        mill(n + 1, { code: `DENIM-39${n}`, name: `Denim a${n} cloth` }),
      )
      await put('kinds', mills, [...cloths, mill(50, { code: 'D-1', name: 'Denim a' })])
      for (const limit of [2, 3, 5, 7]) {
        const { results } = await find('kinds', 'denim', null, limit)
        const orders = results.map(({ match }) => match.order)
        assert.deepEqual(
          orders,
          orders.toSorted((one, other) => one - other),
        )
      }
    })

    it('finds the records of a brand whatever others have', async () => {
      const many = Array.from({ length: 60 }, (_, n) => mill(n + 1, { name: `Crowded ${n}` }))
      await put('crowd', mills, many)
      await put('alone', mills, [mill(900, { name: 'Crowded out' })])
      const page = await find('alone', 'crowded', null, 1)
      assert.deepEqual([namesOf(page), page.isComplete], [[millName(900)], true])
    })

    it('searches some of the groups', async () => {
      await put('groups', mills, [mill(1, { name: 'Linen' })])
      await put('groups', bales, [{ millId: uuid(1), number: 'B-1', label: 'Linen' }])
      assert.deepEqual(await foundBy('groups', 'linen', [bales]), [`bales ${uuid(1)} B-1`])
      assert.deepEqual(await foundBy('groups', 'linen', [brand]), [])
      assert.equal((await foundBy('groups', 'linen')).length, 2)
    })

    it('takes turns among groups whose records match equally well', async () => {
      const number = 'MSKU1234565'
      await put(
        'turns',
        mills,
        [1, 2, 3].map((n) => mill(n, { reference: number })),
      )
      await put('turns', bales, [{ millId: uuid(1), number, label: null }])
      assert.deepEqual(await foundBy('turns', number, null, 2), [
        millName(1),
        `bales ${uuid(1)} ${number}`,
      ])
      assert.equal((await find('turns', number, null, 2)).isComplete, false)
      assert.equal((await find('turns', number, null, 4)).isComplete, true)
    })

    it('follows records that are changed, removed and replaced', async () => {
      await put('follow', mills, [mill(1, { name: 'Alder' }), mill(2, { name: 'Birch' })])
      await put('follow', mills, [mill(1, { name: 'Cedar' })])
      assert.deepEqual(await foundBy('follow', 'alder'), [])
      assert.deepEqual(await foundBy('follow', 'cedar'), [millName(1)])
      await put('follow', mills, [mill(3, { name: 'Birch' })], true)
      assert.deepEqual(await foundBy('follow', 'birch'), [millName(3)])
      assert.deepEqual(await foundBy('follow', 'cedar'), [])
    })

    it('sends a record that is too long to be read with others', async () => {
      const code = `LONG-1 ${'x'.repeat(inlineBytesMax)}`
      await put('long', mills, [mill(1, { code }), mill(2, { code: 'LONG-12' })])
      let reserved = 0
      const page = await store.search.find({
        brand: 'long',
        query: 'long-1',
        limit: 10,
        groups: null,
        reserve: (bytes) => {
          reserved = bytes
        },
      })
      assert.deepEqual(namesOf(page), [millName(2), millName(1)])
      assert.ok((page.results[1]?.body.length ?? 0) > inlineBytesMax)
      assert.equal(reserved, 0, 'less than what is never reserved')
    })

    it('compares no more than a bounded number of records, and says so', async () => {
      const many = Array.from({ length: 1_200 }, (_, n) =>
        mill(n + 1, { name: `Common ${n} word` }),
      )
      await put('many', mills, [...many, mill(5_000, { name: 'Common zebra' })])
      const short = await find('many', 'c', null, 5)
      assert.equal(short.results.length, 5)
      assert.equal(short.isComplete, false)
      assert.deepEqual(await foundBy('many', 'zebra common'), [millName(5_000)])
      const words = await find('many', 'word common', null, 5)
      assert.equal(words.results.length, 5)
      assert.equal(words.isComplete, false)
    })

    it('finds what a plain evaluation finds, after any imports, and the index equals the records', async () => {
      const random = createRandom(7)
      const value = () =>
        Array.from({ length: 1 + random(4) }, () => pieces[random(pieces.length)]).join(
          [' ', '-', ''][random(3)],
        )
      const model = new Map<Resource, Map<string, object>>([
        [mills, new Map()],
        [bales, new Map()],
        [ports, new Map()],
      ])
      const record = (into: Resource): object => {
        const optional = () => (random(3) === 0 ? null : value())
        if (into === ports) return { code: 'ABCDEFGH'[random(8)]?.repeat(2) ?? 'ZZ', name: value() }
        if (into === mills)
          return mill(random(60), { code: value(), name: optional(), reference: optional() })
        return { millId: uuid(random(4)), number: value(), label: optional() }
      }
      const keyOf = (into: Resource, each: object) =>
        into.key.map((field) => (each as Record<string, string>)[field] ?? '')
      for (let round = 0; round < 12; round += 1) {
        for (const [into, stored] of model) {
          const records = Array.from({ length: random(25) }, () => record(into))
          const replace = random(4) === 0
          const removals = [...stored.values()].filter(() => random(5) === 0)
          const owner = into.scope === 'shared' ? sharedOwner : 'oracle'
          await store.write(owner, async (writer) => {
            await writer.stage(into, records as never)
            await writer.stageRemoval(
              into,
              removals.map((each) => keyOf(into, each)),
            )
            await writer.merge(into, { replace })
          })
          const removed = replace ? [...stored.values()] : removals
          for (const each of removed) stored.delete(keyOf(into, each).join())
          for (const each of records) stored.set(keyOf(into, each).join(), each)
        }
        await assertIndex(opened.database, catalog)
        const records = new Map([...model].map(([into, stored]) => [into, [...stored.values()]]))
        records.set(ports, await storedPorts())
        for (let n = 0; n < 25; n += 1) {
          const query = random(2) === 0 ? value() : value().slice(0, 1 + random(4))
          const page = await find('oracle', query)
          const expected = searchModel(catalog, records, query)
          if (page.isComplete) assert.deepEqual(namesOf(page), expected, query)
          else
            assert.ok(
              namesOf(page).every((each) => expected.includes(each)),
              query,
            )
        }
      }
    })

    /** The shared records, of which another test has stored some. */
    const storedPorts = async (): Promise<object[]> => {
      const { items } = await store.list({
        resource: ports,
        brand: 'oracle',
        filters: new Map(),
        limit: 100,
        after: null,
        include: [],
      })
      return JSON.parse(`[${decodeBody(items)}]`)
    }

    it('indexes the records of a database that has no index', async () => {
      const { database, close } = await open()
      const plain = joinCatalog(
        catalog.resources.map((each) => ({ ...each, searchable: [] }) as Resource),
      )
      try {
        const before = await createStore(plain, database)
        const write = (at: Store, owner: string, into: Resource, records: object[]) =>
          at.write(owner, async (writer) => {
            await writer.stage(into, records as never)
            await writer.merge(into)
          })
        const many = Array.from({ length: 4_500 }, (_, n) => mill(n, { name: `Mill ${n}` }))
        await write(before, 'old', mills, many)
        await write(before, 'other', mills, [mill(1)])
        await write(before, sharedOwner, ports, [{ code: 'NB', name: 'Ningbo' }])
        await database.write(async (session) => {
          await session.run({ text: 'drop table "selvedge_search"', values: [] })
          await session.run({
            text: 'delete from "selvedge_settings" where "name" like \'search %\'',
            values: [],
          })
        })
        const logged: string[] = []
        const log = (sentence: string) => void logged.push(sentence)
        const after = await createStore(catalog, database, { log })
        assert.ok(logged.includes('Migration: create selvedge_search.'))
        assert.ok(logged.includes('Migration: index the records of 3 groups for search.'))
        await assertIndex(database, catalog)
        assert.equal(
          (await after.search.find({ brand: 'old', query: 'M-4499', limit: 5, groups: null }))
            .results.length,
          1,
        )
        const again: string[] = []
        await createStore(catalog, database, { log: (sentence) => void again.push(sentence) })
        assert.deepEqual(again, [])
        // A program that does not search must not change records without their entries.
        const older = await createStore(plain, database)
        await assert.rejects(write(older, 'old', mills, [mill(1, { name: 'x' })]), (error) => {
          assert.ok(error instanceof NewerDatabaseError)
          assert.match(error.message, /the search of mills by code/)
          return true
        })
      } finally {
        await close()
      }
    })

    it('indexes a group again when it is found by one more field', async () => {
      const { database, close } = await open()
      const fewer = joinCatalog(
        catalog.resources.map((each) =>
          each.path === 'mills' ? ({ ...each, searchable: ['code'] } as Resource) : each,
        ),
      )
      try {
        const before = await createStore(fewer, database)
        await before.write('grown', async (writer) => {
          await writer.stage(mills, [mill(1, { name: 'Costa' })] as never)
          await writer.merge(mills)
        })
        const ask = { brand: 'grown', query: 'costa', limit: 5, groups: null }
        assert.deepEqual(namesOf(await before.search.find(ask)), [])
        const after = await createStore(catalog, database)
        assert.deepEqual(namesOf(await after.search.find(ask)), [millName(1)])
        await assertIndex(database, catalog)
      } finally {
        await close()
      }
    })
  })
}
