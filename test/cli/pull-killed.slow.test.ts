/** A pull that is killed is resumed, and leaves nothing half done. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { brand, openCopies, recordsIn, recordsOf, resultAt, tagsFrom } from '../support/copies.ts'
import { feedPut } from '../support/relay.ts'

const copies = await openCopies()
const {
  service,
  key,
  sandbox,
  relay,
  newTarget,
  newCopy,
  pull,
  pullArguments,
  assertCopy,
  everything,
} = copies
beforeEach(copies.reset)
after(copies.close)

/** When a pull is killed, counted from its last request. */
const killedAfterMs = (process.env['SELVEDGE_KILL_MS'] ?? '4,40').split(',').map(Number)

describe('a pull that is killed', () => {
  for (const [ending, feed] of [
    ['', false],
    ['.db', true],
  ] as const) {
    const way = `${ending || 'a folder'}${feed ? ' by the feed' : ''}`
    it(`into ${way} is resumed where it was, and shows nothing half done`, async () => {
      const to = feed ? newTarget(ending) : await newCopy(ending)
      if (feed) relay.feed = await everything()
      await pull(to)
      const whole = recordsIn(to)
      await service.write(brand, { tags: tagsFrom(1, 450, `Killed ${way}`) })
      relay.feed?.push(...tagsFrom(1, 450, `Killed ${way}`).map((each) => feedPut('tags', each)))
      relay.feed?.push(
        ...Array.from({ length: 900 }, () =>
          feedPut('tags', tagsFrom(1, 1, `Killed ${way}`)[0] ?? {}),
        ),
      )

      const reached = Promise.withResolvers<void>()
      let pages = 0
      relay.intercept = (target) => {
        if (!/\/tags\?.*cursor=|changes\?.*cursor=/.test(target)) return null
        pages += 1
        if (pages < (feed ? 2 : 3)) return null
        reached.resolve()
        return new Promise(() => undefined)
      }
      relay.requests.length = 0
      const started = sandbox.start(pullArguments(to))
      started.child.stdin?.end(key)
      await reached.promise
      started.child.kill('SIGKILL')
      await started.ended
      for (const [path, text] of whole) assert.equal(recordsIn(to).get(path), text, path)
      const before = new Set(relay.requests.filter((target) => /cursor=/.test(target)))
      before.delete([...before].at(-1) ?? '')

      relay.intercept = () => null
      relay.requests.length = 0
      assert.equal(resultAt(await pull(to), 'tags').changed, 450)
      const twice = relay.requests.filter((target) => before.has(target))
      assert.deepEqual(twice, [], 'a page was asked for twice')
      await assertCopy(to)
      await service.write(brand, { tags: tagsFrom(1, 450) })
    })
  }

  it('after its last request leaves every file as it was or as it will be', async () => {
    for (const ms of killedAfterMs) {
      const to = await newCopy()
      await pull(to)
      const before = recordsIn(to)
      await service.write(brand, { tags: tagsFrom(1, 450, `Killed after ${ms}`) })
      const last = Promise.withResolvers<void>()
      let times = 0
      relay.intercept = (target) => {
        // The brand is asked for first, to see whether it is there, and last, to be copied.
        if (target.endsWith(`/brands/${brand}`)) times += 1
        if (times === 2) last.resolve()
        return null
      }
      const started = sandbox.start(pullArguments(to))
      started.child.stdin?.end(key)
      await last.promise
      await new Promise((done) => setTimeout(done, ms))
      started.child.kill('SIGKILL')
      await started.ended
      relay.intercept = () => null
      const now = await recordsOf(service)
      for (const [path, text] of recordsIn(to)) {
        assert.ok(text === before.get(path) || text === now.get(path), `${path} after ${ms} ms`)
      }
      await pull(to)
      await assertCopy(to)
    }
    await service.write(brand, { tags: tagsFrom(1, 450) })
  })
})
