/** What one process uses of a database at the moment, for metrics. */
export interface UseFigures {
  readonly pools: readonly PoolFigures[]
  readonly heldSnapshots: HeldFigures
}

export interface PoolFigures {
  /** The server that its connections lead to; null if it serves all of them. */
  readonly host: string | null
  readonly pool: 'requests' | 'long' | 'writers' | 'commands'
  readonly size: number
  readonly inUse: number
  readonly waiting: number
}

/** The snapshots of long reads. */
export interface HeldFigures {
  readonly count: number
  /** 0 without one. */
  readonly oldestSeconds: number
  /** How many were ended early. */
  readonly ended: number
}

/** The figures of several registers as one. */
export const sumHeld = (all: readonly HeldFigures[]): HeldFigures => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  oldestSeconds: Math.max(0, ...all.map(({ oldestSeconds }) => oldestSeconds)),
  ended: all.reduce((sum, { ended }) => sum + ended, 0),
})
