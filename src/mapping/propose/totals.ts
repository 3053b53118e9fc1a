import { leafFields } from '#contract'
import { type EntityContext, type ProposedValue, proposed } from './entity.ts'
import { assignColumns, type Candidate } from './field-candidates.ts'
import { quoted } from './yaml-text.ts'

/** Collections whose totals are sums of their lines. */
const lineFields: {
  readonly [collection: string]: {
    readonly lines: string
    readonly quantity: string
    readonly price: string | null
    readonly totals: { readonly [field: string]: 'quantity' | 'amount' }
  }
} = {
  orders: {
    ...{ lines: 'order-items', quantity: 'qty', price: 'unitPrice' },
    totals: { totalQuantity: 'quantity', totalAmount: 'amount' },
  },
  shipments: {
    ...{ lines: 'shipment-items', quantity: 'quantity', price: null },
    totals: { totalQuantity: 'quantity' },
  },
}

/** A total as the sum of the lines: their quantity, or their quantity times their price. */
export const totalProposal = (field: string, context: EntityContext): ProposedValue | null => {
  const { entity, entities } = context
  const definition = lineFields[entity.collection]
  const kind = definition?.totals[field]
  const lines = entities.get(definition?.lines ?? '')
  if (!definition || !kind || !lines) return null
  const chosen = assignColumns(leafFields(lines.resource.fields), {
    entity: lines,
    columns: lines.model.columns,
  })
  const quantity = chosen.get(definition.quantity)?.chosen
  const price = definition.price === null ? null : chosen.get(definition.price)?.chosen
  if (!quantity || (kind === 'amount' && !price)) return null
  const isSure = (each: Candidate) => each.name === 'exact' && each.fit.fit === 'proven'
  const sum = (from: string): string =>
    kind === 'quantity'
      ? `{ rows: sum${from}, of: ${quoted(quantity.column.name)} }`
      : `{ rows: sum${from}, of: { product: [${quoted(quantity.column.name)}, ${quoted(price?.column.name ?? '')}] } }`
  const used = [quantity, ...(kind === 'amount' && price ? [price] : [])]
  if (lines.model === entity.model) {
    const isCertain = kind === 'quantity' && used.every(isSure)
    return proposed(sum(''), isCertain ? 'certain' : 'likely', 'the sum of its lines')
  }
  const link = context
    .linksOf(lines.model)
    .find((each) => each.target === entity.model && each.to.join() === entity.key.columns.join())
  if (!link) return null
  // A discount or a tax can be in the price, or beside it.
  const hasOwn = context.columns.some(({ words }) => words.includes('quantity'))
  const isCertain =
    kind === 'quantity' && !hasOwn && link.certainty === 'certain' && used.every(isSure)
  const name = context.joinLines(lines.model, link)
  return proposed(
    sum(`, in: ${name}`),
    isCertain ? 'certain' : 'likely',
    `the sum of its lines in ${lines.model.table.name}`,
  )
}
