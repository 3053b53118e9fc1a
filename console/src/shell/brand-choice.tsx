import type { Brand } from '../api.ts'
import { texts } from '../texts/index.ts'

interface BrandChoiceProps {
  readonly brand: string
  readonly brands: readonly Brand[]
  readonly onChoose: (slug: string) => void
}

/** The brand, or a selection if the key can read several. */
export const BrandChoice = ({ brand, brands, onChoose }: BrandChoiceProps) => {
  const current = brands.find(({ slug }) => slug === brand)
  if (brands.length <= 1 && current) return <span className="bar-brand">{current.name}</span>
  return (
    <select
      className="bar-brand"
      aria-label={texts().shell.brand}
      value={brand}
      onChange={(event) => onChoose(event.target.value)}
    >
      {!current && <option value={brand}>{brand}</option>}
      {brands.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  )
}
