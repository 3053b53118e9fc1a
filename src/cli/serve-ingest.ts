import { loadIngestService } from '#server'
import { runSupervised } from './supervised-service.ts'

/** Runs in the ingest process: receives records on the supervisor's socket. */
export const serveIngest = (): Promise<void> =>
  runSupervised({
    titles: ['selvedge ingest', 'selvedge ingest'],
    prepare: async (config, { log, supervised: { descriptor }, onUnreachable }) => {
      const prepareIngest = await loadIngestService()
      // The supervisor starts another process.
      const onFailure = (error: Error) => {
        log.fatal({ error }, 'Batches cannot be accepted any more.')
        process.exit(1)
      }
      return prepareIngest(config, { log, descriptor, onUnreachable, onFailure })
    },
  })
