import { useId, useState } from 'react'
import {
  type CheckMode,
  type Checks,
  checkModes,
  type OperatorBrandUpdated,
} from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { Dialog } from '../../shell/dialog.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { RadioList } from '../check-list.tsx'
import { Field, FormDialog } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'
import { Table } from '../table.tsx'

interface ChangeChecksProps {
  readonly slug: string
  readonly name: string
  readonly checks: Checks
  readonly checkNames: readonly string[]
  readonly onClose: () => void
}

/** Changes which checks refuse records, then says how many stored records break them. */
export const ChangeChecks = ({ slug, name, checks, checkNames, onClose }: ChangeChecksProps) => {
  const words = adminTexts().brands
  const { api } = useAdmin()
  const reload = useReload()
  const [mode, setMode] = useState<CheckMode>(checks.default)
  const [exceptions, setExceptions] = useState<readonly string[]>(Object.keys(checks.exceptions))
  const [updated, setUpdated] = useState<OperatorBrandUpdated | null>(null)
  const id = useId()
  const other: CheckMode = mode === 'enforce' ? 'warn' : 'enforce'
  const submit = async () => {
    const text = [mode, ...exceptions.map((check) => `${check}=${other}`)].join(',')
    const path = `/brands/${encodeURIComponent(slug)}`
    setUpdated(await api.change<OperatorBrandUpdated>('PATCH', path, { checks: text }))
    await reload('/brands')
  }
  if (updated) return <BrokenChecks name={name} updated={updated} onClose={onClose} />
  return (
    <FormDialog
      title={words.checksOf(name)}
      action={words.saveChecks}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="quiet">{words.checksAbout}</p>
      <RadioList
        label={words.everyCheck}
        value={mode}
        choices={checkModes.map((each) => [each, words.modeSentences[each]] as const)}
        onChange={setMode}
      />
      <Field id={id} label={words.exceptions} note={words.exceptionsNote(words.modes[other])}>
        <select
          id={id}
          aria-describedby={`${id}-note`}
          value=""
          onChange={(event) => setExceptions([...exceptions, event.target.value])}
        >
          <option value="">{words.addException}</option>
          {checkNames
            .filter((check) => !exceptions.includes(check))
            .map((check) => (
              <option key={check}>{check}</option>
            ))}
        </select>
      </Field>
      {exceptions.length > 0 && (
        <ul className="admin-exceptions">
          {exceptions.map((check) => (
            <li key={check}>
              <code>{check}</code>{' '}
              <button
                type="button"
                className="plain"
                aria-label={words.removeException(check)}
                onClick={() => setExceptions(exceptions.filter((each) => each !== check))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  )
}

interface BrokenChecksProps {
  readonly name: string
  readonly updated: OperatorBrandUpdated
  readonly onClose: () => void
}

const BrokenChecks = ({ name, updated, onClose }: BrokenChecksProps) => {
  const words = adminTexts().brands
  const broken = updated.rules.filter(({ count }) => count > 0)
  return (
    <Dialog label={words.checksOf(name)} className="admin-dialog" onClose={onClose}>
      <div className="admin-dialog-body">
        <h2>{words.checksSaved(name)}</h2>
        <p role="status">{broken.length === 0 ? words.noneBroken : words.broken}</p>
        {broken.length > 0 && (
          <Table
            label={words.broken}
            rowKey={({ rule }) => rule}
            rows={broken}
            columns={[
              { key: 'check', title: words.check, cell: ({ check }) => <code>{check}</code> },
              { key: 'mode', title: words.mode, cell: (each) => words.modes[each.mode] },
              {
                key: 'count',
                title: words.records,
                isNumber: true,
                cell: ({ count }) => countText(count),
              },
            ]}
          />
        )}
        <footer className="admin-dialog-foot">
          <button type="button" className="primary" autoFocus onClick={onClose}>
            {adminTexts().tables.close}
          </button>
        </footer>
      </div>
    </Dialog>
  )
}
