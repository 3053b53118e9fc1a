import { catalog } from '#contract'
import { type OpenOptions, openPostgresState, type PostgresState } from '#database'
import { tableNamesOf } from '#store'
import { BackupError, damaged } from './backup-error.ts'
import { readCopyText } from './copy-text.ts'
import type { BackedUpState } from './manifest.ts'
import {
  dumpTables,
  findPostgresTool,
  type PostgresTool,
  reachesServer,
  readDump,
} from './postgres-tools.ts'
import type { BackupCopy, BackupSource, BackupVerifier } from './source.ts'
import { countDifference, describeState, installationOf } from './state.ts'

export interface PostgresSourceParts {
  readonly databaseUrl: string
  /** How the servers of the address are found. */
  readonly databaseOptions: OpenOptions
  readonly now: () => number
}

/** The names of the files in the archive. The description comes first: rows are read by it. */
export const postgresFiles = {
  tables: 'tables.json',
  dump: 'tables.dump',
  rows: 'rows.sql',
} as const

/**
 * The tables of Selvedge in a PostgreSQL database, from one snapshot on the primary: dumped by
 * `pg_dump` if there is one that knows the server's version, otherwise copied by this program.
 */
export const createPostgresSource = (parts: PostgresSourceParts): BackupSource => ({
  begin: () => copyTables(parts),
  verifier: async () => openVerifier(),
})

const copyTables = async ({
  databaseUrl,
  databaseOptions,
  now,
}: PostgresSourceParts): Promise<BackupCopy> => {
  // Before the state is fixed: everything committed until then is in it.
  const takenAt = new Date(now()).toISOString()
  const state = await openPostgresState(databaseUrl, isBackedUp, databaseOptions)
  try {
    const described = await describeState({
      all: state.all,
      tables: async () =>
        new Map(state.tables.map(({ name, columns }) => [name, columns.map((each) => each.name)])),
    })
    if (state.tables.length === 0) {
      throw new BackupError(
        'The database in DATABASE_URL has no tables of Selvedge. Nothing was backed up.',
      )
    }
    const dumper = await findPostgresTool('pg_dump', Math.floor(state.serverVersion / 10_000))
    const tool = dumper && (await reachesServer(dumper, state.server)) ? dumper : null
    return {
      installation: described.installation,
      bytes: state.bytes,
      files: [
        { name: postgresFiles.tables, read: () => describeTables(state, tool) },
        tool
          ? { name: postgresFiles.dump, read: () => dump(tool, state) }
          : { name: postgresFiles.rows, read: () => copyRows(state) },
      ],
      state: async () => ({
        engine: 'postgres',
        method: tool ? 'pg_dump' : 'rows',
        takenAt,
        ...described,
      }),
      close: state.close,
    }
  } catch (error) {
    await state.close()
    throw error
  }
}

/** Sessions of operators end with the installation, and the log of backups is about others. */
const left = ['selvedge_operator_sessions', 'selvedge_backups']

const collections: ReadonlySet<string> = tableNamesOf(catalog)

/** Whether a backup leaves the rows of a table out. */
export const isLeftOut = (table: string): boolean => left.includes(table)

/** Whether a table belongs to Selvedge and its rows to a backup. */
export const isBackedUp = (table: string): boolean =>
  (collections.has(table) || table.startsWith('selvedge_')) && !isLeftOut(table)

/** The content of `tables.json`. */
export interface DescribedTables {
  /** The major version of the `pg_dump` that was used; null if it was this program. */
  readonly dumpMajor: number | null
  readonly tables: PostgresState['tables']
}

async function* describeTables(
  { tables }: PostgresState,
  tool: PostgresTool | null,
): AsyncGenerator<Uint8Array> {
  const described: DescribedTables = { dumpMajor: tool?.major ?? null, tables }
  yield Buffer.from(`${JSON.stringify(described, null, 1)}\n`)
}

const dump = (
  tool: PostgresTool,
  { server, snapshot, tables }: PostgresState,
): AsyncIterable<Uint8Array> =>
  dumpTables(
    tool,
    server,
    snapshot,
    tables.map(({ name }) => name),
  )

/** In the format of `pg_dump --data-only`. */
async function* copyRows(state: PostgresState): AsyncGenerator<Uint8Array> {
  for (const table of state.tables) {
    yield Buffer.from(`COPY ${headOf(table)} FROM stdin;\n`)
    yield* state.rows(table)
    yield Buffer.from('\\.\n\n')
  }
}

const headOf = ({ name, columns }: PostgresState['tables'][number]): string =>
  `public.${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')})`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Far more than the tables of a version. Compressed zeros would fill the memory. */
