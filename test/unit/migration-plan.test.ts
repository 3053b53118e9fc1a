/** What a migration does to databases of other versions, without a database. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sqliteDialect } from '../../src/database/sqlite/dialect.ts'
import { allStoreTables } from '../../src/store/all-store-tables.ts'
import { compareSchema, type StoredSchema } from '../../src/store/schema/migrate.ts'
import { MigrationError } from '../../src/store/schema/migration-error.ts'
import { columnsOf, tablesOf } from '../../src/store/schema/tables.ts'
import { small } from '../conformance/store/samples.ts'

const tables = tablesOf(small)
const collections = [...tables.values()]
const wanted = { catalog: small, tables, storeTables: allStoreTables(sqliteDialect, small) }
const plan = (schema: StoredSchema) => compareSchema(wanted, sqliteDialect, schema)

const empty: StoredSchema = {
  columns: new Map(),
  indexes: new Set(),
  fields: new Map(),
  unfilled: new Set(),
  entrySources: new Map(),
  mayHaveLongTexts: false,
}
const prefix = 'create '
const created = plan(empty)
  .steps.filter((step) => step.startsWith(prefix))
  .map((step) => step.slice(prefix.length))

/** What a database has that fits. */
const fitting: StoredSchema = {
  ...empty,
  columns: new Map<string, readonly string[]>([
    ...created.map((name) => [name, []] as const),
    ...collections.map(
      (table) =>
        [table.name, ['owner', ...columnsOf(table).map(({ name }) => name), 'body']] as const,
    ),
  ]),
  indexes: new Set([
    ...created,
    ...collections.flatMap(({ indexes }) => indexes.map(({ name }) => name)),
  ]),
  fields: new Map(collections.map(({ resource }) => [resource.path, Object.keys(resource.fields)])),
}
/** The same, with other columns of crates. */
const withColumns = (change: (columns: readonly string[]) => readonly string[]): StoredSchema => ({
  ...fitting,
  columns: new Map(fitting.columns).set('crates', change(fitting.columns.get('crates') ?? [])),
})
/** The same, with other fields of a collection. */
const withFields = (path: string, fields: readonly string[]): StoredSchema => ({
  ...fitting,
  fields: new Map(fitting.fields).set(path, fields),
})

describe('the plan of a migration', () => {
  it('creates every table of an empty database', () => {
    const { isNew, addsColumns } = plan(empty)
    assert.ok(isNew)
    assert.ok(!addsColumns)
    for (const { name } of collections) assert.ok(created.includes(name), name)
  })

  it('does nothing to a database that fits', () => {
    const { isNew, steps, additions, addsColumns } = plan(fitting)
    assert.deepEqual(
      { isNew, steps, additions, addsColumns },
      {
        isNew: false,
        steps: [],
        additions: [],
        addsColumns: false,
      },
    )
  })

  it('adds a column before it fills it', () => {
    const { steps, addsColumns } = plan(withColumns((all) => all.filter((name) => name !== 'code')))
    assert.ok(addsColumns)
    assert.deepEqual(steps, ['add code to crates'])
  })

  it('fills a column that was added before', () => {
    const { steps, addsColumns } = plan({ ...fitting, unfilled: new Set(['crates.code']) })
    assert.ok(!addsColumns)
    assert.deepEqual(steps, ['add code to crates'])
  })

  it('creates a missing index', () => {
    const indexes = new Set(fitting.indexes)
    assert.ok(indexes.delete('crates__code'))
    assert.deepEqual(plan({ ...fitting, indexes }).steps, ['create crates__code'])
  })

  it('adds nullable fields', () => {
    const { steps } = plan(withFields('places', ['crateId', 'rackId', 'slot']))
    assert.deepEqual(steps, ['add fields to the records of places'])
  })

  it('refuses to add other fields', () => {
    assert.throws(
      () => plan(withFields('places', ['crateId', 'rackId', 'note'])),
      (error: Error) =>
        error instanceof MigrationError &&
        error.message.includes('records of places lack slot, which may not be null'),
    )
  })

  it('refuses a table with another identity', () => {
    const schema = withColumns((all) => all.map((name) => (name === 'id' ? 'number' : name)))
    assert.throws(() => plan(schema), /crates is identified by number there and by id here/)
  })

  it('reports what a newer version has added', () => {
    const fields = ['crateId', 'rackId', 'slot', 'note', 'height']
    const { steps, additions } = plan(withFields('places', fields))
    assert.deepEqual(steps, [])
    assert.deepEqual(additions, ['the field height of places'])
  })

  it('refuses to add something beside additions of another version', () => {
    const newer = withFields('places', ['crateId', 'rackId', 'slot', 'note', 'height'])
    assert.throws(
      () => plan({ ...newer, unfilled: new Set(['crates.code']) }),
      /has added the field height of places, and this one would add code to crates/,
    )
  })
})
