import type { AuditAction, AuditActor, AuditEntry } from '#audit'
import { countChanges } from '#store'
import type { BatchResult } from './batch.ts'
import type { QueuedBatch } from './batch-table.ts'
import type { Unit } from './unit.ts'

/** What happened to a unit. Its error is left out: it may have values of records. */
export const unitEntry = (
  action: AuditAction,
  { id, brand, kind, source, position, attempts }: Unit,
): AuditEntry => ({
  action,
  brand,
  subject: id,
  details: { kind, source, position, attempts },
})

/** The actor of batches that came with a key. */
export const keyActor = ({ keyId }: Pick<QueuedBatch, 'keyId'>): AuditActor => ({
  kind: 'key',
  name: keyId,
})

/**
 * The entries of batches that are committed together: one for each key and outcome, so that a sender
 * of many small batches does not fill the log. Dry runs have none.
 */
export const batchEntries = (
  brand: string,
  finished: readonly { readonly batch: QueuedBatch; readonly result: BatchResult }[],
): readonly AuditEntry[] => {
  const real = finished.filter(({ result }) => result.state !== 'checked')
  const groups = Map.groupBy(
    real.filter(({ batch }) => !batch.options.dryRun),
    ({ batch, result }) => `${result.state} ${batch.keyId}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const isRefused = first.result.state === 'refused'
    const merges = group.flatMap(({ result }) =>
      result.collections.map((merged) => ({ collection: merged.collection, merged })),
    )
    const problems = group.reduce((sum, { result }) => sum + result.problemCount, 0)
    return [
      {
        action: isRefused ? 'unit.refused' : 'unit.committed',
        brand,
        subject: first.batch.id,
        actor: keyActor(first.batch),
        details: {
          kind: 'batch',
          ...(group.length > 1 && { units: group.map(({ batch }) => batch.id) }),
          ...(isRefused ? { problems } : { collections: countChanges(merges) }),
        },
      },
    ] satisfies readonly AuditEntry[]
  })
}
