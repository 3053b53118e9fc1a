import type { Catalog } from '#contract'
import type { Certainty } from './proposal.ts'
import { type Role, rolesOf } from './roles.ts'
import type { TableModel } from './table-model.ts'

/** A table that has the records of a collection. */
export interface RoleChoice {
  readonly role: Role
  readonly model: TableModel
  readonly certainty: Certainty
  readonly reason: string
}

export interface LeftOut {
  readonly table: string
  readonly because: 'sales' | 'unknown' | 'second'
  /** The collection that another table has, for `second`. */
  readonly collection?: string
}

export interface TableRoles {
  readonly choices: readonly RoleChoice[]
  readonly leftOut: readonly LeftOut[]
}

/** Decides which tables have the records of which collections. */
export const chooseRoles = (catalog: Catalog, models: readonly TableModel[]): TableRoles => {
  const roles = rolesOf(catalog)
  const matches = models.map((model) => ({ model, match: roleOf(roles, model) }))
  const candidates = matches.map((each) => ({
    ...each,
    rank: (each.match?.rank ?? 0) + referencesTo(each, matches),
  }))
  const leftOut: LeftOut[] = []
  const best = new Map<string, RoleChoice & { readonly rank: number }>()
  for (const { model, match, rank } of candidates) {
    const { name } = model.table
    if (!match) leftOut.push({ table: name, because: isSold(model) ? 'sales' : 'unknown' })
    else if (match.role.isTraded && model.trade.side === 'sales')
      leftOut.push({ table: name, because: 'sales' })
    else {
      const { collection } = match.role
      const other = best.get(collection)
      const choice = { ...match, rank, model, ...certaintyOf(match, model) }
      if (other && other.rank >= choice.rank)
        leftOut.push({ table: name, because: 'second', collection })
      else {
        if (other) leftOut.push({ table: other.model.table.name, because: 'second', collection })
        best.set(collection, choice)
      }
    }
  }
  const variants = variantsOf(roles, best, leftOut, models)
  return receiptsOf(roles, {
    choices: [...best.values(), ...variants.choices],
    leftOut: variants.leftOut,
  })
}

/** Of two tables of items, the one that refers to the other one has its variants: the SKUs. */
const variantsOf = (
  roles: readonly Role[],
  best: Map<string, RoleChoice & { readonly rank: number }>,
  leftOut: readonly LeftOut[],
  models: readonly TableModel[],
): TableRoles => {
  const style = best.get('parent-products')
  const sku = roles.find(({ collection }) => collection === 'skus')
  if (!style || !sku || best.has('skus')) return { choices: [], leftOut }
  // A variant always has its style.
  const isTo = (one: TableModel, other: TableModel) =>
    one.table.foreignKeys?.some(
      ({ table, columns }) =>
        table === other.table.name &&
        one.columns.every(({ name, filled, rows }) => !columns.includes(name) || filled === rows),
    ) ?? false
  for (const { table, because, collection } of leftOut) {
    const other = models.find((each) => each.table.name === table)
    if (because !== 'second' || collection !== 'parent-products' || !other) continue
    const [isVariant, isStyle] = [isTo(other, style.model), isTo(style.model, other)]
    if (isVariant === isStyle) continue
    const [styles, skus] = isVariant ? [style.model, other] : [other, style.model]
    const certainty = hasSeveral(skus, styles) ? style.certainty : 'likely'
    best.set('parent-products', {
      ...{ ...style, model: styles, certainty },
      reason: `${skus.table.name} refers to it`,
    })
    const reason = `it refers to ${styles.table.name}`
    return {
      choices: [{ role: sku, model: skus, certainty, reason }],
      leftOut: leftOut.filter((each) => each.table !== table),
    }
  }
  return { choices: [], leftOut }
}

/** Whether several rows of one table refer to one row of another one, as variants do. */
const hasSeveral = ({ table, columns }: TableModel, other: TableModel): boolean =>
  (table.foreignKeys ?? []).some(
    (foreign) =>
      foreign.table === other.table.name &&
      columns.some(
        ({ name, distinct, filled }) => foreign.columns.includes(name) && distinct < filled,
      ),
  )

