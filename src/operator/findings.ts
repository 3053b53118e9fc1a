import { qualityJson } from '#check'
import type { OperatorChecks } from '#contract'
import { requireBrand } from './brand.ts'
import type { OperatorParts } from './parts.ts'

/** The stored findings of the business rules. */
export const readFindings = async (
  { store }: Pick<OperatorParts, 'store'>,
  brand: string,
): Promise<OperatorChecks> => {
  await requireBrand(store, brand)
  const { unchecked: _, ...quality } = qualityJson(await store.quality.read(brand))
  return { brand, ...quality }
}
