import { fieldChanges, type JsonValue, valueAt, writeIdentity } from '#contract'
import type { MergeChange } from '#store'
import type { ChangeCollector } from './record-changes.ts'
import { cutValue } from './report.ts'

/** What a unit did to a record, as it is kept with the unit. */
export interface KeptChange {
  readonly operation: MergeChange['operation']
  readonly collection: string
  readonly id: string
  /** The natural name of the record; null if it has none. */
  readonly title: string | null
  /** The fields of a changed record that differ. */
  readonly fields: readonly {
    readonly field: string
    readonly before?: JsonValue
    readonly after?: JsonValue
  }[]
}

/** How many changes are kept, and how long their JSON is. The unit has the counts of all. */
const [changesMax, charactersMax] = [100, 50_000]
/** A longer value is shortened. */
const valueCharactersMax = 100

interface KeptChanges extends ChangeCollector {
  readonly first: readonly KeptChange[]
}

/** Keeps the first changes of a unit. */
export const keepChanges = (): KeptChanges => {
  const first: KeptChange[] = []
  let characters = 0
  return {
    first,
    // Records that are loaded into an empty table are all new, and are not read again to be listed.
    isPartial: true,
    add: (resource, { operation, key, before, after }) => {
      if (first.length === changesMax || characters > charactersMax) return false
      const fields =
        before !== null && after !== null ? fieldChanges(resource.fields, before, after) : []
      const text = after ?? before
      const title =
        resource.title === undefined || text === null
          ? null
          : valueAt(JSON.parse(text), resource.title)
      const change: KeptChange = {
        ...{ operation, collection: resource.path, id: writeIdentity(key) },
        title: title === null ? null : cutValue(title),
        fields: fields.map((each) => ({
          ...{ field: each.field, before: shortened(each.before), after: shortened(each.after) },
        })),
      }
      first.push(change)
      characters += JSON.stringify(change).length
      return true
    },
    clear: () => {
      first.splice(0)
      characters = 0
    },
  }
}

const shortened = (value: JsonValue): JsonValue =>
  JSON.stringify(value).length > valueCharactersMax ? cutValue(value) : value
