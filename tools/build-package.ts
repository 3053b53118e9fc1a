/**
 * Builds the published package into `dist/package`: `npm run build:package`. Then `npm pack
 * ./dist/package` creates the tarball.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { manifestOf, shrinkwrapOf } from './package/manifest.ts'

const root = join(import.meta.dirname, '..')

/** Patterns of the generated documents that a server serves. */
export const servedDocuments = ['openapi.json', 'connectors/openapi.*.json', 'connectors/llms.txt']

/** Builds the package into a folder, which it replaces. The client and the console must be built. */
export const buildPackage = async (folder: string): Promise<void> => {
  for (const [built, file] of [
    ['client', 'index.js'],
    ['console', 'files.json'],
  ] as const) {
    if (!existsSync(join(root, built, 'dist', file))) {
      throw new Error(`The ${built} is not built. Run: npm run build:package`)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  await bundleInto(folder)
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

/**
 * Bundles the programs of processes and threads, and the modules that are loaded by their path, into few
 * files: reading a thousand of them takes most of the time of a start. They are at the paths that they
 * have in the checkout; what they share is in `src/shared`, one folder deep like the file that finds the
 * installation. Packages remain dependencies.
 */
const bundleInto = async (folder: string): Promise<void> => {
  const programs = globSync(
    ['cli/{main,stand-in-process}.ts', '**/*-main.{ts,mjs}', 'database/postgres/postgres.ts'],
    { cwd: join(root, 'src'), exclude: ['cli/executable-main.ts'] },
  )
  const build = await rolldown({
    input: Object.fromEntries(
      programs.map((path) => [urlPath(path).replace(/\.ts$/, '.js'), join(root, 'src', path)]),
    ),
    platform: 'node',
    cwd: root,
    external: [/^[a-z@]/],
    logLevel: 'warn',
  })
  const { output } = await build.write({
    dir: join(folder, 'src'),
    entryFileNames: '[name]',
    chunkFileNames: 'shared/[name]-[hash].js',
    minify: 'dce-only',
    sourcemap: true,
    sourcemapPathTransform: (source, map) =>
      `selvedge:///${urlPath(relative(root, resolve(dirname(map), source)))}`,
  })
  await build.close()
  for (const { fileName } of output) {
    if (!fileName.endsWith('.map')) continue
    const file = join(folder, 'src', fileName)
    // The sources themselves would double the size of the package.
    const { sourcesContent: _, ...map } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify(map))
  }
}

/** A path with slashes, whatever the system uses. */
const urlPath = (path: string): string => path.replaceAll(sep, '/')

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
  await buildPackage(folder)
  const megabytes = (sizeOf(folder) / 1e6).toFixed(1)
  console.log(`Built dist/package, ${megabytes} MB. To pack it: npm pack ./dist/package`)
}
