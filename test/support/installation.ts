/** An installation with something in every part of it, and all that can be read from one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createPostgresSource,
  createSqliteSource,
  type MadeBackup,
  makeBackup,
  openFolderTarget,
  saltBytes,
} from '#backup'
import { basePath, catalog, feedBasePath } from '#contract'
import {
  type Database,
  openDatabase,
  openPostgresState,
  openQueueDatabase,
  openSqliteTables,
  replacedFilesOf,
} from '#database'
import { attemptsMax, createUnitTables } from '#intake'
import { readCopyText } from '../../src/backup/copy-text.ts'
import { partOf } from '../../src/backup/table-loader.ts'
import { openSandbox } from './command.ts'
import { vendorsMapping } from './import-records.ts'
import { openTestService } from './service.ts'

export const brands = ['aldermoor', 'halden'] as const

/** Fills a database by commands, and returns a key for everything. */
export const fillInstallation = async (url: string): Promise<string> => {
  const sandbox = openSandbox(url)
  const run = async (...args: string[]) => {
    const ran = await sandbox.run(args, undefined, { CHANGE_FEED: 'on' })
    assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stderr}`)
    return ran.stdout
  }
  try {
    await run('demo', '--orders', '3', '--as-of', '2026-05-04')
    await run('brands', 'add', 'halden', '--name', 'Halden')
    sandbox.put({
      'shop.map.yaml': vendorsMapping('halden'),
      'vendors.csv': 'NO,NAME,STATUS\n1,"Wool\tand ""Søn"" \\ co",A\n2,Silk,X\n3,"Li\nnen",A\n',
    })
    const options = ['--map', 'shop.map.yaml', '--on-error', 'quarantine', '--no-check']
    await run('import', 'vendors.csv', ...options)
    const list = ['--group', 'orders', '--query', 'view=late&orderDate.gte=today-30']
    await run('views', 'add', '--brand', 'halden', '--name', 'Späte „Aufträge“', ...list)
    const issued = await run('keys', 'issue', '--global', '--name', 'Reader', '--json')
    await storeUnit(url)
    return (JSON.parse(issued) as { key: string }).key
  } finally {
    sandbox.close()
  }
}

/** A unit whose body is not a text. */
const storeUnit = (url: string): Promise<void> =>
  onQueue(url, async (queue) => {
    await createUnitTables(queue)
    await queue.write(async (session) => {
      await session.run({
        text: `insert into "selvedge_units" ("number", "id", "brand", "kind", "source", "state",
          "attempts", "received_at", "bytes", "length")
          values (1000, 'unit_1000', 'halden', 'batch', 'batches', 'quarantined', 3, '2026-05-04T08:00:00.000Z', 4, 4)`,
        values: [],
      })
      await session.run({
        text: 'insert into "selvedge_unit_bodies" ("number", "body") values (1000, ?1)',
        values: [Buffer.of(0, 255, 92, 10)],
      })
    })
  })

const onQueue = async <T>(url: string, work: (queue: Database) => Promise<T>): Promise<T> => {
  const records = openDatabase(url)
  const queue = openQueueDatabase(url, records)
  try {
    return await work(queue)
  } finally {
    await queue.close()
    await records.close()
  }
}

/** Stores a unit that a process works on, in the last attempt that it may make. */
export const storeUnitAtWork = (url: string): Promise<void> =>
  onQueue(url, async (queue) => {
    await createUnitTables(queue)
    await queue.write((session) =>
      session.runAll([
        `insert into "selvedge_units" ("number", "id", "brand", "kind", "source", "state",
          "attempts", "holder", "working_since", "received_at", "bytes", "length")
          values (1, 'unit_1', 'halden', 'batch', 'batches', 'working', ${attemptsMax}, 'host 1 one',
          '2026-05-04T08:00:01.000Z', '2026-05-04T08:00:00.000Z', 4, 4)`,
      ]),
    )
  })

/** The state of this unit, its attempts and the process that works on it. */
export const readUnitAtWork = (url: string): Promise<readonly unknown[]> =>
  onQueue(url, async (queue) => {
    const text = `select "state", "attempts", "holder" from "selvedge_units" where "id" = 'unit_1'`
    const [[[state, attempts, holder] = []] = []] = await queue.read([{ text, values: [] }])
    return [state, Number(attempts), holder]
  })

export interface ArchiveOptions {
  readonly secret?: Uint8Array
}

/** Makes a backup, as the command does. */
export const makeArchive = async (
  url: string,
  file: string,
  { secret }: ArchiveOptions = {},
): Promise<MadeBackup> => {
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'selvedge-archive-'))
  try {
    return await makeBackup({
      source: url.startsWith('sqlite:')
        ? createSqliteSource({ databaseUrl: url, temporaryFolder, now: Date.now })
        : createPostgresSource({ databaseUrl: url, databaseOptions: {}, now: Date.now }),
      target: await openFolderTarget(file),
      release: '0.0.0',
      encryption: secret ? { secret, salt: randomBytes(saltBytes) } : null,
      now: Date.now,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    })
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

type Rows = { readonly [table: string]: readonly string[] }

/** Added by every restore: the gap in the numbers, and an entry of the audit log. */
const isOfRestore = (table: string, row: string): boolean =>
  (table === 'selvedge_settings' && /"(change|restores|key file made at)"/.test(row)) ||
  (table === 'selvedge_collections' && row.includes('-restored ')) ||
  (table === 'selvedge_change_numbers' && Number(/\d+/.exec(row)?.[0]) > 1e12) ||
  (table.startsWith('selvedge_audit') && row.includes('database.restored')) ||
  // The key of `--verify` was there for a moment.
  table === 'selvedge_keys_version'

const rowsOf = (tables: Map<string, string[]>): Rows =>
  Object.fromEntries(
    [...tables]
      .filter(([name]) => name !== 'selvedge_backups')
      .map(
        ([name, rows]) => [name, rows.filter((row) => !isOfRestore(name, row)).toSorted()] as const,
      )
      .filter(([, rows]) => rows.length > 0)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

/** Every row of every table, in a form that does not depend on the engine. */
export const readAllRows = async (url: string, types: Types): Promise<Rows> => {
  const tables = new Map<string, string[]>()
  const add = (table: string, cells: { [column: string]: unknown }) => {
    const rows = tables.get(table) ?? []
    tables.set(table, rows)
    const entries = Object.entries(cells).filter(([, cell]) => cell !== null)
    rows.push(JSON.stringify(Object.fromEntries(entries.toSorted())))
  }
  if (url.startsWith('sqlite:')) {
    for (const file of Object.values(replacedFilesOf(url))) {
      const opened = openSqliteTables(file)
      for (const [name, columns] of opened.tables) {
        const parts = columns.map((column) =>
          partOf(column, types.get(name)?.get(column) ?? 'text'),
        )
        for (const row of opened.rows(name, parts)) {
          const cells = columns.map((column, index) => {
            const cell = row[index] ?? null
            return [
              column,
              cell instanceof Uint8Array
                ? `\\x${Buffer.from(cell).toString('hex')}`
                : cell === null
                  ? null
                  : String(cell),
            ]
          })
          add(name, Object.fromEntries(cells))
        }
      }
      opened.close()
    }
    return rowsOf(tables)
  }
  const state = await openPostgresState(url, () => true)
  try {
    for (const table of state.tables) {
      const numeric = new Set(
        table.columns.filter(({ type }) => type === 'numeric').map(({ name }) => name),
      )
      const text = async function* () {
        const columns = table.columns.map(({ name }) => `"${name}"`).join(', ')
        yield Buffer.from(`COPY public."${table.name}" (${columns}) FROM stdin;\n`)
        yield* state.rows(table)
        yield Buffer.from('\\.\n')
      }
      for await (const { name, columns, rows } of readCopyText(text())) {
        for (const row of rows) {
          const cells = columns.map((column, index) => {
            const cell = row[index] ?? null
            return [
              column,
              cell !== null && numeric.has(column) && cell.includes('.')
                ? cell.replace(/\.?0+$/, '')
                : cell,
            ]
          })
          add(name, Object.fromEntries(cells))
        }
      }
    }
    return rowsOf(tables)
  } finally {
    await state.close()
  }
}

/** The types of columns on PostgreSQL, by table. */
export type Types = ReadonlyMap<string, ReadonlyMap<string, string>>

export const readTypes = async (url: string): Promise<Types> => {
  const state = await openPostgresState(url, () => true)
  await state.close()
  return new Map(
    state.tables.map(({ name, columns }) => [
      name,
      new Map(columns.map((column) => [column.name, column.type])),
    ]),
  )
}

/** The responses of a server to everything that the key may read, byte for byte. */
export const readAllResponses = async (
  url: string,
  key: string,
): Promise<{ readonly [path: string]: string }> => {
  const service = await openTestService({ DATABASE_URL: url, CHANGE_FEED: 'on' }, { story: false })
  const responses: { [path: string]: string } = {}
  const read = async (path: string) => {
    const { status, text, body, headers } = await service.get(path, { key })
    responses[path] = `${status} ${headers.get('etag')} ${text}`
    return body
  }
  try {
    for (const brand of brands) {
      const base = `${basePath}/brands/${brand}`
      await read(base)
      for (const { path, endpoints } of catalog.resources) {
        if (!endpoints.includes('list')) continue
        const { items = [], nextCursor } = await read(`${base}/${path}?limit=7`)
        if (nextCursor) await read(`${base}/${path}?limit=7&cursor=${nextCursor}`)
        if (items[0]?.id && endpoints.includes('get')) await read(`${base}/${path}/${items[0].id}`)
      }
      let cursor = ''
      for (let pages = 0; pages < 50; pages += 1) {
        const { nextCursor, hasMore } = await read(`${feedPath(brand)}?limit=500${cursor}`)
        cursor = `&cursor=${nextCursor}`
        if (!hasMore) break
      }
    }
    return responses
  } finally {
    await service.close()
  }
}

export const feedPath = (brand: string): string => `${feedBasePath}/brands/${brand}/changes`

/** Fails with the first difference of each table or path, in few words. */
export const assertSame = (
  actual: { readonly [name: string]: string | readonly string[] },
  expected: typeof actual,
): void => {
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)])
  const differences = [...names].flatMap((name) => {
    const [one, other] = [actual[name] ?? [], expected[name] ?? []].map((each) => [each].flat())
    const at = one?.findIndex((row, index) => row !== other?.[index]) ?? -1
    if (at < 0 && one?.length === other?.length) return []
    const place = Math.max(at, 0)
    return [`${name} has ${one?.length} and ${other?.length}: ${one?.[place]} | ${other?.[place]}`]
  })
  assert.deepEqual(differences.map((each) => each.slice(0, 600)).slice(0, 5), [])
}
