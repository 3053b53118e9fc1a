/** The schemas of proposals load, and their gold mappings name tables and columns that exist. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { readGold, readUsual } from '../../bench/proposals/gold.ts'
import { loadSchema } from '../../bench/proposals/proposed.ts'
import { schemaNames, schemasFolder } from '../../bench/proposals/schemas.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-proposals-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('a schema of proposals', () => {
  let postgres: Postgres
  before(async () => {
    postgres = await openPostgres()
  })
  after(() => postgres.close())

  for (const name of schemaNames('')) {
    it(`${name} has the tables and columns of its gold mapping`, async () => {
      const gold = readGold(join(schemasFolder, name), readUsual(schemasFolder))
      const url = await postgres.url(name.replaceAll(/\W/g, '_'))
      const files = [join(schemasFolder, 'helpers.sql'), join(schemasFolder, name, 'schema.sql')]
      const { texts } = await loadSchema(url, files)
      const columns = await columnsOf(url)
      const unknown = gold.entries.flatMap(({ from, id, where, fields }) => [
        ...(columns.has(from) ? [] : [from]),
        ...[...id, ...[...fields.values()].flat()]
          .flatMap((derivation) => derivation.columns)
          .concat(where)
          .map((column) => (column.includes('.') ? column : `${from}.${column}`))
          .filter((column) => !columns.has(column)),
      ])
      assert.deepEqual([...new Set(unknown)], [])
      assert.deepEqual(
        gold.relations.flat().filter((column) => !columns.has(column)),
        [],
      )
      // The values of a list that is complete: each text in the rows has one.
      for (const { from, fields } of gold.entries) {
        for (const {
          columns: [column = ''],
          values,
        } of [...fields.values()].flat()) {
          if (!values) continue
          const missing = [...texts(from, column)].filter((text) => !values.has(text))
          assert.deepEqual(missing, [], `${from}.${column}`)
        }
      }
    })
  }
})

/** The tables of a database, and their columns with the names of their tables. */
const columnsOf = async (url: string): Promise<ReadonlySet<string>> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly table: string; readonly name: string }>(
      `select c.oid::regclass::text as table, a.attname as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relkind = 'r' and a.attnum > 0`,
    )
    const tables = rows.map(({ table, name }) => [table.replaceAll('"', ''), name] as const)
    return new Set(tables.flatMap(([table, name]) => [table, `${table}.${name}`]))
  } finally {
    await client.end()
  }
}

it('the benchmark writes the figures of a schema and what was proposed', () => {
  const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
  const args = ['proposals', '--schema', 'northwind', '--out', folder, '--proposals', folder]
  const ran = spawnSync(process.execPath, [main, ...args, '--report-only'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  assert.equal(ran.status, 0, ran.stderr)
  assert.match(ran.stdout, /^Northwind +\d+/m)
  const [file = ''] = readdirSync(folder).filter((each) => each.endsWith('-proposals-1.json'))
  const { schemas, all } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  assert.equal(schemas.length, 1)
  assert.ok(all.fields > 50)
  assert.match(readFileSync(join(folder, 'Northwind.map.yaml'), 'utf8'), /^version: 1/m)
})
