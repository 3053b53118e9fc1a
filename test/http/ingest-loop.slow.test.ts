/** What the event loop that receives records does while large batches are stored. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ingestBasePath } from '#contract'
import { startSenders } from '../../bench/ingest-senders.ts'
import {
  lines,
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'
import { startTurnMeter } from '../support/turn-meter.ts'

const rows = 1_000
const batches = 30
/** Few enough that the last one is stored within the 30 seconds that its sender waits. */
const atOnce = 6
const turnMsMax = 20

let service: TestIngest
before(async () => {
  service = await openTestIngest()
})
after(() => service.close())

const bodyOf = (batch: number) =>
  lines(
    Array.from({ length: rows }, (_, row) =>
      putItem('tags', {
        ...recordOf('tags'),
        id: `00000000-0000-4000-8000-${String(batch * (rows / 2) + row).padStart(12, '0')}`,
        name: `Größe 尺码 ${batch} ${row}`,
      }),
    ),
  )

/** Sends batches from another thread, and tells the most processor time of one turn in this one. */
const send = async (bodies: readonly string[], key: string): Promise<number> => {
  const target = {
    port: Number(new URL(service.url).port),
    path: `${ingestBasePath}/brands/${storyBrand}/batches`,
    key,
  }
  const senders = await startSenders(target)
  const longestMs = startTurnMeter()
  try {
    for (let sent = 0; sent < bodies.length; sent += atOnce) {
      const { ms } = await senders.send({
        bodies: bodies.slice(sent, sent + atOnce),
        perSecond: 20,
      })
      assert.equal(ms.length, Math.min(atOnce, bodies.length - sent))
    }
    return longestMs()
  } finally {
    longestMs()
    await senders.close()
  }
}

it('is free within 20 ms of processor time while batches of 1,000 records are stored', async () => {
  const { key } = await service.issue()
  const bodies = Array.from({ length: 2 * batches }, (_, batch) => bodyOf(batch))
  // The first ones compile the program.
  await send(bodies.slice(0, batches), key)
  const longestMs = await send(bodies.slice(batches), key)
  assert.ok(longestMs < turnMsMax, `One turn took ${longestMs} ms.`)
  assert.equal((await service.stored('tags')).length, (2 * batches + 1) * (rows / 2))
})
