import { centimetres, percent, price, unitPrice } from './amounts.ts'
import { date, moment, today } from './calendar.ts'
import { pad } from './codes.ts'
import type { Cloth } from './garments.ts'
import type { Library } from './library.ts'
import type { Mill } from './partners.ts'
import { at, type Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { StoryRecords } from './story-records.ts'

/** A cloth and its variants, in the order of the palette's colours. */
export interface Fabric {
  readonly materialId: string
  readonly variantIds: readonly string[]
  readonly supplierId: string
  /** Price per metre in tenths of a dollar; even, so that costs have four places at most. */
  readonly tenths: number
}

export type Fabrics = Record<Cloth, Fabric>

/** A button, label or bag, priced in ten-thousandths of a dollar. */
export interface Trim {
  readonly materialId: string
  readonly price: number
  readonly sectionCode: 'trims' | 'labels' | 'packaging'
  readonly placement: string
  readonly quantity: number
}

interface Weave {
  readonly code: string
  readonly name: string
  readonly categoryCode: string
  readonly construction: string
  readonly gsm: number
  readonly fibers: readonly (readonly [fiber: string, percent: number, recycled: boolean])[]
  readonly tenths: number
}

const weaves: Record<Cloth, readonly Weave[]> = {
  woven: [
    {
      code: 'TWILL-240',
      name: 'Cotton twill 240',
      categoryCode: 'FAB-WOV',
      construction: '3/1 twill',
      gsm: 240,
      fibers: [['cotton', 100, false]],
      tenths: 48,
    },
    {
      code: 'LINEN-180',
      name: 'Linen cotton 180',
      categoryCode: 'FAB-WOV',
      construction: 'plain weave',
      gsm: 180,
      fibers: [
        ['linen', 55, false],
        ['cotton', 45, false],
      ],
      tenths: 62,
    },
  ],
  knit: [
    {
      code: 'JERSEY-160',
      name: 'Single jersey 160',
      categoryCode: 'FAB-KNT',
      construction: 'single jersey',
      gsm: 160,
      fibers: [
        ['cotton', 80, false],
        ['cotton', 20, true],
      ],
      tenths: 34,
    },
    {
      code: 'RIB-320',
      name: 'Wool rib 320',
      categoryCode: 'FAB-KNT',
      construction: '2x2 rib',
      gsm: 320,
      fibers: [
        ['wool', 70, false],
        ['polyamide', 30, true],
      ],
      tenths: 88,
    },
  ],
  denim: [
    {
      code: 'DENIM-390',
      name: 'Selvedge denim 390',
      categoryCode: 'FAB-DNM',
      construction: '3/1 right-hand twill',
      gsm: 390,
      fibers: [
        ['cotton', 99, false],
        ['elastane', 1, false],
      ],
      tenths: 74,
    },
  ],
}

const createdAt = '2025-01-15T14:20:00.000Z'

export const putFabrics = (
  put: Put,
  random: Random,
  story: StoryRecords,
  library: Library,
  mill: Mill,
  index: number,
): Fabrics => {
  const unitOfMeasureId = story.idOf('units-of-measure', 'code', 'MTR')
  const fabric = (cloth: Cloth): Fabric => {
    const weave = at(weaves[cloth], index)
    const materialId = random.id()
    const code = `${weave.code}-${pad(index + 1, 2)}`
    const tenths = weave.tenths + 2 * random.below(6)
    put('materials', {
      id: materialId,
      code,
      name: weave.name,
      kind: 'fabric',
      status: 'approved',
      categoryId: library.categoryIds.get(weave.categoryCode) ?? null,
      supplierId: mill.supplierId,
      unitOfMeasureId,
      composition: weave.fibers.map(([fiber, share, recycled]) => ({
        fiber,
        percent: percent(share),
        recycled,
        countryOfOriginCode: recycled ? null : mill.countryCode,
      })),
      construction: weave.construction,
      weightGsm: String(weave.gsm),
      widthCm: centimetres(1500),
      countryOfOriginCode: mill.countryCode,
      currency: mill.currency,
      unitPrice: unitPrice(tenths),
      moq: 300,
      leadTimeDays: 30,
      certifications: ['OEKO-TEX 100'],
      customFields: { testedOn: date(today - random.between(30, 400)) },
      createdAt,
    })
    const variantIds = library.colours.map((colour, place) => {
      const id = random.id()
      put('material-variants', {
        id,
        materialId,
        code: `${code}-${colour.code}`,
        name: `${weave.name}, ${colour.name}`,
        colorId: colour.id,
        supplierReference: `${index + 1}/${pad(place + 1, 3)}`,
        status: place === library.colours.length - 1 ? 'lab_dip' : 'approved',
        currency: mill.currency,
        unitPrice: unitPrice(tenths),
        createdAt,
      })
      return id
    })
    return { materialId, variantIds, supplierId: mill.supplierId, tenths }
  }
  return { woven: fabric('woven'), knit: fabric('knit'), denim: fabric('denim') }
}

const trims = [
  ['BTN-11', 'Corozo button 11 mm', 'trim', 'trims', 'Front, cuffs', 8, 650],
  ['LBL-CARE', 'Care label', 'label', 'labels', 'Left side seam', 1, 325],
  ['BAG-S', 'Recycled polybag, small', 'packaging', 'packaging', 'One per piece', 1, 410],
] as const

export const putTrims = (
  put: Put,
  random: Random,
  story: StoryRecords,
  library: Library,
): readonly Trim[] => {
  const unitOfMeasureId = story.idOf('units-of-measure', 'code', 'C62')
  const trim = (
    code: string,
    name: string,
    kind: string,
    category: string,
    cost: number,
  ): string => {
    const id = random.id()
    const dropped = code === 'ZIP-OLD'
    const droppedAt = moment(today - 120)
    put('materials', {
      id,
      code,
      name,
      kind,
      status: dropped ? 'discontinued' : 'approved',
      categoryId: library.categoryIds.get(category) ?? null,
      unitOfMeasureId,
      currency: 'USD',
      unitPrice: price(cost),
      createdAt,
      updatedAt: dropped ? droppedAt : createdAt,
      deletedAt: dropped ? droppedAt : null,
    })
    return id
  }
  trim('ZIP-OLD', 'Nickel zip 60 cm', 'hardware', 'TRM', 9800)
  return trims.map(([code, name, kind, sectionCode, placement, quantity, cost]) => ({
    materialId: trim(code, name, kind, kind === 'packaging' ? 'PKG' : 'TRM', cost),
    price: cost,
    sectionCode,
    placement,
    quantity,
  }))
}
