import { useId } from 'react'
import type { OperatorBrands } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { CheckList, RadioList } from '../check-list.tsx'
import { Field } from '../form-dialog.tsx'
import { useRead } from '../reading.ts'
import { collectionChoices, groupChoices } from './groups.ts'
import type { KeyForm } from './key-form.ts'

interface KeyFieldsProps {
  readonly form: KeyForm
  readonly set: (changes: Partial<KeyForm>) => void
  /** The choices of expiry. */
  readonly expiries: readonly KeyForm['expiry'][]
}

/** The fields that a new key and a changed one share. */
export const KeyFields = (props: KeyFieldsProps) => {
  const { form, set } = props
  const words = adminTexts().keys
  const id = useId()
  const { kind, isGlobal } = form
  return (
    <>
      {kind === 'read' && (
        <RadioList
          label={words.reads}
          value={isGlobal ? 'global' : 'brands'}
          choices={[
            ['brands', words.chosenBrands],
            ['global', words.allBrands],
          ]}
          onChange={(value) => set({ isGlobal: value === 'global' })}
        />
      )}
      {!isGlobal && <Brands chosen={form.brands} onChange={(brands) => set({ brands })} />}
      <Expiry {...props} />
      <details className="admin-limits">
        <summary>{words.limits}</summary>
        <div>
          {kind === 'read' ? (
            <Groups form={form} set={set} />
          ) : (
            <Collections form={form} set={set} />
          )}
          <Field id={`${id}-from`} label={words.addresses} note={words.addressesNote}>
            <textarea
              id={`${id}-from`}
              aria-describedby={`${id}-from-note`}
              className="mono"
              rows={2}
              spellCheck={false}
              value={form.addresses}
              onChange={(event) => set({ addresses: event.target.value })}
            />
          </Field>
          <div className="admin-pair">
            <Field id={`${id}-rate`} label={words.perSecond} note={words.rateNote}>
              <input
                id={`${id}-rate`}
                aria-describedby={`${id}-rate-note`}
                type="number"
                min="0"
                step="any"
                value={form.perSecond}
                onChange={(event) => set({ perSecond: event.target.value })}
              />
            </Field>
            <Field id={`${id}-burst`} label={words.burst} note={words.rateNote}>
              <input
                id={`${id}-burst`}
                aria-describedby={`${id}-burst-note`}
                type="number"
                min="1"
                step="1"
                value={form.burst}
                onChange={(event) => set({ burst: event.target.value })}
              />
            </Field>
          </div>
        </div>
      </details>
    </>
  )
}

interface BrandsProps {
  readonly chosen: readonly string[]
  readonly onChange: (brands: readonly string[]) => void
}

/** The brands of a key: a list, or their slugs if there are more brands than one page. */
const Brands = ({ chosen, onChange }: BrandsProps) => {
  const words = adminTexts().keys
  const id = useId()
  const { data } = useRead<OperatorBrands>('/brands')
  if (data?.nextCursor) {
    return (
      <Field id={id} label={words.brands} note={words.brandsNote}>
        <input
          id={id}
          aria-describedby={`${id}-note`}
          spellCheck={false}
          defaultValue={chosen.join(', ')}
          onChange={(event) =>
            onChange(event.target.value.split(/[\s,]+/).filter((each) => each !== ''))
          }
        />
      </Field>
    )
  }
  const listed = (data?.items ?? []).map(({ slug, name }) => ({ value: slug, name, note: slug }))
  // A key can be for a brand that has been removed.
  const removed = chosen
    .filter((slug) => data && !listed.some(({ value }) => value === slug))
    .map((slug) => ({ value: slug, name: slug }))
  return (
    <CheckList
      label={words.brands}
      choices={[...listed, ...removed]}
      chosen={chosen}
      onChange={onChange}
    />
  )
}

const Expiry = ({ form, set, expiries }: KeyFieldsProps) => {
  const words = adminTexts().keys
  const id = useId()
  return (
    <div className="admin-pair">
      <Field id={id} label={words.expires} note={words.expiryNote}>
        <select
          id={id}
          aria-describedby={`${id}-note`}
          value={form.expiry}
          onChange={(event) => set({ expiry: event.target.value as KeyForm['expiry'] })}
        >
          {expiries.map((each) => (
            <option key={each} value={each}>
              {words.expiries[each]}
            </option>
          ))}
        </select>
      </Field>
      {form.expiry === 'day' && (
        <Field id={`${id}-day`} label={words.lastDay}>
          <input
            id={`${id}-day`}
            type="date"
            value={form.lastDay}
            onChange={(event) => set({ lastDay: event.target.value })}
          />
        </Field>
      )}
    </div>
  )
}

type LimitProps = Pick<KeyFieldsProps, 'form' | 'set'>

const Groups = ({ form, set }: LimitProps) => {
  const words = adminTexts().keys
  const { groupLimit, groups } = form
  return (
    <>
      <RadioList
        label={words.groups}
        value={groupLimit}
        choices={(['all', 'only', 'without'] as const).map(
          (each) => [each, words.groupLimits[each]] as const,
        )}
        onChange={(value) => set({ groupLimit: value })}
      />
      {groupLimit !== 'all' && (
        <CheckList
          label={words.groupLimits[groupLimit]}
          choices={groupChoices()}
          chosen={groups}
          onChange={(chosen) => set({ groups: chosen })}
        />
      )}
    </>
  )
}

const Collections = ({ form, set }: LimitProps) => {
  const words = adminTexts().keys
  return (
    <>
      <CheckList
        label={words.collections}
        choices={collectionChoices()}
        chosen={form.collections}
        onChange={(collections) => set({ collections })}
      />
      <p className="quiet small">{words.collectionsNote}</p>
    </>
  )
}
