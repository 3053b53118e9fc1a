import { type DocumentRead, follow, readById } from './follow.ts'

/** A value of a dimension, such as M or 32. */
export interface Size {
  readonly id: string
  readonly dimensionId: string
  readonly code: string | null
  readonly name: string | null
  /** From small to large. */
  readonly sequence: number
}

/** The sizes of SKUs, in no order. */
export const readSizes = async (
  read: DocumentRead,
  skus: readonly string[],
): Promise<ReadonlyMap<string, readonly Size[]>> => {
  const links: { readonly sku: string; readonly value: string }[] = []
  const request = { group: 'sku-dimension-values', column: 'skuId', values: skus, where: null }
  for await (const batch of follow(read, { ...request, fields: ['dimensionValueId'] })) {
    for (const { from, values } of batch) {
      links.push({ sku: from, value: values['dimensionValueId'] ?? '' })
    }
  }
  const records = await readById(
    read,
    'dimension-values',
    links.map(({ value }) => value),
    ['code', 'name', 'dimensionId', 'sequence'],
  )
  const sizes = new Map<string, Size[]>()
  for (const { sku, value } of links) {
    const record = records.get(value)
    if (!record) continue
    const own = sizes.get(sku) ?? []
    sizes.set(sku, own)
    own.push({
      id: value,
      dimensionId: record['dimensionId'] ?? '',
      code: record['code'] ?? null,
      name: record['name'] ?? null,
      sequence: Number(record['sequence']),
    })
  }
  return sizes
}
