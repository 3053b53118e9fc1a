import { styleText } from 'node:util'
import type { Command } from 'commander'
import { canShareSockets } from '#cluster'
import { type Config, releaseOf, unknownSettings } from '#config'
import { isConsoleBuilt } from '#console'
import { basePath, catalog, formatCount, ingestBasePath } from '#contract'
import { installationFolder } from '#installation'
import { nearest } from '#request'
import { readServiceConfig, urlAt } from '#server'
import { CommandError } from './output.ts'
import type { Demo } from './prepare-records.ts'
import { type Serving, serveAlone } from './single.ts'

export const addServe = (program: Command): void => {
  program
    .command('serve')
    .description('Serve the API until stopped with Ctrl+C.')
    .option('--demo', 'load the demo brand on first start, and print a key for it')
    .action(async (options: { demo?: boolean }) => {
      const began = performance.now()
      const config = readServiceConfig()
      for (const { sentence } of unknownSettings(nearest)) process.stderr.write(`${sentence}\n`)
      if (options.demo && config.production) {
        throw new CommandError('The demo brand is not available in production. Remove --demo.')
      }
      const serve = isSupervised(config)
        ? (await import('./cluster.ts')).serveWithWorkers
        : serveAlone
      const serving = await serve(config, { demo: Boolean(options.demo) })
      handleSignals(serving)
      // A failure to write the banner, for example to a full disk, must not stop the server.
      for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
      // In production, standard output is the log, for machines.
      const out = config.production ? process.stderr : process.stdout
      const tookMs = performance.now() - began
      const adminLine = await adminLineOf(config, serving)
      out.write(await banner(serving, adminLine, tookMs))
    })
}

/** Ingest runs in a separate process, so even a single worker is then supervised. */
const isSupervised = ({ workers, standbyWorkers, ingestPort }: Config): boolean => {
  const isAlone = workers + standbyWorkers === 1 && ingestPort === null
  if (ingestPort !== null && !canShareSockets()) {
    throw new CommandError(
      'INGEST_PORT needs Node 26.4 or later, and is not supported on Windows. Remove it, or use selvedge import.',
    )
  }
  if (isAlone || canShareSockets()) return !isAlone
  process.stderr.write(
    'Several workers need Node 26.4 or later, and are not supported on Windows. Serving with one.\n',
  )
  return false
}

/** The first signal drains; a second one stops at once. */
const handleSignals = (serving: Serving): void => {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) {
        serving.kill()
        process.exit(1)
      }
      stopping = true
      serving.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
  }
  // A single process has no replacement, so SIGHUP ends it, as by default.
  if (serving.replace) process.on('SIGHUP', () => void serving.replace?.())
}

/** Starting the server never moves the demo's records, so they grow old. */
const ageLines = ({ brand, daysOld }: Demo): readonly string[] =>
  daysOld === 0
    ? []
    : [
        `  The demo records are ${formatCount(daysOld, 'day')} old. To create them again, around today:`,
        `    ${installationFolder === null ? '' : 'npx '}selvedge demo --brand ${brand}`,
        '',
      ]

/** The operator page, with a link in the demo. The rest of the banner waits for it only if it must. */
const adminLineOf = async (config: Config, serving: Serving): Promise<readonly string[]> => {
  const { admin, demo } = serving
  if (!admin) return []
  const { adminHost, adminPort, adminUrl } = config
  const configuredUrl = adminUrl ?? (adminPort ? urlAt(adminHost, adminPort) : null)
  const said = demo || configuredUrl === null ? await admin.listening() : null
  const signIn = 'to sign in: selvedge admin --as <name>'
  if (said?.link) return [`  Operator    ${said.link} (works once)`]
  const url = said?.url ?? configuredUrl
  return [`  Operator    ${url === null ? 'is starting' : `${url}/`} (${signIn})`]
}

const banner = async (
  serving: Serving,
  adminLine: readonly string[],
  tookMs: number,
): Promise<string> => {
  const { demo, workers } = serving
  const hasConsole = isConsoleBuilt()
  const bold = (text: string) => styleText('bold', text)
  const facts = [
    `Node ${process.versions.node}`,
    serving.engine,
    `${catalog.resources.length} groups`,
    ...(workers > 1 ? [`${workers} workers`] : []),
    ...(demo ? [`${demo.records.toLocaleString('en')} records`] : []),
  ].join(', ')
  const api = `${serving.url}${basePath}`
  const lines = [
    `${bold(`Selvedge ${await releaseOf()}`)}  ready in ${(tookMs / 1_000).toFixed(1)} s   (${facts})`,
    '',
    ...(hasConsole ? [`  Console     ${serving.url}/${demo ? `#key=${demo.key}` : ''}`] : []),
    `  API         ${api}${demo ? `/brands/${demo.brand}` : ''}`,
    ...(hasConsole ? [`  Reference   ${serving.url}/docs`] : []),
    `  OpenAPI     ${api}/openapi.json`,
    ...adminLine,
    ...(serving.ingestUrl ? [`  Ingest      ${serving.ingestUrl}${ingestBasePath}`] : []),
    ...(serving.metricsUrl ? [`  Metrics     ${serving.metricsUrl}`] : []),
    ...(demo
      ? [
          `  Demo key    ${demo.key}`,
          '',
          `  curl -H "Authorization: Bearer ${demo.key}" \\`,
          `    "${api}/brands/${demo.brand}/orders?limit=2"`,
        ]
      : []),
    '',
    ...(demo ? ageLines(demo) : []),
    ...(hasConsole
      ? []
      : ['  The console is not built. To build it: node tools/bootstrap.cjs', '']),
    '  Ctrl+C stops.',
  ]
  return `\n${lines.join('\n')}\n\n`
}
