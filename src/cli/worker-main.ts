import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Most of a worker's start is reading the sources. Kept from one start to the next, they are there
// in a third of the time.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/selvedge', import.meta.url)))
const { work } = await import('./serve-worker.ts')
await work()
flushCompileCache()
