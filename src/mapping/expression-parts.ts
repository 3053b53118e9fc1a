import type { CollectionMapping, Expression, Mapping, ObjectEntry, ValueSource } from './mapping.ts'

/** The expressions that a source consists of. */
export const partsOf = (source: ValueSource): readonly Expression[] => {
  if (source.kind === 'join') return source.parts
  if (source.kind === 'first' || source.kind === 'arithmetic') return source.of
  if (source.kind === 'identity') return source.key
  if (source.kind === 'object') return source.fields.map(({ value }) => value)
  if (source.kind === 'lookup') return source.by.map(({ value }) => value)
  if (source.kind === 'open') return source.candidates
  if (source.kind === 'when') {
    const { cases, otherwise } = source
    return [...cases.map(({ value }) => value), ...(otherwise ? [otherwise] : [])]
  }
  if (source.kind === 'rows') return source.of ? [source.of] : []
  return source.kind === 'list' ? source.items : []
}

/** A source of the same kind with other parts, of the same number. */
export const withParts = (source: ValueSource, parts: readonly Expression[]): ValueSource => {
  if (source.kind === 'join') return { ...source, parts }
  if (source.kind === 'first' || source.kind === 'arithmetic') return { ...source, of: parts }
  if (source.kind === 'identity') return { ...source, key: parts }
  const replaced = (entries: readonly ObjectEntry[]) =>
    entries.map(({ name, value }, index) => ({ name, value: parts[index] ?? value }))
  if (source.kind === 'object') return { ...source, fields: replaced(source.fields) }
  if (source.kind === 'lookup') return { ...source, by: replaced(source.by) }
  if (source.kind === 'open') return { ...source, candidates: parts }
  if (source.kind === 'when') {
    const cases = source.cases.map((each, at) => ({ ...each, value: parts[at] ?? each.value }))
    return { ...source, cases, otherwise: parts[cases.length] ?? null }
  }
  if (source.kind === 'rows') return { ...source, of: parts[0] ?? null }
  return source.kind === 'list' ? { ...source, items: parts } : source
}

/** Adds the columns that an expression uses. */
export const addColumns = ({ source, unit }: Expression, columns: Set<string>): void => {
  if (unit) addColumns(unit.from, columns)
  if (source.kind === 'column') columns.add(source.column)
  if (source.kind === 'when') {
    for (const { column } of source.cases.flatMap((each) => each.conditions)) columns.add(column)
  }
  const parts = partsOf(source)
  if (source.kind === 'rows' && source.in !== null) {
    for (const column of columnsIn(parts)) columns.add(`${source.in}.${column}`)
    return
  }
  for (const each of source.kind === 'open' ? parts.slice(0, 1) : parts) addColumns(each, columns)
}

/** The columns that expressions use. */
export const columnsIn = (expressions: readonly Expression[]): readonly string[] => {
  const columns = new Set<string>()
  for (const each of expressions) addColumns(each, columns)
  return [...columns]
}

/** A value that is not decided yet. */
export interface OpenValue {
  readonly collection: string
  /** The dotted name of the field; `id` for the identity. */
  readonly field: string
  readonly line: number
  readonly candidates: readonly Expression[]
}

/** The values of a mapping that are not decided yet, in the order of the file. */
export const openValuesOf = ({ collections }: Mapping): readonly OpenValue[] =>
  collections.flatMap(({ collection, fields }) =>
    fields.flatMap(({ field, value }) =>
      openIn(value).map((source) => ({ collection, field, ...source })),
    ),
  )

const openIn = ({
  source,
  unit,
}: Expression): readonly { readonly line: number; readonly candidates: readonly Expression[] }[] =>
  source.kind === 'open'
    ? [{ line: source.line, candidates: source.candidates }]
    : [...partsOf(source), ...(unit ? [unit.from] : [])].flatMap(openIn)

/** The mapping with the first candidate of each open value, and null where there is none. */
export const withFirstCandidates = (mapping: Mapping): Mapping => ({
  ...mapping,
  collections: mapping.collections.map(
    (each): CollectionMapping => ({
      ...each,
      fields: each.fields.map((field) => ({ ...field, value: decided(field.value) })),
    }),
  ),
})

const decided = (expression: Expression): Expression => {
  const { source, unit } = expression
  if (source.kind !== 'open') {
    return {
      ...expression,
      source: withParts(source, partsOf(source).map(decided)),
      ...(unit && { unit: { ...unit, from: decided(unit.from) } }),
    }
  }
  const [best] = source.candidates
  return best ? decided(best) : { ...expression, source: { kind: 'value', value: null } }
}
