import { addDecimals, compareDecimals, formatDecimal, parseDecimal } from '#contract'
import { apart, count, orZero, shiftedBy, sum, times, unequal, whole } from '../amount.ts'
import { all, any, differ, is, missing, present, same } from '../condition.ts'
import { detailText, find, numbered, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, none, notDeleted, row, some, textOf } from '../source.ts'
import { sql } from '../sql.ts'
import { readList } from './lists.ts'

const curve = row('dimension-curves', 'curve')
const axis = row('dimension-curve-axes', 'axis')
const axisValue = row('dimension-curve-axis-values', 'axisValue')
const cell = row('dimension-curve-cells', 'cell')
const dimensionValue = row('dimension-values', 'dimensionValue')
const groupDimension = row('dimension-group-dimensions', 'member')
const term = row('payment-terms', 'term')
const cartonSize = row('carton-sizes', 'cartonSize')
const template = row('packing-templates', 'template')
const launchWindow = row('launch-windows', 'launchWindow')
const collection = row('collections', 'collection')

const axes = derived('axes', {
  from: axis,
  columns: { curveId: axis.curveId, count },
  group: [axis.curveId],
})

const rowValue = row('dimension-curve-axis-values', 'rowValue')
const rowAxis = row('dimension-curve-axes', 'rowAxis')
const columnValue = row('dimension-curve-axis-values', 'columnValue')
const columnAxis = row('dimension-curve-axes', 'columnAxis')

const hasSecondAxis = some({
  from: axis,
  where: all(same(axis.curveId, cell.curveId), sql`${axis.sequence} = 2`),
})

const cells = derived('cells', {
  from: cell,
  columns: { curveId: cell.curveId, share: sum(cell.sharePercent), units: sum(cell.units) },
  group: [cell.curveId],
})

/** DIM-01 to DIM-04: dimension curves. */
export const curveRules: readonly Rule[] = [
  rule(
    'DIM-01',
    'error',
    ['dimension-curves', 'dimension-curve-axes'],
    'A curve has one or two axes, numbered from 1, over dimensions of its group.',
    'Correct the axes of the curve: one or two, numbered from 1, over dimensions of its group.',
    find({
      from: curve,
      join: [leftJoin(axes, same(axes.curveId, curve.id))],
      where: sql`coalesce(${axes.count}, 0) not in (1, 2)`,
      detail: detailText`${orZero(axes.count)} axes`,
    }),
    numbered({ of: axis, within: axis.curveId, number: axis.sequence }),
    find({
      from: axis,
      join: [join(curve, same(curve.id, axis.curveId))],
      where: all(
        notDeleted(curve),
        none({
          from: groupDimension,
          where: all(
            same(groupDimension.dimensionGroupId, curve.dimensionGroupId),
            same(groupDimension.dimensionId, axis.dimensionId),
          ),
        }),
      ),
      detail: detailText`dimension ${axis.dimensionId} is not in the group of curve ${curve.code}`,
    }),
  ),
  rule(
    'DIM-02',
    'error',
    ['dimension-curve-axis-values'],
    "A value on an axis is a value of the axis's dimension.",
    'Replace the value by one of the dimension of the axis.',
    find({
      from: axisValue,
      join: [
        join(axis, same(axis.id, axisValue.axisId)),
        join(dimensionValue, same(dimensionValue.id, axisValue.dimensionValueId)),
      ],
      where: differ(dimensionValue.dimensionId, axis.dimensionId),
      detail: detailText`${dimensionValue.code} belongs to dimension ${dimensionValue.dimensionId}, the axis to ${axis.dimensionId}`,
    }),
  ),
  rule(
    'DIM-03',
    'error',
    ['dimension-curve-cells'],
    'A cell belongs to its curve: the row value is from axis 1 and the column value from axis 2; there is a column value if and only if there is an axis 2.',
    'Correct the row or column value of the cell, or delete the cell.',
    find({
      from: cell,
      join: [
        leftJoin(rowValue, same(rowValue.id, cell.rowAxisValueId)),
        leftJoin(rowAxis, same(rowAxis.id, rowValue.axisId)),
        leftJoin(columnValue, same(columnValue.id, cell.columnAxisValueId)),
        leftJoin(columnAxis, same(columnAxis.id, columnValue.axisId)),
      ],
      where: any(
        differ(rowAxis.curveId, cell.curveId),
        sql`${rowAxis.sequence} <> 1`,
        differ(columnAxis.curveId, cell.curveId),
        sql`${columnAxis.sequence} <> 2`,
        all(present(cell.columnAxisValueId), sql`not ${hasSecondAxis}`),
        all(missing(cell.columnAxisValueId), hasSecondAxis),
      ),
      detail: detailText`row on axis ${rowAxis.sequence} of curve ${rowAxis.curveId}, column on axis ${columnAxis.sequence} of curve ${columnAxis.curveId}`,
    }),
  ),
  rule(
    'DIM-04',
    'error',
    ['dimension-curve-cells', 'dimension-curves'],
    'The shares of a size curve add up to 100; the units of a prepack to totalUnits.',
    'Correct the shares or units of the cells, or totalUnits of the curve.',
    find({
      from: curve,
      join: [leftJoin(cells, same(cells.curveId, curve.id))],
      where: all(is(curve.kind, 'size_curve'), unequal(orZero(cells.share), whole(100))),
      detail: detailText`the shares add up to ${orZero(cells.share)}`,
    }),
    find({
      from: curve,
      join: [leftJoin(cells, same(cells.curveId, curve.id))],
      where: all(is(curve.kind, 'prepack'), unequal(orZero(cells.units), curve.totalUnits)),
      detail: detailText`totalUnits is ${curve.totalUnits}, the cells add up to ${orZero(cells.units)}`,
    }),
  ),
]

