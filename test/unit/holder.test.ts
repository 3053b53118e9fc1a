/** The names of processes that hold leases. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { hasProcessEnded, type ProcessPlace, processName } from '../../src/store/sources/holder.ts'

/** A container whose first process started at a time. */
const container = (space: string | null, start: string | null): ProcessPlace => ({
  host: 'node',
  space,
  startOf: (pid) => (pid === 1 ? start : null),
})

describe('the holder of a lease', () => {
  it('is another process in each container, although they share a host name', () => {
    const [one, other] = [container('aaa1', '100'), container('bbb2', '100')]
    const names = [processName(one, 1), processName(other, 1)]
    assert.deepEqual(names, ['node process 1 (aaa1-100)', 'node process 1 (bbb2-100)'])
    // Neither takes the other for ended.
    assert.equal(hasProcessEnded(String(names[0]), other), false)
    assert.equal(hasProcessEnded(String(names[1]), one), false)
  })

  it('has ended if its number belongs to another process, or to none', () => {
    const place = container('aaa1', '200')
    assert.equal(hasProcessEnded('node process 1 (aaa1-100)', place), true)
    assert.equal(hasProcessEnded('node process 1 (aaa1-200)', place), false)
    assert.equal(hasProcessEnded(`node process ${2 ** 22 + 1} (aaa1-100)`, place), true)
    // A process that is not visible is running if it can be signalled.
    assert.equal(hasProcessEnded(`node process ${process.pid} (aaa1-100)`, place), false)
  })

  it('is unknown on other machines, and if an earlier version named it', () => {
    const place = container('aaa1', '200')
    assert.equal(hasProcessEnded('other process 1 (aaa1-100)', place), false)
    assert.equal(hasProcessEnded('node process 1', place), false)
    assert.equal(hasProcessEnded('something else', place), false)
    // Without namespaces, numbers are those of the machine.
    const plain = container(null, null)
    assert.equal(hasProcessEnded(`node process ${2 ** 22 + 1}`, plain), true)
    assert.equal(hasProcessEnded(`node process ${process.ppid}`, plain), false)
  })

  it('is this process, until it ends', async () => {
    assert.match(processName(), new RegExp(`^${hostname()} process ${process.pid}`))
    assert.equal(hasProcessEnded(processName()), false)
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1_000)'])
    const name = processName(undefined, child.pid)
    assert.equal(hasProcessEnded(name), false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.equal(hasProcessEnded(name), true)
  })
})
