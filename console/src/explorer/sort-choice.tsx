import { texts } from '../texts/index.ts'
import type { Column } from './column.ts'

interface SortChoiceProps {
  /** All columns that the list can have. */
  readonly columns: readonly Column[]
  /** The value of `sort` in the URL; null for the usual order. */
  readonly sort: string | null
  readonly onSort: (sort: string | null) => void
}

/** The sort order of a list without column heads. */
export const SortChoice = ({ columns, sort: current, onSort }: SortChoiceProps) => {
  const t = texts().explorer
  const choices = new Map(
    columns.flatMap(({ sort, label }) => (sort === null ? [] : [[sort, label] as const])),
  )
  return (
    <select
      aria-label={t.sort}
      value={current ?? ''}
      onChange={({ target: { value } }) => onSort(value === '' ? null : value)}
    >
      <option value="">{t.unsorted}</option>
      {[...choices].flatMap(([sort, label]) =>
        ['', '-'].map((sign) => (
          <option key={sign + sort} value={sign + sort}>
            {label} {sign === '' ? '↑' : '↓'}
          </option>
        )),
      )}
    </select>
  )
}
