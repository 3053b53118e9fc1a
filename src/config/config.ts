import { availableParallelism } from 'node:os'
import { relative, sep } from 'node:path'
import { installationFolder } from '#installation'
import { fileVariable, readSecret } from './secret-files.ts'
import {
  address,
  filled,
  httpOrigin,
  httpUrl,
  InvalidSettingError,
  listOf,
  mapped,
  oneKey,
  oneOf,
  onOrOff,
  operatorName,
  optional,
  origin,
  positive,
  text,
  type ValueReader,
  type ValueShape,
  whole,
} from './values.ts'

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** One environment variable: its name, default, description and possible values. */
export interface Setting {
  readonly name: string
  readonly default: string
  readonly meaning: string
  readonly shape: ValueShape
  /**
   * Whether its value grants access to something. Secrets are stored apart from other settings, and
   * can be read from a file.
   */
  readonly isSecret?: true
}

/** A setting with its parser, which throws an `InvalidSettingError`. */
interface ReadableSetting<T> extends Setting {
  readonly read: (text: string) => T
}

const setting = <T>(
  name: string,
  fallback: string,
  meaning: string,
  { read, shape }: ValueReader<T>,
): ReadableSetting<T> => ({ name, default: fallback, meaning, read, shape })

const secret = <T>(readable: ReadableSetting<T>): ReadableSetting<T> => ({
  ...readable,
  isSecret: true,
})

const workersMax = 64

