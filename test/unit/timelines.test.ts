import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { HostMemory } from '#database'
import { createTimelines, type Identity } from '../../src/database/postgres/timelines.ts'
import { openHostMemory } from '../../src/server/host-memory.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-timelines-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
/** Facts in a folder of their own. */
const openMemory = () => {
  folders += 1
  const own = join(folder, String(folders))
  const open = () => openHostMemory({ redisUrl: null, folder: own }) as HostMemory
  return { open, file: join(own, 'postgres-timelines.json') }
}
const primary = (timeline: number, system = 'X'): Identity => ({
  ...{ role: 'primary', system, timeline },
})
const replica = (timeline: number, system = 'X'): Identity => ({
  ...{ role: 'replica', system, timeline },
})
/** A process: what it leaves out of the servers that answer. */
const openProcess = async (memory: HostMemory | undefined, hosts = ['a', 'b']) => {
  const reasons: string[] = []
  const onForgetful = (reason: string) => reasons.push(reason)
  const timelines = createTimelines({ hosts, memory, onForgetful })
  await timelines.load()
  return {
    ...timelines,
    reasons,
    leftOut: (servers: { readonly [host: string]: Identity }) =>
      Object.fromEntries(timelines.judge(new Map(Object.entries(servers)))),
  }
}

describe('timelines of database servers', () => {
  it('leave out all but the highest, and never go back', async () => {
    const { leftOut } = await openProcess(undefined)
    assert.deepEqual(leftOut({ a: primary(1), b: replica(1) }), {})
    assert.deepEqual(leftOut({ a: primary(1), b: primary(2) }), { a: 'timeline' })
    assert.deepEqual(leftOut({ a: primary(1) }), { a: 'timeline' })
    assert.deepEqual(leftOut({ a: replica(1), b: primary(2) }), { a: 'timeline' })
    assert.deepEqual(leftOut({ a: replica(2), b: primary(2) }), {})
    assert.deepEqual(leftOut({ a: primary(3), b: primary(2) }), { b: 'timeline' })
  })

  it('are kept for the next process, and for one with other hosts', async () => {
    const { open, file } = openMemory()
    const first = await openProcess(open())
    first.leftOut({ a: primary(1), b: primary(2) })
    await first.close()
    const next = await openProcess(open())
    assert.deepEqual(next.leftOut({ a: primary(1) }), { a: 'timeline' })
    await next.close()
    const other = await openProcess(open(), ['c'])
    assert.deepEqual(other.leftOut({ c: primary(1) }), { c: 'timeline' })
    assert.deepEqual(other.leftOut({ c: primary(4) }), {})
    await other.close()
    assert.match(readFileSync(file, 'utf8'), /"highest": 4/)
    assert.deepEqual((await openProcess(undefined)).leftOut({ a: primary(1) }), {})
  })

  it('are compared within one system; another one replaces it by configuration only', async () => {
    const { open } = openMemory()
    const first = await openProcess(open())
    assert.deepEqual(first.leftOut({ a: primary(5), b: primary(1, 'Y') }), { b: 'system' })
    // Neither because it is the only one that answers, nor after a restart.
    assert.deepEqual(first.leftOut({ b: primary(9, 'Y') }), { b: 'system' })
    await first.close()
    const next = await openProcess(open())
    assert.deepEqual(next.leftOut({ a: primary(1, 'Y') }), { a: 'system' })
    await next.close()
    // A dump that was restored elsewhere begins with timeline 1.
    const moved = await openProcess(open(), ['c', 'd'])
    assert.deepEqual(moved.leftOut({ c: primary(1, 'Y'), d: replica(1, 'Y') }), {})
    await moved.close()
    const added = await openProcess(open(), ['e', 'b', 'a'])
    assert.deepEqual(added.leftOut({ e: primary(1, 'Z'), a: primary(5) }), { e: 'system' })
    await added.close()
    // A single host is the database, whichever system it is.
    const single = await openProcess(open(), ['a'])
    assert.deepEqual(single.leftOut({ a: primary(1, 'Y') }), {})
    await single.close()
  })

  it('go back once a lower one is accepted, in every process', async () => {
    const { open } = openMemory()
    const earlier = await openProcess(open())
    earlier.leftOut({ a: primary(1), b: primary(2) })
    await earlier.close()
    const server = await openProcess(open())
    const command = await openProcess(open())
    assert.deepEqual(command.leftOut({ a: primary(1) }), { a: 'timeline' })
    await command.accept(primary(1))
    assert.deepEqual(command.leftOut({ a: primary(1) }), {})
    await server.load()
    assert.deepEqual(server.leftOut({ a: primary(1), b: primary(2) }), { b: 'timeline' })
    assert.deepEqual(server.leftOut({ a: primary(1), b: primary(3) }), { a: 'timeline' })
    await Promise.all([server.close(), command.close()])
    const next = await openProcess(open())
    assert.deepEqual(next.leftOut({ a: primary(1), b: primary(2) }), {
      ...{ a: 'timeline', b: 'timeline' },
    })
    await next.accept(primary(1, 'Y'))
    assert.deepEqual(next.leftOut({ a: primary(1, 'Y'), b: primary(3) }), { b: 'system' })
    await next.close()
  })

  it('are stored again where they were lost, and say when they cannot be kept', async () => {
    const { open, file } = openMemory()
    const earlier = await openProcess(open())
    earlier.leftOut({ a: primary(2) })
    await earlier.close()
    const process = await openProcess(open())
    rmSync(file)
    await process.load()
    await process.close()
    assert.match(readFileSync(file, 'utf8'), /"highest": 2/)
    writeFileSync(file, '[1]')
    const other = await openProcess(open())
    assert.equal(other.reasons.length, 1)
    assert.match(String(other.reasons), /postgres-timelines.json cannot be read.*delete it/)
    await assert.rejects(other.accept(primary(1)), /cannot be accepted/)
    await other.close()
    await assert.rejects(
      (await openProcess(undefined)).accept(primary(1)),
      /Nothing keeps which server is accepted: set REDIS_URL/,
    )
  })
})
