import { flushCompileCache } from 'node:module'
import { cacheCompiledSources } from '#installation'

cacheCompiledSources()
const { serveIngest } = await import('./serve-ingest.ts')
await serveIngest()
flushCompileCache()
