import { type Lockfile, neededPackages } from '../locked-packages.ts'

/** The parts of the repository's package.json that the package also has. */
export interface RootManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: { readonly [name: string]: string }
  readonly peerDependencies: { readonly [name: string]: string }
  readonly peerDependenciesMeta: { readonly [name: string]: object }
}

/** The first Node whose SQLite does not corrupt a database used by several processes. */
export const oldestNode = '24.15.0'

/** The package.json of the package. */
export const manifestOf = (root: RootManifest) => ({
  name: root.name,
  version: root.version,
  description: root.description,
  license: root.license,
  type: 'module',
  bin: { selvedge: 'bin/selvedge.mjs' },
  exports: {
    './client': { types: './client/index.d.ts', default: './client/index.js' },
    './openapi.json': './openapi.json',
    './package.json': './package.json',
  },
  engines: { node: `>=${oldestNode}` },
  dependencies: root.dependencies,
  peerDependencies: root.peerDependencies,
  peerDependenciesMeta: root.peerDependenciesMeta,
})

/** The npm-shrinkwrap.json of the package: the tested versions of its dependencies. */
export const shrinkwrapOf = (root: RootManifest, lockfile: Lockfile) => {
  const { name, version, license, bin, engines, dependencies, ...rest } = manifestOf(root)
  const { peerDependencies, peerDependenciesMeta } = rest
  const own = { name, version, license, bin, engines, dependencies }
  const needed = [...neededPackages(lockfile, Object.keys(dependencies))].map(([path, each]) => {
    const { dev: _dev, peer: _peer, ...entry } = each
    return [path, entry]
  })
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { ...own, peerDependencies, peerDependenciesMeta },
      ...Object.fromEntries(needed),
    },
  }
}
