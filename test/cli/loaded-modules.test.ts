/** Commands load what they need: nothing of another command, and no library that they do not use. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())
const preload = new URL('../support/loaded-modules.ts', import.meta.url).href

/** The packages, the modules of `src` and the demo that a command has loaded when it ends. */
const loadedBy = async (args: readonly string[], use = async (_stdout: string) => {}) => {
  const file = join(place.folder, `${args.join('-')}.txt`)
  const { child, ended, said } = place.start(args, {
    NODE_OPTIONS: `--import ${preload}`,
    LOADED_MODULES: file,
    PORT: '0',
  })
  if (args[0] === 'serve') {
    let stdout = ''
    child.stdout?.on('data', (text: string) => {
      stdout += text
    })
    await said('Ctrl+C stops.')
    await use(stdout)
    child.kill('SIGTERM')
  }
  const { code, stderr } = await ended
  assert.equal(code, 0, stderr)
  const parts =
    /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/|\/(demo(?=\/index\.ts$)|src\/(?!cli\/)[^/]+)\//
  const names = readFileSync(file, 'utf8')
    .split('\n')
    .map((url) => parts.exec(url))
    .map((match) => match?.[1] ?? match?.[2] ?? '')
  return new Set(names)
}

const assertLoads = (
  loaded: ReadonlySet<string>,
  { some, none }: { readonly some: readonly string[]; readonly none: readonly string[] },
) => {
  for (const name of some) assert.ok(loaded.has(name), `${name} is not loaded`)
  for (const name of none) assert.ok(!loaded.has(name), `${name} is loaded`)
}

const otherCommands = [
  ...['demo', 'src/check', 'src/ingest', 'src/export', 'src/pull', 'src/openapi', 'src/mcp'],
  ...['csv-parse', '@modelcontextprotocol/server', '@modelcontextprotocol/core'],
]
/** What handlers of serve load on demand, and serve loads before it listens. */
const onDemand = [
  'src/check',
  'src/mcp',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/core',
]
const unusedDrivers = ['pg', 'pg-copy-streams', 'ioredis', '@fastify/send', 'hyparquet']

describe('what is loaded', () => {
  // It creates the database that the other commands open.
  it('by serve is what requests need, before the first one', async () => {
    const loaded = await loadedBy(['serve'], async (stdout) => {
      const [, url] = /API +(\S+)/.exec(stdout) ?? []
      const response = await fetch(`${url}/brands/acme/tags`)
      assert.equal(response.status, 401)
    })
    assertLoads(loaded, {
      some: ['src/http', 'src/store', '@prometheus-io/client', 'pino', ...onDemand],
      none: [...otherCommands.filter((name) => !onDemand.includes(name)), ...unusedDrivers],
    })
  })

  it('by brands and keys is neither the HTTP server nor the metrics', async () => {
    for (const args of [
      ['brands', 'list'],
      ['keys', 'list'],
    ]) {
      assertLoads(await loadedBy(args), {
        some: ['src/store', 'src/keys'],
        none: [...otherCommands, ...unusedDrivers, 'src/http', '@prometheus-io/client'],
      })
    }
  })

  it('by import is the reader of files, and no other command', async () => {
    const none = otherCommands.filter((name) => !['src/ingest', 'csv-parse'].includes(name))
    assertLoads(await loadedBy(['import', '--help']), {
      some: ['src/ingest'],
      none: [...none, ...unusedDrivers, 'src/http', '@prometheus-io/client'],
    })
  })

  it('by demo is the generator of its records', async () => {
    assertLoads(await loadedBy(['demo', '--help']), { some: ['demo'], none: unusedDrivers })
  })
})
