import type { ReactNode } from 'react'
import type { Row } from '../api.ts'
import { type Field, type Group, shortId } from '../contract.ts'
import { dayText, momentText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { texts } from '../texts/index.ts'
import { Value } from '../value.tsx'
import { referenceTitle } from '../values.ts'
import { type CellProps, derivedValueOf, isDayOnly } from './cell-text.ts'
import type { Column } from './column.ts'
import type { Mark } from './mark.ts'
import { Thumbnail } from './thumbnail.tsx'

export const Cell = (props: CellProps) => byShow[props.column.show](props)

const byShow: Record<Column['show'], (props: CellProps) => ReactNode> = {
  name: (props) => <RecordLink {...props}>{nameOf(props.group, props.row)}</RecordLink>,
  subject: (props) => {
    const [field] = props.column.fields
    const title = field && referenceTitle(props.row, field)
    return <RecordLink {...props}>{title ?? nameOf(props.group, props.row)}</RecordLink>
  },
  route: ({ column, row }) => {
    const places = column.fields.map((field) => {
      const id = row[field.name]
      return typeof id === 'string' ? (referenceTitle(row, field) ?? shortId(id)) : null
    })
    if (places.every((each) => each === null)) return <Nothing />
    const text = places.map((each) => each ?? '–').join(' → ')
    return <span title={text}>{text}</span>
  },
  picture: ({ api, group, row }) => (
    <a href={recordLink(api.brand, group.path, String(row['id']))} tabIndex={-1}>
      <Thumbnail
        api={api}
        id={String(row['id'])}
        title={String(row['altText'] ?? row['fileName'] ?? '')}
      />
    </a>
  ),
  first: (props) => {
    const { fields } = props.column
    const field = fields.find(({ name }) => !isNothing(props.row[name])) ?? fields[0]
    return field ? <MarkedValue {...props} field={field} /> : null
  },
  value: (props) => {
    const [field] = props.column.fields
    return field ? <MarkedValue {...props} field={field} /> : null
  },
  derived: (props) => {
    const value = derivedValueOf(props)
    if (value === null) return <Nothing />
    const { text, title, link, isQuiet } = value
    const className = isQuiet ? 'quiet' : props.column.isRight ? 'number' : undefined
    if (link === undefined) {
      return (
        <span className={className} title={title}>
          {text}
        </span>
      )
    }
    return (
      <a href={link} tabIndex={-1} className={className} title={title}>
        {text}
      </a>
    )
  },
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

const Nothing = () => <span className="null">–</span>

/** Whether a column is empty in all of these rows. */
export const isEmptyIn = (column: Column, rows: readonly Row[]): boolean =>
  (column.show === 'value' || column.show === 'first' || column.show === 'route') &&
  rows.every((row) => column.fields.every(({ name }) => isNothing(row[name])))

interface RecordLinkProps extends CellProps {
  readonly children: ReactNode
}

/** The name of a record as a link to it, with a mark if the record is deleted. */
const RecordLink = ({ api, group, row, children }: RecordLinkProps) => {
  const link = linkOf(api.brand, group, row)
  const { deletedAt } = row
  return (
    <>
      {link === null ? (
        <span className="title-text">{children}</span>
      ) : (
        <a href={link} tabIndex={-1} className="title-link">
          {children}
        </a>
      )}
      {typeof deletedAt === 'string' && (
        <span className="chip chip-quiet" title={momentText(deletedAt)}>
          {texts().record.deleted}
        </span>
      )}
    </>
  )
}

/** The URL of a record's page; null for records without a page. */
export const linkOf = (brand: string, group: Group, row: Row): string | null =>
  group.hasRecord && group.idField !== null
    ? recordLink(brand, group.path, String(row[group.idField]))
    : null

const MarkedValue = ({
  api,
  row,
  column,
  field,
  baseCurrency,
  markOf,
}: CellProps & { field: Field }) => {
  const mark = markOf(row, column.fields)
  const value =
    isDayOnly(field) && typeof row[field.name] === 'string' ? (
      <time dateTime={String(row[field.name])} title={momentText(String(row[field.name]))}>
        {dayText(String(row[field.name]))}
      </time>
    ) : (
      <Value brand={api.brand} {...{ row, field, baseCurrency }} inTable />
    )
  if (mark === null) return value
  return (
    <span className={`marked marked-${mark.kind}`} title={markText(mark)}>
      {value}
      {mark.days !== null && <span className="mark">{markText(mark)}</span>}
    </span>
  )
}

export const markText = ({ kind, days }: Mark): string => {
  const text = texts().explorer.marks[kind]
  return typeof text === 'string' ? text : text(days ?? 0)
}
