import {
  amount,
  changeTimes,
  id,
  integer,
  nullable,
  recordTimes,
  ref,
  text,
  timestamp,
} from '../fields.ts'
import { resource } from '../resource.ts'

export const options = resource({
  path: 'options',
  name: 'Option',
  domain: 'reference',
  summary: 'A design attribute that products vary by, such as colour, wash or print.',
  unique: [['code']],
  title: 'name',
  fields: {
    id: id(),
    code: text(),
    name: text(),
    displayKind: text({ values: ['swatch', 'text', 'image'] }),
    sequence: integer(),
    status: text({ values: ['active', 'archived'] }),
    ...changeTimes,
  },
  filters: ['code', 'name', 'status'],
  sortable: ['name'],
  searchable: ['code', 'name'],
})

export const optionValues = resource({
  path: 'option-values',
  name: 'OptionValue',
  domain: 'reference',
  origin: 'specified',
  summary: 'One value of an option, such as indigo for colour.',
  unique: [['optionId', 'name']],
  title: 'name',
  parent: 'optionId',
  specifiedEndpoints: ['get'],
  fields: {
    id: id(),
    optionId: ref('options'),
    name: text(),
    code: nullable(text()),
    status: text({
      lifecycle: ['draft', 'active', 'archived'],
      note: 'Open list: the specification defines no values.',
    }),
    hexCode: nullable(text({ code: 'hex' })),
    sequence: nullable(integer()),
    swatchVersion: nullable(integer('Incremented each time the swatch image changes.')),
    ...changeTimes,
  },
  filters: [
    'optionId',
    ['productOptionId', { collection: 'product-option-values', match: 'optionValueId' }],
    'name',
    'code',
    'status',
  ],
  sortable: ['name'],
  searchable: ['name', 'code'],
})

export const dimensions = resource({
  path: 'dimensions',
  name: 'Dimension',
  domain: 'reference',
  summary: 'An attribute that products are sized by, such as size, inseam or cup.',
  unique: [['code']],
  title: 'name',
  fields: {
    id: id(),
    code: text(),
    name: text(),
    unitOfMeasureId: nullable(ref('units-of-measure', 'Set when the values are numeric.')),
    sequence: integer(),
    status: text({ values: ['active', 'archived'] }),
    ...changeTimes,
  },
  filters: [
    ['dimensionGroupId', { collection: 'dimension-group-dimensions', match: 'dimensionId' }],
    'code',
    'name',
    'status',
  ],
  sortable: ['name'],
  searchable: ['code', 'name'],
})

export const dimensionValues = resource({
  path: 'dimension-values',
  name: 'DimensionValue',
  domain: 'reference',
  summary: 'One value of a dimension, such as M or 32.',
  unique: [['dimensionId', 'code']],
  title: 'name',
  parent: 'dimensionId',
  fields: {
    id: id(),
    dimensionId: ref('dimensions'),
    code: text(),
    name: text(),
    numericValue: nullable(amount('quantity')),
    sequence: integer('Sort order, from small to large.'),
    status: text({ values: ['active', 'archived'] }),
    ...changeTimes,
  },
  filters: [
    'dimensionId',
    [
      'productOptionId',
      { collection: 'product-option-dimension-values', match: 'dimensionValueId' },
    ],
    ['skuId', { collection: 'sku-dimension-values', match: 'dimensionValueId' }],
    'code',
    'name',
    'status',
  ],
  sortable: ['name'],
  searchable: ['code', 'name'],
})

export const dimensionGroups = resource({
  path: 'dimension-groups',
  name: 'DimensionGroup',
  domain: 'reference',
  summary: 'A size system: the set of dimensions that a kind of product is sized by.',
  unique: [['code']],
  title: 'name',
  fields: {
    id: id(),
    code: text(),
    name: text(),
    description: nullable(text()),
    status: text({ values: ['active', 'archived'] }),
    ...changeTimes,
  },
  filters: [
    ['dimensionId', { collection: 'dimension-group-dimensions', match: 'dimensionGroupId' }],
    'code',
    'name',
    'status',
  ],
  sortable: ['name'],
  searchable: ['code', 'name'],
})

