import {
  ApiError,
  catalog,
  facts,
  incomingLists,
  type Resource,
  referencesOf,
  relationsOf,
  resourceAt,
  type Step,
  stages,
  stepsOf,
  type Ways,
  waysAfter,
} from '#contract'
import { briefOf, find, identityOf, valueAt } from './follow.ts'
import { brandArgument, checkId, groupArgument, groupAt, idArgument, titleOf } from './group.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { type Call, callOf, callSchema, counted, inWords, type Result, tool } from './tool.ts'
import { resultMax, sizeOf } from './truncate.ts'
import { nextTurn } from './turn.ts'

/** What one trace may use. */
const bounds = {
  depth: { most: 20, usual: 12 },
  records: { most: 100, usual: 80 },
  /** Lists and records that are read. */
  reads: 150,
  /** Records of one group. */
  perGroup: 6,
  /** A list of at most `few` records is shown whole, a longer one with its first `first`. */
  few: 5,
  first: 3,
}

const page = 25

/** From a record along the chain from the product to the payment, both ways. */
export const traceLineage = tool({
  name: 'trace_lineage',
  title: 'Trace lineage',
  description:
    'From a record, walks the chain from product over order, production, shipment, receipt and invoice to payment, to what came before (up) and what follows (down), and shows the records on the way in a line each with the references between them.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, required: true },
    direction: {
      kind: 'text',
      values: ['up', 'down', 'both'],
      default: 'both',
      meaning: 'up: what it came from; down: what follows from it',
    },
    depth: {
      kind: 'whole',
      minimum: 1,
      maximum: bounds.depth.most,
      default: bounds.depth.usual,
      meaning: 'steps from the record at most',
    },
    limit: {
      kind: 'whole',
      minimum: 1,
      maximum: bounds.records.most,
      default: bounds.records.usual,
      meaning: 'records at most',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    total: { type: 'integer', description: 'Records that were found, shown or not.' },
    shown: { type: 'integer' },
    ended: {
      type: 'string',
      enum: ['complete', 'depth', 'limit', 'reads'],
      description: 'complete, or the bound at which the walk stopped.',
    },
    records: {
      type: 'array',
      description: 'The first is where it began. n is how references name a record.',
      items: {
        type: 'object',
        required: ['n', 'group', 'stage', 'depth', 'title'],
        properties: {
          n: { type: 'integer' },
          group: { type: 'string' },
          stage: { type: ['string', 'null'], description: 'Where on the chain; null beside it.' },
          depth: { type: 'integer' },
          title: { type: 'string' },
        },
      },
    },
    references: {
      type: 'array',
      description:
        'Record from points to record to by the field via, or is joined to it through via.',
      items: {
        type: 'object',
        required: ['from', 'to', 'via'],
        properties: {
          from: { type: 'integer' },
          to: { type: 'integer' },
          via: { type: 'string' },
        },
      },
    },
    cut: {
      type: 'array',
      description: 'Lists on the way of which only some records are shown, with the call for all.',
      items: {
        type: 'object',
        required: ['from', 'group', 'total', 'shown', 'all'],
        properties: {
          from: { type: 'integer' },
          group: { type: 'string' },
          total: { type: 'integer' },
          shown: { type: 'integer' },
          all: callSchema,
        },
      },
    },
  },
  run: async (given, caller) => {
    const resource = groupAt(given.group)
    const id = checkId(resource, given.id)
    const { direction = 'both' } = given
    const reader = await caller.open(given.brand)
    const trace = await walk(reader, resource, id, {
      ways: { up: direction !== 'down', down: direction !== 'up' },
      depth: given.depth ?? bounds.depth.usual,
      records: given.limit ?? bounds.records.usual,
    })
    const again = callOf('trace_lineage', { ...given, brand: reader.brand })
    // Walks that use up their reads together end together.
    await nextTurn()
    return tell(reader.brand, trace, again)
  },
})

interface Node {
  readonly key: string
  readonly resource: Resource
  readonly record: JsonRecord
  readonly depth: number
}

/** Where the walk stands: a record, which ways are open, and the group it must not go back to. */
interface Footing {
  readonly node: Node
  readonly ways: Ways
  readonly back: string | null
}

/** How the neighbours of a record are found. */
type Relation =
  | { readonly kind: 'get'; readonly field: string; readonly to: Resource }
  | { readonly kind: 'list'; readonly filter: string; readonly by: string; readonly to: Resource }

