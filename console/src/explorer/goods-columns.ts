import type { Api, Row } from '../api.ts'
import { recordLink } from '../links.ts'
import { texts } from '../texts/index.ts'
import type { DerivedColumn, DerivedValue, RowsRequest } from './derived-column.ts'

/** What the SKUs of a page are: their styles, colours and sizes. */
interface PageGoods {
  readonly styles: ReadonlyMap<string, Row>
  readonly options: ReadonlyMap<string, Row>
  /** The names of a SKU's dimension values. */
  readonly sizes: ReadonlyMap<string, readonly string[]>
}

/** Identities per request: a SKU has at most four dimension values, and a page 100 rows. */
const skusMax = 25
const pageMax = 100

const goods: RowsRequest = {
  name: 'goods',
  read: async (api, rows, signal): Promise<PageGoods> => {
    const skus = [...new Map(rows.map((row) => [row['skuId'], skuOf(row)])).values()]
    const [styles, options, sizes] = await Promise.all([
      byIdentity(api, 'parent-products', textsOf(skus, 'productId'), [], signal),
      byIdentity(api, 'product-options', textsOf(skus, 'productOptionId'), ['color'], signal),
      readSizes(api, textsOf(rows, 'skuId'), signal),
    ])
    return { styles, options, sizes }
  },
}

const skuOf = (row: Row): Row => (row['sku'] ?? {}) as Row

const textsOf = (rows: readonly Row[], field: string): readonly string[] => [
  ...new Set(rows.map((row) => row[field]).filter((value) => typeof value === 'string')),
]

const byIdentity = async (
  api: Api,
  group: string,
  ids: readonly string[],
  include: string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Row>> => {
  if (ids.length === 0) return new Map()
  const page = await api.query(group, { ids: ids.join() }, { limit: pageMax, include, signal })
  return new Map(page.items.map((row) => [String(row['id']), row]))
}

const readSizes = async (
  api: Api,
  skus: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const [group, value] = ['sku-dimension-values', 'dimensionValue']
  if (!api.canRead(group) || !api.canRead('dimension-values')) return new Map()
  const parts = Array.from({ length: Math.ceil(skus.length / skusMax) }, (_, at) =>
    skus.slice(at * skusMax, (at + 1) * skusMax),
  )
  const options = { limit: pageMax, include: [value], signal }
  const pages = await Promise.all(
    parts.map((part) => api.query(group, { 'skuId.in': part.join() }, options)),
  )
  const sizes = new Map<string, { readonly dimension: string; readonly name: string }[]>()
  for (const row of pages.flatMap(({ items }) => items)) {
    const { name, dimensionId } = (row[value] ?? {}) as Row
    if (typeof name !== 'string') continue
    const sku = String(row['skuId'])
    sizes.set(sku, [...(sizes.get(sku) ?? []), { name, dimension: String(dimensionId) }])
  }
  return new Map(
    [...sizes].map(([sku, values]) => [
      sku,
      values
        .sort((one, other) => (one.dimension < other.dimension ? -1 : 1))
        .map(({ name }) => name),
    ]),
  )
}

const column = (
  name: 'style' | 'colour' | 'size',
  value: (row: Row, goods: PageGoods, brand: string) => DerivedValue | null,
): DerivedColumn => ({
  name,
  label: () => texts().explorer.goodsColumns[name],
  meaning: () => texts().explorer.goodsMeanings[name],
  fields: ['skuId'],
  request: goods,
  sort: null,
  isRight: false,
  value: (row, { brand, response }) => value(row, response as PageGoods, brand),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The style, colour and size of the SKU of a record. */
export const goodsColumns: readonly DerivedColumn[] = [
  column('style', (row, { styles }, brand) => {
    const id = textOf(skuOf(row)['productId'])
    const name = textOf(styles.get(id ?? '')?.['name'])
    return id && name ? { text: name, link: recordLink(brand, 'parent-products', id) } : null
  }),
  column('colour', (row, { options }) => {
    const option = options.get(textOf(skuOf(row)['productOptionId']) ?? '')
    const color = option?.['color'] as Row | null | undefined
    const name = textOf(color?.['name']) ?? textOf(option?.['name'])
    return name === null ? null : { text: name }
  }),
  column('size', (row, { sizes }) => {
    const names = sizes.get(String(row['skuId'])) ?? []
    return names.length === 0 ? null : { text: names.join(' · ') }
  }),
]
