/** The removal of a brand, as the command does it beside a server that answers. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog } from '#contract'
import { createUsageLog } from '#usage'
import { until as eventually } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { brandRecord, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('brands remove', () => {
  let service: TestService
  let sandbox: Sandbox
  let keys: { readonly going: string; readonly staying: string }
  before(async () => {
    service = await openTestService()
    await service.write('staying', { brand: [brandRecord('staying', 7)], tags: recordsAt('tags') })
    keys = { going: await service.key('aldermoor'), staying: await service.key('staying') }
    const [image] = recordsAt('images')
    const { id, mimeType, fileName } = image as { id: string; mimeType: string; fileName: string }
    for (const brand of ['aldermoor', 'staying']) {
      await service.images.put({ brand, id, mimeType, fileName }, Buffer.from('x'))
    }
    sandbox = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
  })
  after(async () => {
    sandbox.close()
    await service.close()
  })
  const run = async (...args: string[]) => {
    const environment = { IMAGES_URL: `file:${join(service.folder, 'images')}` }
    return sandbox.run(['brands', ...args], '', environment)
  }
  const statusOf = async (brand: string, path: string, key: string) =>
    (await service.get(`${basePath}/brands/${brand}/${path}`, { key })).status
  const filesOf = (brand: string) => existsSync(join(service.folder, 'images', brand))

  it('without --yes shows what would be removed, and removes nothing', async () => {
    await statusOf('aldermoor', 'tags', keys.going)
    const usage = createUsageLog(service.records.keyDatabase)
    await eventually(async () => (await usage.countBrand('aldermoor')) > 0)
    const { code, stdout } = await run('remove', 'aldermoor', '--images')
    assert.equal(code, 1)
    const count = recordsAt('order-items').length
    assert.match(stdout, new RegExp(`^order-items +${count}$`, 'm'))
    assert.match(stdout, /^image files +1$/m)
    assert.match(stdout, /^usage of keys +1$/m)
    assert.match(
      stdout,
      /^Nothing was removed\. To remove aldermoor and all of this: selvedge brands remove aldermoor --images --yes$/m,
    )
    assert.match(stdout, /^Keys that name aldermoor, which stay as they are/m)
    assert.equal(await statusOf('aldermoor', 'orders', keys.going), 200)
    assert.equal(filesOf('aldermoor'), true)
  })

  it('removes the rows of the brand in quarantine, and none of others', async () => {
    sandbox.put({ 'tags.ndjson': '{"id":7}\n' })
    for (const brand of ['parting', 'staying']) {
      const add = ['brands', 'add', brand, '--name', brand]
      if (brand === 'parting') assert.equal((await sandbox.run(add)).code, 0)
      const options = ['--brand', brand, '--on-error', 'quarantine', '--no-check']
      const { code, stderr } = await sandbox.run(['import', 'tags.ndjson', ...options])
      assert.equal(code, 0, stderr)
    }
    const rows = async (brand: string) => {
      const { stdout } = await sandbox.run(['intake', 'rows', '--brand', brand, '--json'])
      return JSON.parse(stdout).rows.length
    }
    assert.deepEqual([await rows('parting'), await rows('staying')], [1, 1])
    assert.equal((await run('remove', 'parting', '--yes')).code, 0)
    assert.equal((await sandbox.run(['brands', 'add', 'parting', '--name', 'New'])).code, 0)
    assert.deepEqual([await rows('parting'), await rows('staying')], [0, 1])
    assert.equal((await run('remove', 'parting', '--yes')).code, 0)
  })

  it('refuses a brand that does not exist', async () => {
    const { code, stderr } = await run('remove', 'nowhere', '--yes')
    assert.equal(code, 1)
    assert.match(stderr, /There is no brand nowhere\. The database has aldermoor, staying\./)
  })

  it('erases the usage that a killed removal has left', async () => {
    const { keyDatabase } = service.records
    await keyDatabase.write((session) =>
      session.run({
        text: `insert into "selvedge_usage"
          values ('k1', '2026-01-01', 'killed', 'listOrders', 1, 1, 1, '{}', '', '', '{}', 0, '[]')`,
        values: [],
      }),
    )
    const usage = createUsageLog(keyDatabase)
    assert.equal(await usage.countBrand('killed'), 1)
    const { code, stderr } = await run('remove', 'killed', '--yes')
    assert.equal(code, 0, stderr)
    assert.equal(await usage.countBrand('killed'), 0)
    assert.equal((await run('remove', 'killed', '--yes')).code, 1)
  })

  it('with --yes takes the brand from a running server, and leaves others as they are', async () => {
    const paths = catalog.resources.map(({ path }) => path)
    const before = await service.get(`${basePath}/brands/staying/tags`, { key: keys.staying })
    for (const path of ['orders', 'tags']) {
      assert.equal(await statusOf('aldermoor', path, keys.going), 200)
    }
    const { code, stdout, stderr } = await run('remove', 'aldermoor', '--yes', '--images', '--json')
    assert.equal(code, 0, stderr)
    const result = JSON.parse(stdout)
    assert.deepEqual(
      [result.brand, result.removed, result.images, result.keys.length],
      ['aldermoor', true, 1, 2],
    )
    const own = Object.values(result.collections as { records: number }[])
    assert.equal(
      result.records,
      own.reduce((sum, { records }) => sum + records, 0),
    )

    // The server learns of it as it learns of an import.
    const until = performance.now() + 60_000
    while ((await statusOf('aldermoor', 'orders', keys.going)) === 200) {
      assert.ok(performance.now() < until, 'the server still answers')
    }
    const ofBrand = paths.filter((path) => catalog.byPath.get(path)?.scope === 'brand')
    for (const path of ofBrand) {
      if (path === 'brand') continue
      assert.equal(await statusOf('aldermoor', path, keys.going), 404, path)
    }
    const after = await service.get(`${basePath}/brands/staying/tags`, { key: keys.staying })
    assert.deepEqual([after.status, after.text], [200, before.text])
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
    assert.deepEqual([filesOf('aldermoor'), filesOf('staying')], [false, true])
    const usage = createUsageLog(service.records.keyDatabase)
    const whole = { since: '2000-01-01', until: '2100-01-01' }
    // Requests that were counted before the removal are written, or dropped, by now.
    await eventually(async () =>
      (await usage.totals(['brand'], whole)).some(({ refusals }) => refusals['not_found']),
    )
    const brands = (await usage.totals(['brand'], whole)).map(({ parts }) => parts[0])
    assert.deepEqual(brands, ['', 'staying'])
    const { stdout: listed } = await run('list')
    assert.ok(!listed.includes('aldermoor') && listed.includes('staying'), listed)
  })
})
