import {
  amount,
  any,
  changeTimes,
  id,
  integer,
  nullable,
  person,
  recordTimes,
  ref,
  text,
  timestamp,
} from '../fields.ts'
import { resource } from '../resource.ts'
import { skuViews } from '../views/logistics.ts'

export const parentProducts = resource({
  path: 'parent-products',
  name: 'ParentProduct',
  domain: 'catalog',
  summary: 'A style: the product as designed, before colourways and sizes.',
  unique: [['code']],
  title: 'name',
  fields: {
    id: id(),
    code: text('Style number.'),
    name: text(),
    description: nullable(text()),
    status: text({
      lifecycle: ['concept', 'development', 'adopted', 'active', 'discontinued'],
      values: ['dropped'],
    }),
    categoryId: nullable(ref('categories')),
    dimensionGroupId: nullable(ref('dimension-groups', 'The size system its SKUs use.')),
    supplierId: nullable(
      ref('suppliers', 'Main supplier. The suppliers actually used are those of its orders.'),
    ),
    ownerUserId: nullable(person()),
    department: nullable(
      text({ values: ['womens', 'mens', 'unisex', 'kids', 'home', 'accessories'] }),
    ),
    countryOfOriginCode: nullable(text({ code: 'country' })),
    htsCode: nullable(text({ code: 'hts', note: 'Harmonised tariff code: 6 to 10 digits.' })),
    careInstructions: nullable(text()),
    customFields: nullable(
      any('Object keyed by custom-field-definitions.key of entity parent-products.'),
    ),
    ...recordTimes,
  },
  filters: [
    'categoryId',
    'dimensionGroupId',
    'supplierId',
    ['tagId', { collection: 'product-tags', match: 'productId' }],
    ['collectionId', { collection: 'product-collections', match: 'productId' }],
    ['launchWindowId', { collection: 'product-launch-windows', match: 'productId' }],
    ['relatedProductId', { collection: 'product-relations', match: 'productId' }],
    'code',
    'name',
    'status',
    'department',
  ],
  sortable: ['code', 'name'],
  searchable: ['code', 'name'],
})

export const productOptions = resource({
  path: 'product-options',
  name: 'ProductOption',
  domain: 'catalog',
  summary:
    'A variation of a style that can be ordered, typically a colourway: one combination of option values.',
  unique: [['code']],
  title: 'name',
  parent: 'productId',
  fields: {
    id: id(),
    productId: ref('parent-products'),
    code: text('Style-colour number.'),
    name: text(),
    status: text({
      lifecycle: ['development', 'adopted', 'active', 'discontinued'],
      values: ['dropped'],
    }),
    colorId: nullable(ref('colors', 'Main colour, for merchandising.')),
    packingTemplateId: nullable(ref('packing-templates')),
    dimensionCurveId: nullable(
      ref('dimension-curves', 'How an order quantity is distributed over sizes.'),
    ),
    plannedUnits: nullable(integer()),
    sequence: integer(),
    ...recordTimes,
  },
  filters: [
    'productId',
    'colorId',
    'packingTemplateId',
    'dimensionCurveId',
    ['optionValueId', { collection: 'product-option-values', match: 'productOptionId' }],
    ['collectionId', { collection: 'product-option-collections', match: 'productOptionId' }],
    [
      'dimensionValueId',
      { collection: 'product-option-dimension-values', match: 'productOptionId' },
    ],
    'code',
    'name',
    'status',
  ],
  sortable: ['code', 'name'],
  searchable: ['code', 'name'],
})

export const skus = resource({
  group: 'SKUs',
  path: 'skus',
  name: 'Sku',
  domain: 'catalog',
  summary: 'A stock-keeping unit: one product option in one combination of dimension values.',
  unique: [['code'], ['gtin']],
  title: 'code',
  parent: 'productOptionId',
  views: skuViews,
  fields: {
    id: id(),
    productId: ref('parent-products'),
    productOptionId: ref('product-options'),
    code: text(),
    name: nullable(text()),
    gtin: nullable(
      text({
        code: 'gtin',
        note: 'GTIN-8, GTIN-12, GTIN-13 or GTIN-14, including the check digit.',
      }),
    ),
    status: text({ lifecycle: ['planned', 'active', 'discontinued'], values: ['blocked'] }),
    unitOfMeasureId: nullable(ref('units-of-measure')),
    netWeightKg: nullable(amount('weightKg')),
    lengthCm: nullable(amount('lengthCm')),
    widthCm: nullable(amount('lengthCm')),
    heightCm: nullable(amount('lengthCm')),
    countryOfOriginCode: nullable(text({ code: 'country' })),
    htsCode: nullable(text({ code: 'hts' })),
    customFields: nullable(any('Object keyed by custom-field-definitions.key of entity skus.')),
    ...recordTimes,
  },
  filters: [
    'productId',
    'productOptionId',
    ['dimensionValueId', { collection: 'sku-dimension-values', match: 'skuId' }],
    ['bomId', { collection: 'bom-skus', match: 'skuId' }],
    ['measurementTableId', { collection: 'measurement-table-skus', match: 'skuId' }],
    'code',
    'gtin',
    'status',
  ],
  sortable: ['code', 'name', 'gtin'],
  searchable: ['code', 'name', 'gtin'],
})

