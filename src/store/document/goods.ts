import type { GoodsSource, RecordAt } from '#contract'
import { type DocumentRead, follow, readById, type Values } from './follow.ts'
import { readSizes, type Size } from './sizes.ts'

/** A style, option or SKU of a row, a dimension or one of its values. */
export interface NamedPart {
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

  /** The names of a SKU's sizes; notes their order. */
  const namesOf = (sku: string, sizes: readonly Size[]): readonly string[] => {
    const own = sizes.toSorted((one, other) => (one.dimensionId < other.dimensionId ? -1 : 1))
    orders.set(sku, own.map(({ sequence }) => String(sequence).padStart(9, '0')).join(' '))
    return own.map(({ name }) => name ?? '')
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
          ? await readById(read, 'skus', ids, ['code', 'name', 'productId', 'productOptionId'])
          : new Map<string, Values>()
      const optionOf = (id: string) =>
        'sku' in source
          ? (skus.get(id)?.['productOptionId'] ?? null)
          : 'option' in source
            ? id
            : null
      const options = await readById(read, 'product-options', ids.map(optionOf), [
        'code',
        'name',
        'colorId',
        'productId',
      ])
      const styleOf = (id: string) =>
        'style' in source
          ? id
          : (skus.get(id)?.['productId'] ?? options.get(optionOf(id) ?? '')?.['productId'] ?? null)
      const styles = await readById(read, 'parent-products', ids.map(styleOf), ['code', 'name'])
      const colors = await readById(
        read,
        'colors',
        [...options.values()].map((option) => option['colorId'] ?? null),
        ['name', 'hexCode'],
      )
      const sizes = await readSizes(read, 'sku' in source ? ids : [])
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
              style: style && styleId !== null ? namedPart(styleId, style) : null,
              option: option && optionId !== null ? namedOption(optionId, option, colors) : null,
              sku: sku ? namedPart(id, sku) : null,
              sizes: namesOf(id, sizes.get(id) ?? []),
              imageId: keep(image),
            },
          ]
        }),
      )
    },
  }
}

export const namedPart = (id: string, values: Values): NamedPart => ({
  id,
  code: values['code'] ?? null,
  name: values['name'] ?? null,
})

/** An option with its main colour. */
export const namedOption = (
  id: string,
  option: Values,
  colors: ReadonlyMap<string, Values>,
): NonNullable<Goods['option']> => {
  const color = colors.get(option['colorId'] ?? '')
  return {
    ...namedPart(id, option),
    color: color?.['name'] ?? null,
    hexCode: color?.['hexCode'] ?? null,
  }
}

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
