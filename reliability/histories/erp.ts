/** A small ERP whose rows become bad, are corrected, deleted and added in any order. */
import { DatabaseSync } from 'node:sqlite'

/** A random number below a bound. */
export type Draw = (below: number) => number

type TableName = 'vendors' | 'mills' | 'orders' | 'lines'
type Cells = { readonly [column: string]: string }

interface ErpTable {
  readonly columns: readonly string[]
  /** The table whose `no` a column has. */
  readonly parent: { readonly table: TableName; readonly column: string } | null
  /** A good row with this key and this parent. */
  readonly good: (no: string, parent: string, draw: Draw) => Cells
  readonly bad: { readonly [column: string]: readonly string[] }
  readonly collection: string
  /** A column whose cells a field of the record has as they are. */
  readonly shown: readonly [column: string, field: string]
}

/** In the order of their references. */
const tables: Readonly<Record<TableName, ErpTable>> = {
  vendors: {
    columns: ['no', 'name', 'country'],
    parent: null,
    good: (no, _, draw) => ({
      no,
      name: `Vendor ${no} ${draw(3)}`,
      country: draw(2) ? 'PT' : 'DE',
    }),
    bad: { name: [''], country: ['PRT'] },
    ...{ collection: 'partners', shown: ['name', 'name'] },
  },
  mills: {
    columns: ['no', 'vendor', 'name', 'status'],
    parent: { table: 'vendors', column: 'vendor' },
    // A vendor has one mill, because partner and kind of a supplier are a key.
    good: (no, _, draw) => ({ no, vendor: no, name: `Mill ${no}`, status: draw(2) ? 'A' : 'I' }),
    // Another version of the mapping knows X.
    bad: { status: ['Z', 'X'], name: [''] },
    ...{ collection: 'suppliers', shown: ['no', 'code'] },
  },
  orders: {
    columns: ['no', 'mill', 'number', 'day', 'currency', 'amount'],
    parent: { table: 'mills', column: 'mill' },
    good: (no, mill, draw) => ({
      ...{ no, mill, number: numberOf(no), day: '2026-03-14', currency: 'EUR' },
      amount: `${draw(1_000)}.50`,
    }),
    bad: {
      ...{ day: ['2026-02-31', ''], currency: ['EURO'], amount: ['much'] },
      // Another order may have the number.
      number: [numberOf('1'), numberOf('2')],
    },
    ...{ collection: 'orders', shown: ['amount', 'totalAmount'] },
  },
  lines: {
    columns: ['no', 'po', 'qty', 'price'],
    parent: { table: 'orders', column: 'po' },
    good: (no, po, draw) => ({ no, po, qty: String(1 + draw(50)), price: '9.90' }),
    bad: { qty: ['many', '1.5'], price: [''] },
    ...{ collection: 'order-items', shown: ['qty', 'qty'] },
  },
}

function numberOf(no: string): string {
  return `PO-${no}`
}

const tableNames = Object.keys(tables) as readonly TableName[]

/** Keys of a table. Few, so that changes often concern the same record. */
const keys = 6

/** How many rows of ten are bad when they are written. */
const badOfTen = 3

/** A row that must be stored, and a field of its record. */
export interface SoundRow {
  readonly collection: string
  readonly no: string
  readonly field: string
  readonly value: string
}

export interface Erp {
  readonly database: DatabaseSync
  /** Adds, changes, repeats or deletes a row. Returns what it did. */
  change(): string
  /**
   * Corrects the rows that a version of the mapping cannot make records of, and adds those that
   * others refer to. Good rows stay as they are: the source does not send them again.
   */
  correct(mapping: number): readonly string[]
  /** The rows that have nothing to do with a bad one. */
  sound(mapping: number): readonly SoundRow[]
}

interface ErpRow {
  readonly rowid: number
  readonly no: string
  readonly cells: Cells
}

