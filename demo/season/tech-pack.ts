import { centimetres, percent, price, unitPrice } from './amounts.ts'
import { moment } from './calendar.ts'
import type { Fabrics } from './fabrics.ts'
import type { Garment, Point } from './garments.ts'
import type { Put } from './record-buffer.ts'
import type { Size, SizeRange } from './sizes.ts'
import { people } from './story-records.ts'
import type { StyleSource } from './styles.ts'

interface BomOf {
  readonly productId: string
  readonly versionId: string
  readonly code: string
  readonly name: string
  readonly startDay: number
}

const wastagePercent = 5

/** The bill of materials of a colourway. Its costs have four places without rounding. */
export const putBom = (
  { put, random, wording, story, trims }: StyleSource,
  of: BomOf,
  garment: Garment,
  fabrics: Fabrics,
  materialVariantId: string | null,
  skuIds: readonly string[],
): void => {
  const fabric = fabrics[garment.cloth]
  const id = random.id()
  const createdAt = moment(of.startDay + 35)
  const approvedAt = moment(of.startDay + 50)
  // Twentieths of a metre x (100 + percent) hundredths x tenths = 20 000ths; the price is even.
  const clothCost = (garment.clothTwentieths * (100 + wastagePercent) * fabric.tenths) / 2
  const totalCost = trims.reduce((sum, trim) => sum + trim.quantity * trim.price, clothCost)
  put('boms', {
    id,
    productId: of.productId,
    productVersionId: of.versionId,
    code: `BOM-${of.code}`,
    name: of.name,
    revisionNumber: 1,
    status: 'approved',
    currency: 'USD',
    totalCost: price(totalCost),
    notes: wording.remark('en'),
    approvedAt,
    approvedByUserId: people.developer,
    createdAt,
    updatedAt: approvedAt,
  })
  put('bom-components', {
    id: random.id(),
    bomId: id,
    bomSectionId: story.idOf('bom-sections', 'code', 'fabric'),
    materialId: fabric.materialId,
    materialVariantId,
    supplierId: fabric.supplierId,
    sequence: 1,
    placement: 'Body',
    sourcedBy: 'supplier',
    quantity: price(garment.clothTwentieths * 500),
    unitOfMeasureId: story.idOf('units-of-measure', 'code', 'MTR'),
    wastagePercent: percent(wastagePercent),
    unitPrice: unitPrice(fabric.tenths),
    extendedCost: price(clothCost),
    createdAt,
  })
  trims.forEach((trim, place) => {
    put('bom-components', {
      id: random.id(),
      bomId: id,
      bomSectionId: story.idOf('bom-sections', 'code', trim.sectionCode),
      materialId: trim.materialId,
      sequence: place + 2,
      placement: trim.placement,
      sourcedBy: 'supplier',
      quantity: String(trim.quantity),
      unitOfMeasureId: story.idOf('units-of-measure', 'code', 'C62'),
      unitPrice: price(trim.price),
      extendedCost: price(trim.quantity * trim.price),
      createdAt,
    })
  })
  for (const skuId of skuIds) put('bom-skus', { bomId: id, skuId, createdAt })
}

/** The measurement table of a style's approved version. */
export const putTable = (
  { put, random, story }: StyleSource,
  productId: string,
  productVersionId: string,
  code: string,
  name: string,
  garment: Garment,
  range: SizeRange,
  startDay: number,
): string => {
  const id = random.id()
  put('measurement-tables', {
    id,
    productId,
    productVersionId,
    code: `MT-${code}`,
    name,
    status: 'approved',
    unitOfMeasureId: story.idOf('units-of-measure', 'code', 'CMT'),
    baseDimensionValueId: range.baseValueId,
    points: garment.points.map((point, place) => ({
      key: point.key,
      code: String.fromCharCode(65 + place),
      name: point.name,
      method: point.method,
      sequence: place + 1,
      baseValue: centimetres(point.base),
      gradeStep: point.step === null ? null : centimetres(point.step),
      tolerancePlus: centimetres(point.tolerance),
      toleranceMinus: centimetres(point.tolerance),
      critical: point.critical,
    })),
    approvedAt: moment(startDay + 50),
    approvedByUserId: people.developer,
    createdAt: moment(startDay + 35),
    updatedAt: moment(startDay + 50),
  })
  return id
}

/** The graded value of a point. The second dimension grades inseams by two inches, 5 cm. */
export const gradedValue = ({ base, step }: Point, { steps }: Size): number =>
  step === null ? base + 50 * steps[1] : base + step * steps[0]

/** The graded values of a table for the SKUs of a colourway. */
export const putGrading = (
  put: Put,
  measurementTableId: string,
  points: readonly Point[],
  sizes: readonly Size[],
  skuIds: readonly string[],
  createdAt: string,
): void => {
  sizes.forEach((size, place) => {
    const skuId = skuIds[place]
    if (skuId === undefined) return
    put('measurement-table-skus', {
      measurementTableId,
      skuId,
      measurements: points.map((point) => ({
        pointKey: point.key,
        value: centimetres(gradedValue(point, size)),
      })),
      createdAt,
    })
  })
}
