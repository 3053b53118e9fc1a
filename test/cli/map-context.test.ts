/** Mappings that use values of their brand and look records up, on every way in for files. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { UploadChoices } from '#contract'
import { runUploadTask } from '../../src/cli/upload-task.ts'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())

const mapping = `version: 1
brand: halden
defaults:
  createdAt: first-seen
  updatedAt: last-changed
  currency: { brand: currency }
  status: { value: approved }
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields:
      slug: { column: NO, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { value: active }
  suppliers:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields: { partnerId: { ref: NO }, code: NO, name: NAME, kind: { value: agent } }
  orders:
    from: 'po*.csv'
    id: { key: [PO] }
    fields:
      orderNumber: PO
      supplierId: { lookup: { by: { name: VENDOR } } }
      kind: { value: bulk }
      status: { value: draft }
      revisionNumber: { value: 0 }
      orderDate: { value: 2026-11-18 }
      totalQuantity: { value: 0 }
      totalAmount: { value: 0 }
      memo: { column: MEMO, optional: true }
`

const vendors = "NO,NAME\nV1,Müller & Söhne\nV2,L'Été\nV3,冬\n"

/** The orders of the brand with the names of their suppliers. */
const orders = async (): Promise<readonly string[]> => {
  const exported = await place.run(['export', 'exported', '--brand', 'halden'])
  assert.equal(exported.code, 0, exported.stderr)
  const read = (path: string) =>
    readFileSync(join(place.folder, `exported/${path}.ndjson`), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const names = new Map(read('suppliers').map(({ id, name }) => [id, name]))
  return read('orders')
    .map((each) => `${each.orderNumber} ${names.get(each.supplierId)} ${each.currency}`)
    .sort()
}

const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await place.run(args)
  return { code, said: stdout + stderr }
}

before(async () => {
  place.put({ 'erp.map.yaml': mapping, 'erp/vendors.csv': vendors })
  const added = await run('brands', 'add', 'halden', '--name', 'Halden', '--currency', 'NOK')
  assert.equal(added.code, 0, added.said)
})

const missing =
  /po\.csv:3 PO "P2": column VENDOR \(Ghost Ltd\) \S*erp\.map\.yaml:\d+ \/?supplierId is the name of no record of suppliers/

describe('a mapping that looks records up', () => {
  it('is checked with the records of the same files', async () => {
    place.put({ 'erp/po.csv': 'PO,VENDOR\nP1,müller & söhne\nP2,Ghost Ltd\n' })
    const wrong = await run('map', 'check', 'erp.map.yaml', 'erp')
    assert.equal(wrong.code, 1)
    assert.match(wrong.said, missing)
    assert.match(wrong.said, /currency +NOK/)
    place.put({ 'erp/po.csv': "PO,VENDOR\nP1,müller & söhne\nP2,L'ÉTÉ\n" })
    const right = await run('map', 'check', 'erp.map.yaml', 'erp')
    assert.equal(right.code, 0, right.said)
  })

  it('is previewed, checked and imported on the operator page', async () => {
    place.put({ 'erp/po.csv': 'PO,VENDOR\nP1,冬\nP2,Ghost Ltd\n' })
    const files = ['erp.map.yaml', 'erp/po.csv', 'erp/vendors.csv'].map((name) => {
      const path = join(place.folder, name)
      const kind = name.endsWith('.yaml') ? ('mapping' as const) : ('records' as const)
      const own = { id: name, name: name.replace('erp/', ''), path, kind, collection: null }
      return { ...own, bytes: statSync(path).size }
    })
    const choices: UploadChoices = {
      ...{ brand: 'halden', collections: {}, replace: false, allowRemovals: false },
      onError: 'refuse',
    }
    const { databaseUrl } = place
    const config = { databaseUrl, redisUrl: null, imagesUrl: 'file:none', changeFeed: true }
    const outcomeOf = async (kind: 'preview' | 'check') => {
      const message = await runUploadTask(
        {
          ...{ kind, files, choices, operator: 'Ada' },
          config: { ...config, requiresRowSecurity: false },
          cancelled: new Int32Array(new SharedArrayBuffer(4)),
        },
        () => undefined,
      )
      assert.ok('outcome' in message, JSON.stringify(message))
      return message.outcome
    }
    const previewed = await outcomeOf('preview')
    assert.ok(previewed.is === 'previewed', JSON.stringify(previewed))
    const of = previewed.previews.find(({ collection }) => collection === 'orders')
    assert.deepEqual(
      [of?.error, of?.checkedRows, of?.problems.map(({ line, value }) => [line, value])],
      [null, 2, [[3, 'Ghost Ltd']]],
    )
    const checked = await outcomeOf('check')
    assert.ok(checked.is === 'imported', JSON.stringify(checked))
    assert.deepEqual(
      [checked.result.isRefused, checked.result.problems.map(({ value }) => value)],
      [true, ['Ghost Ltd']],
    )
  })

  it('refuses an import whose record is missing, with file, key, column and line', async () => {
    const refused = await run('import', 'erp', '--map', 'erp.map.yaml')
    assert.equal(refused.code, 1)
    assert.match(refused.said, missing)
  })

  it('lets rows of dropped files wait until their record is dropped', async () => {
    const watch = () =>
      run(...['watch', 'inbox', '--map', 'erp.map.yaml', '--once', '--settle', '0s', '--no-check'])
    place.put({
      'inbox/vendors-1.csv': vendors,
      'inbox/po-1.csv': 'PO,VENDOR\nP1,冬\nP2,Ghost Ltd\n',
    })
    const first = await watch()
    assert.match(first.said, /po-1\.csv: imported: orders 1 new, 1 in quarantine/)
    assert.deepEqual(await orders(), ['P1 冬 NOK'])
    place.put({ 'inbox/vendors-2.csv': 'NO,NAME\nV4,GHOST LTD\n' })
    assert.match((await watch()).said, /vendors-2\.csv: imported: .*orders 1 new/)
    assert.deepEqual(await orders(), ['P1 冬 NOK', 'P2 GHOST LTD NOK'])
  })

  it('maps large files in threads', async () => {
    const memo = 'x'.repeat(200)
    const rows = Array.from({ length: 21_000 }, (_, at) => `L${at},l'été,${memo}`)
    place.put({ 'large/po.csv': ['PO,VENDOR,MEMO', ...rows, `L-,Nowhere,${memo}`].join('\n') })
    const { code, said } = await run(
      ...['import', 'large', '--map', 'erp.map.yaml', '--on-error', 'quarantine', '--no-check'],
    )
    assert.equal(code, 0, said)
    assert.match(said, /Imported, without 1 row/)
    const stored = await orders()
    assert.equal(stored.filter((each) => each.endsWith("L'Été NOK")).length, 21_000)
  })
})

