/** Preloaded with `--import`: on exit, writes the modules that were loaded to `LOADED_MODULES`. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const urls: string[] = []
registerHooks({
  load: (url, context, next) => {
    urls.push(url)
    return next(url, context)
  },
})
if (isMainThread) {
  process.once('exit', () => writeFileSync(process.env['LOADED_MODULES'] ?? '', urls.join('\n')))
}
