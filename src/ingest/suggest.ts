import { nearest } from '#request'

/** Up to so many letters, any two words are almost alike. */
const shortLength = 5

/**
 * The name that was probably meant by another: `createdAt` by `Created At` or `creatdAt`, `tags` by
 * `tag`. Short names must begin with the same letter as well.
 */
export const meantBy = (name: string, known: readonly string[]): string | undefined => {
  const letters = lettersOf(name)
  const all = known.map(lettersOf)
  const found = nearest(letters, all)
  if (found === undefined) return undefined
  const isClose = letters.length > shortLength || letters[0] === found[0]
  return isClose ? known[all.indexOf(found)] : undefined
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
