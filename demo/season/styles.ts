import { kilograms, money } from './amounts.ts'
import { date, dayOf, moment } from './calendar.ts'
import { gtin } from './codes.ts'
import type { Fabrics, Trim } from './fabrics.ts'
import { type Garment, garments, styleWords } from './garments.ts'
import type { Library, Pack } from './library.ts'
import type { Supplier } from './partners.ts'
import { putPicture } from './pictures.ts'
import { at, type Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { SizeRange, SizeRanges } from './sizes.ts'
import { people, type StoryRecords } from './story-records.ts'
import { putBom, putGrading, putTable } from './tech-pack.ts'
import { dollarRates } from './trades.ts'
import type { Wording } from './wording.ts'

/** A colour of a style, with a SKU for each size, in the order of its range. */
export interface Colourway {
  readonly id: string
  readonly code: string
  readonly colour: string
  readonly skuIds: readonly string[]
  /** The index of its first SKU among all SKUs of the season. */
  readonly firstSku: number
}

/** The facts of a style for later records. */
export interface Style {
  readonly index: number
  readonly productId: string
  readonly versionId: string
  readonly tableId: string
  readonly code: string
  readonly name: string
  readonly garment: Garment
  readonly range: SizeRange
  readonly pack: Pack
  readonly supplier: Supplier
  readonly colourways: readonly Colourway[]
  /** Unit prices in tenths of the supplier's currency, from small to large quantities. */
  readonly bandTenths: readonly [number, number, number]
  readonly startDay: number
}

export interface StyleSource {
  readonly put: Put
  readonly random: Random
  readonly wording: Wording
  readonly story: StoryRecords
  readonly library: Library
  readonly ranges: SizeRanges
  readonly trims: readonly Trim[]
  readonly codePrefix: string
}

/** Number of styles with a picture. It does not grow with the season. */
const picturedStyles = 6

export const putStyle = (
  source: StyleSource,
  index: number,
  supplier: Supplier,
  fabrics: Fabrics,
  earlier: readonly Style[],
  firstSku: number,
): Style => {
  const { put, random, wording, library, ranges, codePrefix } = source
  const garment = at(garments, index)
  const range = at(ranges[garment.sizing], Math.floor(index / garments.length))
  const noun = at(garment.nouns, Math.floor(index / garments.length))
  const name = `${at(styleWords, index * 5)} ${noun}`
  const code = `${codePrefix}-${2000 + index}`
  const startDay = dayOf('2025-01-20') + ((index * 11) % 50)
  const createdAt = moment(startDay, 9 * 60 + (index % 400))
  const productId = random.id()
  put('parent-products', {
    id: productId,
    code,
    name,
    description: `${name} in ${garment.cloth} cloth. ${wording.letter(supplier.trade.languageCode)}`,
    status: 'active',
    categoryId: library.categoryIds.get(garment.categoryCode) ?? null,
    dimensionGroupId: range.groupId,
    supplierId: supplier.id,
    ownerUserId: people.developer,
    department: garment.department,
    countryOfOriginCode: supplier.trade.countryCode,
    htsCode: garment.htsCode.slice(0, 6),
    careInstructions: garment.care,
    customFields: index % 3 === 0 ? { carbonKg: random.between(20, 140) / 10 } : null,
    createdAt,
    updatedAt: moment(startDay + 50),
  })
  putPlacing(source, index, productId, createdAt, earlier)
  const versionId = putVersions(source, productId, code, startDay)

  const pack = library.packs.get(garment.packCode)
  if (!pack) throw new RangeError(`There is no packing template ${garment.packCode}.`)
  const bandTenths = bandsOf(garment, supplier.trade.currency, random)
  const colours = Array.from({ length: coloursBySizing[garment.sizing] }, (_, place) =>
    at(library.colours, index * 3 + place),
  )
  const tableId = putTable(source, productId, versionId, code, name, garment, range, startDay)
  const colourways = colours.map((colour, place): Colourway => {
    const id = random.id()
    const optionCode = `${code}-${colour.code}`
    put('product-options', {
      id,
      productId,
      code: optionCode,
      name: colour.name,
      status: 'active',
      colorId: colour.id,
      packingTemplateId: pack.templateId,
      dimensionCurveId: range.curveId,
      plannedUnits: pack.units * random.between(8, 40),
      sequence: place + 1,
      createdAt,
    })
    const values = [colour.optionValueId]
    if (garment.cloth === 'denim') values.push(at(library.washValueIds, place % 2))
    values.forEach((optionValueId, sequence) => {
      put('product-option-values', {
        productOptionId: id,
        optionValueId,
        sequence: sequence + 1,
        createdAt,
      })
    })
    range.valueIds.forEach((dimensionValueId, sequence) => {
      put('product-option-dimension-values', {
        productOptionId: id,
        dimensionValueId,
        sequence: sequence + 1,
        createdAt,
      })
    })
    putPrices(put, id, supplier.trade.currency, bandTenths[1], garment.dollarTenths)
    put('product-option-collections', {
      productOptionId: id,
      collectionId: at(library.collectionIds, index),
      createdAt,
    })
    const first = firstSku + place * range.sizes.length
    const made = { productId, id, code: optionCode, name: `${name}, ${colour.name}`, createdAt }
    const skuIds = putSkus(source, made, garment, range, supplier, first)
    const variantId =
      fabrics[garment.cloth].variantIds[(index * 3 + place) % library.colours.length]
    const bom = {
      productId,
      versionId,
      code: optionCode,
      name: `${name}, ${colour.name}`,
      startDay,
    }
    putBom(source, bom, garment, fabrics, variantId ?? null, skuIds)
    putGrading(put, tableId, garment.points, range.sizes, skuIds, moment(startDay + 35))
    if (index < picturedStyles && place === 0) {
      putPicture(put, random, {
        kind: 'product',
        productId,
        productOptionId: id,
        fileName: `${optionCode.toLowerCase()}.png`,
        altText: `${name} in ${colour.name.toLowerCase()}, front`,
        createdAt: moment(startDay + 48),
      })
    }
    return { id, code: colour.code, colour: colour.name, skuIds, firstSku: first }
  })
  return {
    index,
    productId,
    versionId,
    tableId,
    code,
    name,
    garment,
    range,
    pack,
    supplier,
    colourways,
    bandTenths,
    startDay,
  }
}

const coloursBySizing = { alpha: 3, waist: 2, one: 4 } as const

/** The number of SKUs of a style, known before they are written. */
export const skuCountOf = (style: Style): number =>
  style.colourways.length * style.range.sizes.length

/** Prices fall with the quantity. In currencies of low value they are whole. */
const bandsOf = (
  garment: Garment,
  currency: string,
  random: Random,
): readonly [number, number, number] => {
  const worth = dollarRates[currency]?.base ?? 1000
  const grain = worth < 100 ? 10 : 1
  const wanted = (garment.dollarTenths * random.between(900, 1120)) / worth
  const top = Math.max(3, Math.round(wanted / grain)) * grain
  const step = Math.max(1, Math.round(top / 25 / grain)) * grain
  return [top, top - step, top - 2 * step]
}

const relations = ['companion', 'derived_from', 'carry_over_of'] as const

const putPlacing = (
  { put, library }: StyleSource,
  index: number,
  productId: string,
  createdAt: string,
  earlier: readonly Style[],
): void => {
  const collectionId = at(library.collectionIds, index)
  put('product-collections', { productId, collectionId, createdAt })
  put('product-tags', { productId, tagId: at(library.tagIds, index), createdAt })
  if (index % 2 === 0) {
    put('product-tags', { productId, tagId: at(library.tagIds, index + 1), createdAt })
  }
  put('product-launch-windows', {
    productId,
    launchWindowId: at(library.windowIds, index),
    createdAt,
  })
  const related = earlier.at(-1)
  if (related && index % 3 !== 0) {
    put('product-relations', {
      productId,
      relatedProductId: related.productId,
      kind: at(relations, index),
      sequence: 1,
      createdAt,
    })
  }
}

/** Two versions: the second is approved, with a tech pack that replaces the first. */
const putVersions = (
  { put, random, wording, story }: StyleSource,
  productId: string,
  code: string,
  startDay: number,
): string => {
  const documentTypeId = story.idOf('document-types', 'code', 'tech_pack')
  let supersedesDocumentId: string | null = null
  let versionId = ''
  for (const versionNumber of [1, 2]) {
    const approved = versionNumber === 2
    const day = approved ? startDay + 35 : startDay + 5
    versionId = random.id()
    put('product-versions', {
      id: versionId,
      productId,
      versionNumber,
      label: approved ? 'Fit approved' : 'Proto',
      status: approved ? 'approved' : 'superseded',
      changeSummary: approved ? `Corrected after the first fitting. ${wording.letter('en')}` : null,
      approvedAt: approved ? moment(startDay + 50) : null,
      approvedByUserId: approved ? people.developer : null,
      createdAt: moment(day),
      updatedAt: moment(approved ? startDay + 50 : startDay + 35),
    })
    const documentId = random.id()
    put('documents', {
      id: documentId,
      documentTypeId,
      name: `Tech pack ${code}`,
      reference: `TP-${code}`,
      documentDate: date(day),
      status: approved ? 'approved' : 'superseded',
      version: versionNumber,
      supersedesDocumentId,
      fileName: `techpack-${code.toLowerCase()}-${versionNumber}.pdf`,
      mimeType: 'application/pdf',
      sizeBytes: random.between(200_000, 2_400_000),
      productId,
      productVersionId: versionId,
      uploadedByUserId: people.developer,
      createdAt: moment(day),
    })
    supersedesDocumentId = documentId
  }
  return versionId
}

const putPrices = (
  put: Put,
  productOptionId: string,
  currency: string,
  targetTenths: number,
  dollarTenths: number,
): void => {
  const cost = dollarTenths * 10
  const priced = (kind: string, of: string, cents: number) => {
    put('product-option-prices', { productOptionId, kind, currency: of, amount: money(cents) })
  }
  priced('target_cost', currency, targetTenths * 10)
  priced('wholesale', 'USD', Math.round((cost * 26) / 1000) * 100)
  priced('retail', 'USD', Math.round((cost * 60) / 1000) * 100)
  priced('retail', 'GBP', Math.round((cost * 50) / 1000) * 100)
}

interface OptionOf {
  readonly productId: string
  readonly id: string
  readonly code: string
  readonly name: string
  readonly createdAt: string
}

const putSkus = (
  { put, random, story }: StyleSource,
  option: OptionOf,
  garment: Garment,
  range: SizeRange,
  supplier: Supplier,
  firstSku: number,
): readonly string[] => {
  const unitOfMeasureId = story.idOf('units-of-measure', 'code', 'C62')
  const { productId, createdAt } = option
  return range.sizes.map((size, place) => {
    const id = random.id()
    put('skus', {
      id,
      productId,
      productOptionId: option.id,
      code: `${option.code}-${size.label}`,
      name: `${option.name}, ${size.label}`,
      gtin: gtin(firstSku + place),
      status: 'active',
      unitOfMeasureId,
      netWeightKg: kilograms(garment.grams),
      countryOfOriginCode: supplier.trade.countryCode,
      htsCode: garment.htsCode,
      createdAt,
    })
    for (const dimensionValueId of size.valueIds) {
      put('sku-dimension-values', { skuId: id, dimensionValueId, createdAt })
    }
    return id
  })
}
