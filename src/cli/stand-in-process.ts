import { socketDescriptor } from '#cluster'
import { DatabaseUnreachableError } from '#database'
import { createStartupListener, readServiceConfig } from '#server'

const config = readServiceConfig()
// The workers log that they wait for the database; this process only responds.
const log = { warn: () => undefined }
const waiting = createStartupListener({ config, log, descriptor: socketDescriptor })
const leave = () => process.exit(0)
process.once('disconnect', leave)
process.once('SIGTERM', leave)
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
await waiting.onUnreachable(new DatabaseUnreachableError('The database is away.'))
