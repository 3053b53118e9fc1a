import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { publishedViewLimits } from '#contract'
import { createStore, type Store } from '../../../src/store/store.ts'
import { crate, crates, type OpenedForStore, small } from './samples.ts'

/** What the published views of brands promise, on every engine. */
export const publishedViewsConformance = (
  name: string,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`published views on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
      for (const brand of ['acme', 'other']) {
        await store.write(brand, async (writer) => {
          await writer.stage(crates, [crate(1)] as never)
          await writer.merge(crates)
        })
      }
    })
    after(() => opened.close())

    const view = (each: string, query = '') => ({ name: each, group: 'crates', query })
    const namesOf = async (brand: string) =>
      (await store.views.list(brand)).map((each) => each.name)

    it('are those of a brand, in the order in which they were added', async () => {
      const second = view('Zebra', 'sort=-size&fields=id%2Cname')
      assert.equal(await store.views.add('acme', second), 'added')
      assert.equal(await store.views.add('acme', view('Ähre "<b>" \'; --')), 'added')
      assert.equal(await store.views.add('other', view('Zebra')), 'added')
      assert.equal(await store.views.add('acme', view('Zebra', 'sort=size')), 'exists')
      assert.deepEqual(await store.views.list('acme'), [second, view('Ähre "<b>" \'; --')])
      assert.equal(await store.views.remove('acme', 'Zebra'), true)
      assert.equal(await store.views.remove('acme', 'Zebra'), false)
      assert.deepEqual(await namesOf('acme'), ['Ähre "<b>" \'; --'])
      assert.deepEqual(await namesOf('other'), ['Zebra'])
      assert.deepEqual(await namesOf('nobody'), [])
    })

    it('are bounded for a brand, also if many are added at the same time', async () => {
      const { perBrand } = publishedViewLimits
      const names = Array.from({ length: perBrand + 5 }, (_, at) => `View ${at}`)
      const results = await Promise.all(
        [...names, ...names.slice(0, 3)].map((each) => store.views.add('acme', view(each))),
      )
      const added = results.filter((each) => each === 'added').length
      const shown = await namesOf('acme')
      assert.deepEqual([shown.length, new Set(shown).size], [perBrand, perBrand])
      assert.equal(added, perBrand - 1)
      assert.equal(await store.views.add('acme', view('One more')), 'full')
      assert.equal(await store.views.add('other', view('One more')), 'added')
    })

    it('are not added to a brand that does not exist', async () => {
      assert.equal(await store.views.add('nobody', view('Zebra')), 'no brand')
      assert.deepEqual(await namesOf('nobody'), [])
    })

    it('begin with none in a database of an earlier version', async () => {
      const drop = { text: 'drop table "selvedge_views"', values: [] }
      await opened.database.write((session) => session.run(drop), 'records')
      const logged: string[] = []
      store = await createStore(small, opened.database, {
        log: (sentence) => void logged.push(sentence),
      })
      assert.match(logged.join(' '), /create selvedge_views/)
      assert.deepEqual(await namesOf('acme'), [])
      assert.equal(await store.views.add('acme', view('Zebra')), 'added')
      assert.deepEqual(await namesOf('acme'), ['Zebra'])
    })
  })
}
