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
import { all, differ, present, same } from '../condition.ts'
import { detailText, find, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, notDeleted, row, textOf, valueFrom } from '../source.ts'
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
  where: notDeleted(componentOfBill),
  columns: { bomId: componentOfBill.bomId, cost: sum(componentOfBill.extendedCost) },
  group: [componentOfBill.bomId],
})

/** Number of sizes between a SKU and the base size of the table; null if the SKU has no such size. */
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
    'A bill of materials or measurement table and the SKUs it applies to belong to the product of its version.',
    'Assign the bill of materials or table to SKUs of its own product, or correct its version.',
    find({
      from: bill,
      join: [join(version, same(version.id, bill.productVersionId))],
      where: differ(version.productId, bill.productId),
      detail: detailText`belongs to product ${bill.productId}, its version to product ${version.productId}`,
    }),
    find({
      from: table,
      join: [join(version, same(version.id, table.productVersionId))],
      where: differ(version.productId, table.productId),
      detail: detailText`belongs to product ${table.productId}, its version to product ${version.productId}`,
    }),
    find({
      from: billSku,
      join: [join(bill, same(bill.id, billSku.bomId)), join(sku, same(sku.id, billSku.skuId))],
      where: all(notDeleted(bill), differ(sku.productId, bill.productId)),
      detail: detailText`SKU ${sku.code} belongs to product ${sku.productId}, the bill to ${bill.productId}`,
    }),
    find({
      from: graded,
      join: [
        join(table, same(table.id, graded.measurementTableId)),
        join(sku, same(sku.id, graded.skuId)),
      ],
      where: all(notDeleted(table), differ(sku.productId, table.productId)),
      detail: detailText`SKU ${sku.code} belongs to product ${sku.productId}, the table to ${table.productId}`,
    }),
  ),
  rule(
    'CAT-08',
    'error',
    ['bom-components', 'boms'],
    'extendedCost = quantity x (1 + wastagePercent / 100) x unitPrice to four places, and the totalCost of a bill of materials is the sum of its components.',
    'Recalculate extendedCost of the component and totalCost of the bill of materials.',
    scan({
      from: component,
      where: all(present(component.unitPrice), present(component.extendedCost)),
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
      detail: detailText`totalCost is ${bill.totalCost}, the components add up to ${orZero(billed.cost)}`,
    }),
  ),
  rule(
    'CAT-09',
    'error',
    ['bom-components'],
    "A component's material variant is a variant of its material.",
    'Choose a variant of the material of the component.',
    find({
      from: component,
      join: [join(variant, same(variant.id, component.materialVariantId))],
      where: differ(variant.materialId, component.materialId),
      detail: detailText`variant ${variant.code} belongs to material ${variant.materialId}, the component has ${component.materialId}`,
    }),
  ),
  rule(
    'CAT-10',
    'error',
    ['materials'],
    'The fibres of a material add up to 100 percent.',
    'Correct the composition so that the percentages add up to 100.',
    scan({
      from: material,
      where: present(textOf(material, 'composition')),
      read: { composition: textOf(material, 'composition') },
      judge: ({ composition }) => {
        const fibres = readList(composition)
        const total = addDecimals(...fibres.map(({ percent }) => parseDecimal(String(percent))))
        // An empty list is valid, for example for a metal button.
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
    'Add the missing graded values, or remove those that are there twice.',
    scan({
      from: graded,
      join: [join(table, same(table.id, graded.measurementTableId))],
      where: notDeleted(table),
      read: { points: textOf(table, 'points'), measurements: textOf(graded, 'measurements') },
      judge: ({ points, measurements }) => {
        const expectedKeys = measurePoints(points).map(({ key }) => key)
        const keys = gradedValues(measurements).map(({ pointKey }) => pointKey)
        const problems = [
          ...expectedKeys.filter((key) => !keys.includes(key)).map((key) => `${key} is missing`),
          ...keys
            .filter((key) => !expectedKeys.includes(key))
            .map((key) => `${key} is not a point of the table`),
          ...keys
            .filter((key, index) => keys.indexOf(key) < index)
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
    'A graded value is base + gradeStep x steps from the base size, if gradeStep is set.',
    'Recalculate the graded value, or set gradeStep to null if the point is graded by hand.',
    scan({
      from: graded,
      join: [join(table, same(table.id, graded.measurementTableId))],
      where: all(notDeleted(table), present(table.baseDimensionValueId)),
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
    'relevantFieldKeys contains only field names of bom-components.',
    'Remove the unknown field names from relevantFieldKeys.',
    scan({
      from: section,
      where: present(textOf(section, 'relevantFieldKeys')),
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
