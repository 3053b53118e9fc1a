/**
 * An import that is killed at any moment leaves the state before it or the state after it, whole,
 * with all that is kept beside the records, and the next one needs no repair.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  contentOf,
  filesOf,
  importColor,
  openWorld,
  type World,
  wrongBeside,
} from '../../reliability/crash/import-states.ts'

describe('an import that is killed', () => {
  let world: World
  before(async () => {
    world = await openWorld('sqlite', { tags: 10, items: 20 })
  })
  after(() => world.close())

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`by ${signal} writes nothing`, async () => {
      const { place, brand } = world
      place.put(filesOf('long', { from: 10_000, tags: 300, items: 20_000 }))
      const earlier = await world.withRecords((open) => contentOf(open, brand))
      const { child, ended, said } = place.start(world.importing('long'))
      await said('orders.ndjson: ')
      child.kill(signal)
      const ran = await ended
      assert.ok(ran.signal === signal || ran.code === code, `${ran.code} ${ran.stderr}`)
      assert.equal(ran.stdout, '')
      await world.withRecords(async (open) => {
        assert.equal(await contentOf(open, brand), earlier)
        assert.deepEqual(await wrongBeside(open), [])
        await importColor(world, open, code)
      })
    })
  }
})
