/** A package in package-lock.json. */
export interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly peer?: boolean
  readonly dependencies?: { readonly [name: string]: string }
  readonly optionalDependencies?: { readonly [name: string]: string }
}

export interface Lockfile {
  readonly name: string
  readonly version: string
  readonly packages: { readonly [path: string]: LockedPackage }
}

/**
 * The transitive dependencies of packages, by their paths in the lockfile. Resolves each like Node,
 * starting in the folder of the package that needs it.
 */
export const neededPackages = (
  { packages }: Lockfile,
  names: readonly string[],
): ReadonlyMap<string, LockedPackage> => {
  const needed = new Map<string, LockedPackage>()
  const add = (name: string, from: string): void => {
    const path = placesOf(name, from).find((each) => packages[each])
    const locked = path === undefined ? undefined : packages[path]
    // Only an optional package for another platform can be missing.
    if (path === undefined || locked === undefined || needed.has(path)) return
    needed.set(path, locked)
    const all = { ...locked.dependencies, ...locked.optionalDependencies }
    for (const each of Object.keys(all)) add(each, `${path}/`)
  }
  for (const name of names) add(name, '')
  return new Map([...needed].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** `node_modules/x/node_modules/y` before `node_modules/y`. */
const placesOf = (name: string, from: string): readonly string[] => {
  const folders = from.split('node_modules/').map((_, at, parts) => parts.slice(0, at + 1))
  return folders.map((each) => `${each.join('node_modules/')}node_modules/${name}`).reverse()
}
