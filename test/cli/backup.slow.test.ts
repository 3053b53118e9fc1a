/** The command `selvedge backup` on SQLite: its schedule, buckets, and backups that fail. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { readArchive } from '../../src/backup/archive-reader.ts'
import { openBackupPlace, resultOf, unpack } from '../support/backup.ts'
import { mainFile } from '../support/command.ts'
import { bucket, credentials, startS3 } from '../support/images.ts'
import { restoreVersion02 } from '../support/version-0-2.ts'
import { bucketAddress, namesIn, openBucketClient } from '../support/watching.ts'

const place = openBackupPlace()
const { backUp, environment, folderNamed, temporary } = place
before(() => place.fill())
after(() => place.close())

describe('selvedge backup <folder>', () => {
  it('includes units, if there are any', async () => {
    const folder = folderNamed('units')
    const { place: file, files } = resultOf(await backUp([folder, '--json']))
    assert.ok(files.every(({ name }: { name: string }) => name !== 'units.db'))
    const queue = join(place.folder, 'selvedge.queue.db')
    const listed = await place.run(['intake', '--brand', 'aldermoor'])
    assert.equal(listed.code, 0, listed.stderr)
    assert.ok(statSync(queue).isFile())
    const next = resultOf(await backUp([folder, '--json']))
    assert.deepEqual(
      next.files.map(({ name }: { name: string }) => name),
      ['keys.db', 'queue.db', 'records.db'],
    )
    assert.notEqual(next.place, file)
  })

  it('keeps the newest of this installation, and nothing else is removed', async () => {
    const folder = folderNamed('kept')
    const foreign = [
      'selvedge-20200101T000000000Z-0123456789ab.backup',
      'selvedge-old.backup',
      'notes.txt',
    ]
    for (const name of foreign) writeFileSync(join(folder, name), '')
    const made: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const { place: path, removed } = resultOf(await backUp([folder, '--keep', '2', '--json']))
      made.push(path)
      assert.equal(removed.length, n < 2 ? 0 : 1)
    }
    const left = readdirSync(folder).map((name) => join(folder, name))
    assert.deepEqual(
      left.sort(),
      [...foreign.map((name) => join(folder, name)), ...made.slice(2)].sort(),
    )
  })

  it('keeps the one that it has made, if the clock was set back', async () => {
    const folder = folderNamed('set-back')
    const { place: first } = resultOf(await backUp([folder, '--json']))
    const later = first.replace(/selvedge-\d{4}/, 'selvedge-2999')
    renameSync(first, later)
    const { place: next, removed } = resultOf(await backUp([folder, '--keep', '1', '--json']))
    assert.deepEqual(removed, [basename(later)])
    assert.deepEqual(readdirSync(folder), [basename(next)])
  })
})

describe('a backup before an upgrade', () => {
  it('has the database of the version before, and leaves it as it is', async () => {
    const folder = folderNamed('upgrade')
    const databaseUrl = `sqlite:${join(folder, 'selvedge.db')}`
    const { brand, records } = await restoreVersion02('sqlite', databaseUrl, folder)
    const schemaOf = (name: string) => {
      const database = new DatabaseSync(join(folder, name), { readOnly: true })
      const rows = database.prepare('select name, sql from sqlite_schema order by name').all()
      database.close()
      return rows
    }
    const before = schemaOf('selvedge.db')
    const target = folderNamed('before-upgrade')
    const made = resultOf(await backUp([target, '--json'], { DATABASE_URL: databaseUrl }))
    assert.deepEqual(schemaOf('selvedge.db'), before)
    const { manifest } = await unpack(made.place)
    assert.deepEqual(
      manifest.files.map(({ name }) => name),
      ['keys.db', 'queue.db', 'records.db'],
    )
    assert.equal(manifest.counts[brand]?.['orders'], records['orders']?.length)
  })
})

describe('a backup that fails', () => {
  it('leaves nothing that looks complete when it is killed, and the next one cleans up', async () => {
    const folder = folderNamed('killed')
    const { child, ended, said } = place.start(['backup', folder], environment)
    await said('Copying:')
    child.kill('SIGKILL')
    assert.equal((await ended).signal, 'SIGKILL')
    const left = readdirSync(folder)
    assert.ok(
      left.every((name) => name.endsWith('.backup-part')),
      left.join(),
    )
    assert.equal(readdirSync(temporary).length, 1)
    resultOf(await backUp([folder, '--json']))
    assert.equal(readdirSync(folder).length, 1)
    assert.ok(readdirSync(folder).every((name) => name.endsWith('.backup')))
    assert.deepEqual(readdirSync(temporary), [])
  })

  it('is removed when it is stopped', async () => {
    const folder = folderNamed('stopped')
    const { child, ended, said } = place.start(['backup', folder], environment)
    await said('Copying:')
    child.kill('SIGTERM')
    child.kill('SIGINT')
    const { code, stderr } = await ended
    // It may have been complete already.
    if (code !== 0) assert.match(stderr, /The backup was stopped\. Nothing of it was kept\./)
    assert.equal(readdirSync(folder).length, code === 0 ? 1 : 0)
    assert.deepEqual(readdirSync(temporary), [])
  })

  it('is explained when the disk is full, or the folder read-only', async (t) => {
    const run = promisify(execFile)
    const inside = async (options: string): Promise<string> => {
      const folder = folderNamed(`mounted-${options.replace(/\W/g, '-')}`)
      const script = [
        `mount -t tmpfs -o ${options} none ${folder}`,
        `"$0" "$1" backup ${folder}`,
        `echo "code $?; left: $(ls -A ${folder})"`,
      ].join('\n')
      const { stdout, stderr } = await run(
        'unshare',
        ['-rm', 'sh', '-c', script, process.execPath, mainFile],
        { env: environment },
      )
      return `${stderr}${stdout}`
    }
    const works = await run('unshare', ['-rm', 'true']).then(
      () => true,
      () => false,
    )
    if (!works) return t.skip('this system has no unshare')
    assert.match(
      await inside('size=256k'),
      /cannot be written to .*: its disk is full\. Free some space[\s\S]*code 1; left: \n/,
    )
    assert.match(
      await inside('ro'),
      /cannot be written to .*: its file system is read-only[\s\S]*code 1; left: \n/,
    )
    assert.deepEqual(readdirSync(temporary), [])
  })

  it('says how much temporary space it needs', async (t) => {
    const works = await promisify(execFile)('unshare', ['-rm', 'true']).catch(() => null)
    if (!works) return t.skip('this system has no unshare')
    const folder = folderNamed('small-temporary')
    const script = `mount -t tmpfs -o size=1m none ${temporary}; "$0" "$1" backup ${folder}`
    const ran = await promisify(execFile)(
      'unshare',
      ['-rm', 'sh', '-c', script, process.execPath, mainFile],
      { env: environment },
    ).catch((error: { readonly stderr: string }) => error)
    assert.match(
      ran.stderr,
      /needs [\d,]+ MB of temporary space, and .* has 1 MB\. Free some space, or set TMPDIR/,
    )
    assert.deepEqual(readdirSync(folder), [])
  })

  it('is not published if its content is damaged', async () => {
    const folder = folderNamed('damaged')
    // A total that differs from the records, as after a fault of the disk.
    const database = new DatabaseSync(join(place.folder, 'selvedge.db'))
    const change = (by: number) =>
      database.exec(
        `update selvedge_collections set total = total + ${by} where collection = 'orders'`,
      )
    change(1)
    try {
      const { code, stderr } = await backUp([folder])
      assert.equal(code, 1)
      assert.match(stderr, /The backup is damaged: aldermoor\/orders has \d+ records, not \d+/)
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      change(-1)
      database.close()
    }
  })
})

describe('selvedge backup --every', () => {
  it('runs until it is stopped, and makes no further backup when it is started again', async () => {
    const folder = folderNamed('scheduled')
    const args = ['backup', folder, '--every', '1h', '--json']
    const first = place.start(args, environment)
    await first.said('"place"')
    first.child.kill('SIGTERM')
    const { code, stdout, stderr } = await first.ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^Backing up to .*scheduled every 1h\. Ctrl\+C stops\.\n/)
    assert.deepEqual(
      readdirSync(folder).map((name) => join(folder, name)),
      [JSON.parse(stdout).place],
    )
    const again = place.start(args, environment)
    await again.said('Ctrl+C stops.')
    again.child.kill('SIGTERM')
    assert.equal((await again.ended).code, 0)
    assert.equal(readdirSync(folder).length, 1)
    // The clock was two days ahead and was set back.
    const keys = new DatabaseSync(join(place.folder, 'selvedge.keys.db'))
    const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString()
    keys.prepare('update selvedge_backups set taken_at = ?').run(ahead)
    keys.close()
    const later = place.start(args, environment)
    await later.said('"place"')
    later.child.kill('SIGTERM')
    assert.equal((await later.ended).code, 0)
  })

  it('says why a backup fails, and tries again at the next time', async () => {
    const folder = folderNamed('failing')
    const hidden = join(place.folder, 'hidden.db')
    renameSync(join(place.folder, 'selvedge.db'), hidden)
    const { child, ended, said } = place.start(['backup', folder, '--every', '1m'], environment)
    await said('There is no database at')
    renameSync(hidden, join(place.folder, 'selvedge.db'))
    assert.equal(child.exitCode, null)
    // The shortest interval is a minute.
    await said('verified')
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    assert.equal(readdirSync(folder).length, 1)
  })
})

describe('selvedge backup s3://…', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  const keys = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  before(async () => {
    s3 = await startS3()
  })
  after(() => s3.close())

  it('puts a verified archive below the prefix, and keeps the newest', async () => {
    const address = bucketAddress(s3.endpoint, 'backups/a')
    const client = openBucketClient(s3.endpoint, 'backups/a')
    const made = []
    for (let n = 0; n < 3; n += 1) {
      made.push(resultOf(await backUp([address, '--keep', '2', '--json'], keys)))
    }
    assert.match(made[0].place, new RegExp(`^s3://${bucket}/backups/a/selvedge-.*\\.backup$`))
    const names = made.map((each) => each.place.split('/').at(-1))
    assert.deepEqual(await namesIn(client), names.slice(1))
    assert.deepEqual(made[2].removed, [names[0]])
    const object = await client.get(names[2])
    assert.ok(object)
    assert.equal((await readArchive(object.body)).change, made[2].change)
  })

  it('says that the bucket is missing', async () => {
    const address = `s3://nowhere/x?endpoint=${s3.endpoint}`
    const { code, stderr } = await backUp([address], keys)
    assert.equal(code, 1)
    assert.match(stderr, /404 NoSuchBucket\. Check the name of the bucket, or create it/)
    assert.doesNotMatch(stderr, /Copying/)
  })
})
