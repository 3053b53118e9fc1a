/**
 * Measures the size of each way to install Selvedge, for docs/explanation/footprint.md: `npm run
 * footprint`. Installs everything into empty folders, using npm's cache.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinaries, nodeOf } from './build-binary.ts'
import { buildPackage } from './build-package.ts'

interface Footprint {
  readonly what: string
  readonly packages: number
  readonly megabytes: number
  /** The megabytes of Node itself. */
  readonly nodeMegabytes: number
  readonly seconds: number
}

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'selvedge-footprint-'))

const run = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })

const measure = async (what: string, home: string, work: () => unknown): Promise<Footprint> => {
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1_000
  const modules = join(home, 'node_modules')
  const nodes = existsSync(modules)
    ? readdirSync(modules).filter((name) => /^node-(bin-)?(linux|darwin|win)-/.test(name))
    : []
  const nodeBytes = nodes.reduce((sum, name) => sum + bytesIn(join(modules, name)), 0)
  return {
    what,
    packages: packagesIn(modules),
    megabytes: bytesIn(home) / 1e6,
    nodeMegabytes: nodeBytes / 1e6,
    seconds,
  }
}

const packagesIn = (modules: string): number => {
  const list = join(modules, '.package-lock.json')
  if (!existsSync(list)) return 0
  const { packages } = JSON.parse(readFileSync(list, 'utf8')) as {
    readonly packages: { readonly [path: string]: { readonly link?: boolean } }
  }
  return Object.entries(packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && !link,
  ).length
}

const bytesIn = (path: string): number => {
  const entry = lstatSync(path)
  if (!entry.isDirectory()) return entry.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}

/** A checkout of the last commit, without its history. */
const checkOut = (name: string): string => {
  const home = join(folder, name)
  mkdirSync(home)
  run('sh', ['-c', `git -C '${root}' archive HEAD | tar -x`], home)
  return home
}

const footprints = async (): Promise<readonly Footprint[]> => {
  const checkout = checkOut('checkout')
  const bootstrap = (...args: readonly string[]) =>
    run(process.execPath, ['tools/bootstrap.cjs', ...args], checkout)
  const clone = await measure('a checkout', checkout, () => undefined)
  const serving = await measure('a checkout, after `npm start`', checkout, () => bootstrap())
  const all = await measure('a checkout, after `npm test` as well', checkout, () =>
    bootstrap('all'),
  )
  const built = join(folder, 'package')
  const compiled = await measure('the npm package, unpacked', built, () => buildPackage(built))
  const tarball = join(folder, run('npm', ['pack', '--silent', built], folder).trim())
  const home = join(folder, 'home')
  mkdirSync(home)
  const installed = await measure('the npm package and its dependencies', home, () =>
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', tarball], home),
  )
  const binaries = join(folder, 'binary')
  const began = performance.now()
  const [binary = ''] = await buildBinaries(binaries, ['linux-x64'])
  const executable: Footprint = {
    what: 'the single executable for Linux on x64',
    packages: 0,
    megabytes: bytesIn(binary) / 1e6,
    nodeMegabytes: bytesIn(nodeOf('linux-x64', binaries)) / 1e6,
    seconds: (performance.now() - began) / 1_000,
  }
  return [clone, serving, all, compiled, installed, executable, await imageOf(installed)]
}

/**
 * The container image: the installed package in a separate root folder. Downloading Debian's
 * packages requires root.
 */
const imageOf = async (installed: Footprint): Promise<Footprint> => {
  const image = join(folder, 'image')
  const script = join(root, 'tools/image-root.sh')
  const base = await measure('the container image', image, () =>
    run('sh', [script, image, process.execPath], folder),
  )
  return {
    ...base,
    packages: installed.packages,
    megabytes: base.megabytes + installed.megabytes,
    nodeMegabytes: bytesIn(join(image, 'usr/local/bin/node')) / 1e6,
  }
}

const rowOf = ({ what, packages, megabytes, nodeMegabytes, seconds }: Footprint): string =>
  `| ${[
    what,
    packages,
    Math.round(megabytes),
    Math.round(nodeMegabytes),
    seconds < 0.1 ? '–' : seconds.toFixed(0),
  ].join(' | ')} |`

try {
  const rows = (await footprints()).map(rowOf)
  const header = '| | packages | MB | of it Node | seconds |\n| --- | --- | --- | --- | --- |'
  console.log([header, ...rows].join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
