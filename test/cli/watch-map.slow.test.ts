/** The command `selvedge watch --map`: files as an ERP writes them, in a folder and in a bucket. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { credentials, startS3 } from '../support/images.ts'
import { bucketAddress, openBucketClient } from '../support/watching.ts'
import { textRow, workbookOf } from '../support/workbook.ts'

const brand = 'halden'
const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = `version: 1
brand: ${brand}
timezone: Europe/Berlin
formats: { date: dd.MM.yyyy, decimal: ',', group: '.' }
collections:
  partners:
    from: 'vendors*.xlsx'
    id: { key: [VENDOR_NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [VENDOR_NO] }
      relationship.status: { value: active }
      ${seen}
  suppliers:
    from: 'vendors*.xlsx'
    id: { key: [VENDOR_NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [VENDOR_NO] } }
      code: VENDOR_NO
      name: NAME
      kind: { value: finished_goods }
      status: { column: STATUS, values: { A: approved, I: inactive } }
      ${seen}
  orders:
    from: { files: 'po*.csv', delimiter: semicolon, encoding: windows-1252 }
    id: { key: [PO_NO] }
    fields:
      orderNumber: PO_NO
      supplierId: { ref: { collection: suppliers, key: [VENDOR_NO] } }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: { value: EUR }
      orderDate: ORD_DT
      totalQuantity: QTY
      totalAmount: AMT
      ${seen}
`

const vendors = () =>
  workbookOf({
    sheets: {
      Vendors: [
        textRow(1, 'VENDOR_NO', 'NAME', 'STATUS'),
        textRow(2, 'V0042', 'Moda Têxtil, Lda.', 'A'),
        textRow(3, 'V0043', 'Gölz &amp; Söhne', 'I'),
      ].join(''),
    },
  })

const orders = (...amounts: readonly string[]) =>
  Buffer.from(
    [
      'PO_NO;VENDOR_NO;ORD_DT;QTY;AMT',
      ...amounts.map((amount, index) => `PO-551${index};V0042;14.03.2026;120,000;${amount}`),
    ]
      .map((row) => `${row}\r\n`)
      .join(''),
    'latin1',
  )

interface Dropbox {
  readonly address: string
  drop(name: string, content: Uint8Array): Promise<void>
  read(name: string): Promise<string>
}

for (const kind of ['a folder', 'a bucket'] as const) {
  describe(`watch --map of ${kind}`, () => {
    let place: Sandbox
    let dropbox: Dropbox
    let close = async () => {}
    const keys = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    const command = (...args: string[]) => [
      ...['watch', dropbox.address, '--map', 'brand.map.yaml', '--settle', '0s'],
      ...args,
    ]
    const once = async (...args: string[]) => {
      const words = command('--once', '--every', '1s', '--json', '--no-check', ...args)
      const ran = await place.run(words, '', keys)
      const outcomes = ran.stdout
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text))
      return { ...ran, outcomes }
    }
    const exported = async (path: string): Promise<readonly Record<string, unknown>[]> => {
      const ran = await place.run(['export', 'out', '--brand', brand, '--format', 'ndjson'])
      assert.equal(ran.code, 0, ran.stderr)
      const text = readFileSync(join(place.folder, `out/${path}.ndjson`), 'utf8')
      return text
        .split('\n')
        .filter(Boolean)
        .map((each) => JSON.parse(each))
    }

    before(async () => {
      place = openSandbox()
      const made = await place.run(['brands', 'add', brand, '--name', 'Halden'])
      assert.equal(made.code, 0, made.stderr)
      place.put({ 'brand.map.yaml': mapping })
      if (kind === 'a folder') {
        const folder = join(place.folder, 'in')
        mkdirSync(folder)
        dropbox = {
          address: 'in',
          drop: async (name, content) => writeFileSync(join(folder, name), content),
          read: async (name) => readFileSync(join(folder, name), 'utf8'),
        }
        return
      }
      const s3 = await startS3()
      close = s3.close
      const client = openBucketClient(s3.endpoint, 'erp')
      dropbox = {
        address: bucketAddress(s3.endpoint, 'erp'),
        drop: (name, content) => client.put(name, new Uint8Array(content), {}),
        read: async (name) => {
          const object = await client.get(name)
          assert.ok(object, name)
          return new Response(ReadableStream.from(object.body)).text()
        },
      }
    })
    after(async () => {
      place.close()
      await close()
    })

    it('takes files of one moment in the order of their references', async () => {
      await dropbox.drop('po-20260301T0930.csv', orders('1.234,50'))
      await dropbox.drop('vendors-20260301T0930.xlsx', await vendors())
      const { code, stderr, outcomes } = await once()
      assert.equal(code, 0, stderr)
      assert.deepEqual(
        outcomes.map(({ file, outcome }) => [file, outcome]),
        [
          ['vendors-20260301T0930.xlsx', 'imported'],
          ['po-20260301T0930.csv', 'imported'],
        ],
      )
      const [order] = await exported('orders')
      assert.equal(order?.['id'], naturalId(brand, 'orders', ['PO-5510']))
      assert.equal(order?.['supplierId'], naturalId(brand, 'suppliers', ['V0042']))
      assert.deepEqual([order?.['orderDate'], order?.['totalAmount']], ['2026-03-14', '1234.50'])
    })

    it('takes files that come together in the order of their references, whatever their names', async () => {
      const order = 'PO_NO;VENDOR_NO;ORD_DT;QTY;AMT\nPO-5600;V0050;14.03.2026;1;1,00\n'
      const sheet = [
        textRow(1, 'VENDOR_NO', 'NAME', 'STATUS'),
        textRow(2, 'V0050', 'Together Lda.', 'A'),
      ].join('')
      await dropbox.drop('po.csv', Buffer.from(order))
      await dropbox.drop('vendors.xlsx', await workbookOf({ sheets: { Vendors: sheet } }))
      const { code, stderr, outcomes } = await once()
      assert.equal(code, 0, stderr)
      assert.deepEqual(
        outcomes.map(({ file }) => file),
        ['vendors.xlsx', 'po.csv'],
      )
    })

    it('lets rows wait whose references come later, or fails their file', async () => {
      const late = 'PO_NO;VENDOR_NO;ORD_DT;QTY;AMT\nPO-6000;V0099;14.03.2026;1;1,00\n'
      await dropbox.drop('po-20260302.csv', Buffer.from(late))
      const refused = await once('--on-error', 'refuse')
      assert.equal(refused.code, 1)
      assert.equal(refused.outcomes[0].outcome, 'failed')
      await dropbox.drop('po-20260303.csv', Buffer.from(late))
      const parked = await once()
      assert.equal(parked.code, 0, parked.stderr)
      assert.equal(parked.outcomes[0].collections[0].parked, 1)
      const sheet = [
        textRow(1, 'VENDOR_NO', 'NAME', 'STATUS'),
        textRow(2, 'V0099', 'Late Lda.', 'A'),
      ].join('')
      await dropbox.drop('vendors-20260304.xlsx', await workbookOf({ sheets: { Vendors: sheet } }))
      const came = await once()
      assert.equal(came.code, 0, came.stderr)
      const numbers = (await exported('orders')).map((order) => order['orderNumber'])
      assert.deepEqual(numbers.sort(), ['PO-5510', 'PO-5600', 'PO-6000'])
      assert.match(
        (await place.run(['parked', '--brand', brand])).stdout,
        /^No rows are in quarantine/,
      )
    })

    it('names file, line, column and the line of the mapping beside a failed file', async () => {
      await dropbox.drop('po-20260305.csv', orders('1.234,50', 'twelve'))
      const { outcomes } = await once('--on-error', 'refuse')
      assert.equal(outcomes[0].outcome, 'failed')
      const text = await dropbox.read('failed/po-20260305.csv.problems.txt')
      assert.match(
        text,
        /po-20260305\.csv:3 PO_NO "PO-5511": column AMT \(twelve\) brand\.map\.yaml:\d+ /,
      )
    })

    it('fails a file that no pattern matches, and says which there are, or leaves it alone', async () => {
      await dropbox.drop('stock-20260306.csv', Buffer.from('A;B\n1;2\n'))
      const left = await once('--ignore', '*.pdf', '--ignore', 'stock*.csv')
      assert.deepEqual([left.code, left.outcomes], [0, []])
      const { outcomes } = await once('--ignore', '*.pdf')
      assert.equal(outcomes[0].outcome, 'failed')
      assert.match(
        await dropbox.read('failed/stock-20260306.csv.problems.txt'),
        /^stock-20260306\.csv matches none of the patterns of brand\.map\.yaml: vendors\*\.xlsx, po\*\.csv\. .*--ignore <pattern>\n$/,
      )
    })

    it('keeps the mapping of its start, and says that the file has changed', async () => {
      const { child, ended, said } = place.start(command('--every', '1s', '--no-check'), keys)
      await said('Watching')
      place.put({ 'brand.map.yaml': 'version: 1\ncollections: {' })
      await dropbox.drop('po-20260307.csv', orders('7,00'))
      await said('po-20260307.csv: imported')
      child.kill('SIGTERM')
      const { stderr, code } = await ended
      assert.equal(code, 0, stderr)
      const sentences = stderr.match(
        /brand\.map\.yaml has changed\. Restart the command to use it\./g,
      )
      assert.equal(sentences?.length, 1, stderr)
    })

    it('does not start with a mapping file that is broken', async () => {
      const { code, stderr } = await once()
      assert.equal(code, 1)
      assert.match(stderr, /brand\.map\.yaml:2/)
      place.put({ 'brand.map.yaml': mapping })
    })
  })
}
