/**
 * Makes the databases in `test/support/version-0.2` with a checkout of version 0.2.0, whose packages
 * must be installed: `node test/support/make-version-0-2.ts <folder>`.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import pg from 'pg'
import { catalog, ingestBasePath, resourceAt, uniqueKeysOf } from '#contract'
import type { DemoRecord } from '#demo'
import { inSandbox, type Sandbox } from '../../tools/sandbox.ts'
import { until } from './cluster.ts'
import { ndjson } from './command.ts'
import { freePort, openPostgres } from './postgres.ts'
import { putItem } from './queue.ts'
import { placeholders, type RecordSet, storeVersion02, type Version02 } from './version-0-2.ts'
import { brokenCodes } from './violations/codes.ts'
import { story } from './violations/story.ts'

const [, , checkout = ''] = process.argv
const main = join(checkout, 'src/cli/main.ts')
if (!existsSync(main)) throw new RangeError(`Name the folder of a checkout: ${main} is missing.`)

const { brand } = story
const idAt = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Changes records of the story so that they break every rule about codes and unique keys. */
const breakRules = () => {
  const all = new Map(
    Object.entries({ ...story.shared, ...story.records }).map(([path, each]) => [path, [...each]]),
  )
  const recordsOf = (path: string) => all.get(path) as DemoRecord[]
  const rules = new Set<string>()
  for (const { rule, changes } of brokenCodes) {
    if (rules.has(rule)) continue
    rules.add(rule)
    for (const { path, record } of changes) {
      const before = story.records[path]?.find(({ id }) => id === record['id']) ?? {}
      const changed = Object.entries(record).filter(([name, value]) => value !== before[name])
      const records = recordsOf(path)
      const at = records.findIndex(({ id }) => id === record['id'])
      records[at] = { ...records[at], ...Object.fromEntries(changed) }
    }
  }
  for (const resource of catalog.resources) {
    const keys = uniqueKeysOf(resource)
    if (keys.length === 0) continue
    const records = recordsOf(resource.path)
    // A key of a single field counts only if it has a value.
    const values = keys
      .filter(({ fields }) => fields.length === 1)
      .map(({ fields: [name = ''] }) => [name, records[0]?.[name] ?? 'twice'])
    records[0] = { ...records[0], ...Object.fromEntries(values) }
    records.push({ ...records[0], id: idAt(1) })
    for (const { name } of keys) rules.add(name)
  }
  for (const path of ['tags', 'skus', 'orders', 'order-items', 'invoices', 'shipments']) {
    recordsOf(path).push(beyondBounds(path))
  }
  const setOf = (paths: readonly string[]): RecordSet =>
    Object.fromEntries(paths.map((path) => [path, recordsOf(path)]))
  return {
    rules: [...rules],
    shared: setOf(Object.keys(story.shared)),
    records: setOf(Object.keys(story.records)),
  }
}

/** A record whose texts, amounts, dates and numbers are beyond the bounds of values. */
const beyondBounds = (path: string): DemoRecord => {
  const { fields, filters, sortable } = resourceAt(catalog, path)
  const filtered = filters.map(({ field }) => field)
  const [first = {}] = story.records[path] ?? []
  const beyond = (name: string) => {
    const { kind, values, code } = fields[name] ?? {}
    if (kind === 'text' && !values && !code) {
      const isIndexed = filtered.includes(name) || sortable.includes(name)
      return isIndexed ? 'x'.repeat(5_000) : 'y'.repeat(70_000)
    }
    if (kind === 'amount') return `${'9'.repeat(100)}.${'9'.repeat(50)}`
    if (kind === 'date') return '0000-06-15'
    if (kind === 'timestamp') return '0000-06-15T09:00:00.000Z'
    if (kind === 'integer' && filtered.includes(name)) return 2_147_483_648
    return first[name]
  }
  const present = Object.keys(first).filter((name) => first[name] !== null)
  const values = Object.fromEntries(present.map((name) => [name, beyond(name)]))
  return { ...first, ...values, id: idAt(2) } as DemoRecord
}

