import type { GoodsSource, RecordAt } from '#contract'
import { type DocumentRead, follow, type Values } from './follow.ts'

/** A style, option or SKU of a row. */
interface NamedPart {
  readonly id: string
  readonly code: string | null
  readonly name: string | null
}

/** The goods of a row: their names and the image that shows them. */
export interface Goods {
  readonly style: NamedPart | null
  readonly option:
    | (NamedPart & { readonly color: string | null; readonly hexCode: string | null })
    | null
  readonly sku: NamedPart | null
  /** The names of the sizes of the SKU. */
  readonly sizes: readonly string[]
  readonly imageId: string | null
}

/** The fields of an image that are needed to show it. */
export type Picture = Pick<
  RecordAt<'images'>,
  'id' | 'mimeType' | 'fileName' | 'widthPx' | 'heightPx' | 'altText'
>

export interface GoodsReader {
  /** The goods of rows, by the value of the field that references them. */
  read(source: GoodsSource, ids: readonly string[]): Promise<ReadonlyMap<string, Goods>>
  /** The position of a SKU among the sizes of its option, as a sortable text. */
  sizeOrder(sku: string): string
  /** The images of all goods read so far, by id. */
  readonly pictures: ReadonlyMap<string, Picture>
}

export const goodsField = (source: GoodsSource): string => Object.values(source)[0] ?? 'id'

