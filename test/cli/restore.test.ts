/** A backup of SQLite files takes the place of a database. */
import assert from 'node:assert/strict'
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { restoreBackup } from '#backup'
import { basePath } from '#contract'
import { createWriteTokens } from '#cursors'
import { openDatabase } from '#database'
import { forgetClaims } from '#intake'
import { createAllTables } from '#server'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { vendorsMapping } from '../support/import-records.ts'
import {
  assertSame,
  feedPath,
  fillInstallation,
  makeArchive,
  readAllResponses,
  readAllRows,
  readUnitAtWork,
  storeUnitAtWork,
} from '../support/installation.ts'
import { openTestService } from '../support/service.ts'

describe('a restored database', () => {
  const sandbox = openSandbox()
  const { databaseUrl, folder } = sandbox
  const archive = join(folder, 'one.backup')
  const types = new Map()
  let key: string
  before(async () => {
    key = await fillInstallation(databaseUrl)
    await makeArchive(databaseUrl, archive)
  })
  after(() => sandbox.close())

  const elsewhere = (): Sandbox & { readonly file: string } => {
    const other = openSandbox()
    after(() => other.close())
    return { ...other, file: join(other.folder, 'selvedge.db') }
  }

  it('has all rows of the backup, and responds with the same bytes', async () => {
    const other = elsewhere()
    const ran = await other.run(['restore', archive, '--verify', '--json'])
    assert.equal(ran.code, 0, ran.stderr)
    const { restored, records, served } = JSON.parse(ran.stdout)
    assert.deepEqual([restored, records > 1_000, served > 150], [true, true, true])
    assertSame(await readAllRows(other.databaseUrl, types), await readAllRows(databaseUrl, types))
    const copy = elsewhere()
    for (const name of ['selvedge.db', 'selvedge.keys.db', 'selvedge.queue.db']) {
      cpSync(join(folder, name), join(copy.folder, name))
    }
    assertSame(
      await readAllResponses(other.databaseUrl, key),
      await readAllResponses(copy.databaseUrl, key),
    )
    const listed = await other.run(['audit', 'list', '--action', 'database.restored', '--json'])
    assert.match(listed.stdout, /"replacedChange":0/)
    assert.equal((await other.run(['audit', 'verify'])).code, 0)
  })

  it('replaces one with brands or keys only if that is wanted, and tells what it has', async () => {
    const other = elsewhere()
    assert.equal((await other.run(['brands', 'add', 'lost', '--name', 'Lost'])).code, 0)
    assert.equal((await other.run(['keys', 'issue', '--brand', 'lost'])).code, 0)
    const before = readFileSync(other.file)
    const refused = await other.run(['restore', archive])
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /has 1 brand with 1 record, and 1 key\.\nNothing was restored\./)
    assert.deepEqual(readFileSync(other.file), before)
    writeFileSync(`${other.file}-wal`, 'left by a server that was killed')
    const ran = await other.run(['restore', archive, '--yes'])
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(
      readdirSync(other.folder).filter((name) => /wal|shm|restor/.test(name)),
      [],
    )
    const { stdout } = await other.run(['brands', 'list'])
    assert.match(stdout, /aldermoor/)
    assert.doesNotMatch(stdout, /lost/)
    const modes = readdirSync(other.folder)
      .filter((name) => name.endsWith('.db'))
      .map((name) => statSync(join(other.folder, name)).mode & 0o777)
    assert.deepEqual(modes, [0o600, 0o600, 0o600])
  })

  it('replaces a damaged one', async () => {
    const other = elsewhere()
    writeFileSync(other.file, 'not a database'.repeat(1_000))
    const refused = await other.run(['restore', archive])
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /cannot be read: .*\nNothing was restored\./)
    const ran = await other.run(['restore', archive, '--yes'])
    assert.equal(ran.code, 0, ran.stderr)
    assert.match(ran.stdout, /^Restored .*\n.* rejected from now on\. .*\n.* revoke those again/)
    assert.match((await other.run(['brands', 'list'])).stdout, /aldermoor/)
  })

  it('replaces none that a server uses', async () => {
    const other = elsewhere()
    const service = await openTestService({ DATABASE_URL: other.databaseUrl }, { story: false })
    try {
      const refused = await other.runProcess(['restore', archive, '--yes'])
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /^A server or a command uses .*\. Nothing was restored\. Stop/)
      assert.equal((await service.get('/readyz')).status, 200)
    } finally {
      await service.close()
    }
  })

  it('does not come from an archive that is cut off, changed, of a newer version or something else', async () => {
    const bytes = readFileSync(archive)
    const changed = Buffer.from(bytes)
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1
    const archives: { readonly [name: string]: readonly [Uint8Array, RegExp] } = {
      'cut.backup': [bytes.subarray(0, -2_000), /The backup is damaged/],
      'changed.backup': [changed, /The backup is damaged/],
      'other.backup': [Buffer.from('x'.repeat(2_000)), /This is not a backup of Selvedge/],
    }
    for (const [name, [content, message]] of Object.entries(archives)) {
      const other = elsewhere()
      const file = other.put({ [name]: content })
      const ran = await other.run(['restore', file])
      assert.equal(ran.code, 1, name)
      assert.match(ran.stderr, message)
      assert.deepEqual(readdirSync(other.folder), [name])
    }
    const newer = elsewhere()
    cpSync(join(folder, 'selvedge.db'), newer.file)
    const database = openDatabase(newer.databaseUrl)
    await database.write((session) =>
      session.runAll(["insert into \"selvedge_shapes\" values ('hovercraft', '[]')"]),
    )
    await database.close()
    const file = join(newer.folder, 'newer.backup')
    await makeArchive(newer.databaseUrl, file)
    const ran = await elsewhere().run(['restore', file])
    assert.equal(ran.code, 1)
    assert.match(
      ran.stderr,
      /made by a newer version of Selvedge .* the group hovercraft\. Nothing/,
    )
  })

  it('does not come from an archive that is replaced while it is read', async () => {
    const { databaseUrl: url, folder: temporaryFolder, file } = elsewhere()
    const next = join(folder, 'next.backup')
    await makeArchive(databaseUrl, next)
    const archives = [archive, next]
    const restoring = restoreBackup({
      ...{
        databaseUrl: url,
        secret: null,
        createTables: createAllTables,
        forgetClaims,
        now: Date.now,
      },
      ...{ temporaryFolder, newestChange: 0, checksAll: false, onProgress: () => undefined },
      open: () => openDatabase(url),
      archive: () => createReadStream(archives.shift() ?? ''),
      recordAudit: () => async () => undefined,
    })
    await assert.rejects(restoring, /was replaced by another one while it was read/)
    assert.equal(existsSync(file), false)
  })

  it('does not count the attempts that were under way in the backup', async () => {
    const [origin, other] = [elsewhere(), elsewhere()]
    assert.equal((await origin.run(['brands', 'add', 'halden', '--name', 'Halden'])).code, 0)
    await storeUnitAtWork(origin.databaseUrl)
    const file = join(origin.folder, 'at-work.backup')
    await makeArchive(origin.databaseUrl, file)
    assert.equal((await other.run(['restore', file])).code, 0)
    assert.deepEqual(await readUnitAtWork(other.databaseUrl), ['waiting', 2, null])
  })

  it('needs the key file of an encrypted backup', async () => {
    const other = elsewhere()
    const secret = Buffer.from('a'.repeat(64))
    const sealed = join(other.folder, 'sealed.backup')
    await makeArchive(databaseUrl, sealed, { secret })
    writeFileSync(join(other.folder, 'key'), `${secret}\n`, { mode: 0o600 })
    writeFileSync(join(other.folder, 'wrong'), 'b'.repeat(64), { mode: 0o600 })
    const without = await other.run(['restore', sealed])
    assert.match(without.stderr, /The backup is encrypted/)
    const wrong = await other.run(['restore', sealed, '--key-file', 'wrong'])
    assert.match(wrong.stderr, /another key file/)
    assert.equal((await other.run(['restore', sealed, '--key-file', 'key'])).code, 0)
  })

  it('rejects cursors and tokens of what was lost, and accepts older ones', async () => {
    const other = elsewhere()
    const run = async (...args: string[]) => {
      const ran = await other.run(args, undefined, { CHANGE_FEED: 'on' })
      assert.equal(ran.code, 0, ran.stderr)
    }
    await run('restore', archive)
    const serve = () =>
      openTestService({ DATABASE_URL: other.databaseUrl, CHANGE_FEED: 'on' }, { story: false })
    const last = async (service: Awaited<ReturnType<typeof serve>>) => {
      let cursor = ''
      for (;;) {
        const { body } = await service.get(`${feedPath('halden')}?limit=1000${cursor}`, { key })
        cursor = `&cursor=${body.nextCursor}`
        const number = body.items.at(-1)?.number as number
        if (!body.hasMore) return { cursor: body.nextCursor as string, number }
      }
    }
    const add = (slug: string) => run('brands', 'add', slug, '--name', slug)
    const importVendor = async (name: string) => {
      other.put({
        'shop.map.yaml': vendorsMapping('halden'),
        'vendors.csv': `NO,NAME,STATUS\n1,${name},A\n`,
      })
      await run('import', 'vendors.csv', '--map', 'shop.map.yaml', '--no-check')
    }
    const earlier = await serve()
    const before = await last(earlier)
    const list = await earlier.get(`${basePath}/brands/aldermoor/orders?limit=1`, { key })
    const { secret } = earlier.records
    await earlier.close()
    const file = join(other.folder, 'two.backup')
    await makeArchive(other.databaseUrl, file)
    await importVendor('Other')
    await add('further')
    const lost = await serve()
    const after = await last(lost)
    await lost.close()
    assert.ok(after.number > before.number)
    await run('restore', file, '--yes')
    const service = await serve()
    try {
      const at = (query: string) => service.get(`${feedPath('halden')}?${query}`, { key })
      const older = await at(`cursor=${before.cursor}`)
      assert.deepEqual([older.status, older.body.items], [200, []])
      assert.equal((await at(`after=${before.number}`)).status, 200)
      for (const query of [`cursor=${after.cursor}`, `after=${after.number}`]) {
        const { status, body } = await at(query)
        assert.deepEqual([status, body.errorCode], [400, 'invalid_cursor'], query)
        assert.match(body.error, /restored from a backup/)
      }
      const tokens = createWriteTokens(secret)
      const withToken = async (change: number) => {
        const token = tokens.seal({ owner: 'halden', change })
        return service.get(`${basePath}/brands/halden`, { key, headers: { 'after-write': token } })
      }
      assert.equal((await withToken(after.number + 5)).body.errorCode, 'invalid_write_token')
      const next = await service.get(
        `${basePath}/brands/aldermoor/orders?limit=1&cursor=${list.body.nextCursor}`,
        { key },
      )
      assert.equal(next.status, 200)
      // The next change continues from there.
      await importVendor('Next')
      const { body } = await at(`cursor=${before.cursor}`)
      assert.equal(body.items.length, 1)
      assert.equal((await at(`cursor=${after.cursor}`)).status, 400)
    } finally {
      await service.close()
    }
  })

  it('is completed by the next process if the restore was killed at its end', async () => {
    const other = elsewhere()
    assert.equal((await other.run(['brands', 'add', 'lost', '--name', 'Lost'])).code, 0)
    const restored = elsewhere()
    assert.equal((await restored.run(['restore', archive])).code, 0)
    const pending = `${other.file}.restored`
    mkdirSync(pending)
    cpSync(restored.file, join(pending, 'records.db'))
    cpSync(join(restored.folder, 'selvedge.keys.db'), join(other.folder, 'selvedge.keys.db'))
    const { stdout } = await other.run(['brands', 'list'])
    assert.match(stdout, /aldermoor/)
    assert.equal(existsSync(pending), false)
  })

  it('is completed first by a backup, and by another restore', async () => {
    const restored = elsewhere()
    assert.equal((await restored.run(['restore', archive])).code, 0)
    const killed = (): Sandbox & { readonly file: string } => {
      const other = elsewhere()
      mkdirSync(`${other.file}.restored`)
      cpSync(restored.file, join(`${other.file}.restored`, 'records.db'))
      cpSync(join(restored.folder, 'selvedge.keys.db'), join(other.folder, 'selvedge.keys.db'))
      return other
    }
    const backedUp = killed()
    const ran = await backedUp.run(['backup', join(backedUp.folder, 'next.backup'), '--json'])
    assert.equal(ran.code, 0, ran.stderr)
    assert.ok(JSON.parse(ran.stdout).records > 1_000)
    const again = killed()
    const refused = await again.run(['restore', archive])
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /Nothing was restored\./)
    assert.equal((await again.run(['restore', archive, '--yes'])).code, 0)
    assert.match((await again.run(['brands', 'list'])).stdout, /aldermoor/)
  })
})
