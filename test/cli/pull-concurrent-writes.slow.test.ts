/** A copy is right although others write while it is read. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { PullError } from '#pull'
import { brand, openCopies, recordsIn, resultAt, tagsFrom } from '../support/copies.ts'

const copies = await openCopies()
const { service, relay, newCopy, pull, remove, assertCopy } = copies
beforeEach(copies.reset)
after(copies.close)

describe('a pull while others write', () => {
  /** Writes to the tags whenever a later page of them is read, so many times. */
  const disturb = (times: number) => {
    let left = times
    relay.intercept = async (target) => {
      if (/\/tags\?.*cursor=/.test(target) && left > 0) {
        left -= 1
        await service.write(brand, { tags: tagsFrom(1, 1, `Disturbed ${left}`) })
      }
      return null
    }
  }

  it('reads a collection again that was changed during the walk', async () => {
    const to = await newCopy()
    await service.write(brand, { tags: tagsFrom(1, 1, 'New') })
    disturb(1)
    const logged: string[] = []
    const pulled = await pull(to, { log: (sentence) => logged.push(sentence) })
    assert.match(logged.join('\n'), /tags changed while it was read/)
    assert.equal(resultAt(pulled, 'tags').moving, false)
    await assertCopy(to)
  })

  it('accepts the third walk if the numbers are right, and reports it', async () => {
    const to = await newCopy('.db')
    await service.write(brand, { tags: tagsFrom(1, 1, 'Newer') })
    disturb(1_000)
    relay.requests.length = 0
    const pulled = await pull(to)
    assert.equal(resultAt(pulled, 'tags').moving, true)
    assert.equal(
      relay.requests.filter((target) => /\/tags\?/.test(target)).length <= 3 * 6 + 1,
      true,
    )
    relay.intercept = () => null
    const again = await pull(to)
    assert.equal(resultAt(again, 'tags').moving, false)
    assert.ok(
      resultAt(again, 'tags').read > 0,
      'a collection that changed during the read is read again',
    )
    await assertCopy(to)
  })

  it('has every record that stays exactly once, under a writer that never stops', async () => {
    const to = await newCopy('.db')
    let running = true
    const writer = (async () => {
      for (let round = 0; running; round += 1) {
        const passing = tagsFrom(20_000 + (round % 7) * 10, 10, `Passing ${round}`)
        if (round % 2 === 0) await service.write(brand, { tags: passing })
        else await remove('tags', tagsFrom(20_000 + ((round - 1) % 7) * 10, 10))
        await new Promise((done) => setTimeout(done, 3))
      }
    })()
    const outcome = await pull(to).catch((error: unknown) => error)
    running = false
    await writer
    if (outcome instanceof PullError) assert.match(outcome.message, /^tags: the API has/)
    else {
      assert.ok(!(outcome instanceof Error), String(outcome))
      const held = recordsIn(to).get('tags')?.trim().split('\n') ?? []
      const ids = held.map((line) => JSON.parse(line).id)
      assert.equal(new Set(ids).size, ids.length)
      for (const { id } of tagsFrom(1, 450)) assert.ok(ids.includes(id), id)
    }
    await remove('tags', tagsFrom(20_000, 70))
    await pull(to)
    await assertCopy(to)
  })
})
