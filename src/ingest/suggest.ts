import { foldText } from '#contract'
import { nearest } from '#request'

/** Up to this many letters, any two words are almost alike. */
const shortLength = 5

/**
 * The name that was probably meant: `createdAt` for `Created At` or `creatdAt`, `tags` for `tag`.
 * A short name must also begin with the same letter.
 */
export const suggestName = (name: string, names: readonly string[]): string | undefined => {
  const letters = lettersOf(name)
  const candidates = names.map(lettersOf)
  const match = nearest(letters, candidates)
  if (match === undefined) return undefined
  const isClose = letters.length > shortLength || letters[0] === match[0]
  return isClose ? names[candidates.indexOf(match)] : undefined
}

const lettersOf = (text: string): string => foldText(text).replace(/[^a-z0-9]/g, '')
