/**
 * Builds the published package into `dist/package`: `npm run build:package`. Then `npm pack
 * ./dist/package` creates the tarball.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { manifestOf, shrinkwrapOf } from './package/manifest.ts'

const root = join(import.meta.dirname, '..')

/** Patterns of the generated documents that a server serves. */
export const servedDocuments = ['openapi.json', 'connectors/openapi.*.json', 'connectors/llms.txt']

/** Builds the package into a folder, which it replaces. The client and the console must be built. */
export const buildPackage = (folder: string): void => {
  for (const [built, file] of [
    ['client', 'index.js'],
    ['console', 'files.json'],
  ] as const) {
    if (!readdirSync(join(root, built, 'dist')).includes(file)) {
      throw new Error(`The ${built} is not built. Run: npm run build:package`)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  compileInto(folder)
  const copy = (from: string, to = from) =>
    cpSync(join(root, from), join(folder, to), { recursive: true, filter: isPublished })
  copy('client/dist', 'client')
  copy('console/dist')
  copy('demo/records')
  for (const document of globSync(servedDocuments, { cwd: root })) copy(document)
  compress(join(folder, 'connectors/openapi.query.json'))
  copy('LICENSE')
  copy('tools/package/README.md', 'README.md')
  copy('tools/package/selvedge.mjs', 'bin/selvedge.mjs')
  chmodSync(join(folder, 'bin/selvedge.mjs'), 0o755)
  const manifest = readJson('package.json')
  writeJson(join(folder, 'package.json'), manifestOf(manifest))
  writeJson(
    join(folder, 'npm-shrinkwrap.json'),
    shrinkwrapOf(manifest, readJson('package-lock.json')),
  )
}

/** Excludes the stamps of the bootstrap step, which start with a dot. */
const isPublished = (file: string): boolean => !/[\\/]\.[^\\/]*$/.test(file)

const compileInto = (folder: string): void => {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
  const compiler = join(dirname(typescript), 'bin/tsc')
  const project = join(root, 'tools/package')
  mkdirSync(folder, { recursive: true })
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], {
    stdio: ['ignore', 2, 2],
  })
  // Compiled as a dependency of the server; the package contains the client's build with its types.
  rmSync(join(folder, 'client'), { recursive: true })
}

/** Compresses a document: it is as large as the compiled sources, and rarely requested. */
const compress = (file: string): void => {
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
  rmSync(file)
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const writeJson = (path: string, value: object): void =>
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(folder, path)))
    .filter((each) => each.isFile())
    .reduce((sum, { size }) => sum + size, 0)

if (import.meta.main) {
  const folder = join(root, 'dist/package')
  buildPackage(folder)
  const megabytes = (sizeOf(folder) / 1e6).toFixed(1)
  console.log(`Built dist/package, ${megabytes} MB. To pack it: npm pack ./dist/package`)
}
