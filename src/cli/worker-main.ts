import { flushCompileCache } from 'node:module'
import { cacheCompiledSources } from '#installation'

cacheCompiledSources()
const { serveWorker } = await import('./serve-worker.ts')
await serveWorker()
flushCompileCache()
