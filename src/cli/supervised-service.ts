import { connectWorker, type Supervised } from '#cluster'
import type { Config } from '#config'
import type { Log, Metrics } from '#observability'
import {
  limitYoungGeneration,
  logUnreachable,
  type OnUnreachable,
  openServiceLog,
  readServiceConfig,
} from '#server'

/** A service that is ready to listen. */
interface Prepared {
  /** Absent if it has none. */
  readonly metrics?: Metrics
  listen(): Promise<unknown>
  close(): Promise<void>
}

export interface SupervisedParts {
  readonly log: Log
  readonly supervised: Supervised
  readonly onUnreachable: OnUnreachable
}

export interface SupervisedService {
  /** The process title, before and after it listens. */
  readonly titles: readonly [prepared: string, listening: string]
  readonly prepare: (config: Config, parts: SupervisedParts) => Promise<Prepared>
}

/** Runs a service on the supervisor's socket. */
export const runSupervised = async ({ titles, prepare }: SupervisedService): Promise<void> => {
  const supervised = connectWorker({
    exit: (code) => process.exit(code),
    onError: (error) => console.error(error),
  })
  limitYoungGeneration()
  try {
    const config = readServiceConfig()
    const log = openServiceLog(config)
    const logOnce = logUnreachable(log)
    const onUnreachable: OnUnreachable = (error) => {
      logOnce(error)
      supervised.waiting()
    }
    // Metrics go to the supervisor, which serves those of all processes on one port.
    const service = await prepare(
      { ...config, metricsPort: null },
      { log, supervised, onUnreachable },
    )
    const metrics = supervised.channel('metrics')
    const sendMetrics = async () => {
      const snapshot = await service.metrics?.snapshot()
      if (snapshot && process.connected) metrics.send({ snapshot })
    }
    metrics.onMessage(() => void sendMetrics())
    process.title = titles[0]
    await supervised.prepared(async () => {
      await service.close()
      await sendMetrics()
    })
    await service.listen()
    process.title = titles[1]
    supervised.ready()
  } catch (error) {
    // Imported on demand: it imports every part of the program and is rarely needed.
    const { errorMessage } = await import('./error-message.ts')
    await supervised.refuse(errorMessage(error))
  }
}
