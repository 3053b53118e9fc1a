/** The programs beside Node that the tests of a tier use. Those that are missing are fetched or installed. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findChromium } from './browser.ts'
import { findGenerators } from './client-generators.ts'
import { firstFound, install } from './debian.ts'
import { findDebianPostgres } from './debian-postgres.ts'
import { findGoRenderer } from './go-templates.ts'
import { findLibfiu } from './libfiu.ts'
import { findMariadb } from './mariadb.ts'
import { findPgbouncer } from './pgbouncer.ts'
import { findPromtool } from './promtool.ts'
import { findRedis } from './redis.ts'

const run = promisify(execFile)

type Find = () => Promise<unknown>

/** A program that a command of the shell finds, or that Debian's packages install. */
const installable =
  (name: string, command: string, packages: readonly string[]): Find =>
  () => {
    const look = () => run('sh', ['-c', command])
    return firstFound(`${name} is not here and could not be installed`, [
      look,
      async () => {
        await install(packages)
        return look()
      },
    ])
  }

const python = installable('python3', 'python3 --version', ['python3'])

const programs: { readonly [tier: string]: readonly Find[] } = {
  fast: [python],
  slow: [
    ...[python, findChromium, findRedis, findPgbouncer, findMariadb, findLibfiu, findPromtool],
    findDebianPostgres,
  ],
  release: [
    ...[python, findRedis, findLibfiu, findGoRenderer, findGenerators],
    installable('wrk', 'command -v wrk', ['wrk']),
    installable('nginx', 'command -v nginx', ['nginx-light']),
    installable('OpenAPI::Client', 'perl -MOpenAPI::Client -e 1', ['libopenapi-client-perl']),
  ],
}

/** Why tests of a tier cannot run, a sentence for each program that is missing. */
export const missingPrograms = async (tier: string): Promise<readonly string[]> => {
  const missing: string[] = []
  // One after the other, since apt-get locks its files.
  for (const find of programs[tier] ?? []) {
    const program = await find()
    if (program !== null && typeof program === 'object' && 'missing' in program) {
      missing.push(String(program.missing))
    }
  }
  return missing
}
