/** Statements with the brand left out, rewritten on their way from the store to the database. */
import type { Database, Query } from '#database'

/**
 * The statements of a group that a mutant can be made of: the page of a list, its count, a record
 * by its id, what another group includes of it, and what another group's filter looks through.
 */
export const places = ['page', 'count', 'get', 'include', 'link'] as const
export type Place = (typeof places)[number]

/** Takes the condition on the brand out of what a statement reads of one table. */
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
    // An index that begins with the brand is of no use without it.
    changed === main ? main : changed.replaceAll(/ indexed by "\w+"/g, ''),
    ...included.map((part) => leaveOut(part, 't', 'include')),
  ].join('')
}

/** The counts within a statement, and what is around them. */
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

/** Where the brackets that are open at a position are closed, or the end of the text. */
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
  /** How many statements were changed so far. */
  readonly changes: () => number
  restore(): void
}

/** Puts itself between a store and its database, and changes what the store asks. */
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

/** The brand left out wherever a table is read, or in one place alone. */
export const leaveBrandOut = (database: Database, table: string, only?: Place): Bent =>
  bend(database, ({ text }) => withoutBrand(text, table, only))

/** The brand left out of everything that a request reads. */
export const leaveBrandsOut = (database: Database): Bent =>
  bend(database, ({ text }, ofRequest) =>
    ofRequest
      ? text.replaceAll(/(\w+\.)?"owner" = (\?\d+)/g, 'cast($2 as text) is not null')
      : text,
  )

/** Every key taken for a global one. */
export const leaveScopeOut = (database: Database): Bent =>
  bend(database, ({ text }) =>
    text.startsWith('select "hash"') ? text.replace('"global"', '1') : text,
  )
