/** `map check` against records in PostgreSQL: the import and the rules in one transaction. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const mapping = `version: 1
brand: halden
collections:
  partners:
    from: vendors.csv
    id: { key: [NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { value: active }
      createdAt: first-seen
      updatedAt: last-changed
  suppliers:
    from: vendors.csv
    id: { key: [NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [NO] } }
      code: NO
      name: NAME
      kind: { value: finished_goods }
      status: { value: approved }
      createdAt: first-seen
      updatedAt: last-changed
  orders:
    from: orders.csv
    id: { key: [PO] }
    fields:
      orderNumber: PO
      supplierId: { ref: { collection: suppliers, key: [NO] } }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: { value: EUR }
      orderDate: DAY
      totalQuantity: QTY
      totalAmount: { value: '10.00' }
      createdAt: first-seen
      updatedAt: last-changed
`

let postgres: PostgresDatabases
let place: Sandbox
before(async () => {
  postgres = await openPostgresDatabases()
  place = openSandbox(await postgres.url('halden'))
  place.put({
    'halden.map.yaml': mapping,
    'erp/vendors.csv': "NO,NAME\n1,L'Été\n2,Gölz & Söhne\n2,Gölz KG\n",
    'erp/orders.csv': 'PO,NO,DAY,QTY\nPO-1,1,2026-03-14,5\nPO-2,77,2026-03-14,5\n',
  })
  const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
  assert.equal(added.code, 0, added.stderr)
})
after(async () => {
  place.close()
  await postgres.close()
})

it('map check finds what an import into PostgreSQL refuses, and the rules it breaks', async () => {
  for (const _ of ['first', 'again']) {
    const checked = await place.run(['map', 'check', 'halden.map.yaml', 'erp', '--json'])
    assert.equal(checked.stderr, '')
    const { errors, problems, rules, collections } = JSON.parse(checked.stdout)
    const args = ['import', '--map', 'halden.map.yaml', 'erp', '--dry-run', '--json']
    const imported = JSON.parse((await place.run(args)).stdout)
    assert.equal(errors, 3)
    assert.deepEqual(problems, imported.problems)
    assert.deepEqual(
      collections.map(({ collection, added }: Record<string, unknown>) => [collection, added]),
      [
        ['partners', 2],
        ['suppliers', 2],
        ['orders', 1],
      ],
    )
    const [broken] = rules.broken.filter(({ id }: { readonly id: string }) => id === 'ORD-01')
    assert.equal(broken.records[0].name, 'orderNumber "PO-1"')
  }
})
