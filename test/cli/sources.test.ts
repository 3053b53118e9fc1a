/** The sources of records, listed on the command line. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { findSources, ingest, openReport } from '#ingest'
import { createStore, type SourceName } from '#store'
import { formatDuration } from '../../src/cli/durations.ts'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())

const change = async (work: (store: Awaited<ReturnType<typeof createStore>>) => Promise<void>) => {
  const database = openDatabase(place.databaseUrl)
  await work(await createStore(catalog, database))
  await database.close()
}
const orders: SourceName = { kind: 'sync', name: 'erp' }

describe('selvedge sources', () => {
  before(async () => {
    const { code } = await place.run(['brands', 'add', 'acme', '--name', 'Acme'])
    assert.equal(code, 0)
  })

  it('says what to do where there are none', async () => {
    const { code, stdout } = await place.run(['sources'])
    assert.equal(code, 0)
    assert.match(stdout, /^There are no sources\./)
  })

  it('lists them with their state, lag and last error, on one line each', async () => {
    await change(({ sources }) =>
      sources.update('acme', orders, {
        state: 'failing',
        succeededAt: '2026-11-16T06:00:00.000Z',
        behindSince: new Date(Date.now() - 3 * 3_600_000).toISOString(),
        processed: 5,
        failed: 2,
        error: 'the server\nis away',
      }),
    )
    const { stdout } = await place.run(['sources'])
    const [, row = '', ...more] = stdout.trimEnd().split('\n')
    assert.deepEqual(more, [])
    assert.match(
      row,
      /^acme +sync +erp +failing +2026-11-16T06:00:00\.000Z +3 h +0 +0 +0 +5 +2 +the server is away$/,
    )
    const [each] = JSON.parse((await place.run(['sources', '--json', '--brand', 'acme'])).stdout)
    assert.deepEqual([each.kind, each.name, each.error], ['sync', 'erp', 'the server\nis away'])
    assert.equal((await place.run(['sources', '--json', '--brand', 'other'])).stdout, '[]\n')
  })

  it('keep their cursor with the records of an import, and not with a refused one', async () => {
    const importTags = (lines: string, cursor: string) =>
      change(async (store) => {
        const report = openReport(undefined)
        await ingest({
          store,
          sources: await findSources([place.put({ 'tags.ndjson': lines })], {
            catalog,
            input: process.stdin,
          }),
          owner: 'acme',
          replace: false,
          allowRemovals: false,
          dryRun: false,
          allowDangling: false,
          report,
          beforeCommit: (writer) => writer.updateSource(orders, { cursor }),
          now: () => 0,
        })
        await report.close()
        assert.equal((await store.sources.find('acme', orders))?.cursor, 'committed')
      })
    await importTags('', 'committed')
    await importTags('{"id":1}\n', 'refused')
  })

  it('removes one by its kind and name', async () => {
    const remove = () =>
      place.run(['sources', 'remove', 'erp', '--kind', 'sync', '--brand', 'acme'])
    assert.equal((await remove()).stdout, 'Removed the state of erp.\n')
    const again = await remove()
    assert.equal(again.code, 1)
    assert.match(again.stderr, /There is no source erp of this kind and brand\./)
  })
})

describe('a duration for people', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [119, '119 s'],
    [120, '2 min'],
    [7_199, '120 min'],
    [7_200, '2 h'],
    [172_799, '48 h'],
    [172_800, '2 d'],
  ] as const) {
    it(`is ${text} for ${seconds} seconds`, () => {
      assert.equal(formatDuration(seconds * 1_000), text)
    })
  }
})
