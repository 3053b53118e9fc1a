import { connectWorker } from '#cluster'
import { createIpcLimiter } from '#rate-limit'
import {
  limitYoungGeneration,
  logUnreachable,
  type OnUnreachable,
  openServiceLog,
  prepareService,
  readServiceConfig,
} from '#server'

/** Runs in each worker: serves on the socket of the supervisor. */
export const serveWorker = async (): Promise<void> => {
  const supervised = connectWorker({
    exit: (code) => process.exit(code),
    onError: (error) => console.error(error),
  })
  try {
    const config = readServiceConfig()
    const log = openServiceLog(config)
    const machineLimiter = createIpcLimiter(supervised.channel('rate-limit'))
    // Requests that wait for the supervisor to count them are released.
    process.once('disconnect', () => void machineLimiter.close())
    const logOnce = logUnreachable(log)
    const onUnreachable: OnUnreachable = (error) => {
      logOnce(error)
      supervised.waiting()
    }
    // Metrics go to the supervisor, which serves those of all workers on one port.
    const service = await prepareService(
      { ...config, metricsPort: null },
      { log, descriptor: supervised.descriptor, machineLimiter, onUnreachable },
    )
    const metrics = supervised.channel('metrics')
    const sendMetrics = async () => {
      const snapshot = await service.metrics.snapshot()
      if (process.connected) metrics.send({ snapshot })
    }
    metrics.onMessage(() => void sendMetrics())
    process.title = 'selvedge standby'
    await supervised.prepared(async () => {
      await service.close()
      await sendMetrics()
    })
    limitYoungGeneration()
    await service.listen()
    process.title = 'selvedge worker'
    supervised.ready()
  } catch (error) {
    // Imported on demand: it imports every part of the program and is rarely needed.
    const { errorMessage } = await import('./error-message.ts')
    await supervised.refuse(errorMessage(error))
  }
}
