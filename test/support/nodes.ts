import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * A Node of a version's major: this one, one on the path, or the package of exactly that version,
 * which is kept in node_modules for the next time. Where there is none of these: why.
 */
export const findNode = async (version: string): Promise<string | { readonly missing: string }> => {
  const major = version.split('.')[0] ?? ''
  const home = join(root, 'node_modules/.cache', `node-${version}`)
  const installed = join(home, 'node_modules', packageName(), 'bin/node')
  for (const path of [process.execPath, ...onPath(), installed]) {
    if (await isMajor(path, major)) return path
  }
  try {
    await run(
      'npm',
      ['install', '--no-save', '--loglevel=error', '--prefix', home, `${packageName()}@${version}`],
      { timeout: 120_000, shell: process.platform === 'win32' },
    )
    if (await isMajor(installed, major)) return installed
    return { missing: `Node ${version} was installed but does not run here` }
  } catch (error) {
    const [said] = (error as Error).message.split('\n').slice(1)
    return { missing: `Node ${major} is not here and could not be installed: ${said}` }
  }
}

/** The package that holds Node for this system: one of those that the pinned Node comes from. */
const packageName = (): string => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys(optionalDependencies)
  const system = `${process.platform.replace('32', '')}-${process.arch}`
  return names.find((name) => name.endsWith(system)) ?? `node-${system}`
}

const onPath = (): string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .flatMap((folder) => globSync(join(folder, 'node')))

const isMajor = async (path: string, major: string): Promise<boolean> => {
  if (!existsSync(path)) return false
  const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }))
  return stdout.startsWith(`v${major}.`)
}
