import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { Api, Filters } from '../api.ts'
import { type Group, groupAt } from '../contract.ts'
import { countText } from '../figures.ts'
import { fieldLabel, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { daysOf } from './chip.ts'
import { type FilterField, parameterNames } from './filter-field.ts'
import { withParameters } from './list-state.ts'
import { ReferencePicker } from './reference-picker.tsx'
import { type DayPreset, dayAfter, dayPresets, isRelativeDay } from './relative-day.ts'
import { shownNumber, typedNumber } from './typed-number.ts'

export interface EditorProps {
  readonly api: Api
  readonly group: Group
  readonly field: FilterField
  readonly parameters: Filters
  readonly nameOfRecord: (group: string, id: string) => string | null
  /** Replaces all conditions of the field with these. */
  readonly onApply: (change: Filters) => void
}

/** Edits the condition of a field, depending on its kind. */
export const FilterEditor = (props: EditorProps) => {
  const { field, onApply } = props
  const t = texts().explorer
  const isDeleted = field.name === 'deletedAt'
  const setNull = (isNull: boolean) => onApply({ [`${field.name}.isNull`]: String(isNull) })
  return (
    <div className="filter-editor">
      <h3>{fieldLabel(field)}</h3>
      <ByKind {...props} />
      {field.can.has('null') && (
        <p className="filter-null">
          <button type="button" onClick={() => setNull(true)}>
            {isDeleted ? t.withoutDeleted : t.isEmpty}
          </button>
          <button type="button" onClick={() => setNull(false)}>
            {isDeleted ? t.deletedOnly : t.isNotEmpty}
          </button>
        </p>
      )}
    </div>
  )
}

const ByKind = (props: EditorProps): ReactNode => {
  const { to, can, kind, values } = props.field
  const target = to === null ? undefined : groupAt(to)
  if (target?.hasList && target.idField !== null) return <ReferenceEditor {...props} />
  if (can.has('range')) {
    return kind === 'date' || kind === 'timestamp' ? (
      <DayRange {...props} />
    ) : (
      <NumberRange {...props} />
    )
  }
  if (values.length > 0 && can.has('in')) return <ValueChoice {...props} />
  return can.has('equal') || can.has('prefix') ? <TextValue {...props} /> : null
}

/** The values that the list is currently filtered by. */
const valuesIn = ({ field: { name }, parameters }: EditorProps): readonly string[] => {
  const many = parameters[`${name}.in`]
  if (many !== undefined) return many.split(',')
  const one = parameters[name]
  return one === undefined ? [] : [one]
}

/** Writes a single value in the short form: `status=sent`. */
const writeValues = ({ name, can }: FilterField, values: readonly string[]): Filters => {
  const [first] = values
  if (first === undefined) return {}
  return values.length === 1 && can.has('equal')
    ? { [name]: first }
    : { [`${name}.in`]: values.join(',') }
}

const ReferenceEditor = (props: EditorProps) => {
  const { api, field, nameOfRecord, onApply } = props
  const target = groupAt(field.to ?? '')
  const values = valuesIn(props)
  const canMany = field.can.has('in')
  if (!target) return null
  return (
    <>
      {values.length > 0 && (
        <ul className="filter-values">
          {values.map((id) => {
            const name = nameOfRecord(target.path, id) ?? id
            return (
              <li key={id}>
                <span>{name}</span>
                <button
                  type="button"
                  className="plain"
                  aria-label={texts().explorer.removeValue(name)}
                  onClick={() =>
                    onApply(
                      writeValues(
                        field,
                        values.filter((each) => each !== id),
                      ),
                    )
                  }
                >
                  ×
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <ReferencePicker
        api={api}
        group={target}
        onPick={(id) => onApply(writeValues(field, canMany ? [...new Set([...values, id])] : [id]))}
      />
    </>
  )
}

/** The known values with their record counts. The user can also type other values. */
const ValueChoice = (props: EditorProps) => {
  const { api, group, field, parameters, onApply } = props
  const [chosen, setChosen] = useState<readonly string[]>(() => valuesIn(props))
  const [other, setOther] = useState('')
  const counts = useCounts(api, group, field, parameters)
  const t = texts().explorer
  const choices = [...field.values, ...chosen.filter((each) => !field.values.includes(each))]
  const toggle = (value: string) =>
    setChosen(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = other.trim()
    onApply(writeValues(field, typed === '' ? chosen : [...new Set([...chosen, typed])]))
  }
  return (
    <form onSubmit={submit}>
      <ul className="value-choice">
        {choices.map((value, index) => (
          <li key={value}>
            <label>
              <input
                type="checkbox"
                autoFocus={index === 0}
                checked={chosen.includes(value)}
                onChange={() => toggle(value)}
              />
              <span>{valueLabel(value)}</span>
              <span className="count">{counts && countText(counts.get(value) ?? 0)}</span>
            </label>
          </li>
        ))}
      </ul>
      <input
        aria-label={t.otherValue}
        placeholder={t.otherValue}
        value={other}
        onChange={(event) => setOther(event.target.value)}
      />
      <Apply />
    </form>
  )
}

/** The number of records for each value, with the list's other conditions applied. */
const useCounts = (api: Api, group: Group, field: FilterField, parameters: Filters) => {
  const own = [...parameterNames(field.name), 'sort', 'ids', 'include']
  const others = withParameters(parameters, Object.fromEntries(own.map((name) => [name, null])))
  const { data } = useQuery({
    queryKey: ['counts', api.brand, group.path, field.name, others],
    queryFn: ({ signal }) => api.counts(group.path, field.name, others, { signal }),
  })
  return data
}

const TextValue = (props: EditorProps) => {
  const { field, parameters, onApply } = props
  const t = texts().explorer
  const prefix = parameters[`${field.name}.startsWith`]
  const [isPrefix, setPrefix] = useState(
    field.can.has('prefix') && (prefix !== undefined || parameters[field.name] === undefined),
  )
  const [text, setText] = useState(prefix ?? parameters[field.name] ?? '')
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text !== '') onApply({ [isPrefix ? `${field.name}.startsWith` : field.name]: text })
  }
  return (
    <form onSubmit={submit}>
      {field.can.has('prefix') && field.can.has('equal') ? (
        <select
          aria-label={t.how}
          value={isPrefix ? 'prefix' : 'equal'}
          onChange={(event) => setPrefix(event.target.value === 'prefix')}
        >
          <option value="prefix">{t.startsWith}</option>
          <option value="equal">{t.isExactly}</option>
        </select>
      ) : (
        <label htmlFor={id}>{isPrefix ? t.startsWith : t.isExactly}</label>
      )}
      <input
        id={id}
        autoFocus
        aria-label={fieldLabel(field)}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Apply />
    </form>
  )
}

const NumberRange = ({ field, parameters, onApply }: EditorProps) => {
  const { name } = field
  const t = texts().explorer
  const [least, setLeast] = useState(() => shownNumber(parameters[`${name}.gte`]))
  const [most, setMost] = useState(() => shownNumber(parameters[`${name}.lte`]))
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [from, to] = [typedNumber(least), typedNumber(most)]
    const isWhole = (value: string) => field.kind !== 'integer' || /^-?\d+$/.test(value)
    if (from === null || to === null || !isWhole(from) || !isWhole(to)) setWrong(true)
    else onApply(withParameters({}, { [`${name}.gte`]: from, [`${name}.lte`]: to }))
  }
  return (
    <form onSubmit={submit}>
      <div className="range">
        <label>
          {t.least}
          <input
            autoFocus
            inputMode="decimal"
            value={least}
            onChange={(event) => setLeast(event.target.value)}
          />
        </label>
        <label>
          {t.most}
          <input
            inputMode="decimal"
            value={most}
            onChange={(event) => setMost(event.target.value)}
          />
        </label>
      </div>
      {isWrong && (
        <p className="problem small" role="alert">
          {t.notANumber}
        </p>
      )}
      <Apply />
    </form>
  )
}

/** Named day ranges, or a first and a last day. */
const DayRange = ({ field, parameters, onApply }: EditorProps) => {
  const t = texts().explorer
  const [first, last] = daysOf(field, (is) => parameters[`${field.name}.${is}`])
  const [from, setFrom] = useState(dateOnly(first))
  const [to, setTo] = useState(dateOnly(last))
  const apply = (range: Omit<DayPreset, 'name'>) => onApply(writeDays(field, range))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply({ from: from === '' ? null : from, to: to === '' ? null : to })
  }
  return (
    <>
      <div className="presets">
        {dayPresets.map((preset, index) => (
          <button
            key={preset.name}
            type="button"
            autoFocus={index === 0}
            aria-pressed={preset.from === (first ?? null) && preset.to === (last ?? null)}
            onClick={() => apply(preset)}
          >
            {t.presets[preset.name]}
          </button>
        ))}
      </div>
      <form onSubmit={submit}>
        <div className="range">
          <label>
            {t.from}
            <input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
          </label>
          <label>
            {t.to}
            <input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
          </label>
        </div>
        <Apply />
      </form>
    </>
  )
}

const dateOnly = (value: string | undefined): string =>
  value === undefined || isRelativeDay(value) ? '' : value.slice(0, 'yyyy-mm-dd'.length)

/** A range of times ends at the start of the day after its last day. */
const writeDays = (
  { name, kind }: FilterField,
  { from, to }: Omit<DayPreset, 'name'>,
): Filters => ({
  ...(from !== null && { [`${name}.gte`]: from }),
  ...(to !== null &&
    (kind === 'timestamp' ? { [`${name}.lt`]: dayAfter(to) } : { [`${name}.lte`]: to })),
})

const Apply = () => (
  <button type="submit" className="primary">
    {texts().explorer.apply}
  </button>
)
