import { useState } from 'react'
import type { Row } from '../api.ts'
import { texts } from '../texts/index.ts'
import { isEmptyIn } from './cell.tsx'
import type { Column } from './column.ts'

export type EmptyColumns = ReturnType<typeof useEmptyColumns>

/** Hides columns without a value on the page until the user shows them. */
export const useEmptyColumns = (columns: readonly Column[], rows: readonly Row[]) => {
  const [areShown, setShown] = useState(false)
  const hidden = areShown ? [] : columns.filter((column) => isEmptyIn(column, rows))
  return {
    shown: columns.filter((column) => !hidden.includes(column)),
    hiddenCount: hidden.length,
    areShown,
    toggle: () => setShown(!areShown),
  }
}

/** Shows the number of hidden columns, with a button to show them. */
export const EmptyColumnsChoice = ({ hiddenCount, areShown, toggle }: EmptyColumns) => {
  const t = texts().explorer
  if (hiddenCount === 0 && !areShown) return null
  return (
    <p className="empty-columns quiet">
      {hiddenCount > 0 && `${t.emptyColumns(hiddenCount)} · `}
      <button type="button" className="plain show-empty" onClick={toggle}>
        {areShown ? t.hideEmpty : t.showEmpty}
      </button>
    </p>
  )
}
