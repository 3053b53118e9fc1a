import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import { SourceDatabaseError } from './source-database.ts'

/** Where a source database is. */
export interface SourceAddress {
  readonly engine: 'postgres' | 'mysql'
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
  /** Null without TLS. */
  readonly tls: TlsFiles | null
}

interface TlsFiles {
  /** Whether the certificate of the server is checked, with its name. */
  readonly verifies: boolean
  /** Files in PEM form. */
  readonly rootCertificate: string | null
  readonly certificate: string | null
  readonly key: string | null
}

const engines: { readonly [scheme: string]: readonly [SourceAddress['engine'], number] } = {
  'postgres:': ['postgres', 5_432],
  'postgresql:': ['postgres', 5_432],
  'mysql:': ['mysql', 3_306],
  'mariadb:': ['mysql', 3_306],
}

const sslModes = ['disable', 'require', 'verify-full']
const options = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']

const form =
  'postgres://user:password@host:5432/database or mysql://user:password@host:3306/database'

/** Parses an address. The error does not repeat it, because it may hold a password. */
export const parseSourceAddress = (text: string): SourceAddress => {
  const refuse = (problem: string) =>
    new SourceDatabaseError(`The address of the source database ${problem}.`, false)
  const url = URL.parse(text)
  const [engine, defaultPort] = engines[url?.protocol ?? ''] ?? []
  if (!url || !engine || !defaultPort) throw refuse(`must be ${form}`)
  const { searchParams: query } = url
  const unknown = [...query.keys()].filter((name) => !options.includes(name))
  if (unknown.length > 0)
    throw refuse(`has an unknown option: ${unknown.join(', ')}. There are ${options.join(', ')}`)
  const mode = query.get('sslmode') ?? 'disable'
  if (!sslModes.includes(mode)) throw refuse(`has an sslmode other than ${sslModes.join(', ')}`)
  const files = options.slice(1).filter((name) => query.has(name))
  if (mode === 'disable' && files.length > 0)
    throw refuse(`has ${files.join(', ')}, which has no effect without sslmode=verify-full`)
  const decoded = [url.username, url.password, url.pathname.slice(1)].map(decode)
  if (decoded.includes(null))
    throw refuse('has a user, password or database that is not percent-encoded')
  const [user, password, database] = decoded
  if (url.hostname.includes('%')) {
    throw refuse('has the path of a socket in place of its host: use a host, such as localhost')
  }
  if (!url.hostname || !database) throw refuse(`has no host or no database: use ${form}`)
  return {
    engine,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    user: user || undefined,
    password: password || undefined,
    database,
    tls:
      mode === 'disable'
        ? null
        : {
            verifies: mode === 'verify-full',
            rootCertificate: query.get('sslrootcert'),
            certificate: query.get('sslcert'),
            key: query.get('sslkey'),
          },
  }
}

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** What a driver needs for TLS; undefined without it. */
export const tlsOptions = async ({
  tls,
}: SourceAddress): Promise<ConnectionOptions | undefined> => {
  if (!tls) return undefined
  const read = async (path: string): Promise<Buffer> => {
    try {
      return await readFile(path)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      throw new SourceDatabaseError(
        `The file ${path} of the source's address cannot be read: ${code}.`,
        false,
      )
    }
  }
  return {
    rejectUnauthorized: tls.verifies,
    ...(tls.rootCertificate && { ca: await read(tls.rootCertificate) }),
    ...(tls.certificate && { cert: await read(tls.certificate) }),
    ...(tls.key && { key: await read(tls.key) }),
  }
}
