import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { Config } from '#config'
import { basePath, catalog } from '#contract'
import { openService, readServiceConfig, releaseOf, type Service } from '#service'
import { type Demo, loadDemo } from './demo.ts'
import { Refused } from './output.ts'

export const addServe = (program: Command): void => {
  program
    .command('serve')
    .description('Serve the API until told to stop (Ctrl+C).')
    .option('--demo', 'load the demo brand on first start, and print a key for it')
    .action(async (options: { demo?: boolean }) => {
      const began = performance.now()
      const config = readServiceConfig()
      if (options.demo && config.production) {
        throw new Refused('The demo brand is not for production. Leave out --demo.')
      }
      const service = options.demo ? await openOnFreePort(config) : await openService(config)
      stopOnSignal(service)
      const demo = options.demo ? await loadDemo(service) : null
      process.stdout.write(await welcome(service, demo, performance.now() - began))
    })
}

/** A demo should start whatever else runs: a taken port is passed over, and said. */
const openOnFreePort = async (config: Config): Promise<Service> => {
  for (let port = config.port; ; port += 1) {
    try {
      return await openService({ ...config, port })
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!taken || port >= config.port + 20) throw error
      process.stderr.write(`Port ${port} is taken; trying ${port + 1}.\n`)
    }
  }
}

/** The first signal drains and stops; a second one stops at once. */
const stopOnSignal = (service: Service): void => {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      service.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
  }
}

const welcome = async (service: Service, demo: Demo | null, tookMs: number): Promise<string> => {
  const bold = (text: string) => styleText('bold', text)
  const facts = [
    `Node ${process.versions.node}`,
    'SQLite',
    `${catalog.resources.length} groups`,
    ...(demo ? [`${demo.records.toLocaleString('en')} records`] : []),
  ].join(', ')
  const api = `${service.url}${basePath}`
  const lines = [
    `${bold(`Selvedge ${await releaseOf()}`)}  ready in ${(tookMs / 1_000).toFixed(1)} s   (${facts})`,
    '',
    `  API         ${api}${demo ? `/brands/${demo.brand}` : ''}`,
    `  Document    ${api}/openapi.json`,
    ...(service.metricsUrl ? [`  Metrics     ${service.metricsUrl}`] : []),
    ...(demo
      ? [
          `  Demo key    ${demo.key}`,
          '',
          `  curl -H "Authorization: Bearer ${demo.key}" \\`,
          `    "${api}/brands/${demo.brand}/orders?limit=2"`,
        ]
      : []),
    '',
    '  Ctrl+C stops.',
  ]
  return `\n${lines.join('\n')}\n\n`
}