const tag = (number: number, values: DemoRecord): DemoRecord => ({
  ...story.records['tags']?.[0],
  ...{ id: idAt(number), code: null, ...values },
})
const [port = {}] = story.records['locations'] ?? []

/** The first batch is stored, and the others wait behind it. */
const batches: readonly (readonly object[])[] = [
  [putItem('tags', tag(11, { name: 'In work' }))],
  [putItem('tags', tag(12, { name: 'Waiting' })), putItem('tags', tag(11, { name: 'Renamed' }))],
  [putItem('locations', { ...port, id: idAt(13), code: 'NEW', countryCode: 'GERMANY', gln: null })],
  [putItem('tags', tag(14, { name: 'Waiting' }))],
  [putItem('tags', tag(15, { name: 'z'.repeat(1_500) }))],
  [putItem('tags', tag(16, { name: 'No time', createdAt: 'yesterday' }))],
  [{ collection: 'tags', id: idAt(12), operation: 'remove' }],
]

const file = {
  name: 'tags-20260302T0900.ndjson',
  content: ndjson([tag(21, { name: 'Of a file' }), tag(22, { name: 'Of a file', uiColor: 'red' })]),
}

const source = {
  statements: [
    'create table labels (no integer, label text, changed_at timestamptz)',
    `insert into labels values (1, 'wool', '2026-03-01T09:00:00Z'), (2, 'silk', '2026-03-02T09:00:00Z')`,
  ],
  mapping: `version: 1
brand: ${brand}
database: \${SHOP_URL}
collections:
  tags:
    from: { sql: select * from labels, cursor: changed_at }
    id: { key: [no] }
    fields:
      name: label
      createdAt: first-seen
      updatedAt: last-changed
`,
}

/** Statements on a database from outside the program. */
interface Sql {
  run(...statements: readonly string[]): Promise<void>
  rows(text: string): Promise<readonly (readonly unknown[])[]>
}

interface Place {
  readonly databaseUrl: string
  readonly records: Sql
  readonly queue: Sql
  /** Makes the engine refuse every change of a table of an owner; and lets it work again. */
  stop(table: 'tags' | 'selvedge_queue'): Promise<void>
  resume(table: 'tags' | 'selvedge_queue'): Promise<void>
  dump(): Promise<Version02['dump']>
}

const sqlitePlace = ({ folder }: Sandbox): Place => {
  const fileOf = (suffix: string) => join(folder, `selvedge${suffix}.db`)
  const sqlOf = (suffix: string): Sql => {
    const open = <T>(work: (database: DatabaseSync) => T): T => {
      const database = new DatabaseSync(fileOf(suffix), { timeout: 10_000, readBigInts: true })
      try {
        return work(database)
      } finally {
        database.close()
      }
    }
    return {
      run: async (...statements) =>
        open((database) => {
          for (const each of statements) database.exec(each)
        }),
      rows: async (text) =>
        open((database) => {
          const statement = database.prepare(text)
          statement.setReturnArrays(true)
          return statement.all() as unknown as readonly (readonly unknown[])[]
        }),
    }
  }
  const [records, queue] = [sqlOf(''), sqlOf('.queue')]
  const of = { tags: records, selvedge_queue: queue }
  const when = { tags: 'insert', selvedge_queue: 'update' }
  return {
    databaseUrl: `sqlite:${fileOf('')}`,
    records,
    queue,
    stop: (table) =>
      of[table].run(
        `create trigger "stop" before ${when[table]} on "${table}" begin select raise(abort, 'stopped'); end`,
      ),
    resume: (table) => of[table].run('drop trigger "stop"'),
    dump: async () => ({
      '': await dumpSqlite(records),
      '.keys': await dumpSqlite(sqlOf('.keys')),
      '.queue': await dumpSqlite(queue),
    }),
  }
}

