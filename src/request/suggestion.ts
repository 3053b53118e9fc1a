import { foldText } from '#contract'

/** Many words up to this length differ in one or two letters: `logs` and `legs`. */
const shortLength = 4
/** Longer names are not compared letter by letter. */
const comparedMax = 64

/**
 * The name that was probably meant, for people and agents alike: `createdAt` for `Created At`,
 * `created_at` or `creatdAt`, `tags` for `tag`, `categories` for `category`. Returns the most
 * similar one.
 */
export const nearest = (name: string, names: readonly string[]): string | undefined => {
  const letters = lettersOf(name)
  if (letters === '' || letters.length >= comparedMax) return undefined
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const each of names) {
    const candidate = lettersOf(each)
    const steps = Math.min(distance(candidate, letters), pluralDistance(candidate, letters))
    if (steps >= least || !isClose(letters, candidate, steps)) continue
    best = each
    least = steps
  }
  return best
}

/** The folded letters and digits of a name, which are the same in any notation. */
export const lettersOf = (text: string): string => foldText(text).replace(/[^a-z0-9]/g, '')

/** A short name may miss letters or have extra ones, but not different ones. */
const isClose = (letters: string, candidate: string, steps: number): boolean =>
  steps < 3 &&
  (letters.length > shortLength || steps === Math.abs(letters.length - candidate.length)) &&
  (steps < 2 || letters.length > shortLength + 1 || letters[0] === candidate[0])

/** The distance of the singulars of plurals in `ies`: 1 for a singular and its plural. */
const pluralDistance = (a: string, b: string): number => {
  const [one, other] = [a, b].map((each) => each.replace(/ies$/, 'y')) as [string, string]
  return one === a && other === b ? Number.POSITIVE_INFINITY : distance(one, other) + 1
}

const distance = (a: string, b: string): number => {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Number of unknown names with a suggestion: the first few show the problem. */
const suggestionsMax = 5

interface NameIssue {
  /** The problem with the name. */
  readonly unknown: string
  /** A sentence with all valid names. */
  readonly all: string
  /** A hint that does not depend on spelling. */
  readonly hint?: () => string | undefined
}

/**
 * The problem with the unknown name at an index, with a suggestion; the first also lists all names.
 */
export const unknownName = (
  name: string,
  validNames: readonly string[],
  index: number,
  { unknown, all, hint }: NameIssue,
): string => {
  const advice = index < suggestionsMax ? (hint?.() ?? didYouMean(name, validNames)) : undefined
  const issue = advice ? `${unknown}; ${advice}` : unknown
  if (index > 0) return issue
  return `${issue}${issue.endsWith('?') ? '' : '.'} ${all}`
}

const didYouMean = (name: string, names: readonly string[]): string | undefined => {
  const meant = nearest(name, names)
  return meant && `did you mean ${meant}?`
}
