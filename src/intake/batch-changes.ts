import { fieldChanges, type JsonValue, type Resource, valueAt, writeIdentity } from '#contract'
import { type ChangeCollector, cutValue, type Source } from '#ingest'
import type { MergeChange } from '#store'
import type { SentFields } from './sent-fields.ts'

/**
 * What a dry run would do to a record, as the sender may see it. An ingest key cannot read records:
 * it learns which fields differ, and no values but those that it has sent.
 */
export interface BatchChange {
  readonly operation: MergeChange['operation']
  readonly collection: string
  readonly id: string
  /** The line of the body; null if the record is removed, or waited for one of the batch. */
  readonly line: number | null
  /** The natural name of the record; null if the sender has not sent it. */
  readonly title: string | null
  /** The fields of a changed record that differ. */
  readonly fields: readonly { readonly field: string; readonly after?: JsonValue }[]
}

/** How many changes of a dry run are kept. */
const changesMax = 100
/** A longer value is shortened. */
const valueCharactersMax = 100

export interface BatchChanges extends ChangeCollector {
  readonly first: readonly BatchChange[]
}

/** Collects the changes in the collections that a key may write; null for all. */
export const createBatchChanges = (
  sources: readonly Source[],
  sent: SentFields,
  collections: readonly string[] | null | undefined,
): BatchChanges => {
  const first: BatchChange[] = []
  return {
    first,
    add: (resource, change) => {
      if (collections && !collections.includes(resource.path)) return false
      if (first.length === changesMax) return false
      const own = sources.filter((source) => source.resource.path === resource.path)
      first.push(batchChange(resource, change, own[change.place?.source ?? -1], sent))
      return true
    },
    clear: () => void first.splice(0),
  }
}

const batchChange = (
  resource: Resource,
  { operation, key, place, before, after }: MergeChange,
  source: Source | undefined,
  sent: SentFields,
): BatchChange => {
  const fields =
    before !== null && after !== null ? fieldChanges(resource.fields, before, after) : []
  /** The other fields of a merged record are the stored ones. */
  const sentValue = (field: string, value: JsonValue): JsonValue | undefined => {
    if (!source || !place) return undefined
    return source.merges ? sent.valueAt(place.line, field) : value
  }
  return {
    operation,
    collection: resource.path,
    id: writeIdentity(key),
    line: source && place ? place.line : null,
    title: source && !source.merges ? titleOf(resource, after) : null,
    fields: fields.map(({ field, after }) => {
      const value = sentValue(field, after)
      return { field, ...(value !== undefined && { after: shortened(value) }) }
    }),
  }
}

const titleOf = ({ title }: Resource, body: string | null): string | null => {
  const value = title === undefined || body === null ? null : valueAt(JSON.parse(body), title)
  return value === null ? null : cutValue(value)
}

const shortened = (value: JsonValue): JsonValue =>
  JSON.stringify(value).length > valueCharactersMax ? cutValue(value) : value