const dumpSqlite = async ({ rows }: Sql): Promise<readonly string[]> => {
  const schema = await rows(
    `select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type = 'index', name`,
  )
  const statements: string[] = []
  for (const [type, name, sql] of schema) {
    statements.push(String(sql))
    if (type !== 'table') continue
    const all = await rows(`select * from "${name}"`)
    statements.push(
      ...inserts(
        String(name),
        all.map((row) => row.map(sqliteLiteral)),
      ),
    )
  }
  const [[version] = []] = await rows('pragma user_version')
  return [...statements, `pragma user_version = ${version}`]
}

const sqliteLiteral = (value: unknown): string => {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? textLiteral(value) : String(value)
}

const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

const inserts = (table: string, rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0
    ? []
    : [
        timesOf(
          table,
          `insert into "${table}" values\n${rows.map((row) => `(${row.join(', ')})`).join(',\n')}`,
        ),
      ]

const began = new Date().toISOString()

/** Results of batches are kept for a time only: theirs is that of the restoring program. */
const timesOf = (table: string, statement: string): string =>
  ['selvedge_queue', 'selvedge_batches'].includes(table)
    ? statement.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
        time >= began ? placeholders.now : time,
      )
    : statement

const postgresPlace = async (sandbox: Sandbox): Promise<Place> => {
  const postgres = await openPostgres()
  sandbox.onClose(postgres.close)
  const databaseUrl = await postgres.url()
  const client = new pg.Client(databaseUrl)
  await client.connect()
  sandbox.onClose(() => client.end())
  const records: Sql = {
    run: async (...statements) => {
      for (const each of statements) await client.query(each)
    },
    rows: async (text) => (await client.query({ text, rowMode: 'array' })).rows,
  }
  const condition = { tags: 'false', selvedge_queue: '"finished_at" is null' }
  return {
    databaseUrl,
    records,
    queue: records,
    stop: (table) =>
      records.run(
        `alter table "${table}" add constraint "stop" check (${condition[table]}) not valid`,
      ),
    resume: (table) => records.run(`alter table "${table}" drop constraint "stop"`),
    dump: async () => ({ '': await dumpPostgres(records) }),
  }
}