const tablesBytesMax = 16 * 1_048_576

export const parseTables = async (content: AsyncIterable<Uint8Array>): Promise<DescribedTables> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > tablesBytesMax) throw damaged(`${postgresFiles.tables} is too long`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as DescribedTables
}

/** The rows of an archive as text, from the file of either method. */
export const rowsText = async (
  name: string,
  content: AsyncIterable<Uint8Array>,
  { dumpMajor }: DescribedTables,
): Promise<AsyncIterable<Uint8Array>> => {
  if (name === postgresFiles.rows) return content
  const tool = await findPostgresTool('pg_restore', dumpMajor ?? 0)
  if (tool) return readDump(tool, content)
  throw new BackupError(
    `The backup was made with pg_dump ${dumpMajor}, and there is no pg_restore of this version or a newer one on the path or in /usr/lib/postgresql. Install the client programs of PostgreSQL ${dumpMajor}, such as postgresql-client-${dumpMajor}.`,
  )
}

/** Reads the rows of an archive, and compares what they say with the manifest. */
const openVerifier = (): BackupVerifier => {
  let tables: DescribedTables | undefined
  let contents: Contents | undefined
  return {
    take: async (name, content) => {
      if (name === postgresFiles.tables) tables = await parseTables(content)
      else if (tables) contents = await readRows(await rowsText(name, content, tables), tables)
    },
    finish: async (state) => {
      if (!contents) throw damaged('it has no rows')
      const { rows, ...described } = contents
      const expected = Object.entries(described).find(
        ([key, value]) => key !== 'counts' && state[key as keyof BackedUpState] !== value,
      )
      if (expected) throw damaged(`its ${expected[0]} is not that of its manifest`)
      const difference =
        countDifference(state.counts, described.counts) ?? countDifference(described.counts, rows)
      if (difference !== undefined) throw damaged(difference)
    },
    close: async () => undefined,
  }
}

type Counts = { [owner: string]: { [collection: string]: number } }

type Contents = Awaited<ReturnType<typeof describeState>> & { readonly rows: Counts }

const readRows = async (
  text: AsyncIterable<Uint8Array>,
  { tables }: DescribedTables,
): Promise<Contents> => {
  const paths = new Map(catalog.resources.map(({ path }) => [path.replaceAll('-', '_'), path]))
  const settings = new Map<string, string>()
  const slugs = new Map<string, string>()
  const totals: (readonly [owner: string, collection: string, total: number])[] = []
  const rowCounts = new Map<string, Map<string, number>>()
  const missing = new Set(tables.map(({ name }) => name))
  let feedPosition: number | null = null
  for await (const { name, columns, rows } of readCopyText(text)) {
    missing.delete(name)
    const at = (column: string) => columns.indexOf(column)
    const cells = (...names: readonly string[]) =>
      rows.map((row) => names.map((each) => String(row[at(each)])))
    if (name === 'selvedge_settings') {
      for (const [key = '', value = ''] of cells('name', 'value')) settings.set(key, value)
    } else if (name === 'selvedge_owners') {
      for (const [owner = '', slug = ''] of cells('owner', 'slug')) slugs.set(owner, slug)
    } else if (name === 'selvedge_collections') {
      for (const [owner = '', collection = '', total] of cells('owner', 'collection', 'total')) {
        if (Number(total) > 0) totals.push([owner, collection, Number(total)])
      }
    } else if (name === 'selvedge_change_numbers') {
      for (const [change] of cells('change')) {
        feedPosition = Math.max(feedPosition ?? 0, Number(change))
      }
    }
    const path = paths.get(name)
    if (path === undefined) continue
    const counts = rowCounts.get(path) ?? new Map<string, number>()
    rowCounts.set(path, counts)
    for (const [owner = ''] of cells('owner')) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  const [first] = missing
  if (first !== undefined) throw damaged(`it has no rows of ${first}`)
  const slugOf = (owner: string) => (owner === '0' ? '*' : (slugs.get(owner) ?? owner))
  const counts: Counts = {}
  const counted: Counts = {}
  const add = (to: Counts, owner: string, collection: string, count: number) => {
    to[slugOf(owner)] = { ...to[slugOf(owner)], [collection]: count }
  }
  for (const [owner, collection, total] of totals) add(counts, owner, collection, total)
  for (const [collection, owners] of rowCounts) {
    for (const [owner, count] of owners) add(counted, owner, collection, count)
  }
  return {
    installation: installationOf(settings.get('secret') ?? ''),
    schemaGeneration: settings.get('schema generation') ?? null,
    change: Number(settings.get('change') ?? 0),
    feedPosition,
    counts,
    rows: counted,
  }
}
