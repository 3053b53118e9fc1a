import { socketDescriptor } from '#cluster'
import { createStartupListener, readServiceConfig } from '#server'

const config = readServiceConfig()
// The other processes log why the database is not available yet; this one only responds.
const log = { warn: () => undefined }
const waiting = createStartupListener({ config, log, descriptor: socketDescriptor })
const leave = () => process.exit(0)
process.once('disconnect', leave)
process.once('SIGTERM', leave)
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
await waiting.listen()
