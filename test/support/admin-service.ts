/** A real server of the operator page, on a real port with real files. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit, ReadEntry } from '#audit'
import type { OperatorSession } from '#contract'
import { openLog } from '#observability'
import { loadAdminService, type PreparedAdmin, readServiceConfig } from '#server'
import { putDatabase } from './prepared-database.ts'

export interface AdminAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any
}

export interface AdminAsk {
  readonly method?: string
  /** JSON, or a text that is sent as it is. */
  readonly body?: object | string
  /** Undefined leaves a header out. */
  readonly headers?: { readonly [name: string]: string | undefined }
}

/** A browser that is signed in. */
export interface SignedIn {
  readonly session: OperatorSession
  /** The pair of name and value. */
  readonly cookie: string
  /** Asks as the page does: with cookie, token and origin. */
  ask(path: string, ask?: AdminAsk): Promise<AdminAnswer>
}

export interface TestAdmin extends PreparedAdmin {
  readonly url: string
  readonly folder: string
  readonly databaseUrl: string
  readonly logged: readonly string[]
  /** Asks as a browser without a session: a change has the page's origin. */
  ask(path: string, ask?: AdminAsk): Promise<AdminAnswer>
  /** Redeems a link. */
  redeem(token: string, ask?: AdminAsk): Promise<AdminAnswer>
  signIn(operator?: string): Promise<SignedIn>
  /** The entries of the audit log, in order. */
  entries(): Promise<readonly ReadEntry[]>
}

export interface TestAdminOptions {
  /** What the database has: the story's brand, or tables only (the default). */
  readonly records?: 'story' | 'tables'
  /** The clock of sessions. */
  readonly now?: () => number
  /** The address of the API. */
  readonly apiUrl?: string
}

export const openTestAdmin = async (
  environment: { readonly [name: string]: string } = {},
  { records = 'tables', now, apiUrl = 'http://api.example' }: TestAdminOptions = {},
): Promise<TestAdmin> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-admin-'))
  const logged: string[] = []
  const log = openLog({
    level: 'info',
    readable: false,
    destination: { write: (text: string) => void logged.push(...(text.match(/.+\n/g) ?? [])) },
  })
  const file = join(folder, 'selvedge.db')
  if (environment['DATABASE_URL'] === undefined) await putDatabase(records, file)
  const databaseUrl = environment['DATABASE_URL'] ?? `sqlite:${file}`
  const config = readServiceConfig({
    ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    IMAGES_URL: `file:${join(folder, 'images')}`,
    ...environment,
  })
  const prepareAdmin = await loadAdminService()
  const service = await prepareAdmin(config, {
    ...{ log, apiUrl },
    ...(now && { now }),
  })
  const { url: ownUrl, port } = await service.listen()
  const address = `http://127.0.0.1:${port}`

  const ask: TestAdmin['ask'] = async (path, { method = 'GET', body, headers = {} } = {}) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const all = {
      ...(method !== 'GET' && method !== 'HEAD' && { origin: ownUrl }),
      ...(typeof body === 'object' && { 'content-type': 'application/json' }),
      ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
      ...headers,
    }
    const entries = Object.entries(all).filter(([, value]) => value !== undefined)
    const sent = request(address + path, {
      method,
      headers: Object.fromEntries(entries) as { [name: string]: string },
    })
    sent.end(text)
    const [response] = await once(sent, 'response')
    let received = ''
    for await (const chunk of response.setEncoding('utf8')) received += chunk
    return {
      status: response.statusCode,
      headers: response.headers,
      text: received,
      body: parse(received),
    }
  }
  const redeem: TestAdmin['redeem'] = (token, more = {}) =>
    ask('/api/session', { method: 'POST', body: { token }, ...more })

  return {
    ...service,
    ...{ url: ownUrl, folder, databaseUrl, logged, ask, redeem },
    signIn: async (operator = 'anna') => {
      const { token } = await service.sessions.issueLink(operator)
      const answer = await redeem(token)
      const session = answer.body as OperatorSession
      const [cookie = ''] = (answer.headers['set-cookie']?.[0] ?? '').split(';')
      return {
        session,
        cookie,
        ask: (path, { headers, ...more } = {}) =>
          ask(path, {
            ...more,
            headers: { cookie, 'x-csrf-token': session.csrfToken, ...headers },
          }),
      }
    },
    entries: () => entriesOf(service.records.audit),
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** All entries of a log, once those that wait are in it. */
export const entriesOf = async (audit: Audit): Promise<readonly ReadEntry[]> => {
  await audit.chain()
  return (await audit.list({ limit: 10_000 })).map(({ text }) => JSON.parse(text) as ReadEntry)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
