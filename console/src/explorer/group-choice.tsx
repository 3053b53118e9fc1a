import type { Field } from '../contract.ts'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'

interface GroupChoiceProps {
  readonly fields: readonly Field[]
  readonly by: Field | null
  readonly onGroup: (by: string | null) => void
}

/** Groups a list by one of its references or statuses. */
export const GroupChoice = ({ fields, by, onGroup }: GroupChoiceProps) => {
  const t = texts().explorer
  if (fields.length === 0) return null
  return (
    <select
      className="group-choice"
      aria-label={t.groupBy}
      value={by?.name ?? ''}
      onChange={({ target: { value } }) => onGroup(value === '' ? null : value)}
    >
      <option value="">{by ? t.notGrouped : `${t.groupBy} …`}</option>
      {fields.map((field) => (
        <option key={field.name} value={field.name}>
          {`${t.groupBy} ${fieldLabel(field)}`}
        </option>
      ))}
    </select>
  )
}
