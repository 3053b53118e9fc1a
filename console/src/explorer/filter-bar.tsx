import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import type { Api, Filters } from '../api.ts'
import { type Filter, type Group, groupAt, shortId } from '../contract.ts'
import { includesForNames, nameOf } from '../names.ts'
import { asWords } from '../values.ts'
import { ReferencePicker } from './reference-picker.tsx'

interface FilterBarProps {
  readonly api: Api
  readonly group: Group
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
}

/** The active filters of a list, and a menu to add others. */
export const FilterBar = ({ api, group, filters, onChange }: FilterBarProps) => {
  const [adding, setAdding] = useState<string | null>(null)
  const choice = useRef<HTMLSelectElement>(null)
  const set = (name: string, value: string) => {
    setAdding(null)
    onChange({ ...filters, [name]: value })
  }
  const remove = (name: string) => {
    const { [name]: _, ...others } = filters
    onChange(others)
    choice.current?.focus()
  }
  const unused = group.filters.filter(({ name }) => !Object.hasOwn(filters, name))
  const filter = group.filters.find(({ name }) => name === adding)
  const names = Object.keys(filters)

  return (
    <div className="filter-bar">
      <ul className="filter-chips" aria-label="Filters">
        {names.map((name) => (
          <li key={name}>
            <FilterChip api={api} {...{ group, name }} value={filters[name] ?? ''} />
            <button
              type="button"
              aria-label={`Remove the filter ${labelOf(group, name)}`}
              onClick={() => remove(name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {group.filters.length > 0 && (
        <select
          ref={choice}
          aria-label="Add a filter"
          value={adding ?? ''}
          onChange={(event) => setAdding(event.target.value || null)}
        >
          <option value="">Add a filter …</option>
          {unused.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
      {filter && (
        <FilterEditor
          key={filter.name}
          api={api}
          filter={filter}
          onSet={(value) => set(filter.name, value)}
          onCancel={() => setAdding(null)}
        />
      )}
      {names.length > 1 && (
        <button type="button" className="plain" onClick={() => onChange({})}>
          Clear all
        </button>
      )}
    </div>
  )
}

const labelOf = (group: Group, name: string): string =>
  group.filters.find((each) => each.name === name)?.label ?? name

interface FilterChipProps {
  readonly api: Api
  readonly group: Group
  readonly name: string
  readonly value: string
}

const FilterChip = ({ api, group, name, value }: FilterChipProps) => {
  const to = group.filters.find((each) => each.name === name)?.to ?? null
  const target = to === null ? undefined : groupAt(to)
  const { data } = useQuery({
    queryKey: ['named', api.brand, to, value],
    queryFn: ({ signal }) =>
      api.get(to ?? '', value, { include: target ? includesForNames(target) : [], signal }),
    enabled: target?.hasRecord ?? false,
  })
  const shown = data && target ? nameOf(target, data) : asWords(shortId(value))
  return (
    <span title={`${name}=${value}`}>
      <span className="quiet">{labelOf(group, name)}</span> {shown}
    </span>
  )
}

interface EditorProps {
  readonly api: Api
  readonly filter: Filter
  readonly onSet: (value: string) => void
  readonly onCancel: () => void
}

const FilterEditor = (props: EditorProps) => {
  const { filter, api, onSet, onCancel } = props
  const target = filter.to === null ? undefined : groupAt(filter.to)
  if (target?.hasList && target.idField !== null) {
    return <ReferencePicker api={api} group={target} onPick={onSet} onCancel={onCancel} />
  }
  return filter.values.length > 0 ? <KnownValues {...props} /> : <FreeValue {...props} />
}

/** The known values. Other values are allowed and can be typed. */
const KnownValues = ({ filter, onSet, onCancel, api }: EditorProps) => {
  const [other, setOther] = useState(false)
  if (other) return <FreeValue {...{ api, filter, onSet, onCancel }} />
  return (
    <select
      aria-label={filter.label}
      autoFocus
      defaultValue=""
      onChange={({ target: { value } }) => (value === '\0' ? setOther(true) : onSet(value))}
    >
      <option value="" disabled>
        is …
      </option>
      {filter.values.map((value) => (
        <option key={value} value={value}>
          {asWords(value)}
        </option>
      ))}
      <option value={'\0'}>Other value …</option>
    </select>
  )
}

const FreeValue = ({ filter, onSet, onCancel }: EditorProps) => {
  const [value, setValue] = useState('')
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value !== '') onSet(value)
  }
  return (
    <form className="filter-free" onSubmit={submit}>
      <label htmlFor={id}>{filter.label} is</label>
      <input
        id={id}
        autoFocus
        inputMode={filter.kind === 'integer' ? 'numeric' : 'text'}
        placeholder={placeholders[filter.kind]}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      />
      <button type="submit">Apply</button>
    </form>
  )
}

const placeholders: Record<Filter['kind'], string> = {
  identifier: 'an identifier',
  string: 'exactly this text',
  integer: 'a whole number',
}
