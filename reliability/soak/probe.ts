/**
 * Loaded with `--import` before all else: at each SIGUSR2 it collects garbage and writes how much
 * memory is in use then, and how many sockets, timers and the like keep the process going.
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
