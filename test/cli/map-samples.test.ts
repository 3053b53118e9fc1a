/** What the command that proposes mappings reads: sheets of workbooks, and the brand. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sampleFile } from '#ingest'
import { CivilTime, parseMapping } from '#mapping'
import { openSandbox } from '../support/command.ts'
import { textCell, textRow, workbookOf } from '../support/workbook.ts'

const place = openSandbox()
after(() => place.close())

const vendors = textRow(1, 'Vendor No', 'Name', 'Land') + textRow(2, '100042', 'Moda Têxtil', 'PT')
const orders = `${textRow(1, 'Einkauf 2026')}${textRow(3, 'PO Number', 'Vendor No', 'Order Date')}
<row r="4">${textCell('A4', 'P1')}${textCell('B4', '100042')}<c r="C4" s="1"><v>46344</v></c></row>
<row r="5">${textCell('A5', 'P2')}${textCell('B5', '100042')}<c r="C5"><v>46345</v></c></row>`

before(async () => {
  place.put({
    'two/ERP Export 20261118.xlsx': await workbookOf({
      sheets: { Info: textRow(1, 'ERP'), Vendors: vendors, "Orders 'A'": orders, Alt: vendors },
      states: { Alt: ' state="hidden"' },
      formats: ['yyyy-mm-dd'],
    }),
    'one/vendors.xlsx': await workbookOf({ sheets: { Tabelle1: vendors, Tabelle2: '' } }),
    'later/vendors.xlsx': await workbookOf({ sheets: { Tabelle1: '', Tabelle2: vendors } }),
    'none/vendors.xlsx': await workbookOf({ sheets: { A: textRow(1, 'No', 'Name'), B: '' } }),
  })
})

const sheetsOf = async (file: string) => {
  const samples = await sampleFile(join(place.folder, file), 500)
  return samples.map(({ sheet, columns, rows }) => ({ sheet, columns, rows: rows.length }))
}

describe('the sheets of a workbook', () => {
  it('are all read that are visible and have rows', async () => {
    assert.deepEqual(await sheetsOf('two/ERP Export 20261118.xlsx'), [
      { sheet: 'Vendors', columns: ['Vendor No', 'Name', 'Land'], rows: 1 },
      { sheet: "Orders 'A'", columns: ['PO Number', 'Vendor No', 'Order Date'], rows: 2 },
    ])
    const [, sample] = await sampleFile(join(place.folder, 'two/ERP Export 20261118.xlsx'), 500)
    assert.deepEqual(
      sample?.rows.map(([, , date]) => date),
      [new CivilTime('2026-11-18'), 46_345],
    )
  })

  it('have no name if the one that is read by default is the only one', async () => {
    const columns = ['Vendor No', 'Name', 'Land']
    assert.deepEqual(await sheetsOf('one/vendors.xlsx'), [{ sheet: null, columns, rows: 1 }])
    assert.deepEqual(await sheetsOf('later/vendors.xlsx'), [
      { sheet: 'Tabelle2', columns, rows: 1 },
    ])
    assert.deepEqual(await sheetsOf('none/vendors.xlsx'), [
      { sheet: null, columns: ['No', 'Name'], rows: 0 },
    ])
  })

  it('are named in the proposed mapping, which reads them', async () => {
    const { code, stdout, stderr } = await place.run(['map', 'init', 'two', '--brand', 'halden'])
    assert.equal(code, 0, stderr)
    const { collections } = await parseMapping({ file: 'proposed', text: stdout })
    const sheets = new Map(
      collections.map(({ collection, from }) => [collection, from.files?.sheet]),
    )
    assert.equal(sheets.get('suppliers'), 'Vendors')
    assert.equal(sheets.get('orders'), "Orders 'A'")
    assert.match(stdout, /files: 'ERP Export \*\.xlsx', sheet: 'Orders ''A'''/)
    assert.match(stdout, /date: excel/)
  })
})

describe('the brand of a proposal', () => {
  const timezoneOf = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await place.run(['map', 'init', 'one', ...args])
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    return /^timezone: (\S+)/m.exec(stdout)?.[1]
  }

  it('is not needed: nothing is created for it', async () => {
    assert.equal(await timezoneOf('--brand', 'halden'), 'UTC')
    assert.equal(await timezoneOf(), 'UTC')
  })

  it('tells its time zone, unless the command names another', async () => {
    const { code, stderr } = await place.run([
      ...['brands', 'add', 'nordvik', '--name', 'Nordvik', '--timezone', 'Europe/Oslo'],
    ])
    assert.equal(code, 0, stderr)
    assert.equal(await timezoneOf('--brand', 'nordvik'), 'Europe/Oslo')
    assert.equal(await timezoneOf('--brand', 'other'), 'UTC')
    assert.equal(
      await timezoneOf('--brand', 'nordvik', '--timezone', 'Europe/Lisbon'),
      'Europe/Lisbon',
    )
  })
})
