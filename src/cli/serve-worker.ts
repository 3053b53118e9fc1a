import { createIpcLimiter } from '#rate-limit'
import { prepareService } from '#server'
import { runSupervised } from './supervised-service.ts'

/** Runs in each worker: serves on the socket of the supervisor. */
export const serveWorker = (): Promise<void> =>
  runSupervised({
    titles: ['selvedge standby', 'selvedge worker'],
    prepare: (config, { log, supervised, onUnreachable }) => {
      const machineLimiter = createIpcLimiter(supervised.channel('rate-limit'))
      // Requests that wait for the supervisor to count them are released.
      process.once('disconnect', () => void machineLimiter.close())
      const { descriptor } = supervised
      return prepareService(config, { log, descriptor, machineLimiter, onUnreachable })
    },
  })
