import { catalog, uniqueKeysOf } from '#contract'
import { type Broken, breaks, copy, edit, type StoryRecord, story } from './story.ts'

/** A record of the story for each unique key, and a second one with the same values. */
export const brokenKeys: readonly Broken[] = catalog.resources
  .flatMap(uniqueKeysOf)
  .map(({ name, collection, fields }) => {
    const [record = {}] = story.records[collection] ?? story.shared[collection] ?? []
    // A key of a single field counts only if it has a value.
    const [field = ''] = fields
    const values = fields.length === 1 ? { [field]: record[field] ?? 'twice' } : {}
    const first: StoryRecord = edit({ path: collection, record }, values)
    // The copy has the lower identity, so that it counts as the first.
    return breaks(name, [first, copy(first)], first)
  })
