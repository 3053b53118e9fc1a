import { type ConditionValue, fieldAt, type Kind } from '#contract'
import { type Dialect, type Part, quote, type SqlValue } from '#database'
import type { ParamList } from '../read/query-template.ts'
import { comparable } from '../schema/comparable.ts'
import {
  type Column,
  indexFor,
  type SortColumn,
  storedValue,
  type Table,
  wholeText,
} from '../schema/tables.ts'

/** One side of a comparison, and how to write a value to compare it with. */
export interface Operand {
  readonly text: string
  /** Binds a value as a parameter and returns its SQL. */
  readonly bind: (value: ConditionValue) => string
}

/** The table that a field belongs to, and its alias. */
export interface OperandScope {
  readonly table: Table
  readonly alias: string
  readonly dialect: Dialect
  readonly values: ParamList<SqlValue>
}

/** The type that values of a field are compared as. */
type ComparedKind = 'identifier' | 'text' | 'integer' | 'flag' | 'decimal' | 'date' | 'timestamp'

const comparedKinds: Record<Kind, ComparedKind | null> = {
  id: 'identifier',
  ref: 'identifier',
  person: 'identifier',
  text: 'text',
  integer: 'integer',
  flag: 'flag',
  amount: 'decimal',
  date: 'date',
  timestamp: 'timestamp',
  any: null,
  texts: null,
  object: null,
  objects: null,
}

/** A field of a table's records: its column if there is one, else its value in the JSON text. */
export const operandOf = (field: string, scope: OperandScope): Operand => {
  const column = exactColumn(scope.table, field)
  if (!column) return textOperand(field, scope)
  return column.kind === 'prefix' ? wholeOperand(column, scope) : columnOperand(column, scope)
}

/** Two fields to compare with each other: by column if both columns have the same kind. */
export const operandsOf = (
  field: string,
  other: string,
  scope: OperandScope,
): readonly [Operand, Operand] => {
  const { table } = scope
  if (comparedKindOf(table, field) !== comparedKindOf(table, other)) {
    throw new RangeError(`${table.name} cannot compare ${field} with ${other}.`)
  }
  const [one, two] = [exactColumn(table, field), exactColumn(table, other)]
  return one && one.kind === two?.kind && one.kind !== 'prefix'
    ? [columnOperand(one, scope), columnOperand(two, scope)]
    : [textOperand(field, scope), textOperand(other, scope)]
}

/** The column that sorts by a field. */
export const sortColumnOf = ({ sorts }: Table, field: string): SortColumn | undefined =>
  sorts.find(({ path }) => path.join('.') === field)

/** A column with the exact values of a field, for equality lookups. */
export const lookupColumn = (table: Table, field: string): Column | SortColumn | undefined => {
  const columns = [...table.key, ...table.lookups].filter(({ path }) => path.join('.') === field)
  return columns.find(({ name }) => indexFor(table, name)) ?? columns[0] ?? exactSort(table, field)
}

/** A column with the exact values of a field, for range lookups. */
const exactColumn = (table: Table, field: string): Column | SortColumn | undefined =>
  exactSort(table, field) ?? lookupColumn(table, field)

const exactSort = (table: Table, field: string): SortColumn | undefined => {
  const column = sortColumnOf(table, field)
  return column?.kind === 'folded' ? undefined : column
}

/** Binds a contract value in the form that a column is compared with. */
export const bindValue = (
  column: Part,
  value: ConditionValue,
  { dialect, values }: OperandScope,
): string => {
  const compared = comparable(column.kind, typeof value === 'boolean' ? Number(value) : value)
  return storedValue(column, values.add(compared), dialect)
}

export const columnOperand = (column: Part, scope: OperandScope): Operand => ({
  text: `${scope.alias}.${quote(column.name)}`,
  bind: (value) => bindValue(column, value, scope),
})

/** The whole text of a column that may have only its beginning. */
const wholeOperand = (column: Column | SortColumn, scope: OperandScope): Operand => ({
  text: wholeText(column, scope.alias, scope.dialect),
  bind: (value) => scope.values.add(String(value)),
})

const comparedKindOf = ({ name, resource }: Table, field: string): ComparedKind => {
  const kind = fieldAt(resource.fields, field)?.kind
  const compared = kind && comparedKinds[kind]
  if (!compared) throw new RangeError(`${name} has no field ${field} that can be compared.`)
  return compared
}

/** The value of a field in the JSON text. Dates and timestamps sort like their texts. */
export const textOperand = (field: string, scope: OperandScope): Operand => {
  const { table, alias, dialect, values } = scope
  const text = dialect.jsonText(`${alias}."body"`, field.split('.'))
  const bindText = (value: ConditionValue) => values.add(String(value))
  switch (comparedKindOf(table, field)) {
    case 'integer':
      return { text: castInteger(text, dialect), bind: (value) => values.add(Number(value)) }
    case 'flag': {
      // JSON extraction returns a flag as 0 or 1 in SQLite, and as a word in PostgreSQL.
      const stored = (value: ConditionValue) =>
        dialect.name === 'sqlite' ? Number(value === true) : String(value)
      return { text, bind: (value) => values.add(stored(value)) }
    }
    case 'decimal':
      return {
        text: dialect.decimal(`substr(${text}, 1, ${comparedDigits})`),
        bind: (value) => dialect.decimal(bindText(value)),
      }
    default:
      return { text, bind: bindText }
  }
}

/** PostgreSQL has no room for the longest amounts of earlier releases, only for their beginning. */
const comparedDigits = 1_000

const castInteger = (text: string, { name }: Dialect): string =>
  name === 'sqlite' ? text : `(${text})::bigint`
