/** Rows in quarantine as files to correct and import again. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { correctionText, escapedText } from '#ingest'
import { createStore, type SourceKind } from '#store'
import { openTable } from '../../src/ingest/open-table.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { workbookOf } from '../support/workbook.ts'

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = `version: 1
brand: halden
collections:
  partners:
    from: { files: ['vendors.csv', 'vendors*.xlsx'], encoding: windows-1252, delimiter: ';' }
    id: { key: [NO] }
    fields:
      slug: { column: NO, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { column: STATUS, values: { A: active } }
      relationship.capacity: { column: CAPACITY, optional: true }
      ${seen}
  suppliers:
    from: { files: ['vendors.csv', 'vendors*.xlsx'], encoding: windows-1252, delimiter: ';' }
    id: { key: [NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [NO] } }
      code: NO
      name: NAME
      kind: { value: finished_goods }
      status: { column: STATUS, values: { A: approved } }
      ${seen}
`.replace('      relationship.capacity: { column: CAPACITY, optional: true }\n', '')

const header = 'NO;NAME;STATUS'
const quarantine = ['--on-error', 'quarantine', '--no-check']

const texts = fc.string({ unit: fc.constantFrom(...'\'=+-@;,|\t"\n 5.ä') })

it('a correction file gives back every text, and starts no formula', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (cells) => {
      const quoted = cells.map((text) => `"${escapedText(text).replaceAll('"', '""')}"`)
      const header = [...cells.map((_, index) => `c${index}`), 'selvedge_row', 'selvedge_reason']
      const corrects = [1, 2].map((change) => ({
        ...{ collection: 'tags', id: '0f3a92c41b7d', version: '5d1f3a526a0f', change },
      }))
      const named = corrects.map(correctionText).join(' ')
      const csv = `${header.join()}\n${quoted.join()},${named},why\n`
      const stream = Readable.from([Buffer.from(csv)])
      const table = await openTable({ kind: 'stream', stream, format: 'csv', gzipped: false })
      const [row] = (await Array.fromAsync(table.rows)).flat()
      assert.deepEqual(table.columns, header.slice(0, -2))
      assert.deepEqual(row, { line: 2, cells, corrects })
      for (const text of cells) {
        const isNumber = /^[+-]?\d+([.,]\d+)*$/.test(text)
        if (!isNumber) assert.doesNotMatch(escapedText(text), /(^|[;,|\t\n])["\s]*[=+\-@]/)
      }
    }),
    { numRuns: 300 },
  )
})

describe('a correction file', () => {
  let place: Sandbox
  before(async () => {
    place = openSandbox()
    place.put({ 'brand.map.yaml': mapping })
    await run('brands', 'add', 'halden', '--name', 'Halden')
  })
  after(() => place.close())

  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await place.run(args)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const rows = async (): Promise<
    readonly { readonly id: string; readonly collection: string; readonly key: string }[]
  > => {
    const listed = JSON.parse(await run('intake', 'rows', '--brand', 'halden', '--json'))
    return listed.rows.map(
      (row: { id: string; collection: string; problems: { key: string }[] }) => ({
        ...{ id: row.id, collection: row.collection },
        key: row.problems[0]?.key,
      }),
    )
  }
  const names = async (): Promise<readonly string[]> => {
    await run('export', 'out', '--brand', 'halden')
    const text = readFileSync(join(place.folder, 'out/partners.ndjson'), 'utf8')
    return [...text.matchAll(/"name":"((?:[^"\\]|\\.)*)"/g)].map(([, name = '']) => name).sort()
  }
  const importFile = (file: string) => run('import', '--map', 'brand.map.yaml', file, ...quarantine)

  it('has only the bad rows as received, and settles them when it is imported', async () => {
    const text = `${header}\r\nV1;Gölz;A\r\nV2;"=1+1;x, y";X\r\nV3;-5;X\r\n`
    writeFileSync(join(place.folder, 'vendors.csv'), Buffer.from(text, 'latin1'))
    await importFile('vendors.csv')
    assert.deepEqual(await names(), ['Gölz'])
    const held = await rows()
    assert.deepEqual(held.map(({ collection, key }) => `${collection} ${key}`).sort(), [
      'partners NO "V2"',
      'partners NO "V3"',
      'suppliers NO "V2"',
      'suppliers NO "V3"',
    ])
    const printed = await run('intake', 'rows', '--brand', 'halden', '--write', 'fixes')
    assert.match(printed, /^fixes\/vendors\.corrections\.csv +2 +in the file$/m)
    const file = join(place.folder, 'fixes/vendors.corrections.csv')
    const written = readFileSync(file, 'utf8')
    const idsOf = (key: string) => held.filter((row) => row.key === key).map(({ id }) => id)
    assert.match(written, /^\ufeffNO,NAME,STATUS,selvedge_reason,selvedge_row\r\n/)
    // No spreadsheet runs what was received.
    assert.match(written, /^V2,"'=1\+1;x, y",X,"column STATUS \(X\) is not listed in values: /m)
    assert.match(written, /^V3,-5,X,/m)
    for (const id of [...idsOf('NO "V2"'), ...idsOf('NO "V3"')]) assert.ok(written.includes(id))
    const again = await place.run(['intake', 'rows', '--brand', 'halden', '--write', 'fixes'])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /vendors\.corrections\.csv exists\. Move it away/)
    // One row is corrected; of the other one the key is corrected too.
    writeFileSync(file, written.replace('y",X,', 'y",A,').replace('V3,-5,X,', 'V4,-5,A,'))
    await run('import', '--map', 'brand.map.yaml', 'fixes', '--replace', ...quarantine)
    assert.deepEqual(await rows(), [])
    assert.deepEqual(await names(), ['-5', '=1+1;x, y', 'Gölz'])
  })

  it('that is older than a record changes nothing, and says so', async () => {
    const vendors = (...rows: readonly string[]) =>
      place.put({ 'vendors.csv': `${[header, ...rows].join('\n')}\n` })
    vendors('V7;Old;X', 'V8;Old;X')
    await importFile('vendors.csv')
    await run('intake', 'rows', '--brand', 'halden', '--write', 'late')
    vendors('V7;New;A')
    await importFile('vendors.csv')
    const file = join(place.folder, 'late/vendors.corrections.csv')
    const written = readFileSync(file, 'utf8').replaceAll('Old,X', 'Old,A')
    writeFileSync(file, written.replace(/(V8.*)partners\/\w/, '$1partners/x'))
    const args = ['import', '--map', 'brand.map.yaml', 'late', ...quarantine]
    const first = await place.run(args)
    assert.match(
      first.stderr,
      /is not stored: its row is no longer in quarantine.* line 2, NO "V7"/,
    )
    assert.match(
      first.stderr,
      /is not stored: selvedge_row is not as it was written.* line 3, NO "V8"/,
    )
    assert.ok(!(await names()).includes('Old'))
    assert.deepEqual(
      (await rows()).map(({ key }) => key),
      ['NO "V8"', 'NO "V8"'],
    )
    writeFileSync(file, written)
    await place.run(args)
    assert.deepEqual(await rows(), [])
    writeFileSync(file, written.replaceAll(/,selvedge_row|,partners.*$/gm, ''))
    const unnamed = await place.run(args)
    assert.equal(unnamed.code, 1)
    assert.match(unnamed.stderr, /vendors\.corrections\.csv has no selvedge_row, which says/)
    const all = await names()
    assert.ok(all.includes('New') && all.includes('Old'))
    await run('import', '--map', 'brand.map.yaml', 'vendors.csv', ...quarantine)
  })

  it('that is older than a record does not remove it either', async () => {
    const remove = '    remove: { STATUS: [D] }\n    id: { key'
    const removing = mapping.replaceAll('    id: { key', remove)
    place.put({ 'brand.map.yaml': removing })
    place.put({ 'vendors.csv': `${header}\nV20;Twenty;X\nV21;Other;X\n` })
    await importFile('vendors.csv')
    await run('intake', 'rows', '--brand', 'halden', '--write', 'gone')
    place.put({ 'vendors.csv': `${header}\nV20;Twenty;A\nV22;Newest;A\n` })
    await importFile('vendors.csv')
    const file = join(place.folder, 'gone/vendors.corrections.csv')
    const written = readFileSync(file, 'utf8').replaceAll(',X,', ',D,')
    const args = ['import', '--map', 'brand.map.yaml', 'gone', ...quarantine]
    // The first row is settled, and the second one names a record that is newer.
    writeFileSync(file, written.replace('V21,', 'V22,'))
    const late = await place.run(args)
    assert.match(late.stderr, /its row is no longer in quarantine.* line 2, NO "V20"/)
    assert.match(late.stderr, /csv:3 NO "V22": .* the record of partners is newer than the file/)
    assert.ok((await names()).includes('Twenty') && (await names()).includes('Newest'))
    assert.deepEqual(
      (await rows()).map(({ key }) => key),
      ['NO "V21"', 'NO "V21"'],
    )
    writeFileSync(file, written.replaceAll(/,selvedge_row|,(partners|suppliers)\/.*$/gm, ''))
    const unnamed = await place.run(args)
    assert.match(unnamed.stderr, /vendors\.corrections\.csv has no selvedge_row, which says/)
    assert.ok((await names()).includes('Twenty'))
    writeFileSync(file, written)
    await place.run(args)
    assert.deepEqual(await rows(), [])
    assert.ok((await names()).includes('Twenty'))
    place.put({ 'brand.map.yaml': mapping })
  })

  it('that is older than a record puts none beside it because of a code', async () => {
    const status = '{ column: STATUS, values: { A: active } }'
    const currency = `${status}\n      relationship.defaultCurrencyCode: CURR`
    place.put({ 'brand.map.yaml': mapping.replace(status, currency) })
    await run('brands', 'update', 'halden', '--checks', 'enforce')
    place.put({ 'vendors.csv': `${header};CURR\nV30;Thirty;X;EUR\n` })
    await importFile('vendors.csv')
    const before = await rows()
    await run('intake', 'rows', '--brand', 'halden', '--write', 'codes')
    place.put({ 'vendors.csv': `${header};CURR\nV31;Later;A;EUR\n` })
    await importFile('vendors.csv')
    const file = join(place.folder, 'codes/vendors.corrections.csv')
    const written = readFileSync(file, 'utf8')
    writeFileSync(file, written.replace('V30,Thirty,X,EUR', 'V31,Thirty,A,Dollar'))
    await importFile('codes')
    assert.deepEqual(await rows(), before)
    assert.ok((await names()).includes('Later'))
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
    place.put({ 'brand.map.yaml': mapping })
  })

  it('keeps the rows in quarantine that are still bad, and needs no trailer', async () => {
    const trailer = "delimiter: ';', trailer: { startsWith: T, count: 2 }"
    place.put({ 'brand.map.yaml': mapping.replaceAll("delimiter: ';'", trailer) })
    writeFileSync(join(place.folder, 'vendors.csv'), `${header}\nV5;Alfa;X\nV6;Beta;X\nT;2;\n`)
    await importFile('vendors.csv')
    const before = await rows()
    await run('intake', 'rows', '--brand', 'halden', '--write', 'bad.csv')
    const written = readFileSync(join(place.folder, 'bad.csv'), 'utf8')
    mkdirSync(join(place.folder, 'still'))
    writeFileSync(
      join(place.folder, 'still/vendors.corrections.csv'),
      written.replace('Alfa,X', 'Alfa,A'),
    )
    await importFile('still/vendors.corrections.csv')
    const left = before.filter(({ key }) => key === 'NO "V6"')
    assert.deepEqual(await rows(), left)
    assert.equal(left.length, 2)
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
    place.put({ 'brand.map.yaml': mapping })
  })

  it('with a row that cannot be read leaves the row in quarantine as it was', async () => {
    place.put({ 'vendors.csv': `${header}\nV9;Nine;X\n` })
    await importFile('vendors.csv')
    const before = await rows()
    await run('intake', 'rows', '--brand', 'halden', '--write', 'torn')
    const file = join(place.folder, 'torn/vendors.corrections.csv')
    const written = readFileSync(file, 'utf8')
    writeFileSync(file, written.replace('Nine,X', 'Nine,A,more'))
    const args = ['import', '--map', 'brand.map.yaml', file, ...quarantine]
    const { code, stderr } = await place.run(args)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /has 6 cells, but the header has 5/)
    assert.deepEqual(await rows(), before)
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
  })

  it('has its name only when it is complete, and a name of a usual length', async () => {
    const name = `vendors${'é'.repeat(110)}.csv`
    place.put({ [name]: `${header}\nV11;Eleven;X\n` })
    place.put({ 'long.map.yaml': mapping.replaceAll("'vendors.csv'", "'vendors*.csv'") })
    await run('import', '--map', 'long.map.yaml', name, ...quarantine)
    const file = `vendors${'é'.repeat(96)}.corrections.csv`
    mkdirSync(join(place.folder, 'cut', `${file}.part`), { recursive: true })
    const args = ['intake', 'rows', '--brand', 'halden', '--write', 'cut']
    assert.equal((await place.run(args)).code, 1)
    assert.deepEqual(readdirSync(join(place.folder, 'cut')), [`${file}.part`])
    rmdirSync(join(place.folder, 'cut', `${file}.part`))
    await run(...args)
    assert.deepEqual(readdirSync(join(place.folder, 'cut')), [file])
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
  })

  it('goes to a folder that can be made, also below another one', async () => {
    place.put({ 'vendors.csv': `${header}\nV12;Twelve;X\n` })
    await importFile('vendors.csv')
    const write = (path: string) =>
      place.run(['intake', 'rows', '--brand', 'halden', '--write', path])
    assert.equal((await write('some/where/else')).code, 0)
    assert.deepEqual(readdirSync(join(place.folder, 'some/where/else')), [
      'vendors.corrections.csv',
    ])
    place.put({ 'a-file': '' })
    for (const path of ['a-file', 'a-file/below', '/proc/selvedge', '/proc/selvedge/below']) {
      const { code, stderr } = await write(path)
      assert.equal(code, 1)
      assert.match(stderr, /The folder .* cannot be made \(E[A-Z]+\)\.$/m)
    }
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
  })

  it('of a workbook is a workbook, with typed cells', async () => {
    const cell = (at: string, text: string) =>
      `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`
    const workbook = await workbookOf({
      sheets: {
        Vendors: [
          `<row r="1">${['NO', 'NAME', 'STATUS'].map((text, index) => cell(`${'ABC'[index]}1`, text)).join('')}</row>`,
          `<row r="2"><c r="A2"><v>7</v></c><c r="B2"><v>1.5</v></c>${cell('C2', 'X')}</row>`,
        ].join(''),
      },
    })
    writeFileSync(join(place.folder, 'vendors-7.xlsx'), workbook)
    await importFile('vendors-7.xlsx')
    const csv = await place.run(['intake', 'rows', '--brand', 'halden', '--write', 'bad7.csv'])
    assert.equal(csv.code, 1)
    assert.match(csv.stderr, /corrected in a \.xlsx file\. Use --write bad7\.xlsx/)
    await run('intake', 'rows', '--brand', 'halden', '--write', 'typed')
    assert.deepEqual(readdirSync(join(place.folder, 'typed')), ['vendors-7.corrections.xlsx'])
    place.put({
      'brand.map.yaml': mapping
        .replaceAll('{ A: ', '{ X: active, A: ')
        .replace('{ X: active, A: approved', '{ X: approved, A: approved'),
    })
    await importFile('typed/vendors-7.corrections.xlsx')
    assert.deepEqual(await rows(), [])
    assert.ok((await names()).includes('1.5'))
  })

  it('of records has records', async () => {
    const tag = (number: number, name: unknown) => ({
      id: `00000000-0000-4000-8000-00000000000${number}`,
      ...{ name, code: `T${number}`, uiColor: null },
      ...{ createdAt: '2026-03-01T09:00:00.000Z', updatedAt: '2026-03-01T09:00:00.000Z' },
    })
    const lines = [tag(1, 'Wool'), tag(2, 7)].map((each) => JSON.stringify(each))
    place.put({ 'tags.ndjson': `${lines.join('\n')}\n` })
    await run('import', 'tags.ndjson', '--brand', 'halden', ...quarantine)
    await run('intake', 'rows', '--brand', 'halden', '--write', 'records')
    const file = join(place.folder, 'records/tags.corrections.ndjson')
    const record = JSON.parse(readFileSync(file, 'utf8'))
    assert.match(record.selvedge_reason, /^\/name \(7\) must be a string/)
    writeFileSync(file, `${JSON.stringify({ ...record, name: 'Linen' })}\n`)
    await run('import', file, '--brand', 'halden', ...quarantine)
    assert.deepEqual(await rows(), [])
  })

  it('of a database or a sender is for reading, and says where to correct its rows', async () => {
    const database = openDatabase(place.databaseUrl)
    const store = await createStore(catalog, database)
    const tags = resourceAt(catalog, 'tags')
    const held = (kind: SourceKind, mapping: string | null, line: number) => ({
      ...{ row: null, key: null, parent: null, natural: String(line), reason: 'row', line },
      ...{ body: null, problems: [], received: { columns: ['NO'], cells: [String(line)] } },
      from: { file: 'labels', source: { kind, name: 'erp' }, mapping },
    })
    const all = [held('sync', 'a', 1), held('ingest', 'a', 2), held('ingest', null, 3)]
    await store.write('halden', (writer) => writer.quarantine(tags, all as never))
    await database.close()
    const printed = await run('intake', 'rows', '--brand', 'halden', '--write', 'read')
    assert.match(printed, /^read\/labels\.corrections\.csv +1 +in the database$/m)
    assert.match(printed, /^read\/labels\.corrections-2\.csv +1 +at the sender$/m)
    assert.match(printed, /^read\/tags\.corrections\.ndjson +1 +in the file$/m)
    assert.match(printed, /^in the database: the file is for reading\. The next round/m)
    assert.match(printed, /^at the sender: .* Send the corrected rows again\.$/m)
    await run('intake', 'discard-rows', '--brand', 'halden', '--yes')
  })
})
