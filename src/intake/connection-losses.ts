import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '#concurrency'
import type { Database, Query } from '#database'
import { backoffMs } from './unit.ts'

/** Tells units that end their connection from an engine that loses connections. */
export interface ConnectionLosses {
  /**
   * Adds a loss during an attempt at a unit alone, and then watches the engine without it. Resolves
   * after a pause, or as soon as the engine loses a connection again: then the unit is not the cause.
   */
  add(unit: number): Promise<void>
  /** Whether the unit has lost a connection and the engine none without it. */
  has(unit: number): boolean
  /** How many connections the unit has ended; null if it is not taken for the cause. */
  endedBy(unit: number): number | null
  forget(unit: number): void
}

/** After this many losses in a row, the unit is the cause. */
const lossesMax = 5
/**
 * The engine is watched for this many times the time since the last loss. One that loses connections
 * at regular intervals does so in this time.
 */
const watchFactor = 1.5
const watchMsMax = 60_000
const pingMs = 250
/** An engine that does not answer for this time has lost the connection. */
const silenceMs = 10_000
const ping: Query = { text: 'select 1', values: [] }

export const createConnectionLosses = (
  database: Database,
  signal: AbortSignal,
): ConnectionLosses => {
  const losses = new Map<number, { readonly count: number; readonly at: number }>()

  const keepsConnection = async (forMs: number): Promise<boolean> => {
    const end = performance.now() + forMs
    try {
      await withTimeout(
        forMs + silenceMs,
        database.snapshot(async (all) => {
          for (;;) {
            await all(ping)
            const leftMs = end - performance.now()
            if (leftMs <= 0) return
            await wait(Math.min(pingMs, leftMs), undefined, { signal })
          }
        }),
      )
      return true
    } catch {
      return false
    }
  }

  return {
    add: async (unit) => {
      const at = performance.now()
      const before = losses.get(unit)
      const count = (before?.count ?? 0) + 1
      const sinceMs = before ? at - before.at : 0
      losses.set(unit, { count, at })
      const forMs = Math.max(backoffMs(count, 'unavailable'), watchFactor * sinceMs)
      if (!(await keepsConnection(Math.min(forMs, watchMsMax)))) losses.delete(unit)
    },
    has: (unit) => losses.has(unit),
    endedBy: (unit) => {
      const { count = 0 } = losses.get(unit) ?? {}
      return count >= lossesMax ? count : null
    },
    forget: (unit) => {
      losses.delete(unit)
    },
  }
}
