/** Debian's libfiu, which lets calls to the system fail: installed, or unpacked into a cache. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstFound, systemRoot, unpack, unpackedAt } from './debian.ts'

const run = promisify(execFile)

export interface Libfiu {
  /** The environment in which calls fail: each of those named, with its probability. */
  failing(
    chances: { readonly [call: string]: number },
    seed: number,
  ): { readonly [name: string]: string }
}

export const findLibfiu = (): Promise<Libfiu | { readonly missing: string }> =>
  firstFound('libfiu is not here and could not be fetched', [
    () => libfiuIn('/usr/lib', systemRoot),
    () => libfiuIn('/usr/lib', unpackedAt('libfiu')),
    async () => {
      await unpack('libfiu', ['fiu-utils', 'libfiu0'])
      return libfiuIn('/usr/lib', unpackedAt('libfiu'))
    },
  ])

const libfiuIn = async (folder: string, root: string): Promise<Libfiu> => {
  const at = join(root, folder)
  const libraries = ['run', 'posix'].map((name) => join(at, `fiu/fiu_${name}_preload.so`))
  for (const library of libraries) {
    if (!existsSync(library)) throw new Error(`there is no ${library}`)
  }
  const libfiu: Libfiu = {
    failing: (chances, seed) => ({
      LD_PRELOAD: libraries.join(' '),
      LD_LIBRARY_PATH: at,
      FIU_PRNG_SEED: String(seed),
      FIU_ENABLE: Object.entries(chances)
        .map(
          ([call, probability]) => `enable_random name=posix/io/${call},probability=${probability}`,
        )
        .join('\n'),
    }),
  }
  await run('true', [], { env: { ...process.env, ...libfiu.failing({ 'rw/pwrite': 0 }, 1) } })
  return libfiu
}
