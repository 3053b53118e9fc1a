/** A parsed PostgreSQL address: one or several hosts, and Selvedge's options. */
export interface PostgresAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
  /** `require` uses TLS without checking the certificate; `verify-full` checks it. */
  readonly ssl: 'disable' | 'require' | 'verify-full'
  /** Connections per host that serve requests. */
  readonly readers: number
  /** Connections for everything else. */
  readonly pool: number
  readonly connectMs: number
  readonly queryMs: number
  /** A replica that lags further behind serves no reads. */
  readonly lagMs: number
}

/** The address options, with their ranges. */
const options = {
  readers: { default: 4, least: 1, most: 64 },
  pool: { default: 4, least: 1, most: 64 },
  'connect-ms': { default: 1_000, least: 10, most: 60_000 },
  'query-ms': { default: 1_000, least: 10, most: 60_000 },
  'lag-ms': { default: 10_000, least: 100, most: 3_600_000 },
} as const

const sslModes = ['disable', 'require', 'verify-full'] as const

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?@]+)\/(?<database>[^/?]+)(?:\?(?<query>.*))?$/

/** Parses an address such as `postgres://user:secret@one:5432,two:5432/selvedge?query-ms=1000`. */
export const readPostgresAddress = (url: string): PostgresAddress | string => {
  const { groups } = form.exec(url) ?? {}
  if (!groups)
    return 'must be postgres://user:password@host:5432/database, with hosts separated by commas'
  const names = [groups['user'], groups['password'], groups['database']].map(decoded)
  if (names.includes(null)) return 'has a user, password or database that is not percent-encoded'
  const [user, password, database] = names as (string | undefined)[]
  const hosts = (groups['hosts'] ?? '').split(',').map((each) => {
    const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(each) ?? []
    return { host: (host ?? '').replace(/^\[|\]$/g, ''), port: Number(port ?? 5_432) }
  })
  if (hosts.some(({ host, port }) => host === '' || port < 1 || port > 65_535)) {
    return 'has an invalid host or port'
  }
  const query = new URLSearchParams(groups['query'] ?? '')
  const ssl = query.get('sslmode') ?? 'disable'
  if (!sslModes.includes(ssl as 'disable'))
    return `has an sslmode other than ${sslModes.join(', ')}`
  const numbers: { [name: string]: number } = {}
  for (const [name, { default: fallback, least, most }] of Object.entries(options)) {
    const text = query.get(name) ?? String(fallback)
    if (!/^\d{1,7}$/.test(text) || Number(text) < least || Number(text) > most) {
      return `has a ${name} that is not a whole number from ${least} to ${most}`
    }
    numbers[name] = Number(text)
  }
  const unknown = [...query.keys()].filter((name) => !(name in options) && name !== 'sslmode')
  if (unknown.length > 0) return `has an unknown option: ${unknown.join(', ')}`
  return {
    hosts,
    user,
    password,
    database: database ?? '',
    ssl: ssl as PostgresAddress['ssl'],
    readers: numbers['readers'] as number,
    pool: numbers['pool'] as number,
    connectMs: numbers['connect-ms'] as number,
    queryMs: numbers['query-ms'] as number,
    lagMs: numbers['lag-ms'] as number,
  }
}

/** Null if the text cannot be decoded. */
const decoded = (text: string | undefined): string | undefined | null => {
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