/** Tables, keys, indexes and rows. The policies of row-level security are repaired at each start. */
const dumpPostgres = async ({ rows }: Sql): Promise<readonly string[]> => {
  const statements: string[] = []
  const tables = await rows(
    `select oid, relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  )
  for (const [oid, name] of tables) {
    const columns = await rows(
      `select quote_ident(attname), format_type(atttypid, atttypmod),
        coalesce((select ' collate ' || quote_ident(collname) from pg_collation as c where c.oid = attcollation and collname <> 'default'), ''),
        case when attnotnull then ' not null' else '' end
      from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped order by attnum`,
    )
    const keys = await rows(
      `select pg_get_constraintdef(oid) from pg_constraint where conrelid = ${oid} and contype in ('p', 'u')`,
    )
    const lines = [
      ...columns.map(
        ([column, type, collation, notNull]) => `${column} ${type}${collation}${notNull}`,
      ),
      ...keys.map(([key]) => String(key)),
    ]
    statements.push(`create table "${name}" (\n${lines.join(',\n')}\n)`)
    const all = await rows(
      `select ${columns.map(([column]) => `${column}::text`).join(', ')} from "${name}"`,
    )
    const literals = all.map((row) =>
      row.map((value) => (value === null ? 'null' : textLiteral(String(value)))),
    )
    statements.push(...inserts(String(name), literals))
    const indexes = await rows(
      `select pg_get_indexdef(indexrelid) from pg_index where indrelid = ${oid}
        and not exists (select from pg_constraint where conindid = indexrelid)`,
    )
    statements.push(...indexes.map(([definition]) => String(definition)))
  }
  return statements
}

const make = (engine: 'sqlite' | 'postgres') =>
  inSandbox(async (sandbox) => {
    const { folder, log } = sandbox
    const place = engine === 'sqlite' ? sqlitePlace(sandbox) : await postgresPlace(sandbox)
    const shop = await openPostgres()
    sandbox.onClose(shop.close)
    const shopUrl = await shop.url('shop')
    const env = {
      ...process.env,
      ...{ DATABASE_URL: place.databaseUrl, SHOP_URL: shopUrl, LOG_LEVEL: 'info' },
    }
    const run = async (...args: readonly string[]) => {
      const options = { env, cwd: folder, maxBuffer: 2 ** 26 }
      return (await promisify(execFile)(process.execPath, [main, ...args], options)).stdout
    }
    /** Starts a command that is killed with all its processes. */
    const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
      const child = spawn(process.execPath, [main, ...args], {
        ...{ env: { ...env, ...more }, cwd: folder, detached: true },
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text
        })
      }
      const kill = async () => {
        const ended = once(child, 'exit')
        process.kill(-(child.pid ?? 0), 'SIGKILL')
        await ended
        log(said)
      }
      return { kill, said: () => said }
    }

    const { rules, shared, records } = breakRules()
    for (const [name, set] of Object.entries({ shared, own: records })) {
      mkdirSync(join(folder, name))
      for (const [path, each] of Object.entries(set)) {
        writeFileSync(join(folder, name, `${path}.ndjson`), ndjson(each))
      }
    }
    log(await run('import', 'shared', '--shared', '--json'))
    log(await run('import', 'own', '--brand', brand, '--no-check', '--json'))

    const client = new pg.Client(shopUrl)
    await client.connect()
    for (const each of source.statements) await client.query(each)
    await client.end()
    writeFileSync(join(folder, 'shop.map.yaml'), source.mapping)
    log(await run('sync', '--map', 'shop.map.yaml', '--once', '--no-check'))

    await place.stop('tags')
    mkdirSync(join(folder, 'in'))
    writeFileSync(join(folder, 'in', file.name), file.content)
    const watching = start(['watch', 'in', '--brand', brand, '--no-check', '--settle', '0s'])
    await until(() => /is tried again/.test(watching.said()))
    await watching.kill()
    if (!existsSync(join(folder, 'in/working', file.name))) throw new RangeError('no file in work')
    await place.resume('tags')

    const issued = await run(
      'keys',
      'issue',
      '--ingest',
      '--brand',
      brand,
      '--name',
      'ERP',
      '--json',
    )
    const { key } = JSON.parse(issued)
    const [port, ingestPort] = [await freePort(), await freePort()]
    const serving = start(['serve'], { PORT: `${port}`, INGEST_PORT: `${ingestPort}` })
    const url = `http://127.0.0.1:${ingestPort}${ingestBasePath}/brands/${brand}/batches`
    await until(async () =>
      fetch(`http://127.0.0.1:${ingestPort}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const send = async (items: readonly object[], idempotencyKey: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/x-ndjson',
          'idempotency-key': idempotencyKey,
        },
        body: ndjson(items),
      })
      const text = await response.text()
      if (response.status !== 202) throw new RangeError(`${response.status} ${text}`)
      return { id: String(JSON.parse(text).id), idempotencyKey, items }
    }
    await place.stop('selvedge_queue')
    const [first = [], ...rest] = batches
    const sent = [await send(first, 'batch-1')]
    const stored = `select count(*) from "selvedge_batches"`
    await until(async () => Number((await place.records.rows(stored))[0]?.[0]) === 1)
    await place.stop('tags')
    for (const [at, items] of rest.entries()) sent.push(await send(items, `batch-${at + 2}`))
    await until(() => /waits/.test(serving.said()))
    await serving.kill()
    await place.resume('tags')
    await place.resume('selvedge_queue')
    const waiting = `select count(*) from "selvedge_queue" where "finished_at" is null`
    log(`${(await place.queue.rows(waiting))[0]?.[0]} batches wait`)

    const dump = Object.fromEntries(
      Object.entries(await place.dump()).map(([suffix, statements]) => [
        suffix,
        statements.map((each) => each.replaceAll(join(folder, 'in'), placeholders.folder)),
      ]),
    )
    storeVersion02(engine, {
      brand,
      shared,
      records,
      rules,
      key,
      batches: sent,
      file,
      source,
      dump,
    })
  })

for (const engine of ['sqlite', 'postgres'] as const) await make(engine)
