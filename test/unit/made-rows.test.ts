import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type JsonValue, resourceAt } from '#contract'
import { type Cell, compileMapping, MappingError, parseMapping, planRows } from '#mapping'

const parse = async (fields: string) => {
  const text = `version: 1
collections:
  orders:
    from: po_header.csv
    join: { name: lines, files: po_line.csv, on: { PO: PO } }
    id: { key: [PO] }
    fields:
      orderNumber: PO
      status: { value: confirmed }
      kind: { value: bulk }
      revisionNumber: { value: 0 }
      supplierId: { ref: { collection: suppliers, key: [PO] } }
      orderDate: { value: '2026-03-14' }
      createdAt: first-seen
      updatedAt: last-changed
${fields.replaceAll(/^/gm, '      ')}
`
  const [mapping] = (await parseMapping({ file: 'x.map.yaml', text })).collections
  assert.ok(mapping)
  return mapping
}

const lineColumns = ['PO', 'QTY', 'CENTS', 'CUR']
const lines: readonly (readonly Cell[])[] = [
  ['PO-1', '3', '1500', 'EUR'],
  ['PO-1', '4', '2', 'EUR'],
]

/** The value of a field of an order with these lines. */
const fieldOf = async (name: string, fields: string, rows = lines): Promise<JsonValue> => {
  const plan = planRows(await parse(fields))
  const [join] = plan?.joins ?? []
  assert.ok(plan && join)
  const shared = { owner: 'halden', importedAt: '2026-11-18T00:00:00.000Z' }
  const planned = plan.begin(shared)
  const placeOf = (line: number) => `line ${line}`
  const add = planned.join(join, lineColumns, placeOf)
  for (const [index, cells] of rows.entries()) add(index + 2, cells)
  const own = planned.own(['PO', 'W'], placeOf)
  const resource = resourceAt(catalog, 'orders')
  const mapper = compileMapping(plan.mapping, { ...shared, resource, columns: own.columns })
  return mapper.valueOf(name, own.add(2, ['PO-1', '5']) ?? [])
}

const totals = `totalQuantity: { rows: sum, in: lines, of: QTY }
totalAmount: { rows: sum, in: lines, of: CENTS, unit: cents }
currency: { value: EUR }`

describe('a value over rows', () => {
  it('is multiplied by the factor and the unit that are written beside it', async () => {
    assert.equal(await fieldOf('totalAmount', totals), '15.02')
    const rounded = totals.replace('unit: cents', 'multiply: 0.001, round: 2')
    assert.equal(await fieldOf('totalAmount', rounded), '1.50')
    const counted = totals.replace('of: QTY', 'of: QTY, multiply: 12')
    assert.equal(await fieldOf('totalQuantity', counted), 84)
  })

  it('can be the unit of another value', async () => {
    const unit = 'unit: { from: { rows: first, in: lines, of: CUR, default: EUR }, to: money }'
    const fields = totals.replace(
      '{ rows: sum, in: lines, of: CENTS, unit: cents }',
      `{ column: W, ${unit} }`,
    )
    const cents = lines.map((cells) => [...cells.slice(0, 3), 'cents'])
    assert.equal(await fieldOf('totalAmount', fields, cents), '0.05')
  })

  it('takes any text as the key of a row', async () => {
    const rows = [...lines, ['#problem: none', '5', '5', 'EUR']]
    assert.equal(await fieldOf('totalQuantity', totals, rows), 7)
  })

  it('cannot round each row to the currency of the record', async () => {
    const fields = totals.replace(
      'of: CENTS',
      'of: { product: [{ column: CENTS, round: currency }, QTY] }',
    )
    await assert.rejects(parse(fields), (error: unknown) => {
      assert.ok(error instanceof MappingError)
      assert.match(error.message, /:17.* of totalAmount has round: currency/)
      return true
    })
  })
})
