import type { Api, Row } from '../api.ts'
import { type Field, type Group, shortId } from '../contract.ts'
import { dayText } from '../figures.ts'
import { nameOf } from '../names.ts'
import { valueText } from '../value-text.ts'
import { referenceTitle } from '../values.ts'
import type { Column } from './column.ts'
import type { DerivedValue } from './derived-column.ts'
import type { DerivedResponses } from './derived-responses.ts'
import type { Mark } from './mark.ts'

export interface CellContext {
  readonly api: Api
  readonly group: Group
  readonly baseCurrency: string | null
  readonly markOf: (row: Row, fields: readonly Field[]) => Mark | null
  readonly responses: DerivedResponses
}

export interface CellProps extends CellContext {
  readonly column: Column
  readonly row: Row
}

/** The text of a cell as it is shown, on one line and without what separates cells. */
export const cellText = (props: CellProps): string => textOf(props).replaceAll(/\s+/g, ' ').trim()

const textOf = (props: CellProps): string => {
  const { group, column, row, baseCurrency } = props
  const [first] = column.fields
  switch (column.show) {
    case 'name':
      return nameOf(group, row)
    case 'subject':
      return (first && referenceTitle(row, first)) ?? nameOf(group, row)
    case 'derived':
      return derivedValueOf(props)?.text ?? ''
    case 'picture':
      return String(row['fileName'] ?? '')
    case 'route':
      return column.fields
        .map((field) => {
          const id = row[field.name]
          return typeof id === 'string' ? (referenceTitle(row, field) ?? shortId(id)) : '–'
        })
        .join(' → ')
    default: {
      const field = column.fields.find(({ name }) => (row[name] ?? null) !== null) ?? first
      const value = field && (row[field.name] ?? null)
      if (field === undefined || value === null) return ''
      return isDayOnly(field) ? dayText(String(value)) : valueText(row, field, baseCurrency)
    }
  }
}

/** The value of a derived column; null if the record has none or its request is in progress. */
export const derivedValueOf = ({
  api,
  column: { derived },
  row,
  baseCurrency,
  responses,
}: CellProps): DerivedValue | null => {
  if (derived === null) return null
  const response = derived.request && responses.get(derived.request.name)
  if (derived.request && response === undefined) return null
  return derived.value(row, { brand: api.brand, baseCurrency, response })
}

/** Tables show business times as days, and times of changes to the minute. */
export const isDayOnly = ({ kind, name }: Field): boolean =>
  kind === 'timestamp' && !['createdAt', 'updatedAt', 'deletedAt'].includes(name)
