/** Bad rows of mapped files wait with their cells, and come in after the mapping was corrected. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { QuarantinedRow } from '#store'
import { openSandbox } from '../support/command.ts'

const mapping = (status: string): string => `version: 1
brand: halden
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { column: STATUS, values: { ${status} } }
      createdAt: first-seen
      updatedAt: last-changed
  suppliers:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [NO] } }
      code: NO
      name: NAME
      kind: { value: finished_goods }
      status: { value: approved }
      createdAt: first-seen
      updatedAt: last-changed
  product-option-prices:
    from: 'prices*.csv'
    fields:
      productOptionId: { ref: { collection: product-options, key: [NO] } }
      kind: { column: KIND, values: { R: retail } }
      currency: { value: EUR }
      amount: PRICE
`

describe('rows of a mapped file in quarantine', () => {
  const place = openSandbox()
  after(() => place.close())
  before(async () => {
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
    place.put({
      'shop.map.yaml': mapping('A: active'),
      'vendors.csv': 'NO,NAME,STATUS\n1,Wool,A\n2,Silk,X\n3,Linen,A\n',
      'vendors-2.csv': 'NO,NAME,STATUS\n4,Hemp,A\n5,Jute,A\n5,Ramie,A\n',
    })
  })
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const load = async (file: string) => {
    const options = ['--map', 'shop.map.yaml', '--on-error', 'quarantine', '--no-check']
    const { collections } = await run('import', file, ...options)
    return collections.map((each: { [name: string]: unknown }) =>
      ['collection', 'added', 'parked', 'unparked', 'quarantined'].map((name) => each[name]),
    )
  }
  const rows = async (): Promise<readonly QuarantinedRow[]> =>
    (await run('intake', 'rows', '--brand', 'halden')).rows

  it('have their cells, and what refers to them waits', async () => {
    assert.deepEqual(await load('vendors.csv'), [
      ['partners', 2, 0, 0, 1],
      ['suppliers', 2, 1, 0, 0],
    ])
    const held = await rows()
    assert.deepEqual(
      held.map(({ collection, row }) => [collection, row?.columns, row?.cells]).sort(),
      ['partners', 'suppliers'].map((collection) => [
        collection,
        ['NO', 'NAME', 'STATUS'],
        ['2', 'Silk', 'X'],
      ]),
    )
    const [partner] = held.filter(({ collection }) => collection === 'partners')
    assert.deepEqual(
      partner?.problems.map(({ line, column, value }) => [line, column, value]),
      [[3, 'STATUS', 'X']],
    )
    assert.equal(partner?.key?.length, 1)
    const checked = await place.run(['check', '--brand', 'halden'])
    assert.match(
      checked.stdout,
      /\n\nRows in quarantine, which are not checked: 1 of partners, 1 of suppliers.*\. See: selvedge intake rows --brand halden\n$/,
    )
  })

  it('come in with the next import by a mapping that accepts them', async () => {
    assert.deepEqual(await load('vendors.csv'), [
      ['partners', 0, 0, 0, 1],
      ['suppliers', 0, 1, 0, 0],
    ])
    place.put({ 'shop.map.yaml': mapping('A: active, X: on_hold') })
    assert.deepEqual(await load('vendors-2.csv'), [
      ['partners', 2, 0, 1, 2],
      ['suppliers', 2, 0, 1, 2],
    ])
    assert.deepEqual(
      (await rows()).map(({ collection, row, line }) => [collection, row?.cells[1], line]).sort(),
      [
        ['partners', 'Jute', 3],
        ['partners', 'Ramie', 4],
        ['suppliers', 'Jute', 3],
        ['suppliers', 'Ramie', 4],
      ],
    )
  })

  it('are others if they have only a part of the key in common', async () => {
    const before = (await rows()).length
    place.put({
      'prices-1.csv': 'NO,KIND,PRICE\n1,X,5\n',
      'prices-2.csv': 'NO,KIND,PRICE\n1,Y,6\n',
    })
    await load('prices-1.csv')
    await load('prices-2.csv')
    await load('prices-2.csv')
    assert.equal((await rows()).length, before + 2)
  })
})

describe('rows in quarantine that another mapping gives another key', () => {
  const place = openSandbox()
  after(() => place.close())
  const keyed = (key: string, status: string): string => `version: 1
brand: halden
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [${key}] }
    fields:
      slug: { column: NO, apply: [slug] }
      name: NAME
      relationship.id: { key: [${key}] }
      relationship.status: { column: STATUS, values: { ${status} } }
      createdAt: first-seen
      updatedAt: last-changed
`
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const load = async (row: string) => {
    const file = `vendors-${row.slice(0, 1)}.csv`
    place.put({ [file]: `NO,CODE,NAME,STATUS\n${row}\n` })
    const options = ['--map', 'shop.map.yaml', '--on-error', 'quarantine', '--no-check']
    const { collections, waiting } = await run('import', file, ...options)
    const [{ added, changed, unparked }] = collections
    return { added, changed, unparked, waiting: waiting.length }
  }

  it('come in once, and never replace what was written later', async () => {
    await run('brands', 'add', 'halden', '--name', 'Halden')
    place.put({ 'shop.map.yaml': keyed('NO', 'A: active') })
    assert.equal((await load('1,a,Old,X')).waiting, 1)
    place.put({ 'shop.map.yaml': keyed('CODE', 'A: active, X: on_hold') })
    const none = { changed: 0, unparked: 0, waiting: 0 }
    assert.deepEqual(await load('2,b,Other,A'), { ...none, added: 2, unparked: 1 })
    assert.deepEqual(await load('1,a,New,A'), { ...none, added: 0, changed: 1 })
    assert.deepEqual(await load('3,c,Third,A'), { ...none, added: 1 })
  })
})

describe('rows in quarantine whose key only another mapping can read', () => {
  const place = openSandbox()
  after(() => place.close())
  const keyed = (key: string, status: string): string => `version: 1
brand: halden
collections:
  partners:
    from: 'vendors*.csv'
    remove: { STATUS: [D] }
    id: { key: [{ column: NO, values: { ${key} } }] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { column: STATUS, values: { ${status} } }
      createdAt: first-seen
      updatedAt: last-changed
`
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const load = async (file: string, ...rows: string[]) => {
    place.put({ [file]: `NO,NAME,STATUS\n${rows.join('\n')}\n` })
    const options = ['--map', 'shop.map.yaml', '--on-error', 'quarantine', '--no-check']
    return run('import', file, ...options)
  }
  const held = async (): Promise<readonly string[]> => {
    const { rows } = await run('intake', 'rows', '--brand', 'halden')
    return (rows as readonly QuarantinedRow[])
      .map(({ line, row, problems: [first] }) =>
        [line, row?.cells.join(' '), first?.line, first?.key, first?.reason].join(' | '),
      )
      .sort()
  }

  it('stay there with their cells if their record is stored meanwhile', async () => {
    await run('brands', 'add', 'halden', '--name', 'Halden')
    place.put({ 'shop.map.yaml': keyed('a: one, b: two', 'A: active') })
    const { waiting } = await load('vendors.csv', 'a,Wool,A', 'x,Silk,A', 'y,Jute,A', 'z,,D')
    assert.deepEqual(waiting, [{ collection: 'partners', rows: 3 }])
    const allKeys = 'a: one, b: two, x: one, y: two, z: one'
    place.put({ 'shop.map.yaml': keyed(allKeys, 'A: active') })
    const { collections } = await load('vendors-2.csv', 'b,Hemp,A')
    const [{ added, changed, removed, unparked }] = collections
    assert.deepEqual(
      { added, changed, removed, unparked },
      {
        ...{ added: 1, changed: 0, removed: 0, unparked: 0 },
      },
    )
    const stays = 'is a record of partners that is stored with other values, which may be newer'
    const other = 'removes another record than it was known for, which may be newer'
    const [silk, removal, ...more] = await held()
    assert.deepEqual(more, [])
    assert.ok(silk?.startsWith(`3 | x Silk A | 3 | NO "x" | ${stays}`), String(silk))
    assert.ok(removal?.startsWith(`5 | z  D | 5 | NO "z" | ${other}`), String(removal))
    // Nor does another mapping store the older one later.
    place.put({ 'shop.map.yaml': keyed(allKeys, 'A: active, X: on_hold') })
    assert.equal((await load('vendors-2.csv', 'b,Hemp,A')).collections[0].changed, 0)
    assert.equal((await held()).length, 2)
    await load('vendors.csv', 'x,Silk,A')
    assert.deepEqual(await held(), [])
  })

  it('keep their cells when another reason refuses them', async () => {
    place.put({ 'shop.map.yaml': keyed('a: one', 'A: active') })
    await load('vendors.csv', 'm,Flax,A', 'n,Felt,A')
    place.put({ 'shop.map.yaml': keyed('a: one, m: new, n: new', 'A: active') })
    const { collections } = await load('vendors-2.csv', 'a,Silk,A')
    const [{ read, unparked, parked, refused, quarantined }] = collections
    assert.deepEqual([read, unparked, parked, refused, quarantined], [1, 0, 0, 0, 0])
    assert.deepEqual(
      (await held()).map((each) => each.replace(/, and differs.*/, '')),
      [
        '2 | m Flax A | 2 | NO "m" | has the same identity as line 3 of vendors.csv',
        '3 | n Felt A | 3 | NO "n" | has the same identity as line 2 of vendors.csv',
      ],
    )
  })
})
