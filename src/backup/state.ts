import { createHash } from 'node:crypto'
import { type CountedDatabase, type RecordCounts, readTotals } from '#store'
import type { BackedUpState } from './manifest.ts'

/** What a state of the records says of itself. */
export type DescribedState = Pick<
  BackedUpState,
  'installation' | 'schemaGeneration' | 'change' | 'feedPosition' | 'counts'
>

/** Describes a state for the manifest, by what is stored in it. */
export const describeState = async (records: CountedDatabase): Promise<DescribedState> => {
  const tables = await records.tables()
  const settings = tables.has('selvedge_settings')
    ? await records.all({
        text: `select "name", "value"
          from "selvedge_settings"
          where "name" in ('secret', 'change', 'schema generation')`,
        values: [],
      })
    : []
  const setting = new Map(settings.map(([name, value]) => [String(name), String(value)]))
  const [newest] = tables.has('selvedge_change_numbers')
    ? await records.all({ text: 'select max("change") from "selvedge_change_numbers"', values: [] })
    : []
  const position = newest?.[0] ?? null
  return {
    installation: installationOf(setting.get('secret') ?? ''),
    schemaGeneration: setting.get('schema generation') ?? null,
    change: Number(setting.get('change') ?? 0),
    feedPosition: position === null ? null : Number(position),
    counts: await readTotals(records),
  }
}

/** Identifies an installation, and says nothing about its secret. */
export const installationOf = (secret: string): string =>
  createHash('sha256').update(`backup ${secret}`).digest('hex').slice(0, 12)

/** The first difference between two numbers of records, as a sentence; undefined if there is none. */
export const countDifference = (
  expected: RecordCounts,
  actual: RecordCounts,
): string | undefined => {
  for (const owner of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [one = {}, other = {}] = [expected[owner], actual[owner]]
    for (const collection of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [wanted = 0, actualCount = 0] = [one[collection], other[collection]]
      if (wanted !== actualCount)
        return `${owner}/${collection} has ${actualCount} records, not ${wanted}`
    }
  }
  return undefined
}
