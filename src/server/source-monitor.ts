import type { SourceSummary } from '#http'
import type { IntakeSource } from '#intake'
import type { SourceFigures } from '#observability'
import { createCachedRead } from './cached-read.ts'

/** The server's view of its record sources. */
export interface SourceMonitor {
  /** For metrics, which only operators read. */
  figures(): Promise<readonly SourceFigures[]>
  /** For everybody; null if there are no sources. */
  summary(): Promise<SourceSummary | null>
  /** Reads nothing afterwards: scrapes and probes get the last states. */
  close(): Promise<void>
}

export interface SourceMonitorParts {
  readonly read: () => Promise<readonly IntakeSource[]>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

export const createSourceMonitor = ({ read, now, onError }: SourceMonitorParts): SourceMonitor => {
  const { current, close } = createCachedRead<readonly IntakeSource[]>([], { read, now, onError })
  const lagOf = ({ behindSince }: IntakeSource): number =>
    behindSince === null ? 0 : Math.max(0, (now() - Date.parse(behindSince)) / 1_000)

  return {
    figures: async () =>
      (await current()).map((state) => ({
        brand: state.brand,
        source: state.name,
        kind: state.kind,
        lastSuccessSeconds:
          state.succeededAt === null ? null : Date.parse(state.succeededAt) / 1_000,
        lagSeconds: lagOf(state),
        waiting: state.waiting,
        quarantined: state.quarantined,
        quarantinedRows: state.quarantinedRows,
        processed: state.processed,
        failed: state.failed,
      })),
    summary: async () => {
      const all = await current()
      if (all.length === 0) return null
      return {
        total: all.length,
        failing: all.filter(({ state }) => state === 'failing').length,
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        quarantined: all.reduce((sum, { quarantined }) => sum + quarantined, 0),
        lagSeconds: Math.round(Math.max(...all.map(lagOf))),
      }
    },
    close,
  }
}
