import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { printable } from '#client'
import { keyIn, releaseOf } from '#config'
import { ApiError, wholeScope } from '#contract'
import { createCursors, createQueryCursors } from '#cursors'
import type { Client, Reader, RemoteAccess, RemoteServer } from '#mcp'
import { requireBrand } from '#operator'
import { createServerTransport, parseServerAddress } from '#pull'
import { readServiceConfig } from '#server'
import { readTimeout } from './durations.ts'
import { CommandError, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface McpOptions {
  readonly brand?: string
  readonly url?: string
  readonly keyFile?: string
  readonly allowHttp?: boolean
  readonly timeout: string
}

export const addMcp = (program: Command): void => {
  program
    .command('mcp')
    .description(
      'Serve the Model Context Protocol to an agent on standard input and output, read-only, until the input ends.',
    )
    .option('--brand <slug>', 'the brand to read; with --url, every brand of the key by default')
    .option('--url <address>', 'read from a running server instead of the database')
    .option('--key-file <file>', 'with --url: a file with the API key, instead of SELVEDGE_KEY')
    .option('--allow-http', 'with --url: send the key to another machine without encryption')
    .option('--timeout <span>', 'with --url: how long a response may make no progress', '30s')
    .action((options: McpOptions) =>
      options.url === undefined ? serveDatabase(options) : serveRemote(options, options.url),
    )
}

/** Reads the database directly. */
const serveDatabase = async ({ brand, keyFile, allowHttp }: McpOptions): Promise<void> => {
  if (keyFile !== undefined) throw new UsageError('--key-file can only be used with --url.')
  if (allowHttp) throw new UsageError('--allow-http can only be used with --url.')
  if (brand === undefined) {
    throw new UsageError('Name the brand to read with --brand, or a server with --url.')
  }
  await withRecords(async ({ store, secret }) => {
    await requireBrand(store, brand)
    const { storeReader } = await import('#mcp')
    const cursors = createCursors(secret)
    const queryCursors = createQueryCursors(secret)
    const parts = { store, cursors, queryCursors, scope: wholeScope, now: Date.now }
    await serve({ brands: [brand], scope: wholeScope }, (slug) => storeReader(parts, slug))
  })
}

/** Reads the public API of a server, with the access and the rate limit of a key. */
const serveRemote = async (options: McpOptions, address: string): Promise<void> => {
  const { brand, keyFile } = options
  const { apiReader, remoteAccess } = await import('#mcp')
  const origin = parseServerAddress(address, Boolean(options.allowHttp))
  const server = remoteServer(origin, await readKey(keyFile), readTimeout(options.timeout))
  const { brands, scope } = await remoteAccess(server).catch((error: ApiError) => {
    const isReported = error.code !== 'store_unavailable'
    throw new CommandError(
      printable(isReported ? `${origin} rejected the request: ${error.message}` : error.message),
    )
  })
  if (brand !== undefined && !brands.includes(brand)) {
    throw new CommandError(
      `The key may not read ${brand}. It may read ${brands.join(', ') || 'none'}.`,
    )
  }
  await serve({ brands: brand === undefined ? brands : [brand], scope }, (slug) =>
    apiReader(server, scope, slug),
  )
}

/** Fewer tries and shorter waits than for a copy: an agent waits for the result. */
const [tries, rateLimitWaitMsMax] = [3, 10_000]

/** Reads another server as `pull` does: bounded in bytes and time, without following redirects. */
export const remoteServer = (origin: string, key: string, idleTimeoutMs: number): RemoteServer => ({
  origin,
  transport: createServerTransport({
    key,
    tries,
    rateLimitWaitMsMax,
    idleTimeoutMs,
    random: Math.random,
    log,
  }),
})

const serve = async (
  { brands, scope }: RemoteAccess,
  open: (brand: string) => Reader,
): Promise<void> => {
  const { answerStdio, callerOf } = await import('#mcp')
  const client: Client = {
    ...callerOf({
      scope,
      brands: async () => brands,
      reader: (brand) => {
        if (brands.includes(brand)) return open(brand)
        throw new ApiError('out_of_scope', 'This brand cannot be read here.')
      },
    }),
    // Standard output belongs to the protocol; everything else goes to standard error.
    failed: (error) => {
      if (error.status >= 500) log(`${error.code}: ${messageOf(error)}`)
    },
  }
  log(`Selvedge serves ${brands.join(', ')} to one agent on standard input and output.`)
  await answerStdio({ release: await releaseOf() }, client, {
    input: process.stdin,
    output: process.stdout,
    onError: (error) => log(`A message could not be read: ${error.message}`),
  })
}

const sentenceMax = 1_000

const log = (sentence: string): void => {
  process.stderr.write(`${printable(sentence, sentenceMax)}\n`)
}

const messageOf = ({ message, cause }: ApiError): string =>
  cause instanceof Error ? `${message} ${cause.message}` : message

/** Keys are never arguments, because other users of the machine can see those. */
const readKey = async (file: string | undefined): Promise<string> => {
  const text = file === undefined ? readServiceConfig().clientKey : await readFile(file, 'utf8')
  const key = keyIn(text ?? '')
  if (key !== null) return key
  throw new UsageError(
    '--url needs an API key, without spaces: in SELVEDGE_KEY or in a file with --key-file.',
  )
}
