import type { Resource } from '#contract'
import type { Key, Writer } from '#store'
import { cutValue, type Report } from './report.ts'
import type { Source } from './source.ts'

/** Records that a source has deleted and that stored records refer to: identifiers by collection. */
export type Referenced = ReadonlyMap<string, ReadonlySet<string>>

/** Ends an import whose removals would leave references to nothing. It is repeated without them. */
export class ReferencedError extends Error {
  readonly referenced: Referenced

  constructor(referenced: Referenced) {
    super('stored records refer to records that the import removes')
    this.referenced = referenced
  }
}

/** A record that stays keeps those that it refers to; each repetition finds a level of them. */
export const repetitionsMax = 20

/** Throws `ReferencedError` if stored records refer to records that the transaction has removed. */
export const requireUnreferenced = async (writer: Writer, before: Referenced): Promise<void> => {
  const referenced = new Map([...before].map(([path, ids]) => [path, new Set(ids)]))
  let isComplete = true
  for await (const { to, ids: more } of writer.referenced()) {
    const ids = referenced.get(to) ?? new Set<string>()
    referenced.set(to, ids)
    for (const id of more) ids.add(id)
    isComplete = false
  }
  if (!isComplete) throw new ReferencedError(referenced)
}

/** The removals that can be made. Warns of the others. */
export const withoutReferenced = (
  removals: readonly Key[],
  ids: ReadonlySet<string> | undefined,
  { path }: Resource,
  { name }: Source,
  report: Report,
): readonly Key[] => {
  if (!ids) return removals
  return removals.filter(([id = '', ...more]) => {
    if (more.length > 0 || !ids.has(id)) return true
    const reason = `is deleted in the source, but stored records refer to this record of ${path}: it stays until they do not`
    const place = { file: name, line: 0, field: '', value: cutValue(id) }
    report.add({ ...place, reason, severity: 'warning' })
    return false
  })
}
