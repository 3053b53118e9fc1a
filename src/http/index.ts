export { type AppParts, createApp } from './app.ts'
export { type BareServerParts, createBareServer } from './bare-server.ts'
export type { RequestContext } from './context.ts'
export { errorBody } from './error-response.ts'
export { consoleFileResponse } from './handlers/console-file.ts'
export type { BackupSummary, SourceSummary } from './handlers/health.ts'
export type { IngestAppParts } from './ingest-app.ts'
export type { Responder } from './response.ts'
export { createResponseCache } from './response-cache.ts'
export { readShortBody } from './short-body.ts'
export { createStartingServer } from './starting-server.ts'

/** Loads the ingest server on demand: the processes of the public port do not need it. */
export const loadIngestApp = async () => (await import('./ingest-app.ts')).createIngestApp

let loaded: Promise<void> | undefined

/** Loads what handlers load on demand, so that no request has to wait for it. */
export const loadHandlerParts = (isMcpEnabled: boolean): Promise<void> => {
  loaded ??= loadParts(isMcpEnabled)
  return loaded
}

const loadParts = async (isMcpEnabled: boolean): Promise<void> => {
  await import('#check')
  if (isMcpEnabled) await (await import('#mcp')).prepareHttp()
}