/** The table of all settings. The documentation is generated from it. */
const table = {
  port: setting(
    'PORT',
    '8080',
    'Port that the API listens on. 0 selects a free port.',
    whole(0, 65_535),
  ),
  host: setting('HOST', '127.0.0.1', 'Address that the API listens on.', filled),
  databaseUrl: secret(
    setting(
      'DATABASE_URL',
      'sqlite:./data/selvedge.db',
      'Database URL: `sqlite:<file>`, or `postgres://user:password@host:5432/database` with one or more comma-separated hosts. A relative path is resolved from the working directory. Inside a checkout, the default path is resolved from the root of the checkout.',
      filled,
    ),
  ),
  imagesUrl: setting(
    'IMAGES_URL',
    'file:./data/images',
    'Storage for image files: `file:<folder>`, or `s3://bucket/prefix?endpoint=…&region=…`. Relative paths are resolved as in `DATABASE_URL`.',
    filled,
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    'URL at which clients reach the server. Used in image links and for `OAUTH`. If not set, the listen address is used.',
    optional(httpUrl),
  ),
  ratePerSecond: setting(
    'RATE_PER_SECOND',
    '20',
    'Rate limit per API key, in requests per second.',
    positive,
  ),
  rateBurst: setting(
    'RATE_BURST',
    '100',
    'Burst size of the rate limit per API key, in requests.',
    whole(1, 1_000_000),
  ),
  keyConcurrency: setting(
    'KEY_CONCURRENCY',
    '16',
    'Maximum concurrent requests per API key in each process. Further requests wait for up to 2 s.',
    whole(1, 10_000),
  ),
  publicRatePerSecond: setting(
    'PUBLIC_RATE_PER_SECOND',
    '200',
    'Rate limit per client IP address for paths that need no API key (documents, console, image files), in requests per second and per process. Health and readiness checks allow ten times as many.',
    positive,
  ),
  publicRateBurst: setting(
    'PUBLIC_RATE_BURST',
    '2000',
    'Burst size of the rate limit per client IP address, in requests.',
    whole(1, 1_000_000),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'Minimum log level: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    'Comma-separated IP addresses or CIDR ranges of proxies whose `X-Forwarded-For` header is trusted.',
    listOf(address),
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    '',
    'Comma-separated origins of web pages that may call the API.',
    listOf(origin),
  ),
  mcp: setting(
    'MCP',
    'on',
    'Whether the MCP endpoint at `/mcp` is enabled: `on` or `off`.',
    onOrOff,
  ),
  oauth: setting(
    'OAUTH',
    'off',
    '`on`: assistants that cannot be configured with an API key can connect to `/mcp` with OAuth. A person enters a key on a page of this server. Needs `MCP=on`, and a `PUBLIC_URL` with `https`. Without a `PUBLIC_URL`, it works on the machine itself only.',
    onOrOff,
  ),
  clientKey: secret(
    setting(
      'SELVEDGE_KEY',
      '',
      'API key that `selvedge pull` and `selvedge mcp --url` use to read from another Selvedge server.',
      optional(oneKey),
    ),
  ),
  operator: setting(
    'SELVEDGE_OPERATOR',
    '',
    'Name of the person who runs commands, for the audit log, as `--as`. If not set, the user of the system.',
    optional(operatorName),
  ),
  metricsPort: setting(
    'METRICS_PORT',
    '',
    'Port for Prometheus metrics. If not set, metrics are not served.',
    optional(whole(0, 65_535)),
  ),
  imageLinkMinutes: setting(
    'IMAGE_LINK_MINUTES',
    '15',
    'Lifetime of a temporary image URL, in minutes.',
    whole(1, 10_080),
  ),
  sendTimeoutSeconds: setting(
    'SEND_TIMEOUT_SECONDS',
    '30',
    'Time in seconds after which a connection is closed if the client reads a response at less than 1,000 bytes per second, or a download at less than 10,000.',
    whole(1, 3_600),
  ),
  downloadRecords: setting(
    'DOWNLOAD_RECORDS',
    '1000000',
    'Maximum number of records in one download of the query API. XLSX has at most 1,048,575, whatever is set here.',
    whole(1, 1_000_000_000),
  ),
  downloadSeconds: setting(
    'DOWNLOAD_SECONDS',
    '600',
    'Time in seconds after which a download is closed, complete or not. Until it ends, the database keeps the state that it reads.',
    whole(1, 86_400),
  ),
  downloads: setting(
    'DOWNLOADS',
    '4',
    'Maximum concurrent downloads on a machine, one of them for a key that has none. Further ones are refused with 429.',
    whole(1, 1_000),
  ),
  keyDownloads: setting(
    'KEY_DOWNLOADS',
    '2',
    'Maximum concurrent downloads per API key on a machine. Further ones are refused with 429.',
    whole(1, 1_000),
  ),
  keyDownloadSeconds: setting(
    'KEY_DOWNLOAD_SECONDS',
    '1800',
    'Seconds of downloads per API key on a machine, of all its downloads together. They are regained evenly within an hour, also while they are used. Further downloads are refused with 429.',
    whole(1, 1_000_000),
  ),
  usageDays: setting(
    'USAGE_DAYS',
    '400',
    'Number of days for which the usage of API keys is kept.',
    whole(1, 36_500),
  ),
  production: setting(
    'NODE_ENV',
    '',
    'If set to `production`: logs are JSON, the demo brand is not created, and row-level security is required on PostgreSQL.',
    mapped(text, (value) => value === 'production'),
  ),
  workers: setting(
    'WORKERS',
    '',
    'Number of worker processes. If not set: one per CPU core in production, otherwise 1.',
    optional(whole(1, workersMax)),
  ),
  standbyWorkers: setting(
    'STANDBY_WORKERS',
    '0',
    'Number of standby processes that are ready to replace a worker that exits: 0 or 1. A standby needs about 75 MB of memory.',
    whole(0, 1),
  ),
  redisUrl: secret(
    setting(
      'REDIS_URL',
      '',
      'Redis server that shares rate limits and the timeline of PostgreSQL between machines: `redis://…` or `rediss://…`. If not set, each machine counts separately.',
      optional(filled),
    ),
  ),
  requiresRowSecurity: setting(
    'ROW_SECURITY',
    '',
    '`required`: the server refuses to start on PostgreSQL without row-level security. `optional`: it starts and logs a warning. If not set: required in production, otherwise optional.',
    optional(mapped(oneOf('required', 'optional'), (text) => text === 'required')),
  ),
  responseCacheMegabytes: setting(
    'RESPONSE_CACHE_MB',
    '16',
    'Response cache size per process, in MB. 0 disables the cache.',
    whole(0, 65_536),
  ),
  changeFeed: setting(
    'CHANGE_FEED',
    'off',
    '`on` records changes and serves the change feed. Once enabled, recording cannot be turned off for that database.',
    onOrOff,
  ),
  ingestPort: setting(
    'INGEST_PORT',
    '',
    'Port on which records are received over HTTP, by a process of its own. If not set, records are not received.',
    optional(whole(0, 65_535)),
  ),
  ingestMaps: setting(
    'INGEST_MAPS',
    '',
    'Folder of the mappings that senders may name: `?map=erp` means the file `erp.map.yaml` in it. If not set, senders can name none.',
    optional(filled),
  ),
  ingestRatePerSecond: setting(
    'INGEST_RATE_PER_SECOND',
    '100',
    'Rate limit per ingest key, in requests per second.',
    positive,
  ),
  ingestRateBurst: setting(
    'INGEST_RATE_BURST',
    '200',
    'Burst size of the rate limit per ingest key, in requests.',
    whole(1, 1_000_000),
  ),
  ingestBodyMegabytes: setting(
    'INGEST_BODY_MB',
    '16',
    'Maximum size of the body of a batch, as it is sent and once it is decompressed, in MB.',
    whole(1, 1_024),
  ),
  ingestBodySeconds: setting(
    'INGEST_BODY_SECONDS',
    '30',
    'Time in seconds after which a batch is refused whose body has not arrived, counted from when the server begins to read it. In each third of that time, the body must bring 1,000 bytes per second.',
    whole(1, 3_600),
  ),
  ingestBodies: setting(
    'INGEST_BODIES',
    '16',
    'Maximum number of bodies that are received at the same time. One key can have half of them, and a quarter is kept for keys that have none. Further ones wait for up to 1 s and are then refused with 503. Signed messages count for their key if the last one from the same address was valid. Others have a quarter as many of their own, and 256 for bodies of at most 64 KiB without Content-Encoding, shared in the same way by address.',
    whole(2, 1_000),
  ),
  adminPort: setting(
    'ADMIN_PORT',
    '',
    'Port of the operator page, which a process of its own serves. 0 selects a free port. If not set, there is no operator page.',
    optional(whole(0, 65_535)),
  ),
  adminHost: setting(
    'ADMIN_HOST',
    '127.0.0.1',
    'Address that the operator page listens on.',
    filled,
  ),
  adminUrl: setting(
    'ADMIN_URL',
    '',
    'Address at which browsers reach the operator page through a proxy with TLS, such as `https://selvedge.example.com`. Requests for other hosts are then refused. If not set, the listen address is used.',
    optional(httpOrigin),
  ),
}