/** Deliveries of suppliers are receipts if no other table has them and nothing tells the way. */
const receiptsOf = (roles: readonly Role[], { choices, leftOut }: TableRoles): TableRoles => {
  const names = choices.map(({ role }) => role.collection)
  const shipments = choices.find(({ role }) => role.collection === 'shipments')
  const isOther =
    !shipments ||
    shipments.model.table.primaryKey === undefined ||
    names.includes('goods-receipts') ||
    names.includes('goods-receipt-lines') ||
    has(shipments.model, 'departure') ||
    transportWords.some((word) => has(shipments.model, word))
  if (isOther) return { choices, leftOut }
  const receipts: { readonly [collection: string]: string } = {
    shipments: 'goods-receipts',
    'shipment-items': 'goods-receipt-lines',
  }
  return {
    leftOut,
    choices: choices.map((choice) => {
      const to = receipts[choice.role.collection]
      const role = roles.find(({ collection }) => collection === to)
      const reason = 'deliveries without a way of transport'
      return role ? { ...choice, role, certainty: 'likely', reason } : choice
    }),
  }
}

const transportWords = ['arrival', 'tracking', 'mode', 'vessel', 'container', 'voyage', 'carton']

/** Of two tables for one collection, others rather refer to the one that is meant. */
const referencesTo = (own: Candidate, all: readonly Candidate[]): number => {
  const from = all.filter(
    ({ model, match }) =>
      match &&
      match.role !== own.match?.role &&
      model.table.foreignKeys?.some((foreign) => foreign.table === own.model.table.name),
  )
  const hasKeys = all.some(({ model }) => (model.table.foreignKeys ?? []).length > 0)
  const isAlone =
    hasKeys &&
    from.length === 0 &&
    (own.model.table.foreignKeys ?? []).length === 0 &&
    !all.some(({ model }) =>
      model.table.foreignKeys?.some((foreign) => foreign.table === own.model.table.name),
    )
  // A table without keys to or from any other, such as a catalog of the system.
  return isAlone ? alone : Math.min(from.length, 5) * 0.5
}

const alone = -4

interface Candidate {
  readonly model: TableModel
  readonly match: FoundRole | null
}

/** Customers, and what is sold to them. */
const isSold = ({ trade, words }: TableModel): boolean =>
  trade.side === 'sales' &&
  (trade.reason === 'its name says so' || words.some((word) => tradedWords.includes(word)))

const tradedWords = ['order', 'invoice', 'shipment', 'quote', 'payment', 'line', 'delivery']

interface FoundRole {
  readonly role: Role
  /** By its name, or only by its columns. */
  readonly by: 'name' | 'columns'
  readonly rank: number
}

const certaintyOf = (
  { role, by }: FoundRole,
  { trade }: TableModel,
): { readonly certainty: Certainty; readonly reason: string } => {
  if (by === 'columns')
    return { certainty: 'likely', reason: `its columns are those of ${role.collection}` }
  if (!role.isUsual) return { certainty: 'likely', reason: 'its name' }
  if (!role.isTraded) return { certainty: 'certain', reason: 'its name and columns' }
  return trade.side === 'purchase'
    ? { certainty: 'certain', reason: `its name, and purchasing: ${trade.reason}` }
    : { certainty: 'likely', reason: `its name, but ${trade.reason}` }
}

const roleOf = (roles: readonly Role[], model: TableModel): FoundRole | null => {
  const words = namedWords(model)
  let best: FoundRole | null = null
  for (const role of roles) {
    for (const [at, name] of role.names.entries()) {
      if (!name.every((word) => words.includes(word))) continue
      const rest = words.filter((word) => !name.includes(word) && !role.besides.includes(word))
      if (rest.length > 0) continue
      // More words are more specific; the first name is the usual one.
      const extra = words.length - name.length
      // The last word says what the rows are: a stock location is a location.
      const isHead = name.includes(words.at(-1) ?? '') ? 2 : 0
      const rank = name.length * 10 - extra - at / 10 + columnRank(role, model) + isHead
      if (!isPlausible(role, model)) continue
      if (rank > (best?.rank ?? 0)) best = { role, by: 'name', rank }
    }
  }
  return best ?? roleByColumns(roles, model, words)
}

