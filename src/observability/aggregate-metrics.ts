import { Registry } from '@prometheus-io/client'
import type { MetricsSnapshot, MetricsText } from './metrics.ts'

/** The figures of several processes as if they were one. */
export interface FleetMetrics {
  /** Notes the newest figures of a process. */
  note(member: object, snapshot: MetricsSnapshot): void
  /** The process has ended. What it counted stays counted. */
  forget(member: object): void
  text(): Promise<MetricsText>
}

export const openFleetMetrics = (): FleetMetrics => {
  const newest = new Map<object, MetricsSnapshot>()
  let departed: MetricsSnapshot = []
  return {
    note: (member, snapshot) => {
      newest.set(member, snapshot)
    },
    forget: (member) => {
      // What was once shown of a counter stays in it, so that none ever goes down. What a gauge
      // showed of a process is gone with it.
      const counted = (newest.get(member) ?? []).filter(({ type }) => isCounted(type))
      departed = together([departed, counted]).getMetricsAsArray() as unknown as MetricsSnapshot
      newest.delete(member)
    },
    text: async () => {
      const registry = together([departed, ...newest.values()])
      return { body: await registry.metrics(), contentType: registry.contentType }
    },
  }
}

const isCounted = (type: string): boolean => type === 'counter' || type === 'histogram'

const together = (snapshots: readonly MetricsSnapshot[]): Registry =>
  Registry.aggregate([...snapshots])
