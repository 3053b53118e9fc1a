import { useState } from 'react'
import type { Group } from '../contract.ts'
import { Menu } from '../menu.tsx'
import { usualColumns } from './list-state.ts'

const placeOf = (group: Group): string => `selvedge-columns-${group.path}`

const readColumns = (group: Group): string[] => {
  const names = new Set(group.fields.map(({ name }) => name))
  try {
    const stored = JSON.parse(localStorage.getItem(placeOf(group)) ?? 'null') as unknown
    const named = Array.isArray(stored) ? stored.filter((name) => names.has(name)) : []
    return named.length > 0 ? named : usualColumns(group)
  } catch {
    return usualColumns(group)
  }
}

/** The visible columns of a group, stored in this browser. */
export const useColumns = (group: Group) => {
  const [columns, setColumns] = useState(() => readColumns(group))
  const choose = (names: string[] | null) => {
    if (names === null) localStorage.removeItem(placeOf(group))
    else localStorage.setItem(placeOf(group), JSON.stringify(names))
    setColumns(names ?? usualColumns(group))
  }
  return [columns, choose] as const
}

interface ColumnChoiceProps {
  readonly group: Group
  readonly columns: readonly string[]
  readonly onChoose: (names: string[] | null) => void
}

export const ColumnChoice = ({ group, columns, onChoose }: ColumnChoiceProps) => {
  const toggle = (name: string) => {
    const others = columns.filter((each) => each !== name)
    const next = others.length < columns.length ? others : [...columns, name]
    if (next.length > 0) onChoose(next)
  }
  return (
    <Menu
      title={
        <>
          Columns <span className="count">{columns.length}</span>
        </>
      }
    >
      <ul className="column-choice">
        {group.fields.map(({ name, label }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={columns.includes(name)}
                onChange={() => toggle(name)}
              />{' '}
              {label}
            </label>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => onChoose(null)}>
        Reset
      </button>
    </Menu>
  )
}