describe('a mapping that looks records up with joined and grouped rows', () => {
  const made = mapping
    .replace(
      / {2}suppliers:\n/,
      `  suppliers:
    - from: { given: [{ NO: V1, NAME: Eigene Fertigung }] }
      id: { key: [{ value: own }] }
      fields: { partnerId: { ref: NO }, code: { brand: slug }, name: NAME, kind: { value: finished_goods } }
    - `,
    )
    .replace("-     from: 'vendors*.csv'", "- from: 'vendors*.csv'")
    .replace(
      /( {4})(id: \{ key: \[NO\] \}\n)( {4})(fields: \{ partnerId: \{ ref: NO \}, code: NO)/,
      '      $2      $4',
    )
    .replace(
      / {2}orders:[\s\S]*/,
      `  orders:
    from: 'lines*.csv'
    join:
      - { name: vendor, files: 'vendors*.csv', on: { VENDOR: NO } }
      - { name: fee, files: 'fees*.csv', on: { PO: PO } }
      - { name: maker, given: [{ PO: G1, NAME: EIGENE FERTIGUNG }], on: { PO: PO } }
    group: [PO]
    id: { key: [PO] }
    fields:
      orderNumber: PO
      supplierId:
        first:
          - { lookup: { by: { name: maker.NAME } } }
          - { lookup: { by: { name: { rows: first, in: fee, of: BY } } } }
          - { lookup: { by: { name: vendor.NAME } } }
      kind: { value: bulk }
      status: { value: draft }
      revisionNumber: { value: 0 }
      orderDate: { value: 2026-11-18 }
      totalQuantity: { rows: sum, of: QTY }
      totalAmount: { rows: sum, in: fee, of: FEE, round: currency }
      memo:
        join:
          - { brand: name }
          - { rows: first, of: { join: [{ brand: slug }, VENDOR], with: '-' } }
        with: ' '
`,
    )
  const lines = 'PO,VENDOR,QTY\nG1,V2,3\nG2,V3,5\nG1,V2,4\nG3,V3,1\n'
  const fees = "PO,FEE,BY\nG1,1.005,\nG2,2,l'été\nG1,1,\nG3,7,\n"
  const put = (own: string) =>
    place.put({
      ...{ 'made.map.yaml': made, 'made/vendors.csv': vendors },
      ...{ 'made/lines.csv': lines, 'made/fees.csv': own },
    })

  it('finds them by joined columns, in given rows and in values over rows', async () => {
    put(fees)
    const checked = await run('map', 'check', 'made.map.yaml', 'made')
    assert.equal(checked.code, 0, checked.said)
    const imported = await run('import', 'made', '--map', 'made.map.yaml', '--no-check')
    assert.equal(imported.code, 0, imported.said)
    assert.deepEqual(
      (await orders()).filter((each) => each.startsWith('G')),
      ['G1 Eigene Fertigung NOK', "G2 L'Été NOK", 'G3 冬 NOK'],
    )
  })

  it('refuses a record over rows that is missing, with its group', async () => {
    put(fees.replace("l'été", 'Phantom Ltd'))
    const expected =
      /lines\.csv:3 PO "G2": .*\(Phantom Ltd\) \S*made\.map\.yaml:\d+ \/?supplierId is the name of no record of suppliers/
    for (const args of [
      ['map', 'check', 'made.map.yaml', 'made'],
      ['import', 'made', '--map', 'made.map.yaml'],
    ]) {
      const { code, said } = await run(...args)
      assert.equal(code, 1)
      assert.match(said, expected)
    }
  })
})

it('a mapping that uses the brand is refused for shared records', async () => {
  place.put({
    'shared.map.yaml':
      "version: 1\ncollections:\n  couriers:\n    from: 'c.csv'\n    id: { key: [NO] }\n    fields: { code: NO, name: { brand: name }, createdAt: first-seen, updatedAt: last-changed, status: { value: active }, kind: { value: ocean } }\n",
    'c.csv': 'NO\n1\n',
  })
  const { code, said } = await run('import', 'c.csv', '--map', 'shared.map.yaml', '--shared')
  assert.equal(code, 1)
  assert.match(said, /shared\.map\.yaml:\d uses a value of the brand, and these records are shared/)
})
