import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { toneOf } from '../values.ts'

/** The status of a record, and whether it was deleted. */
export const StatusChips = ({ group, row }: { group: Group; row: Row }) => {
  const { status, deletedAt } = row
  const { lifecycle = [] } = group.fields.find(({ name }) => name === 'status') ?? {}
  return (
    <>
      {typeof status === 'string' && (
        <span className={`chip chip-${toneOf(status, lifecycle)}`}>{valueLabel(status)}</span>
      )}{' '}
      {typeof deletedAt === 'string' && (
        <span className="chip chip-bad">{texts().record.deleted}</span>
      )}
    </>
  )
}
