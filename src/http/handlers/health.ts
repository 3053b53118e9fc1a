import { ApiError } from '#contract'
import type { Handler } from '../handler.ts'
import type { PlainResponse } from '../response.ts'

export interface ReadyParts {
  /** Throws if the server should get no requests. */
  readonly checkReady: () => Promise<void>
  /** Problems for an operator to fix although requests are served. */
  readonly warnings: () => readonly string[]
  /** The record sources; null if there are none. */
  readonly sources: () => Promise<SourceSummary | null>
  /** The last backup; null if there was none. */
  readonly backup: () => Promise<BackupSummary | null>
}

/** The last backup, without its place: everybody may read this. */
export interface BackupSummary {
  /** Age of the state that it has. */
  readonly ageSeconds: number
  /** The interval of its schedule; null if it was made by hand. */
  readonly everySeconds: number | null
  /** Whether the next one should have been made long ago. */
  readonly isLate: boolean
}

/** The state of the record sources, without their names: everybody may read this. */
export interface SourceSummary {
  readonly total: number
  readonly failing: number
  readonly waiting: number
  /** Units that failed too often and wait for an operator. */
  readonly quarantined: number
  /** The largest lag of all sources. */
  readonly lagSeconds: number
}

const statusResponse = (content: object): PlainResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  content: JSON.stringify(content),
})

export const healthResponse = statusResponse({ status: 'ok' })

/** Whether the process is alive. */
export const healthHandler: Handler = () => healthResponse

const lateBackup = 'The last backup is older than twice its interval.'

/**
 * Whether the server should get requests. A failing source does not matter: the server serves the
 * records it has.
 */
export const readyHandler =
  ({ checkReady, warnings, sources, backup }: ReadyParts): Handler =>
  async () => {
    try {
      await checkReady()
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('not_ready', ['The records cannot be reached.', ...warnings()].join(' '), {
        cause: error,
        retryAfterSeconds: 1,
      })
    }
    const summary = await sources()
    const last = await backup()
    const problems = [...warnings(), ...(last?.isLate ? [lateBackup] : [])]
    return statusResponse({
      status: 'ready',
      ...(problems.length > 0 && { warnings: problems }),
      ...(summary && { sources: summary }),
      ...(last && { backup: { ageSeconds: last.ageSeconds, everySeconds: last.everySeconds } }),
    })
  }
