import { setTimeout as wait } from 'node:timers/promises'
import { bindSocket, openSupervisor, type WorkerProcess } from '#cluster'
import type { Config } from '#config'
import { type MetricsSnapshot, type MetricsText, openFleetMetrics } from '#observability'
import { memoryQuota, serveQuota } from '#rate-limit'
import { type MetricsServer, openMetricsServer, openServiceLog, sayAway, urlAt } from '#server'
import { prepareRecords } from './demo.ts'
import { engineOf, onFreePort, type ServeOptions, type Serving } from './single.ts'
import { openStandIn } from './stand-in.ts'

/** Serves with several processes. This one watches over them and answers no requests itself. */
export const serveWithWorkers = async (
  config: Config,
  { demo: wantsDemo }: ServeOptions,
): Promise<Serving> => {
  const { host, port, metricsPort, workers, standbyWorkers } = config
  const log = openServiceLog(config)
  const socket = wantsDemo
    ? await onFreePort(port, (each) => bindSocket(host, each))
    : await bindSocket(host, port)
  const standIn = openStandIn(socket)
  const answering = new Set<WorkerProcess>()
  let metricsServer: MetricsServer | null = null
  try {
    const say = sayAway(log)
    // Done once, before there are workers who would all want to do it.
    const demo = await prepareRecords(config, {
      demo: wantsDemo,
      say: (sentence) => log.info(sentence),
      onAway: (error) => {
        say(error)
        standIn.start()
      },
    })
    const quota = memoryQuota({ now: () => performance.now() })
    const metrics = openWorkerMetrics()
    if (metricsPort !== null) {
      metricsServer = await openMetricsServer(metrics, { host, port: metricsPort })
    }
    const supervisor = await openSupervisor({
      program: new URL('./worker-main.ts', import.meta.url),
      workers,
      spare: standbyWorkers > 0,
      socket,
      log,
      onWorker: (worker) => {
        serveQuota(quota, worker.channel('quota'))
        // As long as another worker answers, clients are better off with that one.
        worker.onWaiting(() => answering.size === 0 && standIn.start())
        worker.ready.then(
          () => {
            answering.add(worker)
            standIn.stop()
          },
          () => undefined,
        )
        void worker.gone.then(() => answering.delete(worker))
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

/** How long a worker may take to show its figures. Its last ones are shown if it takes longer. */
const figuresMs = 1_000

interface WorkerMetrics {
  watch(worker: WorkerProcess): void
  /** The figures of all workers together. */
  text(): Promise<MetricsText>
}

const openWorkerMetrics = (): WorkerMetrics => {
  const fleet = openFleetMetrics()
  const askable = new Set<WorkerProcess>()

  const ask = (worker: WorkerProcess) => {
    const channel = worker.channel('metrics')
    return new Promise<void>((resolve) => {
      const stop = channel.onMessage(() => {
        stop()
        resolve()
      })
      void worker.gone.then(() => resolve())
      channel.send({ ask: 'figures' })
    }).catch(() => undefined)
  }

  return {
    watch: (worker) => {
      worker.channel('metrics').onMessage((message) => {
        fleet.note(worker, (message as { readonly snapshot: MetricsSnapshot }).snapshot)
      })
      worker.ready.then(
        () => askable.add(worker),
        () => undefined,
      )
      void worker.gone.then(() => {
        askable.delete(worker)
        fleet.forget(worker)
      })
    },
    text: async () => {
      const inTime = new AbortController()
      await Promise.race([
        Promise.all([...askable].map(ask)),
        wait(figuresMs, undefined, { signal: inTime.signal }).catch(() => undefined),
      ])
      inTime.abort()
      return fleet.text()
    },
  }
}
