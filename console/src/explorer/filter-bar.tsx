import { useState } from 'react'
import type { Api, Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { Menu } from '../menu.tsx'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { type Chip, chipsOf } from './chip.ts'
import { FilterEditor } from './filter-editor.tsx'
import { type FilterField, filterFieldsOf, parameterNames } from './filter-field.ts'
import { withParameters } from './list-state.ts'

interface FilterBarProps {
  readonly api: Api
  readonly group: Group
  readonly parameters: Filters
  readonly today: string
  readonly nameOfRecord: (group: string, id: string) => string | null
  readonly onChange: (parameters: Filters) => void
}

/** The conditions of a list as chips, and a menu that adds conditions. */
export const FilterBar = (props: FilterBarProps) => {
  const { api, group, parameters, today, nameOfRecord, onChange } = props
  const t = texts().explorer
  const chips = chipsOf(parameters, { group, today, nameOfRecord })
  const remove = (names: readonly string[]) =>
    onChange(withParameters(parameters, Object.fromEntries(names.map((name) => [name, null]))))
  const editor = (field: FilterField, close: () => void) => (
    <FilterEditor
      {...{ api, group, field, parameters, nameOfRecord }}
      onApply={(change) => {
        close()
        const cleared = parameterNames(field.name).map((name) => [name, null] as const)
        onChange(withParameters(parameters, { ...Object.fromEntries(cleared), ...change }))
      }}
    />
  )

  return (
    <div className="filter-bar">
      <Menu className="filter-add" title={t.filter} label={t.filter}>
        {(close) => <FieldChoice group={group} editor={(field) => editor(field, close)} />}
      </Menu>
      <ul className="filter-chips" aria-label={t.filters}>
        {chips.map((chip) => (
          <li key={chip.names.join(' ')}>
            <ChipLabel chip={chip} parameters={parameters} editor={editor} />
            <button
              type="button"
              className="chip-remove"
              aria-label={t.removeFilter(chip.label)}
              onClick={() => remove(chip.names)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {chips.length > 1 && (
        <button
          type="button"
          className="plain"
          onClick={() => remove(chips.flatMap(({ names }) => names))}
        >
          {t.clearAll}
        </button>
      )}
    </div>
  )
}

interface ChipLabelProps {
  readonly chip: Chip
  readonly parameters: Filters
  readonly editor: (field: FilterField, close: () => void) => React.ReactNode
}

/** The label of a chip. If the chip belongs to a field, it opens the field's editor. */
const ChipLabel = ({ chip: { names, label, text, field }, parameters, editor }: ChipLabelProps) => {
  const words = (
    <span title={names.map((name) => `${name}=${parameters[name]}`).join('&')}>
      <span className="quiet">{label}</span> <span>{text}</span>
    </span>
  )
  if (field === null) return words
  return <Menu title={words}>{(close) => editor(field, close)}</Menu>
}

interface FieldChoiceProps {
  readonly group: Group
  readonly editor: (field: FilterField) => React.ReactNode
}

/** Lists the filterable fields, then shows the editor of the chosen field. */
const FieldChoice = ({ group, editor }: FieldChoiceProps) => {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<FilterField | null>(null)
  const t = texts().explorer
  if (chosen) return editor(chosen)
  const wanted = text.trim().toLowerCase()
  const shown = filterFieldsOf(group).filter((field) =>
    `${fieldLabel(field)} ${field.name}`.toLowerCase().includes(wanted),
  )
  return (
    <div className="field-choice">
      <input
        autoFocus
        type="search"
        aria-label={t.findField}
        placeholder={t.findField}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const [first] = shown
          if (event.key !== 'Enter' || !first) return
          // Otherwise the same keystroke would press the first button of the editor.
          event.preventDefault()
          setChosen(first)
        }}
      />
      <ul>
        {shown.map((field) => (
          <li key={field.name}>
            <button type="button" className="plain" onClick={() => setChosen(field)}>
              {fieldLabel(field)}
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="quiet small">{t.noField}</p>}
    </div>
  )
}
