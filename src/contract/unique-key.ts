import type { Resource } from './resource.ts'

/** Fields whose values together belong to one record of a brand, such as the number of an order. */
export interface UniqueKey {
  /** Such as `orders.orderNumber` or `invoices.partnerId+invoiceNumber`. */
  readonly name: string
  readonly collection: string
  readonly fields: readonly string[]
}

/**
 * The unique keys of a collection. Deleted records do not count, nor does a key of a single field
 * that is null. A brand has one record, whose slug is its key.
 */
export const uniqueKeysOf = ({ path, unique, lookup }: Resource): readonly UniqueKey[] =>
  lookup
    ? []
    : unique.map((fields) => ({ name: `${path}.${fields.join('+')}`, collection: path, fields }))
