import {
  type Edge,
  facts,
  filtersIn,
  formatCount,
  type Resource,
  referencesOf,
  stageIndexOf,
  stages,
  type TruncatedList,
  valueAt,
  type WalkNode,
} from '#contract'
import { briefOf, identityOf } from './follow.ts'
import { titleOf } from './group.ts'
import type { JsonRecord } from './reader.ts'
import { type Call, callOf, callText, type Result } from './tool.ts'
import { resultMax, sizeOf } from './truncate.ts'

/** Limits of a trace. */
export const traceLimits = {
  depth: { maximum: 20, default: 12 },
  records: { maximum: 100, default: 80 },
  /** Lists and records to read, including the start. */
  reads: 150,
}

type Node = WalkNode<JsonRecord>

/** The result of a walk. */
export interface Trace {
  readonly nodes: ReadonlyMap<string, Node>
  readonly edges: readonly Edge[]
  readonly truncated: readonly TruncatedList<JsonRecord>[]
  /** References to records that do not exist. */
  readonly missing: number
  readonly ended: 'complete' | 'depth' | 'limit' | 'reads'
  /** The reason why reading stopped early, other than the trace's limits. */
  readonly stoppedBy: string | null
  /** Records that the walk did not continue from. */
  readonly unfollowed: number
}

/** Shows as many records as fit, the nearest first, one line each. */
export const showTrace = (brand: string, trace: Trace, again: Call): Result => {
  const nodes = [...trace.nodes.values()].sort((a, b) => a.depth - b.depth)
  let shown = nodes.length
  let result = showFirst(brand, trace, nodes, shown, again)
  for (let size = sizeOf(result); size > resultMax && shown > 1; size = sizeOf(result)) {
    // Shrinks in proportion to the excess, so that a few rounds are enough.
    shown = Math.max(1, Math.floor(shown * Math.min(0.95, resultMax / size)))
    result = showFirst(brand, trace, nodes, shown, again)
  }
  return result
}

const showFirst = (
  brand: string,
  trace: Trace,
  nodes: readonly Node[],
  count: number,
  again: Call,
): Result => {
  const shown = nodes.slice(0, count)
  const numbers = new Map(shown.map(({ key }, index) => [key, index + 1]))
  const cut = truncatedLists(brand, trace, numbers)
  const next = nextCall(trace, nodes, count, cut, again)
  const groups = new Set(shown.map(({ resource }) => resource.path))
  const hidden = cut.reduce((sum, list) => sum + list.total - list.shown, 0)
  return {
    summary: [
      `${formatCount(nodes.length, 'record')} found; ${count} shown, from ${formatCount(groups.size, 'group')}.`,
      ...(count < nodes.length ? ['The records furthest from the start do not fit here.'] : []),
      ...(cut.length > 0
        ? [
            `${formatCount(cut.length, 'list')} truncated, with ${formatCount(hidden, 'more record')}; cut has the call for each.`,
          ]
        : []),
      ...(trace.missing > 0 ? [`Referenced records that do not exist: ${trace.missing}.`] : []),
      endings[trace.ended](trace),
      ...(next ? [`To continue: ${callText(next)}.`] : []),
    ].join(' '),
    brand,
    total: nodes.length,
    shown: count,
    ended: trace.ended,
    records: shown.map(({ key, resource, record, depth }) => ({
      n: numbers.get(key),
      group: resource.path,
      stage: stages[stageIndexOf(resource.path) ?? -1]?.title ?? null,
      depth,
      ...briefOf(resource, record),
      ...lineTitle(trace, resource, record),
    })),
    references: referencesBetween(trace, numbers),
    cut,
    next,
  }
}

interface CutList {
  readonly from: number
  readonly group: string
  readonly total: number
  readonly shown: number
  readonly all: Call
}