interface CutList {
  readonly from: string
  readonly group: string
  readonly total: number
  readonly shown: number
  readonly all: Call
}

interface Join {
  readonly from: string
  readonly to: string
  readonly via: string
}

interface Trace {
  readonly nodes: ReadonlyMap<string, Node>
  readonly joins: readonly Join[]
  readonly cut: readonly CutList[]
  readonly ended: 'complete' | 'depth' | 'limit' | 'reads'
  /** Why no more could be read, where it was not the walk's own bound. */
  readonly stoppedBy: string | null
  /** Records that the walk did not go on from. */
  readonly waiting: number
}

interface Allowed {
  readonly ways: Ways
  readonly depth: number
  readonly records: number
}

/**
 * Goes along the chain wave by wave. Who follows from whom, and how far it is worth following, is
 * the contract's: the same rules draw the lineage for people.
 */
const walk = async (
  reader: Reader,
  resource: Resource,
  id: string,
  allowed: Allowed,
): Promise<Trace> => {
  const nodes = new Map<string, Node>()
  const joins: Join[] = []
  const cut: CutList[] = []
  const asked = new Set<string>()
  let reads = 1
  let wave: Footing[] = []

  const ofGroup = ({ path }: Resource) =>
    [...nodes.values()].filter((node) => node.resource.path === path).length

  /** Takes a record in, with those that came along with it. */
  const take = (to: Resource, row: JsonRecord, depth: number, footing: Omit<Footing, 'node'>) => {
    const key = keyOf(to, row)
    if (nodes.has(key) || nodes.size >= allowed.records) return
    const node = { key, resource: to, record: row, depth }
    nodes.set(key, node)
    wave.push({ node, ...footing })
    for (const { name, to: path } of chainRelations(to)) {
      const brought = row[name] as JsonRecord | null | undefined
      const step = stepsFrom(to).find((each) => each.to === path)
      if (!brought || !step || depth >= allowed.depth || !isWanted(allowed, step)) continue
      const ways = waysAfter(footing.ways, step, 'get') ?? { up: false, down: false }
      take(resourceAt(catalog, path), brought, depth + 1, { ways, back: to.path })
    }
  }

  const first = await reader.get(resource, id, includesOf(resource))
  take(resource, first, 0, { ways: allowed.ways, back: null })

  let ended: Trace['ended'] = 'complete'
  let stoppedBy: string | null = null
  let waiting = 0
  const stopFor = ({ message }: ApiError) => {
    stoppedBy = message
    ended = ended === 'complete' ? 'reads' : ended
    waiting += 1
  }
  while (wave.length > 0) {
    const from = wave
    wave = []
    for (const { node, ways, back } of from) {
      const plans = plansFrom(node, ways, back).filter(({ relation, step }) => {
        if (!isWanted(allowed, step)) return false
        const name = `${node.key} ${nameOf(relation)}`
        return !asked.has(name) && Boolean(asked.add(name))
      })
      const open = plans.filter(({ relation }) => !isKnown(nodes, node, relation))
      if (open.length === 0) continue
      const stop =
        node.depth >= allowed.depth
          ? 'depth'
          : nodes.size >= allowed.records
            ? 'limit'
            : reads >= bounds.reads || stoppedBy !== null
              ? 'reads'
              : null
      if (stop) {
        ended = ended === 'complete' ? stop : ended
        waiting += 1
        continue
      }
      for (const { relation, ways: onward } of open) {
        const { to } = relation
        const footing = { ways: onward, back: node.resource.path }
        const include = includesOf(to)
        reads += 1
        if (relation.kind === 'get') {
          const target = String(valueAt(node.record, relation.field))
          const row = await untilUsedUp(() => find(reader, to, target, include))
          if (row instanceof ApiError) {
            stopFor(row)
            break
          }
          if (row) take(to, row, node.depth + 1, footing)
          continue
        }
        const filters = { [relation.filter]: String(node.record[relation.by]) }
        const listed = await untilUsedUp(() => reader.list(to, { filters, include, limit: page }))
        if (listed instanceof ApiError) {
          stopFor(listed)
          break
        }
        const wanted = listed.totalItems <= bounds.few ? bounds.few : bounds.first
        let added = 0
        let shown = 0
        for (const row of listed.items) {
          const key = keyOf(to, row)
          const room = added < wanted && ofGroup(to) < bounds.perGroup
          if (!nodes.has(key) && room) {
            take(to, row, node.depth + 1, footing)
            added += 1
          }
          if (!nodes.has(key)) continue
          shown += 1
          if (!pointsAt(to, row, node)) {
            joins.push({ from: key, to: node.key, via: relation.filter })
          }
        }
        if (shown < listed.totalItems) {
          const all = callOf('list_records', { brand: reader.brand, group: to.path, filters })
          const { totalItems: total } = listed
          cut.push({ from: node.key, group: to.path, total, shown, all })
        }
      }
    }
  }
  return { nodes, joins, cut, ended, stoppedBy, waiting }
}

