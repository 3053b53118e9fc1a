/** What happens to a key after it was issued: use, expiry, revocation, rotation. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#database'
import { createKeys, openKeyVerifier } from '#keys'
import { rights } from '../support/auth.ts'
import { until } from '../support/cluster.ts'

describe('a key', () => {
  /** A database of keys and a clock, gone after the test. */
  const open = async (test: TestContext) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-keys-'))
    const database = openDatabase(`sqlite:${join(folder, 'keys.db')}`)
    let at = Date.parse('2026-03-01T09:30:42.123Z')
    const now = () => at
    const keys = await createKeys({ database, now, random: randomBytes })
    const failures: unknown[] = []
    const onError = (error: unknown) => void failures.push(error)
    const openVerifier = () =>
      openKeyVerifier({ database, now, refreshMs: 10, staleMs: 2_000, onError })
    test.after(async () => {
      // A test may have closed it already.
      await database.close().catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    })
    return {
      database,
      keys,
      openVerifier,
      failures,
      setClock: (text: string) => {
        at = Date.parse(text)
      },
    }
  }

  it('has the minute of its last use recorded', async (test) => {
    const { keys, openVerifier } = await open(test as TestContext)
    const [used, unused] = [await keys.issue(rights()), await keys.issue(rights())]
    const verifier = await openVerifier()
    verifier.markUsed(used.id)
    await verifier.close()
    const lastUsed = new Map((await keys.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]))
    assert.equal(lastUsed.get(used.id), '2026-03-01T09:30:00.000Z')
    assert.equal(lastUsed.get(unused.id), null)
  })

  it('is valid until the millisecond in which it expires', async (test) => {
    const { keys, openVerifier, setClock } = await open(test as TestContext)
    const { key } = await keys.issue(rights({ expiresAt: '2026-03-01T10:00:00.000Z' }))
    const verifier = await openVerifier()
    setClock('2026-03-01T09:59:59.999Z')
    assert.equal(typeof verifier.verify(key), 'object')
    setClock('2026-03-01T10:00:00.000Z')
    assert.equal(verifier.verify(key), 'expired')
    await verifier.close()
  })

  it('that is revoked and expired is reported as invalid only', async (test) => {
    const { keys, openVerifier } = await open(test as TestContext)
    const { key, id } = await keys.issue(rights({ expiresAt: '2020-01-01T00:00:00.000Z' }))
    const revoked = await keys.revoke(id)
    assert.deepEqual(await keys.revoke(id), revoked)
    const verifier = await openVerifier()
    assert.equal(verifier.verify(key), 'invalid')
    await verifier.close()
  })

  it('that does not exist can be neither revoked nor rotated', async (test) => {
    const { keys } = await open(test as TestContext)
    assert.equal(await keys.revoke('key_nobody'), null)
    assert.equal(await keys.rotate('key_nobody', 1), null)
    assert.deepEqual(await keys.list(), [])
  })

  it('does not expire later because it is rotated', async (test) => {
    const { keys } = await open(test as TestContext)
    const expiresAt = '2026-03-01T09:31:00.000Z'
    const { id } = await keys.issue(rights({ expiresAt }))
    await keys.rotate(id, 3_600)
    const old = (await keys.list()).find((each) => each.id === id)
    assert.equal(old?.expiresAt, expiresAt)
  })

  it('keeps its limits when it is rotated', async (test) => {
    const { keys, openVerifier } = await open(test as TestContext)
    const limits = {
      onlyGroups: ['orders', 'domain:finance'],
      withoutGroups: ['payments'],
      addresses: ['203.0.113.0/24', '2001:db8::/32'],
    }
    const { id } = await keys.issue(rights(limits))
    const successor = await keys.rotate(id, 60)
    for (const key of await keys.list()) {
      const { onlyGroups, withoutGroups, addresses } = key
      assert.deepEqual({ onlyGroups, withoutGroups, addresses }, limits)
    }
    const verifier = await openVerifier()
    const grant = verifier.verify(successor?.key ?? '')
    assert.ok(typeof grant === 'object')
    const groups = ['orders', 'order-items', 'invoices', 'payments', 'brand']
    assert.deepEqual(
      groups.filter((group) => grant.scope.has(group)),
      ['orders', 'invoices', 'brand'],
    )
    const addresses = ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::1', '203.0.114.1', '']
    assert.deepEqual(
      addresses.map((address) => grant.addresses?.has(address)),
      [true, true, true, false, false],
    )
    await verifier.close()
  })

  it('is reported as unchecked when the keys have not been read for too long', async (test) => {
    const { database, keys, openVerifier, failures } = await open(test as TestContext)
    const { key } = await keys.issue(rights())
    const verifier = await openVerifier()
    await wait(200)
    assert.equal(verifier.isStale, false)
    await database.close()
    await until(() => verifier.isStale)
    assert.ok(failures.length > 0)
    assert.equal(typeof verifier.verify(key), 'object')
    await verifier.close()
  })
})