const truncatedLists = (
  brand: string,
  { truncated, nodes }: Trace,
  numbers: ReadonlyMap<string, number>,
): readonly CutList[] =>
  truncated.flatMap(({ from: key, relation, total, shown }) => {
    const from = numbers.get(key)
    if (from === undefined || !nodes.has(key)) return []
    const group = relation.to.path
    const all = callOf('list_records', { brand, group, filters: filtersIn(nodes, key, relation) })
    return [{ from, group, total, shown, all }]
  })

/**
 * The references between the shown records, in the order of records and fields, followed by those
 * found through filters, in the order of the walk.
 */
const referencesBetween = ({ edges, nodes }: Trace, numbers: ReadonlyMap<string, number>) => {
  const fieldIndexOf = ({ from, to, via }: Edge): number => {
    const { resource, record } = nodes.get(from) ?? {}
    if (!resource || !record) return -1
    return referencesOf(resource).findIndex(
      ({ field, to: path }) => field === via && `${path}/${String(valueAt(record, field))}` === to,
    )
  }
  const references = edges.flatMap((edge) => {
    const [from, to] = [numbers.get(edge.from), numbers.get(edge.to)]
    return from && to ? [{ from, to, via: edge.via, fieldIndex: fieldIndexOf(edge) }] : []
  })
  const byField = references
    .filter(({ fieldIndex }) => fieldIndex !== -1)
    .sort((a, b) => a.from - b.from || a.fieldIndex - b.fieldIndex)
  const byFilter = references.filter(({ fieldIndex }) => fieldIndex === -1)
  return [...byField, ...byFilter].map(({ from, to, via }) => ({ from, to, via }))
}

const endings: Record<Trace['ended'], (trace: Trace) => string> = {
  complete: () => 'The walk reached both ends of the chain.',
  depth: ({ unfollowed }) =>
    `The walk stopped at its depth, with ${formatCount(unfollowed, 'record')} left to follow.`,
  limit: ({ unfollowed }) =>
    `The walk stopped at its limit, with ${formatCount(unfollowed, 'record')} left to follow.`,
  reads: ({ unfollowed, stoppedBy }) =>
    stoppedBy === null
      ? `The walk stopped after ${traceLimits.reads} reads, with ${formatCount(unfollowed, 'record')} left to follow.`
      : `The walk stopped with ${formatCount(unfollowed, 'record')} left to follow. ${stoppedBy}`,
}

/** The call with a higher limit, or from the outermost record if the limit is at its maximum. */
const nextCall = (
  { ended }: Trace,
  nodes: readonly Node[],
  count: number,
  cut: readonly CutList[],
  again: Call,
): Call | null => {
  const isWhole = count === nodes.length
  const raised = { limit: traceLimits.records, depth: traceLimits.depth } as const
  if (isWhole && (ended === 'limit' || ended === 'depth')) {
    const { maximum, default: usual } = raised[ended]
    const current = Number(again.arguments[ended] ?? usual)
    const wider = { ...again.arguments, [ended]: Math.min(current * 2, maximum) }
    if (current < maximum) return { tool: again.tool, arguments: wider }
  }
  const last = nodes[count - 1]
  if ((!isWhole || ended !== 'complete') && last && count > 1) {
    const id = identityOf(last.resource, last.record)
    const from = { ...again.arguments, group: last.resource.path, id }
    return last.resource.endpoints.includes('get') ? { tool: again.tool, arguments: from } : null
  }
  return cut[0]?.all ?? null
}

/** The title of a line's subject, for a line whose title is only a number. */
const lineTitle = (
  { nodes }: Trace,
  { path, title, fields }: Resource,
  record: JsonRecord,
): { readonly title?: string } => {
  const { title: pattern, about = [], quantity } = facts[path] ?? {}
  if (pattern) {
    const fill = (_: string, field: string) => String(record[field] ?? '–')
    return { title: pattern.replace(/\{(\w+)\}/g, fill) }
  }
  if (pattern === undefined || title !== quantity) return {}
  for (const field of about) {
    const node = nodes.get(`${fields[field]?.to}/${String(record[field])}`)
    if (node) return { title: titleOf(node.resource, node.record) }
  }
  return {}
}
