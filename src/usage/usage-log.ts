import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#database'
import {
  type FeedReader,
  type FeedReaderRequest,
  feedReadersTable,
  parseReader,
  readersQuery,
} from './feed-readers.ts'
import { groupOfOperation } from './operation-group.ts'
import { deletedMax, deleteSomeQuery, hasUsageTables, readUsage, rowsQuery } from './table.ts'
import { addUsage, allGroups, type Usage, type UsageSums } from './usage.ts'

/** The parts that usage can be grouped by. */
export const usageParts = ['key', 'brand', 'group', 'operation', 'day'] as const

export type UsagePart = (typeof usageParts)[number]

/** Usage, added up over everything but some parts. */
export interface UsageTotal extends UsageSums {
  /** The parts it was grouped by, in their order; empty for no key, brand or group. */
  readonly parts: readonly string[]
}

export interface UsageFilter {
  /** The first and the last day. */
  readonly since: string
  readonly until: string
  /** Only these; null for all. */
  readonly keyId?: string | null
  readonly brand?: string | null
}

/** What a key has used. */
export interface KeyUse {
  readonly brands: ReadonlySet<string>
  /** The groups that it read, by path, `include`, filters or tools. */
  readonly groups: ReadonlySet<string>
  /** Whether it also read across groups, such as the change feed and searches. */
  readonly hasReadAcross: boolean
  /** The last day on which it was used. */
  readonly lastDay: string
}

/** Reads and removes what was used. */
export interface UsageLog {
  /** Adds up usage by these parts, in the order of the parts. */
  totals(by: readonly UsagePart[], filter: UsageFilter): Promise<readonly UsageTotal[]>
  /** What each key has used since a day, by the id of the key. Refused requests do not count. */
  keyUses(since: string): Promise<ReadonlyMap<string, KeyUse>>
  /** The keys that read the change feed, by brand. */
  feedReaders(request: FeedReaderRequest): Promise<readonly FeedReader[]>
  /** Removes all usage of a brand; returns the number of rows. */
  removeBrand(brand: string): Promise<number>
  /** The number of rows of a brand. */
  countBrand(brand: string): Promise<number>
}

/** Rows that are added up in one turn of the event loop. */
const turnRows = 500

export const createUsageLog = (database: Database): UsageLog => {
  /** Days are read one by one, so that a year of usage needs little memory. */
  const readDays = async function* ({ since, until, keyId = null, brand = null }: UsageFilter) {
    if (!(await hasUsageTables(database))) return
    const own = [
      ...(keyId === null ? [] : [['key_id', keyId] as const]),
      ...(brand === null ? [] : [['brand', brand] as const]),
    ]
    const also = own.map(([name], index) => ` and "${name}" = ?${index + 3}`).join('')
    const values = own.map(([, value]) => value)
    const [days = []] = await database.read([
      {
        text: `select distinct "day"
          from "selvedge_usage"
          where "day" >= ?1 and "day" <= ?2${also}
          order by "day"`,
        values: [since, until, ...values],
      },
    ])
    for (const [day] of days) {
      const where = `"day" >= ?1 and "day" <= ?2${also}`
      const [rows = []] = await database.read([
        rowsQuery({ where, values: [day as string, day as string, ...values] }),
      ])
      for (let from = 0; from < rows.length; from += turnRows) {
        // SQLite has read the rows at once, and the operator page answers meanwhile.
        await nextTurn()
        yield rows.slice(from, from + turnRows).map(readUsage)
      }
    }
  }

  return {
    totals: async (by, filter) => {
      const totals = new Map<string, UsageTotal>()
      for await (const rows of readDays(filter)) {
        for (const usage of rows) {
          const parts = by.map((part) => partOf[part](usage))
          const name = JSON.stringify(parts)
          const before = totals.get(name)
          totals.set(name, before ? addUsage(before, usage) : { ...sumsOf(usage), parts })
        }
      }
      return [...totals.values()].sort((one, other) => compareParts(one.parts, other.parts))
    },
    keyUses: async (since) => {
      const uses = new Map<string, MutableUse>()
      for await (const rows of readDays({ since, until: '9999-12-31' })) {
        for (const usage of rows) addUse(uses, usage)
      }
      return uses
    },
    feedReaders: async (request) => {
      if (!(await database.tables()).has(feedReadersTable)) return []
      const [rows = []] = await database.read([readersQuery(request)])
      return rows.map(parseReader)
    },
    removeBrand: async (brand) => {
      const tables = await database.tables()
      if (tables.has(feedReadersTable)) {
        await database.write((session) =>
          session.run({
            text: `delete from "${feedReadersTable}" where "brand" = ?1`,
            values: [brand],
          }),
        )
      }
      if (!(await hasUsageTables(database))) return 0
      let removed = 0
      for (;;) {
        const deleted = await database.write(async (session) => {
          await session.run({
            text: 'delete from "selvedge_usage_notices" where "brand" = ?1',
            values: [brand],
          })
          return session.run(deleteSomeQuery({ where: '"brand" = ?1', values: [brand] }))
        })
        removed += deleted
        if (deleted < deletedMax) return removed
      }
    },
    countBrand: async (brand) => {
      if (!(await hasUsageTables(database))) return 0
      const text = 'select count(*) from "selvedge_usage" where "brand" = ?1'
      const [[row] = []] = await database.read([{ text, values: [brand] }])
      return Number(row?.[0] ?? 0)
    },
  }
}

const partOf: Readonly<Record<UsagePart, (usage: Usage) => string>> = {
  key: ({ keyId }) => keyId,
  brand: ({ brand }) => brand,
  group: ({ operation }) => groupOfOperation(operation) ?? '',
  operation: ({ operation }) => operation,
  day: ({ day }) => day,
}

const sumsOf = ({ day: _, keyId: __, brand: ___, operation: ____, ...sums }: Usage): UsageSums =>
  sums

const compareParts = (one: readonly string[], other: readonly string[]): number => {
  for (const [index, part] of one.entries()) {
    const against = other[index] ?? ''
    if (part !== against) return part < against ? -1 : 1
  }
  return 0
}

interface MutableUse extends KeyUse {
  readonly brands: Set<string>
  readonly groups: Set<string>
  hasReadAcross: boolean
  lastDay: string
}

const addUse = (uses: Map<string, MutableUse>, usage: Usage): void => {
  const { keyId, brand, operation, day, requests, refusals } = usage
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0)
  if (keyId === '' || requests <= refused) return
  const use = uses.get(keyId) ?? {
    ...{ brands: new Set<string>(), groups: new Set<string>(), hasReadAcross: false, lastDay: day },
  }
  uses.set(keyId, use)
  if (brand !== '') use.brands.add(brand)
  const own = groupOfOperation(operation)
  for (const group of own === null ? usage.groups : [own, ...usage.groups]) {
    if (group === allGroups) use.hasReadAcross = true
    else use.groups.add(group)
  }
  if (day > use.lastDay) use.lastDay = day
}
