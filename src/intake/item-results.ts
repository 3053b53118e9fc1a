import { writeIdentity } from '#contract'
import type { ChangeCollector, RowProblem } from '#ingest'
import type { BatchResult } from './batch.ts'
import type { NamedItem } from './read-items.ts'

/** What became of an item. Items for one record have the same outcome. */
export interface ItemResult extends NamedItem {
  readonly outcome: 'added' | 'changed' | 'unchanged' | 'removed' | 'quarantined' | 'refused'
  readonly problems: readonly RowProblem[]
}

export interface ItemResults extends ChangeCollector {
  /** Notes that the row of a line waits in quarantine. */
  quarantine(line: number): void
  all(state: BatchResult['state'], problems: readonly RowProblem[]): readonly ItemResult[]
}

/** Collects what becomes of some items. */
export const createItemResults = (items: readonly NamedItem[]): ItemResults => {
  const recordOf = (collection: string | null, id: string | null) =>
    `${collection} ${id?.toLowerCase()}`
  const wanted = new Map(
    items.map((item) => [recordOf(item.collection, item.id), 'unchanged' as ItemResult['outcome']]),
  )
  const recordAt = new Map(items.map((item) => [item.line, recordOf(item.collection, item.id)]))
  const clear = () => {
    for (const record of wanted.keys()) wanted.set(record, 'unchanged')
  }
  return {
    add: ({ path }, { key, operation }) => {
      const record = recordOf(path, writeIdentity(key))
      if (wanted.has(record)) wanted.set(record, operation)
      return true
    },
    clear,
    quarantine: (line) => {
      const record = recordAt.get(line)
      if (record !== undefined) wanted.set(record, 'quarantined')
    },
    all: (state, problems) => {
      const byLine = Map.groupBy(problems, ({ line }) => line)
      return items.map((item) => ({
        ...item,
        outcome:
          state === 'refused'
            ? 'refused'
            : (wanted.get(recordOf(item.collection, item.id)) ?? 'unchanged'),
        problems: byLine.get(item.line) ?? [],
      }))
    },
  }
}
