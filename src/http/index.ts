import { setTimeout as wait } from 'node:timers/promises'
import { nextTurn } from '#reading'

export { type AppParts, createApp } from './app.ts'
export type { SourceSummary } from './handlers/health.ts'
export type { IngestAppParts } from './ingest-app.ts'
export { createResponseCache } from './response-cache.ts'
export { createStartingServer } from './starting-server.ts'

/** Loads the ingest server on demand: the processes of the public port do not need it. */
export const loadIngestApp = async () => (await import('./ingest-app.ts')).createIngestApp

/** Longer than the first responses after a start take: clients that waited for it go first. */
const loadDelayMs = 100
let loaded: Promise<void> | undefined

/** Loads what handlers load on demand, so that no first request has to wait for it. */
export const loadHandlerParts = (isMcpEnabled: boolean): Promise<void> => {
  loaded ??= loadParts(isMcpEnabled)
  return loaded
}

const loadParts = async (isMcpEnabled: boolean): Promise<void> => {
  await wait(loadDelayMs)
  await import('#check')
  if (!isMcpEnabled) return
  await nextTurn()
  const { prepareHttp } = await import('#mcp')
  await nextTurn()
  await prepareHttp()
}
