import type { RecordAt, ResourcePath } from '#contract'
import type { DemoRecord } from '../story.ts'

/** A record and the collection it belongs to. */
export interface DemoItem {
  readonly path: ResourcePath
  readonly record: DemoRecord
}

/** Adds a record; its type follows from the collection. */
export type Put = <P extends ResourcePath>(path: P, record: RecordAt<P>) => void

/** The records of one step of the season, held only until they are yielded. */
export interface RecordBuffer {
  readonly items: readonly DemoItem[]
  readonly put: Put
  readonly clear: () => void
}

export const createRecordBuffer = (): RecordBuffer => {
  const items: DemoItem[] = []
  return {
    items,
    put: (path, record) => {
      items.push({ path, record: record as DemoRecord })
    },
    clear: () => {
      items.length = 0
    },
  }
}
