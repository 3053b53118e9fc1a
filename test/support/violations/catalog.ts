import { type Broken, breaks, copy, edit, id, remove, storyRecord } from './story.ts'

const jacket = storyRecord('parent-products', { code: 'AM-1042' })
const olderJacket = storyRecord('parent-products', { code: 'AM-0987' })
const indigo = storyRecord('product-options', { code: 'AM-1042-IND' })
const ecru = storyRecord('product-options', { code: 'AM-1042-ECR' })
const indigoLink = storyRecord('product-option-values', { productOptionId: id(indigo) })
const ecruValue = storyRecord('option-values', { code: 'ECR' })
const indigoM = storyRecord('skus', { code: 'AM-1042-IND-M' })
const indigoL = storyRecord('skus', { code: 'AM-1042-IND-L' })
const mOfIndigoM = storyRecord('sku-dimension-values', { skuId: id(indigoM) })
const lOfIndigoL = storyRecord('sku-dimension-values', { skuId: id(indigoL) })
const sizeM = storyRecord('dimension-values', { code: 'M' })
const sizeL = storyRecord('dimension-values', { code: 'L' })
const waist30 = storyRecord('dimension-values', { code: '30' })
const version1 = storyRecord('product-versions', { versionNumber: 1 })
const version2 = storyRecord('product-versions', { versionNumber: 2 })
const versionOfOlder = copy(version1, { productId: id(olderJacket) })
const bill = storyRecord('boms', { code: 'BOM-1042-IND' })
const billSku = storyRecord('bom-skus', { bomId: id(bill) })
const canvasPart = storyRecord('bom-components', { bomId: id(bill), sequence: 1 })
const button = storyRecord('materials', { code: 'BTN-20' })
const canvas = storyRecord('materials', { code: 'CANVAS-340' })
const fabric = storyRecord('bom-sections', { code: 'fabric' })
const table = storyRecord('measurement-tables', { code: 'MT-1042' })
const gradedM = storyRecord('measurement-table-skus', { skuId: id(indigoM) })
const gradedL = storyRecord('measurement-table-skus', { skuId: id(indigoL) })
const relation = storyRecord('product-relations')
const jackets = storyRecord('categories', { code: 'APP-JKT' })
const fabrics = storyRecord('categories', { code: 'FAB' })
const sizeCurve = storyRecord('dimension-curves', { kind: 'size_curve' })
const prepack = storyRecord('dimension-curves', { kind: 'prepack' })
const sizeAxis = storyRecord('dimension-curve-axes', { curveId: id(sizeCurve) })
const waistAxis = storyRecord('dimension-curve-axes', { curveId: id(prepack), sequence: 1 })
const inseamAxis = storyRecord('dimension-curve-axes', { curveId: id(prepack), sequence: 2 })
const sizeOnAxis = storyRecord('dimension-curve-axis-values', { axisId: id(sizeAxis) })
const waistOnAxis = storyRecord('dimension-curve-axis-values', { axisId: id(waistAxis) })
const inseamOnAxis = storyRecord('dimension-curve-axis-values', { axisId: id(inseamAxis) })
const share = storyRecord('dimension-curve-cells', { curveId: id(sizeCurve) })
const units = storyRecord('dimension-curve-cells', { curveId: id(prepack) })
const term = storyRecord('payment-terms', { code: 'TT-30-70-BL' })
const netTerm = storyRecord('payment-terms', { code: 'NET-30' })
const cartonSize = storyRecord('carton-sizes')
const packingTemplate = storyRecord('packing-templates')
const launchWindow = storyRecord('launch-windows')
const collection = storyRecord('collections')
const contact = storyRecord('contacts')
const factory = storyRecord('partner-locations', { role: 'factory' })
const mill = storyRecord('partner-locations', { role: 'mill' })
const warehouse = storyRecord('brand-locations', { role: 'warehouse' })
const port = storyRecord('brand-locations', { role: 'port_of_loading', isDefault: false })
const leixoes = storyRecord('locations', { code: 'PTLEI' })
const costa = storyRecord('suppliers', { code: 'V-0107' })
const bianchini = storyRecord('suppliers', { code: 'V-0108' })
const quote = storyRecord('quotes')
const offer2 = storyRecord('quote-revisions', { revisionNumber: 2 })
const offer3 = storyRecord('quote-revisions', { revisionNumber: 3 })
const item2 = storyRecord('quote-items', { quoteRevisionId: id(offer2) })
const lowBand = storyRecord('quote-price-bands', { quoteItemId: id(item2), minQuantity: 1 })
const midBand = storyRecord('quote-price-bands', { quoteItemId: id(item2), minQuantity: 300 })
const topBand = storyRecord('quote-price-bands', { quoteItemId: id(item2), minQuantity: 600 })
const note = storyRecord('quote-notes')
const proto = storyRecord('samples', { sampleNumber: 'SM-301' })
const protoRound2 = storyRecord('sample-rounds', { sampleId: id(proto), roundNumber: 2 })
const preProduction = storyRecord('samples', { sampleNumber: 'SM-340' })
const lastRound = storyRecord('sample-rounds', { sampleId: id(preProduction) })
const result = storyRecord('sample-checklist-results', {
  sampleRoundId: id(lastRound),
  itemKey: 'stitching',
})
const otherChecklist = copy(storyRecord('checklists'), { version: 2 })

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
  breaks(
    'CAT-16',
    remove(storyRecord('custom-field-definitions', { entity: 'orders' })),
    storyRecord('orders'),
  ),
  breaks(
    'CAT-16',
    edit(storyRecord('custom-field-definitions', { entity: 'parent-products' }), {
      deletedAt: '2026-05-01T00:00:00.000Z',
    }),
    jacket,
  ),
  breaks(
    'CAT-16',
    [
      ...[costa, canvas, storyRecord('shipments', { shipmentNumber: 'S-9001' })].map((each) =>
        edit(each, { customFields: { flavour: 'sweet' } }),
      ),
      edit(storyRecord('partners', { slug: 'costa-filhos' }), {
        relationship: {
          ...Object(storyRecord('partners', { slug: 'costa-filhos' }).record['relationship']),
          customFields: { flavour: 'sweet' },
        },
      }),
    ],
    storyRecord('partners', { slug: 'costa-filhos' }),
    costa,
    canvas,
    storyRecord('shipments', { shipmentNumber: 'S-9001' }),
  ),
  breaks('DIM-01', remove(sizeAxis), sizeCurve),
  breaks('DIM-01', edit(inseamAxis, { sequence: 3 }), inseamAxis),
  breaks(
    'DIM-01',
    edit(sizeAxis, { dimensionId: id(storyRecord('dimensions', { code: 'waist' })) }),
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