export const createGoodsReader = (read: DocumentRead): GoodsReader => {
  const pictures = new Map<string, Picture>()
  const orders = new Map<string, string>()

  const byId = async (
    group: string,
    ids: readonly (string | null)[],
    fields: readonly string[],
  ) => {
    const values = ids.filter((id) => id !== null)
    const records = new Map<string, Values>()
    const request = { group, column: 'id', values, fields, where: null }
    for await (const batch of follow(read, request)) {
      for (const { from, values: record } of batch) records.set(from, record)
    }
    return records
  }

  /** The sizes of SKUs, from small to large in each dimension. */
  const readSizes = async (ids: readonly string[]) => {
    const links: { readonly sku: string; readonly value: string | null }[] = []
    const request = { group: 'sku-dimension-values', column: 'skuId', values: ids, where: null }
    for await (const batch of follow(read, { ...request, fields: ['dimensionValueId'] })) {
      for (const { from, values } of batch) {
        links.push({ sku: from, value: values['dimensionValueId'] ?? null })
      }
    }
    const names = await byId(
      'dimension-values',
      links.map(({ value }) => value),
      ['name', 'dimensionId', 'sequence'],
    )
    const sizes = new Map<
      string,
      { readonly dimension: string; readonly name: string; readonly place: string }[]
    >()
    for (const { sku, value } of links) {
      const record = names.get(value ?? '')
      if (!record) continue
      const all = sizes.get(sku) ?? []
      all.push({
        dimension: record['dimensionId'] ?? '',
        name: record['name'] ?? '',
        place: String(record['sequence']).padStart(9, '0'),
      })
      sizes.set(sku, all)
    }
    return (sku: string): readonly string[] => {
      const own = (sizes.get(sku) ?? []).sort((one, other) =>
        one.dimension < other.dimension ? -1 : 1,
      )
      orders.set(sku, own.map(({ place }) => place).join(' '))
      return own.map(({ name }) => name)
    }
  }

  /** The best image for each value of a reference. */
  const readImages = async (column: string, ids: readonly (string | null)[]) => {
    const best = new Map<string, Values>()
    const values = ids.filter((id) => id !== null)
    const request = { group: 'images', column, values, fields: imageFields, where: isShown }
    for await (const batch of follow(read, request)) {
      for (const { from, values: image } of batch) {
        const other = best.get(from)
        if (!other || rankOf(image) < rankOf(other)) best.set(from, image)
      }
    }
    return best
  }

  const keep = (image: Values | undefined): string | null => {
    const id = image?.['id'] ?? null
    if (!image || id === null) return null
    const pixels = (field: string) => (image[field] === null ? null : Number(image[field]))
    pictures.set(id, {
      id,
      mimeType: image['mimeType'] ?? '',
      fileName: image['fileName'] ?? '',
      widthPx: pixels('widthPx'),
      heightPx: pixels('heightPx'),
      altText: image['altText'] ?? null,
    })
    return id
  }

  return {
    pictures,
    sizeOrder: (sku) => orders.get(sku) ?? '',
    read: async (source, ids) => {
      const skus =
        'sku' in source
          ? await byId('skus', ids, ['code', 'name', 'productId', 'productOptionId'])
          : new Map<string, Values>()
      const optionOf = (id: string) =>
        'sku' in source
          ? (skus.get(id)?.['productOptionId'] ?? null)
          : 'option' in source
            ? id
            : null
      const options = await byId('product-options', ids.map(optionOf), [
        'code',
        'name',
        'colorId',
        'productId',
      ])
      const styleOf = (id: string) =>
        'style' in source
          ? id
          : (skus.get(id)?.['productId'] ?? options.get(optionOf(id) ?? '')?.['productId'] ?? null)
      const styles = await byId('parent-products', ids.map(styleOf), ['code', 'name'])
      const colors = await byId(
        'colors',
        [...options.values()].map((option) => option['colorId'] ?? null),
        ['name', 'hexCode'],
      )
      const sizesOf = await readSizes('sku' in source ? ids : [])
      const ofSku = await readImages('skuId', 'sku' in source ? ids : [])
      const ofOption = await readImages('productOptionId', ids.map(optionOf))
      const ofStyle = await readImages('productId', ids.map(styleOf))
      return new Map(
        ids.map((id): readonly [string, Goods] => {
          const [optionId, styleId] = [optionOf(id), styleOf(id)]
          const option = optionId === null ? undefined : options.get(optionId)
          const style = styleId === null ? undefined : styles.get(styleId)
          const sku = skus.get(id)
          const generic = ofStyle.get(styleId ?? '')
          // An image of another option would show another colour.
          const isOfStyle = 'style' in source || (generic?.['productOptionId'] ?? null) === null
          const image =
            ofSku.get(id) ?? ofOption.get(optionId ?? '') ?? (isOfStyle ? generic : undefined)
          return [
            id,
            {
              style: style && styleId !== null ? partOf(styleId, style) : null,
              option:
                option && optionId !== null
                  ? {
                      ...partOf(optionId, option),
                      color: colors.get(option['colorId'] ?? '')?.['name'] ?? null,
                      hexCode: colors.get(option['colorId'] ?? '')?.['hexCode'] ?? null,
                    }
                  : null,
              sku: sku ? partOf(id, sku) : null,
              sizes: sizesOf(id),
              imageId: keep(image),
            },
          ]
        }),
      )
    },
  }
}

const partOf = (id: string, values: Values): NamedPart => ({
  id,
  code: values['code'] ?? null,
  name: values['name'] ?? null,
})

const imageFields = [
  'id',
  'kind',
  'productOptionId',
  'skuId',
  'isPrimary',
  'sequence',
  'mimeType',
  'fileName',
  'widthPx',
  'heightPx',
  'altText',
]

/** Excludes images of defects and packaging, which do not show the goods. */
const isShown = {
  kind: 'all',
  of: [
    { kind: 'null', field: 'deletedAt', isNull: true },
    { kind: 'in', field: 'kind', values: ['product', 'sample', 'other'] },
  ],
} as const

/** Sorts the best image first: of the least specific record, primary, a product, first in sequence. */
const rankOf = (image: Values): string => {
  const isPrimary = image['isPrimary'] === 'true' || image['isPrimary'] === '1'
  return [
    image['skuId'] === null ? 0 : 1,
    image['productOptionId'] === null ? 0 : 1,
    isPrimary ? 0 : 1,
    image['kind'] === 'product' ? 0 : 1,
    String(image['sequence']).padStart(9, '0'),
    image['id'],
  ].join(' ')
}
