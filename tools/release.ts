/**
 * Creates the files of a release in `dist/release`: `npm run release [-- --platforms <names>]`.
 * These are the tarballs of the server and the client, single executables, the software bill of
 * materials, the section of the change log, and the checksums of all. Publishes nothing.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { buildBinaries, type Platform, platforms } from './build-binary.ts'
import { buildPackage } from './build-package.ts'
import { oneOf, readOptions, runCommand } from './options.ts'
import { billOfMaterials } from './sbom.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The section of the change log for a version, or the unreleased section. */
export const changesOf = (changelog: string, version: string): string => {
  const sections = changelog.split(/^(?=## )/m)
  const begins = (title: string) => sections.find((each) => each.startsWith(`## ${title}`))
  const section = begins(version) ?? begins('Unreleased')
  if (section === undefined) throw new Error(`CHANGELOG.md has no section about ${version}.`)
  return section
}

/** Creates the files in a folder, which it replaces. */
export const makeRelease = async (folder: string, wanted: readonly Platform[]): Promise<void> => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const built = join(root, 'dist/package')
  await buildPackage(built)
  for (const each of [built, join(root, 'client')]) {
    execFileSync('npm', ['pack', '--silent', each], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 2],
      shell: process.platform === 'win32',
    })
  }
  if (wanted.length > 0) await buildBinaries(folder, wanted)
  const bill = billOfMaterials(read('package-lock.json'))
  writeFileSync(join(folder, `selvedge-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
  writeFileSync(join(folder, 'CHANGES.md'), changesOf(read('CHANGELOG.md'), version))
  const lines: string[] = []
  for (const name of readdirSync(folder).sort()) {
    lines.push(`${await digestOf(join(folder, name))}  ${name}\n`)
  }
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

if (import.meta.main) {
  await runCommand(async (args) => {
    const { platforms: named } = readOptions(args, { platforms: { type: 'string' } })
    const names = Object.keys(platforms) as Platform[]
    const wanted = (named ?? 'linux-x64,linux-arm64')
      .split(',')
      .map((each) => oneOf('--platforms', each, names))
    await makeRelease(join(root, 'dist/release'), wanted)
    process.stdout.write(readFileSync(join(root, 'dist/release/SHA256SUMS'), 'utf8'))
    return 0
  })
}
