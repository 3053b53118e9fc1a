import { type Broken, breaks, copy, edit, id, remove, told } from './story.ts'

const jacket = told('parent-products', { code: 'AM-1042' })
const olderJacket = told('parent-products', { code: 'AM-0987' })
const indigo = told('product-options', { code: 'AM-1042-IND' })
const ecru = told('product-options', { code: 'AM-1042-ECR' })
const indigoLink = told('product-option-values', { productOptionId: id(indigo) })
const ecruValue = told('option-values', { code: 'ECR' })
const indigoM = told('skus', { code: 'AM-1042-IND-M' })
const indigoL = told('skus', { code: 'AM-1042-IND-L' })
const mOfIndigoM = told('sku-dimension-values', { skuId: id(indigoM) })
const lOfIndigoL = told('sku-dimension-values', { skuId: id(indigoL) })
const sizeM = told('dimension-values', { code: 'M' })
const sizeL = told('dimension-values', { code: 'L' })
const waist30 = told('dimension-values', { code: '30' })
const version1 = told('product-versions', { versionNumber: 1 })
const version2 = told('product-versions', { versionNumber: 2 })
const versionOfOlder = copy(version1, { productId: id(olderJacket) })
const bill = told('boms', { code: 'BOM-1042-IND' })
const billSku = told('bom-skus', { bomId: id(bill) })
const canvasPart = told('bom-components', { bomId: id(bill), sequence: 1 })
const button = told('materials', { code: 'BTN-20' })
const canvas = told('materials', { code: 'CANVAS-340' })
const fabric = told('bom-sections', { code: 'fabric' })
const table = told('measurement-tables', { code: 'MT-1042' })
const gradedM = told('measurement-table-skus', { skuId: id(indigoM) })
const gradedL = told('measurement-table-skus', { skuId: id(indigoL) })
const relation = told('product-relations')
const jackets = told('categories', { code: 'APP-JKT' })
const fabrics = told('categories', { code: 'FAB' })
const sizeCurve = told('dimension-curves', { kind: 'size_curve' })
const prepack = told('dimension-curves', { kind: 'prepack' })
const sizeAxis = told('dimension-curve-axes', { curveId: id(sizeCurve) })
const waistAxis = told('dimension-curve-axes', { curveId: id(prepack), sequence: 1 })
const inseamAxis = told('dimension-curve-axes', { curveId: id(prepack), sequence: 2 })
const sizeOnAxis = told('dimension-curve-axis-values', { axisId: id(sizeAxis) })
const waistOnAxis = told('dimension-curve-axis-values', { axisId: id(waistAxis) })
const inseamOnAxis = told('dimension-curve-axis-values', { axisId: id(inseamAxis) })
const share = told('dimension-curve-cells', { curveId: id(sizeCurve) })
const units = told('dimension-curve-cells', { curveId: id(prepack) })
const term = told('payment-terms', { code: 'TT-30-70-BL' })
const netTerm = told('payment-terms', { code: 'NET-30' })
const cartonSize = told('carton-sizes')
const packingTemplate = told('packing-templates')
const launchWindow = told('launch-windows')
const collection = told('collections')
const contact = told('contacts')
const factory = told('partner-locations', { role: 'factory' })
const mill = told('partner-locations', { role: 'mill' })
const warehouse = told('brand-locations', { role: 'warehouse' })
const port = told('brand-locations', { role: 'port_of_loading', isDefault: false })
const leixoes = told('locations', { code: 'PTLEI' })
const costa = told('suppliers', { code: 'V-0107' })
const bianchini = told('suppliers', { code: 'V-0108' })
const quote = told('quotes')
const offer2 = told('quote-revisions', { revisionNumber: 2 })
const offer3 = told('quote-revisions', { revisionNumber: 3 })
const item2 = told('quote-items', { quoteRevisionId: id(offer2) })
const lowBand = told('quote-price-bands', { quoteItemId: id(item2), minQuantity: 1 })
const midBand = told('quote-price-bands', { quoteItemId: id(item2), minQuantity: 300 })
const topBand = told('quote-price-bands', { quoteItemId: id(item2), minQuantity: 600 })
const note = told('quote-notes')
const proto = told('samples', { sampleNumber: 'SM-301' })
const protoRound2 = told('sample-rounds', { sampleId: id(proto), roundNumber: 2 })
const preProduction = told('samples', { sampleNumber: 'SM-340' })
const lastRound = told('sample-rounds', { sampleId: id(preProduction) })
const result = told('sample-checklist-results', {
  sampleRoundId: id(lastRound),
  itemKey: 'stitching',
})
const otherChecklist = copy(told('checklists'), { version: 2 })

const points = ['chest', 'length', 'sleeve']
const values = (...all: string[]) =>
  all.map((value, index) => ({ pointKey: points[index] ?? '', value }))

