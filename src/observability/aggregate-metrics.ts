import type { MetricsSnapshot, MetricsText } from './metrics.ts'

/** The summed metrics of several processes. */
export interface AggregateMetrics {
  /** Stores the latest snapshot of a process. */
  update(member: object, snapshot: MetricsSnapshot): void
  /** The process has exited. Its counters keep their values. */
  remove(member: object): void
  text(): Promise<MetricsText>
}

/** Loads the metrics library, which only servers need. */
export const createAggregateMetrics = async (): Promise<AggregateMetrics> => {
  const { Registry } = await import('@prometheus-io/client')
  const aggregate = (all: readonly MetricsSnapshot[]) => Registry.aggregate([...all])
  const snapshots = new Map<object, MetricsSnapshot>()
  let exited: MetricsSnapshot = []
  return {
    update: (member, snapshot) => {
      snapshots.set(member, snapshot)
    },
    remove: (member) => {
      // Counters must never decrease, so those of exited processes are kept. Gauges are dropped.
      const counted = (snapshots.get(member) ?? []).filter(isCounted)
      exited = aggregate([exited, counted]).getMetricsAsArray() as unknown as MetricsSnapshot
      snapshots.delete(member)
    },
    text: async () => {
      const registry = aggregate([exited, ...snapshots.values()])
      return { body: await registry.metrics(), contentType: registry.contentType }
    },
  }
}

/**
 * Whether the process counted it itself. Every process reads the same source figures, so they are
 * not summed.
 */
const isCounted = ({ type, aggregator }: MetricsSnapshot[number]): boolean =>
  (type === 'counter' || type === 'histogram') && aggregator !== 'max'
