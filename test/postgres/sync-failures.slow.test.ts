/** What a synchronisation does when its source, its process or its rows fail. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeCertificate } from '../support/certificate.ts'
import { until } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { type Erp, erpMapping, openErp } from '../support/erp.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'

const labels = (from: string, more = ''): string => `version: 1
brand: halden
database: \${SOURCE_URL}
collections:
  tags:
    from: ${from}
    id: { key: [no] }
    fields:
      name: { column: label, apply: [trim] }
      createdAt: first-seen
      updatedAt: last-changed
${more}`

const rowsMax = 20_000

let postgres: Postgres
before(async () => {
  postgres = await openPostgres()
})
after(() => postgres.close())

/** A sandbox with a brand, beside a database of labels. */
const openSource = async (name: string) => {
  const place = openSandbox()
  const url = await postgres.url(name)
  const { run: erpRun } = await openErp(postgres, name)
  await erpRun(
    `create table labels (
      no integer primary key, label text,
      changed_at timestamptz default clock_timestamp(), local_at timestamp, version bigint
    )`,
    "insert into labels (no, label) select n, 'label ' || n from generate_series(1, 20) n",
  )
  const { code, stderr } = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
  assert.equal(code, 0, stderr)
  const put = (from: string, more?: string) => place.put({ 'shop.map.yaml': labels(from, more) })
  const command = ['sync', '--map', 'shop.map.yaml', '--no-check']
  const start = (...options: readonly string[]) =>
    place.start([...command, ...options], { SOURCE_URL: url })
  const sync = (...options: readonly string[]) =>
    place.run([...command, '--once', ...options], '', { SOURCE_URL: url })
  const state = async () => {
    const { stdout } = await place.run(['sources', '--json'])
    return JSON.parse(stdout)[0]
  }
  return { place, url, run: erpRun, put, start, sync, state }
}

/** All records of a brand, without the times at which they were seen. */
const exported = async (place: Sandbox, brand: string): Promise<string> => {
  const { code, stderr } = await place.run(['export', 'out', '--brand', brand])
  assert.equal(code, 0, stderr)
  return readFileSync(join(place.folder, 'out/tags.ndjson'), 'utf8')
    .replaceAll(/"(createdAt|updatedAt)":"[^"]*"/g, '')
    .split('\n')
    .sort()
    .join('\n')
}

const changedAt = '{ sql: select * from labels, cursor: changed_at, overlap: 10m }'

describe('a synchronisation whose source fails', () => {
  it('reports a server that is away, tries again ever more slowly, and recovers by itself', async () => {
    const { place, put, start, state, run } = await openSource('away')
    put(changedAt)
    const { child, ended, said } = start('--every', '1s')
    await said('tags 20 new')
    await postgres.stop()
    await said('Trying again in 2 s.')
    const failing = await state()
    assert.equal(failing.state, 'failing')
    assert.match(failing.error, /The source database: /)
    // The round that fails waits, since the last one that did not.
    assert.equal(failing.waiting, 1)
    assert.ok(Date.parse(failing.behindSince) <= Date.parse(failing.succeededAt))
    await postgres.start()
    await run("insert into labels (no, label) values (21, 'later')")
    await said('tags 1 new')
    await until(async () => (await state()).state === 'idle')
    const recovered = await state()
    assert.deepEqual([recovered.error, recovered.failed], [null, 0])
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Trying again in 1 s\.\n.*Trying again in 2 s\.\n/)
    place.close()
  })

  it('stops at SIGTERM in the middle of a round with nothing half written', async () => {
    const { place, put, start, state, run, sync } = await openSource('stopped')
    // Rows that take longer than a process is given to stop.
    await run(
      `insert into labels (no, label) select n, 'label ' || n from generate_series(21, ${rowsMax}) n`,
      `create view slow_labels as
        select l.*, case when no > 6000 then pg_sleep(0.005)::text end as slept from labels l`,
    )
    put('{ sql: select * from slow_labels }')
    const { child, ended } = start('--every', '1s')
    await until(async () => (await state())?.state === 'working')
    child.kill('SIGTERM')
    const { code, signal, stderr } = await ended
    assert.deepEqual([code, signal], [0, null], stderr)
    assert.match(stderr, /Stopped\.\n$/)
    assert.equal((await state()).state, 'idle')
    assert.equal((await exported(place, 'halden')).includes('label 1"'), false)
    put(changedAt)
    assert.match((await sync()).stdout, /tags 20,000 new/)
    place.close()
  })

  it('ends in the same records after ten kills as without any', async () => {
    const calm = await openSource('calm')
    const killed = await openSource('killed')
    for (const { run, put } of [calm, killed]) {
      put(changedAt)
      await run(
        `insert into labels (no, label) select n, 'label ' || n from generate_series(21, ${rowsMax}) n`,
      )
    }
    assert.match((await calm.sync()).stdout, /tags 20,000 new/)
    let kills = 0
    for (let round = 0; round < 10; round += 1) {
      const { child, ended } = killed.start('--once')
      // Each time a little later: while it starts, reads, writes and commits.
      await wait(300 + round * 150)
      child.kill('SIGKILL')
      const { signal } = await ended
      if (signal === 'SIGKILL') kills += 1
      await killed.run(`update labels set changed_at = clock_timestamp() where no = ${round + 1}`)
    }
    assert.ok(kills >= 3, `${kills} kills`)
    // After too many kills in the middle of its rows, an operator lets the collection be read again.
    // The last kill is noticed by the round after it.
    await killed.sync()
    const { stdout } = await killed.place.run(['intake', '--state', 'quarantined', '--json'])
    for (const { id } of JSON.parse(stdout)) {
      assert.equal((await killed.place.run(['intake', 'retry', id])).code, 0)
    }
    const { code, stderr } = await killed.sync()
    assert.equal(code, 0, stderr)
    const [all, expected] = [killed, calm].map(({ place }) => exported(place, 'halden'))
    // Without a comparison of 20,000 lines in the message.
    assert.ok((await all) === (await expected), 'the records differ')
    assert.match((await killed.sync()).stdout, /: no changes\.\n$/)
    calm.place.close()
    killed.place.close()
  })
})

