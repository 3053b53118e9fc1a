/** A copy that follows the change feed is what the API returns. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import {
  brand,
  endings,
  openCopies,
  recordsIn,
  recordsOf,
  resultAt,
  tagsFrom,
} from '../support/copies.ts'
import { recordsAt } from '../support/model.ts'
import { feedPut } from '../support/relay.ts'
import { openTestService } from '../support/service.ts'

const copies = await openCopies()
const { service, relay, newTarget, pull, remove, assertCopy, everything } = copies
beforeEach(copies.reset)
after(copies.close)

describe('a pull by a change feed', () => {
  for (const ending of endings) {
    it(`into ${ending || 'a folder'} takes everything at first and then the changes`, async () => {
      relay.feed = await everything()
      const to = newTarget(ending)
      const first = await pull(to)
      assert.equal(first.feed, true)
      assert.ok(!relay.requests.some((target) => /limit=100&|limit=100$/.test(target)), 'it walked')
      await assertCopy(to)

      const [removed, other] = recordsAt('product-tags')
      assert.ok(removed && other)
      await service.write(brand, { tags: tagsFrom(1, 2, 'Fed') })
      await remove('product-tags', [removed])
      relay.feed.push(...tagsFrom(1, 2, 'Fed').map((each) => feedPut('tags', each)), {
        ...feedPut('product-tags', removed),
        operation: 'remove',
      })
      const second = await pull(to)
      assert.equal(resultAt(second, 'tags').changed, 2)
      assert.equal(resultAt(second, 'tags').read, 2)
      assert.equal(resultAt(second, 'product-tags').removed, 1)
      await assertCopy(to)
      await service.write(brand, { tags: tagsFrom(1, 2), 'product-tags': [removed] })
    })
  }

  it('reads the list of a collection that the feed is incomplete for', async () => {
    const all = await everything()
    relay.feed = all.filter(({ collection }) => collection !== 'countries')
    const logged: string[] = []
    const to = newTarget('.db')
    await pull(to, { log: (sentence) => logged.push(sentence) })
    assert.deepEqual(logged, ['countries: the change feed is incomplete; reading the list.'])
    await assertCopy(to)

    const [removed] = recordsAt('product-tags')
    assert.ok(removed)
    await remove('product-tags', [removed])
    relay.feed.push({
      collection: 'product-tags',
      id: 'in a form of tomorrow',
      operation: 'remove',
    })
    relay.feed.push({ collection: 'a-group-of-tomorrow', id: 'x', operation: 'remove' })
    assert.equal(resultAt(await pull(to), 'product-tags').removed, 1)
    await assertCopy(to)
    await service.write(brand, { 'product-tags': [removed] })
  })

  it('starts a full sync if the feed rejects its cursor, and walks if there is no feed', async () => {
    relay.feed = await everything()
    const to = newTarget()
    await pull(to)
    await service.write(brand, { tags: tagsFrom(1, 1, 'After a restore') })
    relay.feed = (await everything()).slice().reverse()
    relay.feed.length -= 1
    const logged: string[] = []
    const pulled = await pull(to, { log: (sentence) => logged.push(sentence) })
    assert.match(logged[0] ?? '', /no longer recognises this copy's position/)
    assert.equal(resultAt(pulled, 'tags').changed, 1)
    await assertCopy(to)
    relay.feed = null
    const walked = await pull(to)
    assert.equal(walked.feed, false)
    await assertCopy(to)
    await service.write(brand, { tags: tagsFrom(1, 1) })
  })

  it('rejects a feed that it does not understand', async () => {
    relay.feed = [{ collection: 'tags', id: 'x', operation: 'merge' }]
    await assert.rejects(pull(newTarget()), /is not a change feed that this release understands/)
  })

  it('of the real service is as exact', async () => {
    const fed = await openTestService({ CHANGE_FEED: 'on' })
    after(() => fed.close())
    const options = { url: fed.url, key: await fed.key(brand) }
    for (const ending of endings) {
      const to = newTarget(ending)
      const first = await pull(to, options)
      assert.equal(first.feed, true)
      const [removed] = recordsAt('product-tags')
      assert.ok(removed)
      await fed.write(brand, { tags: tagsFrom(1, 5, 'Really fed') })
      await fed.records.store.write(brand, async (writer) => {
        const resource = resourceAt(catalog, 'product-tags')
        await writer.stageRemoval(resource, [resource.key.map((name) => String(removed[name]))])
        await writer.merge(resource)
      })
      const second = await pull(to, options)
      assert.equal(resultAt(second, 'tags').read, 5)
      assert.equal(resultAt(second, 'product-tags').removed, 1)
      const held = recordsIn(to)
      for (const [path, text] of await recordsOf(fed)) assert.equal(held.get(path), text, path)
      await fed.write(brand, { 'product-tags': [removed] })
      await fed.records.store.write(brand, async (writer) => {
        const resource = resourceAt(catalog, 'tags')
        await writer.stageRemoval(
          resource,
          tagsFrom(1, 5).map(({ id }) => [id]),
        )
        await writer.merge(resource)
      })
    }
  })
})
