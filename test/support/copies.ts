/** Copies of one brand, made by pull from a real service through a relay that can fail. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  catalog,
  exactTextColumn,
  type Field,
  type JsonValue,
  type Resource,
  resourceAt,
} from '#contract'
import type { DemoRecord } from '#demo'
import { type Pulled, type PulledCollection, type PullOptions, pullBrand } from '#pull'
import { decodeBody } from '#store'
import { openSandbox, type Sandbox } from './command.ts'
import { idOf, inOrder, recordsAt } from './model.ts'
import { type FeedEntry, feedPut, openRelay, type Relay } from './relay.ts'
import { openTestService, type TestService } from './service.ts'

export const brand = 'aldermoor'

/** What a copy can be made into: a folder, or a SQLite file. */
export const endings = ['', '.db'] as const

const [tag] = recordsAt('tags')
export const tagsFrom = (from: number, count: number, name?: string) =>
  Array.from({ length: count }, (_, index) => ({
    ...tag,
    id: idOf(from + index),
    name: name ?? `Of many ${from + index}`,
  }))

export interface Copies {
  readonly service: TestService
  readonly key: string
  readonly sandbox: Sandbox
  readonly relay: Relay
  /** A path that nothing has been written to. */
  newTarget(ending?: string): string
  /** A copy that was made earlier, to be updated. */
  newCopy(ending?: string): Promise<string>
  pull(to: string, options?: Partial<PullOptions>): Promise<Pulled>
  /** The arguments of the command. */
  pullArguments(to: string): readonly string[]
  remove(path: string, records: readonly DemoRecord[]): Promise<void>
  /** Throws unless a copy has exactly what the service has. */
  assertCopy(to: string): Promise<void>
  /** A feed from its beginning: every record. */
  everything(): Promise<FeedEntry[]>
  /** Lets the relay pass everything on again. */
  reset(): void
  close(): Promise<void>
}

export const openCopies = async (): Promise<Copies> => {
  const service = await openTestService()
  const key = await service.key(brand)
  const sandbox = openSandbox()
  // More than a page, so that a walk has a beginning, a middle and an end.
  await service.write(brand, { tags: tagsFrom(1, 450) })
  const relay = await openRelay(service.url)
  const firstCopies = new Map<string, string>()
  let targets = 0

  const newTarget = (ending = ''): string => {
    targets += 1
    return join(sandbox.folder, `copy-${targets}${ending}`)
  }
  const pull: Copies['pull'] = (to, options = {}) =>
    pullBrand({
      catalog,
      url: relay.url,
      brand,
      key,
      to,
      full: false,
      allowHttp: false,
      process: process.pid,
      now: () => Date.UTC(2026, 5, 1),
      clock: () => performance.now(),
      random: () => 0.5,
      log: () => undefined,
      onProgress: () => undefined,
      firstPauseMs: 1,
      ...options,
    })

  return {
    service,
    key,
    sandbox,
    relay,
    newTarget,
    newCopy: async (ending = '') => {
      const first = firstCopies.get(ending) ?? newTarget(ending)
      if (!firstCopies.has(ending)) await pull(first)
      firstCopies.set(ending, first)
      const to = newTarget(ending)
      cpSync(first, to, { recursive: true })
      return to
    },
    pull,
    pullArguments: (to) => [
      ...['pull', '--url', relay.url, '--brand', brand, '--to', to, '--key', '-', '--json'],
    ],
    remove: (path, records) =>
      service.records.store.write(brand, async (writer) => {
        const resource = resourceAt(catalog, path)
        const keys = records.map((record) => resource.key.map((name) => String(record[name])))
        await writer.stageRemoval(resource, keys)
        await writer.merge(resource)
      }),
    assertCopy: async (to) => {
      const copy = recordsIn(to)
      for (const [path, text] of await recordsOf(service)) {
        assert.equal(copy.get(path), text, `${to}: ${path}`)
      }
    },
    everything: async () =>
      [...(await recordsOf(service))].flatMap(([path, text]) =>
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => feedPut(path, JSON.parse(line))),
      ),
    reset: () => {
      relay.requests.length = 0
      relay.feed = null
      relay.intercept = () => null
      relay.alter = (_target, response) => response
    },
    close: async () => {
      await relay.close()
      await service.close()
      sandbox.close()
    },
  }
}

/** What a pull did to one collection. */
export const resultAt = (pulled: Pulled, path: string): PulledCollection => {
  const result = pulled.collections.find(({ collection }) => collection === path)
  assert.ok(result)
  return result
}

/** The records of the service by collection, as NDJSON. */
export const recordsOf = async (service: TestService): Promise<ReadonlyMap<string, string>> =>
  service.records.store.snapshot(brand, async (reader) => {
    const texts = new Map<string, string>()
    for (const resource of catalog.resources) {
      let text = ''
      for await (const bodies of reader.bodies(resource)) {
        text += bodies.map((body) => `${decodeBody(body)}\n`).join('')
      }
      texts.set(resource.path, text)
    }
    return texts
  })

const fileOf = ({ path, scope }: Resource): string =>
  `${scope === 'shared' ? 'shared/' : ''}${path}.ndjson`

const inFolder = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    catalog.resources.map((resource) => [
      resource.path,
      readFileSync(join(folder, fileOf(resource)), 'utf8'),
    ]),
  )

/** The records of a SQLite copy, restored from its columns. */
const inFile = (file: string): ReadonlyMap<string, string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return new Map(
      catalog.resources.map(({ path, fields, key: identity }) => {
        const rows = database.prepare(`select * from "${path.replaceAll('-', '_')}"`).all()
        const records = rows.map((row) =>
          Object.fromEntries(
            Object.entries(fields).map(([name, field]) => [
              name,
              valueIn(field, row[field.kind === 'amount' ? exactTextColumn(name) : name]),
            ]),
          ),
        )
        const lines = inOrder(identity, records as DemoRecord[])
        return [path, lines.map((record) => `${JSON.stringify(record)}\n`).join('')]
      }),
    )
  } finally {
    database.close()
  }
}

const valueIn = ({ kind }: Field, cell: unknown): JsonValue => {
  if (cell === null) return null
  if (kind === 'flag') return cell === 1
  const isJson = ['any', 'texts', 'object', 'objects'].includes(kind)
  return isJson ? JSON.parse(cell as string) : (cell as JsonValue)
}

/** The records of a copy by collection, as NDJSON. */
export const recordsIn = (to: string) => (to.endsWith('.db') ? inFile(to) : inFolder(to))
