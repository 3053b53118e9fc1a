import { type Checks, formatCount } from '#contract'

/** More exceptions than this are counted, not listed. */
const listedMax = 3

/** `enforce`, or `warn, except currency=enforce`. */
export const checksWords = ({ default: all, exceptions }: Checks): string => {
  const named = Object.entries(exceptions).map(([check, mode]) => `${check}=${mode}`)
  if (named.length > listedMax) return `${all}, with ${formatCount(named.length, 'exception')}`
  return named.length === 0 ? all : `${all}, except ${named.join(', ')}`
}
