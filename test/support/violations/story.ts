import { catalog, resourceAt } from '#contract'
import { type DemoRecord, openStory } from '#demo'

export const story = await openStory()

/** A record of the story and the collection it is in. */
export interface StoryRecord {
  readonly path: string
  readonly record: DemoRecord
}

/** A change to the story: a record put in the place of another, beside the others, or taken out. */
export interface Change extends StoryRecord {
  readonly removed?: true
}

/** Records that break a rule, and the records that the check has to name for it. */
export interface Broken {
  readonly rule: string
  readonly changes: readonly Change[]
  readonly names: readonly StoryRecord[]
}

/** The first record of a collection that has these values. */
export const storyRecord = (path: string, values: DemoRecord = {}): StoryRecord => {
  const record = story.records[path]?.find((each) =>
    Object.entries(values).every(([name, value]) => each[name] === value),
  )
  if (!record) throw new RangeError(`The story has no such record in ${path}.`)
  return { path, record }
}

/** The record with other values. */
export const edit = ({ path, record }: StoryRecord, values: DemoRecord): Change => ({
  path,
  record: { ...record, ...values },
})

/** A second record like the first, under an identity of its own. */
export const copy = (from: StoryRecord, values: DemoRecord = {}, number = 1): Change => {
  const own = resourceAt(catalog, from.path).key.includes('id')
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return edit(from, { ...(own && { id }), ...values })
}

export const remove = (from: StoryRecord): Change => ({ ...from, removed: true })

export const breaks = (
  rule: string,
  changes: Change | readonly Change[],
  ...names: readonly StoryRecord[]
): Broken => ({ rule, changes: [changes].flat(), names })

export const id = ({ record }: StoryRecord): string => String(record['id'])

export const nobody = '99999999-9999-4999-8999-999999999999'
