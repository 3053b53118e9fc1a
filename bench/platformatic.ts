/** Platformatic DB: installed from the npm registry, filled with the same rows, and started. */
import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../test/support/postgres.ts'
import type { Sandbox } from '../tools/sandbox.ts'
import { writeOrderItems } from './order-items.ts'
import { type Server, startServer } from './product.ts'

/** The compared release; a newer one may have other paths. */
const version = '3.67.0'
export const peerName = `Platformatic DB ${version}`
const packages = { '@platformatic/db': version, wattpm: version }

/** Installs it into a folder unless it is there. Returns the error as a sentence, or null. */
export const installPlatformatic = async (
  sandbox: Sandbox,
  folder: string,
): Promise<string | null> => {
  if (existsSync(join(folder, 'node_modules/wattpm')) && (await loads(folder))) return null
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: packages,
      // Compiles SQLite if there is no prebuilt binary.
      allowScripts: { 'better-sqlite3': true },
    }),
  )
  const failed = await sandbox.step('installing Platformatic DB, which may take minutes', () =>
    run(
      sandbox,
      'npm',
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-package-lock'],
      folder,
    ),
  )
  if (failed !== null) return `Platformatic DB cannot be installed here: ${failed}`
  return (await loads(folder))
    ? null
    : 'Platformatic DB was installed, but its SQLite does not load.'
}

const loads = async (folder: string): Promise<boolean> => {
  const script = "import D from 'better-sqlite3'; new D(':memory:').close()"
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    stdio: 'ignore',
  })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
}

/** Runs a program and returns the end of its output if it fails. */
const run = (
  sandbox: Sandbox,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string | null> =>
  new Promise((resolve) => {
    // Native modules must be compiled for this Node, whichever Node runs npm.
    const home = dirname(dirname(process.execPath))
    const headers = existsSync(join(home, 'include/node')) ? { npm_config_nodedir: home } : {}
    const path = `${dirname(process.execPath)}:${process.env['PATH']}`
    const child = spawn(command, args, { cwd, env: { ...process.env, ...headers, PATH: path } })
    sandbox.onClose(() => child.kill())
    let said = ''
    child.stdout.resume()
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(-2_000)
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      const [, reason = `npm ended with ${code}`] = /npm error (?!code)(.*)/.exec(said) ?? []
      resolve(code === 0 ? null : reason.replaceAll(/https?:\/\/\S+/g, 'the registry'))
    })
  })

/** Its columns, in the order of the fields; text by default. */
const integers = new Set(['qty'])
const indexed = ['orderId', 'skuId', 'productVersionId', 'htsCode', 'itemType', 'step', 'category']
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Loads an NDJSON file into a table, with an index for every filter of the product. */
const fill = async (file: string, ndjson: string): Promise<void> => {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; pragma synchronous = off; begin')
  let insert: ReturnType<DatabaseSync['prepare']> | null = null
  let fields: readonly string[] = []
  for await (const line of createInterface(createReadStream(ndjson))) {
    const record = JSON.parse(line) as { readonly [field: string]: string | number | null }
    if (!insert) {
      fields = Object.keys(record)
      const columns = fields.map((name) => {
        const kind = integers.has(name) ? 'integer' : 'text'
        return `${snake(name)} ${kind}${name === 'id' ? ' primary key not null' : ''}`
      })
      database.exec(`create table order_items (${columns.join(', ')})`)
      insert = database.prepare(
        `insert into order_items values (${fields.map(() => '?').join(', ')})`,
      )
    }
    insert.run(...fields.map((name) => record[name] ?? null))
  }
  database.exec('commit')
  for (const name of indexed) {
    const column = snake(name)
    database.exec(`create index order_items_${column} on order_items (${column}, id)`)
  }
  database.exec('analyze')
  database.close()
}

export const startPlatformatic = async (
  sandbox: Sandbox,
  folder: string,
  rows: number,
): Promise<Server> => {
  // Next to its node_modules, where it looks for its packages.
  const service = join(folder, 'service')
  mkdirSync(service, { recursive: true })
  const file = join(sandbox.folder, 'platformatic.db')
  await sandbox.step('filling Platformatic DB with the same rows', async () => {
    const { itemsFile } = await writeOrderItems(sandbox.folder, rows)
    await fill(file, itemsFile)
  })
  const port = await freePort()
  writeFileSync(
    join(service, 'package.json'),
    JSON.stringify({ name: 'order-items', type: 'module', dependencies: packages }),
  )
  writeFileSync(
    join(service, 'watt.json'),
    JSON.stringify({
      $schema: `https://schemas.platformatic.dev/@platformatic/db/${version}.json`,
      db: { connectionString: `sqlite://${file}`, openapi: true, graphql: false },
      // It logs no requests, which is an advantage for it.
      server: { hostname: '127.0.0.1', port, logger: { level: 'warn' } },
      watch: false,
    }),
  )
  return startServer(sandbox, {
    args: [join(folder, 'node_modules/wattpm/bin/cli.js'), 'start', service],
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: service,
    logFile: join(sandbox.folder, 'platformatic.log'),
    port,
    path: '/orderItems?limit=1',
    headers: {},
  })
}
