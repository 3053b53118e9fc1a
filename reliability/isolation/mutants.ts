/** Removes the brand condition from statements between the store and the database. */
import type { Database, Query } from '#database'

/**
 * The statements of a group to mutate: the page of a list, its count, a record by id, an include
 * from another group, and a filter through another group.
 */
export const places = ['page', 'count', 'get', 'include', 'link'] as const
export type Place = (typeof places)[number]

/** Removes the brand condition from the parts of a statement that read one table. */
const withoutBrand = (text: string, table: string, only?: Place): string => {
  const wants = (place: Place) => only === undefined || only === place
  const leaveOut = (part: string, alias: 't' | 'l', place: Place): string =>
    part.includes(`"${table}" as ${alias}`) && wants(place)
      ? part.replaceAll(
          new RegExp(`(?<![\\w".])${alias}\\."owner" = (\\?\\d+)`, 'g'),
          `coalesce(${alias}."owner", $1) is not null`,
        )
      : part
  const [main = '', ...included] = text.startsWith('with "page"(')
    ? text.split(/(?=\nunion all\n)/)
    : [text]
  const changed = splitCounts(main)
    .map(({ part, isCount }) => {
      const place = isCount ? 'count' : /\border by\b/.test(part) ? 'page' : 'get'
      return leaveOut(leaveOut(part, 't', place), 'l', 'link')
    })
    .join('')
  return [
    // An index that begins with the brand cannot be forced without the condition.
    changed === main ? main : changed.replaceAll(/ indexed by "\w+"/g, ''),
    ...included.map((part) => leaveOut(part, 't', 'include')),
  ].join('')
}

/** Splits a statement into its counts and the text around them. */
const splitCounts = (
  text: string,
): readonly { readonly part: string; readonly isCount: boolean }[] => {
  const parts: { part: string; isCount: boolean }[] = []
  let from = 0
  for (const { index } of text.matchAll(/select count\(\*\)\s+from "/g)) {
    const end = closingBracket(text, index)
    parts.push({ part: text.slice(from, index), isCount: false })
    parts.push({ part: text.slice(index, end), isCount: true })
    from = end
  }
  return [...parts, { part: text.slice(from), isCount: false }]
}

/** The position of the closing bracket, or the end of the text. */
const closingBracket = (text: string, from: number): number => {
  let open = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(') open += 1
    if (text[at] === ')') open -= 1
    if (open < 0) return at
  }
  return text.length
}

export interface Bent {
  /** The number of changed statements so far. */
  readonly changes: () => number
  restore(): void
}

/** Intercepts the queries of a store and rewrites them. */
const bend = (database: Database, change: (query: Query, ofRequest: boolean) => string): Bent => {
  const { read } = database
  let changes = 0
  const mutable = database as { read: Database['read'] }
  mutable.read = (queries, brand, options) =>
    read.call(
      database,
      queries.map((query) => {
        const text = change(query, brand !== undefined)
        if (text !== query.text) changes += 1
        return { ...query, text }
      }),
      brand,
      options,
    )
  return {
    changes: () => changes,
    restore: () => {
      mutable.read = read
    },
  }
}

/** Removes the brand condition wherever a table is read, or in one place only. */
export const leaveBrandOut = (database: Database, table: string, only?: Place): Bent =>
  bend(database, ({ text }) => withoutBrand(text, table, only))

/** Removes the brand condition from every statement of requests. */
export const leaveBrandsOut = (database: Database): Bent =>
  bend(database, ({ text }, ofRequest) =>
    ofRequest
      ? text.replaceAll(/(\w+\.)?"owner" = (\?\d+)/g, 'cast($2 as text) is not null')
      : text,
  )

/** Treats every key as global. */
export const leaveScopeOut = (database: Database): Bent =>
  bend(database, ({ text }) =>
    text.startsWith('select "hash"') ? text.replace('"global"', '1') : text,
  )
