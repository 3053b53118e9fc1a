import { setTimeout as wait } from 'node:timers/promises'
import {
  bindSocket,
  openSupervisor,
  type SharedSocket,
  type Supervisor,
  type WorkerProcess,
} from '#cluster'
import type { Config } from '#config'
import { processProgram } from '#installation'
import { createAggregateMetrics, type MetricsSnapshot, type MetricsText } from '#observability'
import { createMemoryLimiter, createSlots, serveLimiter, serveSlots } from '#rate-limit'
import {
  downloadSlotLimits,
  followWithChecks,
  logUnreachable,
  type MetricsServer,
  openMetricsServer,
  openServiceDatabase,
  openServiceLog,
  recordsLogOf,
  uncheckedRules,
  urlAt,
} from '#server'
import { startAdmin } from './admin-process.ts'
import { prepareRecords } from './prepare-records.ts'
import { engineOf, onFreePort, type ServeOptions, type Serving } from './single.ts'
import { createStandIn } from './stand-in.ts'

/** Serves with several worker processes. This process supervises them and serves no requests. */
export const serveWithWorkers = async (
  config: Config,
  { demo: wantsDemo }: ServeOptions,
): Promise<Serving> => {
  const { host, port, metricsPort, ingestPort, workers, standbyWorkers } = config
  const log = openServiceLog(config)
  const socket = wantsDemo
    ? await onFreePort(port, (each) => bindSocket(host, each))
    : await bindSocket(host, port)
  const ingestSocket = ingestPort === null ? null : await bindOrClose(host, ingestPort, socket)
  const standIn = createStandIn(socket)
  const ready = new Set<WorkerProcess>()
  let metricsServer: MetricsServer | null = null
  const supervisors: Supervisor[] = []
  try {
    const logOnce = logUnreachable(log)
    // Runs once, before the workers start.
    const demo = await prepareRecords(config, {
      demo: wantsDemo,
      isStart: true,
      log: recordsLogOf(log),
      onUnreachable: (error) => {
        logOnce(error)
        standIn.start()
      },
      onConverting: standIn.start,
    })
    const limiter = createMemoryLimiter({ now: () => performance.now() })
    const slots = createSlots(downloadSlotLimits(config), () => performance.now())
    const metrics = await openWorkerMetrics()
    if (metricsPort !== null) {
      metricsServer = await openMetricsServer(metrics, { host, port: metricsPort })
    }
    const supervisor = await openSupervisor({
      program: processProgram('cli/worker-main.ts'),
      workers,
      standby: standbyWorkers > 0,
      socket,
      log,
      onWorker: (worker) => {
        serveLimiter(limiter, worker.channel('rate-limit'))
        void worker.exited.then(serveSlots(slots, worker.channel('downloads')))
        // The stand-in starts only if no other worker is ready.
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
    supervisors.push(supervisor)
    if (ingestSocket) {
      supervisors.push(
        await openSupervisor({
          program: processProgram('cli/ingest-main.ts'),
          workers: 1,
          noun: 'ingest process',
          // Two ingest processes would store the same batches.
          isExclusive: true,
          socket: ingestSocket,
          log,
          onWorker: metrics.watch,
        }),
      )
    }
    const database = openServiceDatabase(config)
    const checks = followWithChecks({
      database,
      config,
      onError: (error) => log.warn({ error }, uncheckedRules),
    })
    const url = urlAt(host, socket.port)
    const admin = startAdmin(config, { log, url, isDemo: wantsDemo })
    return {
      url,
      metricsUrl: metricsServer?.url ?? null,
      ingestUrl: ingestSocket && urlAt(host, ingestSocket.port),
      workers,
      engine: engineOf(config),
      demo,
      admin,
      close: async () => {
        standIn.stop()
        void admin?.stop()
        await checks.close()
        await database.close()
        await Promise.all(supervisors.map((each) => each.stop()))
        metricsServer?.close()
        admin?.kill()
      },
      kill: () => {
        standIn.stop()
        admin?.kill()
        for (const each of supervisors) each.kill()
      },
      replace: () =>
        Promise.all([...supervisors.map((each) => each.replaceAll()), admin?.replace()]),
    }
  } catch (error) {
    standIn.stop()
    for (const each of supervisors) each.kill()
    metricsServer?.close()
    ingestSocket?.close()
    socket.close()
    throw error
  }
}

/** Binds another socket, and closes the first one on failure. */
const bindOrClose = async (
  host: string,
  port: number,
  first: SharedSocket,
): Promise<SharedSocket> => {
  try {
    return await bindSocket(host, port)
  } catch (error) {
    first.close()
    throw error
  }
}

/** Time limit for a worker's metrics. After that, its last snapshot is used. */
const snapshotMs = 1_000

interface WorkerMetrics {
  watch(worker: WorkerProcess): void
  /** The combined metrics of all workers. */
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
