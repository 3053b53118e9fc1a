/** A batch that cannot be stored, as its sender, the operator and the monitoring see it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ingestBasePath } from '#contract'
import { until } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import {
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'
import { openTestService, type TestService } from '../support/service.ts'

const tagNamed = (name: string, no: number) =>
  putItem('tags', { ...recordOf('tags'), id: `00000000-0000-4000-8000-00000000ab0${no}`, name })
const [poison, good] = [tagNamed('Poison', 0), tagNamed('Good', 1)]

const trigger = `create trigger "poison" before insert on "tags" when new."name" like 'Poison%'
  begin select json('{'); end`

describe('a batch that the database fails for', () => {
  let ingest: TestIngest
  let server: TestService
  let place: Sandbox
  let id = ''
  const run = (text: string) =>
    ingest.records.database.write((session) => session.run({ text, values: [] }))
  before(async () => {
    ingest = await openTestIngest()
    server = await openTestService({ METRICS_PORT: '0' }, { folder: ingest.folder })
    place = openSandbox(ingest.databaseUrl)
    await run(trigger)
  })
  after(async () => {
    await place.close()
    await server.close()
    await ingest.close()
  })

  const find = (batch: string) =>
    ingest.get(`${ingestBasePath}/brands/${storyBrand}/batches/${batch}`, undefined, {
      prefer: 'wait=60',
    })
  const sources = async () => (await server.get('/readyz', { key: null })).body.sources
  const metric = async (name: string) => {
    const text = await (await fetch(server.metricsUrl ?? '')).text()
    const labels = `brand="${storyBrand}",source="batches",kind="ingest"`
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`selvedge_source_${name}{${labels}`))
    return Number(line?.split(' ').at(-1))
  }

  it('counts as waiting, with the one behind it', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const importing = ingest.records.store.write(storyBrand, async () => {
      begun.resolve()
      await held.promise
    })
    await begun.promise
    const [first, next] = [await ingest.send([poison]), await ingest.send([good])]
    assert.deepEqual([first.status, next.status], [202, 202])
    id = first.body.id
    await until(async () => (await sources())?.waiting === 2)
    assert.equal(await metric('waiting'), 2)
    await until(async () => (await metric('lag_seconds')) > 0)
    held.resolve()
    await importing
    assert.equal((await find(next.body.id)).body.state, 'committed')
  })

  it('is quarantined: its sender, the operator and the monitoring see it', async () => {
    const { body } = await find(id)
    assert.deepEqual([body.state, body.problemCount], ['quarantined', 1])
    assert.match(body.problems[0].reason, /^could not be stored in 3 attempts.* malformed JSON/)
    const refused = await ingest.send([poison], { headers: { prefer: 'wait=60' } })
    assert.deepEqual([refused.status, refused.body.errorCode], [422, 'batch_refused'])
    await until(async () => (await sources())?.quarantined === 2)
    const { total, failing, waiting } = await sources()
    assert.deepEqual([total, failing, waiting], [1, 1, 0])
    assert.equal(await metric('quarantined'), 2)
    const { stdout } = await place.run(['sources', '--json'])
    assert.deepEqual(
      JSON.parse(stdout).map((each: { quarantined: number }) => each.quarantined),
      [2],
    )
    assert.ok(ingest.logged.some((each) => each.includes(`See: selvedge intake show ${id}`)))
  })

  it('is listed, shown, retried and discarded by the operator', async () => {
    const list = async (...filter: string[]) =>
      JSON.parse((await place.run(['intake', 'list', '--json', ...filter])).stdout)
    const [first, second] = await list('--state', 'quarantined', '--brand', storyBrand)
    assert.deepEqual([first.id, first.attempts, first.kind], [id, 3, 'batch'])
    assert.deepEqual(await list('--brand', 'other'), [])
    assert.match((await place.run(['intake'])).stdout, /^id +brand +kind +source/)
    assert.match((await place.run(['intake', 'show', id])).stdout, /^state +quarantined$/m)
    await run('drop trigger "poison"')
    assert.equal((await place.run(['intake', 'retry', id])).stdout, `${id} is tried again.\n`)
    assert.equal((await find(id)).body.state, 'committed')
    const discarded = await place.run(['intake', 'discard', second.id])
    assert.equal(discarded.stdout, `Discarded ${second.id}.\n`)
    const invalid = putItem('tags', { ...recordOf('tags'), name: 7 })
    assert.equal((await ingest.send([invalid], { headers: { prefer: 'wait=60' } })).status, 422)
    await until(async () =>
      (await list('--state', 'refused')).some(({ lastError }: { lastError: string | null }) =>
        /^1 problem: .* row 1 \/?.*name /.test(lastError ?? ''),
      ),
    )
    for (const [command, reason] of [
      [['retry', id], /is done and cannot be retried/],
      [['discard', second.id], /is refused and cannot be discarded/],
      [['show', 'nothing'], /There is no unit nothing\. See: selvedge intake/],
    ] as const) {
      const { code, stderr } = await place.run(['intake', ...command])
      assert.equal(code, 1)
      assert.match(stderr, reason)
    }
    await until(async () => (await sources())?.quarantined === 0)
  })

  it('is removed with its brand', async () => {
    await run(trigger)
    const { body } = await ingest.send([tagNamed('Poison again', 2)])
    assert.equal((await find(body.id)).body.state, 'quarantined')
    const removed = await place.run(['brands', 'remove', storyBrand, '--yes'])
    assert.match(removed.stdout, /records, 5 units of intake\./)
    assert.equal((await place.run(['intake', '--json'])).stdout, '[]\n')
    assert.equal((await find(body.id)).status, 404)
  })
})
