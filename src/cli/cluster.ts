import { setTimeout as wait } from 'node:timers/promises'
import { bindSocket, openSupervisor, type WorkerProcess } from '#cluster'
import type { Config } from '#config'
import { createAggregateMetrics, type MetricsSnapshot, type MetricsText } from '#observability'
import { createMemoryLimiter, serveLimiter } from '#rate-limit'
import {
  logUnreachable,
  type MetricsServer,
  openMetricsServer,
  openServiceLog,
  urlAt,
} from '#server'
import { prepareRecords } from './prepare-records.ts'
import { engineOf, onFreePort, type ServeOptions, type Serving } from './single.ts'
import { createStandIn } from './stand-in.ts'

/** Serves with several worker processes. This process supervises them and serves no requests. */
export const serveWithWorkers = async (
  config: Config,
  { demo: wantsDemo }: ServeOptions,
): Promise<Serving> => {
  const { host, port, metricsPort, workers, standbyWorkers } = config
  const log = openServiceLog(config)
  const socket = wantsDemo
    ? await onFreePort(port, (each) => bindSocket(host, each))
    : await bindSocket(host, port)
  const standIn = createStandIn(socket)
  const ready = new Set<WorkerProcess>()
  let metricsServer: MetricsServer | null = null
  try {
    const logOnce = logUnreachable(log)
    // Done once, before the workers start.
    const demo = await prepareRecords(config, {
      demo: wantsDemo,
      log: (sentence) => log.info(sentence),
      onUnreachable: (error) => {
        logOnce(error)
        standIn.start()
      },
      onConverting: standIn.start,
    })
    const limiter = createMemoryLimiter({ now: () => performance.now() })
    const metrics = await openWorkerMetrics()
    if (metricsPort !== null) {
      metricsServer = await openMetricsServer(metrics, { host, port: metricsPort })
    }
    const supervisor = await openSupervisor({
      program: new URL('./worker-main.ts', import.meta.url),
      workers,
      standby: standbyWorkers > 0,
      socket,
      log,
      onWorker: (worker) => {
        serveLimiter(limiter, worker.channel('rate-limit'))
        // While another worker is ready, that one serves the clients.
        worker.onWaiting(() => ready.size === 0 && standIn.start())
        worker.ready.then(
          () => {
            ready.add(worker)
            standIn.stop()
          },
          () => undefined,
        )
        void worker.exited.then(() => ready.delete(worker))
        metrics.watch(worker)
      },
    })
    return {
      url: urlAt(host, socket.port),
      metricsUrl: metricsServer?.url ?? null,
      workers,
      engine: engineOf(config),
      demo,
      close: async () => {
        standIn.stop()
        await supervisor.stop()
        metricsServer?.close()
      },
      kill: () => {
        standIn.stop()
        supervisor.kill()
      },
      replace: supervisor.replaceAll,
    }
  } catch (error) {
    standIn.stop()
    metricsServer?.close()
    socket.close()
    throw error
  }
}

/** How long a worker may take to send its metrics. Its last snapshot is used if it takes longer. */
const snapshotMs = 1_000

interface WorkerMetrics {
  watch(worker: WorkerProcess): void
  /** The metrics of all workers together. */
  text(): Promise<MetricsText>
}

const openWorkerMetrics = async (): Promise<WorkerMetrics> => {
  const aggregate = await createAggregateMetrics()
  const readyWorkers = new Set<WorkerProcess>()

  const requestSnapshot = (worker: WorkerProcess) => {
    const channel = worker.channel('metrics')
    return new Promise<void>((resolve) => {
      const stop = channel.onMessage(() => {
        stop()
        resolve()
      })
      void worker.exited.then(() => resolve())
      channel.send({ type: 'snapshot' })
    }).catch(() => undefined)
  }

  return {
    watch: (worker) => {
      worker.channel('metrics').onMessage((message) => {
        aggregate.update(worker, (message as { readonly snapshot: MetricsSnapshot }).snapshot)
      })
      worker.ready.then(
        () => readyWorkers.add(worker),
        () => undefined,
      )
      void worker.exited.then(() => {
        readyWorkers.delete(worker)
        aggregate.remove(worker)
      })
    },
    text: async () => {
      const inTime = new AbortController()
      await Promise.race([
        Promise.all([...readyWorkers].map(requestSnapshot)),
        wait(snapshotMs, undefined, { signal: inTime.signal }).catch(() => undefined),
      ])
      inTime.abort()
      return aggregate.text()
    },
  }
}
