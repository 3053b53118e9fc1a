import { useId, useState } from 'react'
import {
  countryList,
  foldText,
  type OperatorAddedBrand,
  type OperatorNewBrand,
} from '../../../../src/contract/index.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { language } from '../../texts/index.ts'
import { useAction } from '../action.ts'
import { useAdmin } from '../admin.ts'
import { Field } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'

/** The slug that a name suggests: `Möller & Söhne` becomes `moller-sohne`. */
export const proposedSlug = (name: string): string =>
  foldText(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')

type Choices = readonly (readonly [value: string, name: string])[]

const named = (type: 'region' | 'currency', codes: Iterable<string>): Choices => {
  const names = new Intl.DisplayNames(language(), { type })
  return [...codes]
    .map((code) => [code, names.of(code) ?? code] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, language()))
}

const timezone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const timezones = (): Choices =>
  [...new Set(['UTC', timezone(), ...Intl.supportedValuesOf('timeZone')])].map((each) => [
    each,
    each.replaceAll('_', ' '),
  ])

/** The country of the browser's language settings: `DE` of `de-DE`. */
const ownCountry = (): string => {
  const region = new Intl.Locale(navigator.language).maximize().region ?? ''
  return countryList().codes.has(region) ? region : 'US'
}

interface Typed {
  readonly name: string
  /** Null while the name decides it. */
  readonly slug: string | null
  readonly country: string
  readonly currency: string
  readonly timezone: string
}

/** The first brand. */
export const BrandStep = ({ onAdded }: { onAdded: (slug: string) => void }) => {
  const words = adminTexts().first
  const { fields } = adminTexts().brands
  const { api } = useAdmin()
  const reload = useReload()
  const id = useId()
  const [typed, setTyped] = useState<Typed>(() => ({
    ...{ name: '', slug: null, country: ownCountry(), currency: 'EUR', timezone: timezone() },
  }))
  const [choices] = useState(() => ({
    country: named('region', countryList().codes),
    currency: named('currency', Intl.supportedValuesOf('currency')),
    timezone: timezones(),
  }))
  const slug = typed.slug ?? proposedSlug(typed.name)
  const { isBusy, error, run } = useAction(async () => {
    const { name, country, currency, timezone: zone } = typed
    const body: OperatorNewBrand = { name: name.trim(), slug, country, currency, timezone: zone }
    const added = await api.change<OperatorAddedBrand>('POST', '/brands', body)
    await reload('/brands')
    onAdded(added.slug)
  })
  return (
    <form
      className="first-step first-form"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <h2>{words.brandTitle}</h2>
      <Field id={`${id}-name`} label={fields.name.label} note={fields.name.note}>
        <input
          id={`${id}-name`}
          aria-describedby={`${id}-name-note`}
          autoComplete="organization"
          required
          maxLength={200}
          value={typed.name}
          onChange={({ target }) => setTyped({ ...typed, name: target.value })}
        />
      </Field>
      <Field id={`${id}-slug`} label={fields.slug.label} note={fields.slug.note}>
        <input
          id={`${id}-slug`}
          aria-describedby={`${id}-slug-note`}
          autoComplete="off"
          spellCheck={false}
          required
          value={slug}
          onChange={({ target }) => setTyped({ ...typed, slug: target.value })}
        />
      </Field>
      {(['country', 'currency', 'timezone'] as const).map((field) => (
        <Field key={field} id={`${id}-${field}`} label={fields[field].label}>
          <select
            id={`${id}-${field}`}
            value={typed[field]}
            onChange={({ target }) => setTyped({ ...typed, [field]: target.value })}
          >
            {choices[field].map(([value, name]) => (
              <option key={value} value={value}>
                {name === value || field === 'timezone' ? name : `${name} (${value})`}
              </option>
            ))}
          </select>
        </Field>
      ))}
      {error !== null && <Failure error={error} />}
      <div className="admin-actions">
        <button type="submit" className="primary" disabled={isBusy || slug === ''}>
          {isBusy ? adminTexts().tables.working : words.addBrand}
        </button>
      </div>
    </form>
  )
}
