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
  let changed = text
  const leaveOut = (alias: string) => {
    const condition = new RegExp(`(?<![\\w".])${alias}"owner" = (\\?\\d+)`, 'g')
    changed = changed.replaceAll(condition, 'cast($1 as text) is not null')
  }
  const wants = (place: Place) => only === undefined || only === place
  const isCount = /count\(\*\) from "/.test(text)
  const isInclude = text.startsWith('with page(')
  const [page = '', included = ''] = isInclude ? splitInclude(text) : [text, '']
  changed = page
  const place = isCount ? 'count' : page.includes(' order by ') ? 'page' : 'get'
  if (page.includes(`"${table}" as t`) && wants(place)) leaveOut('t\\.')
  if (page.includes(`"${table}" as l`) && wants('link')) leaveOut('l\\.')
  // An index that begins with the brand is of no use without it.
  if (changed !== page) changed = changed.replaceAll(/ indexed by "\w+"/g, '')
  if (!isInclude) return changed
  const rest = changed
  changed = included
  if (included.includes(`from "${table}" where`) && wants('include')) leaveOut('')
  return rest + changed
}

/** The page that a statement names, and what is included of it. */
const splitInclude = (text: string): readonly [string, string] => {
  const at = text.lastIndexOf(') select ')
  return [text.slice(0, at), text.slice(at)]
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
  mutable.read = (queries, brand) =>
    read.call(
      database,
      queries.map((query) => {
        const text = change(query, brand !== undefined)
        if (text !== query.text) changes += 1
        return { ...query, text }
      }),
      brand,
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
