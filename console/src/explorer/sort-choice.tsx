import type { Group } from '../contract.ts'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import type { Sorting } from './list-state.ts'

interface SortChoiceProps {
  readonly group: Group
  readonly sorting: Sorting | null
  readonly onSort: (sort: string | null) => void
}

/** The sort order of a list without column heads. */
export const SortChoice = ({ group, sorting, onSort }: SortChoiceProps) => {
  const t = texts().explorer
  const fields = group.fields.filter(({ name }) => group.sortable.includes(name))
  const current = sorting ? `${sorting.isDescending ? '-' : ''}${sorting.field}` : ''
  return (
    <select
      aria-label={t.sort}
      value={current}
      onChange={({ target: { value } }) => onSort(value === '' ? null : value)}
    >
      <option value="">{t.unsorted}</option>
      {fields.flatMap((field) =>
        ['', '-'].map((sign) => (
          <option key={sign + field.name} value={sign + field.name}>
            {fieldLabel(field)} {sign === '' ? '↑' : '↓'}
          </option>
        )),
      )}
    </select>
  )
}