export const dimensionGroupDimensions = resource({
  path: 'dimension-group-dimensions',
  name: 'DimensionGroupDimension',
  domain: 'reference',
  summary: 'Assigns a dimension to a dimension group, with its position.',
  key: ['dimensionGroupId', 'dimensionId'],
  parent: 'dimensionGroupId',
  fields: {
    dimensionGroupId: ref('dimension-groups'),
    dimensionId: ref('dimensions'),
    sequence: integer(),
    createdAt: timestamp(),
  },
  filters: ['dimensionGroupId', 'dimensionId'],
})

export const dimensionCurves = resource({
  path: 'dimension-curves',
  name: 'DimensionCurve',
  domain: 'reference',
  summary:
    'How a quantity is distributed over sizes: a size curve in percent, or a prepack in pieces.',
  unique: [['code']],
  title: 'name',
  fields: {
    id: id(),
    dimensionGroupId: ref('dimension-groups'),
    code: text(),
    name: text(),
    kind: text({ values: ['size_curve', 'prepack'] }),
    totalUnits: nullable(integer("Prepacks: pieces in one pack, the sum of the cells' units.")),
    status: text({ lifecycle: ['draft', 'active', 'archived'] }),
    ...recordTimes,
  },
  filters: ['dimensionGroupId', 'code', 'name', 'kind', 'status'],
  sortable: ['name'],
  searchable: ['code', 'name'],
})

export const dimensionCurveAxes = resource({
  path: 'dimension-curve-axes',
  name: 'DimensionCurveAxis',
  domain: 'reference',
  origin: 'specified',
  summary: 'One dimension of a curve.',
  unique: [
    ['curveId', 'dimensionId'],
    ['curveId', 'sequence'],
  ],
  title: 'sequence',
  parent: 'curveId',
  specifiedEndpoints: ['list'],
  fields: {
    id: id(),
    curveId: ref('dimension-curves'),
    dimensionId: ref('dimensions'),
    sequence: integer('1 = rows, 2 = columns.'),
  },
  filters: ['curveId', 'dimensionId'],
  sortable: ['sequence'],
})

export const dimensionCurveAxisValues = resource({
  path: 'dimension-curve-axis-values',
  name: 'DimensionCurveAxisValue',
  domain: 'reference',
  summary: 'One dimension value on an axis of a curve.',
  unique: [['axisId', 'dimensionValueId']],
  title: 'sequence',
  parent: 'axisId',
  fields: {
    id: id(),
    axisId: ref('dimension-curve-axes'),
    dimensionValueId: ref('dimension-values'),
    sequence: integer(),
  },
  filters: ['axisId', 'dimensionValueId'],
  sortable: ['sequence'],
})

export const dimensionCurveCells = resource({
  path: 'dimension-curve-cells',
  name: 'DimensionCurveCell',
  domain: 'reference',
  summary: 'The percentage or number of pieces that a curve assigns to one size combination.',
  unique: [['curveId', 'rowAxisValueId', 'columnAxisValueId']],
  title: 'sharePercent',
  parent: 'curveId',
  fields: {
    id: id(),
    curveId: ref('dimension-curves'),
    rowAxisValueId: ref('dimension-curve-axis-values', 'A value of the axis with sequence 1.'),
    columnAxisValueId: nullable(
      ref(
        'dimension-curve-axis-values',
        'A value of the axis with sequence 2. Null if the curve has one axis.',
      ),
    ),
    sharePercent: nullable(
      amount('percent', null, 'Size curves only. The cells of a curve add up to 100.'),
    ),
    units: nullable(integer('Prepacks: pieces per pack.')),
  },
  filters: ['curveId', 'rowAxisValueId', 'columnAxisValueId'],
  sortable: ['sharePercent'],
})
