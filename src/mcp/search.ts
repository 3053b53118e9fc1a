import { formatCount, isJsonObject, searchLimits } from '#contract'
import { brandArgument } from './group.ts'
import { cutSchema } from './records.ts'
import { tool } from './tool.ts'
import { resultMax, sizeOf, truncateRecords } from './truncate.ts'

export const search = tool({
  name: 'search',
  title: 'Search records',
  description:
    'Finds records of all groups by a number, code, name or reference: order, invoice, shipment, tracking and container numbers, SKU codes, names of partners and products. Case and accents do not matter; the best matches come first. Each result has the record.',
  arguments: {
    query: { kind: 'text', required: true, meaning: 'what to search for, such as PO-5512' },
    groups: { kind: 'texts', meaning: 'only these groups, such as ["orders", "shipments"]' },
    limit: { kind: 'whole', ...searchLimits.limit, meaning: 'results' },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    total: { type: 'integer', description: 'The number of results.' },
    shown: { type: 'integer' },
    isComplete: { type: 'boolean', description: 'Whether these are all.' },
    results: { type: 'array', items: { type: 'object' } },
    cut: cutSchema,
  },
  run: async ({ query, groups, limit, brand }, caller) => {
    const reader = await caller.open(brand)
    const response = await reader.search({ q: query, limit, groups: groups?.join(',') })
    const items = Array.isArray(response['items']) ? response['items'].filter(isJsonObject) : []
    const heads = items.map(({ record: _, ...head }) => head)
    const records = items.map(({ record }) => (isJsonObject(record) ? record : {}))
    const truncated = truncateRecords(records, resultMax - sizeOf(heads))
    const shown = truncated.records.length
    const isComplete = response['isComplete'] === true
    return {
      summary: [
        `${formatCount(items.length, 'result')} for ${JSON.stringify(query)}; ${shown} shown here, the best first.`,
        isComplete
          ? 'There are no more.'
          : 'There are more: search for more of the number or name, or name the groups.',
      ].join(' '),
      brand: reader.brand,
      total: items.length,
      shown,
      isComplete,
      results: truncated.records.map((record, index) => ({ ...heads[index], record })),
      cut: truncated.cut,
      next: null,
    }
  },
})
