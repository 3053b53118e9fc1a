import type { Catalog } from '#contract'
import type { Database, Dialect, Row } from '#database'
import { compileBrandState, parseBrandState } from '../read/brand-state.ts'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import { ownerNumber } from '../schema/owners.ts'

/** A stored record that violates a rule. */
export interface FoundRecord {
  readonly group: string
  /** The parts of its identity, joined by colons. */
  readonly id: string
  readonly title: string | null
  readonly detail: string
}

/** The result of the last check of a rule. */
export interface StoredFinding {
  readonly rule: string
  /** The collections that were read, and their versions. */
  readonly reads: readonly string[]
  readonly version: string
  /** The day used as today; null if the rule does not depend on it. */
  readonly day: string | null
  readonly checkedAt: string
  readonly count: number
  /** The first of the records. */
  readonly records: readonly FoundRecord[]
}

/** The violations of each rule once all rules were checked; omits rules without any. */
export interface StoredCheck {
  readonly checkedAt: string
  readonly counts: { readonly [rule: string]: number }
}

/** The stored check results of a brand. */
export interface StoredQuality {
  /** One for each rule that was ever checked. */
  readonly findings: readonly StoredFinding[]
  /** The last checks, oldest first. */
  readonly checks: readonly StoredCheck[]
  /** Changes whenever a record of one of these collections changes. */
  versionOf(collections: readonly string[]): string
}

/** The results of checks, which `check` writes and the query API reads. */
export interface CheckResults {
  read(brand: string): Promise<StoredQuality>
  /**
   * Stores the findings of a check. Findings of other rules stay. If every rule has one, the check
   * is complete, and its counts are added to the last checks.
   */
  store(brand: string, findings: readonly StoredFinding[], isComplete: boolean): Promise<void>
}

/** Older checks are deleted. */
const checksMax = 100

const findingsTable = 'selvedge_findings'
export const checksTable = 'selvedge_checks'

export const qualityTables = ({ text, integer, tableOptions }: Dialect): readonly StoreTable[] => [
  {
    name: findingsTable,
    rows: 'owner',
    ddl: `create table "${findingsTable}" (
  "owner" ${integer} not null,
  "rule" ${text} not null,
  "reads" text not null,
  "version" text not null,
  "day" ${text},
  "checked_at" ${text} not null,
  "count" ${integer} not null,
  "records" text not null,
  primary key ("owner", "rule")
)${tableOptions}`,
  },
  {
    name: checksTable,
    rows: 'owner',
    ddl: `create table "${checksTable}" (
  "owner" ${integer} not null,
  "number" ${integer} not null,
  "checked_at" ${text} not null,
  "counts" text not null,
  primary key ("owner", "number")
)${tableOptions}`,
  },
]

export const createCheckResults = (catalog: Catalog, database: Database): CheckResults => {
  const { dialect } = database
  const integer = (mark: string) => asInteger(mark, dialect)
  return {
    read: async (brand) => {
      const owner = ownerNumber(brand)
      const [findings = [], checks = [], ...state] = await database.read(
        [
          { text: findingsQuery, values: [owner] },
          { text: checksQuery, values: [owner] },
          ...compileBrandState(brand),
        ],
        owner,
      )
      const { versionOf } = parseBrandState(catalog, brand, state)
      return { findings: findings.map(parseFinding), checks: checks.map(parseCheck), versionOf }
    },
    // Does not take the lock of the brand's records: a check must not wait for an import or delay
    // one.
    store: (brand, findings, isComplete) =>
      database.write(async (session) => {
        const owner = ownerNumber(brand)
        // Sorted, so that concurrent checks do not deadlock.
        const ordered = findings.toSorted((one, other) => (one.rule < other.rule ? -1 : 1))
        for (const { rule, reads, version, day, checkedAt, count, records } of ordered) {
          await session.run({
            text: [
              `insert into "${findingsTable}"`,
              '("owner", "rule", "version", "day", "checked_at", "count", "records", "reads")',
              `values (${integer('?1')}, ?2, ?3, ?4, ?5, ${integer('?6')}, ?7, ?8)`,
              'on conflict ("owner", "rule") do update',
              'set "reads" = excluded."reads", "version" = excluded."version", "day" = excluded."day",',
              '"checked_at" = excluded."checked_at", "count" = excluded."count",',
              '"records" = excluded."records"',
            ].join('\n'),
            values: [
              ...[owner, rule, version, day, checkedAt, count],
              ...[JSON.stringify(records), JSON.stringify(reads)],
            ],
          })
        }
        const last = findings
          .map(({ checkedAt }) => checkedAt)
          .sort()
          .at(-1)
        if (last === undefined || !isComplete) return
        const stored = (await session.all({ text: findingsQuery, values: [owner] })).map(
          parseFinding,
        )
        const counts = stored.filter(({ count }) => count > 0)
        await session.run({
          text: [
            `insert into "${checksTable}" ("owner", "number", "checked_at", "counts")`,
            `select ${integer('?1')}, coalesce(max("number"), 0) + 1, ?2, ?3`,
            `from "${checksTable}"`,
            `where "owner" = ${integer('?1')}`,
            'on conflict do nothing',
          ].join('\n'),
          values: [
            owner,
            last,
            JSON.stringify(Object.fromEntries(counts.map(({ rule, count }) => [rule, count]))),
          ],
        })
        await session.run({
          text: [
            `delete from "${checksTable}"`,
            `where "owner" = ${integer('?1')} and "number" <= (`,
            `select max("number") - ${checksMax}`,
            `from "${checksTable}"`,
            `where "owner" = ${integer('?1')})`,
          ].join('\n'),
          values: [owner],
        })
      }, 'states'),
  }
}

const findingsQuery = [
  'select "rule", "reads", "version", "day", "checked_at", "count", "records"',
  `from "${findingsTable}"`,
  'where "owner" = ?1',
  'order by "rule"',
].join('\n')

const checksQuery = [
  'select "checked_at", "counts"',
  `from "${checksTable}"`,
  'where "owner" = ?1',
  'order by "number"',
].join('\n')

const parseFinding = (row: Row): StoredFinding => {
  const [rule, reads, version, day, checkedAt, count, records] = row
  return {
    rule: String(rule),
    reads: JSON.parse(String(reads)),
    version: String(version),
    day: day === null ? null : String(day),
    checkedAt: String(checkedAt),
    count: Number(count),
    records: JSON.parse(String(records)),
  }
}

const parseCheck = ([checkedAt, counts]: Row): StoredCheck => ({
  checkedAt: String(checkedAt),
  counts: JSON.parse(String(counts)),
})
