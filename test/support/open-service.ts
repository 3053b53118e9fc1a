import type { Config } from '#config'
import {
  createStartupListener,
  openServiceLog,
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
  const waiting = createStartupListener({ config, log })
  try {
    const prepared = await prepareService(config, {
      ...options,
      log,
      onUnreachable: waiting.onUnreachable,
    })
    return await prepared.listen(await waiting.close())
  } finally {
    await waiting.close()
  }
}
