import {
  ApiError,
  collectLineage,
  type Directions,
  type EndReason,
  type LineageReader,
  lineageDirections,
  lineageIncludes,
  type Resource,
  walkBounds,
  walkLineage,
} from '#contract'
import { nextTurn } from '#reading'
import { find } from './follow.ts'
import { brandArgument, checkId, groupArgument, groupAt, idArgument } from './group.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { callOf, callSchema, tool } from './tool.ts'
import { showTrace, type Trace, traceLimits } from './trace-result.ts'

/** Walks from a record along the chain from the product to the payment, up and down. */
export const traceLineage = tool({
  name: 'trace_lineage',
  title: 'Trace lineage',
  description:
    'Walks the supply chain from a record: product, order, production, shipment, receipt, invoice, payment. It goes up to what came before and down to what follows, and shows each record it finds on one line, with the references between them.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, required: true },
    direction: {
      kind: 'text',
      values: lineageDirections,
      default: 'both',
      meaning: 'up: what the record came from; down: what follows from it',
    },
    depth: {
      kind: 'whole',
      minimum: 1,
      maximum: traceLimits.depth.maximum,
      default: traceLimits.depth.default,
      meaning: 'maximum number of steps from the record',
    },
    limit: {
      kind: 'whole',
      minimum: 1,
      maximum: traceLimits.records.maximum,
      default: traceLimits.records.default,
      meaning: 'maximum number of records',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    total: {
      type: 'integer',
      description: 'Records that the walk found, including those that are not shown.',
    },
    shown: { type: 'integer' },
    ended: {
      type: 'string',
      enum: ['complete', 'depth', 'limit', 'reads'],
      description: 'complete, or the limit at which the walk stopped.',
    },
    records: {
      type: 'array',
      description: 'The first is the record the walk started from. References use the number n.',
      items: {
        type: 'object',
        required: ['n', 'group', 'stage', 'depth', 'title'],
        properties: {
          n: { type: 'integer' },
          group: { type: 'string' },
          stage: {
            type: ['string', 'null'],
            description: 'The stage in the chain; null if the group is not part of it.',
          },
          depth: { type: 'integer' },
          title: { type: 'string' },
        },
      },
    },
    references: {
      type: 'array',
      description:
        'Record from refers to record to by the field via, or is found by the filter via.',
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
      description:
        'Lists of which only some records are shown, each with the call that lists all of them.',
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
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const id = checkId(resource, args.id)
    const { direction = 'both' } = args
    const reader = await caller.open(args.brand)
    const trace = await traceFrom(reader, resource, id, {
      directions: { up: direction !== 'down', down: direction !== 'up' },
      depth: args.depth ?? traceLimits.depth.default,
      records: args.limit ?? traceLimits.records.default,
    })
    const again = callOf('trace_lineage', { ...args, brand: reader.brand })
    // Yields, because walks that exhaust their reads together also end together.
    await nextTurn()
    return showTrace(reader.brand, trace, again)
  },
})

interface TraceOptions {
  readonly directions: Directions
  readonly depth: number
  readonly records: number
}

/** Walks from a record. If the rate limit ends the walk, shows the records found so far. */
const traceFrom = async (
  reader: Reader,
  resource: Resource,
  id: string,
  { directions, depth, records }: TraceOptions,
): Promise<Trace> => {
  const { scope } = reader
  const record = await reader.get(resource, id, lineageIncludes(resource, scope))
  const reads = traceLimits.reads - 1
  const bounds = { ...walkBounds, depth, records, reads, readsAtOnce: 1 }
  const lineage = await collectLineage(
    walkLineage(lineageReader(reader), { resource, record }, { directions, bounds, scope }),
  )
  const { reason, error, edges, truncated, unfollowed } = lineage
  const isRateLimited = error instanceof ApiError && error.code === 'rate_limited'
  if (reason === 'failed' && !isRateLimited) throw error
  const nodes = new Map([...lineage.nodes].filter(([, { isMissing }]) => !isMissing))
  return {
    ...{ nodes, edges, truncated, unfollowed },
    missing: lineage.nodes.size - nodes.size,
    ended: endedBy[reason],
    stoppedBy: isRateLimited ? error.message : null,
  }
}

const endedBy: Record<EndReason, Trace['ended']> = {
  complete: 'complete',
  depth: 'depth',
  records: 'limit',
  reads: 'reads',
  cancelled: 'reads',
  failed: 'reads',
}

const lineageReader = (reader: Reader): LineageReader<JsonRecord> => ({
  get: (resource, id, { include }) => find(reader, resource, id, include),
  list: (resource, { filters, include, limit }) =>
    reader.list(resource, { filters, include, limit }),
})
