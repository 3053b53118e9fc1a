/** Mapped imports: any order and any splitting of the rows ends in the same store. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { catalog } from '#contract'
import { findMappedSources, ingest, openReport } from '#ingest'
import { type Mapping, parseMapping } from '#mapping'
import { type OpenRecords, openImportSandbox } from '../support/import-sandbox.ts'
import { idOf } from '../support/model.ts'

const sandbox = openImportSandbox()
after(() => sandbox.close())

const brand = 'aldermoor'
const importedAt = '2026-11-16T10:00:00.000Z'
const seen = 'createdAt: first-seen, updatedAt: last-changed'

const mapping: Mapping = await parseMapping({
  file: 'brand.map.yaml',
  text: `version: 1
formats: { date: dd.MM.yyyy, decimal: ',', group: '.' }
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields: { slug: NO, name: NAME, relationship.id: { key: NO }, relationship.status: { value: active }, ${seen} }
  suppliers:
    from: 'vendors*.csv'
    id: { key: [NO] }
    fields: { partnerId: { ref: NO }, code: NO, name: NAME, kind: { value: agent }, status: { value: approved }, ${seen} }
  orders:
    from: 'orders*.csv'
    id: { key: [PO] }
    fields: { orderNumber: PO, supplierId: { ref: VENDOR }, kind: { value: bulk }, status: { value: sent }, revisionNumber: { value: 0 }, currency: { value: EUR }, orderDate: DAY, totalQuantity: { value: 0 }, totalAmount: AMOUNT, ${seen} }
  order-items:
    from: 'lines*.csv'
    id: { key: [PO, LINE] }
    fields: { orderId: { ref: PO }, qty: QTY, unitPrice: PRICE, ${seen} }
`,
})

const brandRecord = {
  ...{ id: idOf(1), slug: brand, name: 'Aldermoor', legalName: null, countryCode: 'GB' },
  ...{
    baseCurrencyCode: 'EUR',
    timezone: 'Europe/Berlin',
    website: null,
    defaultIncotermCode: null,
  },
  ...{ createdAt: importedAt, updatedAt: importedAt },
}

type Kind = 'vendors' | 'orders' | 'lines'
interface Row {
  readonly kind: Kind
  readonly text: string
}

const headers: Record<Kind, string> = {
  vendors: 'NO;NAME',
  orders: 'PO;VENDOR;DAY;AMOUNT',
  lines: 'PO;LINE;QTY;PRICE',
}

const name = fc.constantFrom('Gölz & Söhne', 'Têxtil', 'O’Neil', 'Łódź', 'x')
const count = fc.integer({ min: 0, max: 5_000 })

/** Rows of three tables whose references are all among them. */
const rowsOf = fc
  .record({
    vendors: fc.array(name, { minLength: 1, maxLength: 4 }),
    orders: fc.array(fc.tuple(count, fc.integer({ min: 1, max: 28 }), count), { maxLength: 6 }),
    lines: fc.array(fc.tuple(count, count, fc.integer({ min: 0, max: 99 })), { maxLength: 12 }),
  })
  .map(({ vendors, orders, lines }): readonly Row[] => [
    ...vendors.map((each, n): Row => ({ kind: 'vendors', text: `v${n};${each}` })),
    ...orders.map(
      ([vendor, day, amount], n): Row => ({
        kind: 'orders',
        text: `PO-${n};v${vendor % vendors.length};${day}.03.2026;${amount},50`,
      }),
    ),
    ...(orders.length === 0 ? [] : lines).map(
      ([order, quantity, cents], n): Row => ({
        kind: 'lines',
        text: `PO-${order % orders.length};${n};${quantity},000;1.234,${String(cents).padStart(2, '0')}`,
      }),
    ),
  ])

/** The rows, each with the number of the batch that it is in, and in any order. */
const splitRows = rowsOf.chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    shuffled: fc.shuffledSubarray([...rows], { minLength: rows.length, maxLength: rows.length }),
    batches: fc.array(fc.integer({ min: 0, max: 4 }), {
      minLength: rows.length,
      maxLength: rows.length,
    }),
  }),
)

let opened = 0

const openBrand = async (): Promise<OpenRecords> => {
  opened += 1
  const records = await sandbox.openRecords(`order-${opened}.db`)
  await sandbox.importInto(records, { 'brand.ndjson': `${JSON.stringify(brandRecord)}\n` })
  return records
}

const importRows = async ({ store }: OpenRecords, rows: readonly Row[]): Promise<void> => {
  const files = Object.fromEntries(
    Object.entries(headers).flatMap(([kind, header]) => {
      const own = rows.filter((row) => row.kind === kind).map(({ text }) => text)
      return own.length === 0 ? [] : [[`${kind}.csv`, `${[header, ...own].join('\n')}\n`]]
    }),
  )
  const at = sandbox.writeFiles(files)
  const sources = await findMappedSources(
    Object.keys(files).map((file) => join(at, file)),
    { catalog, mapping, importedAt, input: Readable.from([]) },
  )
  const report = openReport(undefined)
  const { written } = await ingest({
    ...{ store, sources, owner: brand, report, now: Date.now, onError: 'park' as const },
    ...{ replace: false, allowRemovals: false, dryRun: false },
    ...{ allowDangling: false },
  })
  assert.ok(written, JSON.stringify(report.first))
}

const stateOf = async (records: OpenRecords): Promise<unknown> => ({
  parked: (await records.store.quarantine.list({ owner: brand, limit: 10 })).total,
  records: await Promise.all(
    mapping.collections.map(({ collection }) => sandbox.stored(records, collection)),
  ),
})

describe('mapped rows', () => {
  it('end in the same store in any order and any splitting, and none stays parked', async () => {
    await fc.assert(
      fc.asyncProperty(splitRows, async ({ rows, shuffled, batches }) => {
        const [whole, split] = [await openBrand(), await openBrand()]
        await importRows(whole, rows)
        for (const batch of new Set(batches)) {
          await importRows(
            split,
            shuffled.filter((_, index) => batches[index] === batch),
          )
        }
        assert.deepEqual(await stateOf(split), await stateOf(whole))
        assert.equal(((await stateOf(split)) as { parked: number }).parked, 0)
      }),
      { numRuns: 4 },
    )
  })
})
