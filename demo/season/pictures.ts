import { createHash } from 'node:crypto'
import type { RecordAt } from '#contract'
import { demoImage } from '../image.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'

type Image = RecordAt<'images'>

/** The subjects of a picture: at least one record, unless it is a logo. */
type Shown = Partial<
  Pick<
    Image,
    | 'productId'
    | 'productOptionId'
    | 'skuId'
    | 'optionValueId'
    | 'materialId'
    | 'materialVariantId'
    | 'sampleRoundId'
    | 'goodsReceiptId'
  >
>

export interface Pictured extends Shown {
  readonly kind: 'product' | 'swatch' | 'material' | 'sample' | 'defect' | 'logo'
  readonly fileName: string
  readonly altText: string | null
  readonly createdAt: string
}

/** Writes the record of a picture, with the size and digest of the drawn file. */
export const putPicture = (put: Put, random: Random, pictured: Pictured): string => {
  const id = random.id()
  const bytes = Buffer.from(demoImage({ id, kind: pictured.kind }))
  put('images', {
    ...pictured,
    id,
    version: 1,
    sequence: 1,
    isPrimary: true,
    mimeType: 'image/png',
    sizeBytes: bytes.length,
    widthPx: bytes.readUInt32BE(16),
    heightPx: bytes.readUInt32BE(20),
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  return id
}
