import { ApiError, type JsonValue, type Resource } from '#contract'
import type { Cursors } from '#cursors'
import { getParameters, idParameter, listParameters, notFound } from '#request'
import type { Reserve, Store } from '#store'
import type { FilterValues } from './arguments.ts'
import { nextTurn } from './turn.ts'

export type JsonRecord = { readonly [name: string]: JsonValue }

/** What is asked of a list, before it is checked. */
export interface ListQuestion {
  readonly filters?: FilterValues
  readonly limit?: number
  readonly cursor?: string
  readonly include?: readonly string[]
}

export interface ListPage {
  readonly items: readonly JsonRecord[]
  readonly nextCursor: string | null
  readonly totalItems: number
}

/**
 * Reads one brand's records, as the API's operations do and with their refusals. It has no way to
 * write.
 */
export interface Reader {
  readonly brand: string
  list(resource: Resource, question: ListQuestion): Promise<ListPage>
  /** The record; the brand's own has no id. Throws `not_found`. */
  get(resource: Resource, id: string, include: readonly string[]): Promise<JsonRecord>
}

/** A question in the words of the API's query. */
export const queryOf = ({ filters = {}, limit, cursor, include = [] }: ListQuestion): string => {
  const pairs = [
    ...Object.entries(filters),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
    ...(include.length === 0 ? [] : [['include', include.join(',')] as const]),
    ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
  ]
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
}

export interface StoreReaderParts {
  readonly store: Store
  readonly cursors: Cursors
  /** Sets memory aside for large reads; without it they are bounded one by one. */
  readonly reserve?: Reserve
}

/** Bytes of one read. Parsed, records take several times as much, and a message may have many reads. */
const readBytesMax = 4_194_304

/** Refuses what is too large for an agent, and sets memory aside for what is large. */
const reserveUpTo =
  (reserve: Reserve | undefined): Reserve =>
  (bytes) => {
    if (bytes <= readBytesMax) return reserve?.(bytes)
    throw new ApiError(
      'page_too_large',
      `These records have ${bytes} bytes; at most ${readBytesMax} are read at a time. Use a smaller limit, or leave out include.`,
      { details: [{ parameter: 'limit', issue: 'is too large for these records' }] },
    )
  }

/** Reads from the store itself. */
export const storeReader = (
  { store, cursors, reserve: reserveMemory }: StoreReaderParts,
  brand: string,
): Reader => {
  const reserve = reserveUpTo(reserveMemory)
  return {
    brand,
    list: async (resource, question) => {
      const { filters, limit, include, cursor } = listParameters(resource)(queryOf(question))
      const walk = { brand, collection: resource.path, filters }
      const after = cursor === null ? null : cursors.open(walk, cursor)
      const page = await store.list({ resource, brand, filters, limit, after, include, reserve })
      return {
        items: await parseItems(page.items),
        nextCursor: page.next && cursors.seal(walk, page.next),
        totalItems: page.total,
      }
    },
    get: async (resource, id, names) => {
      const query = queryOf({ include: names })
      if (resource.lookup) {
        const include = getParameters(resource)(query, undefined)
        const whole = { filters: new Map(), limit: 1, after: null, include }
        const { items } = await store.list({ resource, brand, ...whole, reserve })
        if (items.length === 0) throw notFound()
        return JSON.parse(Buffer.from(items).toString()) as JsonRecord
      }
      const include = getParameters(resource)(query, idParameter(resource)(id))
      const found = await store.get({ resource, brand, key: [id], include, reserve })
      if (!found) throw notFound()
      return JSON.parse(found.body) as JsonRecord
    },
  }
}

/** Characters that are parsed at once: a few milliseconds of work. */
const parsedMax = 262_144

/** Records joined by commas. A long page is parsed record by record, and others go on meanwhile. */
export const parseItems = async (text: string): Promise<readonly JsonRecord[]> => {
  if (text.length <= parsedMax) return JSON.parse(`[${text}]`) as JsonRecord[]
  const records: JsonRecord[] = []
  let rested = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfRecord(text, start)
    records.push(JSON.parse(text.slice(start, end)) as JsonRecord)
    start = end + 1
    if (start - rested > parsedMax) {
      await nextTurn()
      rested = start
    }
  }
  return records
}

/** Where the object that begins at a place ends. */
const endOfRecord = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      do at = text.indexOf('"', at + 1)
      while (at !== -1 && isEscaped(text, at))
      if (at === -1) break
    } else if (code === openBrace) depth += 1
    else if (code === closeBrace) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

const [quote, openBrace, closeBrace, backslash] = [34, 123, 125, 92]

/** Whether a quote belongs to the text: an odd number of backslashes is before it. */
const isEscaped = (text: string, at: number): boolean => {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before -= 1
  return (at - before) % 2 === 0
}