export const createErp = (draw: Draw): Erp => {
  const database = new DatabaseSync(':memory:')
  for (const name of tableNames) {
    database.exec(`create table ${name} (${tables[name].columns.join(', ')}, v integer)`)
  }
  database.exec('create table deleted (name text, no text, v integer)')
  let version = 0
  const oneOf = <T>(all: readonly T[]): T => all[draw(all.length)] as T
  const anyKey = () => String(1 + draw(keys))

  const rowsOf = (name: TableName): readonly ErpRow[] =>
    database
      .prepare(`select rowid, * from ${name}`)
      .all()
      .map((row) => ({
        rowid: Number(row['rowid']),
        no: String(row['no']),
        cells: Object.fromEntries(tables[name].columns.map((each) => [each, String(row[each])])),
      }))

  /** Writes a row in the place of another, or beside the others. */
  const write = (name: TableName, cells: Cells, rowid: number | null) => {
    version += 1
    const { columns } = tables[name]
    const values = [...columns.map((column) => cells[column] ?? ''), version]
    if (rowid === null) {
      const places = values.map(() => '?').join(', ')
      database.prepare(`insert into ${name} values (${places})`).run(...values)
    } else {
      const set = [...columns, 'v'].map((column) => `${column} = ?`).join(', ')
      database.prepare(`update ${name} set ${set} where rowid = ${rowid}`).run(...values)
    }
  }
  const remove = (name: TableName, { rowid, no }: ErpRow) => {
    version += 1
    database.exec(`delete from ${name} where rowid = ${rowid}`)
    database.prepare('insert into deleted values (?, ?, ?)').run(name, no, version)
    // A row of the same key that stays has to be sent again: no cursor shows that it now counts.
    database.prepare(`update ${name} set v = ? where no = ?`).run(version, no)
  }
  const spoiled = (name: TableName, cells: Cells): Cells => {
    const [column, values] = oneOf(Object.entries(tables[name].bad))
    return draw(10) < badOfTen ? { ...cells, [column]: oneOf(values) } : cells
  }

  return {
    database,
    change: () => {
      const name = oneOf(tableNames)
      const rows = rowsOf(name)
      const row = rows.length > 0 ? oneOf(rows) : undefined
      const kind = draw(10)
      if (row && kind < 2) {
        remove(name, row)
        return `delete ${name} ${row.no}`
      }
      const no = row && kind < 6 ? row.no : anyKey()
      const same = rows.find((each) => each.no === no)
      const cells = spoiled(name, tables[name].good(no, anyKey(), draw))
      const isRepeat = same !== undefined && draw(8) === 0
      write(name, cells, isRepeat ? null : (same?.rowid ?? null))
      return `${isRepeat ? 'repeat' : 'write'} ${name} ${JSON.stringify(cells)}`
    },
    correct: (mapping) => {
      const steps: string[] = []
      for (const name of tableNames.toReversed()) {
        const { parent, good } = tables[name]
        for (const [no, [row, ...others]] of Map.groupBy(rowsOf(name), (each) => each.no)) {
          if (!row) continue
          for (const other of others) remove(name, other)
          const wanted = parent ? (row.cells[parent.column] ?? '') : ''
          if (others.length > 0 || isBad(name, row, mapping)) {
            write(name, good(no, wanted, draw), row.rowid)
            steps.push(`correct ${name} ${no}`)
          }
          if (!parent || rowsOf(parent.table).some((each) => each.no === wanted)) continue
          write(parent.table, tables[parent.table].good(wanted, anyKey(), draw), null)
          steps.push(`add ${parent.table} ${wanted}`)
        }
      }
      return steps
    },
    sound: (mapping) => {
      const sound = new Map<TableName, readonly ErpRow[]>()
      for (const name of tableNames) {
        const { parent } = tables[name]
        const parents = parent && sound.get(parent.table)
        const rows = rowsOf(name)
        const isSound = (row: ErpRow) =>
          !isBad(name, row, mapping) &&
          !mayShareNumber(name, row) &&
          rows.every((other) => other === row || other.no !== row.no) &&
          (!parents || parents.some(({ no }) => no === row.cells[parent.column]))
        sound.set(name, rows.filter(isSound))
      }
      return [...sound].flatMap(([name, rows]) => {
        const { collection, shown } = tables[name]
        const [column, field] = shown
        return rows.map(({ no, cells }) => ({ collection, no, field, value: cells[column] ?? '' }))
      })
    },
  }
}

const isBad = (name: TableName, { no, cells }: ErpRow, mapping: number): boolean =>
  Object.entries(tables[name].bad).some(([column, values]) => {
    const value = cells[column] ?? ''
    if (column === 'number') return value !== numberOf(no)
    return values.includes(value) && !(value === 'X' && mapping === knowingX)
  })

/** Whether another order may have been stored with its number. */
const mayShareNumber = (name: TableName, { cells }: ErpRow): boolean =>
  name === 'orders' && (tables.orders.bad['number'] ?? []).includes(cells['number'] ?? '')

/** How many versions the mapping has. The operator changes from one to another. */
export const mappingVersions = 3
const [knowingX, keepingNewest] = [1, 2]

/** The mapping of the ERP, in one of its versions. */
export const mappingText = (version: number): string => `version: 1
collections:
  partners:
    from: { sql: select * from vendors, cursor: v, reconcile: 1h }
    id: { key: [no] }
    fields:
      slug: { join: [{ value: vendor }, no], with: '-' }
      name: name
      countryCode: country
      relationship.id: { key: [no] }
      relationship.status: { value: active }
${times}
  suppliers:
    from: { sql: select * from mills, cursor: v, reconcile: 1h }
    id: { key: [no] }
    fields:
      partnerId: { ref: { collection: partners, key: [vendor] } }
      code: no
      name: name
      kind: { value: fabric }
      status: { column: status, values: { A: approved, I: inactive${version === knowingX ? ', X: on_hold' : ''} } }
${times}
  orders:
    from: { sql: select * from orders, cursor: v, reconcile: 1h, deleted: ${deleted('orders')} }
    id: { key: [no] }
    fields:
      orderNumber: number
      supplierId: { ref: { collection: suppliers, key: [mill] } }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: currency
      orderDate: day
      totalQuantity: { value: 0 }
      totalAmount: amount
${times}
  order-items:
    from: { sql: select * from lines, cursor: v, reconcile: 1h, deleted: ${deleted('lines')} }
${version === keepingNewest ? '    keep: newest by v\n    where: { qty: { not: [many] } }\n' : ''}    id: { key: [no] }
    fields:
      orderId: { ref: { collection: orders, key: [po] } }
      qty: qty
      unitPrice: price
${times}
`

const deleted = (name: TableName): string =>
  `"select no from deleted where name = '${name}' and v >= :cursor"`

const times = `      createdAt: { value: '2026-01-01T00:00:00.000Z' }
      updatedAt: { value: '2026-01-01T00:00:00.000Z' }`
