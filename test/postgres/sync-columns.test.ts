/** Columns of a source that are renamed, removed or given another type between two rounds. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'
import { type Erp, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const mapping = (url: string, sql: string): string => `version: 1
brand: halden
database: ${url}
collections:
  tags:
    from: { sql: '${sql}', cursor: changed_at }
    id: { key: [no] }
    fields:
      name: label
      code: { column: tint, optional: true }
      createdAt: first-seen
      updatedAt: last-changed
`

const changed = 'tags has other columns than in the last round that succeeded: column'

describe('a source whose columns change', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let source: Erp
  before(async () => {
    postgres = await openPostgresDatabases()
    source = await openErp(postgres, 'columns')
    await source.run(
      'create table labels (no integer, label text, tint text, changed_at timestamptz)',
      "insert into labels values (1, 'wool', 'W', '2026-03-01T09:00:00Z')",
    )
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await postgres.close()
    place.close()
  })

  const sync = () => place.run(['sync', '--map', 'shop.map.yaml', '--once', '--no-check'])
  const stored = async () => {
    const { code, stderr } = await place.run(['export', 'out', '--brand', 'halden'])
    assert.equal(code, 0, stderr)
    const { name, code: tint } = JSON.parse(
      readFileSync(join(place.folder, 'out/tags.ndjson'), 'utf8'),
    )
    return [name, tint]
  }

  const all = 'select * from labels'
  for (const [what, sql, change, undo, reason] of [
    [
      'renamed',
      all,
      'alter table labels rename label to caption',
      'alter table labels rename caption to label',
      `${changed} "label", a text, is gone (renamed to "caption", which is new?). Nothing was written. Correct the query or the mapping (shop.map.yaml:6); all rows are then read again.`,
    ],
    [
      'removed, although it is optional',
      all,
      'alter table labels rename tint to "?"',
      'alter table labels rename "?" to tint',
      `${changed} "tint", a text, is gone`,
    ],
    [
      'given another type',
      all,
      'alter table labels alter no type text',
      'alter table labels alter no type integer using no::integer',
      `${changed} "no" was a number and is a text.`,
    ],
    [
      'the cursor, and given another type',
      all,
      'alter table labels alter changed_at type bigint using 1',
      "alter table labels alter changed_at type timestamptz using '2026-03-01T09:00:00Z'",
      `${changed} "changed_at" was a time with a time zone and is a number.`,
    ],
    [
      'named by the query, and renamed',
      'select no, label, tint, changed_at from labels',
      'alter table labels rename label to caption',
      'alter table labels rename caption to label',
      'tags cannot be read any more, but was read in the last round that succeeded, with "no" (a number), "label" (a text), "tint" (a text). The source database: column "label" does not exist. Nothing was written. Correct the query (shop.map.yaml:6); all rows are then read again.',
    ],
  ] as const) {
    it(`refuses a round with the reason that a column was ${what}`, async () => {
      place.put({ 'shop.map.yaml': mapping(source.url, sql) })
      const good = await sync()
      assert.equal(good.code, 0, good.stderr)
      await source.run(change)
      const { code, stderr } = await sync()
      assert.equal(code, 1)
      assert.ok(stderr.startsWith(reason), stderr)
      assert.deepEqual(await stored(), ['wool', 'W'])
      const [state] = JSON.parse((await place.run(['sources', '--json'])).stdout)
      assert.equal(state.state, 'failing')
      assert.ok(state.error.startsWith(reason.slice(0, 400)), state.error)
      await source.run(undo)
      assert.equal((await sync()).code, 0)
    })
  }
})