/** What was read, or the refusal once nothing more may be read. */
const untilUsedUp = async <T>(read: () => Promise<T>): Promise<T | ApiError> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return error
    throw error
  }
}

/** Who asks for what follows is not shown what each of it came from. */
const isWanted = ({ ways }: Allowed, { direction, line }: Step): boolean =>
  ways.up || line === true || direction === 'down'

const inChain = new Set(stages.flatMap(({ groups }) => groups))

const keyOf = ({ path, key }: Resource, record: JsonRecord): string =>
  `${path}/${key.map((name) => String(record[name])).join(',')}`

/** The steps of the chain from a group; from a group beside it, to whatever leads into the chain. */
const stepsFrom = (resource: Resource): readonly Step[] =>
  inChain.has(resource.path)
    ? stepsOf(resource.path)
    : relationsFrom(resource)
        .filter(
          (relation) =>
            inChain.has(relation.to.path) ||
            (relation.kind === 'get' && relation.field === resource.parent),
        )
        .map(({ to }) => ({ to: to.path, direction: 'down', line: true }))

/** Every way on from a record of a group: what it points to, then what points at it. */
const relationsFrom = (resource: Resource): readonly Relation[] => [
  ...relationsOf(resource).flatMap(({ field, to }): Relation[] => {
    const target = resourceAt(catalog, to)
    return target.endpoints.includes('get') && !target.lookup
      ? [{ kind: 'get', field, to: target }]
      : []
  }),
  ...incomingLists(catalog, resource.path).map(
    ({ resource: to, filter }): Relation => ({
      kind: 'list',
      filter: filter.name,
      by: resource.key[0] ?? 'id',
      to,
    }),
  ),
]

const relationTo = (resource: Resource, { to, by }: Step): Relation | undefined =>
  by === undefined
    ? relationsFrom(resource).find((each) => each.to.path === to && to !== resource.path)
    : { kind: 'list', filter: by, by, to: resourceAt(catalog, to) }

const nameOf = (relation: Relation): string =>
  relation.kind === 'get' ? relation.field : `${relation.to.path}?${relation.filter}`

const plansFrom = ({ resource }: Node, ways: Ways, back: string | null) =>
  stepsFrom(resource)
    .filter(({ to }) => to !== back)
    .flatMap((step) => {
      const relation = relationTo(resource, step)
      const onward = relation && waysAfter(ways, step, relation.kind)
      return relation && onward ? [{ relation, step, ways: onward }] : []
    })

/** A reference that is null or whose record is there needs no reading. */
const isKnown = (
  nodes: ReadonlyMap<string, Node>,
  { record }: Node,
  relation: Relation,
): boolean => {
  if (relation.kind === 'list') return typeof record[relation.by] !== 'string'
  const id = record[relation.field]
  return typeof id !== 'string' || nodes.has(`${relation.to.path}/${id}`)
}

/** The references along the chain, which are read together with a record. */
const chainRelations = (resource: Resource) =>
  relationsOf(resource).filter(
    ({ to }) =>
      inChain.has(to) &&
      (!inChain.has(resource.path) || stepsOf(resource.path).some((step) => step.to === to)),
  )

const includesOf = (resource: Resource): readonly string[] =>
  chainRelations(resource).map(({ name }) => name)

const pointsAt = (to: Resource, row: JsonRecord, { resource, record }: Node): boolean =>
  referencesOf(to).some(
    (each) =>
      each.to === resource.path && valueAt(row, each.field) === identityOf(resource, record),
  )

const stageOf = (path: string): string | null =>
  stages.find(({ groups }) => groups.includes(path))?.title ?? null

