export { type AppParts, createApp } from './app.ts'
export type { SourceSummary } from './handlers/health.ts'
export type { IngestAppParts } from './ingest-app.ts'
export { createResponseCache } from './response-cache.ts'
export { createStartingServer } from './starting-server.ts'

/** Loads the ingest server on demand: the processes of the public port do not need it. */
export const loadIngestApp = async () => (await import('./ingest-app.ts')).createIngestApp
