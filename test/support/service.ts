import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { basePath, catalog } from '#contract'
import { openDatabase } from '#database'
import { openStory } from '#demo'
import { openLog } from '#observability'
import { readServiceConfig, type Service, type ServiceOptions } from '#server'
import { createStore } from '#store'
import { assertAnswer } from './answers.ts'
import { openService } from './open-service.ts'
import { putDatabase, type Records, writeRecords, writeStory } from './prepared-database.ts'

export interface TestService extends Service {
  /** Everything the service logged, a line each. */
  readonly logged: readonly string[]
  /** The service's folder; deleted on close if the service created it. */
  readonly folder: string
  /** Issues a key for brands, or a global one for none. */
  key(...brands: string[]): Promise<string>
  /** Writes records of one brand, or shared ones. */
  write(owner: string, records: Records): Promise<void>
  /**
   * Asks for a path below the brand's, or for a whole one, and holds the bytes of the answer
   * against openapi.json before handing it out.
   */
  get(path: string, options?: AskOptions): Promise<TestResponse>
}

export interface AskOptions {
  readonly key?: string | null
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
}

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any
}

export interface TestServiceOptions {
  readonly story?: boolean
  /** The folder of an earlier service, to open its database again; it is left where it is. */
  readonly folder?: string
  /** How long each of the two steps of stopping lasts. */
  readonly drainMs?: number
  /** Where connections have other limits than usual. */
  readonly connectionLimits?: ServiceOptions['connectionLimits']
  /** Slots of downloads, instead of those of the settings. */
  readonly machineSlots?: ServiceOptions['machineSlots']
  /** The database's secret, where it must be the same as another's. */
  readonly secret?: string
  /** The clock that days are read from. */
  readonly now?: () => number
  /** How long usage may wait to be written. */
  readonly usageWaitMs?: number
}

/** A real service on a real port with real files, by default with the story's brand. */
export const openTestService = async (
  environment: { readonly [name: string]: string } = {},
  {
    story = true,
    folder: existing,
    drainMs = 0,
    connectionLimits,
    machineSlots,
    secret,
    now = Date.now,
    usageWaitMs = 50,
  }: TestServiceOptions = {},
): Promise<TestService> => {
  const folder = existing ?? mkdtempSync(join(tmpdir(), 'selvedge-test-'))
  const logged: string[] = []
  const log = openLog({
    level: 'info',
    readable: false,
    destination: { write: (lines: string) => void logged.push(...(lines.match(/.+\n/g) ?? [])) },
  })
  const config = readServiceConfig({
    PORT: '0',
    DATABASE_URL: patient(`sqlite:${join(folder, 'selvedge.db')}`),
    IMAGES_URL: `file:${join(folder, 'images')}`,
    RATE_PER_SECOND: '1000000',
    RATE_BURST: '1000000',
    PUBLIC_RATE_PER_SECOND: '1000000',
    PUBLIC_RATE_BURST: '1000000',
    ...environment,
  })
  const isNew = existing === undefined && environment['DATABASE_URL'] === undefined
  if (isNew) await putDatabase(story ? 'story' : 'tables', join(folder, 'selvedge.db'))
  if (secret) await setSecret(config.databaseUrl, secret)
  const service = await openService(config, {
    ...{ log, drainMs, logWaitMs: 0, usageWaitMs, connectionLimits, now },
    ...(machineSlots && { machineSlots }),
  })
  const { store, keys } = service.records

  const key = async (...brands: string[]) => {
    const rights = { expiresAt: null, perSecond: null, burst: null }
    const global = brands.length === 0
    const issued = await keys.issue({ name: 'test', brands, global, ...rights })
    return issued.key
  }
  let usual: string | null = null
  if (story) {
    if (!isNew) await writeStory(store)
    usual = await key((await openStory()).brand)
  }

  return {
    ...service,
    logged,
    folder,
    key,
    write: (owner, records) => writeRecords(store, owner, records),
    get: async (path, options = {}) => {
      const url = path.startsWith('/') ? path : `${basePath}/brands/aldermoor${path && `/${path}`}`
      const { method = 'GET', headers = {} } = options
      const sent = options.key === undefined ? usual : options.key
      const response = await fetch(service.url + url, {
        method,
        headers: { ...(sent !== null && { authorization: `Bearer ${sent}` }), ...headers },
      })
      const text = await response.text()
      const answer = {
        status: response.status,
        headers: response.headers,
        text,
        body: text === '' ? null : parse(text),
      }
      assertAnswer(method, url, answer)
      return answer
    },
    close: async () => {
      await service.close()
      if (existing === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The address of a database, on either engine, whose reads may take a minute. A busy machine does not
 * reach that limit, so that a response with 500 is always a failure.
 */
export const patient = (url: string): string => `${url}?query-ms=60000`

const setSecret = async (url: string, secret: string): Promise<void> => {
  const database = openDatabase(url)
  const store = await createStore(catalog, database)
  await store.setting('secret', () => secret)
  await database.close()
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
