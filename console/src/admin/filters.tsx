import { type ReactNode, useId, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { adminTexts } from '../texts/admin.ts'

export type FilterValues<Name extends string> = { readonly [name in Name]: string }

export interface Filters<Name extends string> {
  /** Empty for no filter. */
  readonly values: FilterValues<Name>
  readonly isActive: boolean
  set(changes: Partial<FilterValues<Name>>): void
  reset(): void
}

/** The filters of a page. They are in the address, so that a link shows the same. */
export const useFilters = <Name extends string>(names: readonly Name[]): Filters<Name> => {
  const [path, navigate] = useLocation()
  const parameters = new URLSearchParams(useSearch())
  const values = Object.fromEntries(
    names.map((name) => [name, parameters.get(name) ?? '']),
  ) as FilterValues<Name>
  const show = (next: FilterValues<Name>) => {
    const query = new URLSearchParams(
      Object.entries<string>(next).filter(([, value]) => value !== ''),
    )
    navigate(query.size === 0 ? path : `${path}?${query}`, { replace: true })
  }
  return {
    values,
    isActive: names.some((name) => values[name] !== ''),
    set: (changes) => show({ ...values, ...changes }),
    reset: () => show(Object.fromEntries(names.map((name) => [name, ''])) as FilterValues<Name>),
  }
}

interface FilterBarProps {
  readonly filters: Pick<Filters<string>, 'isActive' | 'reset'>
  readonly children: ReactNode
}

export const FilterBar = ({ filters, children }: FilterBarProps) => (
  <fieldset className="admin-filters">
    <legend className="unseen">{adminTexts().tables.filters}</legend>
    {children}
    {filters.isActive && (
      <button type="button" className="plain" onClick={filters.reset}>
        {adminTexts().tables.reset}
      </button>
    )}
  </fieldset>
)

interface FilterSelectProps {
  readonly label: string
  readonly value: string
  /** Values with their names. The choice of all comes first. */
  readonly options: readonly (readonly [value: string, name: string])[]
  /** Whether one of them must be chosen. */
  readonly needsOne?: boolean
  readonly onChange: (value: string) => void
}

export const FilterSelect = ({
  label,
  value,
  options,
  needsOne = false,
  onChange,
}: FilterSelectProps) => (
  <label className="admin-filter">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {!needsOne && <option value="">{adminTexts().tables.all}</option>}
      {value !== '' && !options.some(([each]) => each === value) && <option>{value}</option>}
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

interface FilterTextProps {
  readonly label: string
  readonly value: string
  readonly type?: 'search' | 'date'
  readonly onChange: (value: string) => void
}

/** Applies a text when Enter is pressed or the field is left, and a date when it is chosen. */
export const FilterText = ({ label, value, type = 'search', onChange }: FilterTextProps) => {
  const [typed, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  const id = useId()
  // The filter was changed elsewhere, as by Back.
  if (applied !== value) {
    setApplied(value)
    setTyped(value)
  }
  const apply = (text = typed.trim()) => {
    if (text !== value) onChange(text)
  }
  return (
    <form
      className="admin-filter"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          // While somebody types a year, the date is one of the year 2, 20 or 202.
          if (type === 'date' && (target.value === '' || target.value >= '1970'))
            apply(target.value)
        }}
        onBlur={() => apply()}
      />
    </form>
  )
}
