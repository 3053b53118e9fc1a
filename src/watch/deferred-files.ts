import type { FileSubject } from './file-order.ts'

/**
 * Files that were refused, and stay in `working` until others of their set are imported. A whole
 * table cannot remove a record while those of another table, in a file that comes after it, refer
 * to the record.
 */
export interface DeferredFiles {
  /** The files of its set that a file can be deferred after: none if one of them replaces its records. */
  afterWhich(name: string, inSet: readonly string[]): ReadonlySet<string>
  readonly isEmpty: boolean
  defer(name: string, after: ReadonlySet<string>): void
  /** Whether a file is to wait while these others are there. */
  waits(name: string, others: ReadonlySet<string>): boolean
  /** Whether another file waits for this one. */
  isAwaited(name: string): boolean
  forget(name: string): void
}

export const createDeferredFiles = (subjectOf: (name: string) => FileSubject): DeferredFiles => {
  const deferred = new Map<string, ReadonlySet<string>>()
  return {
    afterWhich: (name, inSet) => {
      const others = inSet.filter((other) => other !== name)
      const { collections } = subjectOf(name)
      const isReplaced = others.some((other) =>
        subjectOf(other).collections.some((each) => collections.includes(each)),
      )
      if (isReplaced || deferred.has(name)) return new Set()
      // Two files never wait for each other.
      return new Set(others.filter((other) => !deferred.has(other)))
    },
    get isEmpty() {
      return deferred.size === 0
    },
    defer: (name, after) => {
      deferred.set(name, after)
    },
    waits: (name, others) => !(deferred.get(name)?.isDisjointFrom(others) ?? true),
    isAwaited: (name) => [...deferred.values()].some((after) => after.has(name)),
    forget: (name) => {
      deferred.delete(name)
    },
  }
}