/** The parsed variables, before defaults that depend on other variables are applied. */
type Read = { readonly [Name in keyof typeof table]: ReturnType<(typeof table)[Name]['read']> }

/**
 * The validated configuration: the settings of the table, and values derived from several of them.
 */
export interface Config extends Omit<Read, 'workers' | 'requiresRowSecurity'> {
  readonly workers: number
  /** Whether the server refuses to start on PostgreSQL without row-level security. */
  readonly requiresRowSecurity: boolean
  readonly s3Credentials: S3Credentials | null
}

const credential = (name: string, meaning: string): Setting =>
  secret(setting(name, '', meaning, text))

const credentialSettings: readonly Setting[] = [
  credential('AWS_ACCESS_KEY_ID', 'Access key ID for the S3-compatible storage.'),
  credential('AWS_SECRET_ACCESS_KEY', 'Secret access key for the S3-compatible storage.'),
  credential('AWS_SESSION_TOKEN', 'Session token for the S3-compatible storage, if it needs one.'),
]

/** Every setting, for documentation and help. */
export const settings: readonly Setting[] = [...Object.values(table), ...credentialSettings]

export type Environment = { readonly [name: string]: string | undefined }

/** The configuration is invalid. The message has one line per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Checks from other modules. A check returns a description of the problem, or undefined. */
export type Checks = {
  readonly [Name in keyof Config]?: (value: Config[Name]) => string | undefined
}

/** Reads the environment. Throws `ConfigError` with all problems at once. */
export const readConfig = (environment: Environment = process.env, checks: Checks = {}): Config => {
  const problems: string[] = []
  const values: { [name: string]: unknown } = {}
  const textOf = ({ name, isSecret }: Setting): string | undefined =>
    isSecret ? readSecret(name, environment) : environment[name]
  for (const [key, setting] of Object.entries(table)) {
    const { name, default: fallback, read } = setting as ReadableSetting<unknown>
    try {
      const value = read(textOf(setting) ?? resolveDefault(fallback))
      values[key] = value
      const check = checks[key as keyof Config] as
        | ((value: unknown) => string | undefined)
        | undefined
      const problem = check?.(value)
      if (problem) problems.push(`${name} ${problem}.`)
    } catch (error) {
      problems.push(problemOf(name, error))
    }
  }
  const [accessKeyId, secretAccessKey, sessionToken] = credentialSettings.map((each) => {
    try {
      return textOf(each)
    } catch (error) {
      problems.push(problemOf(each.name, error))
      return each.name
    }
  })
  if (Boolean(accessKeyId) !== Boolean(secretAccessKey)) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.')
  }
  problems.push(...oauthProblems(values as unknown as Config))
  if (problems.length > 0) throw new ConfigError(problems)
  const workers = values['workers'] ?? (values['production'] ? cpuCount() : 1)
  return {
    ...values,
    workers,
    requiresRowSecurity: values['requiresRowSecurity'] ?? values['production'],
    s3Credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
        : null,
  } as unknown as Config
}

