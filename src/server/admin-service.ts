import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  actingOperator,
  createAdminApp,
  openSessions,
  openUploads,
  type Sessions,
  type Uploads,
} from '#admin'
import { type Config, releaseOf } from '#config'
import { createAdminPage } from '#console'
import { openQueueDatabase } from '#database'
import { openUnits, type Units } from '#intake'
import type { Log } from '#observability'
import { processName } from '#store'
import { closeServer } from './draining.ts'
import { urlAt } from './metrics-server.ts'
import {
  failurePolicy,
  idPrefix,
  type OnUnreachable,
  openServiceImages,
  openServiceLog,
  whenReachable,
} from './service.ts'
import { openRecords, type Records, recordsLogOf } from './service-records.ts'
import { logUnreachable } from './waiting.ts'

/** The server of the operator page, ready but not listening. */
export interface PreparedAdmin {
  readonly records: Records
  readonly sessions: Sessions
  /** Starts to listen, on `port` instead of the configured port if given. */
  listen(port?: number): Promise<AdminAddress>
  /** Stops: responses that are being made are still sent. */
  close(): Promise<void>
}

export interface AdminAddress {
  readonly port: number
  /** The address for browsers. */
  readonly url: string
}

export interface AdminOptions {
  readonly log?: Log
  readonly onUnreachable?: OnUnreachable
  /** The address of the API, for people. */
  readonly apiUrl: string
  /** The clock of sessions, in milliseconds since 1970. */
  readonly now?: () => number
}

interface AdminRecords {
  readonly records: Records
  readonly units: Units
  readonly sessions: Sessions
  readonly uploads: Uploads
  close(): Promise<void>
}

/** Opens the records and the units as commands do, with the operator of a request as their actor. */
const openAdminRecords = async (
  config: Config,
  log: Log,
  now: () => number,
): Promise<AdminRecords> => {
  const identity = { actingOperator, command: 'admin', repairsSecurity: false }
  const records = await openRecords({ ...config, ...identity }, recordsLogOf(log))
  const closers: (() => Promise<void>)[] = [records.close]
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const { store, audit, keyDatabase } = records
    const sessions = await openSessions({
      ...{ database: keyDatabase, recordAudit: audit.record, now, random: randomBytes },
    })
    const database = openQueueDatabase(config.databaseUrl, records.database)
    closers.push(database.close)
    const stopRecording = await audit.addOutbox(database)
    closers.push(async () => {
      await audit.flush()
      stopRecording()
    })
    const units = await openUnits({
      ...{ database, store, now: Date.now, newId: randomUUID, recordAudit: audit.record },
      holder: `${processName()} ${randomUUID().slice(0, 8)}`,
    })
    const { databaseUrl, redisUrl, imagesUrl, changeFeed, requiresRowSecurity } = config
    const uploads = await openUploads({
      config: { databaseUrl, redisUrl, imagesUrl, changeFeed, requiresRowSecurity },
      liveSessions: async () => new Set((await sessions.list()).map(({ id }) => id)),
      ...{ now, newId: randomUUID },
      onError: (error) => log.error({ error }, 'An upload failed.'),
    })
    closers.push(uploads.close)
    return { records, units, sessions, uploads, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Prepares the server of the operator page. Waits while the database is unreachable. */
export const prepareAdmin = async (
  config: Config,
  { now = Date.now, apiUrl, ...options }: AdminOptions,
): Promise<PreparedAdmin> => {
  const { log = openServiceLog(config) } = options
  const { onUnreachable = logUnreachable(log) } = options
  const opened = await whenReachable(() => openAdminRecords(config, log, now), onUnreachable)
  const { records, units, sessions, uploads } = opened
  let isDraining = false
  const server = createAdminApp({
    ...{ config, apiUrl, units, sessions, uploads, log, now, failurePolicy },
    ...records,
    release: await releaseOf(),
    page: await createAdminPage(),
    newId: randomUUID,
    databaseUrl: config.databaseUrl,
    openImages: () => openServiceImages(config, records.secret, () => ''),
    idPrefix: idPrefix(),
    draining: () => isDraining,
  })
  let closing: Promise<void> | undefined
  return {
    records,
    sessions,
    listen: async (port = config.adminPort ?? 0) => {
      await once(server.listen({ host: config.adminHost, port }), 'listening')
      const { port: bound } = server.address() as AddressInfo
      return { port: bound, url: config.adminUrl ?? urlAt(config.adminHost, bound) }
    },
    close: () => {
      closing ??= (async () => {
        isDraining = true
        await closeServer(server)
        await opened.close()
      })()
      return closing
    },
  }
}
