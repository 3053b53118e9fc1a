/** The audit log as operators see it: who did what with commands, files and requests. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { AuditDetails, ReadEntry } from '#audit'
import { ndjson, openSandbox, type Sandbox } from '../support/command.ts'
import { brand, tag } from '../support/import-records.ts'
import { openTestIngest, putItem, recordOf, storyBrand } from '../support/ingest-service.ts'
import { openTestService } from '../support/service.ts'

const readLines = (text: string): readonly { number: number; entry: ReadEntry }[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const entriesOf = async (place: Sandbox, ...args: string[]): Promise<readonly ReadEntry[]> => {
  const { code, stdout, stderr } = await place.run(['audit', '--json', ...args])
  assert.equal(code, 0, stderr)
  return readLines(stdout).map(({ entry }) => entry)
}

describe('selvedge audit', () => {
  const place = openSandbox()
  after(() => place.close())
  const run = async (args: readonly string[], environment?: NodeJS.ProcessEnv) => {
    const ran = await place.run(args, '', environment)
    assert.equal(ran.code, 0, ran.stderr)
    return ran.stdout
  }
  let started = ''
  before(async () => {
    started = new Date().toISOString()
    await run(['brands', 'add', brand, '--name', 'Aldermoor', '--as', 'anna'])
    await run(['--as', 'bob', 'keys', 'issue', '--brand', brand, '--name', 'Warehouse'])
    await run(['--as=carl', 'keys', 'issue', '--global'], { SELVEDGE_OPERATOR: 'dora' })
    await run(['keys', 'issue', '--global'], { SELVEDGE_OPERATOR: 'dora' })
    await run(['keys', 'issue', '--global'])
  })

  it('names who ran a command: --as, SELVEDGE_OPERATOR, or the user of the system', async () => {
    const all = await entriesOf(place)
    const { username } = userInfo()
    assert.deepEqual(
      all.map(({ action, actor, actorKind }) => [action, actor, actorKind]),
      [
        ['audit.begun', 'anna', 'operator'],
        ['brand.added', 'anna', 'operator'],
        ['key.issued', 'bob', 'operator'],
        ['key.issued', 'carl', 'operator'],
        ['key.issued', 'dora', 'operator'],
        ['key.issued', username, 'user'],
      ],
    )
    assert.ok(all.every(({ user }) => user === username))
    assert.match(all[2]?.program ?? '', /^selvedge \S+ keys issue$/)
    for (const name of ['', ' anna', 'a\nb', 'x'.repeat(101)]) {
      const { code, stderr } = await place.run(['keys', 'list', '--as', name])
      assert.equal(code, 2, stderr)
      assert.match(stderr, /^--as must be a name of 1 to 100 characters/)
    }
    const wrong = await place.run(['keys', 'list'], '', { SELVEDGE_OPERATOR: 'a\nb' })
    assert.match(wrong.stderr, /SELVEDGE_OPERATOR must be a name/)
  })

  it('lists the last entries, by time, brand and action, in pages', async () => {
    const table = await run(['audit', '--limit', '2'])
    assert.match(table, /^number +time +actor +action +brand +subject +details\n +5 .*\n +6 /)
    const { stderr } = await place.run(['audit', '--limit', '2', '--before', '5'])
    assert.match(stderr, /selvedge audit --before 3$/m)
    const numbers = async (...args: string[]) =>
      readLines(await run(['audit', '--json', ...args])).map(({ number }) => number)
    assert.deepEqual(await numbers('--brand', brand), [2, 3])
    assert.deepEqual(await numbers('--action', 'key.issued', '--limit', '2'), [5, 6])
    assert.deepEqual(await numbers('--since', started, '--before', '3'), [1, 2])
    assert.deepEqual(await numbers('--until', started), [])
    assert.deepEqual(await numbers('--since', '1h', '--until', '0s'), [1, 2, 3, 4, 5, 6])
    assert.match(await run(['audit', '--brand', 'nobody']), /^There are no such entries/)
    for (const args of [
      ['--action', 'x'],
      ['--limit', '0'],
      ['--since', 'x'],
      ['--limit', '10001'],
    ]) {
      assert.notEqual((await place.run(['audit', ...args])).code, 0, args.join(' '))
    }
  })

  it('never has a key or its hash', async () => {
    const key = (await run(['keys', 'issue', '--global'])).trim()
    const text = await run(['audit', '--json'])
    assert.match(key, /^slv_/)
    assert.equal(text.includes(key.slice(4, 47)), false)
    const stored = new DatabaseSync(join(place.folder, 'selvedge.keys.db'), { readOnly: true })
    const hashes = stored.prepare('select "hash" from "selvedge_keys"').all()
    stored.close()
    assert.ok(hashes.length > 3)
    for (const { hash } of hashes) assert.equal(text.includes(String(hash)), false)
  })

  it('records units of commands and files, and what becomes of refused ones', async () => {
    const before = (await entriesOf(place)).length
    place.put({
      'tags.ndjson': ndjson([tag(1), tag(2)]),
      'bad/tags.ndjson': ndjson([{ ...tag(3), name: 'do not show', code: 7 }]),
      'tags.csv': 'NO,NAME\n1,Undyed\n',
      'erp.map.yaml': [
        ...['version: 1', `brand: ${brand}`, 'collections:', '  tags:', '    from: tags.csv'],
        ...['    id: { key: [NO] }', '    fields:', '      name: NAME', '      code: NO'],
        ...['      createdAt: first-seen', '      updatedAt: last-changed', ''],
      ].join('\n'),
    })
    const own = ['--brand', brand, '--no-check']
    await run(['import', 'tags.ndjson', ...own])
    assert.equal((await place.run(['import', 'bad/tags.ndjson', ...own])).code, 1)
    await run(['import', 'tags.ndjson', ...own, '--dry-run'])
    for (let times = 0; times < 2; times += 1) {
      await run(['import', 'tags.csv', '--map', 'erp.map.yaml', '--no-check'])
    }
    mkdirSync(join(place.folder, 'in'))
    renameSync(join(place.folder, 'bad/tags.ndjson'), join(place.folder, 'in/tags.ndjson'))
    place.put({ 'in/tags-20260301.ndjson': ndjson([tag(4)]) })
    await place.run([
      ...['watch', 'in', ...own, '--once', '--settle', '0s', '--every', '1s', '--as', 'anna'],
      ...['--on-error', 'refuse'],
    ])
    place.put({ 'held/tags.ndjson': ndjson([{ ...tag(9), name: 7 }]) })
    const held = ['--on-error', 'quarantine', '--max-bad-rows', '100']
    await run(['import', 'held/tags.ndjson', ...own, ...held])
    await run(['intake', 'discard-rows', '--brand', brand, '--yes'])
    await run(['brands', 'update', brand, '--checks', 'warn'])
    const all = (await entriesOf(place)).slice(before)
    assert.doesNotMatch(JSON.stringify(all), /do not show/)
    assert.deepEqual(
      all.map(({ action, details: { kind = '', collections = '' } }) => [
        action,
        kind,
        collections,
      ]),
      [
        ['unit.committed', 'import', { tags: { added: 2 } }],
        ['unit.refused', 'import', ''],
        ['mapping.changed', '', ''],
        ['unit.committed', 'import', { tags: { added: 1 } }],
        ['unit.committed', 'import', {}],
        ['unit.committed', 'file', { tags: { added: 1 } }],
        ['unit.refused', 'file', ''],
        ['unit.committed', 'import', {}],
        ['rows.discarded', '', ''],
        ['checks.changed', '', ''],
      ],
    )
    assert.equal(all.find(({ details }) => details['kind'] === 'file')?.actor, 'anna')
    const mapping = all.find(({ action }) => action === 'mapping.changed')
    assert.deepEqual([mapping?.subject, mapping?.brand], ['erp.map.yaml', brand])
    assert.match(String(mapping?.details['sha256']), /^[0-9a-f]{64}$/)
  })

  it('verify prints the head, compares it with an earlier one, and names the first bad entry', async () => {
    const [, head = ''] = /Head: (\S+)$/m.exec(await run(['audit', 'verify'])) ?? []
    assert.match(head, /^\d+:[0-9a-f]{64}$/)
    await run(['keys', 'issue', '--global'])
    assert.match(await run(['audit', 'verify', '--expect', head]), /is the one that was expected/)
    const { entries, problem } = JSON.parse(await run(['audit', 'verify', '--json']))
    assert.deepEqual([entries, problem], [Number(head.split(':')[0]) + 1, null])
    assert.equal((await place.run(['audit', 'verify', '--expect', 'x'])).code, 2)
    const database = new DatabaseSync(join(place.folder, 'selvedge.keys.db'))
    database.exec('drop trigger "selvedge_audit_delete"')
    database.exec('delete from "selvedge_audit" where "number" = 3')
    database.close()
    const { code, stdout, stderr } = await place.run(['audit', 'verify', '--json'])
    assert.equal(code, 1)
    assert.match(stderr, /^Entry 3 is missing\./)
    assert.equal(JSON.parse(stdout).problem.number, 3)
  })
})

describe('the audit log of servers', () => {
  it('records nothing on behalf of readers', async (t) => {
    const service = await openTestService()
    t.after(service.close)
    const key = await service.key('aldermoor')
    const { audit } = service.records
    await audit.chain()
    const before = (await audit.list({ limit: 1_000 })).length
    for (const path of ['orders', 'tags', 'orders?limit=0', 'nothing']) {
      await service.get(path, { key })
      await service.get(path, { key: `${key.slice(0, -1)}x` })
    }
    await audit.chain()
    assert.equal((await audit.list({ limit: 1_000 })).length, before)
    assert.ok(before > 0)
  })

  it('records batches with the key that sent them, and no dry runs', async (t) => {
    const ingest = await openTestIngest()
    t.after(ingest.close)
    const { audit } = ingest.records
    const { key, id } = await ingest.issue({ name: 'Other' })
    const tags = [0, 1, 2].map((index) => putItem('tags', recordOf('tags', index)))
    const options = { key, headers: { prefer: 'wait=30' } }
    for (const item of tags) assert.equal((await ingest.send([item], options)).status, 200)
    const wrong = { ...tags[0], record: { ...recordOf('tags'), name: 5 } }
    const refused = await ingest.send([wrong], options)
    assert.equal(refused.status, 422)
    await ingest.send([tags[0] as object], { ...options, query: 'dryRun=true' })
    // The server adds what its threads have recorded after a second.
    await audit.chain()
    const all = (await audit.list({ limit: 1_000 })).map(
      ({ text }) => JSON.parse(text) as ReadEntry,
    )
    const ofBatches = all.filter(({ actorKind }) => actorKind === 'key')
    assert.deepEqual(
      ofBatches.map(({ action, actor, brand }) => [action, actor, brand]),
      [...tags.map(() => ['unit.committed', id, storyBrand]), ['unit.refused', id, storyBrand]],
    )
    assert.deepEqual(ofBatches[0]?.details, { kind: 'batch', collections: { tags: { added: 1 } } })
    assert.ok(refused.text.includes(String(ofBatches[3]?.subject)))
    assert.match(ofBatches[0]?.program ?? '', /^selvedge \S+ serve$/)
    assert.equal((await audit.verify()).problem, null)
  })

  it('records a start with the names of settings, and nothing that reveals their values', async (t) => {
    const place = openSandbox()
    t.after(place.close)
    const secret = 'a-rather-secret-value'
    const environment = { PORT: '0', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: secret }
    for (const burst of ['7', '8']) {
      const started = place.start(['serve', '--as', 'anna'], { ...environment, RATE_BURST: burst })
      await started.said('Ctrl+C stops')
      started.child.kill('SIGTERM')
      await started.ended
    }
    const all = await entriesOf(place, '--action', 'server.started')
    const [first, second, ...more] = all.map(({ details }) => details['settings'] as AuditDetails)
    assert.deepEqual(more, [])
    assert.match(String(first?.['AWS_SECRET_ACCESS_KEY']), /^[0-9a-f]{16}$/)
    assert.equal(first?.['AWS_SECRET_ACCESS_KEY'], second?.['AWS_SECRET_ACCESS_KEY'])
    assert.notEqual(first?.['RATE_BURST'], second?.['RATE_BURST'])
    const files = ['selvedge.keys.db', 'selvedge.audit.json'].map((name) =>
      readFileSync(join(place.folder, name), 'latin1'),
    )
    assert.equal(files.join().includes(secret), false)
    assert.equal(all[0]?.actor, 'anna')
  })
})
