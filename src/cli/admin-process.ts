import { setTimeout as wait } from 'node:timers/promises'
import { openCompanion, type WorkerProcess } from '#cluster'
import type { Config } from '#config'
import { processProgram } from '#installation'
import type { Log } from '#observability'
import { systemUser } from '#server'
import { identity } from './identity.ts'

/** What the process is started with. */
export interface AdminStart {
  readonly port: number
  /** Whether to try the next ports if it is in use. */
  readonly triesNext: boolean
  readonly apiUrl: string
}

/** What the process says: once it listens, and with each link that it was asked for. */
export interface AdminMessage {
  readonly url: string
  readonly link: string | null
}

export const adminChannel = 'admin'

/** The page takes the token from the fragment, which no server or proxy sees. */
export const linkAt = (url: string, token: string): string => `${url}/#token=${token}`

/** The process of the operator page, seen from `serve`. */
export interface AdminProcess {
  /**
   * Resolves with the address of the page, and in the demo with a link that signs in; null if the
   * process does not listen soon.
   */
  listening(): Promise<AdminMessage | null>
  replace(): Promise<void>
  stop(): Promise<void>
  kill(): void
}

export interface AdminProcessParts {
  readonly log: Log
  /** The address that the API listens on. */
  readonly url: string
  readonly isDemo: boolean
}

/** The port of the page in the demo, unless it is in use. Another demo tries the next one for both. */
export const demoPortOf = (apiPort: number): number => (apiPort === 0 ? 0 : apiPort + 20)

/** The banner does not wait longer. */
const bannerMs = 10_000

/** Starts the operator page; null if it is off. */
export const startAdmin = (
  config: Config,
  { log, url, isDemo }: AdminProcessParts,
): AdminProcess | null => {
  const { adminPort, publicUrl } = config
  if (adminPort === null && !isDemo) return null
  const start: AdminStart = {
    port: adminPort ?? demoPortOf(config.port && Number(new URL(url).port)),
    triesNext: isDemo,
    apiUrl: publicUrl ?? url,
  }
  const listening = Promise.withResolvers<AdminMessage>()
  let isListening = false
  const onProcess = (worker: WorkerProcess) => {
    const channel = worker.channel(adminChannel)
    channel.onMessage((message) => {
      const said = message as AdminMessage
      if (isDemo && said.link === null && !isListening) {
        channel.send({ operator: identity().operator ?? config.operator ?? systemUser() })
        return
      }
      isListening = true
      listening.resolve(said)
    })
  }
  const program = processProgram('cli/admin-main.ts')
  const noun = 'process of the operator page'
  const companion = openCompanion({ program, args: [JSON.stringify(start)], noun, log, onProcess })
  return {
    ...companion,
    listening: async () => {
      const inTime = new AbortController()
      const late = wait(bannerMs, null, { signal: inTime.signal }).catch(() => null)
      const said = await Promise.race([listening.promise, late])
      inTime.abort()
      return said
    },
  }
}
