import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Row } from './api.ts'
import { type Field, groupAt, shortId } from './contract.ts'
import { amountText, countText, dayText, momentText } from './figures.ts'
import { recordLink } from './links.ts'
import { recordBehind } from './names.ts'
import { asText, asWords, currencyOf, referenceTitle, toneOf } from './values.ts'

interface ValueProps {
  readonly brand: string
  readonly row: Row
  readonly field: Field
  readonly baseCurrency: string | null
  /** In a table, where there is one line and the cell has the focus. */
  readonly inTable?: boolean
}

/** The value of a field, formatted by its kind. Text is never interpreted as markup. */
export const Value = (props: ValueProps) => {
  const value = props.row[props.field.name]
  if (value === null || value === undefined) return <span className="null">null</span>
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
      <Link
        href={recordLink(brand, target.path, id)}
        title={`${target.singular} ${id}`}
        tabIndex={inTable ? -1 : undefined}
        className={
          title === null ? 'mono' : recordBehind(row, field)?.row['deletedAt'] ? 'deleted' : ''
        }
      >
        {shown}
      </Link>
    )
  },
  person: (value) => <Identity id={String(value)} />,
  text: (value, { field, inTable }) => {
    const text = String(value)
    if (field.values.length > 0) {
      return <span className={`chip chip-${toneOf(text)}`}>{asWords(text)}</span>
    }
    return <span title={inTable && text.length > 40 ? text : undefined}>{text}</span>
  },
  integer: (value) => <span className="number">{countText(Number(value))}</span>,
  flag: (value) => <span>{value ? 'yes' : 'no'}</span>,
  amount: (value, { row, field, baseCurrency }) => {
    const currency = currencyOf(row, field, baseCurrency)
    return (
      <span className="number" title={String(value)}>
        {amountText(String(value))}
        {currency && <span className="unit"> {currency}</span>}
        {field.measure === 'percent' && <span className="unit"> %</span>}
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

/** Kinds whose values are right-aligned. */
export const isNumeric = ({ kind }: Field): boolean => kind === 'amount' || kind === 'integer'
