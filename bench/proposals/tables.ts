import type { CollectionMapping } from '#mapping'
import type { Qualify } from './described.ts'

/** Whether two columns have the same values, directly or by way of others. */
export const relationsOf = (
  pairs: readonly (readonly [string, string])[],
): ((one: string, other: string) => boolean) => {
  const roots = new Map<string, string>()
  const rootOf = (column: string): string => {
    const next = roots.get(column)
    return next === undefined ? column : rootOf(next)
  }
  for (const [one, other] of pairs) {
    if (rootOf(one) !== rootOf(other)) roots.set(rootOf(one), rootOf(other))
  }
  return (one, other) => rootOf(one) === rootOf(other)
}

/** The table of a query, without the schema `public`. */
export const tableOf = ({ sql }: CollectionMapping['from']): string => {
  const [, name = ''] = /\bfrom\s+([^\s;]+)/iu.exec(sql?.sql ?? '') ?? []
  return name.replaceAll('"', '').replace(/^public\./, '')
}

export const qualifier = (mapping: CollectionMapping): Qualify => {
  const tables = new Map((mapping.join ?? []).map(({ name, from }) => [name, tableOf(from)]))
  return (column, rowsOf) => {
    const dot = column.indexOf('.')
    const joined = tables.get(column.slice(0, dot))
    if (dot > 0 && joined !== undefined) return `${joined}.${column.slice(dot + 1)}`
    const own = rowsOf === null ? undefined : tables.get(rowsOf)
    return own === undefined ? column : `${own}.${column}`
  }
}
