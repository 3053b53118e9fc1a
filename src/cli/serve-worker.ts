import { superviseWorker } from '#cluster'
import { channelQuota } from '#rate-limit'
import { type OnAway, openServiceLog, prepareService, readServiceConfig, sayAway } from '#server'

/** What each of several workers runs: the service on the supervisor's socket. */
export const work = async (): Promise<void> => {
  const supervised = superviseWorker({
    exit: (code) => process.exit(code),
    onError: (error) => console.error(error),
  })
  try {
    const config = readServiceConfig()
    const log = openServiceLog(config)
    const machineQuota = channelQuota(supervised.channel('quota'))
    // Whoever waits for the supervisor to count should not do so any longer.
    process.once('disconnect', () => void machineQuota.close())
    const say = sayAway(log)
    const onAway: OnAway = (error) => {
      say(error)
      supervised.waiting()
    }
    // Figures go to the supervisor, who shows those of all workers on one port.
    const service = await prepareService(
      { ...config, metricsPort: null },
      { log, descriptor: supervised.descriptor, machineQuota, onAway },
    )
    const figures = supervised.channel('metrics')
    const showFigures = async () => {
      const snapshot = await service.metrics.snapshot()
      if (process.connected) figures.send({ snapshot })
    }
    figures.onMessage(() => void showFigures())
    process.title = 'selvedge spare'
    await supervised.prepared(async () => {
      await service.close()
      await showFigures()
    })
    await service.listen()
    process.title = 'selvedge worker'
    supervised.ready()
  } catch (error) {
    // Late, because it knows every part of the program and is seldom needed.
    const { reasonOf } = await import('./reason.ts')
    await supervised.refuse(reasonOf(error))
  }
}
