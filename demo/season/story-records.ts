import { catalog, importOrder, type ResourcePath, resourceAt } from '#contract'
import { installedFileSync } from '#installation'
import type { DemoRecord } from '../story.ts'
import type { DemoItem } from './record-buffer.ts'

/** The records of the story, the core of a season. */
export interface StoryRecords {
  /** The story's records for the brand, in import order. */
  readonly items: readonly DemoItem[]
  /** The id of a story record or a shared record, by the value of a field. */
  readonly idOf: (path: ResourcePath, field: string, value: string) => string
}

/**
 * The story for a brand. Its identities do not depend on the slug: records are looked up by brand
 * and identity, and no record refers to another brand, so two brands can hold the same story. Read
 * synchronously, because a season is generated synchronously.
 */
export const readStoryRecords = (brand: string): StoryRecords => {
  const paths = importOrder(catalog).flat() as ResourcePath[]
  const records = new Map(paths.map((path) => [path, readRecords(path)]))
  return {
    items: paths
      .filter((path) => resourceAt(catalog, path).scope === 'brand')
      .flatMap((path) =>
        (records.get(path) ?? []).map((record) => ({
          path,
          record: path === 'brand' ? brandRecord(record, brand) : record,
        })),
      ),
    idOf: (path, field, value) => {
      const match = records.get(path)?.find((record) => record[field] === value)
      if (!match) throw new RangeError(`The story has no ${path} whose ${field} is ${value}.`)
      return String(match['id'])
    },
  }
}

const readRecords = (path: string): readonly DemoRecord[] =>
  JSON.parse(String(installedFileSync(`demo/records/${path}.json`)))

const brandRecord = (record: DemoRecord, slug: string): DemoRecord => {
  if (record['slug'] === slug) return record
  const name = slug
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
  return {
    ...record,
    slug,
    name,
    legalName: `${name} Goods Inc.`,
    website: `https://${slug}.example`,
  }
}

/** The people of the story, who also appear in the rest of the season. */
export const people = {
  buyer: 'f94d1558-45b4-482a-8448-aea2bc0927b7',
  developer: '2f7d4eb0-90dd-4874-8607-9890eff3b49a',
  logistics: 'ef3265b2-7227-4916-88e8-7aa5b9fa6a86',
  warehouse: 'c6502ca7-046d-47b1-8c42-bdfb916b5b0a',
  accounts: '2e28bb6d-d65c-4b6c-8ac3-e71003b91fa4',
  treasurer: '5b81105e-1d26-4884-8009-55c919943bbd',
} as const
