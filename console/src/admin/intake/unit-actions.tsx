import { useState } from 'react'
import type { OperatorUnit } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { Confirm, FormDialog } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'

type ActionName = 'retry' | 'accept' | 'discard'

/** What an operator can do with a unit, each with what it means. */
export const UnitActions = ({ unit }: { unit: OperatorUnit }) => {
  const [chosen, choose] = useState<ActionName | null>(null)
  const { api, report } = useAdmin()
  const reload = useReload()
  const words = adminTexts().intake
  const actions = actionsOf(unit)
  const path = `/units/${encodeURIComponent(unit.id)}`
  const run = async (action: ActionName) => {
    if (action === 'discard') await api.change('POST', `${path}/discard`)
    else await api.change('POST', `${path}/retry`, { accept: action === 'accept' })
    report(action === 'discard' ? words.discarded : words.retried)
    choose(null)
    await reload(path, '/units', '/imports', `/imports/${encodeURIComponent(unit.id)}`)
  }
  const Asking = chosen === 'retry' ? FormDialog : Confirm
  return (
    <>
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          className={action === actions[0] && action !== 'discard' ? 'primary' : undefined}
          onClick={() => choose(action)}
        >
          {words[action]}
        </button>
      ))}
      {chosen && (
        <Asking
          title={words[`${chosen}Title`]}
          action={words[chosen]}
          onSubmit={() => run(chosen)}
          onClose={() => choose(null)}
        >
          <p>{words[`${chosen}Meaning`]}</p>
        </Asking>
      )}
    </>
  )
}

/** The server refuses a unit whose process still works on it, and says so. */
const actionsOf = (unit: OperatorUnit): readonly ActionName[] => {
  switch (unit.state) {
    case 'waiting':
      return ['discard']
    case 'working':
      return ['retry', 'discard']
    case 'quarantined':
      return isHeld(unit) ? ['accept', 'retry', 'discard'] : ['retry', 'discard']
    default:
      return []
  }
}

/** A file with too few rows names the option of `selvedge intake retry` that takes it. */
const isHeld = ({ kind, lastError }: OperatorUnit): boolean =>
  kind === 'file' && lastError !== null && lastError.includes('--accept')
