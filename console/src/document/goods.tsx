import { Link } from 'wouter'
import type { Goods, Picture } from '../../../client/src/index.ts'
import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { recordLink } from '../links.ts'
import { nameOf } from '../names.ts'

interface GoodsCellProps {
  readonly brand: string
  readonly group: Group
  readonly record: Row
  readonly goods: Goods | null
  readonly pictures: { readonly [imageId: string]: Picture }
}

/** The goods of a line: a picture, the code as a link, and the description. */
export const GoodsCell = ({ brand, group, record, goods, pictures }: GoodsCellProps) => {
  const main = goods && mainPart(goods)
  if (!goods || !main) {
    // A line without goods, such as tooling or a deposit.
    return <span className="goods-other">{nameOf(group, record)}</span>
  }
  const { part, path } = main
  return (
    <span className="goods">
      <GoodsPicture {...{ goods, pictures }} />
      <span>
        <Link href={recordLink(brand, path, part.id)}>{part.code ?? part.name}</Link>
        <span className="goods-words">{goodsWords(goods)}</span>
      </span>
    </span>
  )
}

interface GoodsPictureProps {
  readonly goods: Goods
  readonly pictures: { readonly [imageId: string]: Picture }
}

/** The image of goods, or their colour. It is decorative: the code beside it names the goods. */
export const GoodsPicture = ({ goods: { imageId, option }, pictures }: GoodsPictureProps) => {
  const picture = imageId === null ? undefined : pictures[imageId]
  const hexCode = option?.hexCode ?? null
  return (
    <span
      className="goods-picture"
      style={!picture && hexCode !== null ? { backgroundColor: hexCode } : undefined}
    >
      {picture && <img src={picture.url} alt="" loading="lazy" />}
    </span>
  )
}

/** Whether goods have an image or a colour. A style may have neither. */
export const hasPicture = (
  { imageId, option }: Goods,
  pictures: GoodsPictureProps['pictures'],
): boolean => (imageId !== null && pictures[imageId] !== undefined) || Boolean(option?.hexCode)

const mainPart = ({ sku, option, style }: Goods) => {
  if (sku) return { part: sku, path: 'skus' }
  if (option) return { part: option, path: 'product-options' }
  return style && { part: style, path: 'parent-products' }
}

/** `Chore jacket · Indigo · M` */
export const goodsWords = ({ sku, style, option, sizes }: Goods): string =>
  [
    ...(sku || option ? [style?.name] : []),
    sku || option ? (option?.color ?? option?.name) : style?.name,
    ...(sku ? sizes : []),
  ]
    .filter((word) => word)
    .join(' · ')
