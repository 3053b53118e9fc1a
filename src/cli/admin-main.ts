import { flushCompileCache } from 'node:module'
import { cacheCompiledSources } from '#installation'

cacheCompiledSources()
const { serveAdmin } = await import('./serve-admin.ts')
await serveAdmin()
flushCompileCache()
