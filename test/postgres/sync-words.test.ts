/** What a sync says of rows: they have no numbers, so it names them by their keys. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../support/cluster.ts'
import { openSandbox } from '../support/command.ts'
import { type Erp, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = (
  url: string,
  reconcile: readonly [string, string] = ['', ''],
): string => `version: 1
brand: halden
database: ${url}
collections:
  partners:
    from: { sql: select * from shippers${reconcile[0]} }
    id: { key: [ship_name, street] }
    fields:
      slug: { column: code, apply: [slug] }
      name: label
      relationship.id: { key: [ship_name, street] }
      relationship.status: { value: active }
      ${seen}
  suppliers:
    from: { sql: select * from makers${reconcile[1]} }
    id: { key: [no] }
    fields:
      partnerId: { ref: { collection: partners, key: [vendor, street] } }
      code: no
      name: no
      kind: { value: finished_goods }
      status: { value: approved }
      ${seen}
`

describe('a sync', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let source: Erp
  before(async () => {
    postgres = await openPostgresDatabases()
    source = await openErp(postgres, 'words')
    await source.run(
      'create table shippers (ship_name text, street text, code text, label text)',
      'create table makers (no text, vendor text, street text)',
    )
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await postgres.close()
    place.close()
  })

  const fill = (vendors: readonly string[], suppliers: readonly string[]) =>
    source.run(
      ...['delete from shippers', 'delete from makers'],
      ...vendors.map((each) => `insert into shippers values (${each})`),
      ...suppliers.map((each) => `insert into makers values (${each})`),
    )
  const sync = (...args: string[]) =>
    place.run(['sync', '--map', 'shop.map.yaml', '--once', '--no-check', ...args])
  const alfreds = "'Alfreds', 'Obere Str. 57', 'A', 'Alfreds'"

  it('names two rows with one key by the key, and says how they differ', async () => {
    place.put({ 'shop.map.yaml': mapping(source.url) })
    await fill([alfreds, alfreds.replace("'A', 'Alfreds'", "'A', 'Alfred'")], [])
    const expected =
      /^error: partners ship_name "Alfreds", street "Obere Str. 57": column ship_name, street shop\.map\.yaml:7 has the same identity as another row of partners, and differs in name \(column label\): "Alfred" here, "Alfreds" there: /m
    const { code, stderr } = await sync('--on-error', 'refuse')
    assert.equal(code, 1)
    assert.match(stderr, expected)
    const checked = await place.run(['map', 'check', 'shop.map.yaml'])
    assert.equal(checked.code, 1)
    assert.match(checked.stdout, expected)
    const [state] = JSON.parse((await place.run(['sources', '--json'])).stdout)
    assert.equal(state.state, 'failing')
    assert.equal(state.failed, 1)
    assert.match(state.error, /partners ship_name "Alfreds", street "Obere Str. 57": /)
  })

  it('names the record that a row refers to by its natural key', async () => {
    await fill([], ["'S1', 'Unknown', 'Main St. 1'"])
    const { code, stderr } = await sync('--on-error', 'refuse')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^error: suppliers no "S1": column vendor, street \(Unknown \/ Main St. 1, id [0-9a-f-]{36}\) shop\.map\.yaml:\d+ \/partnerId refers to a record of partners that is neither/m,
    )
  })

  it('says what to do about a reference to a row that is gone', async () => {
    await fill(
      [alfreds, alfreds.replaceAll('Alfreds', 'Berta').replace("'A'", "'B'")],
      ["'S1', 'Alfreds', 'Obere Str. 57'"],
    )
    for (const [intervals, args, advice] of [
      [
        [', reconcile: 24h', ''],
        ['--reconcile'],
        /Compare the keys of suppliers too: add reconcile/,
      ],
      [
        [', reconcile: 1s', ', reconcile: 24h'],
        [],
        /The keys of suppliers are compared less often: add --reconcile to compare all now/,
      ],
      [
        [', reconcile: 24h', ', reconcile: 24h'],
        ['--reconcile'],
        /refer to by partnerId: name "S1"(, \w+ "S1")?\. Nothing was removed\. The source still has these rows of suppliers, and no longer the rows of partners that they refer to: correct or delete them in the source\./,
      ],
    ] as const) {
      place.put({ 'shop.map.yaml': mapping(source.url) })
      const before = await sync()
      assert.equal(before.code, 0, before.stderr)
      await source.run("delete from shippers where ship_name = 'Alfreds'")
      place.put({ 'shop.map.yaml': mapping(source.url, intervals) })
      // Keys are compared an interval after the first round of a mapping.
      let stderr = ''
      await until(async () => {
        const ended = await sync('--allow-removals', '--on-error', 'refuse', ...args)
        stderr = ended.stderr
        return ended.code === 1
      })
      assert.match(stderr, advice)
      await source.run(`insert into shippers values (${alfreds})`)
    }
  })

  it('says what map check says of duplicates, unique keys and references', async () => {
    place.put({ 'shop.map.yaml': mapping(source.url) })
    const slug = "'Cœur d''Or', 'Rue 1', 'A', 'Cœur d''Or'"
    await fill(
      [alfreds, alfreds.replace("'A', 'Alfreds'", "'A', 'Alfred'"), slug],
      ["'S1', 'Unknown', 'Main St. 1'", "'S2', 'Unknown', '東京'"],
    )
    const checked = await place.run(['map', 'check', 'shop.map.yaml', '--json'])
    const dry = await sync('--dry-run', '--on-error', 'refuse', '--json')
    const [trial, refused] = [JSON.parse(checked.stdout), JSON.parse(dry.stdout)]
    assert.deepEqual([checked.code, dry.code], [1, 1])
    assert.equal(trial.errors, 4)
    assert.deepEqual(trial.problems, refused.problems)
    const [partners, suppliers] = trial.sources
    assert.deepEqual([partners.rows, partners.records, partners.refused], [3, 1, 2])
    assert.deepEqual([suppliers.rows, suppliers.records, suppliers.refused], [2, 0, 2])
  })

  it('is checked from one state, also if one of the queries fails', async () => {
    await fill([alfreds], ["'S1', 'Alfreds', 'Obere Str. 57'"])
    const failing = mapping(source.url).concat(
      '  tags:\n    from: { sql: select 1 / 0 as no }\n    id: { key: [no] }\n',
      '    fields: { name: no, createdAt: first-seen, updatedAt: last-changed }\n',
    )
    place.put({ 'failing.map.yaml': failing })
    const checked = await place.run(['map', 'check', 'failing.map.yaml', '--json'])
    const { sources, problems } = JSON.parse(checked.stdout)
    assert.equal(checked.code, 1)
    assert.deepEqual(
      sources.map(({ name, records }: Record<string, unknown>) => [name, records]),
      [
        ['partners', 1],
        ['suppliers', 1],
      ],
    )
    assert.deepEqual(
      problems.map(({ file, reason }: Record<string, unknown>) => [file, reason]),
      [['tags', 'The source database: division by zero']],
    )
  })

  it('refuses what map check finds', async () => {
    const fields = 'fields: { name: no, createdAt: first-seen, updatedAt: last-changed }'
    place.put({
      'tags.map.yaml': [
        ...['version: 1', 'brand: halden', `database: ${source.url}`, 'collections:', '  tags:'],
        `    - from: { sql: "select no, date '2026-03-14' as day from makers", reconcile: 24h }`,
        ...['      id: { key: [no] }', `      ${fields.replace('name: no', 'name: day')}`],
        '    - from: { sql: select vendor as no from makers }',
        ...['      id: { key: [no] }', `      ${fields}`, ''],
      ].join('\n'),
    })
    const problem =
      /tags\.map\.yaml:6 tags has another mapping without reconcile, whose records would be removed\./
    const checked = await place.run(['map', 'check', 'tags.map.yaml'])
    assert.equal(checked.code, 1)
    assert.match(checked.stdout, problem)
    assert.match(checked.stdout, /^ +name +2026-03-14 +← day 2026-03-14$/m)
    const refused = await place.run(['sync', '--map', 'tags.map.yaml', '--once'])
    assert.match(refused.stderr, problem)
  })
})
