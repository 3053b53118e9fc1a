import {
  addDecimals,
  compareDecimals,
  definitions,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  roundToSame,
} from '#contract'
import { orZero, sum, unequal } from '../amount.ts'
import { all, differ, given, same } from '../condition.ts'
import { find, say, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, kept, leftJoin, row, textOf, valueFrom } from '../source.ts'
import { sql } from '../sql.ts'
import { gradedValues, measurePoints, readList } from './lists.ts'

const version = row('product-versions', 'version')
const sku = row('skus', 'sku')
const bill = row('boms', 'bill')
const billSku = row('bom-skus', 'billSku')
const component = row('bom-components', 'component')
const section = row('bom-sections', 'section')
const material = row('materials', 'material')
const variant = row('material-variants', 'variant')
const table = row('measurement-tables', 'sheet')
const graded = row('measurement-table-skus', 'graded')
const skuValue = row('sku-dimension-values', 'skuValue')
const size = row('dimension-values', 'size')
const baseSize = row('dimension-values', 'baseSize')
const ownSize = row('dimension-values', 'ownSize')
const componentOfBill = row('bom-components', 'part')

const billed = derived('billed', {
  from: componentOfBill,
  where: kept(componentOfBill),
  columns: { bomId: componentOfBill.bomId, cost: sum(componentOfBill.extendedCost) },
  group: [componentOfBill.bomId],
})

/** How many sizes a SKU lies above the base size of the table; unknown when it is not sized so. */
const stepsFromBase = valueFrom(
  sql`sum(case
    when ${size.sequence} > ${baseSize.sequence} and ${size.sequence} <= ${ownSize.sequence} then 1
    when ${size.sequence} <= ${baseSize.sequence} and ${size.sequence} > ${ownSize.sequence} then -1
    else 0 end)`,
  {
    from: skuValue,
    join: [
      join(ownSize, same(ownSize.id, skuValue.dimensionValueId)),
      join(
        baseSize,
        all(
          same(baseSize.id, table.baseDimensionValueId),
          same(baseSize.dimensionId, ownSize.dimensionId),
        ),
      ),
      join(size, same(size.dimensionId, ownSize.dimensionId)),
    ],
    where: same(skuValue.skuId, graded.skuId),
  },
)

const hundred = parseDecimal('100')

