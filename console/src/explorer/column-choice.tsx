import { useEffect, useRef, useState } from 'react'
import type { Group } from '../contract.ts'
import { Menu } from '../menu.tsx'
import { texts } from '../texts/index.ts'
import { type Column, columnsOf } from './column.ts'
import { densities, type useDensity } from './density.ts'

interface ColumnChoiceProps {
  readonly group: Group
  readonly columns: readonly Column[]
  readonly density: ReturnType<typeof useDensity>
  /** Null restores the default columns. */
  readonly onChoose: (columns: readonly Column[] | null) => void
}

/** Chooses the columns, their order and the row height. */
export const ColumnChoice = ({ group, columns, density, onChoose }: ColumnChoiceProps) => {
  const t = texts().explorer
  const [chosenDensity, chooseDensity] = density
  return (
    <Menu
      title={
        <>
          {t.columns} <span className="count">{columns.length}</span>
        </>
      }
    >
      <fieldset className="density">
        <legend>{t.density}</legend>
        {densities.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="density"
              checked={each === chosenDensity}
              onChange={() => chooseDensity(each)}
            />{' '}
            {t.densities[each]}
          </label>
        ))}
      </fieldset>
      <ColumnList {...{ group, columns, onChoose }} />
      <button type="button" onClick={() => onChoose(null)}>
        {t.resetColumns}
      </button>
    </Menu>
  )
}

type ColumnListProps = Pick<ColumnChoiceProps, 'group' | 'columns' | 'onChoose'>

/** The chosen columns in their order, then the others. */
const ColumnList = ({ group, columns, onChoose }: ColumnListProps) => {
  const list = useRef<HTMLUListElement>(null)
  const [used, setUsed] = useState<string | null>(null)
  const others = columnsOf(group).filter(({ key }) => columns.every((each) => each.key !== key))
  // Keeps the focus on the control that was used, which has moved within the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the order has changed
  useEffect(() => {
    if (used !== null) list.current?.querySelector<HTMLElement>(`[data-name="${used}"]`)?.focus()
  }, [used, columns])
  return (
    <ul ref={list} className="column-choice">
      {[...columns, ...others].map((column, index) => (
        <ColumnItem
          key={column.key}
          {...{ column, columns, index }}
          onChoose={(next, name) => {
            setUsed(name)
            onChoose(next)
          }}
        />
      ))}
    </ul>
  )
}

interface ColumnItemProps {
  readonly column: Column
  readonly columns: readonly Column[]
  readonly index: number
  /** Receives the name of the used control too. */
  readonly onChoose: (columns: readonly Column[], control: string) => void
}

const ColumnItem = ({ column, columns, index, onChoose }: ColumnItemProps) => {
  const t = texts().explorer
  const { key, label, meaning } = column
  const isChosen = columns.includes(column)
  const others = columns.filter((each) => each !== column)
  const moveTo = (place: number, control: string) =>
    onChoose(others.toSpliced(place, 0, column), control)
  const toggle = () => {
    if (!isChosen) onChoose([...columns, column], key)
    // Keeps the last column: a table needs at least one.
    else if (others.length > 0) onChoose(others, key)
  }
  return (
    <li>
      <label title={meaning}>
        <input type="checkbox" data-name={key} checked={isChosen} onChange={toggle} /> {label}
      </label>
      {isChosen && (
        <span className="column-move">
          <button
            type="button"
            className="plain column-step"
            data-name={`${key} left`}
            disabled={index === 0}
            aria-label={t.moveUp(label)}
            onClick={() => moveTo(index - 1, `${key} left`)}
          >
            ↑
          </button>
          <button
            type="button"
            className="plain column-step"
            data-name={`${key} right`}
            disabled={index === columns.length - 1}
            aria-label={t.moveDown(label)}
            onClick={() => moveTo(index + 1, `${key} right`)}
          >
            ↓
          </button>
        </span>
      )}
    </li>
  )
}
