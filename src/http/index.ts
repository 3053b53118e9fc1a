export { type AppParts, createApp } from './app.ts'
export type { SourceSummary } from './handlers/health.ts'
export type { IngestAppParts } from './ingest-app.ts'
export { createResponseCache } from './response-cache.ts'
export { createStartingServer } from './starting-server.ts'

/** Loads the server that receives records, which the processes of the public port do not need. */
export const loadIngestApp = async () => (await import('./ingest-app.ts')).createIngestApp
