/** Views of lists that an operator publishes for a brand. Everybody who reads the brand sees them. */

export const publishedViewsPath = '/brands/{brand}/views'
export const publishedViewsOperation = 'queryViews'

export const publishedViewLimits = {
  /** Characters of a name. */
  name: 60,
  /** Characters of a query. */
  query: 4_000,
  perBrand: 50,
} as const

/** A list with a name: its filters, order, columns and grouping. */
export interface PublishedView {
  readonly name: string
  /** The path of the group. */
  readonly group: string
  /** The parameters of the list's URL in the console, in which days may be relative. */
  readonly query: string
}

/** Parameters of a list's URL in the console that say where in the list the reader is. */
export const placeParameters: ReadonlySet<string> = new Set(['limit', 'cursor', 'before', 'saved'])

/**
 * Parameters of a list's URL that only the console reads, with their form. The console ignores names
 * in them that it does not know.
 */
export const layoutParameters: ReadonlyMap<string, RegExp> = new Map([
  ['fields', /^[A-Za-z][\w.]*(,[A-Za-z][\w.]*)*$/],
  ['by', /^[A-Za-z][\w.:]*$/],
])

/** The name of a view as it is stored: trimmed, in one Unicode form. */
export const viewName = (text: string): string => text.normalize('NFC').trim()

/** What is wrong with the name of a view, as the end of a sentence. */
export const viewNameProblem = (name: string): string | undefined => {
  if (name === '') return 'must not be empty'
  if (name.length > publishedViewLimits.name) {
    return `must have at most ${publishedViewLimits.name} characters`
  }
  return invisible.test(name) ? 'must not have control characters' : undefined
}

/** Characters that are not seen or reorder others; words of some scripts need the two joiners. */
const invisible = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u
