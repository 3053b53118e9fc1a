/** Records of a real MariaDB, synchronised by the command line. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSourceDatabase, SourceDatabaseError, sampleDatabase, tablePatterns } from '#sync'
import { makeCertificate } from '../support/certificate.ts'
import { openSandbox } from '../support/command.ts'
import { findMariadb, type Mariadb, openMariadb } from '../support/mariadb.ts'

const program = await findMariadb()
if ('missing' in program) throw new Error(program.missing)

const mapping = `version: 1
brand: halden
database: \${SOURCE_URL}
timezone: Europe/Berlin
collections:
  tags:
    from:
      sql: select * from labels
      cursor: changed_at
      overlap: 10m
      deleted: select no from deleted_labels
    id: { key: [no] }
    fields:
      name: label
      code: code
      createdAt: first-seen
      updatedAt: last-changed
`

describe('a source on MariaDB', () => {
  const place = openSandbox()
  let source: Mariadb
  before(async () => {
    source = await openMariadb(program)
    await source.run(
      `create table labels (
        no int primary key, label varchar(40) not null, code varchar(10),
        changed_at timestamp(6) not null default current_timestamp(6) on update current_timestamp(6)
      )`,
      'create table deleted_labels (no int primary key)',
      "insert into labels (no, label, code) values (1, 'Größe ''L''', null), (2, '尺码', 'B')",
      "insert into labels (no, label) select seq, concat('label ', seq) from seq_3_to_1500",
    )
    place.put({ 'shop.map.yaml': mapping })
    const { code, stderr } = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(code, 0, stderr)
  })
  after(async () => {
    await source.close()
    place.close()
  })

  const sync = () =>
    place.run(['sync', '--map', 'shop.map.yaml', '--once'], '', { SOURCE_URL: source.url })

  it('is read in batches, and read again without a change', async () => {
    const first = await sync()
    assert.match(first.stdout, /shop: tags 1,500 new\.\n$/, first.stderr)
    assert.match((await sync()).stdout, /shop: no changes\.\n$/)
  })

  it('is followed: a changed row, a new one, a deleted one, and one whose key is used again', async () => {
    await source.run(
      "update labels set label = 'Größe XL' where no = 1",
      "insert into labels (no, label) values (1501, 'new')",
      'delete from labels where no = 3',
      'insert into deleted_labels values (2), (3)',
    )
    assert.match((await sync()).stdout, /shop: tags 1 new, 1 changed, 1 removed\.\n$/)
  })

  it('gets a mapping proposed that its rows pass', async () => {
    await source.run(
      `create table \`Lieferanten\` (
        id int auto_increment primary key, lieferantennummer varchar(10) not null unique,
        name varchar(60) not null, land char(2), notizen longtext, logo blob,
        geaendert timestamp not null default current_timestamp on update current_timestamp
      )`,
      `create table bestellungen (
        bestellnummer varchar(10) primary key, lieferant int not null, bestelldatum date not null,
        waehrung char(3) not null, modified_on datetime(6),
        foreign key (lieferant) references \`Lieferanten\` (id)
      )`,
      "insert into `Lieferanten` (lieferantennummer, name, land, logo) values ('L1', 'Gölz', 'DE', x'ff')",
      "insert into bestellungen values ('B1', 1, '2026-03-14', 'EUR', '2026-03-14 10:00:00.123456')",
    )
    const run = (args: readonly string[]) => place.run(args, '', { SOURCE_URL: source.url })
    const init = ['map', 'init', 'SOURCE_URL', '--brand', 'halden', '--tables', 'lief*,best*']
    const { code, stdout, stderr } = await run(init)
    assert.equal(code, 0, stderr)
    for (const line of [
      /^ {4}from: \{ sql: 'select \* from `Lieferanten`', cursor: geaendert, overlap: 10m \} {2}# certain$/m,
      /cursor: modified_on, overlap: 10m \} {2}# likely: .* rows without it are read every time$/m,
      /^ +supplierId: +\{ ref: \{ collection: suppliers, key: \[lieferant\] \} \} {2}# likely: foreign key to Lieferanten$/m,
      /^ {4}id: \{ key: \[bestellnummer\] \} {2}# certain: the primary key$/m,
      /^ +code: +lieferantennummer {2}# likely: its name; 1 of 1 are filled$/m,
      /^ +orderDate: +bestelldatum {2}# likely: its name; 1 of 1 are dates$/m,
      /^ +totalAmount: +\{ open: \[\{ value: 0 \}\] \} {2}# open: no column has it$/m,
    ]) {
      assert.match(stdout, line)
    }
    place.put({ 'lief.map.yaml': stdout })
    const check = await run(['map', 'check', 'lief.map.yaml', '--allow-open'])
    assert.equal(check.code, 0, check.stdout + check.stderr)
    const sync = ['sync', '--map', 'lief.map.yaml', '--once', '--no-check']
    const refused = await run(sync)
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /lief\.map\.yaml:\d+ orders\.totalAmount is open/)
    const synced = await run([...sync, '--allow-open'])
    assert.match(synced.stdout, /partners 1 new; suppliers 1 new; orders 1 new\.\n$/, synced.stderr)
  })

  it('tells a proposal its types, keys, counts and views', async () => {
    await source.run(
      `create table positionen (
        bestellung varchar(10) not null, pos smallint unsigned not null, preis decimal(15, 4),
        ist_offen tinyint(1) not null, gesperrt bit(1), notiz varchar(400), ean char(13),
        art enum('bit', 'int'), ort text,
        primary key (bestellung, pos), unique key (ean, pos), unique key (ort(20)),
        foreign key (bestellung) references bestellungen (bestellnummer)
      )`,
      'create view offen as select * from positionen where ist_offen',
      "insert into positionen values ('B1', 10, 19.9, 1, b'1', 'für \"Gölz\"', '4006381333931', 'bit', 'Köln')",
    )
    const sample = async (patterns: string) =>
      (
        await sampleDatabase(createSourceDatabase(source.url, { timeoutMs: 30_000 }), {
          ...{ choose: tablePatterns(patterns), tablesMax: 200, rowsMax: 500 },
        })
      ).tables
    assert.deepEqual(
      (await sample('offen')).map(({ name, isView }) => [name, isView]),
      [['offen', true]],
    )
    const [table, ...others] = await sample('pos*')
    assert.deepEqual(others, [])
    assert.deepEqual(
      [table?.name, table?.isView, table?.rowCount, table?.primaryKey, table?.uniqueKeys],
      ['positionen', false, 1, ['bestellung', 'pos'], [['ean', 'pos']]],
    )
    assert.deepEqual(table?.foreignKeys, [
      { columns: ['bestellung'], table: 'bestellungen', to: ['bestellnummer'] },
    ])
    assert.deepEqual(
      table?.types?.map(({ kind, scale }) => [kind, scale]),
      [
        ...[
          ['text', null],
          ['whole', null],
          ['decimal', 4],
          ['flag', null],
          ['flag', null],
        ],
        ...[
          ['text', null],
          ['text', null],
          ['text', null],
          ['text', null],
        ],
      ],
    )
    assert.deepEqual(table?.rows, [
      ['B1', 10, 19.9, 1, 1, 'für "Gölz"', '4006381333931', 'bit', 'Köln'],
    ])
  })

  it('has cursors of times without a zone to the microsecond, and rows without one', async () => {
    await source.run(
      'create table events (no int primary key, label varchar(40), at datetime(6))',
      "insert into events values (1, 'a', '2026-03-14 10:00:00.123456'), (2, 'b', null), (3, 'c', '2026-03-14 10:00:00.123455')",
    )
    place.put({
      'events.map.yaml': mapping
        .replace('select * from labels', 'select no, label, null as code, at from events')
        .replace('changed_at', 'at')
        .replace(/ +(overlap|deleted).*\n/g, ''),
    })
    const run = () =>
      place.run(['sync', '--map', 'events.map.yaml', '--once'], '', { SOURCE_URL: source.url })
    const first = await run()
    assert.match(first.stdout, /events: tags .*\.\n$/, first.stderr)
    await source.run(
      "update events set label = 'changed' where no = 2",
      "update events set label = 'not noticed' where no = 3",
      "insert into events values (4, 'd', '2026-03-14 10:00:00.123457')",
    )
    assert.match((await run()).stdout, /events: tags 2 changed\.\n$/)
    const { stdout } = await place.run(['sources', '--json'])
    assert.match(stdout, /2026-03-14 10:00:00\.123457/)
  })

  it('is reached with TLS, and refused with a certificate that is not trusted', async () => {
    const { certificate: other } = makeCertificate(place.folder, 'other')
    const sync = (options: string) =>
      place.run(['sync', '--map', 'shop.map.yaml', '--once'], '', {
        SOURCE_URL: `${source.url}?${options}`,
      })
    for (const options of [
      'sslmode=require',
      `sslmode=verify-full&sslrootcert=${source.certificate}`,
    ]) {
      const { code, stderr } = await sync(options)
      assert.equal(code, 0, stderr)
    }
    for (const options of ['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${other}`]) {
      const { code, stderr } = await sync(options)
      assert.equal(code, 1)
      assert.match(stderr, /^The certificate of the source database is not trusted: .*sslrootcert/)
    }
  })

  it('is asked for TLS, and no statement is sent without it', async () => {
    const database = createSourceDatabase(`${source.url}?sslmode=require`, { timeoutMs: 5_000 })
    const rows = await database.snapshot(async (snapshot) => {
      const { batches } = await snapshot.query("show status like 'Ssl_cipher'")
      return (await Array.fromAsync(batches)).flat()
    })
    assert.match(String(rows[0]?.[1]), /^TLS_/)
  })

  it('is not written to by statements that end its transaction', async () => {
    await source.run(
      'create table kept (no int primary key, label varchar(10), code varchar(10))',
      "insert into kept values (1, 'x', null)",
    )
    const statements = ['drop table kept', 'truncate table kept']
    for (const sql of [...statements, 'call empty_kept()']) {
      place.put({
        'kept.map.yaml': mapping
          .replace('select * from labels', sql)
          .replace(/ +(cursor|overlap|deleted).*\n/g, ''),
      })
      const commands = ['sync --dry-run --map', ...(sql.startsWith('drop') ? ['map check'] : [])]
      for (const command of commands) {
        const args = [...command.split(' '), 'kept.map.yaml']
        const { code, stdout, stderr } = await place.run(args, '', { SOURCE_URL: source.url })
        assert.equal(code, 1)
        assert.match(stdout + stderr, /The query begins with \w+\. Nothing of it was sent\./)
        assert.doesNotMatch(stdout + stderr, /Unexpected|\.ts:\d+/)
      }
    }
    const database = createSourceDatabase(source.url, { timeoutMs: 5_000 })
    const read = (sql: string) =>
      database.snapshot(async (snapshot) => {
        const { batches } = await snapshot.query(sql)
        return (await Array.fromAsync(batches)).flat()
      })
    // Should such a text ever be sent, the session cannot write.
    for (const sql of statements) await assert.rejects(read(sql), /READ ONLY/)
    assert.equal((await read('select * from kept')).length, 1)
  })

  it('cannot be written to, and its errors tell whether to try again', async () => {
    const database = createSourceDatabase(source.url, { timeoutMs: 1_000 })
    const failure = async (sql: string) => {
      try {
        await database.snapshot(async (snapshot) => {
          for await (const _ of (await snapshot.query(sql)).batches);
        })
      } catch (error) {
        assert.ok(error instanceof SourceDatabaseError)
        return [error.isTransient, error.message] as const
      }
      return assert.fail(`${sql} did not fail`)
    }
    const written = await failure("insert into labels (no, label) values (0, 'x')")
    assert.equal(written[0], false)
    assert.match(written[1], /READ ONLY/)
    assert.equal((await failure('select * from nothing'))[0], false)
    assert.equal((await failure('select sleep(30)'))[0], true)
  })
})
