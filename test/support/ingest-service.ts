/** A real server that receives records, on a real port with real files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalog, ingestBasePath, resourceAt, writeIdentity } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import type { IssuedKey, IssueRequest } from '#keys'
import { openLog } from '#observability'
import { loadIngestService, type PreparedIngest, readServiceConfig } from '#server'
import { decodeBody } from '#store'
import type { IngestOptions } from '../../src/server/ingest-service.ts'
import { assertAnswer } from './answers.ts'
import { keyOf } from './model.ts'
import { putDatabase, writeStoryBrand } from './prepared-database.ts'

export interface TestIngest extends PreparedIngest {
  readonly url: string
  readonly folder: string
  readonly databaseUrl: string
  readonly logged: readonly string[]
  /** Issues an ingest key, by default for the story's brand. */
  issue(changes?: Partial<IssueRequest>): Promise<IssuedKey>
  /** Sends a batch to the story's brand, and holds the answer against openapi.ingest.json. */
  send(body: SentBody, options?: SendOptions): Promise<IngestAnswer>
  get(
    path: string,
    key?: string | null,
    headers?: { readonly [name: string]: string },
  ): Promise<IngestAnswer>
  /** The stored records of the story's brand. */
  stored(collection: string): Promise<readonly DemoRecord[]>
}

type SentBody = string | Buffer | readonly object[]

export interface SendOptions {
  readonly key?: string | null
  readonly brand?: string
  readonly query?: string
  readonly headers?: { readonly [name: string]: string }
}

export interface IngestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any
}

export const story = await openStory()
export const storyBrand = String(story.records['brand']?.[0]?.['slug'])

export const putItem = (collection: string, record: DemoRecord) => ({
  collection,
  id: writeIdentity(keyOf(resourceAt(catalog, collection).key, record)),
  operation: 'put',
  record,
})

export const lines = (items: readonly object[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('')

/** The n-th record of a collection in the story. */
export const recordOf = (collection: string, index = 0): DemoRecord =>
  story.records[collection]?.[index] as DemoRecord

interface TestIngestOptions extends Pick<IngestOptions, 'queueLimits'> {
  /** Whether the database at the address gets the story's brand; true by default. */
  readonly hasStory?: boolean
}

export const openTestIngest = async (
  environment: { readonly [name: string]: string } = {},
  { hasStory = true, ...options }: TestIngestOptions = {},
): Promise<TestIngest> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-ingest-'))
  const logged: string[] = []
  const log = openLog({
    level: 'info',
    readable: false,
    destination: { write: (text: string) => void logged.push(...(text.match(/.+\n/g) ?? [])) },
  })
  const file = join(folder, 'selvedge.db')
  const databaseUrl = environment['DATABASE_URL'] ?? `sqlite:${file}`
  const isNew = environment['DATABASE_URL'] === undefined
  if (isNew) await putDatabase('storyBrand', file)
  const config = readServiceConfig({
    INGEST_PORT: '0',
    DATABASE_URL: databaseUrl,
    INGEST_RATE_PER_SECOND: '1000000',
    INGEST_RATE_BURST: '1000000',
    PUBLIC_RATE_PER_SECOND: '1000000',
    PUBLIC_RATE_BURST: '1000000',
    ...environment,
  })
  const prepareIngest = await loadIngestService()
  const onFailure = (error: Error) => log.fatal({ error }, 'Batches cannot be accepted.')
  const service = await prepareIngest(config, {
    ...{ log, drainMs: 0, logWaitMs: 0, onFailure },
    ...options,
  })
  const { store, keys } = service.records
  if (!isNew && hasStory) await writeStoryBrand(store)
  const issue = (changes: Partial<IssueRequest> = {}) =>
    keys.issue({
      ...{ name: 'ERP', brands: [storyBrand], global: false, kind: 'ingest' },
      ...{ expiresAt: null, perSecond: null, burst: null },
      ...changes,
    })
  const { key: usual } = await issue()
  const url = await service.listen()

  const ask = async (path: string, key: string | null | undefined, init: RequestInit) => {
    const sent = key === undefined ? usual : key
    const response = await fetch(url + path, {
      ...init,
      headers: { ...(sent !== null && { authorization: `Bearer ${sent}` }), ...init.headers },
    })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, body: parse(text) }
    assertAnswer(init.method ?? 'GET', path, answer)
    return answer
  }

  return {
    ...service,
    url,
    folder,
    databaseUrl,
    logged,
    issue,
    send: (body, { key, brand = storyBrand, query = '', headers = {} } = {}) =>
      ask(`${ingestBasePath}/brands/${brand}/batches${query && `?${query}`}`, key, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body: Array.isArray(body) ? lines(body) : (body as string | Buffer<ArrayBuffer>),
      }),
    get: (path, key, headers = {}) => ask(path, key, { headers }),
    stored: (collection) =>
      store.snapshot(storyBrand, async (reader) => {
        const records: DemoRecord[] = []
        for await (const batch of reader.bodies(resourceAt(catalog, collection))) {
          records.push(...batch.map((body) => JSON.parse(decodeBody(body))))
        }
        return records
      }),
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
