/** The command `selvedge backup` on SQLite: what it writes, what it refuses, and its traces. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { ReadEntry } from '#audit'
import { openBackupPlace, resultOf, unpack } from '../support/backup.ts'
import { holdImport } from '../support/held-import.ts'

const place = openBackupPlace()
const { backUp, folderNamed, temporary } = place
before(() => place.fill())
after(() => place.close())

describe('selvedge backup <folder>', () => {
  it('writes one private file with records and keys, and says what it has', async () => {
    const folder = folderNamed('plain')
    const { code, stdout, stderr } = await backUp([folder])
    assert.equal(code, 0, stderr)
    const [name = '', ...others] = readdirSync(folder)
    assert.deepEqual(others, [])
    assert.match(name, /^selvedge-\d{8}T\d{9}Z-[0-9a-f]{12}\.backup$/)
    assert.match(
      stdout,
      /: [\d,]+ records of .*Z, [\d,]+ kB, verified, in .*Images are not included/,
    )
    assert.match(stderr, /^Copying: .*\nWriting: .*\nVerifying: /)
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(temporary), [])

    const { manifest, files } = await unpack(join(folder, name))
    assert.deepEqual(Object.keys(files), ['keys.db', 'records.db'])
    const [keyFile, recordFile] = ['keys.db', 'records.db'].map((each) => {
      const path = join(place.folder, `unpacked.${each}`)
      writeFileSync(path, files[each] as Buffer)
      return new DatabaseSync(path)
    }) as [DatabaseSync, DatabaseSync]
    assert.equal(keyFile.prepare('select count(*) as n from selvedge_keys').get()?.['n'], 1)
    const orders = recordFile.prepare('select count(*) as n from orders').get()?.['n']
    assert.equal(manifest.counts['aldermoor']?.['orders'], orders)
    assert.ok((manifest.counts['*']?.['countries'] ?? 0) > 0)
    const { value } = recordFile
      .prepare("select value from selvedge_settings where name = 'change'")
      .get() as { value: string }
    assert.deepEqual(
      [manifest.change, manifest.engine, manifest.method, manifest.images],
      [Number(value), 'sqlite', 'sqlite', 'not included'],
    )
    for (const each of [keyFile, recordFile]) each.close()
  })

  it('does not wait for an import, and has the state before it', async () => {
    const folder = folderNamed('during-import')
    const before = resultOf(await backUp([folder, '--json']))
    const held = await holdImport(place, 'aldermoor')
    try {
      const during = resultOf(await backUp([folder, '--json']))
      assert.ok(await held.isHeld())
      assert.deepEqual([during.change, during.records], [before.change, before.records])
    } finally {
      await held.end()
    }
    const later = resultOf(await backUp([folder, '--json']))
    assert.equal(later.records, before.records + 5_000)
  })

  it('refuses options and targets that make no sense', async () => {
    const folder = folderNamed('refused')
    for (const [args, message, code] of [
      [[join(place.folder, 'missing/')], /missing is not a folder\. Create it first/, 1],
      [[join(place.folder, 'missing', 'file')], /is not a folder\. Create it first/, 1],
      [[join(folder, 'one.backup'), '--keep', '3'], /--keep is for a folder or a bucket/, 2],
      [[folder, '--keep', '0'], /not a valid value of --keep/, 2],
      [[folder, '--every', '5s'], /not a valid value of --every. Use 1m to 7d/, 2],
      [[folder, '--every', 'often'], /is not a duration/, 1],
      [['s3://no-credentials/x'], /needs an access key id/, 1],
      [['s3://user@bucket/x'], /must not contain credentials/, 2],
    ] as const) {
      const ran = await backUp(args)
      assert.equal(ran.code, code, ran.stderr)
      assert.match(ran.stderr, message)
    }
    const { code, stderr } = await backUp([folder], {
      DATABASE_URL: `sqlite:${join(place.folder, 'nothing.db')}`,
    })
    assert.equal(code, 1)
    assert.match(stderr, /There is no database at .*nothing\.db\. Check DATABASE_URL/)
    assert.deepEqual(readdirSync(folder), [])
    assert.ok(!readdirSync(place.folder).some((name) => name.startsWith('nothing')))
  })
})

describe('selvedge backup <file>', () => {
  it('replaces a backup, and no other file', async () => {
    const file = join(place.folder, 'one.backup')
    const first = resultOf(await backUp([file, '--json']))
    assert.equal(first.place, file)
    const before = readFileSync(file)
    const second = resultOf(await backUp([file, '--json']))
    assert.equal(second.place, file)
    assert.ok(!readFileSync(file).equals(before))

    const other = place.put({ 'precious.txt': 'x'.repeat(2_000) })
    const { code, stderr } = await backUp([other])
    assert.equal(code, 1)
    assert.match(stderr, /precious\.txt exists and is not a backup, so it is not replaced/)
    assert.equal(readFileSync(other, 'utf8').length, 2_000)
  })
})

describe('selvedge backup --key-file', () => {
  it('encrypts the backup, so that it opens with that key only', async () => {
    const folder = folderNamed('encrypted')
    const keyFile = place.put({ 'backup.key': `${randomBytes(32).toString('hex')}\n` })
    chmodSync(keyFile, 0o600)
    const made = resultOf(await backUp([folder, '--key-file', keyFile, '--json']))
    const secret = Buffer.from(readFileSync(keyFile, 'utf8').trim())
    const { manifest } = await unpack(made.place, secret)
    assert.equal(manifest.change, made.change)
    await assert.rejects(unpack(made.place), /is encrypted/)
    await assert.rejects(unpack(made.place, randomBytes(32)), /another key file/)
    const content = readFileSync(made.place)
    for (const word of ['manifest.json', 'SQLite format', 'aldermoor']) {
      assert.ok(!content.includes(word), word)
    }
  })

  it('refuses a key file that others can read, that is too short or missing', async () => {
    const folder = folderNamed('bad-keys')
    const open = place.put({ 'open.key': 'k'.repeat(64) })
    chmodSync(open, 0o644)
    const short = place.put({ 'short.key': 'secret\n' })
    chmodSync(short, 0o600)
    for (const [file, message] of [
      [open, /Everybody on this machine can use the key file .*chmod o= /],
      [short, /has 6 characters and needs at least 32\. Make one: .*openssl rand/],
      [join(place.folder, 'no.key'), /cannot be read \(ENOENT\)/],
    ] as const) {
      const { code, stderr } = await backUp([folder, '--key-file', file])
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
    assert.deepEqual(readdirSync(folder), [])
  })
})

describe('the traces of a backup', () => {
  it('are in the audit log, with the place and who made it', async () => {
    const folder = folderNamed('audited')
    const made = resultOf(await place.run(['--as', 'anna', 'backup', folder, '--json']))
    const { stdout } = await place.run(['audit', '--json', '--action', 'backup.made'])
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '').entry as ReadEntry
    assert.deepEqual(
      [last.actor, last.subject, last.details['bytes'], last.details['encrypted']],
      ['anna', made.place, made.bytes, false],
    )
  })
})
