/** Mappings that are proposed for a database of PostgreSQL, and checked against it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseMapping } from '#mapping'
import { openSandbox } from '../support/command.ts'
import { type Erp, erpMapping, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const place = openSandbox()
let postgres: PostgresDatabases
let erp: Erp
/** The address with which a user reads that can do nothing else. */
let readerUrl = ''

before(async () => {
  postgres = await openPostgresDatabases()
  erp = await openErp(postgres, 'erp')
  await erp.run(
    'create table salaries (name text primary key, amount numeric)',
    'create table "Order Samples" (no integer primary key, name text, picture bytea)',
    `create function spy() returns setof varchar language sql as
      $$ insert into deleted_rows values ('x', 'y') returning key_1 $$`,
    'create view spying as select * from spy()',
    'create role reader login password $$needle$$',
    'grant select on all tables in schema public to reader',
    'revoke all on salaries from reader',
  )
  readerUrl = erp.url.replace('postgres@', 'reader:needle@')
})
after(async () => {
  await postgres.close()
  place.close()
})

const run = (args: readonly string[], url = readerUrl) => place.run(args, '', { ERP_URL: url })

describe('map init for a database', () => {
  let text = ''
  before(async () => {
    const { code, stdout, stderr } = await run([
      ...['map', 'init', 'ERP_URL', '--brand', 'nordvik', '--timezone', 'Europe/Oslo'],
    ])
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    text = stdout
    place.put({ 'proposed.map.yaml': text })
  })

  it('proposes a query, a key and references for each table of the example', async () => {
    const { brand, database, collections } = await parseMapping({ file: 'proposed', text })
    assert.deepEqual([brand, database], ['nordvik', `\${ERP_URL}`])
    assert.deepEqual(
      new Set(collections.map(({ collection }) => collection)),
      new Set([
        ...['partners', 'suppliers', 'locations', 'parent-products', 'product-options', 'skus'],
        ...['orders', 'order-items', 'goods-receipts', 'goods-receipt-lines'],
        ...['invoices', 'invoice-lines'],
      ]),
    )
    for (const line of [
      /^database: \$\{ERP_URL\} /m,
      /^ {4}from: \{ sql: 'select \* from vendors', cursor: changed_at, overlap: 10m \} {2}# likely/m,
      /^ {4}id: \{ key: \[vendor_no, inv_no\] \} {2}# certain: the primary key$/m,
      /^ {4}id: \{ key: \[style_no, colour_code\] \} {2}# likely/m,
      /^ +supplierId: +\{ ref: \{ collection: suppliers, key: \[vendor_no\] \} \} {2}# certain: foreign key to vendors$/m,
      /^ +destinationLocationId: +\{ ref: \{ collection: locations, key: \[ship_to\] \} \} {2}# certain: foreign key/m,
      /^ +invoiceId: +\{ ref: \{ collection: invoices, key: \[vendor_no, inv_no\] \} \} {2}# certain: foreign key/m,
      /^ +orderItemId: +\{ ref: \{ collection: order-items, key: \[po_no, po_line_no\] \} \} {2}# certain: foreign key/m,
      /^ +- \{ name: lines, sql: 'select \* from po_lines', on: \{ po_no: po_no \} \} {2}# certain: foreign key/m,
      /^ +totalAmount: +\{ rows: sum, in: lines, of: \{ product: \[qty, unit_price\] \} \} {2}# likely/m,
      /^ +skuId: +\{ ref: \{ collection: skus, key: \[po_lines\.item_no\] \} \} {2}# likely: through po_lines/m,
      /^ +leadTimeDays: +\{ column: lead_time_weeks, unit: weeks \} {2}# likely: its name/m,
      /^ +orderDate: +order_date {2}# certain: 6 of 6 are dates$/m,
      /^ +kind: +\{ open: \[\{ value: bulk \}, \{ value: reorder \}\] \} {2}# open: no column has it$/m,
      /^# Left out: Order Samples, company, deleted_rows\. They look like no collection\.$/m,
    ]) {
      assert.match(text, line)
    }
    assert.doesNotMatch(text, /salaries|needle/)
  })

  it('makes a mapping that is refused while values are open, and that all rows pass when decided', async () => {
    await place.run(['brands', 'add', 'nordvik', '--name', 'Nordvik'])
    const sync = (map: string, ...options: readonly string[]) =>
      run(['sync', '--map', map, '--once', '--dry-run', ...options])
    const refused = await sync('proposed.map.yaml')
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /proposed\.map\.yaml:\d+ product-options\.code is open/)

    // The first candidate of the code, the style, is that of two colours.
    const check = await run(['map', 'check', 'proposed.map.yaml'])
    assert.equal(check.code, 1, check.stdout)
    assert.match(check.stdout, /^error: product-options .* \/code is already the code of/m)
    assert.match(check.stdout, /^21 values are open\. Decide them/m)

    const decided = "code: { join: [style_no, colour_code], with: '-' }"
    place.put({ 'decided.map.yaml': text.replace(/^( +)code: +\{ open: .*$/m, `$1${decided}`) })
    const after = await run(['map', 'check', 'decided.map.yaml', '--allow-open'])
    assert.equal(after.code, 0, after.stdout)
    const { stdout } = await sync('decided.map.yaml', '--allow-open')
    assert.match(stdout, /orders 6 new; order-items 11 new; .*goods-receipt-lines 2 new\. This/)
    assert.doesNotMatch(stdout, /parked|refused|quarantine/)
  })

  it('takes the tables that are named, and an address as it is', async () => {
    const { code, stdout } = await run(['map', 'init', readerUrl, '--tables', 'VENDORS, order s*'])
    assert.equal(code, 0)
    assert.match(stdout, /^database: \$\{SOURCE_URL\} /m)
    assert.match(stdout, /^ {2}suppliers: {2}# likely: from vendors.*no key shows it$/m)
    assert.match(stdout, /^# Left out: Order Samples\. They look like no collection\.$/m)
    assert.doesNotMatch(stdout, /purchase_orders|needle/)
  })

  it('reads a view that is named, in a transaction that cannot write', async () => {
    const { code, stderr } = await run(['map', 'init', 'ERP_URL', '--tables', 'spying,vendors'])
    assert.equal(code, 0)
    assert.match(stderr, /^spying is left out\. .*read-only transaction\n$/)
  })

  it('looks at a limited number of tables, and says how many it leaves out', async () => {
    const url = await postgres.url('wide')
    const wide = Array.from({ length: 205 }, (_, at) => `create table t${at} (a integer);`)
    await (await openErp(postgres, 'wide')).run(wide.join('\n'))
    const { stderr, stdout } = await run(['map', 'init', 'ERP_URL'], url)
    assert.match(stderr, /\d+ more tables are left out, because not more than 200 are looked at/)
    assert.match(stdout, /^ {2}orders: {2}# /m)
  })

  for (const [name, args, url, problem] of [
    ['a variable that is not set', [`\${NOTHING}`], '', /NOTHING is not set/],
    ['files beside a database', ['ERP_URL', 'vendors.csv'], '', /either files or one database/],
    ['tables of files', ['vendors.csv', '--tables', 'x'], '', /--tables needs the address/],
    ['no such table', ['ERP_URL', '--tables', 'zz*'], '', /has no table zz\* that can be read/],
    [
      'a server that is not there',
      ['ERP_URL'],
      'postgres://reader:needle@127.0.0.1:1/erp',
      /The source database: connect ECONNREFUSED/,
    ],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const { code, stderr } = await run(['map', 'init', ...args], url || undefined)
      assert.notEqual(code, 0)
      assert.match(stderr, problem)
      assert.doesNotMatch(stderr, /needle/)
    })
  }
})

describe('map check for a database', () => {
  it('shows rows before and after, and what is not used', async () => {
    const { code, stdout } = await run(['map', 'check', fileURLToPath(erpMapping), '--limit', '3'])
    assert.equal(code, 0, stdout)
    for (const line of [
      /^orders → orders \(.*brand\.map\.yaml:\d+\)$/m,
      /^ {2}3 rows: 3 records$/m,
      /^ {4}leadTimeDays +63 +← lead_time_weeks 9$/m,
      /^ {4}kind +finished_goods$/m,
      /^skus, .*sku-dimension-values: no collection uses the columns vendor_no$/m,
      /^The first 3 rows of each query were read\.$/m,
      /^45 rows become 44 records\. Keys and references are checked by selvedge sync --dry-run\.$/m,
    ]) {
      assert.match(stdout, line)
    }
  })

  it('names the line of the mapping for every query and column that is wrong', async () => {
    place.put({
      'wrong.map.yaml': [
        'version: 1',
        'brand: nordvik',
        `database: \${ERP_URL}`,
        'collections:',
        '  tags:',
        '    - from: { sql: select * from nothing }',
        '      id: { key: [no] }',
        '      fields: { name: name, createdAt: first-seen, updatedAt: last-changed }',
        '    - from: { sql: select vendor_no as no from vendors, cursor: changed_at }',
        '      id: { key: [no] }',
        '      fields: { name: name, createdAt: first-seen, updatedAt: last-changed }',
        '    - from: { sql: select vendor_no as no from vendors }',
        '      id: { key: [no] }',
        '      fields: { name: name, createdAt: first-seen, updatedAt: last-changed }',
        '    - from:',
        '        sql: select line_no as no, po_no as name, qty from po_lines',
        '        cursor: qty',
        '        overlap: 10m',
        '        reconcile: { every: 24h, sql: select 1 as another }',
        '      id: { key: [no] }',
        '      fields: { name: name, createdAt: first-seen, updatedAt: last-changed }',
        "    - from: { sql: 'select po_no || line_no as no, changed_at as name from po_lines' }",
        '      id: { key: [no] }',
        '      fields: { name: name, createdAt: no, updatedAt: last-changed }',
        '    - from: { sql: select vendor_no as no from vendors, deleted: select 1 as other }',
        '      id: { key: [no] }',
        '      fields: { name: no, createdAt: first-seen, updatedAt: last-changed }',
        '',
      ].join('\n'),
    })
    const { code, stdout, stderr } = await run(['map', 'check', 'wrong.map.yaml'])
    assert.equal(code, 1, stdout + stderr)
    for (const line of [
      /^error: tags wrong\.map\.yaml:6 The source database: relation "nothing" does not exist$/m,
      /^error: tags 2 wrong\.map\.yaml:9 The source database: column s\.changed_at does not exist$/m,
      /^error: tags 3 wrong\.map\.yaml:12 does not have the columns .*"name" \(wrong\.map\.yaml:14\)/m,
      /^error: tags 4 wrong\.map\.yaml:16 overlap needs a cursor column of dates or times/m,
      /^error: tags 6 wrong\.map\.yaml:25 The source database: column d\.no does not exist$/m,
      /^error: tags 4 wrong\.map\.yaml:16 the query of reconcile does not have the columns/m,
      /^error: tags 5 column no wrong\.map\.yaml:24 \/createdAt .*: 11 rows, first is no "PO-\d+"/m,
    ]) {
      assert.match(stdout || stderr, line)
    }
  })

  it('needs a query or files', async () => {
    place.put({
      'files.map.yaml':
        "version: 1\nbrand: b\ncollections:\n  tags:\n    from: 'tags.csv'\n    id: { key: [no] }\n    fields: { name: n, createdAt: first-seen, updatedAt: last-changed }\n",
    })
    const { code, stderr } = await run(['map', 'check', 'files.map.yaml'])
    assert.equal(code, 2)
    assert.match(stderr, /files\.map\.yaml has no query: name the files to check/)
  })
})
