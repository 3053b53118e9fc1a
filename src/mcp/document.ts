import {
  ApiError,
  catalog,
  documentLimits,
  documents,
  formatCount,
  isJsonObject,
  type JsonValue,
  queryBasePath,
  relationsOf,
  resourceAt,
} from '#contract'
import { brandArgument, checkId, groupAt, idArgument, titleOf } from './group.ts'
import { leftOutSentences } from './left-out.ts'
import type { JsonRecord } from './reader.ts'
import { type Call, callOf, callText, tool } from './tool.ts'
import { resultMax, sizeOf, truncateRecord } from './truncate.ts'

/** Default number of rows per section: more would leave no room for other sections. */
const rowsDefault = 25

const groups = [...documents.keys()]

export const getDocument = tool({
  name: 'get_document',
  title: 'Get a record with everything that belongs to it',
  description: `Shows one record of ${groups.join(', ')} as people read it, in one call: how late it is, pieces and amounts ordered, made, shipped, received, invoiced and paid with planned and actual dates, its lines with what the goods are called, shipments, receipts, invoices with balances, payments, notes and documents; for a supplier the scorecard of the last 12 months.`,
  arguments: {
    group: { kind: 'text', required: true, meaning: `one of ${groups.join(', ')}` },
    id: { ...idArgument, required: true },
    rows: {
      kind: 'whole',
      ...documentLimits.rows,
      default: rowsDefault,
      meaning: 'rows of each section',
    },
    asOf: { kind: 'text', meaning: 'the day to take for today, such as 2026-03-01' },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    id: { type: 'string' },
    title: { type: ['string', 'null'] },
    status: { type: ['string', 'null'] },
    asOf: { type: 'string' },
    deadlines: {
      type: 'array',
      items: { type: 'object' },
      description: 'Planned dates, when they happened, and how many days late; negative for early.',
    },
    progress: { type: 'array', items: { type: 'object' } },
    scorecard: { type: ['object', 'null'] },
    record: { type: 'object' },
    sections: {
      type: 'object',
      description:
        'Each with its group, exact total, and the rows that fit. Empty fields are left out; records that a row refers to are shown by their titles.',
    },
  },
  run: async ({ group, id, rows = rowsDefault, asOf, brand }, caller) => {
    const resource = groupAt(group)
    if (!documents.has(resource.path)) throw withoutDocument(resource.path)
    const reader = await caller.open(brand)
    const document = await reader.document(resource, checkId(resource, id), { limit: rows, asOf })
    const { title, status, deadlines, progress, scorecard } = document
    const record = isJsonObject(document['record']) ? document['record'] : {}
    const [own = {}] = truncateRecord(compact(resource.path, record)).records
    const head = { title, status, asOf: document['asOf'], deadlines, progress, scorecard }
    const room = resultMax - sizeOf(head) - sizeOf(own) - headMax
    const { sections, total, shown, next } = fit(reader.brand, document['sections'], room)
    // If no list has the records of a section, the record's references lead to them.
    const references = callOf('follow_references', {
      ...{ brand: reader.brand, group: resource.path, id },
    })
    return {
      summary: [
        `${resource.name} ${String(title ?? id)} as of ${document['asOf']}, with ${formatCount(total, 'record')} that belong to it; ${shown} shown.`,
        ...leftOutSentences(scorecard),
        shown === total
          ? 'Nothing is truncated.'
          : `More of them: ${callText(next ?? references)}.`,
      ].join(' '),
      brand: reader.brand,
      group: resource.path,
      id,
      ...head,
      record: own,
      sections,
      next: shown === total ? null : (next ?? references),
    }
  },
})

const withoutDocument = (path: string): ApiError =>
  new ApiError(
    'invalid_parameter',
    `Parameter group must be one of ${groups.join(', ')}: ${path} has no document. Call get_record instead.`,
    { details: [{ parameter: 'group', issue: `must be one of ${groups.join(', ')}` }] },
  )

/** Reserved length for the summary and the names of the sections. */
const headMax = 3_000

/** As many rows as fit, section by section. */
const fit = (brand: string, all: JsonValue | undefined, most: number) => {
  let room = most
  let total = 0
  let shown = 0
  let next: Call | null = null
  const sections: { [name: string]: unknown } = {}
  for (const [name, section] of Object.entries(isJsonObject(all) ? all : {})) {
    if (!isJsonObject(section)) continue
    const group = String(section['group'])
    const items = Array.isArray(section['items']) ? section['items'].filter(isJsonObject) : []
    const rows: JsonRecord[] = []
    for (const item of items) {
      const record = isJsonObject(item['record']) ? item['record'] : {}
      const row = { ...compact(group, record), ...namesOf(item) }
      room -= sizeOf(row) + 1
      if (room < 0) break
      rows.push(row)
    }
    const totalItems = Number(section['totalItems'])
    total += totalItems
    shown += rows.length
    sections[name] = { group, total: totalItems, rows }
    if (rows.length < totalItems) next ??= listOf(brand, group, section['url'] ?? null)
  }
  return { sections, total, shown, next }
}

/** The list behind a section, from its path in the query API. */
const listOf = (brand: string, group: string, url: JsonValue): Call | null => {
  if (typeof url !== 'string') return null
  const { searchParams } = new URL(url, `http://local${queryBasePath}`)
  const { view, ...filters } = Object.fromEntries(searchParams)
  return callOf('list_records', { brand, group, filters, view })
}

/** A record without empty fields, with the titles of included records. */
const compact = (path: string, record: JsonRecord): JsonRecord => {
  const resource = resourceAt(catalog, path)
  const relations = new Map(relationsOf(resource).map(({ name, to }) => [name, to]))
  return Object.fromEntries(
    Object.entries(record).flatMap(([field, value]): [string, JsonValue][] => {
      if (value === null || field === 'createdAt' || field === 'updatedAt') return []
      const to = relations.get(field)
      return to !== undefined && isJsonObject(value)
        ? [[field, titleOf(resourceAt(catalog, to), value)]]
        : [[field, value]]
    }),
  )
}

/** Names and figures of a row beside its record. */
export const namesOf = ({ goods, figures }: JsonRecord): JsonRecord => {
  const named = isJsonObject(goods)
    ? Object.fromEntries(
        ['style', 'option', 'sku'].flatMap((part): [string, JsonValue][] => {
          const each = goods[part]
          return isJsonObject(each)
            ? [[part, [each['code'], each['name']].filter(Boolean).join(' ')]]
            : []
        }),
      )
    : {}
  return {
    ...(isJsonObject(goods) && { goods: { ...named, sizes: goods['sizes'] ?? [] } }),
    ...(isJsonObject(figures) && { figures }),
  }
}