/** Broken: what is designed, sized, classified, offered and sampled. */
export const brokenCatalog: readonly Broken[] = [
  breaks('CAT-01', edit(indigoM, { productId: id(olderJacket) }), indigoM),
  breaks('CAT-02', remove(mOfIndigoM), indigoM),
  breaks('CAT-02', edit(mOfIndigoM, { dimensionValueId: id(sizeL) }), indigoM),
  breaks(
    'CAT-03',
    [remove(lOfIndigoL), edit(lOfIndigoL, { dimensionValueId: id(sizeM) })],
    // Of the two the one with the lower identity was there first.
    [indigoM, indigoL].sort((a, b) => (id(a) < id(b) ? 1 : -1))[0] ?? indigoM,
  ),
  breaks(
    'CAT-04',
    edit(mOfIndigoM, { dimensionValueId: id(waist30) }),
    edit(mOfIndigoM, { dimensionValueId: id(waist30) }),
  ),
  breaks(
    'CAT-05',
    edit(indigoLink, { optionValueId: id(ecruValue) }),
    edit(indigoLink, { optionValueId: id(ecruValue) }),
  ),
  breaks(
    'CAT-05',
    [remove(indigoLink), edit(indigoLink, { optionValueId: id(ecruValue) })],
    [indigo, ecru].sort((a, b) => (id(a) < id(b) ? 1 : -1))[0] ?? indigo,
  ),
  breaks('CAT-06', edit(version2, { versionNumber: 3 }), version2),
  breaks(
    'CAT-06',
    edit(version1, { status: 'approved' }),
    [version1, version2].sort((a, b) => (id(a) < id(b) ? 1 : -1))[0] ?? version2,
  ),
  breaks('CAT-07', [versionOfOlder, edit(bill, { productVersionId: id(versionOfOlder) })], bill),
  breaks('CAT-07', [versionOfOlder, edit(table, { productVersionId: id(versionOfOlder) })], table),
  breaks(
    'CAT-07',
    [copy(indigoM, { productId: id(olderJacket) }), edit(billSku, { skuId: id(copy(indigoM)) })],
    edit(billSku, { skuId: id(copy(indigoM)) }),
  ),
  breaks(
    'CAT-07',
    [copy(indigoM, { productId: id(olderJacket) }), edit(gradedM, { skuId: id(copy(indigoM)) })],
    edit(gradedM, { skuId: id(copy(indigoM)) }),
  ),
  breaks(
    'CAT-08',
    [edit(canvasPart, { extendedCost: '12.0436' }), edit(bill, { totalCost: '13.0536' })],
    canvasPart,
  ),
  breaks('CAT-08', edit(bill, { totalCost: '13.05' }), bill),
  breaks('CAT-09', edit(canvasPart, { materialId: id(button) }), canvasPart),
  breaks(
    'CAT-10',
    edit(canvas, {
      composition: [
        { fiber: 'cotton', percent: '98.00', recycled: false, countryOfOriginCode: 'TR' },
        { fiber: 'elastane', percent: '2.01', recycled: false, countryOfOriginCode: null },
      ],
    }),
    canvas,
  ),
  breaks('CAT-11', edit(gradedM, { measurements: values('58.0', '72.0') }), gradedM),
  breaks(
    'CAT-11',
    edit(gradedM, {
      measurements: [...values('58.0', '72.0', '84.0'), { pointKey: 'chest', value: '58.0' }],
    }),
    gradedM,
  ),
  breaks(
    'CAT-11',
    edit(gradedM, {
      measurements: [...values('58.0', '72.0', '84.0'), { pointKey: 'hem', value: '58.0' }],
    }),
    gradedM,
  ),
  breaks('CAT-12', edit(gradedL, { measurements: values('60.4', '73.5', '85.5') }), gradedL),
  breaks('CAT-13', edit(fabric, { relevantFieldKeys: ['placement', 'colour'] }), fabric),
  breaks(
    'CAT-14',
    edit(relation, { relatedProductId: id(jacket) }),
    edit(relation, { relatedProductId: id(jacket) }),
  ),
  breaks('CAT-15', edit(jackets, { level: 3 }), jackets),
  breaks('CAT-15', edit(jackets, { kind: 'material', level: 2 }), jackets, jacket, olderJacket),
  breaks('CAT-15', edit(fabrics, { level: 2 }), fabrics),
  breaks('CAT-15', edit(jacket, { categoryId: id(fabrics) }), jacket),
  breaks('CAT-15', edit(canvas, { categoryId: id(jackets) }), canvas),
  breaks('CAT-16', edit(indigoM, { customFields: { carbonKg: 1 } }), indigoM),
  breaks('CAT-16', remove(told('custom-field-definitions', { entity: 'orders' })), told('orders')),
  breaks(
    'CAT-16',
    edit(told('custom-field-definitions', { entity: 'parent-products' }), {
      deletedAt: '2026-05-01T00:00:00.000Z',
    }),
    jacket,
  ),
  breaks(
    'CAT-16',
    [
      ...[costa, canvas, told('shipments', { shipmentNumber: 'S-9001' })].map((each) =>
        edit(each, { customFields: { flavour: 'sweet' } }),
      ),
      edit(told('partners', { slug: 'costa-filhos' }), {
        relationship: {
          ...Object(told('partners', { slug: 'costa-filhos' }).record['relationship']),
          customFields: { flavour: 'sweet' },
        },
      }),
    ],
    told('partners', { slug: 'costa-filhos' }),
    costa,
    canvas,
    told('shipments', { shipmentNumber: 'S-9001' }),
  ),
  breaks('DIM-01', remove(sizeAxis), sizeCurve),
  breaks('DIM-01', edit(inseamAxis, { sequence: 3 }), inseamAxis),
  breaks(
    'DIM-01',
    edit(sizeAxis, { dimensionId: id(told('dimensions', { code: 'waist' })) }),
    sizeAxis,
  ),
  breaks('DIM-02', edit(sizeOnAxis, { dimensionValueId: id(waist30) }), sizeOnAxis),
  breaks('DIM-03', edit(share, { rowAxisValueId: id(waistOnAxis) }), share),
  breaks('DIM-03', edit(share, { columnAxisValueId: id(inseamOnAxis) }), share),
  breaks('DIM-03', edit(units, { columnAxisValueId: null }), units),
  breaks('DIM-03', edit(units, { columnAxisValueId: id(waistOnAxis) }), units),
  breaks('DIM-04', edit(share, { sharePercent: '10.01' }), sizeCurve),
  breaks('DIM-04', edit(prepack, { totalUnits: 13 }), prepack),
  breaks('REF-01', edit(netTerm, { netDays: null, installments: [] }), netTerm),
  breaks(
    'REF-01',
    edit(term, {
      installments: [30, 69].map((percent, index) => ({
        sequence: index + 1,
        name: 'Part',
        percent: `${percent}.99`,
        trigger: 'fixed_date',
        offsetDays: 0,
      })),
    }),
    term,
  ),
  breaks('REF-02', edit(cartonSize, { volumeCbm: '0.096001' }), cartonSize),
  breaks('REF-02', edit(packingTemplate, { unitsPerCarton: 24 }), packingTemplate),
  breaks('REF-03', edit(launchWindow, { endDate: '2026-08-16' }), launchWindow),
  breaks('REF-03', edit(collection, { endDate: '2026-07-31' }), collection),
  breaks('NET-01', copy(contact, { id: id(contact).replace(/^./, 'f') }), {
    ...contact,
    record: { ...contact.record, id: id(contact).replace(/^./, 'f') },
  }),
  breaks(
    'NET-01',
    copy(mill, { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff', locationId: id(leixoes) }),
    copy(mill, { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }),
  ),
  breaks(
    'NET-01',
    copy(warehouse, { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff', locationId: id(leixoes) }),
    copy(warehouse, { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }),
  ),
  breaks('NET-02', edit(bianchini, { defaultContactId: id(contact) }), bianchini),
  breaks('NET-02', edit(costa, { defaultLocationId: id(leixoes) }), costa),
  breaks('NET-02', remove(factory), costa),
  breaks('NET-03', remove(port), leixoes),
  breaks('NET-03', edit(port, { deletedAt: '2026-05-01T00:00:00.000Z' }), leixoes),
  breaks('SRC-01', edit(midBand, { minQuantity: 301 }), lowBand),
  breaks('SRC-01', edit(lowBand, { maxQuantity: 300 }), lowBand),
  breaks('SRC-01', edit(topBand, { maxQuantity: 5000 }), topBand),
  breaks('SRC-02', edit(midBand, { unitPrice: '27.5001' }), midBand),
  breaks('SRC-03', edit(item2, { unitPrice: '24.9000' }), item2),
  breaks('SRC-03', remove(topBand), item2),
  breaks('SRC-04', edit(offer2, { revisionNumber: 4 }), offer3),
  breaks('SRC-04', edit(quote, { status: 'negotiating' }), quote),
  breaks('SRC-04', edit(offer3, { status: 'superseded' }), quote),
  breaks('SRC-04', edit(offer2, { status: 'accepted' }), quote),
  breaks(
    'SRC-05',
    [copy(quote, { quoteNumber: 'Q-1' }), edit(note, { quoteId: id(copy(quote)) })],
    note,
  ),
  breaks('SRC-06', edit(protoRound2, { roundNumber: 3 }), protoRound2),
  breaks('SRC-06', edit(protoRound2, { decision: 'rejected' }), proto),
  breaks('SRC-06', edit(proto, { status: 'in_review' }), proto),
  breaks('SRC-07', edit(result, { itemKey: 'smell' }), result),
  breaks('SRC-07', edit(result, { result: 'fail' }), result),
  breaks('SRC-07', [otherChecklist, edit(result, { checklistId: id(otherChecklist) })], result),
  breaks('SRC-08', edit(lastRound, { measurements: values('59.1', '72.3', '84.0') }), lastRound),
  breaks('SRC-08', edit(protoRound2, { measurements: values('58', '70.9', '85') }), protoRound2),
]
