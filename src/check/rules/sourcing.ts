import { addDecimals, compareDecimals, negateDecimal, parseDecimal } from '#contract'
import { count, over, unequal } from '../amount.ts'
import { all, any, differ, is, isNot, oneOf, present, same } from '../condition.ts'
import { detailText, find, numbered, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, none, row, some, textOf } from '../source.ts'
import { type Sql, scaled, sql } from '../sql.ts'
import { checklistItems, gradedValues, measurePoints } from './lists.ts'

const quote = row('quotes', 'quote')
const revision = row('quote-revisions', 'revision')
const item = row('quote-items', 'item')
const band = row('quote-price-bands', 'band')
const note = row('quote-notes', 'note')
const sample = row('samples', 'sample')
const round = row('sample-rounds', 'round')
const result = row('sample-checklist-results', 'result')
const checklist = row('checklists', 'checklist')
const table = row('measurement-tables', 'sheet')
const graded = row('measurement-table-skus', 'graded')

/** A value of the previous or next band of the same item, by quantity. */
const neighbour = (which: 'lag' | 'lead', value: Sql): Sql =>
  scaled(value.scale, (to) => [
    `${which}(${value.write(to)}) over (partition by ${band.quoteItemId.write(to)}`,
    ` order by ${band.minQuantity.write(to)}, ${band.id.write(to)})`,
  ])

const ladder = derived('ladder', {
  from: band,
  columns: {
    id: band.id,
    from: band.minQuantity,
    to: band.maxQuantity,
    price: band.unitPrice,
    nextFrom: neighbour('lead', band.minQuantity),
    priceBefore: neighbour('lag', band.unitPrice),
  },
})

const itemBand = all(
  same(band.quoteItemId, item.id),
  sql`${band.minQuantity} <= ${item.quantity}`,
  sql`coalesce(${band.maxQuantity}, ${item.quantity}) >= ${item.quantity}`,
)

const accepted = derived('accepted', {
  from: revision,
  where: is(revision.status, 'accepted'),
  columns: { quoteId: revision.quoteId, count },
  group: [revision.quoteId],
})

/** A round that was approved with comments counts as approved. */
const approvals = ['approved', 'approved_with_comments']

const laterRound = row('sample-rounds', 'laterRound')
const lastApproved = some({
  from: round,
  where: all(
    same(round.sampleId, sample.id),
    oneOf(round.decision, approvals),
    none({
      from: laterRound,
      where: all(
        same(laterRound.sampleId, sample.id),
        isNot(laterRound.status, 'cancelled'),
        sql`${laterRound.roundNumber} > ${round.roundNumber}`,
      ),
    }),
  ),
})

/** SRC-01 to SRC-05: quotes. */
const quoteRules: readonly Rule[] = [
  rule(
    'SRC-01',
    'error',
    ['quote-price-bands'],
    'Price bands of an item are contiguous, without gaps or overlaps, and the last band has no upper limit.',
    'Close the gap or the overlap between the price bands, and leave the last one open.',
    find({
      from: ladder,
      names: ['quote-price-bands', ladder.id],
      where: any(
        sql`${ladder.nextFrom} is distinct from ${ladder.to} + 1`,
        sql`${ladder.to} < ${ladder.from}`,
      ),
      detail: detailText`from ${ladder.from} to ${ladder.to}, the next band starts at ${ladder.nextFrom}`,
    }),
  ),
  rule(
    'SRC-02',
    'warning',
    ['quote-price-bands'],
    'A larger quantity does not cost more per unit.',
    'Ask the supplier whether the price of the larger quantity is right.',
    find({
      from: ladder,
      names: ['quote-price-bands', ladder.id],
      where: over(ladder.price, ladder.priceBefore),
      detail: detailText`unit price ${ladder.price} from quantity ${ladder.from}, ${ladder.priceBefore} below it`,
    }),
  ),
  rule(
    'SRC-03',
    'error',
    ['quote-items', 'quote-price-bands'],
    'The unit price of an item is the price of the band that contains its quantity.',
    'Take over the price of the band into the item, or correct the band.',
    find({
      from: item,
      join: [join(band, itemBand)],
      where: unequal(item.unitPrice, band.unitPrice),
      detail: detailText`${item.unitPrice} for ${item.quantity}, the price of the band is ${band.unitPrice}`,
    }),
    find({
      from: item,
      where: all(
        present(item.unitPrice),
        present(item.quantity),
        some({ from: band, where: same(band.quoteItemId, item.id) }),
        none({ from: band, where: itemBand }),
      ),
      detail: detailText`${item.unitPrice} for ${item.quantity}, which is in no band`,
    }),
  ),
  rule(
    'SRC-04',
    'error',
    ['quotes', 'quote-revisions'],
    'Revisions of a quote are numbered 1, 2, 3 ...; a quote is accepted if and only if one of them is.',
    'Renumber the revisions, and make the status of the quote match that of its revisions.',
    numbered({ of: revision, within: revision.quoteId, number: revision.revisionNumber }),
    find({
      from: quote,
      join: [leftJoin(accepted, same(accepted.quoteId, quote.id))],
      where: sql`coalesce(${accepted.count}, 0) <> case when ${is(quote.status, 'accepted')} then 1 else 0 end`,
      detail: detailText`the quote is ${quote.status}, accepted revisions: ${accepted.count}`,
    }),
  ),
  rule(
    'SRC-05',
    'error',
    ['quote-notes'],
    'A note on a revision refers to the quote of the revision.',
    'Move the note to the quote of its revision.',
    find({
      from: note,
      join: [join(revision, same(revision.id, note.quoteRevisionId))],
      where: differ(revision.quoteId, note.quoteId),
      detail: detailText`refers to quote ${note.quoteId}, the revision belongs to ${revision.quoteId}`,
    }),
  ),
]

