import { useId, useState } from 'react'
import { adminTexts } from '../texts/admin.ts'

export interface Choice {
  readonly value: string
  readonly name: string
  /** What tells it from others of this name. */
  readonly note?: string
}

interface CheckListProps {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** From this number on, a field finds choices. */
const searchedFrom = 9

/** Several of many choices. */
export const CheckList = ({ label, choices, chosen, onChange }: CheckListProps) => {
  const [search, setSearch] = useState('')
  const id = useId()
  const words = adminTexts().tables
  const wanted = search.trim().toLowerCase()
  const shown = choices.filter(
    ({ value, name }) =>
      name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted),
  )
  const toggle = (value: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((each) => each !== value))
  return (
    <fieldset className="admin-choice admin-check-list">
      <legend>
        {label} <span className="count">{words.chosen(chosen.length)}</span>
      </legend>
      {choices.length >= searchedFrom && (
        <input
          id={id}
          type="search"
          aria-label={words.find}
          placeholder={words.find}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            // Enter would submit the form around the field.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      )}
      <div className="admin-check-items">
        {shown.map(({ value, name, note }) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) => toggle(value, event.target.checked)}
            />
            <span>
              {name} {note && <span className="admin-choice-note">{note}</span>}
            </span>
          </label>
        ))}
        {shown.length === 0 && <p className="quiet">{words.nothingFound}</p>}
      </div>
    </fieldset>
  )
}

interface RadioListProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, name: string])[]
  readonly onChange: (value: Value) => void
}

/** One of a few choices. */
export const RadioList = <Value extends string>(props: RadioListProps<Value>) => {
  const { label, value, choices, onChange } = props
  const name = useId()
  return (
    <fieldset className="admin-choice">
      <legend>{label}</legend>
      {choices.map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
