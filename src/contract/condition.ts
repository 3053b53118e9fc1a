/** Comparisons between two values of the same kind. Amounts compare as numbers: 1.5 equals 1.50. */
export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte'

/** A value in its field's form: a timestamp in UTC, an amount as a decimal string. */
export type ConditionValue = string | number | boolean

/**
 * A condition on a record, as data. Request parameters and the contract's views both use it.
 * `field` is the name of a field, or a path such as `relationship.status`. A comparison with null
 * is never true.
 */
export type Condition<Value = ConditionValue> =
  | Compare<Value>
  | In<Value>
  | { readonly kind: 'null'; readonly field: string; readonly isNull: boolean }
  /** Ignores case and accents. */
  | { readonly kind: 'startsWith'; readonly field: string; readonly text: string }
  /** Compares two fields of the record. */
  | {
      readonly kind: 'fields'
      readonly field: string
      readonly is: Comparison
      readonly other: string
    }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition<Value>[] }
  | { readonly kind: 'not'; readonly of: Condition<Value> }
  | Some<Value>

interface Compare<Value> {
  readonly kind: 'compare'
  readonly field: string
  readonly is: Comparison
  readonly value: Value
}

interface In<Value> {
  readonly kind: 'in'
  readonly field: string
  readonly values: readonly Value[]
}

/**
 * True if some record of another collection of the same brand has `match` equal to this record's
 * `local` and fulfils `where`. Either `match` refers to this record, or `local` refers to the other
 * record and `match` is its `id`.
 */
interface Some<Value> {
  readonly kind: 'some'
  readonly collection: string
  readonly match: string
  /** Default: `id`. */
  readonly local?: string
  readonly where: Condition<Value>
}

/** Returns the condition with each value mapped. */
export const mapValues = <From, To>(
  condition: Condition<From>,
  map: (value: From, field: string, collection: string | null) => To,
  collection: string | null = null,
): Condition<To> => {
  const inner = (each: Condition<From>) => mapValues(each, map, collection)
  switch (condition.kind) {
    case 'compare':
      return { ...condition, value: map(condition.value, condition.field, collection) }
    case 'in': {
      const { values, field } = condition
      return { ...condition, values: values.map((each) => map(each, field, collection)) }
    }
    case 'all':
    case 'any':
      return { ...condition, of: condition.of.map(inner) }
    case 'not':
      return { ...condition, of: inner(condition.of) }
    case 'some':
      return { ...condition, where: mapValues(condition.where, map, condition.collection) }
    default:
      return condition
  }
}

/** The other collections that a condition reads. */
export const conditionCollections = (condition: Condition<unknown>): readonly string[] => {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap(conditionCollections)
    case 'not':
      return conditionCollections(condition.of)
    case 'some':
      return [condition.collection, ...conditionCollections(condition.where)]
    default:
      return []
  }
}
