import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Most of the start time is compiling the sources; with the cache it is a third.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/selvedge', import.meta.url)))
const { serveWorker } = await import('./serve-worker.ts')
await serveWorker()
flushCompileCache()
