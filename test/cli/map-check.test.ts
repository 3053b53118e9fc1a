/** What `map check` finds: the same as an import of the same rows, and it stores nothing. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'
const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString()

const partners = `  partners:
    from: 'vendors*.csv'
    id: { key: [VENDOR_NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      countryCode: COUNTRY
      shortName: SHORT
      relationship.id: { key: [VENDOR_NO] }
      relationship.status: { value: active }
      createdAt: first-seen
      updatedAt: { column: CHANGED, default: 2026-01-01T00:00:00.000Z }
`
const suppliers = `  suppliers:
    from: 'vendors*.csv'
    id: { key: [VENDOR_NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [VENDOR_NO] } }
      code: VENDOR_NO
      name: NAME
      kind: { value: finished_goods }
      status: { value: approved }
      ${seen}
`
const orders = `  orders:
    from: 'po_lines*.csv'
    where: { LINE_STATUS: { not: [X] } }
    distinct: true
    id: { key: [PO_NO] }
    fields:
      orderNumber: PO_NO
      supplierId: { ref: { collection: suppliers, key: [VENDOR_NO] } }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: CURR
      orderDate: { column: ORD_DT, date: dd.MM.yyyy }
      totalQuantity: QTY
      totalAmount: AMT
      ${seen}
`
const mappingOf = (brand: string, ...collections: readonly string[]) =>
  `version: 1\nbrand: ${brand}\ncollections:\n${collections.join('')}`

const vendors = (...rows: readonly string[]) =>
  `VENDOR_NO,NAME,COUNTRY,SHORT,CHANGED\n${rows.join('\n')}\n`
const lines = (...rows: readonly string[]) =>
  `PO_NO,VENDOR_NO,ORD_DT,QTY,AMT,CURR,LINE_STATUS\n${rows.join('\n')}\n`

const badFiles = {
  'bad/vendors.csv': vendors(
    '1,"Moda Têxtil, Lda.",PT,,',
    // The same slug, a country that is a name, and a time that has not come.
    '2,"Moda Textil, Lda.",PT,,',
    "3,L'Été,Portugal,,",
    `4,織田商店 Oda,JP,,${inTwoDays}`,
    // One key, two rows.
    '5,Gölz & Söhne,DE,,',
    '5,Gölz KG,DE,,',
  ),
  'bad/po_lines.csv': lines(
    'PO-1,1,14.03.2026,5,10.00,EUR,O',
    'PO-1,1,14.03.2026,5,10.00,EUR,O',
    'PO-2,1,14.03.2026,5,10.00,EUR,X',
    'PO-3,77,14.03.2026,5,10.00,EUR,O',
    'PO-4,78,14.03.2026,5,10.00,EUR,O',
    'PO-5,1,31.02.2026,5,10.00,EUR,O',
    'PO-6,1,14.03.2026,5,10.00,Dollar,O',
  ),
}

const check = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await place.run(['map', 'check', ...args, '--json'])
  assert.equal(stderr, '')
  return { code, ...JSON.parse(stdout) }
}

interface Counted {
  readonly collection: string
  readonly rows: number
  readonly records: number
  readonly leftOut: number
  readonly repeated: number
  readonly refused: number
}

const countsOf = ({ sources }: { readonly sources: readonly Counted[] }) =>
  Object.fromEntries(
    sources.map(({ collection, rows, records, leftOut, repeated, refused }) => [
      collection,
      { rows, records, leftOut, repeated, refused },
    ]),
  )

before(async () => {
  place.put({
    'bad.map.yaml': mappingOf('halden', partners, suppliers, orders),
    'new.map.yaml': mappingOf('acme', partners, suppliers, orders),
    'orders.map.yaml': mappingOf('halden', orders),
    'good/vendors.csv': vendors('1,"Moda Têxtil, Lda.",PT,,', '2,Gölz & Söhne,DE,,'),
    'good/po_lines.csv': lines('PO-1,1,14.03.2026,5,10.00,EUR,O'),
    ...badFiles,
  })
})

describe('map check without a database', () => {
  it('compares the rows with each other, and creates no database', async () => {
    const temporary = join(place.folder, 'temporary')
    mkdirSync(temporary)
    const { code, stdout } = await place.run(['map', 'check', 'new.map.yaml', 'good'], '', {
      TMPDIR: temporary,
    })
    assert.equal(code, 0, stdout)
    assert.deepEqual(readdirSync(temporary), [])
    assert.match(
      stdout,
      /^There is no brand acme, so nothing stored was compared\. To add it: selvedge brands add acme --name <name>$/m,
    )
    assert.match(stdout, /\nEvery row becomes a record\.\n$/)
    assert.ok(!existsSync(join(place.folder, 'selvedge.db')))
  })

  it('judges references only to collections whose rows are all there', async () => {
    const alone = await check('new.map.yaml', 'good/po_lines.csv')
    assert.deepEqual([alone.code, alone.errors, alone.warnings, alone.isPartial], [0, 0, 1, true])
    assert.match(alone.problems[0].reason, /refers to a record of suppliers/)
    place.put({ 'short/vendors.csv': vendors('2,Gölz & Söhne,DE,,') })
    const both = await check('new.map.yaml', 'short', 'good/po_lines.csv')
    assert.deepEqual([both.code, both.errors, both.isPartial], [1, 1, false])
  })
})

describe('map check with stored records', () => {
  before(async () => {
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
  })

  it('finds what an import refuses, in the same words', async () => {
    const checked = await check('bad.map.yaml', 'bad')
    const dry = await place.run(['import', '--map', 'bad.map.yaml', 'bad', '--dry-run', '--json'])
    const imported = JSON.parse(dry.stdout)
    assert.deepEqual([checked.code, dry.code], [1, 1])
    assert.deepEqual(checked.problems, imported.problems)
    assert.deepEqual(checked.groups, imported.groups)
    assert.deepEqual([checked.errors, checked.warnings], [imported.errors, imported.warnings])
    const reasons = checked.problems.map(({ reason }: { readonly reason: string }) => reason)
    for (const expected of [
      /^has the same identity as line 6 of bad\/vendors\.csv, and differs in name/,
      /^is not an ISO 3166-1/,
      /^is not an ISO 4217 code/,
      /^is already the slug of partners/,
      /^refers to a record of suppliers that is neither/,
      /^is not a day of the calendar/,
      /^is in the future, in 1 row/,
    ]) {
      assert.ok(
        reasons.some((reason: string) => expected.test(reason)),
        `${expected} ${reasons.join('\n')}`,
      )
    }
  })

  it('counts the rows that become records, and why the others do not', async () => {
    const checked = await check('bad.map.yaml', 'bad')
    assert.deepEqual(countsOf(checked)['orders'], {
      ...{ rows: 7, records: 1, leftOut: 1, repeated: 1, refused: 4 },
    })
    assert.deepEqual(countsOf(checked)['partners'], {
      ...{ rows: 6, records: 3, leftOut: 0, repeated: 0, refused: 3 },
    })
    const dangling = checked.groups.find(({ reason }: { readonly reason: string }) =>
      reason.startsWith('refers to a record of suppliers'),
    )
    assert.equal(dangling.rows, 2)
    const { stdout } = await place.run(['map', 'check', 'bad.map.yaml', 'bad'])
    assert.match(stdout, /^ {2}7 rows: 1 record, 1 left out, 1 repeated, 4 with problems$/m)
    assert.match(stdout, /refers to a record of suppliers .*: 2 rows, first at line 5/)
    assert.match(stdout, /; always empty: shortName$/m)
    assert.doesNotMatch(stdout, /Every row becomes a record/)
  })

  it('says how many rows become records if not every one does', async () => {
    place.put({
      'two/vendors.csv': vendors('1,Moda Têxtil,PT,,'),
      'two/po_lines.csv': lines(
        'PO-1,1,14.03.2026,5,10.00,EUR,O',
        'PO-1,1,14.03.2026,5,10.00,EUR,O',
      ),
    })
    const { code, stdout } = await place.run(['map', 'check', 'bad.map.yaml', 'two'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /\n4 rows become 3 records\.\n$/)
  })

  it('shows three rows before and after', async () => {
    const { sources } = await check('bad.map.yaml', 'bad')
    const shown = sources.find(({ collection }: Counted) => collection === 'partners').samples
    assert.deepEqual(
      shown.map(({ line, before, after }: Record<'line' | 'before' | 'after', never>) => [
        line,
        before['NAME'],
        after['slug'],
      ]),
      [
        [2, 'Moda Têxtil, Lda.', 'moda-textil-lda'],
        [3, 'Moda Textil, Lda.', 'moda-textil-lda'],
        [4, "L'Été", 'l-ete'],
      ],
    )
  })

  it('names the rules that the records would break, with an example', async () => {
    const { rules } = await check('bad.map.yaml', 'good')
    assert.equal(rules.left, 0)
    const broken = rules.broken.find(({ id }: { readonly id: string }) => id === 'ORD-01')
    assert.deepEqual([broken.severity, broken.count], ['error', 1])
    assert.equal(broken.records[0].name, 'orderNumber "PO-1"')
    const { code, stdout } = await place.run(['map', 'check', 'bad.map.yaml', 'good'])
    // No import is refused for a rule.
    assert.equal(code, 0)
    assert.match(stdout, /^The records break \d+ of \d+ rules of selvedge check:$/m)
    assert.match(stdout, /^ {2}ORD-01 error: .* \(1, first orderNumber "PO-1": .*\)$/m)
  })

  it('compares with stored records, and stores nothing', async () => {
    const missing = await check('orders.map.yaml', 'good/po_lines.csv')
    assert.deepEqual([missing.code, missing.errors], [1, 1])
    const imported = await place.run([
      ...['import', '--map', 'bad.map.yaml', 'good/vendors.csv', '--no-check'],
    ])
    assert.equal(imported.code, 0, imported.stderr)
    const complete = await check('orders.map.yaml', 'good/po_lines.csv')
    assert.deepEqual([complete.code, complete.errors, complete.isComparedWithStored], [0, 0, true])
    assert.equal(complete.collections[0].added, 1)
    const again = await check('orders.map.yaml', 'good/po_lines.csv')
    assert.equal(again.collections[0].added, 1)
    const rows = await place.run(['intake', 'rows', '--brand', 'halden'])
    assert.match(rows.stdout, /No rows are in quarantine/)
  })

  it('names a slug that a stored record has', async () => {
    place.put({ 'taken/vendors.csv': vendors('9,"Moda Têxtil, Lda.",PT,,') })
    const { code, problems } = await check('bad.map.yaml', 'taken')
    assert.equal(code, 1)
    assert.match(problems[0].reason, /^is already the slug of partners .*, which is stored/)
  })
})

describe('map check of joined rows', () => {
  it('shows joined cells, and lists only columns of the file as unused', async () => {
    const tags = `  tags:
    from: 'tags*.csv'
    join: { name: vendor, files: 'vendors*.csv', on: { VENDOR: VENDOR_NO } }
    id: { key: [NO] }
    fields:
      name: vendor.NAME
      ${seen}
`
    place.put({
      'joined.map.yaml': mappingOf('halden', tags),
      'joined/tags.csv': 'NO,VENDOR,EXTRA\n1,1,x\n',
      'joined/vendors.csv': vendors('1,"Moda Têxtil, Lda.",PT,,'),
    })
    const { code, stdout } = await place.run(['map', 'check', 'joined.map.yaml', 'joined'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^ {4}name +Moda Têxtil, Lda\. +← vendor\.NAME Moda Têxtil, Lda\.$/m)
    assert.match(stdout, /^joined\/tags\.csv: no collection uses the columns EXTRA$/m)
  })
})

describe('the brand of map check', () => {
  it('is that of the mapping', async () => {
    const named = ['map', 'check', 'new.map.yaml', 'good', '--brand', 'halden']
    const { code, stderr } = await place.run(named)
    assert.equal(code, 2)
    assert.match(stderr, /^new\.map\.yaml is for the brand acme\. Leave out --brand/m)
  })

  it('need not be known yet', async () => {
    place.put({ 'none.map.yaml': mappingOf('x', partners).replace('brand: x\n', '') })
    const { code, stdout } = await place.run(['map', 'check', 'none.map.yaml', 'good/vendors.csv'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^Without a brand, nothing stored was compared: use --brand <slug>\.$/m)
  })
})

describe('map check of a mapping with open values', () => {
  const open = mappingOf('halden', partners).replace(
    'countryCode: COUNTRY',
    'countryCode: { open: [COUNTRY, { value: DE }] }',
  )

  it('lists them, and fails as an import does', async () => {
    place.put({ 'open.map.yaml': open })
    const { code, stdout } = await place.run(['map', 'check', 'open.map.yaml', 'good/vendors.csv'])
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^open\.map\.yaml:10 partners\.countryCode is open: COUNTRY or \{ value: DE \}$/m,
    )
    assert.match(stdout, /^1 value is open\. Decide it: import, sync and watch refuse/m)
    // The first candidate counts for the rows that are shown.
    assert.match(stdout, /^ {4}countryCode +PT +← COUNTRY PT$/m)
  })

  it('accepts them with --allow-open', async () => {
    const checked = await check('open.map.yaml', 'good/vendors.csv', '--allow-open')
    assert.equal(checked.code, 0)
    assert.deepEqual(checked.open, [
      {
        ...{ collection: 'partners', field: 'countryCode', line: 10 },
        candidates: ['COUNTRY', '{ value: DE }'],
      },
    ])
  })
})