/** The volume in cubic metres, from sides in centimetres. */
const boxVolume = shiftedBy(times(cartonSize.lengthCm, cartonSize.widthCm, cartonSize.heightCm), 6)
const packed = times(template.innerPacksPerCarton, template.unitsPerInnerPack)
const hundred = parseDecimal('100')

/** REF-01 to REF-03: payment terms, cartons and launch windows. */
export const referenceRules: readonly Rule[] = [
  rule(
    'REF-01',
    'error',
    ['payment-terms'],
    'The instalments of a payment term add up to 100 percent.',
    'Correct the percentages of the instalments.',
    scan({
      from: term,
      read: { installments: textOf(term, 'installments'), netDays: term.netDays },
      judge: ({ installments, netDays }) => {
        const parts = readList(installments)
        const total = addDecimals(...parts.map(({ percent }) => parseDecimal(String(percent))))
        // A single payment may have only netDays.
        const isSingle = parts.length === 0 && netDays !== null
        if (isSingle || compareDecimals(total, hundred) === 0) return undefined
        return `the instalments make ${formatDecimal(total)} percent`
      },
    }),
  ),
  rule(
    'REF-02',
    'error',
    ['carton-sizes', 'packing-templates'],
    'The volume of a carton is length x width x height; pieces per carton = inner packs x pieces per pack.',
    'Correct the measures or the volume of the carton, or the pieces per carton.',
    find({
      from: cartonSize,
      where: apart(cartonSize.volumeCbm, boxVolume, 6),
      detail: detailText`volumeCbm is ${cartonSize.volumeCbm}, the sides give ${boxVolume}`,
    }),
    find({
      from: template,
      where: unequal(template.unitsPerCarton, packed),
      detail: detailText`unitsPerCarton is ${template.unitsPerCarton}, the inner packs give ${packed}`,
    }),
  ),
  rule(
    'REF-03',
    'warning',
    ['launch-windows', 'collections'],
    'A window or collection ends after it starts.',
    'Correct the start date or the end date.',
    find({
      from: launchWindow,
      where: sql`${launchWindow.endDate} <= ${launchWindow.startDate}`,
      detail: detailText`starts ${launchWindow.startDate}, ends ${launchWindow.endDate}`,
    }),
    find({
      from: collection,
      where: sql`${collection.endDate} <= ${collection.startDate}`,
      detail: detailText`starts ${collection.startDate}, ends ${collection.endDate}`,
    }),
  ),
]
