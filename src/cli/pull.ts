import { text as textOf } from 'node:stream/consumers'
import type { Command } from 'commander'
import { keyIn, readConfig } from '#config'
import { catalog, formatCount } from '#contract'
import { type Pulled, type PulledCollection, pullBrand } from '#pull'
import { readTimeout } from './durations.ts'
import { asTable, createOutput, UsageError } from './output.ts'
import { createProgress } from './progress.ts'

interface PullCommandOptions {
  readonly url: string
  readonly brand: string
  readonly to: string
  readonly key?: string
  readonly full?: boolean
  readonly allowHttp?: boolean
  readonly timeout: string
  readonly json?: boolean
}

export const addPull = (program: Command): void => {
  program
    .command('pull')
    .description('Copy a brand from any Selvedge server over its API, or bring a copy up to date.')
    .requiredOption(
      '--url <address>',
      'the address of the server, such as https://records.example.com',
    )
    .requiredOption('--brand <slug>', 'the brand')
    .requiredOption(
      '--to <path>',
      'a folder for NDJSON files, or a SQLite file that ends with .sqlite, .sqlite3 or .db',
    )
    .option(
      '--key <key>',
      'the API key; - reads it from standard input. Other users of the machine can see a command line: SELVEDGE_KEY is safer',
    )
    .option('--full', 'read everything, whatever the copy has already')
    .option('--allow-http', 'send the key to another machine without encryption')
    .option('--timeout <span>', 'how long a response may make no progress', '30s')
    .option('--json', 'print JSON')
    .action((options: PullCommandOptions) => pull(options))
}

const pull = async (options: PullCommandOptions): Promise<void> => {
  const key = await readKey(options)
  const progress = createProgress()
  const isQuiet = Boolean(options.json)
  const pulled = await pullBrand({
    catalog,
    url: options.url,
    brand: options.brand,
    key,
    to: options.to,
    full: Boolean(options.full),
    allowHttp: Boolean(options.allowHttp),
    idleTimeoutMs: readTimeout(options.timeout),
    process: process.pid,
    now: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    log: (sentence) => process.stderr.write(`${sentence}\n`),
    onProgress: ({ what, read, share, done }) => {
      if (isQuiet) return
      const unit = what === 'changes' ? 'read' : 'records'
      if (!done) progress.show(what, read, unit, share)
      else if (read > 0) progress.end(what, read, unit)
    },
  })
  createOutput(isQuiet).result(pulled, () => summaryOf(pulled))
}

/** From the option, or from the environment. */
const readKey = async ({ key: option }: PullCommandOptions): Promise<string> => {
  const text =
    option === '-' ? await textOf(process.stdin) : (option ?? readConfig().clientKey ?? '')
  const key = keyIn(text)
  if (key !== null) return key
  throw new UsageError(
    'There is no API key. Set SELVEDGE_KEY, or use --key - and write the key to standard input.',
  )
}

const summaryOf = ({ brand, to, records, collections, feed, requests }: Pulled): string => {
  const changed = collections.filter((each) => each.read + each.removed > 0)
  const changes = collections.reduce((sum, each) => sum + each.new + each.changed + each.removed, 0)
  const how = `${formatCount(requests, 'request')}${feed ? ', by the change feed' : ''}`
  return [
    ...(changed.length > 0
      ? [
          asTable(
            ['collection', 'read', 'new', 'changed', 'removed', 'unchanged', 'seconds'],
            changed.map(rowOf),
          ),
          '',
        ]
      : []),
    `${to} holds ${formatCount(records, 'record')} of ${brand}, as many as the API counts. ${
      changes === 0 ? 'Nothing has changed' : formatCount(changes, 'change')
    } (${how}).`,
  ].join('\n')
}

const rowOf = (each: PulledCollection): readonly string[] => [
  each.collection,
  ...[each.read, each.new, each.changed, each.removed, each.unchanged].map(String),
  each.seconds.toFixed(1),
]