describe('what a synchronisation refuses', () => {
  it('names the line of the mapping for SQL, columns and values that are wrong', async () => {
    const { place, put, sync, run } = await openSource('wrong')
    for (const [from, problem] of [
      [
        '{ sql: select * from nothing }',
        /^shop\.map\.yaml:6 tags: The source database: relation "nothing" does not exist/,
      ],
      [
        '{ sql: select no from labels }',
        /tags does not have the columns .*\n +no column "label" \(shop\.map\.yaml:9\)/,
      ],
      [
        "{ sql: 'select no, 1/(no-9) as label from labels' }",
        /shop\.map\.yaml:6 tags: The source database: division by zero/,
      ],
    ] as const) {
      put(from)
      const { code, stderr } = await sync()
      assert.equal(code, 1)
      assert.match(stderr, problem)
    }
    await run('update labels set label = null where no = 7')
    put(changedAt)
    const { code, stderr, stdout } = await sync('--on-error', 'refuse')
    assert.equal(code, 1)
    assert.match(stdout, /nothing was written, 1 problem/)
    assert.match(stderr, /tags no "7": column label .*shop\.map\.yaml:9 \/name /)
    place.close()
  })

  it('removes more than half only with its option', async () => {
    const { place, put, sync, run, state } = await openSource('half')
    put('{ sql: select * from labels, cursor: changed_at, reconcile: 24h }')
    assert.match((await sync()).stdout, /tags 20 new/)
    await run('delete from labels where no > 5')
    const refused = await sync('--reconcile')
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /would remove 15 of the 20 stored records of tags, more than half\. Nothing was removed\. .*--allow-removals/,
    )
    assert.equal((await state()).state, 'failing')
    const allowed = await sync('--reconcile', '--allow-removals')
    assert.match(allowed.stdout, /tags 15 removed/, allowed.stderr)
    place.close()
  })

  it('parks rows whose reference has not arrived, and stores them once it has', async () => {
    const place = openSandbox()
    const erp: Erp = await openErp(postgres, 'parked')
    // A vendor that is referred to comes late.
    await erp.run(
      'create table released (vendor_no varchar(10))',
      "insert into released select vendor_no from vendors where vendor_no <> 'V0042'",
    )
    place.put({
      'erp.map.yaml': readFileSync(erpMapping, 'utf8').replaceAll(
        'select * from vendors,',
        'select * from vendors natural join released,',
      ),
    })
    const sync = (...options: readonly string[]) =>
      place.run(['sync', '--map', 'erp.map.yaml', '--once', '--no-check', ...options], '', {
        ERP_URL: erp.url,
      })
    const refused = await sync('--on-error', 'refuse')
    assert.equal(refused.code, 1)
    const parked = await sync()
    assert.equal(parked.code, 0, parked.stderr)
    assert.match(parked.stdout, /orders \d+ new, \d+ parked/)
    await erp.run(
      "insert into released values ('V0042')",
      "update vendors set changed_at = clock_timestamp() where vendor_no = 'V0042'",
    )
    const later = await sync('--park')
    assert.equal(later.code, 0, later.stderr)
    const { stdout } = await place.run(['parked', '--brand', 'nordvik', '--json'])
    assert.doesNotMatch(stdout, /"orders"/)
    assert.match((await sync()).stdout, /no changes/)
    place.close()
  })
})

