import type { ReactNode } from 'react'
import type { Row } from './api.ts'
import { type Field, groupAt, shortId } from './contract.ts'
import { countText, dayText, momentText, moneyText, percentText } from './figures.ts'
import { recordLink } from './links.ts'
import { recordBehind } from './names.ts'
import { groupSingular, valueLabel } from './texts/contract.ts'
import { texts } from './texts/index.ts'
import { asText, currencyOf, isStatus, referenceTitle, toneOf } from './values.ts'

interface ValueProps {
  readonly brand: string
  readonly row: Row
  readonly field: Field
  readonly baseCurrency: string | null
  /** In a table cell, which has one line and takes the focus. */
  readonly inTable?: boolean
}

/** The value of a field, formatted by its kind. Text is never interpreted as markup. */
export const Value = (props: ValueProps) => {
  const value = props.row[props.field.name]
  if (value === null || value === undefined) return <span className="null">–</span>
  return byKind[props.field.kind](value, props)
}

type Show = (value: unknown, props: ValueProps) => ReactNode

const Identity = ({ id }: { id: string }) => (
  <span className="mono" title={id}>
    {shortId(id)}
  </span>
)

const byKind: Record<Field['kind'], Show> = {
  id: (value, { inTable }) =>
    inTable ? <Identity id={String(value)} /> : <span className="mono">{String(value)}</span>,
  ref: (value, { brand, row, field, inTable }) => {
    const title = referenceTitle(row, field)
    const target = field.to === null ? undefined : groupAt(field.to)
    const id = String(value)
    const shown = title ?? shortId(id)
    if (!target?.hasRecord) return shown
    return (
      <a
        href={recordLink(brand, target.path, id)}
        title={`${groupSingular(target)} ${id}`}
        tabIndex={inTable ? -1 : undefined}
        className={
          title === null ? 'mono' : recordBehind(row, field)?.row['deletedAt'] ? 'deleted' : ''
        }
      >
        {shown}
      </a>
    )
  },
  person: (value) => <Identity id={String(value)} />,
  text: (value, { field, inTable }) => {
    const text = String(value)
    if (isStatus(field)) {
      return (
        <span className={`chip chip-${toneOf(text, field.lifecycle)}`}>{valueLabel(text)}</span>
      )
    }
    if (field.values.includes(text)) return <span>{valueLabel(text)}</span>
    return <span title={inTable && text.length > 40 ? text : undefined}>{text}</span>
  },
  integer: (value) => <span className="number">{countText(Number(value))}</span>,
  flag: (value) => <span>{value ? texts().figures.yes : texts().figures.no}</span>,
  amount: (value, { row, field, baseCurrency }) => {
    const currency = currencyOf(row, field, baseCurrency)
    const amount = String(value)
    return (
      <span className="number" title={amount}>
        {field.measure === 'percent' ? percentText(amount) : moneyText(amount, currency)}
      </span>
    )
  },
  date: (value) => (
    <time dateTime={String(value)} title={String(value)}>
      {dayText(String(value))}
    </time>
  ),
  timestamp: (value) => (
    <time dateTime={String(value)} title={String(value)}>
      {momentText(String(value))}
    </time>
  ),
  any: (value, { inTable }) => <Json value={value} inTable={inTable ?? false} />,
  texts: (value) => <span>{(value as string[]).join(', ')}</span>,
  object: (value, { inTable }) => <Json value={value} inTable={inTable ?? false} />,
  objects: (value, { inTable }) => <Json value={value} inTable={inTable ?? false} />,
}

const Json = ({ value, inTable }: { value: unknown; inTable: boolean }) =>
  inTable ? (
    <span className="mono json-line">{asText(value)}</span>
  ) : (
    <pre className="json">{JSON.stringify(value, null, 2)}</pre>
  )