export const productVersions = resource({
  path: 'product-versions',
  name: 'ProductVersion',
  domain: 'catalog',
  summary:
    "A numbered version of a product's specification (bill of materials, measurements, tech pack) that orders refer to.",
  unique: [['productId', 'versionNumber']],
  title: 'label',
  parent: 'productId',
  fields: {
    id: id(),
    productId: ref('parent-products'),
    versionNumber: integer(),
    label: nullable(text()),
    status: text({ lifecycle: ['draft', 'in_review', 'approved', 'superseded'] }),
    changeSummary: nullable(text()),
    approvedAt: nullable(timestamp()),
    approvedByUserId: nullable(person()),
    ...changeTimes,
  },
  filters: ['productId', 'status', 'label'],
  sortable: ['versionNumber', 'label'],
  searchable: ['label'],
})

export const productRelations = resource({
  path: 'product-relations',
  name: 'ProductRelation',
  domain: 'catalog',
  summary: 'A directed link between two styles, such as a carry-over or a component of a set.',
  key: ['productId', 'relatedProductId', 'kind'],
  parent: 'productId',
  fields: {
    productId: ref('parent-products'),
    relatedProductId: ref('parent-products'),
    kind: text({
      values: ['carry_over_of', 'derived_from', 'set_component', 'companion', 'replaced_by'],
    }),
    quantity: nullable(integer('Number of pieces of the related product in a set.')),
    sequence: nullable(integer()),
    createdAt: timestamp(),
  },
  filters: ['productId', 'relatedProductId', 'kind'],
})

export const productOptionValues = resource({
  path: 'product-option-values',
  name: 'ProductOptionValue',
  domain: 'catalog',
  summary: 'One of the option values that define a product option.',
  key: ['productOptionId', 'optionValueId'],
  parent: 'productOptionId',
  fields: {
    productOptionId: ref('product-options'),
    optionValueId: ref('option-values'),
    sequence: nullable(integer()),
    createdAt: timestamp(),
  },
  filters: ['productOptionId', 'optionValueId'],
})

export const productOptionDimensionValues = resource({
  path: 'product-option-dimension-values',
  name: 'ProductOptionDimensionValue',
  domain: 'catalog',
  summary: 'A dimension value (a size) in which a product option is offered.',
  key: ['productOptionId', 'dimensionValueId'],
  parent: 'productOptionId',
  fields: {
    productOptionId: ref('product-options'),
    dimensionValueId: ref('dimension-values'),
    sequence: nullable(integer()),
    createdAt: timestamp(),
  },
  filters: ['productOptionId', 'dimensionValueId'],
})

export const productOptionPrices = resource({
  path: 'product-option-prices',
  name: 'ProductOptionPrice',
  domain: 'catalog',
  origin: 'specified',
  summary: 'A price of a product option, one per kind and currency.',
  key: ['productOptionId', 'kind', 'currency'],
  parent: 'productOptionId',
  specifiedEndpoints: ['list'],
  fields: {
    productOptionId: ref('product-options'),
    kind: text({
      values: ['target_cost', 'landed_cost', 'wholesale', 'retail', 'sale'],
      note: 'Open list: the specification defines no values.',
    }),
    currency: text({ code: 'currency' }),
    amount: amount('money', 'currency'),
  },
  filters: [
    'productOptionId',
    ['productId', { collection: 'product-options', match: 'id', local: 'productOptionId' }],
    'kind',
    'currency',
  ],
  sortable: ['amount'],
})

export const productOptionCollections = resource({
  path: 'product-option-collections',
  name: 'ProductOptionCollection',
  domain: 'catalog',
  summary: 'Links a product option to a collection.',
  key: ['productOptionId', 'collectionId'],
  parent: 'productOptionId',
  fields: {
    productOptionId: ref('product-options'),
    collectionId: ref('collections'),
    createdAt: timestamp(),
  },
  filters: ['productOptionId', 'collectionId'],
})

export const skuDimensionValues = resource({
  path: 'sku-dimension-values',
  name: 'SkuDimensionValue',
  domain: 'catalog',
  summary:
    "One dimension value of a SKU. A SKU has one for each dimension in its product's dimension group.",
  key: ['skuId', 'dimensionValueId'],
  parent: 'skuId',
  fields: { skuId: ref('skus'), dimensionValueId: ref('dimension-values'), createdAt: timestamp() },
  filters: ['skuId', 'dimensionValueId'],
})

export const productCollections = resource({
  path: 'product-collections',
  name: 'ProductCollection',
  domain: 'catalog',
  summary: 'Links a product to a collection.',
  key: ['productId', 'collectionId'],
  parent: 'productId',
  fields: {
    productId: ref('parent-products'),
    collectionId: ref('collections'),
    createdAt: timestamp(),
  },
  filters: ['productId', 'collectionId'],
})

export const productTags = resource({
  path: 'product-tags',
  name: 'ProductTag',
  domain: 'catalog',
  summary: 'Links a product to a tag.',
  key: ['productId', 'tagId'],
  parent: 'productId',
  fields: { productId: ref('parent-products'), tagId: ref('tags'), createdAt: timestamp() },
  filters: ['productId', 'tagId'],
})

export const productLaunchWindows = resource({
  path: 'product-launch-windows',
  name: 'ProductLaunchWindow',
  domain: 'catalog',
  origin: 'specified',
  summary: 'Links a product to a launch window it is planned for.',
  key: ['productId', 'launchWindowId'],
  parent: 'productId',
  specifiedEndpoints: ['list'],
  fields: {
    productId: ref('parent-products'),
    launchWindowId: ref('launch-windows'),
    createdAt: timestamp(),
  },
  filters: ['productId', 'launchWindowId'],
})
