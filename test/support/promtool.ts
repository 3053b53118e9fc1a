import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstFound, unpack, unpackedAt } from './debian.ts'

const run = promisify(execFile)

/** The checker of Prometheus: what is on the path, or Debian's package in a cache. Otherwise: why not. */
export const findPromtool = (): Promise<string | { readonly missing: string }> =>
  firstFound('promtool is not here and could not be fetched', [
    () => works('promtool'),
    () => works(cached),
    async () => {
      await unpack('prometheus', ['prometheus'])
      return works(cached)
    },
  ])

const cached = join(unpackedAt('prometheus'), 'usr/bin/promtool')

const works = async (path: string): Promise<string> => {
  await run(path, ['--version'])
  return path
}
