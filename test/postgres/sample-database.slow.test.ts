/** What a proposal reads of a database of PostgreSQL: types, keys, counts, views and rows. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SampleTable } from '#mapping'
import { createSourceDatabase, sampleDatabase, tablePatterns } from '#sync'
import { profileTable } from '../../src/mapping/propose/column-profile.ts'
import { openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

let postgres: PostgresDatabases
let url = ''

before(async () => {
  postgres = await openPostgresDatabases()
  const erp = await openErp(postgres, 'samples')
  await erp.run(
    'create schema purchasing',
    'create schema production',
    'create domain purchasing."Flag" as boolean not null',
    'create domain purchasing."Money" as numeric(19, 4)',
    `create table production.product (
      productid serial primary key, productnumber varchar(25) not null, name text not null,
      color varchar(15), discontinued date, constraint one_number unique (productnumber)
    )`,
    `create table purchasing.vendor (
      businessentityid integer primary key, name text not null, country text,
      activeflag purchasing."Flag", mail text, rowguid uuid default gen_random_uuid(), logo bytea,
      "Über uns" text, tags text[]
    )`,
    'create unique index on purchasing.vendor (name, country)',
    'create unique index on purchasing.vendor (lower(mail))',
    'create unique index on purchasing.vendor (mail) where activeflag',
    'create unique index on purchasing.vendor (rowguid) include (name)',
    `create table purchasing.orderline (
      no integer, line smallint, vendor integer references purchasing.vendor,
      number varchar(25) references production.product (productnumber),
      orderqty smallint, unitprice purchasing."Money", modified timestamp,
      primary key (no, line)
    )`,
    `create table purchasing.receipt (
      no integer, line smallint, at timestamptz, closed boolean,
      foreign key (no, line) references purchasing.orderline (no, line)
    )`,
    'create view purchasing.vendors_view as select * from purchasing.vendor',
    `insert into purchasing.vendor (businessentityid, name, country, activeflag, mail) values
      (1, 'L''Atelier Étoilé', 'France', true, 'info@etoile.example'),
      (2, '東京商会', 'Japan', true, null),
      (3, 'Gölz & Söhne', 'Germany', false, 'gölz@example.de')`,
    `insert into production.product (productnumber, name)
      select 'BK-R93R-' || n, 'Bike ' || n from generate_series(1, 600) n`,
    `insert into purchasing.orderline
      select n, 1, 1 + n % 3, 'BK-R93R-' || n, n, n * 1.5, now() from generate_series(1, 40) n`,
    'analyze production.product',
  )
  url = erp.url
})
after(() => postgres.close())

const sample = async (patterns: string | undefined): Promise<readonly SampleTable[]> => {
  const { tables, unreadable, leftOut } = await sampleDatabase(
    createSourceDatabase(url, { timeoutMs: 30_000 }),
    { choose: tablePatterns(patterns), tablesMax: 200, rowsMax: 500 },
  )
  assert.deepEqual([unreadable, leftOut], [[], 0])
  return tables
}

const named = (tables: readonly SampleTable[], name: string): SampleTable => {
  const table = tables.find((each) => each.name === name)
  assert.ok(table, `${name} is not among ${tables.map((each) => each.name).join(', ')}`)
  return table
}

describe('a sample of a database of PostgreSQL', () => {
  it('has the tables of a schema without its views', async () => {
    assert.deepEqual(
      (await sample('purchasing.*')).map(({ name, title, isView }) => [name, title, isView]),
      [
        ['purchasing.orderline', 'orderline', false],
        ['purchasing.receipt', 'receipt', false],
        ['purchasing.vendor', 'vendor', false],
      ],
    )
  })

  it('has a view that is named, and no schema in the names of tables that need none', async () => {
    const tables = await sample('purchasing.vendors_view,vendors')
    assert.deepEqual(
      tables.map(({ name, isView }) => [name, isView]),
      [
        ['vendors', false],
        ['purchasing.vendors_view', true],
      ],
    )
    assert.match(tables[1]?.from ?? '', /select \* from purchasing\.vendors_view/)
    assert.equal(
      (await sample(undefined)).some(({ isView }) => isView),
      false,
    )
  })

  it('has the keys of tables, in the names of the tables that they refer to', async () => {
    const tables = await sample('purchasing.*,production.*')
    const vendor = named(tables, 'purchasing.vendor')
    assert.deepEqual(vendor.primaryKey, ['businessentityid'])
    // Not those of expressions or of some rows, and without included columns.
    assert.deepEqual(vendor.uniqueKeys, [['name', 'country'], ['rowguid']])
    assert.deepEqual(named(tables, 'production.product').uniqueKeys, [['productnumber']])
    const line = named(tables, 'purchasing.orderline')
    assert.deepEqual(line.primaryKey, ['no', 'line'])
    assert.deepEqual(line.foreignKeys, [
      { columns: ['number'], table: 'production.product', to: ['productnumber'] },
      { columns: ['vendor'], table: 'purchasing.vendor', to: ['businessentityid'] },
    ])
    assert.deepEqual(named(tables, 'purchasing.receipt').foreignKeys, [
      { columns: ['no', 'line'], table: 'purchasing.orderline', to: ['no', 'line'] },
    ])
  })

  it('has the types of columns, domains included, and leaves out bytes', async () => {
    const tables = await sample('purchasing.*')
    const typesOf = ({ columns, types }: SampleTable) =>
      Object.fromEntries(
        columns.map((column, at) => [column, [types?.[at]?.kind, types?.[at]?.scale]]),
      )
    assert.deepEqual(typesOf(named(tables, 'purchasing.vendor')), {
      businessentityid: ['whole', null],
      name: ['text', null],
      country: ['text', null],
      activeflag: ['flag', null],
      mail: ['text', null],
      rowguid: ['uuid', null],
      'Über uns': ['text', null],
      tags: ['json', null],
    })
    const { unitprice, modified, orderqty } = typesOf(named(tables, 'purchasing.orderline'))
    assert.deepEqual(
      [unitprice, modified, orderqty],
      [
        ['decimal', 4],
        ['time', null],
        ['whole', null],
      ],
    )
    assert.equal(named(tables, 'purchasing.vendor').types?.[0]?.isNullable, false)
  })

  it('has the number of rows, an estimate of large tables, and rows to recognise', async () => {
    const tables = await sample('purchasing.*,production.*')
    const counts = tables.map(({ name, rowCount, rows }) => [name, rowCount, rows.length])
    assert.deepEqual(counts, [
      ['production.product', 600, 500],
      ['purchasing.orderline', 40, 40],
      ['purchasing.receipt', 0, 0],
      ['purchasing.vendor', 3, 3],
    ])
    const kindsOf = (name: string) =>
      Object.fromEntries(
        profileTable(named(tables, name)).map((column) => [
          column.name,
          column.recognised[0]?.reason,
        ]),
      )
    const vendor = kindsOf('purchasing.vendor')
    assert.equal(vendor['country'], 'all 3 values are country names')
    assert.equal(vendor['mail'], 'all 2 values are e-mail addresses')
    assert.equal(kindsOf('production.product')['productnumber'], 'all 500 values are codes')
    const line = kindsOf('purchasing.orderline')
    assert.equal(line['unitprice'], 'all 40 values are amounts')
    assert.equal(line['orderqty'], 'all 40 values are whole numbers')
    assert.equal(line['modified'], 'all 40 values are dates')
  })
})