/** `Positionen` alone are lines of what their columns have the number of. */
const namedWords = (model: TableModel): readonly string[] => {
  const { words, columns } = model
  if (isLinesOnly(model)) return [...words, 'line']
  if (words.length !== 1 || words[0] !== 'line') return words
  const head = ['order', 'invoice', 'receipt', 'shipment'].find((each) =>
    columns.some(
      (column) =>
        column.words.includes(each) &&
        column.words.every((word) => word === each || word === 'number'),
    ),
  )
  return head ? [head, 'line'] : words
}

/** Rows of an item and a quantity without a party or a day are lines, whatever their table is called. */
const isLinesOnly = ({ words, columns, table }: TableModel): boolean =>
  table.primaryKey !== undefined &&
  words.some((word) => ['order', 'invoice', 'receipt', 'shipment', 'delivery'].includes(word)) &&
  !words.some((word) => ['line', 'sku', 'style'].includes(word)) &&
  columns.some(
    ({ isForeign, words: own }) => isForeign && (own.includes('sku') || own.includes('style')),
  ) &&
  columns.some(({ words: own }) => own.includes('quantity')) &&
  !columns.some(({ words: own }) => partyWords.some((word) => own.includes(word)))

const partyWords = ['supplier', 'customer', 'partner']

const has = ({ columns }: TableModel, ...all: readonly string[]): boolean =>
  columns.some((column) => all.every((word) => column.words.includes(word)))

/** Whether a table can hold what its name says: lines have a quantity or an amount. */
const isPlausible = ({ collection, header }: Role, model: TableModel): boolean => {
  const { columns, table } = model
  if (columns.length < 2) return false
  // A single company is the owner of the system.
  if (collection === 'partners' && table.rows.length === 1) return false
  if (header) return has(model, 'quantity') || has(model, 'amount') || has(model, 'price')
  return true
}

/** Of two tables with the same name in other words, the one with columns of the collection. */
const columnRank = ({ collection }: Role, model: TableModel): number => {
  const signs = signatures[collection] ?? []
  const signed = signs.filter((sign) =>
    sign.split('|').some((each) => has(model, ...each.split('+'))),
  )
  return signs.length === 0 ? 0 : (signed.length / signs.length) * 3
}

/** The columns that tell a collection; `+` joins words of one column, `|` alternatives. */
const signatures: { readonly [collection: string]: readonly string[] } = {
  inventory: ['sku|style', 'location|warehouse', 'stock|quantity'],
  'order-items': ['order', 'sku|style', 'quantity', 'price|line'],
  orders: ['order', 'supplier', 'date'],
  suppliers: ['supplier', 'name', 'country|city|currency'],
  skus: ['sku', 'name|description', 'gtin|price|weight|color|size|unit'],
  'parent-products': ['name', 'number', 'price|weight|color|size|category|supplier'],
}

/** A table without a telling name, by its columns. */
const roleByColumns = (
  roles: readonly Role[],
  model: TableModel,
  words: readonly string[],
): FoundRole | null => {
  if (model.trade.side === 'sales') return null
  for (const [collection, signs] of Object.entries(signatures)) {
    const role = roles.find((each) => each.collection === collection)
    if (!role || collection === 'parent-products') continue
    const isDatabase = model.table.primaryKey !== undefined
    // The name of a database table says what it is: other words mean something else.
    if (isDatabase && words.length > 0) continue
    const isAll = signs.every((sign) =>
      sign.split('|').some((each) => has(model, ...each.split('+'))),
    )
    if (isAll) return { role, by: 'columns', rank: 1 }
  }
  return null
}
