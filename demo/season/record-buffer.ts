import { catalog, type RecordAt, type ResourcePath, resourceAt } from '#contract'
import type { DemoRecord } from '../story.ts'

/** A record and its collection. */
export interface DemoItem {
  readonly path: ResourcePath
  readonly record: DemoRecord
}

type Omissible<R> = {
  readonly [N in keyof R]: null extends R[N] ? N : N extends 'updatedAt' ? N : never
}[keyof R]

/** A record without null fields, and without `updatedAt` if it never changed. */
type Draft<R> = Omit<R, Omissible<R>> & Partial<Pick<R, Omissible<R>>>

/** Adds a record. Its type follows from the collection. */
export type Put = <P extends ResourcePath>(path: P, record: Draft<RecordAt<P>>) => void

/** The records of one step of the season, kept only until they are yielded. */
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
      items.push({ path, record: completed(path, record as DemoRecord) })
    },
    clear: () => {
      items.length = 0
    },
  }
}

const completed = (path: ResourcePath, draft: DemoRecord): DemoRecord => {
  const record: { -readonly [N in keyof DemoRecord]: DemoRecord[N] } = {}
  for (const name of Object.keys(resourceAt(catalog, path).fields)) {
    const value = draft[name] ?? (name === 'updatedAt' ? draft['createdAt'] : null)
    record[name] = value ?? null
  }
  return record
}