/** The walk in as many lines as there is room for, the nearest records first. */
const tell = (brand: string, trace: Trace, again: Call): Result => {
  const all = [...trace.nodes.values()].sort((a, b) => a.depth - b.depth)
  let shown = all.length
  let result = showFirst(brand, trace, all, shown, again)
  for (let size = sizeOf(result); size > resultMax && shown > 1; size = sizeOf(result)) {
    // About as much less as is too much, so that a few steps are enough.
    shown = Math.max(1, Math.floor(shown * Math.min(0.95, resultMax / size)))
    result = showFirst(brand, trace, all, shown, again)
  }
  return result
}

const showFirst = (
  brand: string,
  trace: Trace,
  all: readonly Node[],
  count: number,
  again: Call,
): Result => {
  const shown = all.slice(0, count)
  const numbers = new Map(shown.map(({ key }, index) => [key, index + 1]))
  const references = [...referencesAmong(trace, shown)].flatMap(({ from, to, via }) => {
    const [one, other] = [numbers.get(from), numbers.get(to)]
    return one && other ? [{ from: one, to: other, via }] : []
  })
  const cut = trace.cut.flatMap(({ from, ...rest }) => {
    const number = numbers.get(from)
    return number === undefined ? [] : [{ from: number, ...rest }]
  })
  const next = goOn(trace, all, count, cut, again)
  const groups = new Set(shown.map(({ resource }) => resource.path))
  const hidden = cut.reduce((sum, list) => sum + list.total - list.shown, 0)
  return {
    summary: [
      `${counted(all.length, 'record')} found; ${count} shown, of ${counted(groups.size, 'group')}.`,
      ...(count < all.length ? ['The furthest do not fit here.'] : []),
      ...(cut.length > 0
        ? [
            `${counted(cut.length, 'list')} on the way cut, with ${counted(hidden, 'more record')}: cut has the call for each.`,
          ]
        : []),
      endings[trace.ended](trace),
      ...(next ? [`To go on: ${inWords(next)}.`] : []),
    ].join(' '),
    brand,
    total: all.length,
    shown: count,
    ended: trace.ended,
    records: shown.map(({ key, resource, record, depth }) => ({
      n: numbers.get(key),
      group: resource.path,
      stage: stageOf(resource.path),
      depth,
      ...briefOf(resource, record),
      ...namedBy(trace, resource, record),
    })),
    references,
    cut,
    next,
  }
}

const endings: Record<Trace['ended'], (trace: Trace) => string> = {
  complete: () => 'The chain was followed to its ends.',
  depth: ({ waiting }) => `The walk stopped at its depth, before ${counted(waiting, 'record')}.`,
  limit: ({ waiting }) => `The walk stopped at its limit, before ${counted(waiting, 'record')}.`,
  reads: ({ waiting, stoppedBy }) =>
    stoppedBy === null
      ? `The walk stopped after ${bounds.reads} reads, before ${counted(waiting, 'record')}.`
      : `The walk stopped before ${counted(waiting, 'record')}. ${stoppedBy}`,
}

/** Further with more room, or from the outermost record where there is none left. */
const goOn = (
  { ended }: Trace,
  all: readonly Node[],
  count: number,
  cut: readonly { readonly all: Call }[],
  again: Call,
): Call | null => {
  const fits = count === all.length
  const wider = { limit: bounds.records, depth: bounds.depth } as const
  if (fits && (ended === 'limit' || ended === 'depth')) {
    const given = Number(again.arguments[ended] ?? wider[ended].usual)
    const more = { ...again.arguments, [ended]: Math.min(given * 2, wider[ended].most) }
    if (given < wider[ended].most) return { tool: again.tool, arguments: more }
  }
  const last = all[count - 1]
  if ((!fits || ended !== 'complete') && last && count > 1) {
    const id = identityOf(last.resource, last.record)
    const from = { ...again.arguments, group: last.resource.path, id }
    return last.resource.endpoints.includes('get') ? { tool: again.tool, arguments: from } : null
  }
  return cut[0]?.all ?? null
}

/** Every reference among the records, and what was found through a third collection. */
function* referencesAmong({ nodes, joins }: Trace, shown: readonly Node[]): Iterable<Join> {
  for (const { key, resource, record } of shown) {
    for (const { field, to } of referencesOf(resource)) {
      const target = `${to}/${String(valueAt(record, field))}`
      if (nodes.has(target) && target !== key) yield { from: key, to: target, via: field }
    }
  }
  yield* joins
}

/** A better name where the record's own title is a bare figure: what a line is about. */
const namedBy = (
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
