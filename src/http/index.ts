export { type AppParts, createApp } from './app.ts'
export { createResponseCache } from './response-cache.ts'
export { createStartingServer } from './starting-server.ts'
