/** A server takes a snapshot of the figures of each brand when its day ends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { queryBasePath } from '#contract'
import { until } from '../support/cluster.ts'
import { brandRecord } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** A clock that shows one time until it is set. Just before a quarter of an hour, servers look often. */
const clockAt = (time: string) => {
  let shown = time
  const now = (): number => Date.parse(shown)
  const set = (next: string): void => {
    shown = next
  }
  return { now, set }
}

const keptLines = ({ logged }: TestService) => logged.filter((line) => /were kept/.test(line))

/** Adds a brand without records, whose days are those of a time zone. */
const addBrand = (service: TestService, slug: string, number: number, timezone: string) =>
  service.write(slug, { brand: [{ ...brandRecord(slug, number), timezone }] })

const figuresOn = async (service: TestService, day: string) =>
  (await service.get(`${queryBasePath}/brands/aldermoor/today?asOf=${day}`)).body.figures

describe('the snapshot of a day', () => {
  it('is taken at the midnight of the brand, and keeps the figures until then', async () => {
    const clock = clockAt('2026-06-02T03:59:59.900Z')
    const service = await openTestService({}, clock)
    const { daySnapshots } = service.records.store
    await addBrand(service, 'auckland', 1, 'Pacific/Auckland')
    const [order] = (await service.get('orders?limit=1')).body.items
    const write = (status: string) => service.write('aldermoor', { orders: [{ ...order, status }] })
    await write('confirmed')
    const { url, ...live } = (await figuresOn(service, '2026-06-01')).ordersOpen
    assert.ok(live.items > 0)
    assert.equal(await daySnapshots.has('aldermoor', '2026-06-01'), false)
    // Midnight in New York.
    clock.set('2026-06-02T04:00:00.000Z')
    await until(() => daySnapshots.has('aldermoor', '2026-06-01'))
    await write('closed')
    assert.deepEqual((await figuresOn(service, '2026-06-01')).ordersOpen, live)
    assert.equal((await figuresOn(service, '2026-06-02')).ordersOpen.items, 0)
    assert.equal(await daySnapshots.has('auckland', '2026-06-01'), false)
    await service.close()
  })

  it('is taken by one of several servers', async () => {
    const clock = clockAt('2026-06-02T03:59:59.900Z')
    const one = await openTestService({}, clock)
    await addBrand(one, 'toronto', 1, 'America/Toronto')
    const other = await openTestService({}, { ...clock, folder: one.folder })
    clock.set('2026-06-02T04:00:00.000Z')
    await until(() => keptLines(one).length + keptLines(other).length > 0)
    await other.close()
    await one.close()
    const lines = [...keptLines(one), ...keptLines(other)]
    assert.equal(lines.length, 1)
    assert.match(String(lines), /were kept: 2 brands\./)
  })

  it('is missing if no server ran in the quarter of an hour after midnight', async () => {
    const clock = clockAt('2026-06-02T04:15:00.000Z')
    const late = await openTestService({}, clock)
    const { figures } = (await late.get(`${queryBasePath}/brands/aldermoor/today?asOf=2026-06-01`))
      .body
    assert.deepEqual(figures.ordersOpen.items, null)
    assert.match(figures.ordersOpen.reason, /No snapshot was taken at the end of 2026-06-01/)
    clock.set('2026-06-02T04:14:59.999Z')
    const inTime = await openTestService({}, { ...clock, folder: late.folder })
    await until(() => inTime.records.store.daySnapshots.has('aldermoor', '2026-06-01'))
    await inTime.close()
    await late.close()
    assert.deepEqual(keptLines(late), [])
  })

  it('ends a day at its last instant, where midnight does not exist and at any offset', async () => {
    const service = await openTestService({}, clockAt('2026-09-06T12:00:00.000Z'))
    const { daySnapshots } = service.records.store
    await addBrand(service, 'santiago', 1, 'America/Santiago')
    await addBrand(service, 'kathmandu', 2, 'Asia/Kathmandu')
    const takenAt = async (time: string) => {
      const other = await openTestService({}, { ...clockAt(time), folder: service.folder })
      await until(() => keptLines(other).length > 0)
      await other.close()
      return String(keptLines(other))
    }
    // Clocks in Santiago go from 0:00 to 1:00 when it is midnight in New York.
    assert.match(await takenAt('2026-09-06T04:00:00.000Z'), /were kept: 2 brands\./)
    assert.equal(await daySnapshots.has('santiago', '2026-09-05'), true)
    assert.match(await takenAt('2026-09-06T18:15:00.000Z'), /were kept: 1 brand\./)
    assert.equal(await daySnapshots.has('kathmandu', '2026-09-06'), true)
    await service.close()
  })
})
