/** How many files of `src/http` one list request passes: as many as have to be read to follow it. */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())
const root = fileURLToPath(new URL('../../src/http', import.meta.url))

/** The files with a function that is called during some work, relative to `src/http`. */
const filesDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    // What was called before is counted too, until the counts are taken once.
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => url.startsWith('file:'))
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .map(({ url }) => relative(root, fileURLToPath(url)))
      .filter((path) => !path.startsWith('..'))
      .sort()
  } finally {
    session.disconnect()
  }
}

it('a list request passes 16 files of src/http', async () => {
  const { body } = await service.get('order-items?limit=2')
  assert.notEqual(body.nextCursor, null)
  const files = await filesDuring(async () => {
    const page = await service.get(`order-items?limit=2&cursor=${body.nextCursor}`)
    assert.equal(page.status, 200)
  })
  assert.deepEqual(files, [
    'admission.ts',
    'client-ip.ts',
    'connections.ts',
    'context.ts',
    'further-groups.ts',
    'handlers/list.ts',
    'load-limits.ts',
    'pipeline.ts',
    'raw-response.ts',
    'response-cache.ts',
    'response.ts',
    'routed-server.ts',
    'router.ts',
    'server.ts',
    'slow-clients.ts',
    'start-schedule.ts',
  ])
})
