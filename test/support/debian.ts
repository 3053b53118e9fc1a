/** Debian's packages: unpacked into a folder of one's own, without root, or installed. */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** An empty folder instead of the system's and the cache's, for tests of what a missing program does. */
const instead = process.env['SELVEDGE_TEST_SYSTEM']

/** The root folder of the system, which has what was installed. */
export const systemRoot = instead ?? '/'

const cache = instead ?? join(import.meta.dirname, '../../node_modules/.cache')

/** Where packages are kept under a name. */
export const unpackedAt = (name: string): string => join(cache, `selvedge-${name}`)

/** Fetches packages and unpacks them under a name. */
export const unpack = async (name: string, packages: readonly string[]): Promise<void> => {
  const place = unpackedAt(name)
  mkdirSync(join(place, '..'), { recursive: true })
  // Beside its place and then moved there, as another test may be fetching it too.
  const folder = mkdtempSync(`${place}-`)
  try {
    const download = () =>
      run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', ...packages], {
        cwd: folder,
        timeout: 60_000,
      })
    await download().catch(async (error) => {
      if (process.getuid?.() !== 0) throw error
      await run('apt-get', ['update'], { timeout: 60_000 })
      await download()
    })
    for (const file of globSync('*.deb', { cwd: folder })) {
      await run('dpkg', ['-x', file, join(folder, 'root')], { cwd: folder })
    }
    rmSync(place, { recursive: true, force: true })
    renameSync(join(folder, 'root'), place)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Installs packages for all, which only root can. */
export const install = async (packages: readonly string[]): Promise<void> => {
  if (process.getuid?.() !== 0) throw new Error(`only root can install ${packages.join(' ')}`)
  const execute = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], {
      timeout: 180_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  await execute().catch(async () => {
    await run('apt-get', ['update'], { timeout: 60_000 })
    await execute()
  })
}

/** The first way that works; where none does, the sentence and why each did not. */
export const firstFound = async <Found>(
  sentence: string,
  ways: readonly (() => Promise<Found>)[],
): Promise<Found | { readonly missing: string }> => {
  const tried: string[] = []
  for (const find of ways) {
    try {
      return await find()
    } catch (error) {
      tried.push((error as Error).message.trim().split('\n')[0] ?? '')
    }
  }
  return { missing: `${sentence}: ${tried.join('; ')}` }
}