const problemOf = (name: string, error: unknown): string => {
  if (!(error instanceof InvalidSettingError)) throw error
  return `${name} ${error.message}.`
}

/** The settings that are set, with their texts. */
export const givenSettings = (
  environment: Environment = process.env,
): readonly (readonly [name: string, value: string])[] =>
  settings.flatMap(({ name, isSecret }) => {
    const value = isSecret ? readSecret(name, environment) : environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })

/** Settings of earlier versions, and the names that they have now. */
const formerNames: { readonly [name: string]: string } = {
  ANSWER_MEMORY_MB: 'RESPONSE_CACHE_MB',
  SPARE_WORKERS: 'STANDBY_WORKERS',
}

/** A variable that looks like a setting and is none. */
export interface UnknownSetting {
  readonly name: string
  readonly sentence: string
}

/** Beginning of names that no other program uses; senders keep their key in INGEST_KEY. */
const ownPrefix = /^INGEST_(?!KEY$)/
/** Variables of PostgreSQL's own programs and of hosting platforms that resemble settings. */
const foreign = /^(PG[A-Z]+|WEB_CONCURRENCY)$/
/** What Kubernetes sets in every container for a service of that name. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/

/**
 * The variables that are probably misspelt, renamed or removed settings. `suggest` returns the most
 * similar name, if one is similar.
 */
export const unknownSettings = (
  suggest: (name: string, names: readonly string[]) => string | undefined,
  environment: Environment = process.env,
): readonly UnknownSetting[] => {
  const names = settings.map(({ name }) => name)
  const validNames = [...names, ...settings.filter(({ isSecret }) => isSecret).map(fileNameOf)]
  return Object.keys(environment).flatMap((name) => {
    // A name in other letters than capitals belongs to another program.
    if (!/^[A-Z][A-Z0-9_]*$/.test(name) || foreign.test(name) || validNames.includes(name))
      return []
    const isServiceLink = serviceLink.test(name)
    const unprefixed = isServiceLink
      ? undefined
      : validNames.find((each) => `SELVEDGE_${each}` === name)
    const similar = suggest(name, validNames)
    // DB_HOST is the host of something else, not a misspelt HOST.
    const isOther = name.split('_').some((word) => word === similar)
    const meant = formerNames[name] ?? unprefixed ?? (isOther ? undefined : similar)
    const ignored = `${name} is not a setting and is ignored.`
    if (meant !== undefined) return { name, sentence: `${ignored} Did you mean ${meant}?` }
    if (names.some((each) => fileVariable(each) === name)) {
      return { name, sentence: `${ignored} Only secrets are read from files.` }
    }
    return ownPrefix.test(name) && !isServiceLink ? { name, sentence: ignored } : []
  })
}

/** The files that variables of the environment name for secrets, by variable. */
export const secretFiles = (
  environment: Environment = process.env,
): readonly (readonly [variable: string, file: string])[] =>
  settings
    .filter(({ isSecret }) => isSecret)
    .map(fileNameOf)
    .flatMap((variable) => {
      const file = environment[variable]
      return file ? [[variable, file] as const] : []
    })

const fileNameOf = ({ name }: Setting): string => fileVariable(name)

const localHosts = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Whether only this machine reaches a host. */
export const isLocal = (host: string): boolean => localHosts.includes(host)

/** Clients send keys and tokens to this server, so it needs a known address with TLS. */
const oauthProblems = ({ oauth, mcp, publicUrl, host }: Partial<Config>): readonly string[] => {
  if (!oauth) return []
  const url = publicUrl ? new URL(publicUrl) : null
  const isSafe = url ? url.protocol === 'https:' || isLocal(url.hostname) : isLocal(host ?? '')
  return [
    ...(mcp === false ? ['OAUTH=on needs MCP=on.'] : []),
    ...(isSafe ? [] : ['OAUTH=on needs a PUBLIC_URL with https.']),
  ]
}

/**
 * Resolves a default with a relative path, such as `sqlite:./data/selvedge.db`. In a subfolder of
 * the checkout, resolves it from the root, so that a command does not create a second database
 * there.
 */
const resolveDefault = (fallback: string): string => {
  if (installationFolder === null) return fallback
  const below = relative(installationFolder, process.cwd())
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`)
  return isBelow
    ? fallback.replace(/^(sqlite|file):\.\//, (_, kind) => `${kind}:${installationFolder}`)
    : fallback
}

const cpuCount = (): number => Math.min(availableParallelism(), workersMax)
