import { exactTextColumn, type Field, type JsonValue, type Kind, type Resource } from '#contract'
import type { Row, SqlValue } from '#database'
import { PullError } from './pull-error.ts'

export type CopiedRecord = { readonly [name: string]: JsonValue }

/** The storage of a collection's records: its table, and the row of each record. */
export interface RowMapping {
  readonly resource: Resource
  /** `order_items` */
  readonly table: string
  readonly columns: readonly Column[]
  /** The columns of the identity. */
  readonly keys: readonly string[]
  /** Columns with references to other records, each indexed for joins. */
  readonly references: readonly string[]
  /** Throws if the record has no identity. */
  readonly toRow: (record: CopiedRecord) => Row
}

export interface Column {
  readonly name: string
  readonly type: 'text' | 'integer' | 'real'
  readonly isNullable: boolean
  /** The numeric column beside this column with the exact digits. */
  readonly numberColumn?: string
}

/**
 * For SQL queries: a column for each field, and for an amount a number and its digits. Reports and
 * omits fields that only a newer server knows.
 */
export const columnMapping = (
  resource: Resource,
  onUnknownField: (resource: Resource, field: string) => void,
): RowMapping => {
  const fields = Object.entries(resource.fields)
  return {
    ...tableOf(resource),
    columns: fields.flatMap(([name, { kind, nullable }]): readonly Column[] => {
      const isNullable = nullable || !resource.key.includes(name)
      const type = typesByKind[kind] ?? 'text'
      const column: Column = { name, type, isNullable }
      if (kind !== 'amount') return [column]
      return [column, { ...column, name: exactTextColumn(name), type: 'text', numberColumn: name }]
    }),
    references: fields.flatMap(([name, { kind }]) =>
      kind === 'ref' && name !== resource.key[0] ? [name] : [],
    ),
    toRow: (record) => {
      identityOf(resource, record)
      for (const name of Object.keys(record)) {
        if (!Object.hasOwn(resource.fields, name)) onUnknownField(resource, name)
      }
      return fields.flatMap(([name, field]) => {
        const value = record[name] ?? null
        const cell = toCell(field, value)
        return field.kind === 'amount' ? [numberOf(value), cell] : [cell]
      })
    },
  }
}

/** For files: the identity, and the record as the API sent it. */
export const bodyMapping = (resource: Resource): RowMapping => ({
  ...tableOf(resource),
  references: [],
  columns: [...resource.key, 'body'].map((name) => ({ name, type: 'text', isNullable: false })),
  toRow: (record) => [...identityOf(resource, record), JSON.stringify(record)],
})

const identityOf = (resource: Resource, record: CopiedRecord): readonly string[] =>
  resource.key.map((name) => {
    const value = record[name]
    if (typeof value === 'string') return value
    throw new PullError(`A record of ${resource.path} has no ${name}.`)
  })

const tableOf = (resource: Resource) => ({
  resource,
  table: resource.path.replaceAll('-', '_'),
  keys: resource.key,
})

const typesByKind: { readonly [K in Kind]?: Column['type'] } = {
  integer: 'integer',
  flag: 'integer',
  amount: 'real',
}

/** The double nearest to an amount; null if it is not a number. */
const numberOf = (value: JsonValue): number | null => {
  const number = value === null ? Number.NaN : Number(value)
  return Number.isNaN(number) ? null : number
}

const plain = (value: JsonValue): SqlValue => value as SqlValue
const asJson = (value: JsonValue): SqlValue => JSON.stringify(value)

/** Values that are not scalar are stored as JSON, which SQL can query. */
const cells: Record<Kind, (value: JsonValue) => SqlValue> = {
  id: plain,
  ref: plain,
  person: plain,
  text: plain,
  integer: plain,
  flag: (value) => (value === true ? 1 : 0),
  amount: plain,
  date: plain,
  timestamp: plain,
  any: asJson,
  texts: asJson,
  object: asJson,
  objects: asJson,
}

/** A value whose type differs from the contract is stored as JSON, not rejected or converted. */
const toCell = ({ kind }: Field, value: JsonValue): SqlValue => {
  if (value === null) return null
  const isScalar = typeof value !== 'object' && (typeof value !== 'boolean' || kind === 'flag')
  return isScalar ? cells[kind](value) : asJson(value)
}
