/**
 * Writes the software bill of materials of production dependencies as CycloneDX JSON: `npm run sbom
 * [-- --out <file>]`. The result depends only on package-lock.json, not on the installed packages.
 * `npm sbom` omits pg, which is also a development dependency.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type LockedPackage, type Lockfile, neededPackages } from './locked-packages.ts'
import { readOptions, runCommand } from './options.ts'

/** One component in CycloneDX format. */
export interface Component {
  readonly type: 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope: 'required' | 'optional'
  readonly purl: string
  readonly hashes: readonly { readonly alg: 'SHA-512'; readonly content: string }[]
  readonly licenses: readonly { readonly expression: string }[]
}

/** Every production dependency, in CycloneDX 1.6 format. */
export const billOfMaterials = (lockfile: string) => {
  const locked = JSON.parse(lockfile) as Lockfile
  const { name, version, packages } = locked
  const { dependencies, optionalDependencies } = packages[''] ?? {}
  const own = Object.keys({ ...dependencies, ...optionalDependencies })
  const components = [...neededPackages(locked, own)].map(([path, each]) =>
    componentOf(path.slice(path.lastIndexOf('node_modules/') + 13), each),
  )
  const purl = `pkg:npm/${name}@${version}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': purl, name, version, purl } },
    components: [...new Map(components.map((each) => [each.purl, each])).values()],
  } as const
}

const componentOf = (name: string, locked: LockedPackage): Component => {
  const { version = '', integrity = '', license, optional } = locked
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [, digest = ''] = /^sha512-(\S+)$/.exec(integrity) ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: optional ? 'optional' : 'required',
    purl,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: license === undefined ? [] : [{ expression: license }],
  }
}

if (import.meta.main) {
  await runCommand(async (args) => {
    const { out } = readOptions(args, { out: { type: 'string' } })
    const bill = billOfMaterials(
      readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
    )
    const text = `${JSON.stringify(bill, null, 2)}\n`
    if (out === undefined) process.stdout.write(text)
    else {
      writeFileSync(out, text)
      process.stderr.write(`${bill.components.length} packages are in ${out}.\n`)
    }
    return 0
  })
}
