import { createIpcLimiter, createIpcSlots } from '#rate-limit'
import { prepareService } from '#server'
import { runSupervised } from './supervised-service.ts'

/** Runs in each worker: serves on the supervisor's socket. */
export const serveWorker = (): Promise<void> =>
  runSupervised({
    titles: ['selvedge standby', 'selvedge worker'],
    prepare: (config, { log, supervised, onUnreachable }) => {
      const machineLimiter = createIpcLimiter(supervised.channel('rate-limit'))
      // Releases requests that wait for the supervisor's rate limiter.
      process.once('disconnect', () => void machineLimiter.close())
      const { descriptor } = supervised
      const slots = supervised.channel('downloads')
      return prepareService(config, {
        ...{ log, descriptor, machineLimiter, onUnreachable },
        machineSlots: (local) => createIpcSlots(slots, local),
      })
    },
  })
