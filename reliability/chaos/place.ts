/** A database with brands, a server that receives records, and commands that run until they are stopped. */
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#database'
import { openRecords, readServiceConfig } from '#server'
import { openSandbox, type Sandbox, type Started } from '../../test/support/command.ts'
import { refuseValue } from '../../test/support/refuse-value.ts'
import { type Engine, onEngine, patient } from '../engine.ts'
import { importRecords } from '../importing.ts'
import {
  issueIngestKey,
  openServedIngest,
  type ServedIngest,
} from '../ingest-kill/served-ingest.ts'
import { type Colour, itemOf, refusedName, takenCode, unitOf } from './colours.ts'

export interface Place {
  readonly sandbox: Sandbox
  readonly server: ServedIngest
  /** An ingest key for all brands. */
  readonly key: string
  /** All stored colours, except the first one of each brand. */
  stored(): Promise<readonly string[]>
  /** Watches a folder below that of the sandbox for a brand. */
  watch(folder: string, brand: string): Command
  /** Reads the table of a database into a brand. */
  sync(databaseUrl: string, brand: string): Command
  /** Ends the commands and the server in order. */
  stop(): Promise<void>
}

/** A process that is started again whenever it has ended. */
export interface Command {
  /** Resolves when the current process works, or has ended. */
  ready(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}

/** What `stored` says of a colour. */
export const storedAs = ({ code, name, hex, status }: Omit<Colour, 'no' | 'fault'>) =>
  [code, name, hex, status].join(' ')

const fileMapping = (brand: string) => `version: 1
brand: ${brand}
collections:
  colors:
    from: { files: 'colors-*.csv', delimiter: semicolon }${fields('NO', 'CODE', 'NAME', 'HEX', 'STATUS')}`

/** All rows are read in every round. */
const tableMapping = (brand: string) => `version: 1
brand: ${brand}
database: \${SOURCE_URL}
collections:
  colors:
    from: { sql: select * from colours, cursor: changed_at, overlap: 2h }${fields('no', 'code', 'name', 'hex', 'status')}`

const fields = (no: string, code: string, name: string, hex: string, status: string) => `
    id: { key: [${no}] }
    fields:
      code: ${code}
      name: ${name}
      hexCode: ${hex}
      status: ${status}
      createdAt: first-seen
      updatedAt: last-changed
`

/** Adds brands with a colour each, and lets the engine refuse a name. */
const prepare = async (sandbox: Sandbox, brands: readonly string[]): Promise<void> => {
  for (const brand of brands) {
    const { code, stderr } = await sandbox.run(['brands', 'add', brand, '--name', brand])
    if (code !== 0) throw new Error(stderr)
    sandbox.put({
      [`${brand}-files.map.yaml`]: fileMapping(brand),
      [`${brand}-table.map.yaml`]: tableMapping(brand),
    })
  }
  const config = readServiceConfig({ DATABASE_URL: sandbox.databaseUrl })
  const { store, database, close } = await openRecords(config)
  const { record } = unitOf('t999', 0, null).colours.map(itemOf)[0] ?? {}
  for (const owner of brands) {
    const records = [{ ...record, code: takenCode, name: takenCode }]
    await importRecords(store, { owner, collection: 'colors', records })
  }
  await refuseValue(database, ['colors', 'name', refusedName])
  await close()
}

export const onPlace = <Result>(
  engine: Engine,
  brands: readonly string[],
  work: (place: Place) => Promise<Result>,
): Promise<Result> =>
  onEngine(engine, async (url) => {
    const sandbox = openSandbox(url && patient(url))
    try {
      await prepare(sandbox, brands)
      const place = await openPlace(sandbox, brands)
      try {
        return await work(place)
      } finally {
        await place.stop()
      }
    } finally {
      sandbox.close()
    }
  })

const openPlace = async (sandbox: Sandbox, brands: readonly string[]): Promise<Place> => {
  const { folder, databaseUrl } = sandbox
  const commands: Command[] = []
  const start = (
    args: readonly string[],
    readyWords: string,
    environment: NodeJS.ProcessEnv = {},
  ) => {
    const all = [...args, '--every', '1s', '--no-check']
    const command = keepRunning(sandbox, all, { environment, readyWords })
    commands.push(command)
    return command
  }
  const key = await issueIngestKey(databaseUrl, brands)
  const server = await openServedIngest(folder, databaseUrl)
  return {
    ...{ sandbox, server, key, stored: () => storedIn(databaseUrl) },
    watch: (inbox, brand) =>
      start(['watch', inbox, '--map', `${brand}-files.map.yaml`, '--settle', '0s'], 'Watching'),
    // Every round reads all bad rows again.
    sync: (source, brand) =>
      start(
        ['sync', '--map', `${brand}-table.map.yaml`, '--max-bad-rows', '100'],
        `${brand}-table: `,
        { SOURCE_URL: source },
      ),
    stop: async () => {
      await Promise.all(commands.map((command) => command.stop()))
      await server.close()
    },
  }
}

const storedIn = async (databaseUrl: string): Promise<readonly string[]> => {
  const database = openDatabase(databaseUrl)
  try {
    const text = 'select "body" from "colors" where "name" <> ?1'
    const [rows = []] = await database.read([{ text, values: [takenCode] }])
    return rows.map(([body]) => {
      const { code, name, hexCode, status } = JSON.parse(String(body))
      return storedAs({ code, name, hex: hexCode, status })
    })
  } finally {
    await database.close()
  }
}

const keepRunning = (
  sandbox: Sandbox,
  args: readonly string[],
  { environment, readyWords }: { environment: NodeJS.ProcessEnv; readyWords: string },
): Command => {
  let isStopped = false
  let started: Started | undefined
  const repeating = (async () => {
    while (!isStopped) {
      started = sandbox.start(args, environment)
      await started.ended
      await wait(20)
    }
  })()
  const running = async (): Promise<Started> => {
    while (!started || hasEnded(started)) await wait(5)
    return started
  }
  return {
    ready: async () => (await running()).said(readyWords),
    kill: async () => {
      const { child, ended } = await running()
      child.kill('SIGKILL')
      await ended
    },
    stop: async () => {
      isStopped = true
      started?.child.kill('SIGTERM')
      await repeating
    },
  }
}

const hasEnded = ({ child }: Started): boolean =>
  child.exitCode !== null || child.signalCode !== null
