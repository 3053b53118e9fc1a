/**
 * Loaded with `--import`. On each SIGUSR2, collects garbage and writes the memory in use and the
 * number of active sockets, timers and other handles.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let count = 0
  process.on('SIGUSR2', () => {
    collect()
    setImmediate(() => {
      collect()
      count += 1
      const { heapUsed, external } = process.memoryUsage()
      const handles = process.getActiveResourcesInfo().length
      process.stderr.write(`probe ${count}: ${JSON.stringify({ heapUsed, external, handles })}\n`)
    })
  })
}
