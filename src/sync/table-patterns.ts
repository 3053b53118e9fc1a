import type { ChooseTables, NamedTable } from './source-schema.ts'

/**
 * Chooses tables by patterns with stars, separated by commas: `vendors,po_*`, `purchasing.*`. A
 * pattern with a point has the schema before it. Upper and lower case are the same. A view repeats
 * rows of tables, so a pattern means views only if it matches no table; without patterns, all tables
 * are chosen.
 */
export const tablePatterns = (patterns: string | undefined): ChooseTables => {
  const matchers = (patterns ?? '*').split(',').map((each) => matcherOf(each.trim()))
  return (tables) => {
    const chosen = new Set(
      matchers.flatMap((isMatch) => {
        const matching = tables.filter(isMatch)
        const stored = matching.filter(({ isView }) => !isView)
        return stored.length > 0 ? stored : matching
      }),
    )
    return tables.filter((table) => chosen.has(table))
  }
}

const matcherOf = (pattern: string): ((table: NamedTable) => boolean) => {
  const parts = pattern.split('*').map((part) => part.replace(/[.+^${}()|[\]\\?]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`, 'isu')
  const hasSchema = pattern.includes('.')
  return ({ schema, title }) =>
    expression.test(title) || (hasSchema && expression.test(`${schema}.${title}`))
}
