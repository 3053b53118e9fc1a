import {
  type Code,
  catalog,
  checkRecord,
  codeRules,
  type OperatorNewBrand,
  type RecordAt,
  resourceAt,
} from '#contract'
import { requireSlug } from './brand.ts'
import { OperatorError } from './error.ts'
import type { OperatorParts } from './parts.ts'

/** Adds a brand, and returns its record. */
export const addBrand = async (
  { store, now, newId }: Pick<OperatorParts, 'store' | 'now' | 'newId'>,
  request: OperatorNewBrand,
): Promise<RecordAt<'brand'>> => {
  const { slug, country = 'US', currency = 'USD', timezone = 'UTC' } = request
  requireSlug(slug)
  requireKnownCodes({ country, currency, timezone })
  if (await store.has(slug)) {
    throw new OperatorError(
      'conflict',
      `The brand ${slug} already exists. See: selvedge brands list`,
    )
  }
  const at = new Date(now()).toISOString()
  const record: RecordAt<'brand'> = {
    id: newId(),
    slug,
    name: request.name,
    legalName: null,
    countryCode: country,
    baseCurrencyCode: currency,
    timezone,
    website: null,
    defaultIncotermCode: null,
    createdAt: at,
    updatedAt: at,
  }
  const resource = resourceAt(catalog, 'brand')
  const [problem] = checkRecord(resource, record)
  if (problem) throw new OperatorError('invalid', `${problem.pointer.slice(1)} ${problem.reason}.`)
  await store.write(slug, async (writer) => {
    await writer.stage(resource, [record])
    await writer.merge(resource)
  })
  return record
}

/** Codes of a new brand, with the checks of imported records. */
const requireKnownCodes = (codes: { readonly [code in Code]?: string }): void => {
  for (const [code, value] of Object.entries(codes)) {
    const problem = codeRules[code as Code].problem(value)
    if (problem) throw new OperatorError('invalid', `--${code}: "${value}" ${problem}.`)
  }
}
