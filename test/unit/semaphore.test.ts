/** What may be in progress at the same time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSemaphore, type Release } from '#concurrency'
import { OverloadedError } from '../../src/concurrency/semaphore.ts'

const patient = { waitingPerOwner: 100, waitMs: 60_000 }

describe('a semaphore', () => {
  it('gives at once what is free, and nothing twice', () => {
    const semaphore = createSemaphore({ total: 3, perOwner: 2, ...patient })
    const first = semaphore.acquire('a') as Release
    assert.equal(typeof first, 'function')
    first()
    first()
    const all = [semaphore.acquire('a', 2), semaphore.acquire('b')]
    assert.deepEqual(
      all.map((each) => typeof each),
      ['function', 'function'],
    )
  })

  it('serves owners in turn, and the calls of one owner in their order', async () => {
    const semaphore = createSemaphore({ total: 1, perOwner: 1, ...patient })
    const release = semaphore.acquire('a') as Release
    const order: string[] = []
    const calls = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
      const leave = await semaphore.acquire(name[0] ?? '')
      order.push(name)
      leave()
    })
    release()
    await Promise.all(calls)
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('does not make other owners wait for one that is at its limit', async () => {
    const semaphore = createSemaphore({ total: 4, perOwner: 2, ...patient })
    const held = [semaphore.acquire('a'), semaphore.acquire('a')] as Release[]
    const waiting = semaphore.acquire('a')
    await semaphore.acquire('b')
    held[0]?.()
    await waiting
  })

  it('does not let small calls overtake a large one for ever', async () => {
    const semaphore = createSemaphore({ total: 4, perOwner: 4, ...patient })
    const held = [semaphore.acquire('a'), semaphore.acquire('a')] as Release[]
    const large = semaphore.acquire('b', 4) as Promise<Release>
    const small = semaphore.acquire('c') as Promise<Release>
    for (const release of held) release()
    const leave = await large
    leave()
    await small
  })

  it('keeps units for owners that hold none, and others wait for those that are not kept', async () => {
    const semaphore = createSemaphore({ total: 4, perOwner: 3, keptForNew: 1, ...patient })
    const held = [1, 2, 3].map(() => semaphore.acquire('a') as Release)
    const first = semaphore.acquire('b') as Release
    const second = semaphore.acquire('b')
    const third = semaphore.acquire('c')
    const stateOf = (call: typeof second) => Promise.race([call, Promise.resolve('waits')])
    held[0]?.()
    const leave = (await stateOf(third)) as Release
    assert.equal(typeof leave, 'function')
    assert.equal(await stateOf(second), 'waits')
    leave()
    assert.equal(await stateOf(second), 'waits')
    held[1]?.()
    assert.equal(typeof (await stateOf(second)), 'function')
    first()
  })

  it('refuses what waits too long, has too many before it, or can never be', async () => {
    const semaphore = createSemaphore({ total: 9, perOwner: 1, waitingPerOwner: 2, waitMs: 20 })
    const release = semaphore.acquire('a') as Release
    const waiting = [semaphore.acquire('a'), semaphore.acquire('a')]
    await assert.rejects(async () => semaphore.acquire('a'), OverloadedError)
    await assert.rejects(async () => semaphore.acquire('b', 2), OverloadedError)
    for (const each of waiting) await assert.rejects(async () => each, OverloadedError)
    release()
    assert.equal(typeof semaphore.acquire('a'), 'function')
  })

  it('never gives out more than its limits, whatever comes', async () => {
    const semaphore = createSemaphore({ total: 5, perOwner: 3, ...patient })
    const held = new Map<string, number>()
    let most = 0
    const each = async (n: number) => {
      const owner = 'abc'[n % 3] ?? ''
      const units = 1 + (n % 2)
      const release = await semaphore.acquire(owner, units)
      held.set(owner, (held.get(owner) ?? 0) + units)
      const all = [...held.values()]
      most = Math.max(
        most,
        all.reduce((sum, one) => sum + one, 0),
      )
      assert.ok(all.every((one) => one <= 3))
      await new Promise(setImmediate)
      held.set(owner, (held.get(owner) ?? 0) - units)
      release()
    }
    await Promise.all(Array.from({ length: 200 }, (_, n) => each(n)))
    assert.ok(most <= 5 && most >= 4, `${most}`)
  })
})
