import type { Checks } from '#contract'
import type { Database, Query } from '#database'
import { checksTable, type StoredCheck } from './quality/check-results.ts'
import type { BrandSummary } from './read/brands.ts'
import { allChecksOf, parseChecks } from './schema/brand-checks.ts'
import { ownerNumber, sharedNumber } from './schema/owners.ts'
import { type Freshness, parseFreshness } from './write/import-log.ts'
import { quarantineTable } from './write/quarantine-table.ts'

/** A brand with what is stored about it, for operators. */
export interface BrandOverview extends BrandSummary {
  readonly freshness: Freshness
  /** The last check of all rules; null if there was none. */
  readonly lastCheck: StoredCheck | null
  readonly quarantinedRows: number
}

/** Some brands, ordered by slug. */
export interface BrandOverviews {
  readonly brands: readonly BrandOverview[]
  /** Of all brands. */
  readonly total: number
  /** The records of all brands, and the shared ones. */
  readonly records: number
  /** The checks of shared records. */
  readonly sharedChecks: Checks
}

/** Reads what is stored about brands. Its cost depends on how many are read, not on their records. */
export const readBrandOverviews = async (
  database: Database,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<BrandOverviews> => {
  const { dialect } = database
  const name = dialect.jsonText('b."body"', ['name'])
  const [named = [], [[total, records] = []] = []] = await database.read([
    {
      text: [
        `select o."slug", ${name}`,
        'from "selvedge_owners" as o',
        'join "brand" as b on b."owner" = o."owner"',
        'where o."slug" > ?1',
        'order by o."slug"',
        `limit ${limit}`,
      ].join('\n'),
      values: [after],
    },
    {
      text: [
        'select (select count(*) from "brand"),',
        '(select coalesce(sum("total"), 0) from "selvedge_collections")',
      ].join('\n'),
      values: [],
    },
  ])
  const owners = [sharedNumber, ...named.map(([slug]) => ownerNumber(String(slug)))]
  const isNamed = `"owner" in (select cast(i."value" as ${dialect.integer}) from ${dialect.textsIn('?1', 'i')})`
  const of = (...lines: readonly string[]): Query => ({
    text: lines.join('\n'),
    values: [JSON.stringify(owners.map(String))],
  })
  const [totals = [], checks = [], imports = [], lastChecks = [], quarantined = []] =
    await database.read([
      of(
        'select "owner", sum("total")',
        'from "selvedge_collections"',
        `where ${isNamed}`,
        'group by "owner"',
      ),
      of(allChecksOf, `where ${isNamed}`),
      of(
        'select "at", "changed", "changed_at", "owner"',
        'from "selvedge_imports"',
        `where ${isNamed}`,
      ),
      of(
        'select c."owner", c."checked_at", c."counts"',
        `from "${checksTable}" as c`,
        `join (select "owner", max("number") as "last" from "${checksTable}"`,
        `where ${isNamed}`,
        'group by "owner") as l on l."owner" = c."owner" and l."last" = c."number"',
      ),
      of(
        'select "owner", count(*)',
        `from "${quarantineTable}"`,
        `where ${isNamed}`,
        'group by "owner"',
      ),
    ])
  const byOwner = <T>(rows: readonly T[], ownerOf: (row: T) => unknown) =>
    new Map(rows.map((row) => [Number(ownerOf(row)), row]))
  const totalOf = byOwner(totals, ([owner]) => owner)
  const checksOf = byOwner(checks, ([, owner]) => owner)
  const importOf = byOwner(imports, (row) => row[3])
  const lastCheckOf = byOwner(lastChecks, ([owner]) => owner)
  const quarantinedOf = byOwner(quarantined, ([owner]) => owner)
  const shared = Number(totalOf.get(sharedNumber)?.[1] ?? 0)
  return {
    brands: named.map(([slug, brandName]) => {
      const owner = ownerNumber(String(slug))
      const own = Number(totalOf.get(owner)?.[1] ?? 0)
      const check = lastCheckOf.get(owner)
      return {
        ...{ slug: String(slug), name: String(brandName), records: own + shared, own },
        checks: parseChecks(checksOf.get(owner)),
        freshness: parseFreshness(importOf.get(owner)),
        lastCheck: check
          ? { checkedAt: String(check[1]), counts: JSON.parse(String(check[2])) }
          : null,
        quarantinedRows: Number(quarantinedOf.get(owner)?.[1] ?? 0),
      }
    }),
    total: Number(total ?? 0),
    records: Number(records ?? 0),
    sharedChecks: parseChecks(checksOf.get(sharedNumber)),
  }
}
