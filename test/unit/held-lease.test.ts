import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openHeldLease } from '#intake'

it('a lease is released after an extension that has begun', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const calls: string[] = []
  const extended = Promise.withResolvers<null>()
  const lease = openHeldLease({
    leases: {
      take: async () => {
        calls.push('take')
        const other = calls.length === 1 ? null : await extended.promise
        calls.push('taken')
        return other
      },
      release: async () => void calls.push('release'),
    },
    owner: 'acme',
    work: 'watch',
    holder: 'a test',
    hasEnded: () => false,
    now: Date.now,
  })
  await lease.take()
  // Only one extension at a time.
  t.mock.timers.tick(90_000)
  const closed = lease.close()
  extended.resolve(null)
  await closed
  assert.deepEqual(calls, ['take', 'taken', 'take', 'taken', 'release'])
})
