import { centimetres } from './amounts.ts'
import { date, moment, momentIfPast } from './calendar.ts'
import { pad } from './codes.ts'
import { putPicture } from './pictures.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import { people, type StoryRecords } from './story-records.ts'
import type { Style } from './styles.ts'
import { gradedValue } from './tech-pack.ts'
import type { Wording } from './wording.ts'

/** The dependencies of samples. */
export interface SampleSource {
  readonly put: Put
  readonly random: Random
  readonly wording: Wording
  readonly checklistId: string
  readonly courierId: string
}

export const createSamples = ({
  put,
  random,
  wording,
  story,
}: Pick<SampleSource, 'put' | 'random' | 'wording'> & {
  readonly story: StoryRecords
}): SampleSource => ({
  put,
  random,
  wording,
  checklistId: story.idOf('checklists', 'code', 'FIT'),
  courierId: story.idOf('couriers', 'code', 'SWFT'),
})

type Decision = 'approved' | 'revise' | 'rejected' | 'pending' | 'cancelled'

interface SampleOf {
  readonly number: string
  readonly kind: string
  readonly status: string
  readonly quoteId: string | null
  readonly orderId: string | null
  readonly day: number
  readonly rounds: readonly Decision[]
  readonly pictured?: boolean
}

const daysPerRound = 7

const putSample = (source: SampleSource, style: Style, of: SampleOf): void => {
  const { put, random, checklistId } = source
  const [colourway] = style.colourways
  const base = style.range.sizes.findIndex(({ steps }) => steps[0] === 0)
  const id = random.id()
  const lastDay = of.day + daysPerRound * of.rounds.length
  put('samples', {
    id,
    sampleNumber: of.number,
    productId: style.productId,
    productVersionId: style.versionId,
    productOptionId: colourway?.id ?? null,
    skuId: colourway?.skuIds[base] ?? null,
    supplierId: style.supplier.id,
    quoteId: of.quoteId,
    orderId: of.orderId,
    checklistId,
    kind: of.kind,
    status: of.status,
    quantity: of.kind === 'sales' ? 6 : 1,
    requestedAt: moment(of.day),
    requestedByUserId: people.developer,
    dueDate: date(of.day + daysPerRound),
    approvedAt: of.status === 'approved' ? moment(lastDay) : null,
    createdAt: moment(of.day),
    updatedAt: moment(lastDay),
  })
  of.rounds.forEach((decision, index) => {
    putRound(source, style, id, of, decision, index + 1, of.day + daysPerRound * (index + 1), base)
  })
}

const roundStatus: Record<Decision, string> = {
  approved: 'reviewed',
  revise: 'reviewed',
  rejected: 'reviewed',
  pending: 'received',
  cancelled: 'cancelled',
}

const putRound = (
  { put, random, wording, checklistId, courierId }: SampleSource,
  style: Style,
  sampleId: string,
  of: SampleOf,
  decision: Decision,
  roundNumber: number,
  day: number,
  base: number,
): void => {
  const id = random.id()
  const status = roundStatus[decision]
  const reviewed = status === 'reviewed'
  const failed = decision === 'revise' || decision === 'rejected'
  const size = style.range.sizes[base]
  const sent = status !== 'cancelled'
  const createdAt = moment(day)
  put('sample-rounds', {
    id,
    sampleId,
    roundNumber,
    status,
    decision: decision === 'cancelled' ? 'pending' : decision,
    dueDate: date(day),
    sentDate: sent ? date(day - 3) : null,
    receivedDate: sent ? date(day) : null,
    courierId: sent ? courierId : null,
    trackingNumber: sent ? `SW${pad(random.below(100_000_000), 8)}` : null,
    measurementTableId: reviewed ? style.tableId : null,
    measurements:
      reviewed && size
        ? style.garment.points.map((point, place) => ({
            pointKey: point.key,
            // A failed piece is two tolerances too long at its first point.
            value: centimetres(
              gradedValue(point, size) +
                (failed && place === 0 ? 2 * point.tolerance : random.between(-4, 4)),
            ),
          }))
        : null,
    comments: failed
      ? `First point of measure is out of tolerance. ${wording.letter(style.supplier.trade.languageCode)}`
      : null,
    decidedAt: reviewed ? createdAt : null,
    decidedByUserId: reviewed ? people.developer : null,
    createdAt,
  })
  if (!reviewed) return
  const imageId =
    of.pictured && roundNumber === 1
      ? putPicture(put, random, {
          kind: 'sample',
          sampleRoundId: id,
          fileName: `${of.number.toLowerCase()}-round-${roundNumber}.png`,
          altText: null,
          createdAt,
        })
      : null
  for (const itemKey of checkedItems) {
    const fails = failed && itemKey === 'measurements'
    put('sample-checklist-results', {
      id: random.id(),
      sampleRoundId: id,
      checklistId,
      itemKey,
      result: fails ? 'fail' : 'pass',
      comment: fails ? 'Out of tolerance' : null,
      imageId: itemKey === 'measurements' ? imageId : null,
      recordedByUserId: people.developer,
      recordedAt: createdAt,
      createdAt,
    })
  }
}

/** The items of the story's checklist. */
const checkedItems = ['measurements', 'stitching', 'shade'] as const

/** Samples of a style before the first order. */
export const putStyleSamples = (source: SampleSource, style: Style, quoteId: string): void => {
  const { index, startDay } = style
  const number = `SM-${1000 + index}`
  const fresh = { quoteId: null, orderId: null }
  putSample(source, style, {
    ...fresh,
    number,
    kind: 'fit',
    status: 'approved',
    day: startDay + 35,
    rounds: index % 2 === 0 ? ['revise', 'approved'] : ['approved'],
    pictured: index < 4,
  })
  const later = { ...fresh, day: startDay + 90, number: `${number}-B` }
  if (index % 4 === 1) {
    putSample(source, style, { ...later, kind: 'sales', status: 'in_review', rounds: ['pending'] })
  } else if (index % 4 === 2) {
    const rounds: readonly Decision[] = ['rejected']
    putSample(source, style, { ...later, quoteId, kind: 'lab_test', status: 'rejected', rounds })
  } else if (index % 4 === 3) {
    putSample(source, style, {
      ...later,
      kind: 'photo',
      status: 'cancelled',
      rounds: ['cancelled'],
    })
  }
}

/** The factory's sample before it cuts the cloth of an order. */
export const putOrderSample = (
  source: SampleSource,
  style: Style,
  orderId: string,
  orderNumber: string,
  day: number,
): void => {
  if (momentIfPast(day + daysPerRound) === null) return
  putSample(source, style, {
    number: `SM-${orderNumber}`,
    kind: 'pre_production',
    status: 'approved',
    quoteId: null,
    orderId,
    day,
    rounds: ['approved'],
  })
}
