import type { OperatorBrands } from '../../../src/contract/index.ts'
import { adminTexts } from '../texts/admin.ts'
import { FilterSelect, FilterText } from './filters.tsx'
import { type Paged, usePaged } from './reading.ts'

/** Stands for the records that all brands share. */
export const sharedOwner = '*'

/** The brands, as the page of brands reads them. */
export const useBrands = (): Paged<OperatorBrands> => usePaged('/brands')

interface BrandFilterProps {
  readonly value: string
  /** Whether a brand must be chosen: the page shows one at a time. */
  readonly needsOne?: boolean
  /** Whether the shared records can be chosen. */
  readonly hasShared?: boolean
  readonly onChange: (brand: string) => void
}

/** Filters by brand: a choice, or a field for its slug if there are more brands than one page. */
export const BrandFilter = (props: BrandFilterProps) => {
  const { value, needsOne = false, hasShared = false, onChange } = props
  const brands = useBrands()
  const label = adminTexts().tables.brand
  if (brands.readMore) return <FilterText label={label} value={value} onChange={onChange} />
  const options = [
    ...(brands.rows ?? []).map(({ slug, name }) => [slug, name] as const),
    ...(hasShared ? [[sharedOwner, adminTexts().intake.shared] as const] : []),
  ]
  return (
    <FilterSelect
      label={label}
      value={value}
      options={options}
      needsOne={needsOne}
      onChange={onChange}
    />
  )
}
