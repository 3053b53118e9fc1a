import type { Field, JsonValue, Kind, Resource } from '#contract'
import type { Row, SqlValue } from '#database'
import { PullRefused } from './refusal.ts'

export type CopiedRecord = { readonly [name: string]: JsonValue }

/** How the records of a collection are kept: its table, and what a record is in it. */
export interface Form {
  readonly resource: Resource
  /** `order_items` */
  readonly table: string
  readonly columns: readonly Column[]
  /** Columns of the identity. */
  readonly keys: readonly string[]
  /** Throws when the record has no identity. */
  readonly rowOf: (record: CopiedRecord) => Row
}

interface Column {
  readonly name: string
  readonly type: 'text' | 'integer'
  readonly isNullable: boolean
}

/**
 * For who asks in SQL: a column for each field of the record. Fields that a newer server has are
 * told and left out.
 */
export const columnForm = (
  resource: Resource,
  onUnknown: (resource: Resource, field: string) => void,
): Form => {
  const fields = Object.entries(resource.fields)
  return {
    ...base(resource),
    columns: fields.map(([name, { kind, nullable }]) => ({
      name,
      type: kind === 'integer' || kind === 'flag' ? 'integer' : 'text',
      isNullable: nullable || !resource.key.includes(name),
    })),
    rowOf: (record) => {
      keyOf(resource, record)
      for (const name of Object.keys(record)) {
        if (!Object.hasOwn(resource.fields, name)) onUnknown(resource, name)
      }
      return fields.map(([name, field]) => cellOf(field, record[name] ?? null))
    },
  }
}

/** For who writes files: the identity, and the record as the API wrote it. */
export const bodyForm = (resource: Resource): Form => ({
  ...base(resource),
  columns: [...resource.key, 'body'].map((name) => ({ name, type: 'text', isNullable: false })),
  rowOf: (record) => [...keyOf(resource, record), JSON.stringify(record)],
})

/** The identity of a record. */
const keyOf = (resource: Resource, record: CopiedRecord): readonly string[] =>
  resource.key.map((name) => {
    const value = record[name]
    if (typeof value === 'string') return value
    throw new PullRefused(`A record of ${resource.path} came without its ${name}.`)
  })

const base = (resource: Resource) => ({
  resource,
  table: resource.path.replaceAll('-', '_'),
  keys: resource.key,
})

const asItIs = (value: JsonValue): SqlValue => value as SqlValue
const asJson = (value: JsonValue): SqlValue => JSON.stringify(value)

/** What is no single value stays JSON, which SQL can look into. */
const cells: Record<Kind, (value: JsonValue) => SqlValue> = {
  id: asItIs,
  ref: asItIs,
  person: asItIs,
  text: asItIs,
  integer: asItIs,
  flag: (value) => (value === true ? 1 : 0),
  amount: asItIs,
  date: asItIs,
  timestamp: asItIs,
  any: asJson,
  texts: asJson,
  object: asJson,
  objects: asJson,
}

/** A value of another type than the contract says is kept as JSON, rather than refused or bent. */
const cellOf = ({ kind }: Field, value: JsonValue): SqlValue => {
  if (value === null) return null
  const isPlain = typeof value !== 'object' && (typeof value !== 'boolean' || kind === 'flag')
  return isPlain ? cells[kind](value) : asJson(value)
}
