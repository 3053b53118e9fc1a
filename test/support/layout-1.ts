import { type Catalog, catalog as productCatalog } from '#contract'
import { type Database, type Dialect, literal, quote } from '#database'
import { fieldsTable } from '../../src/store/schema/collection-stats.ts'
import { searchMark } from '../../src/store/schema/schema-version.ts'
import { type Column, type Table, tablesOf } from '../../src/store/schema/tables.ts'

export interface Layout1Options {
  readonly catalog?: Catalog
  /** Columns such as `orders.status` that an earlier version did not have. */
  readonly without?: readonly string[]
  /** Columns that an earlier version was interrupted in adding: they are empty. */
  readonly unfilled?: readonly string[]
}

/**
 * Rewrites a database as the last version with storage layout 1 would have written it: the slug of
 * the owner in a column `brand`, identifiers as texts, rows stored in the order of the primary key.
 */
export const rewriteAsLayout1 = async (
  database: Database,
  { catalog = productCatalog, without = [], unfilled = [] }: Layout1Options = {},
): Promise<void> => {
  const { dialect } = database
  const tables = tablesOf(catalog)
  const indexes = [...(await database.indexes())]
  await database.write(async (session) => {
    const run = (...clauses: readonly string[]) =>
      session.run({ text: clauses.join('\n'), values: [] })
    for (const table of layout1Tables(tables, dialect)) {
      const columns = table.columns.filter(({ name }) => !without.includes(`${table.name}.${name}`))
      const types = columns.map(({ name, type }) => `  ${quote(name)} ${type},`)
      await run(
        `create table "layout_1" (`,
        ...types,
        `  primary key (${table.key.map(quote).join(', ')})`,
        `)${dialect.name === 'sqlite' ? ' without rowid' : ''}`,
      )
      const values = columns.map(({ name, value }) =>
        unfilled.includes(`${table.name}.${name}`) ? 'null' : value,
      )
      await run(
        `insert into "layout_1" (${columns.map(({ name }) => quote(name)).join(', ')})`,
        `select ${values.join(', ')}`,
        `from ${quote(table.name)} as t`,
      )
      const own = indexes.filter((name) => name.startsWith(`${table.name}__`))
      for (const name of own) await run(`drop index if exists ${quote(name)}`)
      await run(`drop table ${quote(table.name)}`)
      await run(`alter table "layout_1" rename to ${quote(table.name)}`)
      if (dialect.name === 'postgres') {
        await run(`alter index "layout_1_pkey" rename to ${quote(`${table.name}_pkey`)}`)
      }
      for (const index of table.indexes) {
        if (index.columns.some((name) => without.includes(`${table.name}.${name}`))) continue
        await run(
          `create index ${quote(index.name)}`,
          `on ${quote(table.name)} (${index.columns.map(quote).join(', ')})`,
        )
      }
    }
    await run('drop table "selvedge_owners"')
    // There was no search.
    await run('drop table if exists "selvedge_search"')
    await run('delete from "selvedge_settings"', `where "name" like 'search %'`)
    await run(`delete from "${fieldsTable}"`, `where "collection" = ${literal(searchMark)}`)
    await run('delete from "selvedge_settings"', `where "name" = 'layout'`)
    for (const name of unfilled) {
      await run(
        'insert into "selvedge_settings" ("name", "value")',
        `values (${literal(`unfilled ${name}`)}, 'yes')`,
      )
    }
  })
}

interface Layout1Table {
  readonly name: string
  readonly columns: readonly Layout1Column[]
  readonly key: readonly string[]
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[] }[]
}

interface Layout1Column {
  readonly name: string
  readonly type: string
  /** For a row `t` of layout 2. */
  readonly value: string
}

/** Every table that has another form in layout 1. */
const layout1Tables = (
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): readonly Layout1Table[] => {
  const brand: Layout1Column = {
    name: 'brand',
    type: `${dialect.text} not null`,
    value: '(select o."slug" from "selvedge_owners" as o where o."owner" = t."owner")',
  }
  const text = (name: string): Layout1Column => ({
    name,
    type: `${dialect.text} not null`,
    value: `t.${quote(name)}`,
  })
  const integer = (name: string): Layout1Column => ({
    name,
    type: `${dialect.integer} not null`,
    value: `t.${quote(name)}`,
  })
  const parts = ['key1', 'key2', 'key3']
  const identity = parts.map((name, part) => ({
    ...text(name),
    value: identityText(part, tables, dialect),
  }))
  const change = [...parts, 'removed']
  return [
    ...[...tables.values()].map((table) => recordTable(table, brand, dialect)),
    {
      name: 'selvedge_collections',
      columns: [brand, text('collection'), integer('version'), integer('total')],
      key: ['brand', 'collection'],
      indexes: [{ name: 'selvedge_collections__version', columns: ['version'] }],
    },
    {
      name: 'selvedge_totals',
      columns: [brand, ...['collection', 'filter', 'value'].map(text), integer('total')],
      key: ['brand', 'collection', 'filter', 'value'],
      indexes: [],
    },
    {
      name: 'selvedge_changes',
      columns: [brand, text('collection'), ...identity, integer('change'), integer('removed')],
      key: ['brand', 'collection', ...parts],
      indexes: [
        { name: 'selvedge_changes__all', columns: ['brand', 'change', 'collection', ...change] },
        {
          name: 'selvedge_changes__collection',
          columns: ['brand', 'collection', 'change', ...change],
        },
      ],
    },
  ]
}

const recordTable = (table: Table, brand: Layout1Column, dialect: Dialect): Layout1Table => {
  const column = (each: Column, constraint = ''): Layout1Column => ({
    name: each.name,
    type: `${each.kind === 'integer' ? dialect.integer : dialect.text}${constraint}`,
    value:
      each.kind === 'uuid' ? uuidText(`t.${quote(each.name)}`, dialect) : `t.${quote(each.name)}`,
  })
  return {
    name: table.name,
    columns: [
      brand,
      ...table.key.map((each) => column(each, ' not null')),
      ...table.lookups.map((each) => column(each)),
      { name: 'body', type: 'text not null', value: 't."body"' },
    ],
    key: ['brand', ...table.key.map(({ name }) => name)],
    // There were no columns to sort by.
    indexes: table.indexes
      .filter(({ columns: [leading] }) => !table.sorts.some((sort) => sort.name === leading))
      .map(({ name, columns }) => ({ name, columns: ['brand', ...columns] })),
  }
}

/** The text of an identifier; null stays null. */
const uuidText = (value: string, dialect: Dialect): string =>
  `case when ${value} is not null then ${dialect.uuidText(value)} end`

const identityText = (
  part: number,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): string => {
  const value = `t."key${part + 1}"`
  const ofText = dialect.keyOfBytes(value, 'text')
  const collections = [...tables.values()]
    .filter(({ key }) => key[part]?.kind === 'uuid')
    .map(({ resource }) => literal(resource.path))
  if (collections.length === 0) return ofText
  const ofIdentifier = dialect.uuidText(dialect.keyOfBytes(value, 'uuid'))
  return `case when t."collection" in (${collections.join(', ')}) then ${ofIdentifier} else ${ofText} end`
}
