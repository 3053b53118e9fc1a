import type { Catalog } from '#contract'
import { lettersOf, nearest } from './suggestion.ts'

const closeMax = 5
/** A shorter part of a name says nothing; a longer one is not a name. */
const partLength = { minimum: 3, maximum: 64 } as const

/**
 * The groups that a name may mean, most similar first: by spelling (`ordrs`), in another notation
 * (`orderItems`, `order_items`), in the singular, or by a part of it (`purchase-orders`).
 */
export const closeGroups = (catalog: Catalog, name: string): readonly string[] => {
  const letters = lettersOf(name)
  const exact = sameGroup(catalog, name)
  if (exact !== undefined) return [exact]
  const { resources, byPath } = catalog
  const paths = [...byPath.keys()]
  const near = nearest(name, paths)
  const same = resources
    .filter((resource) => lettersOf(resource.name) === letters)
    .map(({ path }) => path)
  const { minimum, maximum } = partLength
  const isPart = letters.length >= minimum && letters.length <= maximum
  const alike = paths.filter((path) => {
    const candidate = lettersOf(path)
    return isPart && (candidate.includes(letters) || letters.includes(candidate))
  })
  return [...new Set([...same, ...(near ? [near] : []), ...alike])].slice(0, closeMax)
}

/** Paths of the groups by their letters. */
const pathsByLetters = new WeakMap<Catalog, ReadonlyMap<string, string>>()

/** The group with this name, in any notation. */
export const sameGroup = (catalog: Catalog, name: string): string | undefined => {
  const paths =
    pathsByLetters.get(catalog) ??
    new Map([...catalog.byPath.keys()].map((path) => [lettersOf(path), path]))
  pathsByLetters.set(catalog, paths)
  return paths.get(lettersOf(name))
}
