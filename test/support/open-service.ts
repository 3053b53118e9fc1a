import type { Config } from '#config'
import {
  openServiceLog,
  openWaiting,
  prepareService,
  type Service,
  type ServiceOptions,
} from '#server'

/** Opens a server in this process. While its database is away, it responds with just that. */
export const openService = async (
  config: Config,
  options: ServiceOptions = {},
): Promise<Service> => {
  const { log = openServiceLog(config) } = options
  const waiting = openWaiting({ config, log })
  try {
    const prepared = await prepareService(config, { ...options, log, onAway: waiting.away })
    return await prepared.listen(await waiting.close())
  } finally {
    await waiting.close()
  }
}