/** SRC-06 to SRC-08: samples. */
const sampleRules: readonly Rule[] = [
  rule(
    'SRC-06',
    'error',
    ['samples', 'sample-rounds'],
    'Rounds are numbered 1, 2, 3 ...; a sample is approved if and only if its last round is.',
    'Renumber the rounds, and make the status of the sample match that of its last round.',
    numbered({ of: round, within: round.sampleId, number: round.roundNumber }),
    find({
      from: sample,
      where: sql`(${is(sample.status, 'approved')}) <> (${lastApproved})`,
      detail: detailText`the sample is ${sample.status}, its last round has a different result`,
    }),
  ),
  rule(
    'SRC-07',
    'error',
    ['sample-checklist-results'],
    "A result is for an item of the sample's checklist, and an approved round has no failed required item.",
    'Assign the result to an item of the checklist, or have the failed item approved in another round.',
    find({
      from: result,
      join: [
        join(round, same(round.id, result.sampleRoundId)),
        join(sample, same(sample.id, round.sampleId)),
      ],
      where: sql`${sample.checklistId} is distinct from ${result.checklistId}`,
      detail: detailText`refers to checklist ${result.checklistId}, sample ${sample.sampleNumber} has ${sample.checklistId}`,
    }),
    scan({
      from: result,
      join: [
        join(round, same(round.id, result.sampleRoundId)),
        join(checklist, same(checklist.id, result.checklistId)),
      ],
      read: {
        itemKey: result.itemKey,
        outcome: result.result,
        decision: round.decision,
        items: textOf(checklist, 'items'),
      },
      judge: ({ itemKey, outcome, decision, items }) => {
        const item = checklistItems(items).find(({ key }) => key === itemKey)
        if (!item) return `the checklist has no item ${itemKey}`
        const isFailed = outcome === 'fail' && item.required
        return isFailed && approvals.includes(decision ?? '')
          ? `${itemKey} is required and failed, the round is ${decision}`
          : undefined
      },
    }),
  ),
  rule(
    'SRC-08',
    'warning',
    ['sample-rounds'],
    'The measurements of an approved round are within tolerance of the graded values of its SKU (or of the base size).',
    'Check with the technical designer whether the sample may be approved with these measurements.',
    scan({
      from: round,
      join: [
        join(sample, same(sample.id, round.sampleId)),
        join(table, same(table.id, round.measurementTableId)),
        leftJoin(
          graded,
          all(same(graded.measurementTableId, table.id), same(graded.skuId, sample.skuId)),
        ),
      ],
      where: oneOf(round.decision, approvals),
      read: {
        measured: textOf(round, 'measurements'),
        points: textOf(table, 'points'),
        graded: textOf(graded, 'measurements'),
      },
      judge: ({ measured, points, graded }) => {
        const own = new Map(gradedValues(graded).map(({ pointKey, value }) => [pointKey, value]))
        const byKey = new Map(measurePoints(points).map((point) => [point.key, point]))
        const problems = gradedValues(measured).flatMap(({ pointKey, value }) => {
          const point = byKey.get(pointKey)
          if (!point) return []
          const wanted = own.get(pointKey) ?? point.baseValue
          const off = addDecimals(parseDecimal(value), negateDecimal(parseDecimal(wanted)))
          return compareDecimals(off, parseDecimal(point.tolerancePlus)) > 0 ||
            compareDecimals(negateDecimal(off), parseDecimal(point.toleranceMinus)) > 0
            ? [`${pointKey} measures ${value}, ${wanted} is wanted`]
            : []
        })
        return problems.length > 0 ? problems.join(', ') : undefined
      },
    }),
  ),
]

export const sourcingRules: readonly Rule[] = [...quoteRules, ...sampleRules]
