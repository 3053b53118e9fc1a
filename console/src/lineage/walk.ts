import { type Step, stepsOf, type Ways, waysAfter } from '../../../src/contract/lineage.ts'
import { type Api, ApiError, type Page, type Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { columnOf, type Relation, relationsOf, relationTo } from './chain.ts'
import {
  beginLineage,
  type Lineage,
  type LineageNode,
  nodeKey,
  type Rest,
  relationKey,
  withFollowed,
  withMissing,
  withRecord,
  withRest,
} from './lineage.ts'

/** What the automatic expansion may use. */
export type Bounds = {
  nodes: number
  calls: number
  /** Records of one group. */
  perGroup: number
  /** A list of at most `few` records is shown whole, a longer one with its first `first`. */
  few: number
  first: number
}

export const bounds: Bounds = { nodes: 80, calls: 80, perGroup: 6, few: 5, first: 3 }

const pageSize = 25
const callsAtOnce = 4

export type Walk = {
  lineage: Lineage
  calls: number
  /** Null while it goes on. */
  ended: Ending | null
  /** Where it can go on from, if it stopped before its end. */
  pending: Pending | null
}

/** What a walk that stopped was about to do. */
export type Pending = {
  asks: readonly Ask[]
  wave: readonly Footing[]
  visited: ReadonlySet<string>
}

export type Ending =
  | { why: 'complete' }
  | { why: 'cancelled' }
  | { why: 'nodes' | 'calls'; bound: number; left: number }

/** Where the walk is: a node, which ways it may go on, and the group it must not go back to. */
type Footing = { key: string; ways: Ways; back: string | null }

type Ask = { from: LineageNode; relation: Relation; ways: Ways }

export type WalkOptions = {
  bounds?: Bounds
  signal?: AbortSignal
  /** Of an earlier walk, to go on from there. */
  resume?: Pending | null
  /** Keys of records that are shown first where a list has more than are shown. */
  prefer?: ReadonlySet<string>
  onChange?: (walk: Walk) => void
}

/** Reads the record that a lineage starts from. */
export const openLineage = async (
  api: Api,
  group: Group,
  id: string,
  signal?: AbortSignal,
): Promise<Lineage> => {
  const row = await api.get(group.path, id, {
    include: includesOf(group),
    ...(signal && { signal }),
  })
  return unpack(beginLineage(group, bare(group, row)), group, row)
}

/**
 * Follows the main chain from the start, to what came before and to what follows, wave by wave,
 * until everything is there, a bound is reached or it is cancelled. A record that is referred to
 * and does not exist is shown as missing. It rejects only when a call is refused; what was found until then was handed to `onChange`.
 */
export const walk = async (
  api: Api,
  from: Lineage,
  { bounds: allowed = bounds, signal, resume, prefer, onChange }: WalkOptions = {},
): Promise<Walk> => {
  let state: Walk = { lineage: from, calls: 0, ended: null, pending: null }
  const tell = (change: Partial<Walk>): Walk => {
    state = { ...state, ...change }
    onChange?.(state)
    return state
  }
  const visited = new Set(resume?.visited)
  let asks: readonly Ask[] = resume?.asks ?? []
  let wave: Footing[] = [...(resume?.wave ?? beginWave(from))]
  while (asks.length > 0 || wave.length > 0) {
    if (asks.length === 0) {
      asks = planWave(state.lineage, wave, visited)
      wave = []
      continue
    }
    const ended = endingOf(state, asks, allowed, signal)
    if (ended) return tell({ ended, pending: { asks, wave, visited } })
    const width = Math.min(callsAtOnce, allowed.calls - state.calls)
    const batch = asks.slice(0, width).filter((ask) => !isKnown(state.lineage, ask))
    const answers = await answersTo(api, batch, signal)
    if (answers === null) continue
    asks = asks.slice(width)
    let { lineage } = state
    for (const [ask, answer] of answers) {
      const before = new Set(lineage.nodes.keys())
      lineage = take(lineage, ask, answer, allowed, prefer)
      for (const node of lineage.nodes.values()) {
        if (!before.has(node.key) && !node.isMissing) wave.push(footingOf(node, ask))
      }
    }
    tell({ lineage, calls: state.calls + batch.length })
  }
  return tell({ ended: { why: 'complete' } })
}

const endingOf = (
  { lineage, calls }: Walk,
  { length: left }: readonly Ask[],
  allowed: Bounds,
  signal?: AbortSignal,
): Ending | null => {
  if (signal?.aborted) return { why: 'cancelled' }
  if (calls >= allowed.calls) return { why: 'calls', bound: allowed.calls, left }
  if (lineage.nodes.size >= allowed.nodes) return { why: 'nodes', bound: allowed.nodes, left }
  return null
}

/** Null when they were cancelled. */
const answersTo = async (
  api: Api,
  asks: readonly Ask[],
  signal?: AbortSignal,
): Promise<readonly (readonly [Ask, Answer])[] | null> => {
  try {
    return await Promise.all(
      asks.map(async (ask) => [ask, await answerTo(api, ask, signal)] as const),
    )
  } catch (error) {
    if (signal?.aborted) return null
    throw error
  }
}

/** Follows one relation of one record, as a person asks for it. */
export const follow = async (
  api: Api,
  lineage: Lineage,
  key: string,
  relation: Relation,
  signal?: AbortSignal,
): Promise<Lineage> => {
  const from = lineage.nodes.get(key)
  if (!from) return lineage
  const answer = await answerTo(api, { from, relation, ways: { up: false, down: false } }, signal)
  return take(lineage, { from, relation, ways: { up: false, down: false } }, answer, byHand)
}

/** Shows the next records of a list that has more. */
export const showMore = async (
  api: Api,
  lineage: Lineage,
  restKey: string,
  signal?: AbortSignal,
): Promise<Lineage> => {
  const rest = lineage.rests.get(restKey)
  const from = rest && lineage.nodes.get(rest.of)
  if (!rest || !from) return lineage
  const page =
    rest.waiting.length > 0 || rest.next === null
      ? { items: [...rest.waiting], total: rest.total, next: rest.next }
      : await listOf(api, from, rest.relation, rest.next, signal)
  return takePage(lineage, from, rest.relation, page, rest.shown, moreAtOnce)
}

export const moreAtOnce = 10

/** The relations of a record that were not followed yet and have somewhere to lead. */
export const openRelations = (lineage: Lineage, node: LineageNode): readonly Relation[] =>
  relationsOf(node.group).filter(
    (relation) =>
      !node.isMissing &&
      !lineage.followed.has(relationKey(node.key, relation)) &&
      (relation.kind === 'list'
        ? relation.group.hasList
        : typeof node.row[relation.field] === 'string' &&
          !lineage.nodes.has(`${relation.group.path}/${node.row[relation.field]}`)),
  )

const byHand: Bounds = {
  nodes: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  perGroup: Number.POSITIVE_INFINITY,
  few: moreAtOnce,
  first: moreAtOnce,
}

const beginWave = (lineage: Lineage): Footing[] => {
  const start = lineage.nodes.get(lineage.start)
  if (!start) return []
  const ways = { up: true, down: true }
  const ask: Ask = {
    from: start,
    relation: { kind: 'get', field: '', include: '', group: start.group },
    ways,
  }
  return [...lineage.nodes.values()].map((node) =>
    node === start ? { key: node.key, ways, back: null } : footingOf(node, ask),
  )
}

const planWave = (lineage: Lineage, wave: readonly Footing[], visited: Set<string>): Ask[] =>
  wave.flatMap((footing) => {
    const from = lineage.nodes.get(footing.key)
    if (!from) return []
    return stepsFrom(from.group)
      .filter(({ to }) => to !== footing.back)
      .flatMap(({ to, by, ...step }): Ask[] => {
        const relation = relationTo(from.group, to, by)
        const ways = relation && waysAfter(footing.ways, step, relation.kind)
        if (!relation || !ways) return []
        const name = relationKey(from.key, relation)
        if (visited.has(name)) return []
        visited.add(name)
        return [{ from, relation, ways }]
      })
  })

/** The steps of the chain from a group; from a group beside it, to whatever leads into the chain. */
const stepsFrom = (group: Group): readonly Step[] =>
  columnOf(group.path) === undefined ? stepsInto(group) : stepsOf(group.path)

const stepsInto = (group: Group): readonly Step[] =>
  relationsOf(group)
    .filter(
      (relation) =>
        columnOf(relation.group.path) !== undefined ||
        (relation.kind === 'get' && relation.field === group.parent),
    )
    .map((relation) => ({ to: relation.group.path, direction: 'down', line: true }))

/** How the walk stands on a record that an answer brought: the one asked for, or one along with it. */
const footingOf = ({ key, group }: LineageNode, { from, relation, ways }: Ask): Footing => {
  if (group === relation.group && from.group !== group) {
    return { key, ways, back: from.group.path }
  }
  const step = stepsFrom(relation.group).find(({ to }) => to === group.path)
  const onward = step && waysAfter(ways, step, 'get')
  return { key, ways: onward ?? { up: false, down: false }, back: relation.group.path }
}

/** A reference whose record is there already, or that is null, needs no call. */
const isKnown = (lineage: Lineage, { from, relation }: Ask): boolean => {
  if (relation.kind === 'list') return typeof from.row[relation.by] !== 'string'
  const id = from.row[relation.field]
  return typeof id !== 'string' || lineage.nodes.has(`${relation.group.path}/${id}`)
}

type Answer = { row: Row } | { page: Page } | 'missing'

const answerTo = async (
  api: Api,
  { from, relation }: Ask,
  signal?: AbortSignal,
): Promise<Answer> => {
  if (relation.kind === 'list') return { page: await listOf(api, from, relation, null, signal) }
  const { group, field } = relation
  const ask = { include: includesOf(group), ...(signal && { signal }) }
  try {
    return { row: await api.get(group.path, String(from.row[field]), ask) }
  } catch (error) {
    // Records may refer to what was never imported: the rest of the chain is there all the same.
    if (error instanceof ApiError && error.status === 404) return 'missing'
    throw error
  }
}

const listOf = (
  api: Api,
  from: LineageNode,
  { group, filter, by }: Relation & { kind: 'list' },
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page> =>
  api.list(group.path, {
    filters: { [filter]: String(from.row[by]) },
    include: includesOf(group),
    limit: pageSize,
    ...(cursor && { cursor }),
    ...(signal && { signal }),
  })

const take = (
  lineage: Lineage,
  { from, relation }: Ask,
  answer: Answer,
  allowed: Bounds,
  prefer?: ReadonlySet<string>,
): Lineage => {
  const { group } = relation
  if (relation.kind === 'get' && lineage.nodes.size >= allowed.nodes) return lineage
  const followed = withFollowed(lineage, from.key, relation)
  if (answer === 'missing') {
    return relation.kind === 'get' ? withMissing(followed, from, relation) : followed
  }
  if ('page' in answer && relation.kind === 'list') {
    const items = inPreference(group, answer.page.items, prefer)
    return takePage(followed, from, relation, { ...answer.page, items }, 0, allowed.first, allowed)
  }
  if (!('row' in answer)) return followed
  const found = withRecord(followed, group, bare(group, answer.row), from, relation)
  return unpack(found, group, answer.row, allowed)
}

const inPreference = (group: Group, rows: Row[], prefer?: ReadonlySet<string>): Row[] =>
  prefer ? rows.toSorted((a, b) => rank(group, a, prefer) - rank(group, b, prefer)) : rows

const rank = (group: Group, row: Row, prefer: ReadonlySet<string>): number =>
  prefer.has(nodeKey(group, row)) ? 0 : 1

const takePage = (
  lineage: Lineage,
  from: LineageNode,
  relation: Relation & { kind: 'list' },
  page: Page,
  shownBefore: number,
  first: number,
  allowed: Bounds = byHand,
): Lineage => {
  const { group } = relation
  const known = (row: Row) => lineage.nodes.has(nodeKey(group, row))
  const ofGroup = [...lineage.nodes.values()].filter((node) => node.group === group).length
  const room = Math.max(0, Math.min(allowed.perGroup - ofGroup, allowed.nodes - lineage.nodes.size))
  const wanted = page.total <= allowed.few ? allowed.few : first
  let after = lineage
  let added = 0
  let shown = shownBefore
  const waiting: Row[] = []
  for (const row of page.items) {
    if (known(row) || (added < wanted && added < room)) {
      if (!known(row)) added += 1
      shown += 1
      after = unpack(
        withRecord(after, group, bare(group, row), from, relation),
        group,
        row,
        allowed,
      )
    } else waiting.push(row)
  }
  const key = relationKey(from.key, relation)
  const rest: Rest = {
    key,
    of: from.key,
    relation,
    total: page.total,
    shown,
    waiting,
    next: page.next,
  }
  return withRest(after, rest)
}

/** The references of the chain that come along with a record. */
const includesOf = (group: Group): string[] => chainReferences(group).map(({ include }) => include)

const chainReferences = (group: Group) =>
  group.fields.flatMap(({ kind, name, to, include }) =>
    kind === 'ref' &&
    to !== null &&
    include !== null &&
    columnOf(to) !== undefined &&
    isStep(group, to)
      ? [{ name, to, include }]
      : [],
  )

const isStep = (group: Group, to: string): boolean =>
  columnOf(group.path) === undefined || stepsFrom(group).some((step) => step.to === to)

/** The record without those that came along. */
const bare = (group: Group, row: Row): Row => {
  const names = new Set(group.fields.map(({ name }) => name))
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)))
}

/** With the records that came along with one. */
const unpack = (lineage: Lineage, group: Group, row: Row, allowed = byHand): Lineage => {
  const from = lineage.nodes.get(nodeKey(group, row))
  if (!from) return lineage
  let after = lineage
  for (const relation of relationsOf(group)) {
    if (relation.kind !== 'get' || relation.include === null) continue
    const brought = row[relation.include]
    if (typeof brought !== 'object' || brought === null) continue
    if (after.nodes.size >= allowed.nodes) continue
    after = withRecord(after, relation.group, bare(relation.group, brought as Row), from, relation)
  }
  return after
}
