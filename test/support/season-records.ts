/** The records of a season, to look up and to add up. */
import assert from 'node:assert/strict'
import type { JsonValue } from '#contract'
import { type DemoItem, type DemoRecord, openStory } from '#demo'

export const story = await openStory()
export const asOf = '2026-06-01T09:00:00.000Z'
export const today = '2026-06-01'

/** A season by collection, with its records by identity. */
export class SeasonRecords {
  readonly items: readonly DemoItem[]
  readonly #byPath: ReadonlyMap<string, readonly DemoRecord[]>
  readonly #byId = new Map<string, ReadonlyMap<JsonValue, DemoRecord>>()
  readonly #groups = new Map<string, ReadonlyMap<JsonValue, readonly DemoRecord[]>>()

  constructor(items: readonly DemoItem[]) {
    this.items = items
    const grouped = Map.groupBy(items, ({ path }) => path as string)
    this.#byPath = new Map([...grouped].map(([path, each]) => [path, each.map((i) => i.record)]))
  }

  all(path: string): readonly DemoRecord[] {
    return this.#byPath.get(path) ?? story.shared[path] ?? []
  }

  get(path: string, id: JsonValue | undefined): DemoRecord {
    const index = this.#byId.get(path) ?? new Map(this.all(path).map((r) => [r['id'] ?? null, r]))
    this.#byId.set(path, index)
    const record = index.get(id ?? null)
    assert.ok(record, `${path} has no ${id}`)
    return record
  }

  /** The records of a collection whose field has a value. */
  of(path: string, field: string, value: JsonValue | undefined): readonly DemoRecord[] {
    const name = `${path}.${field}`
    const index = this.#groups.get(name) ?? Map.groupBy(this.all(path), (r) => r[field] ?? null)
    this.#groups.set(name, index)
    return index.get(value ?? null) ?? []
  }
}

/** Every amount as a whole number of millionths, or of units with more places, exactly. */
export const exact = (amount: JsonValue | undefined, places = 6): bigint => {
  if (amount === null || amount === undefined) return 0n
  const [whole = '', fraction = ''] = String(amount).replace('-', '').split('.')
  const size = BigInt(whole + fraction.padEnd(places, '0'))
  return String(amount).startsWith('-') ? -size : size
}
export const one = 1_000_000n
export const total = (records: readonly DemoRecord[], field: string): bigint =>
  records.reduce((sum, record) => sum + exact(record[field]), 0n)
export const count = (records: readonly DemoRecord[], field: string): number =>
  records.reduce((sum, record) => sum + Number(record[field] ?? 0), 0)
export const sorted = (values: readonly unknown[]) => values.map(String).sort()
