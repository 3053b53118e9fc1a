import type { Api, Row } from '../api.ts'
import type { Field, Group } from '../contract.ts'
import { amountText, roundedMoneyText } from '../figures.ts'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { baseAmountOf, convertibleFields } from './base-amount.ts'
import { goodsColumns } from './goods-columns.ts'
import { scorecardColumns } from './scorecard-columns.ts'

/** A column that is not a field of the record: its value is derived from fields or requested. */
export interface DerivedColumn {
  /** Its name in the URL parameter `fields`. No field of the group has it. */
  readonly name: string
  /** In the language of the reader. */
  readonly label: () => string
  readonly meaning: () => string
  /** The fields that its value depends on. The records that they refer to are included. */
  readonly fields: readonly string[]
  /** What to request for the records of a page, besides the list. */
  readonly request?: RowsRequest
  /** The value of `sort` that orders the list by it; null if none does. */
  readonly sort: string | null
  readonly isRight: boolean
  /** Null if the record has no value. */
  readonly value: (row: Row, context: DerivedContext) => DerivedValue | null
}

/** A request for the records of a page. Columns with the same request share its response. */
export interface RowsRequest {
  readonly name: string
  readonly read: (api: Api, rows: readonly Row[], signal: AbortSignal) => Promise<unknown>
}

export interface DerivedContext {
  readonly brand: string
  readonly baseCurrency: string | null
  /** The response of the column's request; undefined until it is there. */
  readonly response: unknown
}

export interface DerivedValue {
  /** As it is shown and copied. */
  readonly text: string
  /** The exact value, if the text is rounded. */
  readonly title?: string
  readonly link?: string
  /** Whether it says that there is no figure. */
  readonly isQuiet?: boolean
}

/** The derived columns of a group: amounts in the base currency, and those of `byGroup`. */
export const derivedColumnsOf = (group: Group): readonly DerivedColumn[] => {
  const cached = cache.get(group.path)
  if (cached) return cached
  const columns = [
    ...convertibleFields(group).map((field, index) => baseColumn(group, field, index === 0)),
    ...(byGroup[group.path] ?? []),
  ]
  cache.set(group.path, columns)
  return columns
}

const cache = new Map<string, readonly DerivedColumn[]>()

const byGroup: { readonly [group: string]: readonly DerivedColumn[] } = {
  inventory: goodsColumns,
  suppliers: scorecardColumns,
}

const baseColumn = (group: Group, field: Field, isFirst: boolean): DerivedColumn => {
  const { base } = group
  const stated = base?.amounts?.[field.name]
  return {
    name: `${field.name}.base`,
    label: () => texts().explorer.inBase(isFirst ? null : fieldLabel(field)),
    meaning: () => texts().explorer.inBaseMeaning(fieldLabel(field)),
    fields: [
      field.name,
      'currency',
      ...(stated ? [stated] : []),
      ...(base?.rate ? [base.rate] : []),
    ],
    sort: group.sortable.find((each) => each === `${field.name}.base`) ?? null,
    isRight: true,
    value: (row, { baseCurrency }) => {
      const amount = baseAmountOf(group, field, row, baseCurrency)
      if (amount === null) return null
      if (amount === 'unknown') return { text: texts().explorer.notConverted, isQuiet: true }
      const text = baseCurrency ? roundedMoneyText(amount, baseCurrency) : amountText(amount)
      return { text, title: amount }
    },
  }
}
