/**
 * A server in a process of its own that says how long its event loop was busy at a time: in
 * processor time of its thread, so that other work on the machine does not count.
 */
import { openLog } from '#observability'
import { readServiceConfig } from '#server'
import { openService } from '../../test/support/open-service.ts'

const config = readServiceConfig()
const log = openLog({ level: 'silent', readable: false, destination: { write: () => undefined } })
const service = await openService(config, { log, drainMs: 0, logWaitMs: 0 })
const rights = { expiresAt: null, perSecond: null, burst: null }
const keys: string[] = []
// One key for each brand that was named.
for (const brand of process.argv.slice(2)) {
  const name = `watched ${keys.length}`
  const issued = await service.records.keys.issue({
    name,
    brands: [brand],
    global: false,
    ...rights,
  })
  keys.push(issued.key)
}

let busiestMs = 0
let rounds = 0
let isWatching = false
let before = process.threadCpuUsage()

const turn = (): void => {
  const used = process.threadCpuUsage(before)
  before = process.threadCpuUsage()
  busiestMs = Math.max(busiestMs, (used.user + used.system) / 1_000)
  rounds += 1
  if (isWatching) setImmediate(turn)
}

process.on('message', (order) => {
  if (order === 'watch') {
    ;[isWatching, busiestMs, rounds, before] = [true, 0, 0, process.threadCpuUsage()]
    setImmediate(turn)
    process.send?.('watching')
  } else {
    isWatching = false
    process.send?.({ busiestMs, rounds })
  }
})
process.once('disconnect', () => void service.close().then(() => process.exit()))
process.send?.({ url: service.url, pid: process.pid, keys })