/** CAT-07 to CAT-13: bills of materials, materials and measurements. */
export const specificationRules: readonly Rule[] = [
  rule(
    'CAT-07',
    'error',
    ['boms', 'measurement-tables'],
    'A bill of materials or measurement table belongs to the product of its version, and so do the SKUs it applies to.',
    find({
      from: bill,
      join: [join(version, same(version.id, bill.productVersionId))],
      where: differ(version.productId, bill.productId),
      detail: say`of product ${bill.productId}, its version of product ${version.productId}`,
    }),
    find({
      from: table,
      join: [join(version, same(version.id, table.productVersionId))],
      where: differ(version.productId, table.productId),
      detail: say`of product ${table.productId}, its version of product ${version.productId}`,
    }),
    find({
      from: billSku,
      join: [join(bill, same(bill.id, billSku.bomId)), join(sku, same(sku.id, billSku.skuId))],
      where: all(kept(bill), differ(sku.productId, bill.productId)),
      detail: say`SKU ${sku.code} is of product ${sku.productId}, the bill of ${bill.productId}`,
    }),
    find({
      from: graded,
      join: [
        join(table, same(table.id, graded.measurementTableId)),
        join(sku, same(sku.id, graded.skuId)),
      ],
      where: all(kept(table), differ(sku.productId, table.productId)),
      detail: say`SKU ${sku.code} is of product ${sku.productId}, the table of ${table.productId}`,
    }),
  ),
  rule(
    'CAT-08',
    'error',
    ['bom-components', 'boms'],
    "extendedCost = quantity x (1 + wastagePercent / 100) x unitPrice to four places, and a bill's totalCost is the sum of them.",
    scan({
      from: component,
      where: all(given(component.unitPrice), given(component.extendedCost)),
      read: {
        quantity: textOf(component, 'quantity'),
        wastage: textOf(component, 'wastagePercent'),
        price: textOf(component, 'unitPrice'),
        cost: textOf(component, 'extendedCost'),
      },
      judge: ({ quantity, wastage, price, cost }) => {
        const percent = addDecimals(hundred, parseDecimal(wastage ?? '0'))
        const exact = multiplyDecimals(
          parseDecimal(quantity ?? '0'),
          { ...percent, scale: percent.scale + 2 },
          parseDecimal(price ?? '0'),
        )
        if (roundToSame(exact, parseDecimal(cost ?? '0'), 4)) return undefined
        return `extendedCost is ${cost}, the figures make ${formatDecimal(exact)}`
      },
    }),
    find({
      from: bill,
      join: [leftJoin(billed, same(billed.bomId, bill.id))],
      where: unequal(bill.totalCost, orZero(billed.cost)),
      detail: say`totalCost is ${bill.totalCost}, the components make ${orZero(billed.cost)}`,
    }),
  ),
  rule(
    'CAT-09',
    'error',
    ['bom-components'],
    "A component's material variant is a variant of its material.",
    find({
      from: component,
      join: [join(variant, same(variant.id, component.materialVariantId))],
      where: differ(variant.materialId, component.materialId),
      detail: say`variant ${variant.code} is of material ${variant.materialId}, the component of ${component.materialId}`,
    }),
  ),
  rule(
    'CAT-10',
    'error',
    ['materials'],
    'The fibres of a material add up to 100 percent.',
    scan({
      from: material,
      where: given(textOf(material, 'composition')),
      read: { composition: textOf(material, 'composition') },
      judge: ({ composition }) => {
        const fibres = readList(composition)
        const total = addDecimals(...fibres.map(({ percent }) => parseDecimal(String(percent))))
        // A list without fibres says nothing about them, as in a metal button.
        if (fibres.length === 0 || compareDecimals(total, hundred) === 0) return undefined
        return `the fibres make ${formatDecimal(total)} percent`
      },
    }),
  ),
  rule(
    'CAT-11',
    'error',
    ['measurement-table-skus'],
    'Graded values cover every point of the table once.',
    scan({
      from: graded,
      join: [join(table, same(table.id, graded.measurementTableId))],
      where: kept(table),
      read: { points: textOf(table, 'points'), measurements: textOf(graded, 'measurements') },
      judge: ({ points, measurements }) => {
        const wanted = measurePoints(points).map(({ key }) => key)
        const found = gradedValues(measurements).map(({ pointKey }) => pointKey)
        const problems = [
          ...wanted.filter((key) => !found.includes(key)).map((key) => `${key} is missing`),
          ...found.filter((key) => !wanted.includes(key)).map((key) => `${key} is no point`),
          ...found
            .filter((key, index) => found.indexOf(key) < index)
            .map((key) => `${key} is there twice`),
        ]
        return problems.length > 0 ? problems.join(', ') : undefined
      },
    }),
  ),
  rule(
    'CAT-12',
    'warning',
    ['measurement-table-skus'],
    'A graded value is base + gradeStep x steps from the base size, where a step is given.',
    scan({
      from: graded,
      join: [join(table, same(table.id, graded.measurementTableId))],
      where: all(kept(table), given(table.baseDimensionValueId)),
      read: {
        points: textOf(table, 'points'),
        measurements: textOf(graded, 'measurements'),
        steps: stepsFromBase,
      },
      judge: ({ points, measurements, steps }) => {
        if (steps === null) return undefined
        const values = new Map(
          gradedValues(measurements).map(({ pointKey, value }) => [pointKey, value]),
        )
        const problems = measurePoints(points).flatMap(({ key, baseValue, gradeStep }) => {
          const value = values.get(key)
          if (gradeStep === null || value === undefined) return []
          const expected = addDecimals(
            parseDecimal(baseValue),
            multiplyDecimals(parseDecimal(gradeStep), parseDecimal(steps)),
          )
          if (compareDecimals(parseDecimal(value), expected) === 0) return []
          return [`${key} is ${value}, ${formatDecimal(expected)} by its steps`]
        })
        return problems.length > 0 ? problems.join(', ') : undefined
      },
    }),
  ),
  rule(
    'CAT-13',
    'warning',
    ['bom-sections'],
    'relevantFieldKeys names fields of bom-components.',
    scan({
      from: section,
      where: given(textOf(section, 'relevantFieldKeys')),
      read: { keys: textOf(section, 'relevantFieldKeys') },
      judge: ({ keys }) => {
        const unknown = readList(keys)
          .map(String)
          .filter((key) => !Object.hasOwn(definitions.bomComponents.fields, key))
        return unknown.length > 0 ? `no field is called ${unknown.join(', ')}` : undefined
      },
    }),
  ),
]
