import type { ColumnKind, Part } from '#database'
import { quote } from '#database'
import { type OperandScope, sortColumnOf } from './operand.ts'

/** Dates of a record, in a form in which they can be compared with each other. */
export interface ComparedDates {
  readonly kind: ColumnKind
  readonly texts: readonly string[]
  /** Their columns, if all are compared by column. */
  readonly columns: readonly Part[] | null
}

/**
 * The dates of fields of a record: by column if all columns have the same kind, else as JSON text. A
 * date then counts as the time at which it begins in UTC.
 */
export const comparedDates = (
  fields: readonly string[],
  { table, alias, dialect }: Pick<OperandScope, 'table' | 'alias' | 'dialect'>,
): ComparedDates => {
  const columns = fields.flatMap((field) => sortColumnOf(table, field) ?? [])
  const [first] = columns
  const isAlike =
    columns.length === fields.length && columns.every(({ kind }) => kind === first?.kind)
  return first && isAlike
    ? { kind: first.kind, columns, texts: columns.map(({ name }) => `${alias}.${quote(name)}`) }
    : {
        kind: 'text',
        columns: null,
        texts: fields.map((field) => dialect.jsonText(`${alias}."body"`, field.split('.'))),
      }
}
