import type { LeafField } from '#contract'

/** Values that are often right where no column has one: candidates, never decisions. */
const usual: { readonly [field: string]: readonly (string | number | boolean)[] } = {
  'orders.kind': ['bulk', 'reorder'],
  'orders.status': ['confirmed', 'sent'],
  'orders.revisionNumber': [0],
  'suppliers.kind': ['finished_goods', 'fabric'],
  'suppliers.status': ['approved', 'onboarding'],
  'relationship.status': ['active', 'onboarding'],
  'locations.kind': ['warehouse', 'store'],
  'goods-receipts.status': ['completed', 'in_progress'],
  'invoices.kind': ['commercial', 'deposit'],
  'invoices.status': ['received', 'approved'],
  'invoice-lines.kind': ['goods', 'other'],
  'payments.direction': ['outgoing', 'incoming'],
  'payments.method': ['wire', 'sepa'],
  'payments.status': ['completed', 'scheduled'],
  'shipments.status': ['planned', 'in_transit'],
  'shipments.mode': ['ocean', 'air'],
  'materials.status': ['approved', 'development'],
  'materials.kind': ['fabric', 'trim'],
  'categories.kind': ['product', 'material'],
  'contacts.isPrimary': [true, false],
  isPrimary: [false, true],
  level: [1, 2],
  sequence: [1],
}

/** The best two constants of a field, as YAML. */
export const usualValues = (collection: string, { name, field }: LeafField): readonly string[] => {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const named = usual[`${collection}.${name}`] ?? usual[name] ?? usual[last]
  const values = named ?? valuesOf(field.values ?? [], field.kind)
  return values.slice(0, 2).map((value) => `{ value: ${value} }`)
}

const valuesOf = (
  values: readonly string[],
  kind: string,
): readonly (string | number | boolean)[] => {
  const current = ['active', 'approved'].filter((each) => values.includes(each))
  if (values.length > 0) return [...new Set([...current, ...values])]
  if (kind === 'integer' || kind === 'amount') return [0]
  return kind === 'flag' ? [false, true] : []
}
