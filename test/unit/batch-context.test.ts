import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import { mappedRowsOf } from '#ingest'
import { type FoundRecord, type MappingContext, parseMapping } from '#mapping'
import { type AskContext, readBatchContext, textsMax } from '../../src/intake/batch-context.ts'
import { readRows } from '../../src/intake/read-rows.ts'

const text = `version: 1
collections:
  orders:
    from: { rows: true }
    id: { key: [PO] }
    fields:
      orderNumber: PO
      supplierId: { lookup: { collection: suppliers, by: { name: VENDOR } } }
      status: { value: confirmed }
      kind: { value: bulk }
      revisionNumber: { value: 0 }
      currency: { value: EUR }
      orderDate: { value: '2026-03-14' }
      totalQuantity: { value: 0 }
      totalAmount: { value: 0 }
      createdAt: first-seen
      updatedAt: last-changed
`

describe('the records that a large batch looks up', () => {
  it('are asked for in parts, so that other requests do not wait', async () => {
    const mapping = await parseMapping({ file: 'x.map.yaml', text })
    const count = 2 * textsMax + 1
    const rows = Array.from({ length: count }, (_, at) => ({ PO: at, VENDOR: `Gölz ${at}` }))
    const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
    const sizes: number[] = []
    const ask: AskContext = async ({ texts }) => {
      const records = new Map<string, ReadonlyMap<string, readonly FoundRecord[]>>()
      for (const [name, wanted] of texts) {
        sizes.push(wanted.length)
        records.set(name, new Map(wanted.map((each) => [each, [[each, `id of ${each}`]]])))
      }
      return { brand: null, records }
    }
    const options = { catalog, brand: 'halden', collections: null, importedAt: '' }
    const report = { add: () => undefined } as never
    const context = await readBatchContext({
      ...{ catalog, mapping, ask },
      rowsOf: (source) => mappedRowsOf(source, 'halden'),
      read: (by, context: MappingContext) =>
        readRows(body, { ...options, mapping: by, context, report }),
    })
    assert.deepEqual(sizes, [textsMax, textsMax, 1])
    const [table] = context.lookups.values()
    assert.equal(table?.get(`gölz ${count - 1}`)?.[0]?.[1], `id of gölz ${count - 1}`)
  })
})
