import { rules } from '#check'
import { catalog, checkNamesOf, type OperatorBrand, type OperatorBrands } from '#contract'
import type { IntakeSource } from '#intake'
import type { BrandOverview } from '#store'
import { readCursor, writeCursor } from './cursor.ts'
import type { OperatorParts } from './parts.ts'
import { listSources } from './sources.ts'
import { recordsBytes } from './storage.ts'

/** Brands of a page. */
const pageBrands = 200

/** The brands by slug, from stored statistics: no record is read. */
export const listBrands = async (
  parts: Pick<OperatorParts, 'store' | 'database' | 'databaseUrl'>,
  cursor?: string,
): Promise<OperatorBrands> => {
  const after = cursor === undefined ? '' : String(readCursor(cursor, 1)[0])
  const severityOf = new Map(rules.map(({ id, severity }) => [id, severity]))
  const { brands, total, records, sharedChecks } = await parts.store.brandOverviews({
    after,
    limit: pageBrands,
  })
  const sources = Map.groupBy(await listSources(parts), ({ brand }) => brand)
  const bytes = await recordsBytes(parts)
  const last = brands.at(-1)
  return {
    items: brands.map((brand) => ({
      ...describeBrand(brand, sources.get(brand.slug) ?? []),
      // Every record takes its share of the database.
      aboutBytes: records === 0 ? 0 : Math.round((bytes * brand.own) / records),
      findings: findingsOf(brand, (rule) => severityOf.get(rule)),
    })),
    nextCursor: last && brands.length === pageBrands ? writeCursor([last.slug]) : null,
    total,
    checkNames: checkNamesOf(catalog),
    sharedChecks,
  }
}

const describeBrand = (
  { slug, name, records, own, checks, freshness, quarantinedRows }: BrandOverview,
  sources: readonly IntakeSource[],
) => {
  const sum = (read: (source: IntakeSource) => number) =>
    sources.reduce((before, each) => before + read(each), 0)
  return {
    ...{ slug, name, records, own, checks, ...freshness },
    sources: {
      total: sources.length,
      failing: sources.filter(({ state }) => state === 'failing').length,
      waiting: sum(({ waiting }) => waiting),
      quarantined: sum(({ quarantined }) => quarantined),
      quarantinedRows,
    },
  }
}

const findingsOf = (
  { lastCheck }: BrandOverview,
  severityOf: (rule: string) => string | undefined,
): OperatorBrand['findings'] => {
  if (!lastCheck) return null
  const sum = (severity: string) =>
    Object.entries(lastCheck.counts).reduce(
      (before, [rule, count]) => before + (severityOf(rule) === severity ? count : 0),
      0,
    )
  return { checkedAt: lastCheck.checkedAt, errors: sum('error'), warnings: sum('warning') }
}
