/**
 * The speed of mapped imports: order lines as an ERP system writes them (CSV with semicolons, natural keys,
 * European dates, decimal commas, accents) into SQLite by a mapping file, with all checks. `--rows <n>` sets
 * the size (400,000 by default). Exits with 1 when the target is missed.
 */

import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, whole } from '../tools/options.ts'
import { runCommandIn as run } from './command-run.ts'
import { commandOf, machine, resultsFolder, writeResult } from './results.ts'
import { inSandbox } from './sandbox.ts'

const targets = { rowsPerSecond: 40_000 }

export const runMap = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    rows: { type: 'string', default: '400000' },
    out: { type: 'string', default: resultsFolder },
  })
  const rows = whole('rows', values.rows, 1, 20_000_000)
  const on = machine()
  return inSandbox(async ({ folder, log, step }) => {
    await step('write the files', () => writeFiles(folder, rows))
    await run(folder, 'brands', 'add', 'halden', '--name', 'Halden')
    const map = ['import', '--map', join(folder, 'halden.map.yaml'), '--no-check', '--json']
    await run(folder, ...map, join(folder, 'vendors.csv'), join(folder, 'po_header.csv'))
    const imported = await run(folder, ...map, join(folder, 'po_lines.csv'))
    const again = await run(folder, ...map, join(folder, 'po_lines.csv'))
    const perSecond = (seconds: number) => Math.round(rows / seconds)
    const results = {
      rows,
      /** Of the whole command, from its start until it says that all is committed. */
      rowsPerSecond: perSecond(imported.saidAfterSeconds),
      /** Of processor time of all threads, which says more than the rate on a busy machine. */
      cpuMicrosecondsPerRow: (imported.cpuSeconds * 1e6) / rows,
      againPerSecond: perSecond(again.saidAfterSeconds),
      megabytes: imported.megabytes,
    }
    const line = (what: string, figure: string, target = '') =>
      console.log(what.padEnd(44), figure.padStart(12), target)
    line(
      'mapped order lines, start to commit',
      `${results.rowsPerSecond}/s`,
      `≥ ${targets.rowsPerSecond}`,
    )
    line('their processor time', `${results.cpuMicrosecondsPerRow.toFixed(1)} µs/row`)
    line('import of the same again', `${results.againPerSecond}/s`)
    line('private memory, at most', `${results.megabytes} MB`)
    const file = writeResult(values.out, 'map', {
      date: new Date().toISOString(),
      command: commandOf('bench', ['map', ...args]),
      machine: on,
      ...results,
      targets,
    })
    log(`The result is in ${file}`)
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
  await writeLines(
    join(folder, 'vendors.csv'),
    'LIFNR;NAME',
    vendors,
    (n) => `${vendor(n)};Gölz & Söhne ${n}`,
  )
  await writeLines(
    join(folder, 'po_header.csv'),
    'EBELN;LIFNR;BEDAT;MENGE;NETWR',
    orders,
    (n) =>
      `${number(n)};${vendor(n)};${day(n)};${n % 5_000},000;1.${String(n % 1_000).padStart(3, '0')},50`,
  )
  await writeLines(
    join(folder, 'po_lines.csv'),
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

const writeLines = async (
  file: string,
  header: string,
  count: number,
  lineOf: (n: number) => string,
): Promise<void> => {
  const out = createWriteStream(file)
  out.write(`${header}\n`)
  for (let n = 0; n < count; n += 1) {
    if (!out.write(`${lineOf(n)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}
