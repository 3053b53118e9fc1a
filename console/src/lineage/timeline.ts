import { stageIndexOf } from '../../../src/contract/index.ts'
import type { Group } from '../contract.ts'
import { type Lineage, type LineageNode, nameOf } from './lineage.ts'
import { type Deviation, dayOf, deviationsOf } from './plans.ts'

/** One date of a record. A planned date may still change. */
export type Moment = { field: string; label: string; at: number; value: string; planned: boolean }

export type TimelineRow = {
  node: LineageNode
  name: string
  /** In chronological order, never empty. */
  moments: readonly Moment[]
  /** The deviations from plans. */
  deviations: readonly Deviation[]
}

export type Timeline = {
  rows: readonly TimelineRow[]
  /** Records without any date. */
  undated: readonly LineageNode[]
  from: number
  to: number
  /** The start of today; null if it is too far from the records to draw. */
  today: number | null
  ticks: readonly Tick[]
}

export type Tick = { at: number; label: string }

/** The maximum extension of the axis to reach today. */
const todayWithinMs = 200 * 86_400_000

/** The records of a lineage on one axis, earliest first. */
export const timelineOf = (
  lineage: Lineage,
  nodes: readonly LineageNode[],
  now: number,
): Timeline => {
  const day = dayOf(new Date(now).toISOString())
  const all = nodes.map((node) => ({
    node,
    name: nameOf(lineage, node),
    moments: momentsOf(node),
    deviations: deviationsOf(lineage, node, day),
  }))
  const rows = all
    .filter(({ moments }) => moments.length > 0)
    .toSorted((a, b) => beginOf(a) - beginOf(b) || placeOf(a) - placeOf(b))
  const dates = rows.flatMap(({ moments }) => moments.map(({ at }) => at))
  const dayStart = Date.parse(day)
  const isNear =
    dayStart > Math.min(...dates) - todayWithinMs && dayStart < Math.max(...dates) + todayWithinMs
  const times = isNear ? [...dates, dayStart] : dates
  const first = monthOf(Math.min(...times))
  const end = nextMonth(Math.max(...times))
  return {
    rows,
    undated: all.filter(({ moments }) => moments.length === 0).map(({ node }) => node),
    from: first,
    to: end,
    today: isNear ? dayStart : null,
    ticks: rows.length === 0 ? [] : ticksOf(first, end),
  }
}

/** The dates of a record, or its creation day if it has none. */
export const momentsOf = ({ group, record }: LineageNode): readonly Moment[] => {
  const dates = dateFields(group)
    .filter(({ name }) => !bookkeeping.has(name))
    .flatMap(({ name, label }) => momentAt(name, label, record[name]))
  return dates.length > 0
    ? dates.toSorted((a, b) => a.at - b.at)
    : momentAt('createdAt', 'Created at', record['createdAt'])
}

/** The position of a time on the axis, from 0 to 100. */
export const placeOn = ({ from, to }: Pick<Timeline, 'from' | 'to'>, at: number): number =>
  to === from ? 0 : ((at - from) / (to - from)) * 100

/** Fields that the system sets, not business events. */
const bookkeeping = new Set(['createdAt', 'updatedAt', 'deletedAt', 'baselineUpdatedAt', 'asOf'])

const planned =
  /^(estimated|requested|confirmedExFactory|scheduled|due|valid|responseDue|expiry)|Cutoff/
const happened = new Set(['requestedAt'])

const dateFields = (group: Group) =>
  group.fields.filter(({ kind }) => kind === 'date' || kind === 'timestamp')

const momentAt = (field: string, label: string, value: unknown): Moment[] => {
  if (typeof value !== 'string') return []
  const at = Date.parse(value)
  if (Number.isNaN(at)) return []
  return [{ field, label, at, value, planned: planned.test(field) && !happened.has(field) }]
}

const beginOf = ({ moments }: TimelineRow): number => moments[0]?.at ?? 0

const placeOf = ({ node }: TimelineRow): number => stageIndexOf(node.group.path) ?? node.column

const monthOf = (at: number): number => {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)
}

const nextMonth = (at: number): number => {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}

const ticksMax = 14

/** The first days of months, or of every nth month if there are many. */
const ticksOf = (from: number, to: number): readonly Tick[] => {
  const months: number[] = []
  for (let at = from; at < to; at = nextMonth(at)) months.push(at)
  const every = Math.ceil(months.length / ticksMax)
  return months
    .filter((_, place) => place % every === 0)
    .map((at) => ({ at, label: new Date(at).toISOString().slice(0, 7) }))
}
