import { useId, useState } from 'react'
import type { OperatorAddedBrand, OperatorNewBrand } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { Field, FormDialog } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'

interface AddBrandProps {
  readonly onClose: () => void
  readonly onAdded: () => void
}

const fields = ['slug', 'name', 'country', 'currency', 'timezone'] as const
type Typed = Record<(typeof fields)[number], string>

/** Adds an empty brand. */
export const AddBrand = ({ onClose, onAdded }: AddBrandProps) => {
  const words = adminTexts().brands
  const { api, report } = useAdmin()
  const reload = useReload()
  const id = useId()
  const [typed, setTyped] = useState<Typed>({
    ...{ slug: '', name: '', country: 'US', currency: 'USD' },
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  const submit = async () => {
    const body: OperatorNewBrand = {
      ...{ slug: typed.slug.trim(), name: typed.name.trim(), country: typed.country.trim() },
      ...{ currency: typed.currency.trim(), timezone: typed.timezone.trim() },
    }
    const added = await api.change<OperatorAddedBrand>('POST', '/brands', body)
    await reload('/brands')
    report(words.added(added.name))
    onAdded()
    onClose()
  }
  return (
    <FormDialog
      title={words.add}
      action={words.add}
      isReady={fields.every((field) => typed[field].trim() !== '')}
      onSubmit={submit}
      onClose={onClose}
    >
      {fields.map((field) => (
        <Field
          key={field}
          id={`${id}-${field}`}
          label={words.fields[field].label}
          note={words.fields[field].note}
        >
          <input
            id={`${id}-${field}`}
            aria-describedby={`${id}-${field}-note`}
            autoComplete="off"
            spellCheck={false}
            autoFocus={field === 'slug'}
            value={typed[field]}
            onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
          />
        </Field>
      ))}
    </FormDialog>
  )
}
