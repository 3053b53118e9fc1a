/** Joined, grouped and given rows of a source database. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'
import { type Erp, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const seen = 'createdAt: first-seen, updatedAt: last-changed'
const partner =
  'slug: { column: name, apply: [slug] }, name: name, relationship.id: { key: [no] }, relationship.status: { value: active }'

const mapping = (url: string): string => `version: 1
brand: halden
database: ${url}
collections:
  partners:
    - from: { sql: select * from vendor, reconcile: 1h }
      id: { key: [no] }
      fields: { ${partner}, ${seen} }
    - from: { given: [{ no: own, name: Eigene Fertigung }] }
      id: { key: [no] }
      fields: { ${partner}, ${seen} }
  suppliers:
    from: { sql: select * from vendor }
    id: { key: [no] }
    fields: { partnerId: { ref: { collection: partners, key: [no] } }, code: no, name: name, kind: { value: finished_goods }, status: { value: approved }, ${seen} }
  orders:
    from: { sql: select * from po, reconcile: 1h }
    join:
      - { name: lines, sql: select * from po_line, on: { po_no: po_no } }
      - { name: vendor, sql: 'select no, name, city from vendor', on: { vendor: no } }
    id: { key: [po_no] }
    fields:
      orderNumber: po_no
      supplierId: { ref: { collection: suppliers, key: [vendor] } }
      kind: { value: bulk }
      status: { column: status, values: { A: confirmed } }
      revisionNumber: { rows: count, in: lines }
      currency: { value: EUR }
      orderDate: ordered
      totalQuantity: { rows: sum, in: lines, of: qty }
      totalAmount: { rows: sum, in: lines, of: amount, default: 0 }
      requestedDeliveryDate: { rows: max, in: lines, of: due }
      incotermPlace: vendor.city
      ${seen.replace(', ', '\n      ')}
  tags:
    from: { sql: select * from po_line, reconcile: 1h }
    group: [item]
    id: { key: [item] }
    fields: { name: { rows: first, of: item }, code: { rows: first, of: po_no }, ${seen} }
`

describe('a sync of joined rows', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let source: Erp
  before(async () => {
    postgres = await openPostgresDatabases()
    source = await openErp(postgres, 'joins')
    await source.run(
      'create table vendor (no text, name text, city text)',
      'create table po (po_no text, vendor text, status text, ordered date)',
      'create table po_line (po_no text, line integer, item text, qty integer, amount numeric(18, 3), due date)',
      "insert into vendor values ('V1', 'Moda Têxtil, Lda.', 'Guimarães'), ('V2', 'O''Neill & 倉庫', null)",
      "insert into po values ('P1', 'V1', 'A', '2026-11-17'), ('P2', 'V2', 'A', '2026-11-18')",
      "insert into po_line values ('P1', 1, 'Wolle', 100, 1234.005, '2026-12-01'), ('P1', 2, 'Garn', 20, 0.1, null), ('P2', 1, 'Wolle', 1, null, null)",
    )
    place.put({ 'erp.map.yaml': mapping(source.url) })
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await postgres.close()
    place.close()
  })

  const sync = (...args: readonly string[]) =>
    place.run(['sync', '--map', 'erp.map.yaml', '--once', '--no-check', ...args])
  const stored = async (collection: string): Promise<readonly { [name: string]: unknown }[]> => {
    const { code, stderr } = await place.run(['export', 'out', '--brand', 'halden'])
    assert.equal(code, 0, stderr)
    const text = readFileSync(join(place.folder, `out/${collection}.ndjson`), 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const orders = async () =>
    (await stored('orders'))
      .map((each) => [
        each['orderNumber'],
        each['totalQuantity'],
        each['totalAmount'],
        each['revisionNumber'],
        each['requestedDeliveryDate'],
        each['incotermPlace'],
      ])
      .sort()

  it('is checked before the first round', async () => {
    const { code, stdout, stderr } = await place.run(['map', 'check', 'erp.map.yaml'])
    assert.match(stdout, /sum of lines\.amount .*has a row that is empty: its sum is not known/)
    assert.equal(code, 1, stderr)
  })

  it('refuses a total that is not known, and stores the others', async () => {
    const { code, stderr } = await sync('--max-bad-rows', '100')
    assert.equal(code, 0, stderr)
    assert.match(
      stderr,
      /po_no "P2": column sum of lines\.amount .*is empty: its sum is not known\. .*\(a row of lines\)/,
    )
    assert.deepEqual(await orders(), [['P1', 120, '1234.105', 2, '2026-12-01', 'Guimarães']])
    assert.deepEqual((await stored('partners')).map(({ name }) => name).sort(), [
      'Eigene Fertigung',
      'Moda Têxtil, Lda.',
      "O'Neill & 倉庫",
    ])
    assert.deepEqual((await stored('tags')).map(({ name, code }) => [name, code]).sort(), [
      ['Garn', 'P1'],
      ['Wolle', 'P1'],
    ])
  })

  it('sees changes of joined rows alone', async () => {
    await source.run(
      "update po_line set qty = 7 where po_no = 'P1' and line = 2",
      "update po_line set amount = 5 where po_no = 'P2'",
      "update vendor set city = 'Porto' where no = 'V1'",
    )
    const { code, stderr } = await sync()
    assert.equal(code, 0, stderr)
    assert.deepEqual(await orders(), [
      ['P1', 107, '1234.105', 2, '2026-12-01', 'Porto'],
      ['P2', 1, '5', 1, null, null],
    ])
  })

  it('changes nothing without a change', async () => {
    const { stdout, code } = await sync('--json')
    assert.equal(code, 0)
    for (const { added, changed, removed } of JSON.parse(stdout).collections) {
      assert.deepEqual([added, changed, removed], [0, 0, 0])
    }
  })

  it('removes what is gone, and keeps what is given', async () => {
    await source.run("delete from po where po_no = 'P2'", "delete from po_line where item = 'Garn'")
    const { code, stderr } = await sync('--reconcile')
    assert.equal(code, 0, stderr)
    assert.deepEqual(await orders(), [['P1', 100, '1234.005', 1, '2026-12-01', 'Porto']])
    assert.deepEqual(
      (await stored('tags')).map(({ name }) => name),
      ['Wolle'],
    )
    assert.equal((await stored('partners')).length, 3)
  })

  it('names the query of joined rows that fails, and one that changed', async () => {
    await source.run('alter table po_line rename qty to quantity')
    const second = await sync()
    assert.equal(second.code, 1)
    assert.match(
      second.stderr,
      /orders needs the rows of lines, whose query does not have the columns that the mapping uses:\n? *no column "qty"/,
    )
    await source.run(
      'alter table po_line rename quantity to qty',
      'alter table po_line alter qty type text',
    )
    const other = await sync()
    assert.equal(other.code, 1)
    assert.match(other.stderr, /column "lines\.qty" was a number and is a text/)
  })
})

describe('a sync that looks records up with joined and grouped rows', () => {
  const place = openSandbox()
  let postgres: PostgresDatabases
  let source: Erp
  const supplier = 'partnerId: { ref: no }, name: name, status: { value: approved }'
  const own = (url: string): string => `version: 1
brand: halden
database: ${url}
defaults: { createdAt: first-seen, updatedAt: last-changed, currency: { brand: currency } }
collections:
  partners:
    from: { sql: select * from vendor }
    id: { key: [no] }
    fields: { ${partner} }
  suppliers:
    - from: { sql: select * from vendor }
      id: { key: [no] }
      fields: { ${supplier}, code: no, kind: { value: agent } }
    - from: { given: [{ no: V1, name: Eigene Fertigung }] }
      id: { key: [name] }
      fields: { ${supplier}, code: { brand: slug }, kind: { value: finished_goods } }
  orders:
    from: { sql: select * from po_line, reconcile: 1h }
    join:
      - { name: vendor, sql: 'select no, name from vendor', on: { vendor: no } }
      - { name: fee, sql: 'select po_no, fee, agent from fee', on: { po_no: po_no } }
      - { name: maker, given: [{ po_no: G1, name: EIGENE FERTIGUNG }], on: { po_no: po_no } }
    group: [po_no]
    id: { key: [po_no] }
    fields:
      orderNumber: po_no
      supplierId:
        first:
          - { lookup: { by: { name: maker.name } } }
          - { lookup: { by: { name: { rows: first, in: fee, of: agent } } } }
          - { lookup: { by: { name: vendor.name } } }
      kind: { value: bulk }
      status: { value: draft }
      revisionNumber: { value: 0 }
      orderDate: { value: 2026-11-18 }
      totalQuantity: { rows: sum, of: qty }
      totalAmount: { rows: sum, in: fee, of: fee, round: currency }
      memo: { rows: first, of: { join: [{ brand: name }, vendor], with: ' ' } }
`
  before(async () => {
    postgres = await openPostgresDatabases()
    source = await openErp(postgres, 'lookups')
    await source.run(
      'create table vendor (no text, name text)',
      'create table po_line (po_no text, vendor text, qty integer)',
      'create table fee (po_no text, fee numeric(18, 3), agent text)',
      "insert into vendor values ('V1', 'Moda Têxtil, Lda.'), ('V2', 'O''Neill & 倉庫')",
      "insert into po_line values ('G1', 'V1', 3), ('G2', 'V1', 5), ('G1', 'V1', 4), ('G3', 'V1', 1)",
      "insert into fee values ('G1', 1.005, null), ('G1', 1, null), ('G2', 2, 'o''neill & 倉庫'), ('G3', 7, null)",
    )
    place.put({ 'erp.map.yaml': own(source.url) })
    const brand = ['brands', 'add', 'halden', '--name', 'Halden', '--currency', 'NOK']
    const added = await place.run(brand)
    assert.equal(added.code, 0, added.stderr)
  })
  after(async () => {
    await postgres.close()
    place.close()
  })
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await place.run(args)
    return { code, said: stdout + stderr }
  }
  const stored = async () => {
    const exported = await run('export', 'out', '--brand', 'halden')
    assert.equal(exported.code, 0, exported.said)
    const read = (path: string) =>
      readFileSync(join(place.folder, `out/${path}.ndjson`), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    const names = new Map(read('suppliers').map(({ id, name }) => [id, name]))
    return read('orders')
      .map((each) => [
        ...[each.orderNumber, names.get(each.supplierId), each.currency],
        ...[each.totalQuantity, each.totalAmount, each.memo],
      ])
      .sort()
  }
  const sync = ['sync', '--map', 'erp.map.yaml', '--once', '--no-check']

  it('finds them by joined columns, in given rows and by values over rows', async () => {
    const checked = await run('map', 'check', 'erp.map.yaml')
    assert.equal(checked.code, 0, checked.said)
    const { code, said } = await run(...sync)
    assert.equal(code, 0, said)
    assert.deepEqual(await stored(), [
      ['G1', 'Eigene Fertigung', 'NOK', 7, '2.01', 'Halden V1'],
      ['G2', "O'Neill & 倉庫", 'NOK', 5, '2.00', 'Halden V1'],
      ['G3', 'Moda Têxtil, Lda.', 'NOK', 1, '7.00', 'Halden V1'],
    ])
  })

  it('finds a record of the same round, and names one that is missing', async () => {
    await source.run(
      "insert into vendor values ('V3', 'Été')",
      "update fee set agent = 'ÉTÉ' where po_no = 'G2'",
      "update fee set agent = 'Phantom Ltd' where po_no = 'G3'",
    )
    const missing = /po_no "G3": .*\(Phantom Ltd\).*is the name of no record of suppliers/
    const checked = await run('map', 'check', 'erp.map.yaml')
    assert.equal(checked.code, 1)
    assert.match(checked.said, missing)
    const { said } = await run(...sync, '--reconcile', '--max-bad-rows', '100')
    assert.match(said, missing)
    const suppliers = (await stored()).map(([number, supplier]) => [number, supplier])
    assert.deepEqual(suppliers, [
      ['G1', 'Eigene Fertigung'],
      ['G2', 'Été'],
      ['G3', 'Moda Têxtil, Lda.'],
    ])
  })
})