describe('the cursor of a source', () => {
  for (const [kind, column, next] of [
    ['a time with a zone', 'changed_at', 'clock_timestamp()'],
    ['a time without a zone', 'local_at', "clock_timestamp() at time zone 'UTC'"],
    ['a number', 'version', '9007199254740993'],
  ] as const) {
    it(`is ${kind}: changes and rows without a value are read`, async () => {
      const { place, put, sync, run, state } = await openSource(`cursor_${column}`)
      await run(
        `update labels set ${column} = ${kind === 'a number' ? 'no' : `${next} - interval '1 day'`}`,
        `update labels set ${column} = null where no in (1, 2)`,
      )
      put(`{ sql: select * from labels, cursor: ${column} }`)
      assert.match((await sync()).stdout, /tags 20 new/)
      await run(
        `update labels set label = 'changed', ${column} = ${next} where no = 3`,
        "update labels set label = 'changed too' where no = 1",
        "update labels set label = 'not noticed' where no = 4",
      )
      assert.match((await sync()).stdout, /tags 2 changed\./)
      const { cursor, processed } = await state()
      assert.ok(processed < 30, `${processed} rows`)
      if (kind === 'a number') assert.match(JSON.stringify(cursor), /9007199254740993/)
      assert.match((await sync()).stdout, /no changes/)
      place.close()
    })
  }

  it('goes back by the overlap for a row that was committed late', async () => {
    const { place, put, sync, run } = await openSource('overlap')
    put(changedAt)
    await sync()
    await run(
      "insert into labels (no, label, changed_at) values (50, 'late', clock_timestamp() - interval '5 minutes')",
      "insert into labels (no, label, changed_at) values (51, 'too late', clock_timestamp() - interval '15 minutes')",
    )
    assert.match((await sync()).stdout, /tags 1 new\./)
    place.close()
  })

  it('is not moved by a row that changes while the round reads', async () => {
    const { place, put, start, sync, run, state } = await openSource('during')
    await run(
      `create view slow_labels as
        select l.*, case when no > 15 then pg_sleep(0.4)::text end as slept from labels l`,
    )
    put('{ sql: select * from slow_labels, cursor: changed_at }')
    const { ended } = start('--once')
    await until(async () => (await state())?.state === 'working')
    await run("update labels set label = 'during', changed_at = clock_timestamp() where no = 2")
    assert.match((await ended).stdout, /tags 20 new/)
    await sync()
    assert.match(await exported(place, 'halden'), /"during"/)
    place.close()
  })
})

describe('the connection to a source', () => {
  it('is encrypted, and a certificate of another authority is refused', async () => {
    const { place, put, url, run } = await openSource('tls')
    put(changedAt)
    const folder = place.folder
    for (const name of ['server', 'other']) makeCertificate(folder, name)
    const data = join(postgres.folder, 'data')
    execFileSync(
      'sh',
      [
        '-c',
        `cp server.crt server.key ${data} && chmod 600 ${data}/server.key && chown --reference=${data} ${data}/server.*`,
      ],
      { cwd: folder },
    )
    const sync = (options: string) =>
      place.run(['sync', '--map', 'shop.map.yaml', '--no-check', '--once'], '', {
        SOURCE_URL: `${url}?${options}`,
      })
    const without = await sync('sslmode=require')
    assert.equal(without.code, 1)
    assert.match(without.stderr, /The source database: The server does not support SSL connections/)
    await run('alter system set ssl = on')
    await run('select pg_reload_conf()')
    await until(async () => (await sync('sslmode=require')).code === 0)
    const verified = await sync(`sslmode=verify-full&sslrootcert=${folder}/server.crt`)
    assert.equal(verified.code, 0, verified.stderr)
    for (const options of [
      `sslmode=verify-full&sslrootcert=${folder}/other.crt`,
      'sslmode=verify-full',
    ]) {
      const { code, stderr } = await sync(options)
      assert.equal(code, 1)
      assert.match(stderr, /The certificate of the source database is not trusted: .*sslrootcert/)
      assert.doesNotMatch(stderr, /Trying again/)
    }
    await run('alter system reset ssl')
    await run('select pg_reload_conf()')
    place.close()
  })

  it('says which driver is missing and how to install it', async () => {
    const { place, put } = await openSource('driver')
    put(changedAt)
    place.put({
      'without.mjs': `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) => {
    if (name !== 'mysql2') return next(name, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
`,
    })
    const { ended } = place.start(['sync', '--map', 'shop.map.yaml', '--once'], {
      SOURCE_URL: 'mysql://reader@127.0.0.1:1/erp',
      NODE_OPTIONS: `--import ${join(place.folder, 'without.mjs')}`,
    })
    const { code, stderr } = await ended
    assert.equal(code, 1)
    assert.equal(
      stderr,
      'The driver of MySQL and MariaDB is not installed. Install it in the folder of Selvedge: npm install mysql2\n',
    )
    place.close()
  })
})
