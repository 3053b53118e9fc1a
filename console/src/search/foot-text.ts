import { texts } from '../texts/index.ts'
import type { Search } from './use-search.ts'

/** What the search dialog says about its results; `count` includes groups, views and actions. */
export const footText = (
  text: string,
  { results, error, isCurrent }: Search,
  count: number,
): string => {
  const words = texts().search
  if (error) return error.message
  if (text.trim() === '') return words.hint
  if (results && !results.isComplete) {
    const shown = results.items.length
    return shown === 0 ? words.noneClose(text.trim()) : words.incomplete(shown)
  }
  if (count === 0) return isCurrent ? words.nothing(text.trim()) : words.searching
  return words.count(count)
}
