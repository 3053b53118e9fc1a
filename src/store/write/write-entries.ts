import type { AuditActor, AuditDetails, AuditEntry } from '#audit'
import type { Merged } from './merge.ts'

/** The unit whose records a transaction stores, for the audit log. */
export interface WrittenUnit {
  /** Null if it has none. */
  readonly id: string | null
  readonly kind: string
  readonly source: string
  /** Its place in the source, such as the name of a file. */
  readonly position: string | null
  /** Whether it is recorded only if it changes something, because it is repeated all the time. */
  readonly isRepeated: boolean
}

/** A merge into a collection. */
export interface CollectionMerge {
  readonly collection: string
  readonly merged: Pick<Merged, 'added' | 'changed' | 'removed'>
}

/** The entries about the record of a brand, whatever changes it. */
export const brandEntries = (
  brand: string,
  merges: readonly CollectionMerge[],
  actor: AuditActor | undefined,
): readonly AuditEntry[] =>
  merges.flatMap(({ collection, merged: { added, changed, removed } }) => {
    if (collection !== brandCollection || added + changed + removed === 0) return []
    const action = added > 0 ? ('brand.added' as const) : ('brand.changed' as const)
    return [{ action, brand, ...(actor && { actor }) }]
  })

/** The entry of a transaction that stores records. None if it has no unit and changes none. */
export const writeEntries = (
  brand: string,
  merges: readonly CollectionMerge[],
  unit: WrittenUnit | null,
): readonly AuditEntry[] => {
  const counts = countChanges(merges)
  const changed = Object.keys(counts)
  const needsChange = unit === null || unit.isRepeated
  if (needsChange && changed.length === 0) return []
  // The entry of the brand says it all.
  if (unit === null && changed.every((each) => each === brandCollection)) return []
  const { id = null, kind = 'command', source = null, position = null } = unit ?? {}
  return [
    {
      action: 'unit.committed',
      brand,
      subject: id,
      details: { kind, ...(unit && { source, position }), collections: counts },
    },
  ]
}

/** The numbers of changed records by collection, without zeros. */
export const countChanges = (merges: readonly CollectionMerge[]): AuditDetails => {
  const counts: { [collection: string]: { added: number; changed: number; removed: number } } = {}
  for (const { collection, merged } of merges) {
    const sum = counts[collection] ?? { added: 0, changed: 0, removed: 0 }
    counts[collection] = {
      added: sum.added + merged.added,
      changed: sum.changed + merged.changed,
      removed: sum.removed + merged.removed,
    }
  }
  const someOf = (count: object) => Object.entries(count).filter(([, number]) => number > 0)
  return Object.fromEntries(
    Object.entries(counts)
      .map(([collection, count]) => [collection, Object.fromEntries(someOf(count))] as const)
      .filter(([, count]) => Object.keys(count).length > 0),
  )
}

/** The collection of the brands' own records. */
const brandCollection = 'brand'
