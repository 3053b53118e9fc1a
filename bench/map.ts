/**
 * The speed of mapped imports: order lines in the format of an ERP system (CSV with semicolons,
 * natural keys, European dates, decimal commas, accents) into SQLite by a mapping file, with all
 * checks. `--rows <n>` sets the size (400,000 by default). Exits with 1 if the target is missed.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inSandbox } from '../tools/sandbox.ts'
import { runCommandIn as run } from './command-run.ts'
import { readBenchOptions, whole } from './options.ts'
import { writeLines } from './order-items.ts'
import { publish } from './results.ts'
import { tableOf } from './table.ts'

const targets = { rowsPerSecond: 40_000 }

export const runMap = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, { rows: whole(400_000, 1, 20_000_000) })
  const { rows } = options
  return inSandbox(async (sandbox) => {
    const { folder, step } = sandbox
    await step('write the files', () => writeFiles(folder, rows))
    await run(folder, 'brands', 'add', 'halden', '--name', 'Halden')
    const map = ['import', '--map', join(folder, 'halden.map.yaml'), '--no-check', '--json']
    await run(folder, ...map, join(folder, 'vendors.csv'), join(folder, 'po_header.csv'))
    const imported = await run(folder, ...map, join(folder, 'po_lines.csv'))
    const again = await run(folder, ...map, join(folder, 'po_lines.csv'))
    const perSecond = (seconds: number) => Math.round(rows / seconds)
    const results = {
      rows,
      /** Of the whole command, from its start until it reports the commit. */
      rowsPerSecond: perSecond(imported.saidAfterSeconds),
      /** CPU time of all threads, which is more reliable than the rate on a busy machine. */
      cpuMicrosecondsPerRow: (imported.cpuSeconds * 1e6) / rows,
      againPerSecond: perSecond(again.saidAfterSeconds),
      megabytes: imported.megabytes,
    }
    const report = tableOf(
      ['', 'figure', 'target'],
      [
        [
          'mapped order lines, start to commit',
          `${results.rowsPerSecond}/s`,
          `≥ ${targets.rowsPerSecond}`,
        ],
        ['their processor time', `${results.cpuMicrosecondsPerRow.toFixed(1)} µs/row`],
        ['import of the same again', `${results.againPerSecond}/s`],
        ['private memory, at most', `${results.megabytes} MB`],
      ],
    )
    publish(sandbox, options, 'map', { ...results, targets }, report)
    return results.rowsPerSecond < targets.rowsPerSecond ? 1 : 0
  })
}

const linesPerOrder = 20
const vendors = 300

const mapping = `version: 1
brand: halden
timezone: Europe/Berlin
formats: { date: dd.MM.yyyy, timestamp: 'dd.MM.yyyy HH:mm:ss', decimal: ',', group: '.' }
collections:
  partners:
    from: vendors.csv
    id: { key: [LIFNR] }
    fields:
      slug: { column: LIFNR, apply: [slug] }
      name: NAME
      relationship.id: { key: [LIFNR] }
      relationship.status: { value: active }
      createdAt: first-seen
      updatedAt: last-changed
  suppliers:
    from: vendors.csv
    id: { key: [LIFNR] }
    fields:
      partnerId: { ref: LIFNR }
      code: LIFNR
      name: NAME
      kind: { value: finished_goods }
      status: { value: approved }
      createdAt: first-seen
      updatedAt: last-changed
  orders:
    from: po_header.csv
    id: { key: [EBELN] }
    fields:
      orderNumber: EBELN
      supplierId: { ref: LIFNR }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: { value: EUR }
      orderDate: BEDAT
      totalQuantity: MENGE
      totalAmount: NETWR
      createdAt: first-seen
      updatedAt: last-changed
  order-items:
    from: po_lines.csv
    where: { LOEKZ: { not: [L] } }
    id: { key: [EBELN, EBELP] }
    fields:
      orderId: { ref: EBELN }
      qty: MENGE
      unitPrice: NETPR
      duty: ZOLL
      htsCode: { column: STAWN, apply: [digits] }
      itemType: { column: PSTYP, values: { P: product, S: sample, V: packaging } }
      itemDescription: { join: [TXZ01, FARBE], with: ', ' }
      memo: BEMERKUNG
      supplierConfirmedAt: BESTAETIGT
      createdAt: { column: AEDAT, timestamp: dd.MM.yyyy }
      updatedAt: last-changed
`

const texts = [
  'T-Shirt Größe M',
  'Hemd „Süd“ blau',
  'Robe d’été',
  'Calças de algodão',
  'Płaszcz zimowy',
  'Jacket',
]
const remarks = ['', '', '', 'Bitte prüfen', 'Lieferung über Zürich; "eilig"', 'à confirmer']

const writeFiles = async (folder: string, rows: number): Promise<void> => {
  const orders = Math.ceil(rows / linesPerOrder)
  const day = (n: number) =>
    `${String((n % 28) + 1).padStart(2, '0')}.${String((n % 12) + 1).padStart(2, '0')}.2026`
  const number = (n: number) => String(4_500_000_000 + n)
  const vendor = (n: number) => String(100_000 + (n % vendors)).padStart(10, '0')
  const cell = (text: string) => (/[;"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  writeFileSync(join(folder, 'halden.map.yaml'), mapping)
  const write = (name: string, header: string, count: number, lineAt: (n: number) => string) =>
    writeLines(join(folder, name), count + 1, (n) => (n === 0 ? header : lineAt(n - 1)))
  await write('vendors.csv', 'LIFNR;NAME', vendors, (n) => `${vendor(n)};Gölz & Söhne ${n}`)
  await write(
    'po_header.csv',
    'EBELN;LIFNR;BEDAT;MENGE;NETWR',
    orders,
    (n) =>
      `${number(n)};${vendor(n)};${day(n)};${n % 5_000},000;1.${String(n % 1_000).padStart(3, '0')},50`,
  )
  await write(
    'po_lines.csv',
    'EBELN;EBELP;LOEKZ;MATNR;TXZ01;FARBE;MENGE;NETPR;ZOLL;STAWN;PSTYP;BEMERKUNG;BESTAETIGT;AEDAT',
    rows,
    (n) => {
      const order = Math.floor(n / linesPerOrder)
      return [
        ...[number(order), String(((n % linesPerOrder) + 1) * 10).padStart(5, '0')],
        ...['', `M-${n % 5_000}`, cell(texts[n % texts.length] ?? ''), n % 3 === 0 ? 'grün' : ''],
        ...[`${(n % 900) + 1},000`, `${n % 90},${String(n % 100).padStart(2, '0')}`],
        ...[n % 4 === 0 ? `1.${String(n % 1_000).padStart(3, '0')},25-` : '', '6109.10.00'],
        ...['PSV'.charAt(n % 3), cell(remarks[n % remarks.length] ?? '')],
        ...[n % 2 === 0 ? `${day(order)} ${String(n % 24).padStart(2, '0')}:30:00` : '', day(n)],
      ].join(';')
    },
  )
}
